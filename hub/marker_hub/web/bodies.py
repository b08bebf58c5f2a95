"""Bodies of requests and answers: the JSON that is taken and given, and how a request is refused."""

from __future__ import annotations

import asyncio
from typing import TypeVar

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

BODY_LIMIT = 64 * 1024
BODY_S = 10.0
"""How long the body of a request may take."""
CLOSE = {"Connection": "close"}
NO_STORE = {"Cache-Control": "no-store"}

T = TypeVar("T")


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


async def decoded(request: Request, shape: type[T], what: str) -> T:
    """The body of a request as `shape`. Raises Refused (400, 408, 413, 415); `what` begins the sentence that says so."""
    try:
        return msgspec.json.decode(await json_body(request), type=shape)
    except msgspec.MsgspecError as error:
        raise Refused(400, "malformed", f"{what} not understood: {error}.") from None
