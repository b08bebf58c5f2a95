"""Installs the type stubs of the boards' MicroPython ports into build/stubs, a folder each: their files have the same names.

Pins: pyproject.toml [dependency-groups], every group named stubs-*. Does nothing where they are there already, so that a test run
after `make` needs no network: `python tools/stubs.py`.
"""

import importlib.util
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def pins() -> dict[str, str]:
    """Port -> pinned requirement, as `rp2` -> `micropython-...==1.2.3`."""
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    return {name.removeprefix("stubs-"): group[0] for name, group in groups.items() if name.startswith("stubs-")}


def installed(port: str) -> Path:
    """Folder with the stubs of a port, filled when it is not yet. Raises CalledProcessError when they cannot be installed."""
    pin = pins()[port]
    folder = ROOT / "build/stubs" / pin.replace("==", "-")
    if not (folder / "machine.pyi").is_file():
        pip = [sys.executable, "-m", "pip"] if importlib.util.find_spec("pip") else ["uv", "pip"]
        subprocess.run([*pip, "install", "--quiet", "--target", str(folder), pin], check=True, timeout=170)  # noqa: S603 - pins of our own
    return folder


if __name__ == "__main__":
    for port in pins():
        installed(port)
