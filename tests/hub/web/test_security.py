"""Who gets in, from where, and how often."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from page_fakes.hub import SECRETS, FakeHub
from starlette.testclient import TestClient

from marker_hub.web.auth import NOBODY, SESSION_S, Authority, Bucket, Revoked, Role, Throttle, may_command
from marker_hub.web.settings import WebSecrets, WebSettings

COMMAND = {"kind": "still", "key": "k1", "seen": 100}


def test_a_command_needs_a_session_a_role_and_a_key(client: TestClient, hub: FakeHub) -> None:
    """401 without a session, 403 at another table, 400 without a key; nothing of it reaches the hub."""
    assert client.post("/api/tables/3/commands", json=COMMAND).status_code == 401
    client.post("/api/login", json={"table": "7", "pin": "246810"})
    assert client.post("/api/tables/3/commands", json=COMMAND).status_code == 403
    client.post("/api/login", json={"table": "3", "pin": "246810"})
    refused = client.post("/api/tables/3/commands", json={"kind": "still", "seen": 100})
    assert (refused.status_code, refused.json()["code"]) == (400, "key")
    assert hub.commands == []
    assert client.post("/api/tables/3/commands", json=COMMAND).status_code == 200
    assert [command["kind"] for command in hub.commands] == ["still"]


def test_the_session_cookie_is_closed_to_scripts_and_other_sites(client: TestClient) -> None:
    """HttpOnly, SameSite=Strict, and Secure over TLS."""
    cookie = client.post("/api/login", json={"table": "3", "pin": "246810"}).headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert f"Max-Age={SESSION_S}" in cookie
    secure = client.post("https://127.0.0.1/api/login", json={"table": "3", "pin": "246810"}).headers["set-cookie"]
    assert "Secure" in secure


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": "http://127.0.0.1"}, 200),
        ({}, 200),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"host": "evil.example"}, 421),
        ({"host": "hall.example", "origin": "http://hall.example"}, 200),
    ],
)
def test_commands_come_from_the_hubs_own_pages(referee: TestClient, headers: dict[str, str], status: int) -> None:
    """Origin and Host are checked; a name that is not listed is not answered (DNS rebinding)."""
    assert referee.post("/api/tables/3/commands", json=COMMAND, headers=headers).status_code == status


def test_only_json_of_a_bounded_size_is_read(referee: TestClient, hub: FakeHub) -> None:
    """A form cannot command; a body over 64 KB is refused before it is decoded; a wrong field is named."""
    assert referee.post("/api/tables/3/commands", data=COMMAND).status_code == 415
    assert (
        referee.post(
            "/api/tables/3/commands", content=b"x" * 70_000, headers={"content-type": "application/json"}
        ).status_code
        == 413
    )
    wrong = referee.post("/api/tables/3/commands", json=COMMAND | {"colour": "green"})
    assert wrong.status_code == 400
    assert "colour" in wrong.json()["text"]
    assert hub.commands == []


def test_five_failures_lock_this_address_and_table_only() -> None:
    """60 s, then twice as long; another table and another address are not shut out."""
    now = 0.0
    throttle = Throttle(clock=lambda: now)
    for _ in range(4):
        throttle.failed("10.0.0.9", "3")
    assert throttle.wait_s("10.0.0.9", "3") == 0
    throttle.failed("10.0.0.9", "3")
    assert throttle.wait_s("10.0.0.9", "3") == 61
    assert throttle.wait_s("10.0.0.9", "4") == 0
    assert throttle.wait_s("10.0.0.8", "3") == 0
    now = 61.0
    assert throttle.wait_s("10.0.0.9", "3") == 0
    throttle.failed("10.0.0.9", "3")
    assert throttle.wait_s("10.0.0.9", "3") == 121
    throttle.succeeded("10.0.0.9", "3")
    assert throttle.wait_s("10.0.0.9", "3") == 0


def test_login_answers_429_with_the_time_to_wait(client: TestClient) -> None:
    """The sixth attempt is not even looked at, right or wrong."""
    for _ in range(5):
        assert client.post("/api/login", json={"table": "3", "pin": "000000"}).status_code == 401
    locked = client.post("/api/login", json={"table": "3", "pin": "246810"})
    assert locked.status_code == 429
    assert int(locked.headers["retry-after"]) > 50


def test_thirty_commands_a_second() -> None:
    """A bucket of 30 refills at 30 a second, for each session alone."""
    now = 0.0
    bucket = Bucket(clock=lambda: now)
    assert all(bucket.take("s") for _ in range(30))
    assert not bucket.take("s")
    assert bucket.take("other")
    now = 0.1
    assert [bucket.take("s") for _ in range(4)] == [True, True, True, False]


def test_a_session_survives_a_restart_and_ends_by_time_by_forgery_and_by_logout() -> None:
    """Signed with the hub's key: another Authority with the same key reads it, one with another key does not."""
    now = 1_000_000.0
    one = Authority(SECRETS, clock=lambda: now)
    cookie = one.seal(one.grant(NOBODY, "3", Role.REFEREE))
    again = Authority(SECRETS, clock=lambda: now)
    assert again.open(cookie).role("3") is Role.REFEREE
    assert again.open(cookie).role("4") is Role.VIEWER
    assert Authority(WebSecrets(b"another key of sixteen", "", {})).open(cookie) is NOBODY
    payload, _, mac = cookie.partition(".")
    assert again.open(f"{payload[:-2]}AA.{mac}") is NOBODY
    assert again.open(None) is NOBODY
    again.revoke(again.open(cookie))
    assert again.open(cookie) is NOBODY
    now += SESSION_S
    assert one.open(cookie) is NOBODY


