"""Scenario files: a YAML list, or JSON Lines read as a stream. Rules never read files; this does it for them.

YAML is read without the traps of YAML 1.1: only true and false are booleans (pin `N` and player `Y` stay text), only
plain decimal numbers are numbers, nothing becomes a date, and a key that stands twice is an error.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import IO, Any

import msgspec
import yaml

MAX_LINE = 1_000_000  # bytes of one scenario in a JSON Lines file
BOM = "\ufeff".encode()
MAX_YAML = 64_000_000  # bytes of a YAML file, which is held in memory

_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Unreadable(Exception):
    """A file that cannot be read; the message names file, line and what is wrong."""


@dataclass(frozen=True, slots=True)
class Broken:
    """What stands in place of a scenario where a line of JSON Lines cannot be read."""

    reason: str


class ScenarioLoader(_Base):  # type: ignore[misc] # the C loader where it is there
    """Plain YAML: see the module."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 - PyYAML's own way

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Hashable, Any]:
        """A mapping whose keys stand once."""
        mapping: dict[Hashable, Any] = {}
        for key_node, value_node in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, Hashable) or key in mapping:
                raise yaml.constructor.ConstructorError(
                    None, None, f"key {key!r} stands twice or cannot be a key", key_node.start_mark
                )
            mapping[key] = self.construct_object(value_node, deep=deep)
        return mapping


def _construct_map(loader: ScenarioLoader, node: Any) -> dict[Hashable, Any]:
    return loader.construct_mapping(node, deep=True)


ScenarioLoader.add_constructor("tag:yaml.org,2002:map", _construct_map)
for _tag, _pattern, _first in (
    ("bool", r"true|false", "tf"),
    ("null", r"null|~|", ["n", "~", ""]),
    ("int", r"-?(?:0|[1-9][0-9]*)", "-0123456789"),
    ("float", r"-?(?:0|[1-9][0-9]*)\.[0-9]+(?:[eE][-+]?[0-9]+)?", "-0123456789"),
):
    ScenarioLoader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(f"^(?:{_pattern})$"), list(_first))


def read_scenarios(stream: IO[bytes], name: str, lines: bool | None) -> Iterator[tuple[str, Any]]:
    """(place, raw scenario) in order. lines: JSON Lines (True), YAML (False), None = look at the first line.

    A line that is no JSON is yielded as Broken, so that only that scenario is refused. Raises Unreadable.
    """
    try:
        if lines is None:
            first = stream.readline(MAX_LINE + 1)
            if not _is_json_object(first):
                yield from _yaml(first + stream.read(MAX_YAML + 1), name)
                return
            _finish(stream, first)
            yield from _json_lines(itertools.chain([first], _lines(stream)), name)
        elif lines:
            yield from _json_lines(_lines(stream), name)
        else:
            yield from _yaml(stream.read(MAX_YAML + 1), name)
    except OSError as problem:
        raise Unreadable(f"{name}: cannot be read: {problem.strerror or problem}") from problem


def _lines(stream: IO[bytes]) -> Iterator[bytes]:
    while line := stream.readline(MAX_LINE + 1):
        _finish(stream, line)
        yield line


def _finish(stream: IO[bytes], line: bytes) -> None:
    """Read past the rest of a line that was cut: what follows it is judged."""
    while line and not line.endswith(b"\n"):
        line = stream.readline(MAX_LINE)


def _is_json_object(line: bytes) -> bool:
    if len(line) > MAX_LINE:
        return line.removeprefix(BOM).lstrip().startswith(b"{")
    try:
        return isinstance(msgspec.json.decode(line.removeprefix(BOM)), dict)
    except RecursionError:  # one broken scenario, with others after it
        return line.removeprefix(BOM).lstrip().startswith(b"{")
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False


def _json_lines(lines: Iterator[bytes], name: str) -> Iterator[tuple[str, Any]]:
    decoder = msgspec.json.Decoder()
    for number, raw in enumerate(lines, 1):
        line = raw.removeprefix(BOM) if number == 1 else raw
        if len(line) > MAX_LINE:
            yield f"{name}:{number}", Broken(f"line longer than {MAX_LINE} bytes; a scenario is smaller")
            continue
        if not line.strip():
            continue
        place = f"{name}:{number}"
        try:
            yield place, decoder.decode(line)
        except RecursionError:
            yield place, Broken("nested too deeply")
        except (msgspec.DecodeError, UnicodeDecodeError) as problem:
            yield place, Broken(f"not JSON ({problem})")


def _yaml(data: bytes, name: str) -> Iterator[tuple[str, Any]]:
    if len(data) > MAX_YAML:
        raise Unreadable(f"{name}: larger than {MAX_YAML} bytes; use JSON Lines (.jsonl), which is read as a stream")
    try:
        found = yaml.load(data, ScenarioLoader)  # noqa: S506 - a safe loader with fewer types than SafeLoader
    except yaml.YAMLError as problem:
        mark = getattr(problem, "problem_mark", None)
        where = f"{name}:{mark.line + 1}" if mark else name
        what = getattr(problem, "problem", None) or problem
        raise Unreadable(f"{where}: no YAML: {what}") from problem
    except (UnicodeDecodeError, RecursionError, ValueError) as problem:
        raise Unreadable(f"{name}: no YAML: {problem}") from problem
    if found is None:
        return
    if not isinstance(found, list):
        raise Unreadable(f"{name}: expected a list of scenarios, got {type(found).__name__}")
    for raw in found:
        yield name, raw
