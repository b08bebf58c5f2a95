"""JSON over HTTP: state, login, commands, matches. Errors are `{code, text}` and say what to do."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse

from marker_hub.commands import Command, MatchStart, decode_command, kind_of
from marker_hub.web.assets import assets
from marker_hub.web.auth import COOKIE, SESSION_S, Authority, Bucket, Role, Session, may_command
from marker_hub.web.commissioning import Trials, judge
from marker_hub.web.games import games
from marker_hub.web.geometry import profiles
from marker_hub.web.openapi import document
from marker_hub.web.port import HubPort, Json, UnknownTable
from marker_hub.web.settings import WebSettings
from marker_hub.web.stream import events
from marker_rules.catalogue import clauses

BODY_LIMIT = 64 * 1024
BODY_S = 10.0
"""How long the body of a request may take."""
CLOSE = {"Connection": "close"}
NO_STORE = {"Cache-Control": "no-store"}


class Refused(Exception):
    """A request that is answered with an error: HTTP status, code and text."""

    def __init__(self, status: int, code: str, text: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(text)
        self.status, self.code, self.text, self.headers = status, code, text, headers or {}

    def response(self) -> Response:
        """The error as a response."""
        return reply({"code": self.code, "text": self.text}, self.status, self.headers)


class Login(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Body of POST /api/login: a referee's PIN, or the administrator's key or a join code as `token`, for one table (`*`: all)."""

    table: str = "*"
    pin: str = ""
    token: str = ""


