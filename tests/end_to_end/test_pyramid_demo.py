"""The three games of pyramid the whole way: physics, pyramid board, broker, hub, and a referee at its public pages."""

import json
import subprocess
import sys

import pytest

pytestmark = pytest.mark.timeout(600)  # only against hanging: the machine may be busy
MARKER = [sys.executable, "-m", "marker_hub"]


@pytest.mark.slow
@pytest.mark.parametrize("game", ["free-pyramid", "dynamic-pyramid", "combined-pyramid"])
def test_sixty_shots_of_pyramid_are_right(game: str) -> None:
    """Mutation: pockets in another order, a respot forgotten, the wrong player after a choice."""
    words = ["demo", "--game", game, "--headless", "--json", "--seed", "11", "--shots", "60", "--speed", "max"]
    done = subprocess.run([*MARKER, *words], capture_output=True, text=True, timeout=580, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads(done.stdout.strip().splitlines()[-1])
    assert result["shots"] == 60
    assert (result["wrong_rulings"], result["lost"], result["duplicated"]) == (0, 0, 0)
    assert result["final_score"] == result["ground_truth_score"]


@pytest.mark.slow
def test_a_race_to_one_is_played_out() -> None:
    """`--race-to` ends the match with its first frame. Mutation: the option ignored."""
    words = [
        "sim",
        "match",
        "free-pyramid",
        "--race-to",
        "1",
        "--skill",
        "strong",
        "--seed",
        "3",
        "--sink",
        "mqtt",
        "--json",
    ]
    done = subprocess.run([*MARKER, *words], capture_output=True, text=True, timeout=580, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads(done.stdout.strip().splitlines()[-1])
    assert sorted(result["games"].values()) == [0, 1]
    assert result["wrong_rulings"] == 0
