"""The web application: routes, the checks every request passes, and the headers every answer carries."""

from __future__ import annotations

import ipaddress
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from marker_hub.web.access import Access
from marker_hub.web.api import Api
from marker_hub.web.assets import Assets, assets
from marker_hub.web.auth import COOKIE, Authority, Revoked, Role
from marker_hub.web.bodies import Refused
from marker_hub.web.entrance import Entrance
from marker_hub.web.maintenance import Maintenance
from marker_hub.web.pages import PAGES, missing, shell
from marker_hub.web.port import HubPort, UnknownTable
from marker_hub.web.settings import LANGUAGES, WebSecrets, WebSettings

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}

EMBEDDABLE = {"Content-Security-Policy": HEADERS["Content-Security-Policy"].replace("; frame-ancestors 'self'", "")}
"""Even `frame-ancestors *` would shut out a page opened from a file, which is how streaming programs hold the launcher."""

WORDS = {
    404: ("no-address", "There is nothing at {path}; GET /api/openapi.json lists what there is."),
    405: ("method", "{method} is not possible at {path}; the header Allow names what is."),
}

Handler = Callable[[Request], Awaitable[Response]]


class Guard:
    """Checks Host and Origin before anything else, and adds the security headers to every answer.

    Addresses and localhost are always good hosts (an attacker cannot own them by name); names must be listed.
    """

    def __init__(self, app: ASGIApp, settings: WebSettings) -> None:
        self.app, self.settings = app, settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        embedded = scope["path"].endswith(
            "/overlay"
        )  # shows no control; streaming programs embed it from their own pages

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = HEADERS | EMBEDDABLE if embedded else HEADERS
                extra = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
                message = {**message, "headers": [*message.get("headers", []), *extra]}
            await send(message)

        refusal = self._refusal(Request(scope))
        if refusal is not None:
            await refusal.response()(scope, receive, with_headers)
            return
        await self.app(scope, receive, with_headers)

    def _refusal(self, request: Request) -> Refused | None:
        host = request.headers.get("host", "")
        if not self._host_is_good(host):
            return Refused(
                421, "host", f"This hub does not answer to the name '{host}'. Add it to the hosts of the configuration."
            )
        if request.method in {"GET", "HEAD"}:
            return None
        origin = request.headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != host:
            return Refused(403, "origin", "Commands are taken from this hub's own pages only.")
        if request.headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
            return Refused(403, "origin", "Commands are taken from this hub's own pages only.")
        return None

    def _host_is_good(self, host: str) -> bool:
        name = urlsplit(f"//{host}").hostname or ""
        if name == "localhost" or name in self.settings.hosts:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True


def _static(request: Request) -> Response:
    path = request.path_params["path"]
    content = assets().contents.get(path)
    if content is None:
        return Refused(404, "no-file", f"There is no file '{path}'.").response()
    current = request.path_params["build"] == assets().build
    cache = "public, max-age=31536000, immutable" if current else "no-store"
    headers = {"Cache-Control": cache, "Vary": "Accept-Encoding"}
    packed = assets().packed(path) if "gzip" in request.headers.get("accept-encoding", "") else None
    if packed is not None:
        content, headers = packed, headers | {"Content-Encoding": "gzip"}
    return Response(content, headers=headers, media_type=Assets.media_type(path))


def _page_routes(hub: HubPort, authority: Authority, settings: WebSettings) -> list[Route]:
    def page(name: str) -> Handler:
        async def handler(request: Request) -> Response:
            session = authority.open(request.cookies.get(COOKIE))
            parameters: Mapping[str, str] = request.path_params
            table = parameters.get("table", "")
            if table and table not in hub.tables():
                return missing(request, settings, session, "table")
            if session.role(table or "*") < PAGES[name].least and session.highest < PAGES[name].least:
                return _to_login(request, table, PAGES[name].least)
            if table and session.role(table) < PAGES[name].least:
                return _to_login(request, table, PAGES[name].least)
            match = parameters.get("match", "")
            known = not match or any(each["id"] == match for each in await hub.matches())
            return shell(
                PAGES[name], request, settings, session, table=table, match=match, status=200 if known else 404
            )

        return handler

    async def launcher(request: Request) -> Response:
        table = request.path_params["table"]
        if table not in hub.tables():
            return missing(request, settings, authority.open(request.cookies.get(COOKIE)), "table")
        address = f"{str(request.base_url).rstrip('/')}/tables/{table}/overlay"
        html = assets().contents["overlay-launcher.html"].decode().replace("{{address}}", address)
        name = f'attachment; filename="overlay-{table}.html"'
        return Response(
            html, headers={"Content-Disposition": name, "Cache-Control": "no-store"}, media_type="text/html"
        )

    return [
        Route("/", page("hall")),
        Route("/tables/{table}/overlay.html", launcher),
        Route("/tables/{table}", page("display")),
        Route("/tables/{table}/overlay", page("overlay")),
        Route("/tables/{table}/referee", page("referee")),
        Route("/tables/{table}/new", page("referee")),
        Route("/tables/{table}/join", page("join")),
        Route("/service", page("service")),
        Route("/service/{table}", page("service")),
        Route("/matches", page("matches")),
        Route("/matches/{match}", page("match")),
        Route("/day", page("day")),
        Route("/admin", page("admin")),
        Route("/login", page("login")),
    ]


