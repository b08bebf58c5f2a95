"""Check 2: the files of the node and the documents are what a fresh generation gives, byte for byte."""

from marker_hardware import generated
from marker_hardware.checks.model import Problem
from marker_hardware.tree import Tree

REMEDY = "run `python hardware/generate.py`"


def check(tree: Tree) -> list[Problem]:
    """Files that differ from a fresh generation. Files this installation does not carry are left out."""
    found = []
    for name, text in generated.render(tree).items():
        if not tree.has(name):
            if tree.root is not None:
                found.append(Problem("G1", name, f"is missing; {REMEDY}"))
            continue
        if tree.path(name).read_bytes() != text.encode():
            found.append(
                Problem("G1", name, f"differs from its source: {_first_difference(tree.read(name), text)}; {REMEDY}")
            )
    return found


def _first_difference(old: str, new: str) -> str:
    for number, (a, b) in enumerate(zip(old.splitlines(), new.splitlines(), strict=False), start=1):
        if a != b:
            return f"line {number} is {a.strip()!r}, its source says {b.strip()!r}"
    return "the lengths differ"