def test_a_join_code_is_for_one_table_and_goes_out_of_date() -> None:
    """It holds for 10 to 20 minutes and makes a player, no referee."""
    now = 600_000.0
    authority = Authority(SECRETS, clock=lambda: now)
    code = authority.join_code("7")
    assert authority.token_role("7", code) is Role.PLAYER
    assert authority.token_role("3", code) is None
    now += 599
    assert authority.token_role("7", code) is Role.PLAYER
    now += 700
    assert authority.token_role("7", code) is None


@pytest.mark.parametrize(
    ("role", "kind", "match", "policy", "allowed"),
    [
        (Role.VIEWER, "still", {"policy": "self"}, None, False),
        (Role.PLAYER, "match_start", None, "self", True),
        (Role.PLAYER, "match_start", None, "referee", False),
        (Role.PLAYER, "accept", {"policy": "self"}, None, True),
        (Role.PLAYER, "accept", {"policy": "referee"}, None, False),
        (Role.PLAYER, "award_match", {"policy": "self"}, None, False),
        (Role.PLAYER, "still", None, None, False),
        (Role.REFEREE, "award_match", {"policy": "referee"}, None, True),
        (Role.ADMIN, "manual", {"policy": "referee"}, None, True),
    ],
)
def test_what_a_player_may_do(
    role: Role, kind: str, match: dict[str, object] | None, policy: str | None, allowed: bool
) -> None:
    """A player starts a match without a referee and plays it; where there is a referee he only watches."""
    assert may_command(role, kind, match, policy) is allowed


def test_the_join_code_is_shown_only_while_the_table_is_free(client: TestClient) -> None:
    """Free table: path and QR code; a running match: 409; hall without self-service: 404."""
    free = client.get("/api/tables/7/join")
    assert free.status_code == 200
    assert set("".join(free.json()["qr"])) == {"0", "1"}
    token = free.json()["path"].partition("#")[2]
    assert client.get("/api/tables/3/join").status_code == 409
    assert client.post("/api/login", json={"table": "7", "token": token}).json()["role"] == "player"


def test_every_answer_carries_the_security_headers(client: TestClient) -> None:
    """Also errors and files; pages have no inline script and are not kept by caches."""
    for path in (
        "/",
        "/tables/3",
        "/tables/nowhere",
        "/api/tables",
        "/api/tables/x",
        "/static/x/js/lib/dom.js",
        "/login",
    ):
        answer = client.get(path)
        assert "default-src 'self'" in answer.headers["content-security-policy"], path
        assert answer.headers["x-content-type-options"] == "nosniff"
    page = client.get("/tables/3")
    assert page.headers["cache-control"] == "no-store"
    assert "<script>" not in page.text
    assert " style=" not in page.text


def test_pages_that_need_a_role_send_to_the_login(client: TestClient) -> None:
    """The referee's page and the service page are not shown to viewers; the way back is kept."""
    answer = client.get("/tables/3/referee", follow_redirects=False)
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/login?next=/tables/3/referee")
    assert client.get("/service", follow_redirects=False).status_code == 303
    client.post("/api/login", json={"table": "3", "pin": "246810"})
    assert client.get("/tables/3/referee", follow_redirects=False).status_code == 200
    assert client.get("/tables/7/referee", follow_redirects=False).status_code == 303


@pytest.mark.parametrize(
    ("path", "back"),
    [
        ("/tables/3/referee?lang=it", "/tables/3/referee?lang=it"),
        ("/tables/3/referee?a=1&lang=it&next=//evil.example", "/tables/3/referee?a=1&lang=it&next=//evil.example"),
        ("/service/3?lang=de", "/service/3?lang=de"),
        ("/admin", "/admin"),
    ],
)
def test_the_login_keeps_the_language_and_all_that_was_asked_for(client: TestClient, path: str, back: str) -> None:
    """One parameter `next`, whatever stands in it; the login's own page is in the language asked for, if there is such."""
    answer = client.get(path, follow_redirects=False)
    there = urlsplit(answer.headers["location"])
    asked = parse_qs(there.query)
    assert (answer.status_code, there.netloc, there.path) == (303, "", "/login")
    assert asked["next"] == [back]
    assert asked.get("lang") == (["it"] if "lang=it" in path else None)
    page = client.get(answer.headers["location"]).text
    assert f'<html lang="{"it" if "lang=it" in path else "ru"}"' in page


