"""Coming in and going out: login, logout, the roles of a session, the code that lets players in."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from marker_hub.web.access import Access
from marker_hub.web.auth import COOKIE, SESSION_S, Role
from marker_hub.web.bodies import Login, Refused, decoded, json_body, reply


@dataclass(frozen=True, slots=True)
class Entrance:
    """The handlers; one instance per application."""

    access: Access

    async def login(self, request: Request) -> Response:
        """POST /api/login: exchanges a PIN, key or join code for a session cookie."""
        body = await decoded(request, Login, "The body is")
        table = body.table if body.table == "*" else self.access.known(body.table)
        address = request.client.host if request.client else "?"
        throttle = self.access.authority.throttle
        wait = throttle.wait_s(address, table)
        if wait:
            raise Refused(
                429, "locked", f"Too many failed attempts. Try again in {wait} s.", {"Retry-After": str(wait)}
            )
        role = (
            self.access.authority.pin_role(table, body.pin)
            if body.pin
            else self.access.authority.token_role(table, body.token)
            if body.token
            else None
        )
        if role is None:
            throttle.failed(address, table)
            raise Refused(401, "wrong", "The PIN or key is wrong.")
        if role is Role.PLAYER and not self.access.settings.self_service:
            raise Refused(403, "self-service", "Matches without a referee are switched off in this hall.")
        throttle.succeeded(address, table)
        session = self.access.authority.grant(self.access.session(request), "*" if role is Role.ADMIN else table, role)
        made = reply({"role": role.word, "table": table, "until": session.until})
        secure = self.access.settings.secure or request.url.scheme == "https"
        made.set_cookie(
            COOKIE,
            self.access.authority.seal(session),
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
        session = self.access.session(request)
        if session.id:
            self.access.authority.revoke(session)
        made = reply({})
        made.delete_cookie(COOKIE, path="/")
        return made

    async def whoami(self, request: Request) -> Response:
        """GET /api/session: the roles of this session."""
        session = self.access.session(request)
        return reply(
            {"grants": {table: Role(role).word for table, role in session.grants.items()}, "until": session.until}
        )

    async def join(self, request: Request) -> Response:
        """GET /api/tables/{table}/join: the code that lets a player start a match here, as long as the table is free."""
        table = self.access.known(request.path_params["table"])
        if not self.access.settings.self_service:
            raise Refused(404, "self-service", "Matches without a referee are switched off in this hall.")
        if self.access.hub.view(table)["match"] is not None:
            raise Refused(409, "taken", "A match is running at this table.")
        path = f"/tables/{table}/join#{self.access.authority.join_code(table)}"
        return reply({"path": path, "qr": qr_modules(str(request.base_url).rstrip("/") + path)})


def qr_modules(text: str) -> list[str]:
    """A QR code as rows of `0` and `1` without a quiet zone, for the page to draw."""
    import segno

    return [
        "".join("1" if module else "0" for module in row) for row in segno.make(text, error="m", micro=False).matrix
    ]
