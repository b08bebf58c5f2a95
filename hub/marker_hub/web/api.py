"""JSON over HTTP: state, stream, matches, commands. Errors are `{code, text}` and say what to do."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from marker_hub.commands import Command, MatchStart, decode_command, kind_of
from marker_hub.web.access import Access
from marker_hub.web.assets import assets
from marker_hub.web.auth import Bucket, Role, may_command
from marker_hub.web.bodies import NO_STORE, Refused, json_body, reply
from marker_hub.web.games import games
from marker_hub.web.geometry import profiles
from marker_hub.web.openapi import document
from marker_hub.web.port import Json
from marker_hub.web.stream import events
from marker_rules.catalogue import clauses


@dataclass(slots=True)
class Api:
    """The handlers; one instance per application."""

    access: Access
    bucket: Bucket = field(default_factory=Bucket)
    streams: int = 0

    # --- state ---------------------------------------------------------------------------------------------------

    async def list_tables(self, _: Request) -> Response:
        """GET /api/tables: the view models of all tables."""
        return reply(
            {
                "now_ms": self.access.hub.now_ms(),
                "tables": [self.access.hub.view(table) for table in self.access.hub.tables()],
            }
        )

    async def table(self, request: Request) -> Response:
        """GET /api/tables/{table}: one view model."""
        return reply(self.access.hub.view(self.access.known(request.path_params["table"])))

    async def sheet(self, request: Request) -> Response:
        """GET /api/tables/{table}/sheet: the shot sheet; `?shot=N`: that of a closed shot. Players and referees."""
        table = self.access.known(request.path_params["table"])
        self.access.needs(request, table, Role.PLAYER)
        asked = request.query_params.get("shot", "")
        if asked and not asked.isdigit():
            raise Refused(400, "shot", "`shot` is the number of a shot.")
        return reply(self.access.hub.sheet(table, int(asked) if asked else None))

    async def matches(self, _: Request) -> Response:
        """GET /api/matches: all matches, newest first."""
        return reply({"now_ms": self.access.hub.now_ms(), "matches": await self.access.hub.matches()})

    async def match(self, request: Request) -> Response:
        """GET /api/matches/{match}: one match with games, shots and events."""
        found = await self.access.hub.match(request.path_params["match"])
        if found is None:
            raise Refused(404, "no-match", f"There is no match '{request.path_params['match']}'.")
        return reply(found)

    async def export(self, request: Request) -> Response:
        """GET /api/matches/{match}/export.{form}: the match record as jsonl, csv or pdf."""
        form, match_id = request.path_params["form"], request.path_params["match"]
        if form not in {"jsonl", "csv", "pdf"}:
            raise Refused(404, "form", "A match is exported as jsonl, csv or pdf.")
        found = await self.access.hub.export(match_id, form)
        if found is None:
            raise Refused(404, "no-match", f"There is no match '{match_id}'.")
        media, content = found
        return Response(
            content, 200, {**NO_STORE, "Content-Disposition": f'attachment; filename="match-{match_id}.{form}"'}, media
        )

    # --- stream --------------------------------------------------------------------------------------------------

    async def stream(self, request: Request) -> Response:
        """GET /api/stream?tables=a,b[&sheet=1]: server-sent events; without `tables` all tables."""
        asked = [name for name in request.query_params.get("tables", "").split(",") if name]
        tables = [self.access.known(table) for table in asked] or self.access.hub.tables()
        referee = request.query_params.get("sheet") == "1"
        session = self.access.session(request)
        if referee:
            for table in tables:
                session = self.access.needs(request, table, Role.PLAYER)
        if self.streams >= self.access.settings.max_streams:
            raise Refused(503, "busy", "Too many pages are open.", {"Retry-After": "5"})
        hello: Json = {
            "build": assets().build,
            "zone": self.access.settings.zone,
            "hall": self.access.settings.hall,
            "sound": self.access.settings.sound,
            "self_service": self.access.settings.self_service,
            "tables": self.access.hub.tables(),
            "role": {table: session.role(table).word for table in tables},
        }
        last_id = request.headers.get("last-event-id")
        body = self._counted(events(self.access.hub, tables, referee=referee, hello=hello, last_id=last_id))
        return StreamingResponse(body, headers={**NO_STORE, "X-Accel-Buffering": "no"}, media_type="text/event-stream")

    async def _counted(self, source: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
        self.streams += 1
        try:
            async for part in source:
                yield part
        finally:
            self.streams -= 1
            await source.aclose()

    # --- commands ------------------------------------------------------------------------------------------------

    async def command(self, request: Request) -> Response:
        """POST /api/tables/{table}/commands: one command with its idempotency key."""
        table = self.access.known(request.path_params["table"])
        session = self.access.needs(request, table, Role.PLAYER)
        if not self.bucket.take(session.id):
            raise Refused(429, "too-fast", "Too many commands in one second.", {"Retry-After": "1"})
        command = self._decode(await json_body(request))
        role = session.role(table)
        policy = command.policy.value if isinstance(command, MatchStart) else None
        if not may_command(role, kind_of(command), self.access.hub.view(table)["match"], policy):
            raise Refused(403, "role", "Only a referee may do this here.")
        result = await self.access.hub.command(table, command, role=role.word, session=session.id)
        return reply(result.body, result.status)

    @staticmethod
    def _decode(raw: bytes) -> Command:
        try:
            command = decode_command(raw)
        except msgspec.MsgspecError as error:
            raise Refused(400, "malformed", f"The command is not understood: {error}.") from None
        if not command.key:
            raise Refused(
                400, "key", "Every command needs `key`, a value of its own by which a repetition is recognised."
            )
        return command

    # --- the rest ------------------------------------------------------------------------------------------------

    async def openapi(self, _: Request) -> Response:
        """GET /api/openapi.json: the description of all this."""
        return reply(document())

    async def games(self, _: Request) -> Response:
        """GET /api/games: what a match can be set up with."""
        return reply(games())

    async def clause(self, request: Request) -> Response:
        """GET /api/clauses/{clause}: a clause in our own words, with the call it has, in three languages."""
        name = request.path_params["clause"]
        family = "five-pins" if name.startswith("FP-") else "pyramid"
        found = clauses(family).get(name)
        if found is None:
            raise Refused(404, "no-clause", f"There is no clause '{name}'.")
        return reply({"id": found.id, "text": found.text, "call": found.call, "letter": found.letter})

    async def profiles(self, _: Request) -> Response:
        """GET /api/profiles: the tables as they are drawn."""
        return reply(profiles())

    async def healthz(self, _: Request) -> Response:
        """GET /healthz: 200 while the hub records, 503 otherwise."""
        state = self.access.hub.health()
        return reply(state, 200 if state.get("ok") else 503)

    async def metrics(self, _: Request) -> Response:
        """GET /metrics: counters in the Prometheus text form."""
        return Response(self.access.hub.metrics(), headers=NO_STORE, media_type="text/plain; version=0.0.4")
