"""The ruling of a five-pins stroke, and of what happens between strokes."""

from __future__ import annotations

from dataclasses import dataclass

from marker_rules.five_pins.state import NIL, Half, Score
from marker_rules.ruling import Component, Ruling, Turn

_REFEREE = Turn.REFEREE


@dataclass(frozen=True, slots=True, kw_only=True)
class FivePinsRuling(Ruling):
    """points: credited by this stroke, before the cut to the limit. score: the game after it. letters: the striker's errors.

    waiting_letters: errors of the player who waits. own_pins: the cue ball felled pins after a correct contact (FP-F.0b).
    ball_in_hand is for `next`. hand_half: set by a placement, else None.
    """

    points: Score = NIL
    score: Score = NIL
    components: tuple[Component, ...] = ()
    ball_in_hand: bool = False
    letters: tuple[str, ...] = ()
    waiting_letters: tuple[str, ...] = ()
    own_pins: bool = False
    hand_half: Half | None = None

    @property
    def respot(self) -> tuple[str, ...]:
        """Pins and balls to be put back."""
        return tuple(placement.what for placement in self.placements)

    @property
    def short(self) -> str:
        """`A+6`, `B+4*` (* ball in hand), `0`; both credited: `A+2 B+4*`; `referee` where he must decide."""
        if self.next is _REFEREE:
            return "referee"
        a, b = self.points
        credit = f"A+{a} B+{b}" if a and b else f"A+{a}" if a else f"B+{b}" if b else "0"
        return credit + "*" if self.ball_in_hand else credit
