"""The pytest plugin as somebody else uses it: an own project, own tests, fixtures that come with the package."""

import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

USES = """
def test_score(hub_server, table_feed):
    played = hub_server.play(table_feed("five-pins-8"))
    assert played.good
    view = hub_server.get("/api/tables/1")
    assert {side: view["players"][side]["score"] for side in "AB"} == played.score == {"A": 12, "B": 3}
    again = hub_server.play(table_feed("free-pyramid-6"))
    assert (again.rulings, again.differing) == (6, [])


def test_another_hub_knows_nothing_of_it(hub_server):
    assert hub_server.get("/api/tables/1")["phase"] == "idle"
    assert hub_server.url.startswith("http://127.0.0.1:")


def test_wrong(table_feed):
    import pytest

    with pytest.raises(ValueError, match="five-pins-8"):
        table_feed("snooker")
"""


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_project_of_somebody_else(tmp_path: Path) -> None:
    """Mutation: a hub left running, a fixture that keeps state, a feed that is not found."""
    (tmp_path / "test_theirs.py").write_text(USES)
    known = any(point.value == "marker_sim.pytest_plugin" for point in entry_points(group="pytest11"))
    plugin = [] if known else ["-p", "marker_sim.pytest_plugin"]  # an environment installed before the plugin was
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error", *plugin, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=580,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 passed" in done.stdout


def test_the_plugin_is_announced() -> None:
    import tomllib

    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["pytest11"] == {"marker": "marker_sim.pytest_plugin"}