class Threshold(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Body of POST /api/tables/{table}/threshold: millivolts."""

    mv: int


def reply(body: object, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """A JSON response that no cache keeps."""
    return Response(msgspec.json.encode(body), status, {**NO_STORE, **(headers or {})}, "application/json")


async def json_body(request: Request) -> bytes:
    """The body of a request, if it is JSON of at most 64 KB that comes in time. Raises Refused (400, 408, 413, 415)."""
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media != "application/json":
        raise Refused(415, "media-type", "Send the body as application/json.")
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length) > BODY_LIMIT:
        raise _too_large()
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_S):
            async for chunk in request.stream():
                body += chunk
                if len(body) > BODY_LIMIT:
                    raise _too_large()
    except TimeoutError:
        raise Refused(408, "too-slow", f"The body did not come within {BODY_S:g} s.", CLOSE) from None
    except ClientDisconnect:
        raise Refused(400, "broken-off", "The request was broken off.") from None
    return bytes(body)


def _too_large() -> Refused:
    # The rest of the body is not read, so that nothing sensible can follow on this connection.
    return Refused(413, "too-large", f"The body is larger than {BODY_LIMIT} bytes.", CLOSE)


@dataclass(slots=True)
class Api:
    """The handlers; one instance per application."""

    hub: HubPort
    authority: Authority
    settings: WebSettings
    bucket: Bucket = field(default_factory=Bucket)
    streams: int = 0

    def session(self, request: Request) -> Session:
        """The session of a request."""
        return self.authority.open(request.cookies.get(COOKIE))

    def known(self, table: str) -> str:
        """`table`, if there is one. Raises Refused 404."""
        if table not in self.hub.tables():
            raise Refused(
                404, "no-table", f"There is no table '{table}'. Tables: {', '.join(self.hub.tables()) or 'none'}."
            )
        return table

    def needs(self, request: Request, table: str, least: Role) -> Session:
        """The session, if its role suffices. Raises Refused 401 or 403."""
        session = self.session(request)
        if session.highest is Role.VIEWER:
            raise Refused(401, "login", "Log in first.")
        if session.role(table) < least:
            raise Refused(403, "role", f"This needs the role {least.word} at table '{table}'.")
        return session

    # --- state ---------------------------------------------------------------------------------------------------

    async def list_tables(self, _: Request) -> Response:
        """GET /api/tables: the view models of all tables."""
        return reply({"now_ms": self.hub.now_ms(), "tables": [self.hub.view(table) for table in self.hub.tables()]})

    async def table(self, request: Request) -> Response:
        """GET /api/tables/{table}: one view model."""
        return reply(self.hub.view(self.known(request.path_params["table"])))

    async def sheet(self, request: Request) -> Response:
        """GET /api/tables/{table}/sheet: the shot sheet; `?shot=N`: that of a closed shot. Players and referees."""
        table = self.known(request.path_params["table"])
        self.needs(request, table, Role.PLAYER)
        asked = request.query_params.get("shot", "")
        if asked and not asked.isdigit():
            raise Refused(400, "shot", "`shot` is the number of a shot.")
        return reply(self.hub.sheet(table, int(asked) if asked else None))

    async def service(self, request: Request) -> Response:
        """GET /api/tables/{table}/service: sensors and node, for the technician. Administrators, as the page."""
        table = self.known(request.path_params["table"])
        self.needs(request, table, Role.ADMIN)
        return reply(await self.hub.service(table))

    async def commissioning(self, request: Request) -> Response:
        """POST /api/tables/{table}/commissioning: the verdict on a sensor's trials; nothing is stored, the report is the technician's.

        Administrators.
        """
        table = self.known(request.path_params["table"])
        self.needs(request, table, Role.ADMIN)
        try:
            body = msgspec.json.decode(await json_body(request), type=Trials)
        except msgspec.MsgspecError as error:
            raise Refused(400, "malformed", f"The trials are not understood: {error}.") from None
        return reply(judge(body) | {"table": table, "at_ms": self.hub.now_ms()})

    async def threshold(self, request: Request) -> Response:
        """POST /api/tables/{table}/threshold: the threshold of the table's piezos, given to the node. Administrators."""
        table = self.known(request.path_params["table"])
        self.needs(request, table, Role.ADMIN)
        try:
            body = msgspec.json.decode(await json_body(request), type=Threshold)
        except msgspec.MsgspecError as error:
            raise Refused(400, "malformed", f"The threshold is not understood: {error}.") from None
        result = await self.hub.set_threshold(table, body.mv)
        return reply(result.body, result.status)

    async def self_test(self, request: Request) -> Response:
        """POST /api/tables/{table}/selftest: the node tests its sensors. Administrators."""
        table = self.known(request.path_params["table"])
        self.needs(request, table, Role.ADMIN)
        await json_body(request)
        result = await self.hub.self_test(table)
        return reply(result.body, result.status)

    async def matches(self, _: Request) -> Response:
        """GET /api/matches: all matches, newest first."""
        return reply({"now_ms": self.hub.now_ms(), "matches": await self.hub.matches()})

    async def match(self, request: Request) -> Response:
        """GET /api/matches/{match}: one match with games, shots and events."""
        found = await self.hub.match(request.path_params["match"])
        if found is None:
            raise Refused(404, "no-match", f"There is no match '{request.path_params['match']}'.")
        return reply(found)

    async def export(self, request: Request) -> Response:
        """GET /api/matches/{match}/export.{form}: the match record as jsonl, csv or pdf."""
        form, match_id = request.path_params["form"], request.path_params["match"]
        if form not in {"jsonl", "csv", "pdf"}:
            raise Refused(404, "form", "A match is exported as jsonl, csv or pdf.")
        found = await self.hub.export(match_id, form)
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
        tables = [self.known(table) for table in asked] or self.hub.tables()
        referee = request.query_params.get("sheet") == "1"
        session = self.session(request)
        if referee:
            for table in tables:
                session = self.needs(request, table, Role.PLAYER)
        if self.streams >= self.settings.max_streams:
            raise Refused(503, "busy", "Too many pages are open.", {"Retry-After": "5"})
        hello: Json = {
            "build": assets().build,
            "zone": self.settings.zone,
            "hall": self.settings.hall,
            "sound": self.settings.sound,
            "self_service": self.settings.self_service,
            "tables": self.hub.tables(),
            "role": {table: session.role(table).word for table in tables},
        }
        last_id = request.headers.get("last-event-id")
        body = self._counted(events(self.hub, tables, referee=referee, hello=hello, last_id=last_id))
        return StreamingResponse(body, headers={**NO_STORE, "X-Accel-Buffering": "no"}, media_type="text/event-stream")

    async def _counted(self, source: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
        self.streams += 1
        try:
            async for part in source:
                yield part
        finally:
            self.streams -= 1
            await source.aclose()

    # --- login ---------------------------------------------------------------------------------------------------

    async def login(self, request: Request) -> Response:
        """POST /api/login: exchanges a PIN, key or join code for a session cookie."""
        try:
            body = msgspec.json.decode(await json_body(request), type=Login)
        except msgspec.MsgspecError as error:
            raise Refused(400, "malformed", f"The body is not understood: {error}.") from None
        table = body.table if body.table == "*" else self.known(body.table)
        address = request.client.host if request.client else "?"
        throttle = self.authority.throttle
        wait = throttle.wait_s(address, table)
        if wait:
            raise Refused(
                429, "locked", f"Too many failed attempts. Try again in {wait} s.", {"Retry-After": str(wait)}
            )
        role = (
            self.authority.pin_role(table, body.pin)
            if body.pin
            else self.authority.token_role(table, body.token)
            if body.token
            else None
        )
        if role is None:
            throttle.failed(address, table)
            raise Refused(401, "wrong", "The PIN or key is wrong.")
        if role is Role.PLAYER and not self.settings.self_service:
            raise Refused(403, "self-service", "Matches without a referee are switched off in this hall.")
        throttle.succeeded(address, table)
        session = self.authority.grant(self.session(request), "*" if role is Role.ADMIN else table, role)
        made = reply({"role": role.word, "table": table, "until": session.until})
        secure = self.settings.secure or request.url.scheme == "https"
        made.set_cookie(
            COOKIE,
            self.authority.seal(session),
            max_age=SESSION_S,
            httponly=True,
            samesite="strict",
            secure=secure,
            path="/",
        )
        return made

    async def logout(self, request: Request) -> Response:
        """POST /api/logout: ends the session."""
        await json_body(request)
        session = self.session(request)
        if session.id:
            self.authority.revoke(session)
        made = reply({})
        made.delete_cookie(COOKIE, path="/")
        return made

    async def whoami(self, request: Request) -> Response:
        """GET /api/session: the roles of this session."""
        session = self.session(request)
        return reply(
            {"grants": {table: Role(role).word for table, role in session.grants.items()}, "until": session.until}
        )

    async def join(self, request: Request) -> Response:
        """GET /api/tables/{table}/join: the code that lets a player start a match here, as long as the table is free."""
        table = self.known(request.path_params["table"])
        if not self.settings.self_service:
            raise Refused(404, "self-service", "Matches without a referee are switched off in this hall.")
        if self.hub.view(table)["match"] is not None:
            raise Refused(409, "taken", "A match is running at this table.")
        path = f"/tables/{table}/join#{self.authority.join_code(table)}"
        return reply({"path": path, "qr": qr_modules(str(request.base_url).rstrip("/") + path)})

    # --- commands ------------------------------------------------------------------------------------------------

    async def command(self, request: Request) -> Response:
        """POST /api/tables/{table}/commands: one command with its idempotency key."""
        table = self.known(request.path_params["table"])
        session = self.needs(request, table, Role.PLAYER)
        if not self.bucket.take(session.id):
            raise Refused(429, "too-fast", "Too many commands in one second.", {"Retry-After": "1"})
        command = self._decode(await json_body(request))
        role = session.role(table)
        policy = command.policy.value if isinstance(command, MatchStart) else None
        if not may_command(role, kind_of(command), self.hub.view(table)["match"], policy):
            raise Refused(403, "role", "Only a referee may do this here.")
        result = await self.hub.command(table, command, role=role.word, session=session.id)
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

    # --- administrator -------------------------------------------------------------------------------------------

    async def admin(self, request: Request) -> Response:
        """GET /api/admin: state and settings of the hub, tables and their PINs. Administrators."""
        self.needs(request, "*", Role.ADMIN)
        return reply(await self.hub.admin())

    async def backup(self, request: Request) -> Response:
        """POST /api/admin/backup: a backup now. Administrators."""
        self.needs(request, "*", Role.ADMIN)
        await json_body(request)
        problem = await self.hub.back_up()
        if problem:
            raise Refused(503, "backup", problem)
        return reply({})

    async def new_pin(self, request: Request) -> Response:
        """POST /api/admin/pins/{table}: another PIN for the referee of a table. Administrators."""
        self.needs(request, "*", Role.ADMIN)
        table = self.known(request.path_params["table"])
        await json_body(request)
        try:
            pin = self.hub.new_pin(table)
        except OSError as error:
            raise Refused(503, "pin", f"The PIN cannot be kept: {error.strerror}. The old one holds.") from None
        self.authority.keys.pins[table] = pin
        return reply({"table": table, "pin": pin})

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
        state = self.hub.health()
        return reply(state, 200 if state.get("ok") else 503)

    async def metrics(self, _: Request) -> Response:
        """GET /metrics: counters in the Prometheus text form."""
        return Response(self.hub.metrics(), headers=NO_STORE, media_type="text/plain; version=0.0.4")


def qr_modules(text: str) -> list[str]:
    """A QR code as rows of `0` and `1` without a quiet zone, for the page to draw."""
    import segno

    return [
        "".join("1" if module else "0" for module in row) for row in segno.make(text, error="m", micro=False).matrix
    ]


__all__ = ["Api", "Refused", "UnknownTable", "reply"]
