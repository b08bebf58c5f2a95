"""`marker sim shot | view | match | stats` and `marker bench sim`, as a person calls them."""

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from marker_hardware.pinmap import Profile
from marker_hub.cli import main
from marker_rules.balls import GameId, Pin
from marker_rules.facts import Off, Pot, Restand, Topple
from marker_sim.matchplay import Matchplay
from marker_sim.physics.table import shipped

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("game", list(GameId))
def test_a_shot_is_explained(game: GameId, capsys: pytest.CaptureFixture[str]) -> None:
    """Facts and sensor edges in time order, then the ruling. Mutation: sensors sorted after facts."""
    assert main(["sim", "shot", game.value, "--seed", "5", "--shot", "2", "--explain", "--check"]) == 0
    out = capsys.readouterr().out
    times = [float(match) for match in re.findall(r"^ *([\d.]+) ms", out, re.MULTILINE)]
    assert times == sorted(times)
    assert "strike" in out
    assert "sensor  click rises" in out
    assert "all balls at rest" in out
    assert "ruling: " in out


def test_the_same_shot_is_the_same_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Mutation: a seed that is not used."""
    said = []
    for seed in ("5", "5", "6"):
        assert main(["sim", "shot", "five-pins", "--seed", seed, "--json"]) == 0
        said.append(json.loads(capsys.readouterr().out))
    assert said[0] == said[1] != said[2]
    assert {"facts", "ruling", "launch"} <= set(said[0])


@pytest.mark.parametrize("game", [GameId.FIVE_PINS, GameId.DYNAMIC])
def test_a_shot_is_drawn(game: GameId, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Ways inside the picture, contacts numbered from 1, a row a channel. Mutation: y upside down off the table."""
    file = tmp_path / "shot.svg"
    assert main(["sim", "shot", game.value, "--seed", "3", "--shot", "1", "--svg", str(file)]) == 0
    capsys.readouterr()
    root = ET.fromstring(file.read_text(encoding="utf-8"))
    width, height = map(float, root.attrib["viewBox"].split()[2:])
    lines = root.findall(f"{SVG}polyline")
    assert lines
    for line in lines:
        for point in line.attrib["points"].split():
            x, y = map(float, point.split(","))
            assert 0 < x < width
            assert 0 < y < height
    texts = ["".join(node.itertext()) for node in root.findall(f"{SVG}text")]
    assert "click" in texts
    assert any(text.startswith(("1ball", "1cushion")) for text in texts)
    assert ("pins" in texts) == (game is GameId.FIVE_PINS)


def test_a_page_plays_the_shot_by_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One file, nothing loaded from anywhere; ways end where the balls lie. Mutation: a script from a server."""
    file = tmp_path / "shot.html"
    assert main(["sim", "view", "five-pins", "--seed", "5", "--out", str(file)]) == 0
    capsys.readouterr()
    text = file.read_text(encoding="utf-8")
    assert not re.search(r"(src|href)\s*=\s*[\"']?https?:", text)
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found
    data = json.loads(found.group(1))
    balls = [body for body in data["bodies"] if body["ball"]]
    assert [ball["name"] for ball in balls] == ["cue", "opponent", "red"]
    for ball in balls:
        times = [row[0] for row in ball["way"]]
        assert times == sorted(times)
        assert times[-1] <= data["end"] + 1e-6


def test_a_match_is_played_to_its_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The truth file has a line a shot. Mutation: the last shot missing."""
    file = tmp_path / "truth.jsonl"
    words = [
        "sim",
        "match",
        "five-pins",
        "--points",
        "12",
        "--games",
        "1",
        "--sink",
        "file",
        "--out",
        str(file),
        "--json",
    ]
    assert main(words) == 0
    result = json.loads(capsys.readouterr().out)
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert [line["shot"] for line in lines] == list(range(1, result["shots"] + 1))
    assert sum(result["won"].values()) == 1
    facts = [fact for line in lines for fact in line["facts"]]
    assert all(speed >= 0 for _, _, speed, _ in facts)
    met = [place for _, words, speed, place in facts if words.startswith("contact") and speed > 0]
    assert met
    assert all(abs(x) < 1420 and abs(y) < 710 for x, y in met), "millimetres from the centre of the bed"


