"""What all bodies share: the fold version, small enums, the settings of the tagged union."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, TypeAlias

import msgspec

FOLD_VERSION = 6
"""Version of the fold; a snapshot made under another version is ignored and the journal is folded again."""

Json: TypeAlias = dict[str, Any]
"""A value as msgspec makes it from a frozen dataclass: only plain JSON types."""


class Policy(StrEnum):
    """Who turns a proposal into score."""

    REFEREE = "referee"
    SELF = "self"  # countdown that either player can hold
    AUTO = "auto"  # as `self`; kept apart so that records say that nobody was asked


class Side(StrEnum):
    """Who pressed: the referee, a player by letter, the countdown, or the hub itself."""

    REFEREE = "referee"
    A = "A"
    B = "B"
    COUNTDOWN = "countdown"
    HUB = "hub"


class PlayerInfo(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A player as entered: surname (or any one name), given name, language of the name's script (BCP 47)."""

    name: str
    given: str = ""
    lang: str = ""


class Base(msgspec.Struct, frozen=True, tag_field="k", forbid_unknown_fields=True, omit_defaults=True):
    """Common settings of all bodies."""
