"""What can be wrong with a question put to the rules: three kinds, because three different people must act on them.

An error never changes a state: every function of this package returns a new value or raises.
"""

from __future__ import annotations

MAX_SHOWN = 80  # characters of a value in a message


def shown(value: object) -> str:
    """A value for a message: as Python writes it, cut to 80 characters."""
    try:
        return cut(repr(value))
    except (ValueError, RecursionError):  # a number of thousands of digits, a list a thousand deep
        return f"a value of type {type(value).__name__} too large to show"


def cut(text: str) -> str:
    """A text for a message, cut to 80 characters."""
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"


class RulesError(ValueError):
    """Common base, never raised itself."""

    def __init__(self, message: str, *, position: int | None = None, code: str = "") -> None:
        if type(self) is RulesError:
            raise TypeError("RulesError is a base class; raise one of its kinds")
        super().__init__(message)
        self.message = message
        self.position = position
        self.code = code


class MalformedFact(RulesError):
    """Cannot be read. `position` is the index (0-based) in the list `within`, `token` the word that did not fit."""

    def __init__(
        self,
        message: str,
        *,
        position: int | None = None,
        token: str = "",
        expected: str = "",
        within: str = "facts",
    ) -> None:
        super().__init__(message, position=position, code="malformed")
        self.within = within
        self.token = token
        self.expected = expected


class IllegalFact(RulesError):
    """Can be read but cannot have happened: a pin felled twice, a ball that is off meets another one."""

    def __init__(self, message: str, *, position: int | None = None) -> None:
        super().__init__(message, position=position, code="illegal")


class IllegalInput(RulesError):
    """A state, option, call, choice or action that the rules do not know here; `code` is stable and not translated."""


class Undecided(RulesError):
    """Asked to rule on what is not decided; `features` names what is open."""

    def __init__(self, message: str, *, features: tuple[str, ...]) -> None:
        super().__init__(message, code="undecided")
        self.features = features
