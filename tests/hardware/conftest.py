"""A copy of the hardware folder that a test may damage, to see the check that guards it fail."""

import shutil
from pathlib import Path

import pytest

from marker_hardware.tree import Tree

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("hardware", "firmware/tablefw", "hub/marker_hub", "simulator/marker_sim")
IGNORED = shutil.ignore_patterns("__pycache__", "web", "assets", "static", "upy")


class Workshop:
    """A copy of the checked folders; `edit` refuses an edit that would change nothing."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.tree = Tree(root)

    def edit(self, name: str, old: str, new: str, count: int = -1) -> None:
        """Replace text in one file of the copy."""
        path = self.root / name
        text = path.read_text(encoding="utf-8")
        assert old in text, f"{name} does not contain {old!r}"
        path.write_text(text.replace(old, new, count), encoding="utf-8")

    def drop_line(self, name: str, start: str) -> None:
        """Remove the first line that begins with `start`."""
        path = self.root / name
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        index = next(i for i, line in enumerate(lines) if line.startswith(start))
        del lines[index]
        path.write_text("".join(lines), encoding="utf-8")


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    """The folders that the nine checks read, copied."""
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=IGNORED)
    return Workshop(tmp_path)


@pytest.fixture(scope="session")
def tree() -> Tree:
    """The clone itself."""
    return Tree(ROOT)
