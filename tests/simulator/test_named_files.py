"""Files that somebody names in `marker sim`: whatever is wrong with one is one line with place, value and remedy, status 2."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from marker_hub.cli import main
from marker_sim import feed
from marker_sim.feed import FeedError, parse
from marker_sim.physics import params

READERS = {
    "--params": ["sim", "shot", "five-pins", "--params"],
    "--params of a match": ["sim", "match", "five-pins", "--params"],
    "--params of a batch": ["sim", "batch", "five-pins", "--shots", "1", "--params"],
    "--table": ["sim", "shot", "five-pins", "--table"],
    "feed check": ["sim", "feed", "check"],
    "feed check --regenerate": ["sim", "feed", "check", "--regenerate"],
    "feed play": ["sim", "feed", "play"],
    "repeat": ["sim", "repeat"],
    "--faults": ["sim", "batch", "five-pins", "--shots", "1", "--faults"],
}
WRITERS = {
    "--svg": ["sim", "shot", "five-pins", "--svg"],
    "view --out": ["sim", "view", "five-pins", "--out"],
    "batch --out": ["sim", "batch", "five-pins", "--shots", "1", "--out"],
    "match --out": ["sim", "match", "five-pins", "--points", "2", "--games", "1", "--sink", "file", "--out"],
}
CONTENT = {
    "empty": b"",
    "no UTF-8": b"\xff\xfe\x00",
    "no syntax": b"= [",
    "another type": b"schema = 'one'\n",
    "a number": b"7",
    "nested": b"a = " + b"[" * 50_000,
    "nested JSON": b"[" * 50_000,
    "NUL": b"\0" * 64,
}


def one_line(words: list[str], name: str, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(words) == 2, words
    said = capsys.readouterr()
    lines = said.err.strip().splitlines()
    assert len(lines) == 1, lines
    assert lines[0].isprintable() or "\0" in name
    assert name in lines[0]
    assert ";" in lines[0] or ": give" in lines[0] or ": correct" in lines[0], "no remedy"


@pytest.mark.parametrize("reader", READERS)
def test_what_cannot_be_read(
    reader: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Missing, a folder, endless, unnameable, and files of every wrong content. Mutation: a traceback, or no end of memory."""
    monkeypatch.setattr(feed, "LARGEST", 1 << 20)
    for name in ("/none.toml", str(tmp_path), "/dev/zero", "/dev/full", "a\0b.toml"):
        one_line([*READERS[reader], name], name, capsys)
    for at, content in enumerate(CONTENT.values()):
        place = tmp_path / f"f{at}.toml"
        if reader == "repeat":
            place.mkdir()
            (place / "shot.json").write_bytes(content)
        else:
            place.write_bytes(content)
        if reader != "--faults" or content:  # an empty profile is one without faults
            one_line([*READERS[reader], str(place)], str(place), capsys)


