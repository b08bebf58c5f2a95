"""The files that checks, drawings and lists read, by their repository paths, in a clone or in an installed wheel."""

import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from marker_hardware import data

T = TypeVar("T")

# First folder of a repository path -> import package that carries it in an installed wheel.
_PACKAGES = {
    "firmware/tablefw": "tablefw",
    "hub/marker_hub": "marker_hub",
    "simulator/marker_sim": "marker_sim",
    "hardware/marker_hardware": "marker_hardware",
}


class Unavailable(Exception):
    """A check cannot run here: says what is missing and how to get it."""


class Tree:
    """The files a check reads, by their repository paths: a clone, a copy of it, or the installed packages."""

    def __init__(self, root: Path | None = None) -> None:
        """root: folder that holds hardware/, firmware/, ...; None = this clone, or the installed package data."""
        self.root = root if root is not None else data.repository_root()

    def path(self, name: str) -> Path:
        """Place of a file or folder on disk. Raises Unavailable when it is not there."""
        found = self._locate(name)
        if found is None or not found.exists():
            raise Unavailable(f"{name} is not part of this installation; run the check in a clone")
        return found

    def _locate(self, name: str) -> Path | None:
        if self.root is not None:
            return self.root / name
        for folder, package in _PACKAGES.items():
            if name == folder or name.startswith(f"{folder}/"):
                try:
                    module = import_module(package)
                except ImportError:
                    return None
                return Path(str(module.__path__[0])) / name[len(folder) + 1 :]
        return Path(__file__).resolve().parent / "data" / name

    def has(self, name: str) -> bool:
        """Whether the file or folder is there."""
        found = self._locate(name)
        return found is not None and found.exists()

    def read(self, name: str) -> str:
        """Text of a file. Raises Unavailable when it is not there."""
        return self.path(name).read_text(encoding="utf-8")

    def toml(self, name: str) -> dict[str, Any]:
        """A TOML file as plain data. Raises HardwareDataError on bad syntax."""
        try:
            return tomllib.loads(self.read(name))
        except tomllib.TOMLDecodeError as error:
            raise data.HardwareDataError(name, "", str(error), "correct the TOML syntax") from error

    def load(self, kind: type[T], name: str) -> T:
        """A TOML file as a typed structure. Raises HardwareDataError naming file, key and value."""
        return data.decode(self.path(name).read_bytes(), kind, name)

    def files(self, folder: str, pattern: str) -> list[str]:
        """Repository paths of the files below folder that match, sorted."""
        base = self.path(folder)
        found = (path for path in base.rglob(pattern) if path.is_file() and "__pycache__" not in path.parts)
        return sorted(f"{folder}/{path.relative_to(base).as_posix()}" for path in found)
