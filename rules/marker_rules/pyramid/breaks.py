"""Breaks of the match and the fine for coming late (clause 29)."""

from __future__ import annotations

from dataclasses import dataclass

from marker_rules.balls import Player
from marker_rules.errors import IllegalInput
from marker_rules.options import Options
from marker_rules.pyramid.state import NONE_EACH, Phase, PyramidState, Stage

EXTRA_FROM_RACE = 4  # wins of a match from which an extra break is given (RP-29.1b)
FINE_USD = 50  # for every minute (RP-29.3)


@dataclass(frozen=True, slots=True)
class Grant:
    """A break that may be taken: `extra` = the one before the deciding frame, `clause` that gives it."""

    clause: str
    extra: bool


def before_decider(state: PyramidState) -> bool:
    """Whether the deciding frame is next: both players lack one win and its break has not been played."""
    race_to = state.options["race_to"]
    if race_to is None or state.frames.a != race_to - 1 or state.frames.b != race_to - 1:
        return False
    fresh = state.phase is Phase.BREAK and state.shelf == state.debt == NONE_EACH
    return state.stage is Stage.FRAME_OVER or fresh


def request(state: PyramidState, player: Player, *, permission: str) -> Grant:
    """The break `player` may have now. Raises IllegalInput (code `refused`) when he has none.

    permission: `yes` or `no`, the table referee's word; it matters in live television only (RP-29.2).
    """
    if state.options["live_tv"] and permission != "yes":
        raise IllegalInput(
            "break refused: in live television the table referee must permit it (RP-29.2)", code="refused"
        )
    decider = before_decider(state)
    used = state.breaks.of(player) > 0
    if not used:
        if decider and state.options["unused_break_before_decider"] == "none":
            raise IllegalInput(f"break refused: {player} kept it until the deciding frame (RP-29.1c)", code="refused")
        return Grant("RP-29.1a", extra=False)
    if decider and state.options["race_to"] >= EXTRA_FROM_RACE and state.extra_breaks.of(player) == 0:
        if _regular_was_before_decider(state, player):
            return Grant("RP-29.1b", extra=True)
        raise IllegalInput(
            f"break refused: {player} took his regular break only now and has lost the extra one (RP-29.1c)",
            code="refused",
        )
    raise IllegalInput(f"break refused: {player} has used his break (RP-29.1a)", code="refused")


def _regular_was_before_decider(state: PyramidState, player: Player) -> bool:
    """Whether the regular break was taken before the score was level at one win short each."""
    played = state.frames.a + state.frames.b
    return all(entry.played < played for entry in state.log if entry.clause == "RP-29.1a" and entry.player is player)


def late_fine_usd(late_s: int, options: Options) -> int:
    """The fine in US dollars for `late_s` seconds: full minutes, or every started one (AMB-36)."""
    minutes = late_s // 60 if options["late_fine_rounding"] == "full" else -(-late_s // 60)
    return FINE_USD * minutes
