"""The JSON interface: what it answers, and that its description is true."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from page_fakes.hub import FakeHub
from starlette.routing import Route
from starlette.testclient import TestClient

from marker_hub.commands import Command
from marker_hub.web import api
from marker_hub.web.assets import assets
from marker_hub.web.openapi import document
from marker_hub.web.port import CommandResult

REMEDY = (
    "docs/developer/openapi.json is old; write it anew: python -m marker_hub.web.openapi docs/developer/openapi.json"
)


def test_the_result_of_a_command_is_the_hubs(referee: TestClient, hub: FakeHub) -> None:
    """409 with the fresh view and 422 with its reason pass through unchanged; the role travels with the command."""
    results = iter(
        [CommandResult(409, {"code": "stale", "view": {"n": 7}}), CommandResult(422, {"code": "no", "text": "why"})]
    )
    hub.answer = lambda *_: next(results)
    stale = referee.post("/api/tables/3/commands", json={"kind": "accept", "key": "a", "seen": 1})
    assert (stale.status_code, stale.json()["view"]) == (409, {"n": 7})
    refused = referee.post("/api/tables/3/commands", json={"kind": "accept", "key": "b", "seen": 1})
    assert (refused.status_code, refused.json()) == (422, {"code": "no", "text": "why"})
    assert {command["role"] for command in hub.commands} == {"referee"}


def test_the_sheet_of_a_closed_shot_can_be_asked_for(referee: TestClient) -> None:
    """`?shot=` takes a number and nothing else."""
    assert referee.get("/api/tables/3/sheet").status_code == 200
    assert referee.get("/api/tables/3/sheet?shot=41").status_code == 200
    assert referee.get("/api/tables/3/sheet?shot=x").json()["code"] == "shot"


def test_unknown_things_are_404_and_say_what_there_is(client: TestClient) -> None:
    """The answer names the thing and the choices."""
    assert "3, 7" in client.get("/api/tables/9").json()["text"]
    assert client.get("/api/matches/none").status_code == 404
    assert client.get("/api/stream?tables=9").status_code == 404
    assert client.get("/tables/9").status_code == 404


def test_assets_are_kept_for_good_under_their_build_only(client: TestClient) -> None:
    """A page names files by the build; an old address is served fresh and not kept."""
    page = client.get("/").text
    build = page.partition('data-build="')[2].partition('"')[0]
    kept = client.get(f"/static/{build}/js/lib/dom.js")
    assert "immutable" in kept.headers["cache-control"]
    assert kept.headers["content-type"].startswith("text/javascript")
    old = client.get("/static/000000000000/js/lib/dom.js")
    assert (old.status_code, old.headers["cache-control"]) == (200, "no-store")
    assert client.get(f"/static/{build}/../app.py").status_code == 404


def test_the_language_is_asked_chosen_or_the_clubs(client: TestClient) -> None:
    """Address before cookie before club; anything else is ignored."""
    assert '<html lang="ru"' in client.get("/").text
    assert '<html lang="it"' in client.get("/?lang=it").text
    assert '<html lang="ru"' in client.get("/?lang=xx").text
    client.cookies.set("marker_lang", "en")
    assert '<html lang="en"' in client.get("/").text


def test_the_description_names_every_address_and_every_command(client: TestClient) -> None:
    """OpenAPI is made from the code: paths as the application routes them, commands as the union knows them."""
    told: dict[str, Any] = client.get("/api/openapi.json").json()
    assert told == msgspec.json.decode(msgspec.json.encode(document()))
    file = Path(__file__).parents[3] / "docs" / "developer" / "openapi.json"
    assert told == msgspec.json.decode(file.read_bytes()), REMEDY
    routed = {route.path for route in client.app.routes if isinstance(route, Route) and route.path.startswith("/api/")}  # type: ignore[attr-defined]
    assert routed - {"/api/openapi.json"} == {path for path in told["paths"] if path.startswith("/api/")}
    arms = Command.__args__  # type: ignore[attr-defined]
    kinds = {told["components"]["schemas"][arm.__name__]["properties"]["kind"]["enum"][0] for arm in arms}
    assert {"accept", "answer", "call", "undo", "match_start", "amend"} <= kinds
    assert len(kinds) == len(arms)


def test_every_status_that_the_code_answers_with_is_in_both_descriptions() -> None:
    """The table of http.md and the interface's own document know each status that a refusal or a result can have."""
    used: set[int] = set()
    web = Path(api.__file__).parent
    for file in (*web.glob("*.py"), *(web.parent / "service").glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            named = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id
            if named in ("Refused", "CommandResult") and isinstance(node.args[0], ast.Constant):  # type: ignore[attr-defined]
                used.add(node.args[0].value)  # type: ignore[attr-defined]
    assert {400, 401, 403, 404, 408, 409, 413, 415, 421, 422, 429, 500, 503} <= used | {422}
    text = (Path(__file__).parents[3] / "docs" / "developer" / "http.md").read_text(encoding="utf-8")
    rows = {int(code) for row in re.findall(r"^\| ([\d, ]+) \|", text, re.MULTILINE) for code in row.split(",")}
    assert sorted(used - rows) == []
    told = {int(code) for path in document()["paths"].values() for one in path.values() for code in one["responses"]}
    assert sorted(used - told) == []


@pytest.mark.parametrize(
    ("path", "absent"),
    [
        ("/nope", "page"),
        ("/tables", "page"),
        ("/tables/3/nothing", "page"),
        ("/tables/99", "table"),
        ("/tables/99/referee", "table"),
        ("/tables/99/overlay.html", "table"),
        ("/service/99", "table"),
    ],
)
def test_an_address_that_leads_nowhere_says_what_there_is_not(client: TestClient, path: str, absent: str) -> None:
    page = client.get(path)
    assert page.status_code == 404
    assert f'data-absent="{absent}"' in page.text
    words = {lang: json.loads(assets().contents[f"locales/{lang}.json"]) for lang in ("ru", "en", "it")}
    assert all(words[lang]["missing"] != words[lang]["missing.page"] for lang in words)
    script = assets().contents["js/pages/missing.js"].decode()
    assert 'dataset.absent === "page" ? t("missing.page") : t("missing")' in script


def test_what_a_match_can_be_set_up_with(client: TestClient) -> None:
    """Each game has presets and switches with their clauses, in three languages."""
    games = client.get("/api/games").json()
    assert set(games) == {"five-pins", "free-pyramid", "dynamic-pyramid", "combined-pyramid"}
    for game in games.values():
        assert game["presets"]
        assert all(set(switch["meaning"]) == {"ru", "en", "it"} and switch["clauses"] for switch in game["switches"])


def test_health_is_503_when_the_hub_does_not_record(client: TestClient, hub: FakeHub) -> None:
    """So that a supervisor sees it."""
    assert client.get("/healthz").status_code == 200
    hub.health = lambda: {"ok": False}  # type: ignore[method-assign]
    assert client.get("/healthz").status_code == 503


def test_errors_of_the_interface_are_json_and_of_pages_a_page(client: TestClient) -> None:
    """An address nobody serves, a method nobody takes: `{code, text}` under /api, a page elsewhere; never plain text."""
    nowhere = client.get("/api/nosuch")
    assert (nowhere.status_code, nowhere.json()["code"]) == (404, "no-address")
    method = client.delete("/api/tables")
    assert (method.status_code, method.json()["code"]) == (405, "method")
    assert "GET" in method.headers["allow"]
    page = client.get("/nosuch")
    assert (page.status_code, 'data-page="missing"' in page.text) == (404, True)


def test_a_match_that_never_was_is_404(client: TestClient) -> None:
    """The page says so too, but a crawler or a monitor reads the status."""
    page = client.get("/matches/zz")
    assert (page.status_code, 'data-page="match"' in page.text) == (404, True)


def test_a_clause_is_told_in_its_own_words(client: TestClient) -> None:
    """In three languages, with its call; one that is not there is 404."""
    found = client.get("/api/clauses/FP-F.Z").json()
    assert found["id"] == "FP-F.Z"
    assert set(found["text"]) == set(found["call"]) == {"ru", "en", "it"}
    assert client.get("/api/clauses/RP-16").json()["text"]["it"]
    assert client.get("/api/clauses/RP-999").json()["code"] == "no-clause"


def test_administration_is_the_administrators(client: TestClient, referee: TestClient, hub: FakeHub) -> None:
    """A referee gets 403; a backup that fails is 503 with its reason; another PIN opens from now on."""
    del client
    asked = (
        ("post", "/api/admin/backup"),
        ("post", "/api/admin/pins/3"),
        ("post", "/api/tables/3/threshold"),
        ("post", "/api/tables/3/selftest"),
    )
    assert referee.get("/api/admin").status_code == 403
    assert {referee.request(how, where, json={}).status_code for how, where in asked} == {403}
    assert referee.post("/api/login", json={"token": "key-of-the-administrator"}).status_code == 200
    hub.backup_problem = "/mnt/nas: no space left"
    failed = referee.post("/api/admin/backup", json={})
    assert (failed.status_code, failed.json()["text"]) == (503, "/mnt/nas: no space left")
    pin = referee.post("/api/admin/pins/3", json={}).json()["pin"]
    referee.cookies.clear()
    assert referee.post("/api/login", json={"table": "3", "pin": pin}).status_code == 200
    assert referee.post("/api/tables/3/threshold", json={"mv": 200}).status_code == 403


def test_a_fault_of_the_hub_is_an_error_like_any_other(client: TestClient, hub: FakeHub) -> None:
    """`{code, text}` with 500; what happened is for the log, not for the page."""

    def broken() -> int:
        raise ZeroDivisionError("secret of the inside")

    hub.now_ms = broken  # type: ignore[method-assign]
    answer = TestClient(client.app, base_url="http://localhost", raise_server_exceptions=False).get("/api/tables")
    assert (answer.status_code, answer.json()["code"]) == (500, "fault")
    assert "secret" not in answer.text
