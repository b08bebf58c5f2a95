"""Shot: everything known of one stroke, facts in time order and what the referee called."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from marker_rules.balls import Player
from marker_rules.facts import Fact


class When(StrEnum):
    """When a called offence happened, relative to the shot."""

    DURING = "during"
    AFTER = "after"  # the balls had stopped
    SITTING = "sitting"  # by the player who waits


@dataclass(frozen=True, slots=True)
class Call:
    """A foul or event the referee entered: `code` as in the rule catalogue, without a game prefix for letters (`Z`) or a clause id."""

    code: str
    by: Player
    when: When = When.DURING


@dataclass(frozen=True, slots=True)
class Shot:
    """facts: 0..400 items in time order; calls: each code at most once a player.

    `decided`: what the referee decided on the points a clause leaves to him (`push_check` yes or no, `warned`).
    """

    facts: tuple[Fact, ...] = ()
    calls: tuple[Call, ...] = ()
    decided: tuple[tuple[str, str], ...] = ()
