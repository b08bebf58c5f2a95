"""Run the decks of hardware/sim with ngspice and read their CSV rows."""

import itertools
import math
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec

from marker_hardware.tree import Tree, Unavailable

FOLDER = "hardware/sim"
TIMEOUT_S = 120
WORKERS = 2
_AMPLITUDES = re.compile(r"^foreach amp .*$", re.MULTILINE)


class SpiceError(RuntimeError):
    """A deck did not give the rows it must: names deck, what came, and the last line of the simulator."""


class Deck(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many CSV rows a deck prints and what their columns are."""

    rows: int
    columns: tuple[str, ...]


class Corners(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Low and high value of every parameter that varies, and the burst amplitudes (V) simulated in a corner."""

    KR: tuple[float, float]
    KC: tuple[float, float]
    CP: tuple[float, float]
    F0: tuple[float, float]
    VCC: tuple[float, float]
    amplitudes: tuple[float, ...]

    def bursts(self) -> Iterator[dict[str, float]]:
        """The 16 corners of a burst: all R, C, disc and frequency; the supply is high where an even number of them is."""
        for picks in itertools.product((0, 1), repeat=4):
            names = ("KR", "KC", "CP", "F0")
            values = {name: getattr(self, name)[pick] for name, pick in zip(names, picks, strict=True)}
            yield values | {"VCC": self.VCC[1 - sum(picks) % 2]}

    def boards(self) -> Iterator[dict[str, float]]:
        """The 8 corners of decks that bring their own disc and no burst: all R, C and supply."""
        for kr, kc, vcc in itertools.product(self.KR, self.KC, self.VCC):
            yield {"KR": kr, "KC": kc, "VCC": vcc}


class Run(msgspec.Struct, frozen=True):
    """One simulator run to do: deck, parameters that replace the deck's, amplitudes (empty = the deck's own)."""

    deck: str
    parameters: dict[str, float] = {}
    amplitudes: tuple[float, ...] = ()


Row = dict[str, float]


def require() -> str:
    """Path of ngspice. Raises Unavailable naming the package."""
    found = shutil.which("ngspice")
    if found is None:
        raise Unavailable("ngspice is not installed; `apt-get install ngspice`")
    return found


def simulate(tree: Tree, decks: Mapping[str, Deck], runs: list[Run]) -> list[list[Row]]:
    """Rows of every run, in order, two runs at a time.

    Raises SpiceError when a deck prints another number of rows than declared, or a field that is no finite number: ngspice
    itself returns 0 when a measurement fails. Raises Unavailable without ngspice.
    """
    program = require()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(WORKERS) as pool:
        shutil.copytree(tree.path(FOLDER), folder, dirs_exist_ok=True)
        jobs = [
            pool.submit(_run, program, Path(folder), number, run, decks[run.deck]) for number, run in enumerate(runs)
        ]
        return [job.result() for job in jobs]


def _run(program: str, folder: Path, number: int, run: Run, deck: Deck) -> list[Row]:
    path = folder / f"run{number}.cir"
    path.write_text(_instance((folder / f"{run.deck}.cir").read_text(encoding="utf-8"), run), encoding="utf-8")
    try:
        done = subprocess.run(  # noqa: S603 - the program found on PATH, no shell, a file name of our own
            [program, "-b", path.name], cwd=folder, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise SpiceError(
            f"{run.deck}.cir: no end after {TIMEOUT_S} s; look for a loop that does not converge"
        ) from error
    expected = len(run.amplitudes) if run.amplitudes else deck.rows
    rows = [_row(line, deck, run) for line in done.stdout.splitlines() if line.startswith("CSV")]
    if len(rows) != expected or done.returncode != 0:
        last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
        raise SpiceError(f"{run.deck}.cir: {len(rows)} rows instead of {expected}, exit {done.returncode}: {last}")
    return rows


def _instance(text: str, run: Run) -> str:
    """The deck with the run's parameters behind its own (the last definition counts) and the run's amplitudes."""
    if run.amplitudes:
        text = _AMPLITUDES.sub("foreach amp " + " ".join(f"{amp:g}" for amp in run.amplitudes), text)
    if run.parameters:
        line = ".param " + " ".join(f"{name}={value:.6g}" for name, value in run.parameters.items())
        text = text.replace(".options", f"{line}\n.options", 1)
    return text


def _row(line: str, deck: Deck, run: Run) -> Row:
    fields = line.split()[1:]
    try:
        values = [float(field) for field in fields]
    except ValueError:
        values = []
    if len(values) != len(deck.columns) or not all(math.isfinite(value) for value in values):
        raise SpiceError(f"{run.deck}.cir: row {line!r} is not {len(deck.columns)} numbers; a measurement failed")
    return dict(zip(deck.columns, values, strict=True))