PRIVATE = [
    ("GET", "/api/tables/3/service", Role.ADMIN),
    ("POST", "/api/tables/3/commissioning", Role.ADMIN),
    ("POST", "/api/tables/3/threshold", Role.ADMIN),
    ("POST", "/api/tables/3/selftest", Role.ADMIN),
    ("GET", "/api/admin", Role.ADMIN),
    ("POST", "/api/admin/backup", Role.ADMIN),
    ("POST", "/api/admin/pins/3", Role.ADMIN),
    ("GET", "/api/tables/3/sheet", Role.PLAYER),
    ("POST", "/api/tables/3/commands", Role.PLAYER),
    ("GET", "/api/stream?sheet=1&tables=3", Role.PLAYER),
]


@pytest.mark.parametrize(("method", "path", "least"), PRIVATE)
def test_who_may_ask_for_what(client: TestClient, method: str, path: str, least: Role) -> None:
    """What is the administrator's is refused to the referee of that very table, and everything private to a viewer."""
    headers = {"content-type": "application/json"} if method == "POST" else {}
    assert client.request(method, path, headers=headers).status_code == 401
    assert client.post("/api/login", json={"table": "3", "pin": "246810"}).status_code == 200
    if least is Role.ADMIN:
        refused = client.request(method, path, headers=headers)
        assert (refused.status_code, refused.json()["code"]) == (403, "role")
    elsewhere = client.request(method, path.replace("3", "7"), headers=headers)
    assert elsewhere.status_code == 403


def test_every_data_address_of_the_service_page_is_the_administrators_as_the_page_is(referee: TestClient) -> None:
    """HUB.md: the page of a role; its data are not open to a lower one."""
    assert referee.get("/service/3", follow_redirects=False).status_code == 303
    told = referee.get("/api/openapi.json").json()["paths"]
    service = [
        path for path in told if path.rsplit("/", 1)[-1] in ("service", "commissioning", "threshold", "selftest")
    ]
    assert len(service) == 4
    for path in service:
        (operation,) = told[path].values()
        assert "administrators" in operation["summary"], path
        assert "403" in operation["responses"]


def test_a_guessable_session_key_is_refused() -> None:
    """Fewer than 16 bytes do not sign sessions; an unknown language is named."""
    with pytest.raises(ValueError, match="at least 16 bytes"):
        WebSecrets(b"short", "", {})
    with pytest.raises(ValueError, match="'de'"):
        WebSettings(language="de")


def _post(app: Any, chunks: list[dict[str, Any]], headers: dict[str, str], wait: float = 0.0) -> dict[str, Any]:
    """The first message of the answer to a POST whose body comes in these ASGI messages."""
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        if not chunks:
            await asyncio.sleep(wait)
            return {"type": "http.disconnect"}
        return chunks.pop(0)

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": "POST",
        "path": "/api/login",
        "raw_path": b"/api/login",
        "query_string": b"",
        "headers": [
            (name.encode(), value.encode())
            for name, value in {"host": "localhost", "content-type": "application/json", **headers}.items()
        ],
        "client": ("10.0.0.9", 1),
        "server": ("localhost", 80),
        "scheme": "http",
        "http_version": "1.1",
    }
    asyncio.run(app(scope, receive, send))
    return sent[0]


def test_a_request_that_is_broken_off_is_no_fault(client: TestClient) -> None:
    """A tablet that goes to sleep while it sends: answered with 400 (nobody hears it), no exception in the log."""
    chunk = {"type": "http.request", "body": b'{"tab', "more_body": True}
    assert _post(client.app, [chunk], {})["status"] == 400


def test_a_body_that_says_it_is_huge_is_not_waited_for(client: TestClient) -> None:
    """413 before a single byte of it is read, and the connection ends with it."""
    answer = _post(client.app, [], {"content-length": "9000000000"}, wait=3600)
    assert answer["status"] == 413
    assert (b"connection", b"close") in [(name.lower(), value) for name, value in answer["headers"]]


def test_a_body_that_does_not_come_is_given_up(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that sends a byte now and then holds nothing for ever."""
    monkeypatch.setattr("marker_hub.web.bodies.BODY_S", 0.01)
    chunk = {"type": "http.request", "body": b"{", "more_body": True}
    assert _post(client.app, [chunk], {}, wait=3600)["status"] == 408


def test_a_logout_outlives_the_hub_and_what_is_kept_of_it_does_not_grow(tmp_path: Path) -> None:
    """The cookie of a session that was ended opens nothing after a restart either; ended sessions are forgotten when they are over."""
    now = [1_000_000.0]
    file = tmp_path / "revoked.json"

    def started() -> Authority:
        return Authority(SECRETS, clock=lambda: now[0], revoked=Revoked(file))

    first = started()
    session = first.grant(NOBODY, "3", Role.REFEREE)
    cookie = first.seal(session)
    assert started().open(cookie) == session
    first.revoke(session)
    assert first.open(cookie) == NOBODY
    assert started().open(cookie) == NOBODY
    assert file.stat().st_mode & 0o077 == 0
    now[0] += SESSION_S + 1
    later = started()
    later.revoke(later.grant(NOBODY, "3", Role.REFEREE))
    assert session.id not in file.read_text()
    file.write_text("broken")
    assert started().open(later.seal(later.grant(NOBODY, "3", Role.REFEREE))) != NOBODY
