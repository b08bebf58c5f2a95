"""The public HTTP interface of the hub, as the simulated referee uses it: the same paths as a person's browser.

Standard library only; no TLS. A request that meets a dead hub is repeated with the same idempotency key until the
hub is back or the patience is used up, so nothing is entered twice and nothing is lost.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
import uuid
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

PATIENCE_S = 60.0
RETRY_S = 0.05
TOO_FAST = 429  # the hub takes so many commands a second from one person; the same one is sent again
ANSWER_LIMIT = 8 * 1024 * 1024  # bytes of one answer


class HubUnreachable(ConnectionError):
    """The hub did not answer within the patience."""


class Refused(Exception):
    """The hub answered with an error: `status` and the decoded body."""

    def __init__(self, path: str, status: int, body: Any) -> None:
        super().__init__(f"{path}: status {status}: {body}")
        self.status = status
        self.body = body


@dataclass(frozen=True, slots=True)
class Event:
    """One server-sent event; `data` is decoded JSON."""

    name: str
    data: Any
    id: str


def new_key() -> str:
    """A fresh idempotency key."""
    return str(uuid.uuid4())


class HubClient:
    """One logged-in user of a hub at `host`:`port`. `login`: body of POST /api/login, None for a viewer."""

    def __init__(
        self, host: str, port: int, login: Mapping[str, str] | None = None, patience_s: float = PATIENCE_S
    ) -> None:
        self.host = host
        self.port = port
        self._login = login
        self._patience_s = patience_s
        self._cookie = ""

    async def get(self, path: str) -> Any:
        """The decoded answer of GET `path`. Raises Refused, HubUnreachable."""
        return await self._request("GET", path, None)

    async def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """The decoded answer of POST `path`. Raises Refused, HubUnreachable."""
        return await self._request("POST", path, body)

    async def command(self, table: str, seen: int, kind: str, **fields: Any) -> Any:
        """One command for a table, with a key of its own."""
        body = {"kind": kind, "key": new_key(), "seen": seen, **fields}
        return await self.post(f"/api/tables/{table}/commands", body)

    async def _request(self, method: str, path: str, body: Mapping[str, Any] | None) -> Any:
        deadline = time.monotonic() + self._patience_s
        while True:
            try:
                status, answer = await asyncio.wait_for(self._once(method, path, body), 15)
            except (OSError, asyncio.IncompleteReadError, TimeoutError, ValueError) as problem:
                if time.monotonic() > deadline:
                    raise HubUnreachable(f"hub at {self.host}:{self.port}: {problem}") from problem
                await asyncio.sleep(RETRY_S)
                continue
            if status in (401, 403) and self._login is not None and path != "/api/login":
                await self._log_in()
                status, answer = await self._once(method, path, body)
            if (status >= 500 or status == TOO_FAST) and time.monotonic() < deadline:
                await asyncio.sleep(RETRY_S)
                continue
            if status >= 400:
                raise Refused(path, status, answer)
            return answer

    async def _log_in(self) -> None:
        status, answer = await self._once("POST", "/api/login", self._login)
        if status >= 400:
            raise Refused("/api/login", status, answer)

    def _head(self, method: str, path: str, length: int, accept: str) -> bytes:
        lines = [
            f"{method} {path} HTTP/1.1",
            f"Host: {self.host}:{self.port}",
            f"Origin: http://{self.host}:{self.port}",
            f"Accept: {accept}",
            "Connection: close",
        ]
        if self._cookie:
            lines.append(f"Cookie: {self._cookie}")
        if length:
            lines += ["Content-Type: application/json", f"Content-Length: {length}"]
        return ("\r\n".join(lines) + "\r\n\r\n").encode()

    async def _once(self, method: str, path: str, body: Mapping[str, Any] | None) -> tuple[int, Any]:
        content = json.dumps(body, ensure_ascii=False).encode() if body is not None else b""
        reader, writer = await asyncio.open_connection(self.host, self.port)
        try:
            writer.write(self._head(method, path, len(content), "application/json") + content)
            await writer.drain()
            status, headers = await _read_head(reader)
            for name, value in headers:
                if name == "set-cookie":
                    self._cookie = value.split(";", 1)[0]
            raw = await _read_body(reader, dict(headers))
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()
        return status, json.loads(raw) if raw else None

    async def events(self, path: str) -> AsyncIterator[Event]:
        """Server-sent events of `path` for ever; connects again by itself after a break."""
        while True:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError, ValueError):
                async for event in self._stream(path):
                    yield event
            await asyncio.sleep(RETRY_S)

    async def views(self, table: str) -> AsyncIterator[dict[str, Any]]:
        """Every view of `table` that the hub shows, for ever: the one at the start, then each change."""
        async for event in self.events(f"/api/stream?tables={table}"):
            if event.name == "table" and event.data.get("id") == table:
                yield event.data
            elif event.name == "snapshot":
                for view in event.data["tables"].values():
                    if view["id"] == table:
                        yield view

    async def _stream(self, path: str) -> AsyncIterator[Event]:
        if self._login is not None and not self._cookie:
            await self._log_in()
        reader, writer = await asyncio.open_connection(self.host, self.port, limit=ANSWER_LIMIT)
        try:
            writer.write(self._head("GET", path, 0, "text/event-stream"))
            await writer.drain()
            status, headers = await _read_head(reader)
            if status != 200:
                raise Refused(path, status, None)
            async for line in _lines_of_events(reader, dict(headers)):
                yield line
        finally:
            writer.close()


async def _read_head(reader: asyncio.StreamReader) -> tuple[int, list[tuple[str, str]]]:
    first = (await reader.readuntil(b"\r\n")).decode("latin-1").split(" ", 2)
    headers: list[tuple[str, str]] = []
    while True:
        line = (await reader.readuntil(b"\r\n")).decode("latin-1").strip()
        if not line:
            return int(first[1]), headers
        name, _, value = line.partition(":")
        headers.append((name.strip().lower(), value.strip()))


async def _chunk(reader: asyncio.StreamReader) -> bytes:
    size = int((await reader.readuntil(b"\r\n")).split(b";")[0], 16)
    data = await reader.readexactly(size + 2)
    return data[:-2]


async def _read_body(reader: asyncio.StreamReader, headers: Mapping[str, str]) -> bytes:
    if headers.get("transfer-encoding") == "chunked":
        parts = []
        while part := await _chunk(reader):
            parts.append(part)
        return b"".join(parts)
    if "content-length" in headers:
        return await reader.readexactly(int(headers["content-length"]))
    return await reader.read(ANSWER_LIMIT)


async def _lines_of_events(reader: asyncio.StreamReader, headers: Mapping[str, str]) -> AsyncIterator[Event]:
    chunked = headers.get("transfer-encoding") == "chunked"
    buffer = b""
    while True:
        part = await _chunk(reader) if chunked else await reader.read(65536)
        if not part:
            return
        buffer += part.replace(b"\r\n", b"\n")
        while b"\n\n" in buffer:
            block, buffer = buffer.split(b"\n\n", 1)
            fields: dict[str, str] = {}
            for line in block.decode("utf-8").split("\n"):
                name, _, value = line.partition(":")
                if name:
                    fields[name] = fields.get(name, "") + value.removeprefix(" ")
            if "data" in fields:
                yield Event(fields.get("event", "message"), json.loads(fields["data"]), fields.get("id", ""))
