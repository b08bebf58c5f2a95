"""What every handler asks first: whose request it is, whether the table exists, whether the role suffices."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request

from marker_hub.web.auth import COOKIE, Authority, Role, Session
from marker_hub.web.bodies import Refused
from marker_hub.web.port import HubPort
from marker_hub.web.settings import WebSettings


@dataclass(frozen=True, slots=True)
class Access:
    """One per application, shared by its handlers."""

    hub: HubPort
    authority: Authority
    settings: WebSettings

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
