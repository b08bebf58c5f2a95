"""Run by another Python than this environment's: `python borrowed.py ROOT` prints the golden hash.

That Python has no msgspec (it is compiled); a plain reader of the same TOML files stands in for it, since only numbers are read.
"""

import sys
import tomllib
import types
import typing
from pathlib import Path
from typing import Any


class Struct:
    """As much of msgspec.Struct as the table files need."""

    rename: typing.ClassVar[dict[str, str]] = {}
    __struct_fields__: typing.ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, rename: dict[str, str] | None = None, **_: Any) -> None:
        """Keep the renamed keys; frozen, kw_only and the like change no number."""
        cls.rename = rename or {}
        cls.__struct_fields__ = tuple(cls.__annotations__)

    def __init__(self, *given: Any) -> None:
        """By place, as a default in a class body is written."""
        for name, value in zip(self.__struct_fields__, given, strict=False):
            setattr(self, name, value)


def build(kind: Any, value: Any) -> Any:
    """`value` as read from TOML, in the type that is asked for."""
    if typing.get_origin(kind) in (types.UnionType, typing.Union):
        kind = next(one for one in typing.get_args(kind) if one is not type(None))
    if isinstance(kind, type) and issubclass(kind, Struct):
        made = kind()
        for name, inner in typing.get_type_hints(kind).items():
            key = kind.rename.get(name, name)
            if key in value:
                setattr(made, name, build(inner, value[key]))
            elif not hasattr(made, name):
                setattr(made, name, None)
        return made
    if typing.get_origin(kind) is dict:
        inner = typing.get_args(kind)[1]
        return {key: build(inner, one) for key, one in value.items()}
    if typing.get_origin(kind) is tuple:
        return tuple(value)
    if kind is float:
        return float(value)
    return value


def main(root: Path) -> None:
    """Print the hash that this Python gives."""
    stand_in = types.ModuleType("msgspec")
    toml = types.ModuleType("msgspec.toml")
    toml.decode = lambda raw, **kind: build(kind["type"], tomllib.loads(raw if isinstance(raw, str) else raw.decode()))  # type: ignore[attr-defined]
    members = {"Struct": Struct, "toml": toml, "ValidationError": ValueError, "DecodeError": ValueError}
    for name, member in members.items():
        setattr(stand_in, name, member)
    sys.modules |= {"msgspec": stand_in, "msgspec.toml": toml}
    sys.path[:0] = [str(root / part) for part in ("simulator", "hardware", "rules")]
    from marker_sim.physics.digest import golden

    print(golden())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