def test_the_truth_says_where_everything_lay_in_the_end() -> None:
    """Five-pins: felled pins lie, the others stand on their seats; pyramid: what was potted is gone.

    Mutation: the places before the stroke, the opponent's ball for the striker's, a felled pin that stands.
    """
    played = Matchplay.new(GameId.FIVE_PINS, 8)
    seats, fell = shipped(Profile.CAROM5).pins, 0
    for shot, _ in zip(played.shots(), range(40), strict=False):
        end, places = json.loads(shot.line())["final"], played.players.places  # type: ignore[attr-defined]
        names = {"cue": shot.striker.value, "opponent": shot.striker.other.value, "red": "red"}
        for ball, at in end["balls"].items():
            place = places[names[ball]]
            assert (at is None) == (place is None)
            assert at is None or at == pytest.approx([1000 * place[0], 1000 * place[1]], abs=0.06)
        felled = {pin for item in shot.timeline.items if isinstance(item.fact, Topple) for pin in item.fact.pins}
        restood = {item.fact.pin for item in shot.timeline.items if isinstance(item.fact, Restand)}
        for pin in Pin:
            at, stands, slid = end["pins"][pin.value]
            assert stands == (pin in shot.before.pins and pin not in felled - restood)
            seat = [1000 * seats[pin][0], 1000 * seats[pin][1]]
            assert (at is None) == (pin not in shot.before.pins)
            assert at is None or (at == pytest.approx(seat, abs=0.06)) == stands
            assert slid >= 0
        fell += len(felled)
    assert fell > 5
    potted = 0
    for shot, _ in zip(Matchplay.new(GameId.FREE, 8).shots(), range(12), strict=False):
        balls = json.loads(shot.line())["final"]["balls"]
        gone = {item.fact.ball.value for item in shot.timeline.items if isinstance(item.fact, Pot | Off)}
        assert all(balls[ball] is None for ball in gone)
        assert len([at for at in balls.values() if at is not None]) == shot.before.table.balls - len(gone)
        potted += len(gone)
    assert potted


def test_statistics_say_what_they_counted(capsys: pytest.CaptureFixture[str]) -> None:
    """Mutation: shares above 1, percentiles out of order."""
    assert main(["sim", "stats", "--shots", "60", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["five-pins"]["shots"], found["pyramid"]["shots"], found["break"]["shots"]) == (60, 18, 1)
    soft = found["five-pins"]["cushions_softer_than"]
    assert 0.0 < soft["0.26 m/s"] < soft["0.53 m/s"] < 1.0
    rest = found["five-pins"]["last_contact_to_rest_s"]
    assert rest["p5"] < rest["p50"] < rest["p95"] <= rest["p99"]


def test_the_speed_is_measured_beside_a_loop(capsys: pytest.CaptureFixture[str]) -> None:
    """At least 2,000 times real time with sensors, and the other keys. Mutation: a fixed time step."""
    assert main(["bench", "sim", "--size", "60", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    keys = (
        "five_pins_times_real_time",
        "five_pins_shots_per_s",
        "pyramid_shots_per_s",
        "break_shots_per_s",
        "baseline_loop",
    )
    assert all(found[key] > 0 for key in keys)
    assert found["five_pins_times_real_time"] >= 2000


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["sim", "shot", "five-pins", "--shot", "0"], "--shot 0"),
        (["sim", "shot", "five-pins", "--svg", "/proc/none/x.svg"], "/proc/none/x.svg"),
        (["sim", "shot", "five-pins", "--params", "/proc/none.toml"], "/proc/none.toml"),
        (["sim", "shot", "five-pins", "--table", "/proc/none.toml"], "/proc/none.toml"),
        (["sim", "match", "five-pins", "--sink", "file"], "--out"),
        (["sim", "match", "five-pins", "--games", "2"], "odd"),
        (["sim", "stats", "--shots", "0"], "--shots 0"),
        (["sim", "match", "free-pyramid", "--points", "5"], "--points"),
        (["sim", "batch", "five-pins", "--shots", "1", "--out", "/proc/none"], "--out /proc/none"),
        (["demo", "--race-to", "3"], "--race-to"),
        (["demo", "--game", "combined-pyramid", "--games", "3"], "--games"),
        (["demo", "--fault", "hub-kill@0"], "hub-kill@0"),
        (["demo", "--fault", "hub-kill@\N{SUPERSCRIPT TWO}"], "hub-kill@"),
        (["perft", "five-pins", "--contacts", "1", "--pins", ","], "--pins ,"),
    ],
)
def test_bad_input_is_one_line(words: list[str], named: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit status 2, the option named. Mutation: a traceback."""
    assert main(words) == 2
    said = capsys.readouterr().err.strip()
    assert named in said
    assert len(said.splitlines()) == 1


def test_more_tables_than_a_machine_bears_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["demo", "--tables", "1000"])
    assert ended.value.code == 2
    assert "1 to 64" in capsys.readouterr().err


def test_another_table_and_other_parameters_are_played(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Slower cloth ends a shot sooner; a table of another profile is refused. Mutation: the options ignored."""
    from marker_hardware.data import resource
    from marker_sim.physics import params

    slow = tmp_path / "slow.toml"
    text = (Path(params.__file__).parent / "params.toml").read_text(encoding="utf-8")
    slow.write_text(text.replace("roll     = { v = 0.010", "roll     = { v = 0.030"), encoding="utf-8")
    rest = []
    for more in ([], ["--params", str(slow)]):
        assert main(["sim", "shot", "five-pins", "--seed", "5", "--skill", "beginner", "--json", *more]) == 0
        rest.append(json.loads(capsys.readouterr().out)["rest_ns"])
    assert rest[1] < 0.7 * rest[0]
    pyramid = str(resource("hardware", "tables", "pyramid12.toml"))
    assert main(["sim", "shot", "free-pyramid", "--table", pyramid, "--json"]) == 0
    capsys.readouterr()
    assert main(["sim", "shot", "five-pins", "--table", pyramid]) == 2
    assert "carom5" in capsys.readouterr().err
