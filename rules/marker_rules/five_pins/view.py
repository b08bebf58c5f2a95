"""The facts of one five-pins stroke read once, in time order, into what the tables of the law ask about.

Facts that contradict each other or the layout raise IllegalFact with their position; nothing is guessed. What merely
looks odd (a ball that moves without having been struck) is taken as it was told.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from marker_rules import facts as f
from marker_rules.balls import CAROM_RAILS, FIVE_PINS_BALLS, Ball, Pin
from marker_rules.errors import IllegalFact
from marker_rules.five_pins.law import CAROM, RICOCHET, Law
from marker_rules.notation import format_fact

CUE, OPPONENT, RED = Ball.CUE, Ball.OPPONENT, Ball.RED
TOWARD, AWAY = f.LeanHow.TOWARD, f.LeanHow.AWAY


class ShotView:
    """Indices are positions in `facts` (0-based), -1 where the thing did not happen.

    opponent_at: first contact of cue ball and opponent's ball. red_first: the cue ball met red before that.
    carom: 0, 4 or 3 by the first touch of red after `opponent_at`, at `carom_at` (FP-8.2c).
    felled: pins that count -> (ball they belong to, index); None = a leaning pin under the later rule.
    cue_before, cue_after: the cue ball felled a pin before, after `opponent_at`.
    respot: pins that fell, were displaced or whose place became free; off: balls off the table.
    noted: (clause, phrase key, index) of what was seen and changed nothing.
    """

    __slots__ = (
        "_down",
        "_felled_before",
        "_hops_before",
        "_law",
        "_standing",
        "_struck",
        "both_touched",
        "carom",
        "carom_at",
        "chained",
        "cue_after",
        "cue_before",
        "cushion_first",
        "felled",
        "interference",
        "lean_foul",
        "moved",
        "noted",
        "off",
        "off_at",
        "opponent_at",
        "red_first",
        "respot",
        "same_instant",
        "strikes_again",
        "strikes_other",
        "touched_red_again",
        "wrong",
        "wrong_strike",
    )

    def __init__(self, facts: tuple[f.Fact, ...], standing: frozenset[Pin], law: Law, called_wrong: bool) -> None:
        self._law = law
        self._standing = standing
        self._struck: tuple[Ball, ...] = ()
        self._down: set[Pin] = set()
        self._felled_before: tuple[Ball, ...] = ()
        self._hops_before: tuple[tuple[Ball, int], ...] = ()
        self.moved = False
        self.wrong = called_wrong
        self.wrong_strike: tuple[int, ...] = ()
        self.strikes_again: tuple[int, ...] = ()
        self.strikes_other: tuple[int, ...] = ()
        self.opponent_at = self.red_first = self.carom_at = self.interference = -1
        self.same_instant = self.both_touched = self.touched_red_again = self.cushion_first = False
        self.carom = 0
        self.felled: dict[Pin, tuple[Ball | None, int]] = {}
        self.chained: tuple[int, ...] = ()
        self.cue_before: tuple[int, ...] = ()
        self.cue_after: tuple[int, ...] = ()
        self.lean_foul: tuple[int, ...] = ()
        self.respot: dict[Pin, None] = {}
        self.off: tuple[Ball, ...] = ()
        self.off_at: tuple[int, ...] = ()
        self.noted: list[tuple[str, str, int]] = []
        for index, fact in enumerate(facts):
            _READERS[type(fact)](self, fact, index)

    @property
    def unsuspicious(self) -> bool:
        """True where no row of the law can find an error in the facts: the opponent's ball first, nothing else amiss."""
        return (
            self.opponent_at >= 0
            and self.red_first < 0
            and not (self.cue_before or self.off or self.wrong or self._hops_before)
            and len(self._struck) < 2
        )

    @property
    def hopped(self) -> tuple[int, ...]:
        """Jumps over pins that are error O: by cue ball or red, before the contact, no pin felled by that ball (A10)."""
        if not self._hops_before:
            return ()
        return tuple(at for ball, at in self._hops_before if ball not in self._felled_before)

    @property
    def clipped(self) -> tuple[int, ...]:
        """Jumps before the contact that are no error O, because the jumping ball felled a pin (A10)."""
        if not self._hops_before:
            return ()
        return tuple(at for ball, at in self._hops_before if ball in self._felled_before)

    # --- checks -------------------------------------------------------------------------------------------------

    def _ball(self, ball: Ball, fact: f.Fact, index: int) -> None:
        if not self.off and (ball is CUE or ball is OPPONENT or ball is RED):
            return
        if ball is not CUE and ball is not OPPONENT and ball is not RED:
            _refuse(fact, index, f"ball {ball} is not on a five-pins table ({', '.join(FIVE_PINS_BALLS)} are)")
        if ball in self.off:
            since = self.off_at[self.off.index(ball)] + 1
            _refuse(
                fact, index, f"{ball} is off the table since fact {since}; if it dropped back, put 'off' last (FP-J.1)"
            )

    def _upright(self, pin: Pin, fact: f.Fact, index: int) -> None:
        if pin not in self._standing:
            _refuse(fact, index, f"pin {pin} was not standing before the stroke")
        if pin in self._down:
            _refuse(fact, index, f"pin {pin} had fallen already and did not stand up again")

    # --- one reader a kind of fact --------------------------------------------------------------------------------

    def _strike(self, fact: f.Strike, index: int) -> None:
        self._ball(fact.ball, fact, index)
        self.moved = True
        if not self._struck:
            if fact.ball is not CUE:
                self.wrong_strike, self.wrong = (index,), True
        elif fact.ball in self._struck:
            self.strikes_again += (index,)
        else:
            self.strikes_other += (index,)
        self._struck += (fact.ball,)

    def _contact(self, fact: f.Contact, index: int) -> None:
        self.moved = True
        cue_opponent = cue_red = opponent_red = False
        for first, second in fact.pairs:
            self._ball(first, fact, index)
            self._ball(second, fact, index)
            if first is second:
                _refuse(fact, index, f"{first} cannot meet itself")
            if first is not CUE and second is not CUE:
                opponent_red = True
            elif first is OPPONENT or second is OPPONENT:
                cue_opponent = True
            else:
                cue_red = True
        if fact.unmoved:  # played away from a touching ball, which stayed: no touch in the sense of the rules
            self.noted.append(("FP-C.3", "parted", index))
        elif self.opponent_at < 0:
            if cue_opponent:
                self.opponent_at, self.same_instant = index, cue_red
                if opponent_red and not cue_red:  # it stood against red: struck, it reached red at once (FP-5.6)
                    self.carom, self.carom_at = RICOCHET, index
            elif cue_red and self.red_first < 0:
                self.red_first = index
        elif cue_red or opponent_red:
            if self.carom:
                self.touched_red_again = True
            else:
                self.carom = CAROM if cue_red else RICOCHET
                self.carom_at, self.both_touched = index, cue_red and opponent_red

    def _cushion(self, fact: f.Cushion | f.Frozen, index: int) -> None:
        self._ball(fact.ball, fact, index)
        if fact.rail not in CAROM_RAILS:
            _refuse(fact, index, f"a five-pins table has no cushion '{fact.rail}' ({', '.join(sorted(CAROM_RAILS))})")
        if type(fact) is f.Cushion:
            self.moved = True
            if fact.ball is CUE and self.opponent_at < 0 and self.red_first < 0:
                self.cushion_first = True

    def _fell(self, pin: Pin, by: Ball, index: int) -> None:
        """`pin` counts as felled by `by`; a second fall of the same pin is worth nothing more."""
        if pin not in self.felled:
            self.felled[pin] = (by, index)
        self.respot[pin] = None
        if self.opponent_at < 0:
            self._felled_before += (by,)
            if by is CUE:
                self.cue_before += (index,)
        elif by is CUE:
            self.cue_after += (index,)

    def _topple(self, fact: f.Topple, index: int) -> None:
        if fact.chain:  # the ball that began a chain may itself have left the table meanwhile
            if fact.by not in FIVE_PINS_BALLS:
                self._ball(fact.by, fact, index)
            self.chained += (index,)
        else:
            self._ball(fact.by, fact, index)
        self.moved = True
        for pin in fact.pins:
            self._upright(pin, fact, index)
            self._down.add(pin)
            self._fell(pin, fact.by, index)

    def _restand(self, fact: f.Restand, index: int) -> None:
        if fact.pin not in self._down:
            _refuse(fact, index, f"pin {fact.pin} had not fallen")
        self._down.discard(fact.pin)
        self.noted.append(("FP-T.2", "restand", index))

    def _wobble(self, fact: f.Wobble, index: int) -> None:
        self._upright(fact.pin, fact, index)
        self.noted.append(("FP-T.5", "wobble", index))

    def _shift(self, fact: f.Shift, index: int) -> None:
        self._upright(fact.pin, fact, index)
        if fact.by is not None:
            self._ball(fact.by, fact, index)
        self.respot[fact.pin] = None
        if fact.by is not None and self._law.shifted_counts:
            self._fell(fact.pin, fact.by, index)
            self.noted.append(("FP-T.4a", "shift_counts", index))
        else:
            self.noted.append(("FP-T.4a", "shift", index))

    def _free(self, fact: f.Free, index: int) -> None:
        if fact.pin in self._standing:
            _refuse(fact, index, f"pin {fact.pin} stood before the stroke, so no ball was on its place")
        self.respot[fact.pin] = None
        self.noted.append(("FP-T.7c", "free", index))

    def _lean(self, fact: f.Lean, index: int) -> None:
        self._ball(fact.ball, fact, index)
        self._upright(fact.pin, fact, index)
        self._down.add(fact.pin)
        if fact.ball is not CUE:  # a fall caused by the motion of another ball counts (A26)
            self._fell(fact.pin, fact.ball, index)
            self.noted.append(("FP-T.1", "lean_other", index))
        elif fact.how is TOWARD:
            self._fell(fact.pin, CUE, index)
            self.noted.append(("FP-T.6b", "lean_toward", index))
        elif fact.how is AWAY:
            self.respot[fact.pin] = None
            if self._law.leaning_later:
                self.felled.setdefault(fact.pin, (None, index))
                self.lean_foul += (index,)
            else:
                self.noted.append(("FP-T.6a", "lean_away", index))
        else:
            _refuse(fact, index, "for a pin leaning on the cue ball say 'away' or 'toward': the direction decides")

    def _hop(self, fact: f.Hop, index: int) -> None:
        self._ball(fact.ball, fact, index)
        self.moved = True
        if self.opponent_at < 0 and fact.ball is not OPPONENT:
            self._hops_before += ((fact.ball, index),)
        else:
            self.noted.append(("FP-F.O", "hop_after", index))

    def _pass(self, fact: f.Pass, index: int) -> None:
        self._ball(fact.ball, fact, index)
        self.moved = True
        self.noted.append(("FP-F.O", "pass", index))

    def _off(self, fact: f.Off, index: int) -> None:
        self._ball(fact.ball, fact, index)
        self.off += (fact.ball,)
        self.off_at += (index,)

    def _support(self, fact: f.Support, index: int) -> None:
        self._ball(fact.ball, fact, index)
        self.noted.append(("FP-C.4", "support", index))

    def _interference(self, _fact: f.Interference, index: int) -> None:
        if self.interference < 0:
            self.interference = index

    def _cross(self, fact: f.Cross, index: int) -> None:
        self._ball(fact.ball, fact, index)

    def _note(self, fact: f.Note, index: int) -> None:
        """A note carries no meaning for the rules."""

    def _foreign(self, fact: f.Fact, index: int) -> None:
        _refuse(fact, index, "a five-pins table has no pockets; this fact belongs to pyramid")


def _refuse(fact: f.Fact, index: int, why: str) -> NoReturn:
    raise IllegalFact(f"fact {index + 1} '{format_fact(fact)}': {why}", position=index)


_READERS: dict[type, Callable[[ShotView, Any, int], None]] = {
    f.Strike: ShotView._strike,
    f.Contact: ShotView._contact,
    f.Cushion: ShotView._cushion,
    f.Frozen: ShotView._cushion,
    f.Topple: ShotView._topple,
    f.Restand: ShotView._restand,
    f.Wobble: ShotView._wobble,
    f.Shift: ShotView._shift,
    f.Free: ShotView._free,
    f.Lean: ShotView._lean,
    f.Hop: ShotView._hop,
    f.Pass: ShotView._pass,
    f.Off: ShotView._off,
    f.Support: ShotView._support,
    f.Interference: ShotView._interference,
    f.Cross: ShotView._cross,
    f.Note: ShotView._note,
    f.Pot: ShotView._foreign,
    f.Back: ShotView._foreign,
    f.Jaw: ShotView._foreign,
    f.Zone: ShotView._foreign,
    f.Return: ShotView._foreign,
}
