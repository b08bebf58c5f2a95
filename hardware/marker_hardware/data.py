"""Where the data files lie, and the one error that reading them raises."""

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TypeVar

import msgspec

T = TypeVar("T")

# First part of a resource name -> folder of the repository, for an editable install.
_REPOSITORY_FOLDERS = {
    "hardware": "hardware",
    "firmware": "firmware",
    "feeds": "tests/feeds",
    "conformance": "tests/conformance",
    "docs": "docs",
}


class HardwareDataError(ValueError):
    """A data file is missing, malformed or contradicts itself; says file, key, value and remedy."""

    def __init__(self, file: str, key: str, value: object, remedy: str) -> None:
        """Keep the four parts beside the sentence, for checks that report them separately."""
        self.file = file
        self.key = key
        self.value = value
        self.remedy = remedy
        super().__init__(f"{file}: {key} = {value!r}: {remedy}" if key else f"{file}: {value}: {remedy}")


def repository_root() -> Path | None:
    """Root of the clone this package runs from, or None when it is installed as a wheel."""
    root = Path(__file__).resolve().parents[2]
    return root if (root / "pyproject.toml").is_file() and (root / "hardware" / "pinmap.toml").is_file() else None


def resource(*parts: str) -> Traversable:
    """Find a data file or folder of the product.

    parts: first `hardware`, `firmware`, `conformance`, `feeds` or `docs`, then the path below it, e.g. ("hardware", "tables", "carom5.toml").
    In a wheel these lie in the package data `marker_hardware/data`, the device package `tablefw` beside it as a package of
    its own; in an editable install the folders of the repository are read. Raises HardwareDataError when nothing is there.
    """
    if not parts or parts[0] not in _REPOSITORY_FOLDERS:
        allowed = ", ".join(_REPOSITORY_FOLDERS)
        raise HardwareDataError("/".join(parts), "", "no such resource", f"the first part is one of {allowed}")
    root = repository_root()
    if root is not None:
        found: Traversable = root.joinpath(_REPOSITORY_FOLDERS[parts[0]], *parts[1:])
    elif parts[:2] == ("firmware", "tablefw"):
        found = files("tablefw").joinpath(*parts[2:])
    else:
        found = files("marker_hardware").joinpath("data", *parts)
    if not (found.is_file() or found.is_dir()):
        raise HardwareDataError("/".join(parts), "", "not found", "reinstall billiard-marker, or restore the file")
    return found


def decode(raw: bytes, kind: type[T], name: str) -> T:
    """Decode TOML into a typed structure; name is what the error calls the file.

    Raises HardwareDataError with the key of the first value that does not fit.
    """
    try:
        return msgspec.toml.decode(raw, type=kind)
    except msgspec.ValidationError as error:
        reason, _, key = str(error).partition(" - at `")
        raise HardwareDataError(name, key.rstrip("`").removeprefix("$."), reason, "correct this value") from error
    except msgspec.DecodeError as error:
        raise HardwareDataError(name, "", str(error), "correct the TOML syntax") from error


def load(kind: type[T], *parts: str) -> T:
    """Read resource(*parts) and decode it as `kind`; the typed loaders cache what they get."""
    return decode(resource(*parts).read_bytes(), kind, "/".join(parts))
