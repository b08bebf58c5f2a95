"""The quicker constructor of large frozen dataclasses is the one `dataclasses` would have written."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass, field, fields, replace
from inspect import signature

import pytest

from marker_rules.frozen import quickly_made


@dataclass(frozen=True, slots=True)
class Base:
    name: str
    count: int = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Plain(Base):
    must: tuple[int, ...]
    may: str | None = None


@quickly_made
@dataclass(frozen=True, slots=True, kw_only=True)
class Quick(Base):
    must: tuple[int, ...]
    may: str | None = None


def test_same_parameters_and_values() -> None:
    assert str(signature(Quick)) == str(signature(Plain))
    one, other = Quick("x", must=(1,)), Plain("x", must=(1,))
    assert [getattr(one, row.name) for row in fields(one)] == [getattr(other, row.name) for row in fields(other)]
    assert replace(one, may="m") == Quick("x", 3, must=(1,), may="m") != one
    assert hash(one) == hash(other)


def test_still_frozen_and_strict() -> None:
    made = Quick("x", must=())
    with pytest.raises(FrozenInstanceError):
        made.may = "m"  # type: ignore[misc]
    with pytest.raises(TypeError, match="must"):
        Quick("x")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="positional"):
        Quick("x", 3, (1,))  # type: ignore[misc]


def test_a_factory_is_refused() -> None:
    @dataclass(frozen=True, slots=True)
    class Listed:
        items: list[int] = field(default_factory=list)

    with pytest.raises(TypeError, match=r"Listed\.items"):
        quickly_made(Listed)
