"""The conformance suite through `marker adjudicate`: every scenario holds, in every language, and refusals are precise."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from marker_hub.cli import main
from marker_hub.scenario_files import Broken, read_scenarios
from marker_rules.catalogue import LANGUAGES
from marker_rules.scenario import Outcome, ScenarioError, compare, judge_scenario

SUITE = Path(__file__).parent
FILES = sorted(
    path for path in SUITE.glob("*.yaml") if not path.name.endswith("perft.yaml") and path.name != "reports.yaml"
)


def load(path: Path) -> list[dict[str, Any]]:
    with path.open("rb") as stream:
        return [raw for _, raw in read_scenarios(stream, path.name, lines=False)]


SCENARIOS = [raw for path in FILES for raw in load(path)]
JUDGED = [raw for raw in SCENARIOS if raw["kind"] != "prose"]
FIVE_PINS = [raw for raw in JUDGED if raw["game"] == "five-pins" and raw["kind"] != "evidence"]


def judged(raw: dict[str, Any], lang: str = "en") -> Outcome:
    return judge_scenario(raw, lang)


@pytest.mark.parametrize("raw", JUDGED, ids=lambda raw: raw["id"])
def test_scenario(raw: dict[str, Any]) -> None:
    outcome = judged(raw)
    assert outcome.ok, outcome.mismatch
    assert outcome.result["explain"]
    assert isinstance(outcome.result["clauses"], list)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_scenario_is_explained_in_every_language(lang: str) -> None:
    """The result is the same, only the sentence differs; Russian ones are Cyrillic, the others are not."""
    for raw in FIVE_PINS:
        english, other = judged(raw).result, judged(raw, lang).result
        assert {k: v for k, v in english.items() if k != "explain"} == {
            k: v for k, v in other.items() if k != "explain"
        }
        cyrillic = any("а" <= letter <= "я" for letter in other["explain"].lower())
        assert cyrillic == (lang == "ru"), other["explain"]
        assert other["explain"].endswith(".")


def test_prose_is_not_judged() -> None:
    prose = [raw for raw in SCENARIOS if raw["kind"] == "prose"]
    assert prose
    assert all(judged(raw).ok is None for raw in prose)


def test_a_wrong_expectation_is_reported() -> None:
    raw = next(raw for raw in FIVE_PINS if raw["id"] == "FP-S011")
    wrong = {**raw, "expect": {**raw["expect"], "points": {"A": 15, "B": 0}, "respot": ["N"], "ball_in_hand": 0}}
    outcome = judged(wrong)
    assert outcome.ok is False
    assert {m.field for m in outcome.mismatch} == {"points", "respot", "ball_in_hand"}
    assert next(m for m in outcome.mismatch if m.field == "points").got == {"A": 16, "B": 0}


def test_nothing_expected_is_neither_right_nor_wrong() -> None:
    raw = dict(FIVE_PINS[0])
    del raw["expect"]
    assert judged(raw).ok is None


@pytest.mark.parametrize(
    ("expected", "got", "agree"),
    [
        ({"respot": ["N", "C"]}, {"respot": ["C", "N"]}, True),
        ({"respot": ["N", "N"]}, {"respot": ["N"]}, True),
        ({"components": [["side", 2], ["side", 2]]}, {"components": [["side", 2]]}, False),
        ({"components": [["foul.G", 2], ["side", 2]]}, {"components": [["side", 2], ["foul.G", 2]]}, True),
        ({"openers": ["A", "B"]}, {"openers": ["B", "A"]}, False),
        ({"winner": None}, {"winner": None}, True),
        ({"winner": None}, {}, False),
        ({"ball_in_hand": True}, {"ball_in_hand": 1}, False),
        ({"questions_at_most": 3}, {"questions_at_most": 2}, True),
        ({"questions_at_most": 1}, {"questions_at_most": 2}, False),
    ],
)
def test_comparison(expected: dict[str, Any], got: dict[str, Any], agree: bool) -> None:
    assert (compare(expected, got) == ()) is agree


GOOD = {
    "id": "X1",
    "game": "five-pins",
    "kind": "shot",
    "before": {"striker": "A", "score": {"A": 0, "B": 0}, "limit": 50, "mode": "normal", "pins": ["C", "N", "E", "S", "W"]},
    "facts": ["strike cue", "contact cue opponent"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"id": None}, "id"),
        ({"kind": "stroke"}, "kind"),
        ({"kind": "clock"}, "kind"),
        ({"game": "pool"}, "game"),
        ({"before": "none"}, "before"),
        ({"before": {"striker": "C", "limit": 50}}, "before.striker"),
        ({"facts": "strike cue"}, "facts"),
        ({"facts": ["strike cue", "smash red"]}, "facts[1]"),
        ({"facts": ["strike cue", 7]}, "facts[1]"),
        ({"facts": ["strike cue", "topple N by cue", "topple N by cue"]}, "facts[2]"),
        ({"options": {"stacking": "both"}}, "options.stacking"),
        ({"options": {"gravity": 9}}, "options.gravity"),
        ({"options": {"breaks": {"4": [2]}}}, "options.breaks"),
        ({"calls": [{"foul": "Z", "by": "C"}]}, "calls[0].by"),
        ({"calls": [{"foul": "Z", "by": "A"}, {"foul": "", "by": "A"}]}, "calls[1].foul"),
        ({"calls": ["Z"]}, "calls[0]"),
        ({"calls": [{"foul": "Z", "by": "A", "when": "later"}]}, "calls[0].when"),
        ({"calls": [{"foul": "Y", "by": "A"}]}, "call"),
        ({"calls": [{"foul": "Z", "by": ["A"]}]}, "calls[0].by"),
        ({"calls": [{"foul": "Z", "by": {"A": 1}}]}, "calls[0].by"),
        ({"calls": [{"foul": "Z", "by": "A", "when": ["during"]}]}, "calls[0].when"),
        ({"calls": [{"foul": ["Z"], "by": "A"}]}, "calls[0].foul"),
        ({"expect": [1]}, "expect"),
        ({"expekt": {"winner": None}}, "expekt"),
        ({7: "x"}, "7"),
        ({"kind": "prose", "expekt": {}}, "expekt"),
        ({"kind": "evidence", "facts": [], "observations": ["pin N", "noise"]}, "observations[1]"),
        ({"before": {"striker": "A", "limit": 50, "wind": 3}}, "before.wind"),
    ],
)
def test_a_malformed_scenario_names_the_field(change: dict[str, Any], field: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        judge_scenario({**GOOD, **change})
    assert caught.value.field == field


def test_what_is_no_scenario_at_all() -> None:
    for raw in (None, [], "text", 3):
        with pytest.raises(ScenarioError):
            judge_scenario(raw)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"game": "free-pyramid", "before": {"table": 3}}, "before.table: 3; give total or whites"),
        ({"game": "free-pyramid", "before": {"table": {"whites": 99}}}, "before.table.whites: 99 is no whole number"),
        ({"before": {"striker": "C", "limit": 50}}, "before.striker: 'C' is not one of"),
        ({"before": {"striker": "A", "wind": 3}}, "before.wind: is not known"),
        ({"kind": "evidence", "observations": ["noise"]}, "observations[0]: observation 1 'noise'"),
    ],
)
def test_a_place_is_said_once(change: dict[str, Any], said: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        judge_scenario({**GOOD, **change})
    assert str(caught.value).startswith(said)


ODD = (None, True, -1, 1.5, 10**400, float("inf"), float("nan"), "", "x" * 5_000, ["A"] * 5_000, {"A": ["B"]}, b"A")


def variants(value: Any) -> Iterator[Any]:
    """The same data with one part of it replaced by something odd, for every part."""
    yield from ODD
    if isinstance(value, dict):
        for key, part in value.items():
            yield from ({**value, key: other} for other in variants(part))
        yield {**value, "x" * 5_000: 1}
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from ([*value[:index], other, *value[index + 1 :]] for other in variants(part))


def first_of_each_sort() -> list[dict[str, Any]]:
    found: dict[tuple[str, str, bool, bool], dict[str, Any]] = {}
    for raw in JUDGED:
        found.setdefault((raw["game"], raw["kind"], bool(raw.get("calls")), "referee" in raw), raw)
    return list(found.values())


@pytest.mark.parametrize("raw", first_of_each_sort(), ids=lambda raw: raw["id"])
def test_whatever_is_odd_in_a_scenario_is_refused_in_one_short_line(raw: dict[str, Any]) -> None:
    """Any part of any sort of scenario replaced by odd data: judged, or refused as malformed, never an error of ours."""
    refused = []
    for odd in variants({key: part for key, part in raw.items() if key != "expect"}):
        try:
            judge_scenario(odd)
        except ScenarioError as problem:
            refused.append(str(problem))
    assert len(refused) > len(ODD)
    assert max(map(len, refused)) < 700


# --- the command ------------------------------------------------------------------------------------------------------


def adjudicate(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, list[dict[str, Any]], str]:
    status = main(["adjudicate", *args])
    out, err = capsys.readouterr()
    return status, [json.loads(line) for line in out.splitlines()], err


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_five_pins_files_hold(capsys: pytest.CaptureFixture[str], lang: str) -> None:
    files = [str(SUITE / name) for name in ("five-pins-shots.yaml", "five-pins-other.yaml")]
    status, lines, err = adjudicate(capsys, "--lang", lang, *files)
    assert (status, err) == (0, "")
    assert [line["id"] for line in lines] == [raw["id"] for raw in load(Path(files[0])) + load(Path(files[1]))]
    assert all(line["ok"] for line in lines)
    assert all(set(line) == {"id", "ok", "result", "mismatch"} for line in lines)


def test_exit_status_1_on_a_mismatch(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    path.write_text(json.dumps({**GOOD, "expect": {"winner": "A"}}) + "\n", encoding="utf-8")
    status, lines, err = adjudicate(capsys, str(path))
    assert (status, err) == (1, "")
    assert lines[0]["mismatch"] == [{"field": "winner", "expected": "A", "got": None}]


def test_exit_status_2_and_one_line_a_malformed_scenario(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "some.jsonl"
    rows = [GOOD, {**GOOD, "id": "X2", "facts": ["smash cue"]}, {**GOOD, "id": "X3"}]
    path.write_text("\n".join([*map(json.dumps, rows), "{broken", ""]), encoding="utf-8")
    status, lines, err = adjudicate(capsys, str(path))
    assert (status, [line["id"] for line in lines]) == (2, ["X1", "X3"])
    complaints = err.splitlines()
    assert len(complaints) == 2
    assert "some.jsonl:2: X2: facts[0]: fact 1 'smash cue'" in complaints[0]
    assert "some.jsonl:4: not JSON" in complaints[1]
    assert "bytes" not in err


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (json.dumps({**GOOD, "calls": [{"foul": "Z", "by": ["A"]}]}), "X1: calls[0].by: ['A'] is not one of A, B"),
        ('{"id": "X1", "before": ' + "[" * 100_000 + "]" * 100_000 + "}", "nested too deeply"),
        (json.dumps({**GOOD, "expekt": {}}), "X1: expekt: is not a field of a scenario; there are answers, before,"),
        (json.dumps({**GOOD, "before": "x" * 5_000}), f"X1: before: expected a mapping, got '{'x' * 78}…"),
        ("[1]", "(no id): scenario: expected a mapping, got [1]"),
        (
            json.dumps({**GOOD, "referee": {"warned": True}}),
            "X1: referee.warned: is not a decision of the referee; five-pins knows none",
        ),
        (
            json.dumps(
                {"id": "X1", "game": "pyramid", "kind": "evidence", "referee": {"warned": True, "wanred": False}}
            ),
            "X1: referee.wanred: is not a decision of the referee; there are corrected, disturbed, house, on_line, push_check,",
        ),
    ],
    ids=["call", "deep", "key", "long", "list", "decision", "misspelt"],
)
@pytest.mark.parametrize("source", ["file", "standard input"])
def test_one_broken_scenario_does_not_stop_the_others(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    broken: str,
    said: str,
    source: str,
) -> None:
    text = "\n".join([json.dumps(GOOD), broken, json.dumps({**GOOD, "id": "X3"})])
    path = tmp_path / "some.jsonl"
    path.write_text(text, encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    status, lines, err = adjudicate(capsys, str(path) if source == "file" else "-")
    assert (status, [line["id"] for line in lines]) == (2, ["X1", "X3"])
    [complaint] = err.splitlines()
    place = f"{path if source == 'file' else source}:2"
    assert complaint.startswith(f"marker adjudicate: {place}: {said}")


def test_what_a_referee_can_decide_is_taken() -> None:
    """A warning that was not heeded is a foul; each of the other decisions may be named."""
    shot = {
        "id": "X1",
        "game": "free-pyramid",
        "kind": "shot",
        "before": {"striker": "A", "phase": "break"},
        "facts": ["strike C", "contact C w1", "pot w12 BR"],
    }
    decided = {"warned": True, "corrected": False, "push_check": "yes", "house": "w1", "unaided": "", "on_line": ""}
    heeded = judge_scenario({**shot, "referee": {**decided, "corrected": True, "disturbed": "no"}})
    ignored = judge_scenario({**shot, "referee": decided})
    assert (heeded.result["legal"], ignored.result["legal"]) == (True, False)


def test_a_deep_first_line_on_standard_input(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = '{"id": ' + "[" * 100_000 + "\n" + json.dumps(GOOD)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    status, lines, err = adjudicate(capsys, "-")
    assert (status, len(lines), err) == (2, 1, "marker adjudicate: standard input:1: nested too deeply\n")


def test_a_fault_of_the_program_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def faulty(raw: dict[str, Any], lang: str) -> Outcome:
        if raw["id"] == "X1":
            raise ZeroDivisionError("nobody\nthought of this")
        return judge_scenario(raw, lang)

    monkeypatch.setattr("marker_hub.cli.adjudicate.judge_scenario", faulty)
    path = tmp_path / "some.jsonl"
    path.write_text("\n".join(json.dumps({**GOOD, "id": name}) for name in ("X1", "X2")), encoding="utf-8")
    status, lines, err = adjudicate(capsys, str(path))
    assert (status, [line["id"] for line in lines]) == (2, ["X2"])
    assert err.startswith(f"marker adjudicate: {path}:1: X1: a fault of the program")
    assert "ZeroDivisionError: nobody thought of this" in err
    assert len(err.splitlines()) == 1


def test_an_expected_value_that_json_cannot_hold(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "some.yaml"
    path.write_text(
        f"- {json.dumps({**GOOD, 'expect': '*'})}\n- {json.dumps(GOOD)}".replace('"*"', "{winner: {true: 1}}"),
        encoding="utf-8",
    )
    status, lines, err = adjudicate(capsys, str(path))
    assert (status, len(lines)) == (2, 1)
    assert err == f"marker adjudicate: {path}: X1: expect: a value that JSON cannot hold in winner\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [("a: 1", "expected a list"), ("- [", "no YAML"), ("- {id: 1, id: 2}", "stands twice"), ("\x00", "no YAML")],
)
def test_a_file_that_cannot_be_read(capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(text, encoding="utf-8")
    good = tmp_path / "good.jsonl"
    good.write_text(json.dumps(GOOD), encoding="utf-8")
    status, lines, err = adjudicate(capsys, str(path), str(good), str(tmp_path / "none.yaml"))
    assert (status, len(lines)) == (2, 1)
    assert [words in err, "bad.yaml" in err, "none.yaml: cannot be read" in err] == [True] * 3
    assert len(err.splitlines()) == 2


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("as_lines", [True, False])
def test_standard_input(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, as_lines: bool, mark: str
) -> None:
    """JSON Lines and YAML are told apart by the first line, with or without a byte order mark."""
    text = mark + (f"{json.dumps(GOOD)}\n" * 2 if as_lines else json.dumps([GOOD, GOOD], indent=1))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    status, lines, err = adjudicate(capsys, "-")
    assert (status, len(lines), err) == (0, 2, "")


def test_yaml_words_keep_their_meaning() -> None:
    """Pins and answers are text: no booleans but true and false, no octal numbers, no dates."""
    text = b"- {pins: [N, Y, on, no, Yes], t: true, f: false, none: null, e: , n: 012, d: 2024-01-01, i: -3, x: 1.5}"
    [(_, raw)] = read_scenarios(io.BytesIO(text), "x", lines=False)
    assert raw == {
        "pins": ["N", "Y", "on", "no", "Yes"], "t": True, "f": False, "none": None, "e": None,
        "n": "012", "d": "2024-01-01", "i": -3, "x": 1.5,
    }  # fmt: skip


@pytest.mark.parametrize("ends", [b"\n", b"\r\n"])
@pytest.mark.parametrize("sniffed", [True, False])
def test_an_endless_line_is_refused_and_what_follows_is_judged(sniffed: bool, ends: bytes) -> None:
    """First, in the middle and last: each is refused by its number; no scenario beside it is passed over."""
    endless, good = b'{"id": "' + b"x" * 3_000_000 + b'"}', json.dumps(GOOD).encode()
    lines = [endless, good, endless, good, b"", endless]
    found = list(read_scenarios(io.BytesIO(ends.join(lines)), "x", lines=None if sniffed else True))
    assert [place for place, _ in found] == ["x:1", "x:2", "x:3", "x:4", "x:6"]
    assert [raw == GOOD for _, raw in found] == [False, True, False, True, False]
    assert all("longer than" in raw.reason for _, raw in found if isinstance(raw, Broken))


def test_a_list_on_one_line_may_be_long() -> None:
    text = json.dumps([GOOD] * 9000).encode()
    assert len(text) > 1_000_001
    assert len(list(read_scenarios(io.BytesIO(text), "x", lines=None))) == 9000


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *(("none.yaml", text) for text in ("", "\n\n", "[]", "# nothing", "null")),
        *(("none.jsonl", text) for text in ("", "\n\n")),
    ],
)
def test_an_input_without_a_scenario_is_no_success(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str, text: str
) -> None:
    """An empty input means that something before it went wrong; 0 would say that all hold."""
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    status, lines, err = adjudicate(capsys, str(path))
    assert (status, lines) == (2, [])
    assert (
        err == f"marker adjudicate: {path}: no scenario in it; give a YAML list of scenarios, or JSON Lines (.jsonl)\n"
    )


@pytest.mark.parametrize("name", ["", ".", "no\0name", "x" * 300])
def test_a_name_that_is_no_file_is_said_with_the_remedy(capsys: pytest.CaptureFixture[str], name: str) -> None:
    status, lines, err = adjudicate(capsys, name)
    assert (status, lines) == (2, [])
    assert err.endswith("; give a scenario file (YAML or .jsonl), or - for standard input\n")
    assert len(err) < 300
    assert err.startswith("marker adjudicate: ''" if not name else "marker adjudicate: ")


@pytest.mark.parametrize(
    "given",
    [
        {"games": 4, "opener1": "A", "results": []},
        {"games": 2, "opener1": "B", "results": ["A"]},
        {"games": 0, "opener1": "A", "results": []},
    ],
)
def test_an_even_number_of_games_is_refused_in_every_language(given: dict[str, Any]) -> None:
    raw = {"id": "M", "game": "five-pins", "kind": "match", "given": given, "expect": {"error": "odd"}}
    sentences = {judged(raw, lang).result["explain"] for lang in LANGUAGES}
    assert all(judged(raw, lang).ok for lang in LANGUAGES)
    assert len(sentences) == len(LANGUAGES)


@pytest.mark.parametrize(
    ("given", "options", "expected"),
    [
        ({"games": 3, "opener1": "A", "results": ["A", "B"]}, {}, {"winner": None, "openers": ["A", "B"], "breaks_after": [2]}),
        ({"games": 3, "opener1": "A", "results": ["A", "A", "B"]}, {"play_all": True}, {"winner": "A", "breaks_after": [2]}),
        ({"games": 3, "opener1": "A", "results": ["A", "A", "B"]}, {}, {"error": "over"}),
        ({"games": 3, "opener1": "A", "results": ["A:exclude", "B"]}, {}, {"error": "over"}),
        ({"games": 7, "opener1": "B", "results": list("ABABABA")}, {}, {"winner": "A", "breaks_after": [2, 6], "openers": list("BABABAB")}),
        ({"games": 5, "opener1": "A", "results": list("ABAB")}, {"breaks": {5: [1]}}, {"breaks_after": [1], "winner": None}),
        ({"games": 3, "opener1": "A", "results": list("ABA")}, {"decider_opening": "lag"}, {"openers": ["A", "B", "lag"]}),
        ({"games": 1, "opener1": "B", "results": ["A:forfeit"]}, {}, {"openers": ["B"], "winner": "A"}),
    ],
)  # fmt: skip
@pytest.mark.clause("FP-4.8")
@pytest.mark.clause("FP-2.4")
def test_matches(given: dict[str, Any], options: dict[str, Any], expected: dict[str, Any]) -> None:
    raw = {"id": "M", "game": "five-pins", "kind": "match", "given": given, "options": options, "expect": expected}
    outcome = judged(raw)
    assert outcome.ok, outcome.mismatch


@pytest.mark.clause("FP-3.10")
@pytest.mark.parametrize("opener", ["A", "B"])
def test_an_opener_whom_the_winner_of_the_lag_chose_cites_the_choice(opener: str) -> None:
    given: dict[str, Any] = {"games": 3, "opener1": opener, "results": ["A", "A"]}
    raw = {"id": "M", "game": "five-pins", "kind": "match", "given": given}
    assert "FP-3.10" not in judged(raw).result["clauses"]
    assert "FP-3.10" in judged({**raw, "given": {**given, "lag_winner": "A"}}).result["clauses"]


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"opener1": "A"}, "given.games"),
        ({"games": -3, "opener1": "A"}, "given.games"),
        ({"games": 3}, "given.opener1"),
        ({"games": 3, "opener1": "C"}, "given.opener1"),
        ({"games": 3, "opener1": "A", "results": ["C"]}, "given.results[0]"),
        ({"games": 3, "opener1": "A", "results": ["A:sleep"]}, "given.results[0]"),
        ({"games": 3, "opener1": "A", "sets": 3}, "given.sets"),
        ({"games": 3, "opener1": "A", "lag_winner": "X"}, "given.lag_winner"),
    ],
)
def test_a_malformed_match_names_the_field(given: dict[str, Any], field: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        judged({"id": "M", "game": "five-pins", "kind": "match", "given": given})
    assert caught.value.field == field
