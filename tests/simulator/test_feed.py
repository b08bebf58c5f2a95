"""Feeds: what was recorded is played again byte for byte, a changed file is refused by its line, and the score is that of the table."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from marker_hardware.data import resource
from marker_sim.feed import Armed, Entered, Feed, FeedError, Frames, Header, Recorder, Ruled, parse, read
from marker_sim.feedplay import play_alone, record, regenerated
from marker_sim.hubserver import named_feed
from marker_sim.sensors.inputs import Edge, Hold, Scan

pytestmark = pytest.mark.timeout(600)  # only against hanging: the machine may be busy
MARKER = [sys.executable, "-m", "marker_hub", "sim", "feed"]
COMMITTED = sorted(item.name for item in resource("feeds").iterdir())


def small() -> Recorder:
    made = Recorder(Header("five-pins", "carom5", "1", 3, "0" * 64))
    made.entered("match_start", {"game": "five-pins", "players": {"A": {"name": "Ёжиков"}}})
    made.feed([Scan(0, (0, 0, 1500) * 5), Hold(10_000, 70), Edge(60_000, 16, 1, 900), Edge(69_000, 16, 0)], 900_000)
    made.armed()
    made.ruled({"short": "A+2", "next": "B"})
    return made


def test_steps_come_back_as_they_went_in() -> None:
    feed = parse(small().text().splitlines(), "x")
    assert [type(step) for step in feed.steps] == [Entered, Frames, Armed, Ruled]
    assert feed.steps[1] == Frames(
        (Scan(0, (0, 0, 1500) * 5), Hold(10_000, 70), Edge(60_000, 16, 1, 900), Edge(69_000, 16, 0)), 900_000
    )
    assert feed.record().text() == small().text()
    assert feed.rulings == ["A+2"]


def test_keys_are_sorted_and_nothing_but_the_steps_matters() -> None:
    other = Recorder(small().header)
    other.entered("match_start", {"players": {"A": {"name": "Ёжиков"}}, "game": "five-pins"})
    first = small().text().splitlines()[1]
    assert other.text().splitlines()[1] == first


@pytest.mark.parametrize("line", range(1, 11))
def test_a_changed_line_is_named(line: int) -> None:
    """Mutation: a digest over the whole file alone cannot say where."""
    lines = small().text().splitlines()
    assert len(lines) == 10
    changed = [*lines]
    changed[line - 1] = changed[line - 1].replace("0", "1", 1) if "0" in changed[line - 1] else "[]"
    if line == 1:  # the header belongs to what every digest covers: the first line after it no longer fits
        line = 2
    with pytest.raises(FeedError, match=f"line {line}:"):
        parse(changed, "x")


@pytest.mark.parametrize("cut", [0, 1, 5, 9])
def test_a_line_that_is_gone_is_noticed(cut: int) -> None:
    lines = small().text().splitlines()
    del lines[cut]
    with pytest.raises(FeedError, match="line"):
        parse(lines, "x")


def test_what_is_no_feed_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "x.feed.jsonl").write_text('{"format":"other"}\n{}\n')
    for file, named in ((tmp_path / "x.feed.jsonl", "line 1"), (tmp_path / "none.feed.jsonl", "none.feed.jsonl")):
        done = subprocess.run([*MARKER, "check", str(file)], capture_output=True, text=True, timeout=500)
        assert done.returncode == 2
        assert named in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1


def test_feeds_are_found_by_name() -> None:
    assert {name.removesuffix(".feed.jsonl") for name in COMMITTED} == {"five-pins-8", "free-pyramid-6"}
    assert named_feed("five-pins-8").header.game == "five-pins"
    with pytest.raises(FeedError, match="five-pins-8"):
        named_feed("five-pins-9")


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMITTED)
def test_a_recorded_feed_gives_its_score_through_broker_and_hub(name: str) -> None:
    """The bytes sent are the bytes recorded, and every ruling is the recorded one. Mutation: a hub that scores otherwise."""
    path = Path(str(resource("feeds", name)))
    feed = read(path)
    recorder = Recorder(feed.header)
    played = asyncio.run(play_alone(feed, recorder=recorder))
    assert played.differing == []
    assert played.rulings == len(feed.rulings) == int(name.rsplit("-", maxsplit=1)[-1].split(".", maxsplit=1)[0])
    assert recorder.text() == path.read_text(encoding="utf-8")
    last = next(step for step in reversed(feed.steps) if isinstance(step, Ruled))
    assert played.score == last.fields["score_after"]


@pytest.mark.slow
def test_a_recorded_feed_gives_its_score_through_the_firmware() -> None:
    played = asyncio.run(play_alone(named_feed("five-pins-8"), firmware=True))
    assert played.differing == []
    assert played.score == {"A": 12, "B": 3}


@pytest.mark.slow
def test_a_feed_with_another_ruling_is_found_out(tmp_path: Path) -> None:
    feed = named_feed("free-pyramid-6")
    steps = list(feed.steps)
    last = steps.pop()
    assert isinstance(last, Ruled)
    steps.append(Ruled("B+2", {**last.fields, "short": "B+2"}))
    Feed(feed.header, tuple(steps)).record().write(tmp_path / "wrong.feed.jsonl")
    done = subprocess.run(
        [*MARKER, "play", str(tmp_path / "wrong.feed.jsonl"), "--json"], capture_output=True, text=True, timeout=500
    )
    assert done.returncode == 1, done.stderr
    assert "B+2" in json.loads(done.stdout)["differing"][0]


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.feed.jsonl"
    for game in ("five-pins", "dynamic-pyramid"):
        done = subprocess.run(
            [*MARKER, "record", game, str(path), "--seed", "8", "--shots", "4"],
            capture_output=True,
            text=True,
            timeout=500,
        )
        assert done.returncode == 0, done.stderr
        assert asyncio.run(regenerated(read(path))) == path.read_text(encoding="utf-8")


def test_recording_needs_a_place(tmp_path: Path) -> None:
    with pytest.raises(FeedError, match="nowhere"):
        small().write(tmp_path / "nowhere" / "x.feed.jsonl")
    assert asyncio.iscoroutinefunction(record)
