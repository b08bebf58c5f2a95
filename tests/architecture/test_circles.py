"""No import circle between modules: not at the top of a file, not in a function, not for the type checker alone.

Read from the sources, as an arrow from a file to each file of this repository that it names in an import. What leans on
each other in a circle cannot be read, tested or changed apart; a lazy import only hides it.
"""

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("rules", "hub", "simulator", "hardware", "firmware")


def sources() -> Iterator[tuple[str, str]]:
    """Every module of the rooms by its dotted name, with its source. The name of a package, its `__init__`, ends with a dot."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            parts = path.relative_to(ROOT / folder).with_suffix("").parts
            name = ".".join(parts[:-1]) + "." if parts[-1] == "__init__" else ".".join(parts)
            yield name, path.read_text(encoding="utf-8")


def named(module: str, source: str) -> frozenset[tuple[str, str]]:
    """(module, name taken from it) of every import in a file, wherever it stands; relative ones resolved."""
    package = module.removesuffix(".") if module.endswith(".") else module.rpartition(".")[0]
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {(alias.name, "") for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            steps = package.split(".")
            above = steps[: len(steps) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            found |= {(base, alias.name) for alias in node.names}
    return frozenset(found)


@cache
def house() -> Mapping[str, frozenset[tuple[str, str]]]:
    """What every module of the rooms imports; read once."""
    return {module: named(module, source) for module, source in sources()}


def arrows(imports: Mapping[str, frozenset[tuple[str, str]]]) -> dict[str, set[str]]:
    """Module -> the modules of `imports` that it names."""
    names = {module.removesuffix("."): module for module in imports}
    found = {}
    for module, taken in imports.items():
        aims = (f"{base}.{name}" if f"{base}.{name}" in names else base for base, name in taken)
        found[module] = {names[aim] for aim in aims if aim in names} - {module}
    return found


def circles(imports: Mapping[str, frozenset[tuple[str, str]]]) -> list[str]:
    """Circles between the modules, each as `a -> b -> a`; one after the other is told and opened until none is left."""
    graph = arrows(imports)
    found = []
    while True:
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            chain = error.args[1][::-1]  # the sorter goes from the module that is needed to the one that needs it
            found.append(" -> ".join(module.removesuffix(".") for module in chain))
            graph[chain[0]].remove(chain[1])
        else:
            return found


def test_no_module_leans_on_one_that_leans_on_it() -> None:
    assert len(house()) > 400
    assert sum(map(len, arrows(house()).values())) > 1500
    assert not circles(house()), "these files import each other:\n" + "\n".join(circles(house()))


@pytest.mark.parametrize(
    ("module", "added", "closes"),
    [
        (
            "marker_rules.five_pins.law",
            "from marker_rules.five_pins.view import ShotView",
            "marker_rules.five_pins.view",
        ),
        ("marker_rules.balls", "import marker_rules.five_pins.match as top", "marker_rules.five_pins.match"),
        ("marker_hub.ingest.store", "def f():\n    from marker_hub.ingest import core", "marker_hub.ingest.core"),
        (
            "marker_hub.service.tables",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from marker_hub.service.hub import Hub",
            "marker_hub.service.hub",
        ),
        ("marker_hub.table.flow", "def f():\n    from . import timers", "marker_hub.table.timers"),
        ("marker_hub.table.state", "from marker_hub.table import step", "marker_hub.table.step"),
        ("marker_hub.table.log", "from marker_hub.table import Preview", "marker_hub.table"),
        ("marker_sim.play", "def f():\n    import marker_sim.plays", "marker_sim.plays"),
        ("marker_hardware.codes", "from .wire import Topic", "marker_hardware.wire"),
        ("tablefw.fixed", "from tablefw import app", "tablefw.app"),
    ],
)
def test_a_circle_put_into_a_copy_is_told(module: str, added: str, closes: str) -> None:
    """One import more, of each kind, in an otherwise unchanged copy of the house: both its ends are named."""
    found = circles({**house(), module: house()[module] | named(module, added)})
    assert found
    assert any(f" {module} -> {closes} " in f" {circle} -> {circle.split(' -> ')[1]} " for circle in found)


def copy(files: Mapping[str, str]) -> Mapping[str, frozenset[tuple[str, str]]]:
    """A small house of these files."""
    return {module: named(module, source) for module, source in files.items()}


def test_two_circles_are_both_told() -> None:
    files = {"a": "import b", "b": "import a", "c": "from d import x", "d": "def f():\n    import e", "e": "import c"}
    assert sorted(circle.count("->") for circle in circles(copy(files))) == [2, 3]


@pytest.mark.parametrize(
    "files",
    [
        {"a": "import b", "b": "import c", "c": "import json"},
        {"a.": "from a.b import x", "a.b": "from a.c import y", "a.c": ""},
        {"a": "import a", "b": "'import a'\n# import a"},
    ],
)
def test_what_is_no_circle_is_not_told(files: dict[str, str]) -> None:
    assert not circles(copy(files))
