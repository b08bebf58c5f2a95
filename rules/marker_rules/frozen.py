"""Frozen slotted dataclasses of many fields, made in half the time.

The constructor that `dataclasses` writes for a frozen class looks `object.__setattr__` up and hands it a name, once a
field. A ruling has some thirty fields and is made for every story a question could be about, so its constructor fills
the slots by their descriptors instead. Nothing else about the class changes: parameters, defaults, equality, freezing.
"""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any, TypeVar

T = TypeVar("T")


def quickly_made(cls: type[T]) -> type[T]:
    """Class decorator, above `@dataclass(frozen=True, slots=True)`. Raises TypeError where a field has a factory."""
    given: dict[str, Any] = {}
    positional, body = ["self"], []
    keyword: list[str] = []
    for field in fields(cls):  # type: ignore[arg-type]  # a dataclass, which `type[T]` cannot say
        if field.default_factory is not MISSING or not field.init:
            raise TypeError(f"{cls.__name__}.{field.name}: give a plain default, or none")
        slot = next(vars(base)[field.name] for base in cls.__mro__ if field.name in vars(base))
        given[f"set_{field.name}"] = slot.__set__
        given[f"default_{field.name}"] = field.default
        default = "" if field.default is MISSING else f"=default_{field.name}"
        (keyword if field.kw_only else positional).append(field.name + default)
        body.append(f"    set_{field.name}(self, {field.name})\n")
    parameters = [*positional, *(["*", *keyword] if keyword else [])]
    source = f"def __init__({', '.join(parameters)}):\n{''.join(body)}"
    exec(source, given)  # noqa: S102 - as `dataclasses` itself does; the names are those of our own fields
    given["__init__"].__qualname__ = f"{cls.__qualname__}.__init__"
    given["__init__"].__annotations__ = dict(cls.__init__.__annotations__)
    cls.__init__ = given["__init__"]  # type: ignore[method-assign]  # the same parameters
    return cls
