"""Draw the pictures that need a tool: harness (WireViz, graphviz), schematics (schemdraw), printed parts (OpenSCAD).

Run as `python hardware/draw.py [harness|schematic|mounts]...`; writes SVG files to hardware/docs/pictures and
hardware/schematic. Pictures that need no tool are written by hardware/generate.py.
"""

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "hardware"))

from marker_hardware import pictures  # noqa: E402 - runs from a plain clone too
from marker_hardware.data import HardwareDataError  # noqa: E402
from marker_hardware.tree import Tree, Unavailable  # noqa: E402


def main(argv: list[str] | None = None) -> int:
    """Write the pictures; 0 done, 2 a tool is missing or a source is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", choices=[*pictures.KINDS, []], help="what to draw (default: everything)")
    arguments = parser.parse_args(argv)
    for kind in arguments.kinds or pictures.KINDS:
        try:
            drawn = pictures.KINDS[kind](Tree(ROOT))
        except (Unavailable, HardwareDataError) as error:
            print(f"error: {error}", file=sys.stderr)
            return 2
        for name, text in drawn.items():
            (ROOT / name).parent.mkdir(parents=True, exist_ok=True)
            (ROOT / name).write_text(text, encoding="utf-8")
            print(f"wrote {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
