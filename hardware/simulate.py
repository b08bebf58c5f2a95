"""Simulate the front end in every corner and write hardware/sim/results; needs ngspice, takes about 20 s on two free cores.

Run as `python hardware/simulate.py`, then `python hardware/generate.py` for the table and the plot in the documents.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "hardware"))

from marker_hardware import frontend  # noqa: E402 - runs from a plain clone too
from marker_hardware.spice import SpiceError  # noqa: E402
from marker_hardware.tree import Tree, Unavailable  # noqa: E402


def main() -> int:
    """Write one CSV a deck; 0 done, 2 the simulation could not run."""
    tree = Tree(ROOT)
    try:
        results = frontend.simulate_all(tree)
    except (Unavailable, SpiceError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    folder = ROOT / frontend.RESULTS
    folder.mkdir(exist_ok=True)
    for deck, rows in results.items():
        (folder / f"{deck}.csv").write_text(frontend.to_csv(rows), encoding="utf-8")
        print(f"wrote {frontend.RESULTS}/{deck}.csv, {len(rows)} rows")
    return 0


if __name__ == "__main__":
    sys.exit(main())