def _to_login(request: Request, table: str, least: Role) -> Response:
    """The way back is kept with everything asked for in the address; the login speaks the language asked for."""
    back = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    asked = request.query_params.get("lang", "")
    lang = f"&lang={asked}" if asked in LANGUAGES else ""
    return RedirectResponse(
        f"/login?next={quote(back, safe='/')}&table={table}&role={least.word}{lang}",
        status_code=303,
        headers={"Cache-Control": "no-store"},
    )


def create_app(
    hub: HubPort, secrets: WebSecrets, settings: WebSettings | None = None, *, revoked: Path | None = None
) -> Starlette:
    """The application for uvicorn. It keeps no state of matches: everything shown comes from `hub`.

    revoked: the file that keeps which sessions were ended; without one a restart forgets it.
    """
    settings = settings or WebSettings()
    authority = Authority(replace(secrets, pins=dict(secrets.pins)), revoked=Revoked(revoked))  # PINs change
    access = Access(hub, authority, settings)
    api, entrance, maintenance = Api(access), Entrance(access), Maintenance(access)
    routes = [
        *_page_routes(hub, authority, settings),
        Route("/static/{build}/{path:path}", _static),
        Route("/api/tables", api.list_tables),
        Route("/api/tables/{table}", api.table),
        Route("/api/tables/{table}/sheet", api.sheet),
        Route("/api/tables/{table}/service", maintenance.service),
        Route("/api/tables/{table}/commissioning", maintenance.commissioning, methods=["POST"]),
        Route("/api/tables/{table}/selftest", maintenance.self_test, methods=["POST"]),
        Route("/api/tables/{table}/threshold", maintenance.threshold, methods=["POST"]),
        Route("/api/tables/{table}/join", entrance.join),
        Route("/api/tables/{table}/commands", api.command, methods=["POST"]),
        Route("/api/matches", api.matches),
        Route("/api/matches/{match}", api.match),
        Route("/api/matches/{match}/export.{form}", api.export),
        Route("/api/stream", api.stream),
        Route("/api/session", entrance.whoami),
        Route("/api/login", entrance.login, methods=["POST"]),
        Route("/api/logout", entrance.logout, methods=["POST"]),
        Route("/api/games", api.games),
        Route("/api/clauses/{clause}", api.clause),
        Route("/api/admin", maintenance.admin),
        Route("/api/admin/backup", maintenance.backup, methods=["POST"]),
        Route("/api/admin/pins/{table}", maintenance.new_pin, methods=["POST"]),
        Route("/api/profiles", api.profiles),
        Route("/api/openapi.json", api.openapi),
        Route("/healthz", api.healthz),
        Route("/metrics", api.metrics),
    ]

    async def refused(_: Request, error: Exception) -> Response:
        assert isinstance(error, Refused)
        return error.response()

    async def unknown_table(_: Request, error: Exception) -> Response:
        return Refused(404, "no-table", str(error)).response()

    async def no_route(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        machine = request.url.path.startswith("/api/")
        if error.status_code == 404 and not machine and request.method in {"GET", "HEAD"}:
            session = authority.open(request.cookies.get(COOKIE))
            return missing(request, settings, session, "page")
        code, text = WORDS.get(error.status_code, ("refused", error.detail))
        text = text.format(method=request.method, path=request.url.path)
        return Refused(error.status_code, code, text, dict(error.headers or {})).response()

    async def fault(_: Request, _error: Exception) -> Response:
        return Refused(
            500, "fault", "The hub could not do this; its log says why. The score is not touched by it."
        ).response()

    handlers: Any = {Refused: refused, UnknownTable: unknown_table, HTTPException: no_route, Exception: fault}
    app = Starlette(routes=routes, middleware=[Middleware(Guard, settings=settings)], exception_handlers=handlers)
    app.state.authority = authority
    return app
