"""For the technician and the administrator: sensors, trials, thresholds, self test, backup, PINs."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from marker_hub.web.access import Access
from marker_hub.web.auth import Role
from marker_hub.web.bodies import Refused, Threshold, decoded, json_body, reply
from marker_hub.web.commissioning import Trials, judge


@dataclass(frozen=True, slots=True)
class Maintenance:
    """The handlers; one instance per application."""

    access: Access

    async def service(self, request: Request) -> Response:
        """GET /api/tables/{table}/service: sensors and node, for the technician. Administrators, as the page."""
        table = self.access.known(request.path_params["table"])
        self.access.needs(request, table, Role.ADMIN)
        return reply(await self.access.hub.service(table))

    async def commissioning(self, request: Request) -> Response:
        """POST /api/tables/{table}/commissioning: the verdict on a sensor's trials; nothing is stored, the report is the technician's.

        Administrators.
        """
        table = self.access.known(request.path_params["table"])
        self.access.needs(request, table, Role.ADMIN)
        body = await decoded(request, Trials, "The trials are")
        return reply(judge(body) | {"table": table, "at_ms": self.access.hub.now_ms()})

    async def threshold(self, request: Request) -> Response:
        """POST /api/tables/{table}/threshold: the threshold of the table's piezos, given to the node. Administrators."""
        table = self.access.known(request.path_params["table"])
        self.access.needs(request, table, Role.ADMIN)
        body = await decoded(request, Threshold, "The threshold is")
        result = await self.access.hub.set_threshold(table, body.mv)
        return reply(result.body, result.status)

    async def self_test(self, request: Request) -> Response:
        """POST /api/tables/{table}/selftest: the node tests its sensors. Administrators."""
        table = self.access.known(request.path_params["table"])
        self.access.needs(request, table, Role.ADMIN)
        await json_body(request)
        result = await self.access.hub.self_test(table)
        return reply(result.body, result.status)

    async def admin(self, request: Request) -> Response:
        """GET /api/admin: state and settings of the hub, tables and their PINs. Administrators."""
        self.access.needs(request, "*", Role.ADMIN)
        return reply(await self.access.hub.admin())

    async def backup(self, request: Request) -> Response:
        """POST /api/admin/backup: a backup now. Administrators."""
        self.access.needs(request, "*", Role.ADMIN)
        await json_body(request)
        problem = await self.access.hub.back_up()
        if problem:
            raise Refused(503, "backup", problem)
        return reply({})

    async def new_pin(self, request: Request) -> Response:
        """POST /api/admin/pins/{table}: another PIN for the referee of a table. Administrators."""
        self.access.needs(request, "*", Role.ADMIN)
        table = self.access.known(request.path_params["table"])
        await json_body(request)
        try:
            pin = self.access.hub.new_pin(table)
        except OSError as error:
            raise Refused(503, "pin", f"The PIN cannot be kept: {error.strerror}. The old one holds.") from None
        self.access.authority.keys.pins[table] = pin
        return reply({"table": table, "pin": pin})
