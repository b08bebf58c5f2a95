"""Same seed, same bytes: on every supported Python found here, under any hash seed; invariants hold on random shots."""

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from marker_sim import uniform
from marker_sim.physics.digest import golden
from marker_sim.physics.engine import Kind

ROOT = Path(__file__).parents[3]
GOLDEN = "67131ce1fa22c6bdac03fdad729a07b8ac0216c2219dcea9e9cb2fca428f4e80"
on_reference = pytest.mark.skipif(
    (sys.platform, platform.machine()) != ("linux", "x86_64"),
    reason="sin, cos and exp come from the C library: the hash is that of Linux x86-64",
)


@on_reference
def test_the_golden_hash() -> None:
    """Mutation: another order of the heap, a changed sub-stream, a set that is iterated."""
    assert golden() == GOLDEN


def other_pythons() -> list[str]:
    """Interpreters of the other supported versions on this machine: on the path, or beside this one."""
    found = {}
    homes = Path(sys.base_prefix).parent.glob("3.1[123].*/bin/python3")
    for path in (*map(str, homes), *(p for v in ("3.11", "3.12", "3.13") if (p := shutil.which(f"python{v}")))):
        said = subprocess.run(
            [path, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
            capture_output=True,
            text=True,
            check=False,
        )
        if said.returncode == 0 and said.stdout.strip() in {"3.11", "3.12", "3.13"}:
            found[said.stdout.strip()] = path
    found.pop(f"{sys.version_info[0]}.{sys.version_info[1]}", None)
    return sorted(found.values())


@on_reference
@pytest.mark.parametrize("python", other_pythons() or [sys.executable])
def test_every_python_gives_the_same(python: str) -> None:
    """The sources run with nothing installed; `borrowed` reads the data files. Mutation: `random.gauss`, whose stream differs."""
    borrowed = Path(__file__).parent / "borrowed.py"
    done = subprocess.run(
        [python, "-S", str(borrowed), str(ROOT)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == GOLDEN


@on_reference
def test_the_hash_seed_does_not_matter() -> None:
    """Mutation: iterating over a set of strings."""
    code = "from marker_sim.physics.digest import golden; print(golden(20))"
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        ).stdout
        for seed in ("1", "77")
    }
    assert len(said) == 1


@pytest.mark.parametrize(
    ("shot", "count"),
    [
        pytest.param(uniform.five_pins, 1_000, id="five-pins"),
        pytest.param(uniform.pyramid, 1_000, id="pyramid"),
        pytest.param(uniform.opening, 25, id="break"),
        pytest.param(uniform.five_pins, 10_000, id="five-pins-soak", marks=pytest.mark.soak),
        pytest.param(uniform.pyramid, 10_000, id="pyramid-soak", marks=pytest.mark.soak),
        pytest.param(uniform.opening, 1_000, id="break-soak", marks=pytest.mark.soak),
    ],
)
def test_the_invariants_hold_at_every_event(shot, count: int) -> None:  # type: ignore[no-untyped-def]
    """Energy, overlap, inside, conservation. Mutation: no new prediction for a ball that came to rest; no e = 0 for pushes."""
    contacts = 0
    for number in range(count):
        engine = shot(23, number, check=True)
        engine.run()
        contacts += sum(h.kind is Kind.BALL for h in engine.log)
    assert contacts > count / 4


def test_a_broken_law_is_noticed() -> None:
    """The guard itself: energy put in, a ball carried outside, two balls in one place. Mutation: a guard that only looks at the end."""
    from marker_sim.physics.invariants import SimulationError

    for spoil in ("energy", "outside", "overlap"):
        engine = uniform.five_pins(1, 3, check=True)
        original = engine._end_of_phase

        def spoiled(body, original=original, spoil=spoil, engine=engine):  # type: ignore[no-untyped-def]
            original(body)
            if spoil == "energy":
                body.wz += 50.0
            elif spoil == "outside":
                body.x = 2.0
            else:
                body.x, body.y = engine.bodies[1 - min(body.index, 1)].x, engine.bodies[1 - min(body.index, 1)].y

        engine._end_of_phase = spoiled  # type: ignore[method-assign]
        with pytest.raises(SimulationError):
            engine.run()
