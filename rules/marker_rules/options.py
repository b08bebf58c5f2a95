"""Rule switches and settings: a schema from the catalogue, presets, and one validated frozen mapping.

An Options value is recorded with each match, so that a ruling can be recomputed years later under the rules it was
made under.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from marker_rules.balls import GameId
from marker_rules.catalogue import load_switches
from marker_rules.errors import IllegalInput, shown


@dataclass(frozen=True, slots=True)
class Switch:
    """One switch or setting.

    name, values (tuple of allowed values, or None where `check` names a kind: `odd`, `positive`, `seconds`, `breaks`),
    default (None: must be given), the clauses and interpretations it comes from, and what it means, per language.
    """

    name: str
    values: tuple[Any, ...] | None
    default: Any
    check: str
    clauses: tuple[str, ...]
    interpretations: tuple[str, ...]
    meaning: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Preset:
    """A named set of switches; `label` says whose reading it is."""

    name: str
    game: str
    switches: Mapping[str, Any]
    label: Mapping[str, str]


def family(game: GameId) -> str:
    """`five-pins` or `pyramid`: the two catalogues."""
    return "pyramid" if game.is_pyramid else "five-pins"


@cache
def switches(game: GameId) -> Mapping[str, Switch]:
    """The schema of a game, by name, in the order of the catalogue."""
    return {
        row["name"]: Switch(
            name=row["name"],
            values=tuple(row["values"]) if "values" in row else None,
            default=_freeze(row.get("default")),
            check=row.get("check", ""),
            clauses=tuple(row.get("clauses", ())),
            interpretations=tuple(row.get("interpretations", ())),
            meaning=row.get("meaning", {}),
        )
        for row in load_switches(family(game))["switch"]
    }


@cache
def presets(game: GameId) -> Mapping[str, Preset]:
    """The presets of a game, by name; the first one is the default."""
    return {
        row["name"]: Preset(
            row["name"],
            family(game),
            {key: _freeze(value) for key, value in row.get("switches", {}).items()},
            row.get("label", {}),
        )
        for row in load_switches(family(game))["preset"]
    }


def _freeze(value: Any) -> Any:
    if isinstance(value, dict):
        return tuple(sorted((int(key), tuple(entry)) for key, entry in value.items()))
    return tuple(value) if isinstance(value, list) else value


def _check_value(switch: Switch, value: Any) -> Any:
    """The value in its stored form. Raises IllegalInput naming switch, value and what is allowed."""

    def refuse(expected: str) -> IllegalInput:
        return IllegalInput(f"option '{switch.name}': {shown(value)} is not allowed; give {expected}", code=switch.name)

    if switch.values is not None:
        for allowed in switch.values:
            if type(allowed) is type(value) and allowed == value:
                return value
        raise refuse(" or ".join(str(v).lower() if isinstance(v, bool) else str(v) for v in switch.values))
    if switch.check == "breaks":
        try:
            table = _freeze(value) if isinstance(value, dict) else tuple((int(n), tuple(b)) for n, b in value)
            good = all(n % 2 == 1 and n > 0 and all(0 < int(after) < n for after in b) for n, b in table)
        except (TypeError, ValueError):
            good, table = False, ()
        if not good:
            raise refuse("a table of match length (odd) to the games after which a break is called, as {5: [2, 4]}")
        return table
    if isinstance(value, bool) or not isinstance(value, int):
        raise refuse("a whole number")
    if switch.check == "odd" and value % 2 == 0:  # zero too (FP-2.4)
        raise IllegalInput(
            f"option '{switch.name}': {shown(value)} is even; the number of games must be odd", code="odd"
        )
    if value < (0 if switch.check == "seconds" else 1) or value > 1_000_000:
        raise refuse("a whole number from 0" if switch.check == "seconds" else "a whole number from 1")
    return value


class Options(Mapping[str, Any]):
    """A validated frozen mapping of every switch and setting of one game."""

    __slots__ = ("_hash", "_values", "game", "preset")

    def __init__(self, game: GameId, given: Mapping[str, Any] | None = None, preset: str = "") -> None:
        """`given` overrides the preset, which overrides the defaults. Raises IllegalInput naming the option."""
        schema = switches(game)
        known = presets(game)
        if preset and preset not in known:
            raise IllegalInput(
                f"preset '{preset}' is not known for {game}; there are {', '.join(known)}", code="preset"
            )
        values: dict[str, Any] = {name: switch.default for name, switch in schema.items()}
        chosen = dict(known[preset].switches) if preset else {}
        chosen.update(given or {})
        for name, value in chosen.items():
            if name not in schema:
                raise IllegalInput(
                    f"option '{name}' is not known for {game}; there are {', '.join(schema)}", code=str(name)
                )
            values[name] = _check_value(schema[name], value) if value is not None else schema[name].default
        self.game = game
        self.preset = preset or next(iter(known))
        self._values = values
        self._hash = hash((game, tuple(values.items())))

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Options) and self.game is other.game and self._values == other._values

    def __repr__(self) -> str:
        return f"Options({self.game}, {self.changed()})"

    def changed(self) -> dict[str, Any]:
        """What differs from the defaults; enough to rebuild the value."""
        schema = switches(self.game)
        return {name: value for name, value in self._values.items() if value != schema[name].default}
