"""`python run.py main.py`: the node firmware's entry point under CPython."""

import runpy
import sys
from pathlib import Path


def main():
    """Put the firmware's folder first, install the shims, run."""
    script = Path(sys.argv[1])
    sys.path[0] = str(script.parent)
    from marker_sim.cpy import shim

    shim.install()
    runpy.run_path(str(script), run_name="__main__")


if __name__ == "__main__":
    main()
