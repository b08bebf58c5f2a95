"""Every value of every switch is reached by a test or a scenario that names it: a generated check over what the tests say.

`test_reach` starts a match with each value; that proves that it is taken, not that it does anything. Here the sources of
the tests are read: a value counts where a test or a scenario gives the switch that value by name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from marker_rules.balls import GameId
from marker_rules.options import presets, switches

ROOT = Path(__file__).parents[3]
THIS = Path(__file__)


def named() -> dict[str, tuple[Any, ...]]:
    """Every switch with a list of values, of all games; numbers without a list have no values to reach."""
    return {
        name: switch.values for game in GameId for name, switch in switches(game).items() if switch.values is not None
    }


@cache
def given() -> tuple[tuple[str, Any], ...]:
    """(switch, value) pairs that tests and scenarios give by name."""
    found: list[tuple[str, Any]] = []
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        if path != THIS:
            found += _of_tests(ast.parse(path.read_text(encoding="utf-8")))
    for path in sorted((ROOT / "tests" / "conformance").glob("*.yaml")):
        for document in yaml.safe_load_all(path.read_text(encoding="utf-8")):
            found += _of_scenario(document)
    return tuple(found)


def _of_scenario(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for name, item in value.items():
            if isinstance(item, str | int | bool):
                yield str(name), item
            yield from _of_scenario(item)
    elif isinstance(value, list):
        for item in value:
            yield from _of_scenario(item)


def _of_tests(module: ast.Module) -> Iterator[tuple[str, Any]]:
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef):
            yield from _of_function(node)
    for node in module.body:  # tables at the top of a module
        if isinstance(node, ast.Assign | ast.AnnAssign):
            yield from _pairs(node, ())


def _of_function(function: ast.FunctionDef) -> Iterator[tuple[str, Any]]:
    """Pairs in a function; a value that is a parameter stands for every constant the function is parametrized with."""
    rows = tuple(  # not a set: 1 and True are one element of a set
        item.value
        for decorator in function.decorator_list
        for item in ast.walk(decorator)
        if isinstance(item, ast.Constant) and isinstance(item.value, str | int | bool)
    )
    yield from _pairs(function, rows)
    for name in rows:  # the switch itself is a parameter: ("bevuto_extra", 2)
        if isinstance(name, str) and name in named():
            yield from ((name, value) for value in rows if value in named()[name])


def _pairs(tree: ast.AST, rows: tuple[Any, ...]) -> Iterator[tuple[str, Any]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg is not None:
            yield from _values(node.arg, node.value, rows)
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield from _values(key.value, value, rows)
        elif isinstance(node, ast.Tuple) and len(node.elts) > 1:  # a row of a table: ("two_rails", "any_balls", ...)
            first, second = node.elts[:2]
            if isinstance(first, ast.Constant) and isinstance(second, ast.Constant) and isinstance(first.value, str):
                yield first.value, second.value


def _values(name: str, value: ast.expr, rows: tuple[Any, ...]) -> Iterator[tuple[str, Any]]:
    if isinstance(value, ast.Constant):
        yield name, value.value
    elif isinstance(value, ast.Name):
        yield from ((name, row) for row in rows)


def others() -> list[tuple[str, Any]]:
    """Values that are not what every other test plays by."""
    usual = {(name, switch.default) for game in GameId for name, switch in switches(game).items()}
    return [(name, value) for name, values in named().items() for value in values if (name, value) not in usual]


@pytest.mark.parametrize(("name", "value"), others())
def test_every_value_of_a_switch_is_reached_by_a_test_that_names_it(name: str, value: Any) -> None:
    found = [item for switch, item in given() if switch == name and item == value and type(item) is type(value)]
    assert found, f"switch {name}: no test or scenario gives it the value {value!r}"


def test_every_preset_is_reached_by_a_test_that_names_it() -> None:
    names = {name for game in GameId for name in presets(game) if name}
    missing = {name for name in names if ("preset", name) not in given()}
    assert not missing
