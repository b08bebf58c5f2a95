"""The OpenAPI document of the HTTP interface, made from the types the code itself uses."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import msgspec

from marker_hub.commands import Command
from marker_hub.web.bodies import Login, Threshold
from marker_hub.web.commissioning import Trials


def _operation(
    summary: str,
    *,
    parameters: tuple[str, ...] = (),
    body: Any = None,
    media: str = "application/json",
    errors: tuple[int, ...] = (),
) -> dict[str, Any]:
    made: dict[str, Any] = {
        "summary": summary,
        "parameters": [
            {"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in parameters
        ],
        "responses": {"200": {"description": "done", "content": {media: {}}}}
        | {
            str(code): {
                "description": ERRORS[code],
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
            }
            for code in sorted({*errors, *ANYWHERE, *(WITH_BODY if 415 in errors else ())})
        },
    }
    if body is not None:
        made["requestBody"] = {"required": True, "content": {"application/json": {"schema": body}}}
    return made


ERRORS = {
    400: "the body is not understood; `text` names the field",
    401: "log in first",
    403: "the role does not suffice, or the request comes from another site",
    404: "no such table or match",
    408: "the body took longer than 10 s",
    409: "based on an older state; `view` is the fresh one",
    413: "the body is larger than 64 KB",
    415: "the body is not application/json",
    421: "the hub does not answer to this name (header Host); add it to web.hosts",
    422: "the rules or the state of the table do not allow this now; `text` says why",
    429: "too many attempts or commands; see Retry-After",
    500: "a fault of the hub, in its log; the score is not touched",
    503: "the hub cannot record now",
}
ANYWHERE = (421, 500)
WITH_BODY = (400, 403, 408, 413)
"""What every request with a body may meet besides its own: broken off, from another site, too slow, too large."""


def document() -> dict[str, Any]:
    """The whole document, OpenAPI 3.1."""
    (command, login, trials, threshold), schemas = msgspec.json.schema_components(
        [Command, Login, Trials, Threshold], ref_template="#/components/schemas/{name}"
    )
    schemas["Error"] = {
        "type": "object",
        "required": ["code", "text"],
        "properties": {"code": {"type": "string"}, "text": {"type": "string"}, "clause": {"type": "string"}},
    }
    table, match = ("table",), ("match",)
    paths = {
        "/api/tables": {"get": _operation("View models of all tables")},
        "/api/tables/{table}": {"get": _operation("View model of a table", parameters=table, errors=(404,))},
        "/api/tables/{table}/sheet": {
            "get": _operation("Shot sheet; players and referees", parameters=table, errors=(401, 403, 404))
        },
        "/api/tables/{table}/service": {
            "get": _operation("Sensors and node; administrators", parameters=table, errors=(401, 403, 404))
        },
        "/api/tables/{table}/commissioning": {
            "post": _operation(
                "Verdict on a sensor's trials; administrators",
                parameters=table,
                body=trials,
                errors=(400, 401, 403, 404, 413, 415),
            )
        },
        "/api/tables/{table}/selftest": {
            "post": _operation(
                "The node tests its sensors and tells what answered; administrators",
                parameters=table,
                errors=(401, 403, 404, 413, 415, 422),
            )
        },
        "/api/tables/{table}/threshold": {
            "post": _operation(
                "Threshold of the table's piezos, given to the node; between matches, administrators",
                parameters=table,
                body=threshold,
                errors=(400, 401, 403, 404, 413, 415, 422),
            )
        },
        "/api/tables/{table}/join": {
            "get": _operation("Code for a match without a referee", parameters=table, errors=(404, 409))
        },
        "/api/tables/{table}/commands": {
            "post": _operation(
                "One command", parameters=table, body=command, errors=(400, 401, 403, 404, 409, 413, 415, 422, 429, 503)
            )
        },
        "/api/stream": {
            "get": _operation(
                "Server-sent events: hello, snapshot, table, sheet, announce, beat",
                media="text/event-stream",
                errors=(401, 403, 404, 503),
            )
        },
        "/api/matches": {"get": _operation("All matches, newest first")},
        "/api/matches/{match}": {
            "get": _operation("A match with games, shots and events", parameters=match, errors=(404,))
        },
        "/api/matches/{match}/export.{form}": {
            "get": _operation(
                "A match as jsonl, csv or pdf",
                parameters=("match", "form"),
                media="application/octet-stream",
                errors=(404,),
            )
        },
        "/api/profiles": {"get": _operation("Geometry of the tables, mm, in the frame of hardware/tables")},
        "/api/clauses/{clause}": {
            "get": _operation("A clause of the rules in our own words", parameters=("clause",), errors=(404,))
        },
        "/api/admin": {"get": _operation("State and settings of the hub; administrators", errors=(401, 403))},
        "/api/admin/backup": {
            "post": _operation("A backup now; administrators", errors=(401, 403, 413, 415, 503)),
        },
        "/api/admin/pins/{table}": {
            "post": _operation(
                "Another PIN for the referee of a table; administrators",
                parameters=table,
                errors=(401, 403, 404, 413, 415, 503),
            )
        },
        "/api/games": {"get": _operation("Presets and switches of each game")},
        "/api/session": {"get": _operation("Roles of this session")},
        "/api/login": {
            "post": _operation(
                "PIN, key or join code for a session cookie", body=login, errors=(400, 401, 403, 404, 413, 415, 429)
            )
        },
        "/api/logout": {"post": _operation("End the session", errors=(415,))},
        "/healthz": {"get": _operation("Whether the hub records", errors=(503,))},
        "/metrics": {"get": _operation("Counters for Prometheus", media="text/plain")},
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "billiard-marker", "version": "1"},
        "paths": paths,
        "components": {"schemas": schemas},
    }


def main(target: str) -> None:
    """Writes the document where the documentation keeps it."""
    text = msgspec.json.format(msgspec.json.encode(document(), order="sorted"), indent=1) + b"\n"
    Path(target).write_bytes(text)


if __name__ == "__main__":
    main(sys.argv[1])
