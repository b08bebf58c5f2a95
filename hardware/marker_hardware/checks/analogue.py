"""Check 5: the simulated front end stays inside its limits, nominal and in every corner, and the committed results are its own."""

from collections.abc import Iterator

from marker_hardware import frontend
from marker_hardware.checks.bom_rules import DECK, deck_values
from marker_hardware.checks.model import Problem
from marker_hardware.spice import Row, SpiceError, simulate
from marker_hardware.tree import Tree

RELATIVE = 0.01
ABSOLUTE = {"_v": 0.003, "_us": 2.0, "_ms": 0.2}
_SI = {"k": 1e3, "M": 1e6, "u": 1e-6, "n": 1e-9, "p": 1e-12}


def check(tree: Tree) -> list[Problem]:
    """Run every deck and corner (about 20 s on two free cores). Raises Unavailable without ngspice."""
    try:
        results = frontend.simulate_all(tree)
    except SpiceError as error:
        return [Problem("A1", "hardware/sim", str(error))]
    return [*limits(tree, results), *_committed(tree, results), *_constants(tree)]


def check_nominal(tree: Tree, decks: tuple[str, ...] = ()) -> list[Problem]:
    """The limits with nominal parts only (about 3 s for all decks)."""
    runs = frontend.nominal_runs(tree, decks)
    try:
        results = simulate(tree, frontend.load(tree).deck, runs)
    except SpiceError as error:
        return [Problem("A1", "hardware/sim", str(error))]
    return [*limits(tree, frontend.table_of(tree, runs, results)), *_constants(tree)]


def limits(tree: Tree, results: dict[str, list[Row]]) -> Iterator[Problem]:
    """Rows outside a limit of expect.toml."""
    for limit, row, text in frontend.violations(tree, results):
        parameters = ", ".join(f"{name} {row[name]:g}" for name in (*frontend.PARAMETERS, *limit.rows))
        yield Problem("A2", f"{limit.deck}.cir", f"{limit.name}: {text} ({parameters})")


def _committed(tree: Tree, fresh: dict[str, list[Row]]) -> Iterator[Problem]:
    remedy = "run `python hardware/simulate.py` and look at what changed"
    for deck, old in frontend.committed(tree).items():
        place = f"{frontend.RESULTS}/{deck}.csv"
        if len(old) != len(fresh[deck]):
            yield Problem("A3", place, f"{len(old)} rows, a fresh run gives {len(fresh[deck])}; {remedy}")
            continue
        for number, (a, b) in enumerate(zip(old, fresh[deck], strict=True), start=2):
            for name, value in a.items():
                if not _close(name, value, b[name]):
                    yield Problem(
                        "A3", f"{place}:{number}", f"{name} = {value:g}, a fresh run gives {b[name]:g}; {remedy}"
                    )
                    break


def _close(name: str, old: float, new: float) -> bool:
    slack = next((slack for ending, slack in ABSOLUTE.items() if name.endswith(ending)), 0.0)
    return abs(old - new) <= max(slack, RELATIVE * abs(old))


def _constants(tree: Tree) -> Iterator[Problem]:
    """What firmware computes with must be what the parts give."""
    deck = deck_values(tree.read(DECK))
    calibration = tree.toml("hardware/calibration.toml")
    tau_ms = _number(deck["Rh"]) * _number(deck["Ch"]) * 1e3 if {"Rh", "Ch"} <= set(deck) else 0.0
    stated = calibration["piezo"]["adc"]["hold_tau_ms"]
    if abs(tau_ms - stated) > 0.02 * stated:
        yield Problem("A4", DECK, f"Rh*Ch is {tau_ms:.2f} ms, calibration.toml says piezo.adc.hold_tau_ms = {stated}")
    floor = calibration["piezo"]["vth"]["floor_mv"] / 1000
    text = f"VTH={floor:g}"
    if text not in tree.read(DECK).split():
        yield Problem("A4", DECK, f".param does not say {text}, the floor of calibration.toml")


def _number(text: str) -> float:
    return float(text[:-1]) * _SI[text[-1]] if text[-1] in _SI else float(text)