@pytest.mark.parametrize("writer", WRITERS)
def test_what_cannot_be_written(writer: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Mutation: found out after the last shot, or a traceback."""
    (tmp_path / "file").write_text("")
    names = ["/proc/x/y", "a\0b", "n" * 300] + (
        ["/dev/full", str(tmp_path)] if writer != "batch --out" else [str(tmp_path / "file")]
    )
    for name in names:
        one_line([*WRITERS[writer], name], name, capsys)


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("schema = 1", "schema = 2", "schema = 2"),
        ("roll     = { v = 0.010", "roll     = { v = -0.010", "cloth.roll = -0.01"),
        ("roll     = { v = 0.010", "roll     = { v = nan", "cloth.roll = nan"),
        ("roll     = { v = 0.010", "roll     = { v = inf", "cloth.roll = inf"),
        ("roll     = { v = 0.010", "roll     = { v = '0'", "cloth.roll"),
        ("roll     = { v = 0.010", "rolls    = { v = 0.010", "rolls"),
    ],
)
def test_parameters_no_table_can_have(
    old: str, new: str, named: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (Path(params.__file__).parent / "params.toml").read_text(encoding="utf-8")
    assert old in text
    (tmp_path / "own.toml").write_text(text.replace(old, new), encoding="utf-8")
    one_line(["sim", "shot", "five-pins", "--params", str(tmp_path / "own.toml")], named, capsys)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"game": "snooker"}, "game = 'snooker'"),
        ({"game": ["five-pins"]}, "game = "),
        ({"shot": 0}, "shot = 0"),
        ({"shot": 101}, "shot = 101"),
        ({"shot": 1.5}, "shot = 1.5"),
        ({"shot": True}, "shot = True"),
        ({"unit_seed": "7"}, "unit_seed = '7'"),
        ({"unit_seed": -1}, "unit_seed = -1"),
        ({"through": None}, "through = None"),
        ({"sensors": "eyes"}, "sensors = 'eyes'"),
        ({"faults": 3}, "faults = 3"),
        ({"faults": "desing"}, "desing"),
        ({"referee": "drunk"}, "referee = 'drunk'"),
        ({"sloppy": 2}, "sloppy = 2"),
        ({"truth": []}, "truth = []"),
        ({"skill": "world"}, "skill = 'world'"),
        ({"params": "/none.toml"}, "/none.toml: No such file"),
        ({"table": 3}, "table = 3"),
    ],
)
def test_a_kept_shot_that_was_changed_by_hand(
    change: dict[str, Any], named: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = {"game": "five-pins", "through": "rules", "sensors": "hints", "faults": "", "unit_seed": 7, "shot": 1}
    (tmp_path / "shot.json").write_text(json.dumps({**kept, "truth": {}, "ruled": {}, **change}))
    one_line(["sim", "repeat", str(tmp_path)], named, capsys)


def test_a_kept_shot_of_before_the_referees_had_manners_is_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = {"game": "five-pins", "through": "rules", "sensors": "hints", "faults": "", "unit_seed": 7, "shot": 1}
    (tmp_path / "shot.json").write_text(json.dumps({**kept, "truth": {}, "ruled": {}}))
    assert main(["sim", "repeat", str(tmp_path)]) == 0
    assert "now    right" in capsys.readouterr().out


def sealed(header: dict[str, Any], *steps: list[Any]) -> list[str]:
    """The lines of a feed whose digests fit, whatever stands in it."""
    first = json.dumps(header, sort_keys=True, separators=(",", ":"))
    running, lines = hashlib.sha256(first.encode()), [first]
    for step in steps:
        running.update(json.dumps(step, separators=(",", ":")).encode())
        lines.append(json.dumps([*step, running.hexdigest()[:8]], separators=(",", ":")))
    footer = {"count": len(steps), "sha256": running.hexdigest()}
    return [*lines, json.dumps(footer, sort_keys=True, separators=(",", ":"))]


HEADER = {
    "format": "marker-feed",
    "v": 1,
    "game": "five-pins",
    "profile": "carom5",
    "table": "1",
    "seed": 3,
    "config": "0",
}


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"game": "snooker"}, "game = 'snooker'"),
        ({"game": 3}, "game = 3"),
        ({"profile": "pyramid"}, "profile = 'pyramid'"),
        ({"seed": "x"}, "seed = 'x'"),
        ({"seed": True}, "seed = True"),
        ({"table": None}, "table = None"),
        ({"more": 1}, "more = 1"),
        ({"v": 2}, "version 1"),
    ],
)
def test_a_feed_with_another_header(change: dict[str, Any], named: str) -> None:
    assert parse(sealed(HEADER), "x").header.seed == 3
    with pytest.raises(FeedError, match=named) as told:
        parse(sealed({**HEADER, **change}), "x")
    assert "x: line 1: " in str(told.value)


@pytest.mark.parametrize(
    "step",
    [
        ["f", "zz"],
        ["f", ""],
        ["f", "00"],
        ["f", 7],
        ["t", -1],
        ["t", 10**30],
        ["t", "soon"],
        ["c", "x"],
        ["r", 1, {}],
        ["q"],
    ],
)
def test_a_feed_with_a_step_that_is_none(step: list[Any]) -> None:
    """The digest fits: it was written so. Mutation: a traceback when it is played."""
    with pytest.raises(FeedError, match=r"x: line 2: .*; give a feed"):
        parse(sealed(HEADER, step), "x")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("fault = 3", "fault = 3"),
        ("fault = [3]", "fault = "),
        ("schedule = {}", "schedule = "),
        ('[[fault]]\nkind = "chatter"\ntimes = 1e9', "times = 1000000000.0"),
        ('[[fault]]\nkind = "late"\nmin_s = inf', "min_s = inf"),
        ('[[fault]]\nkind = "lost"\nrate = nan', "rate = nan"),
        ('[[fault]]\nkind = ["lost"]', "kind "),
    ],
)
def test_a_profile_of_faults_that_cannot_be(
    text: str, named: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "own.toml").write_text(text)
    one_line(["sim", "batch", "five-pins", "--shots", "1", "--faults", str(tmp_path / "own.toml")], named, capsys)
