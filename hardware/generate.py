"""Write every file that is derived from the hardware data, or check that all of them are up to date.

Run as `python hardware/generate.py` after a change of a TOML file, `python hardware/generate.py --check` to compare.
MicroPython has no TOML reader, so the node gets its data as small modules of constants.
"""

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "hardware"))

from marker_hardware import generated  # noqa: E402 - runs from a plain clone too
from marker_hardware.data import HardwareDataError  # noqa: E402
from marker_hardware.tree import Tree, Unavailable  # noqa: E402


def main(argv: list[str] | None = None) -> int:
    """Write or check; 0 all current, 1 a file differs, 2 the data cannot be read."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 when a file is not up to date")
    parser.add_argument("--root", type=Path, default=ROOT, help="repository to read and write (default: this one)")
    arguments = parser.parse_args(argv)
    try:
        files = generated.render(Tree(arguments.root))
    except (HardwareDataError, Unavailable) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    stale = [path for path, text in files.items() if not _same(arguments.root / path, text)]
    for path in stale:
        if arguments.check:
            print(f"{path}: differs from a fresh generation; run `python hardware/generate.py`", file=sys.stderr)
            continue
        (arguments.root / path).parent.mkdir(parents=True, exist_ok=True)
        (arguments.root / path).write_text(files[path], encoding="utf-8")
        print(f"wrote {path}")
    return 1 if stale and arguments.check else 0


def _same(path: Path, text: str) -> bool:
    return path.is_file() and path.read_bytes() == text.encode()


if __name__ == "__main__":
    sys.exit(main())
