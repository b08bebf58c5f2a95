"""Where balls go after an error: ball in hand, the starting place, balls that jumped (FP-H.2a to FP-H.5b, FP-J.3a to FP-J.3f).

Nothing on the table senses where a ball lies, so the referee says it: `Lie`. The offender is the player who has just
played; his ball is the `cue` ball of that stroke. The incoming player's ball is in the referee's hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from marker_rules.balls import Ball
from marker_rules.errors import IllegalInput, Undecided
from marker_rules.five_pins.state import Half
from marker_rules.options import Options
from marker_rules.ruling import Placement, Step


class Spot(StrEnum):
    """A marked ball spot; the value is its name in the table files."""

    UPPER = "upper"  # FP-1.4
    RED = "red"  # FP-1.5
    LOWER_CENTRE = "lower_centre"  # FP-1.6
    LOWER = "lower"  # FP-1.7

    @property
    def word(self) -> str:
        """As in the scenario files: `UPPER`, `LOWER-CENTRE`."""
        return self.value.upper().replace("_", "-")


SPOT_HALF = {Spot.UPPER: Half.UPPER, Spot.RED: Half.UPPER, Spot.LOWER_CENTRE: Half.LOWER, Spot.LOWER: Half.LOWER}
TWIN = {  # the corresponding spot of the other half (FP-H.5b; FP-J.3b with blocked_spot = other_half)
    Spot.UPPER: Spot.LOWER,
    Spot.LOWER: Spot.UPPER,
    Spot.RED: Spot.LOWER_CENTRE,
    Spot.LOWER_CENTRE: Spot.RED,
}
OWN_SPOT = {Ball.RED: Spot.RED, Ball.CUE: Spot.UPPER, Ball.OPPONENT: Spot.UPPER}  # a player's ball owns UPPER (A13)
OPPOSITE = {Half.UPPER: Half.LOWER, Half.LOWER: Half.UPPER, Half.MIDLINE: Half.LOWER}  # FP-H.2a, FP-H.4


@dataclass(frozen=True, slots=True)
class Lie:
    """What the referee sees. offender_half: where the offender's ball lies; opponent_half: the incoming player's ball.

    upper, red, lower: the ball on that spot, None = free. start: the incoming player asks for the starting place.
    """

    jumped: frozenset[Ball] = frozenset()
    offender_half: Half | None = None
    opponent_half: Half | None = None
    upper: Ball | None = None
    red: Ball | None = None
    lower: Ball | None = None
    start: bool = False


@dataclass(frozen=True, slots=True)
class Placed:
    """hand_half: where the incoming player places his ball. offender, red: the spot of that ball, None = it stays."""

    hand_half: Half
    offender: Spot | None
    red: Spot | None
    steps: tuple[Step, ...]

    @property
    def placements(self) -> tuple[Placement, ...]:
        """What the referee puts where, in the words of the table files."""
        balls = [Placement("red", self.red)] if self.red else []
        return (*balls, Placement("cue", self.offender)) if self.offender else tuple(balls)


def place(lie: Lie, options: Options) -> Placed:
    """Where the balls go (FP-J.3 and what follows it). Raises Undecided naming what the referee must say, IllegalInput where he contradicts himself."""
    steps: list[Step] = []
    occupied = {Spot.UPPER: lie.upper, Spot.RED: lie.red, Spot.LOWER: lie.lower, Spot.LOWER_CENTRE: None}
    for spot, ball in occupied.items():
        if ball in lie.jumped:
            raise IllegalInput(f"{spot}_spot: {ball} cannot block it, it jumped off the table", code=f"{spot}_spot")
    _check_halves(lie, occupied)
    red = _red(occupied, options, steps) if Ball.RED in lie.jumped else None
    if red is not None:
        occupied[red] = Ball.RED
    if lie.start:
        offender = _starting_place(occupied, steps)
    elif Ball.CUE in lie.jumped:
        offender = _jumped_cue(lie, occupied, options, steps)
    else:
        offender = None
    half = SPOT_HALF[offender] if offender else lie.offender_half
    if half is None:
        raise Undecided(
            "the half where the offender's ball lies is not known; say upper, lower or midline",
            features=("offender_half",),
        )
    if Ball.OPPONENT in lie.jumped:
        steps.append(Step("FP-J.3c", "opponent_in_hand"))
    if red is not None:
        steps.append(Step("FP-J.3f", "own_ball_in_hand"))
    if half is Half.MIDLINE:
        steps.append(Step("FP-H.4", "on_midline"))
    else:
        steps.append(Step("FP-H.2a", "opposite_half", (("half", OPPOSITE[half].value),)))
    if offender is None:
        steps.append(Step("FP-H.2b", "offender_stays"))
    return Placed(OPPOSITE[half], offender, red, tuple(steps))


def _check_halves(lie: Lie, occupied: dict[Spot, Ball | None]) -> None:
    """A ball cannot lie in one half and block a spot of the other."""
    for ball, half in ((Ball.CUE, lie.offender_half), (Ball.OPPONENT, lie.opponent_half)):
        for spot, blocker in occupied.items():
            if blocker is ball and half is not None and half is not SPOT_HALF[spot]:
                raise IllegalInput(
                    f"{spot}_spot: {ball} cannot lie there, it lies in the half '{half}'", code=f"{spot}_spot"
                )


def _blocked(spot: Spot, blocker: Ball, clause: str, options: Options, steps: list[Step]) -> Spot:
    other_half = options["blocked_spot"] == "other_half"
    goes = TWIN[spot] if other_half else OWN_SPOT[blocker]
    steps.append(Step(clause, "blocked", (("spot", spot.word), ("ball", blocker.value), ("to", goes.word))))
    return goes


def _red(occupied: dict[Spot, Ball | None], options: Options, steps: list[Step]) -> Spot:
    steps.append(Step("FP-J.3d", "red_to_spot"))
    blocker = occupied[Spot.RED]
    if blocker is None:
        return Spot.RED
    spot = _blocked(Spot.RED, blocker, "FP-J.3e", options, steps)
    if occupied[spot] is Ball.CUE:
        raise Undecided(
            "the red spot and the spot due instead are both occupied; the referee chooses", features=("red",)
        )
    return spot


def _starting_place(occupied: dict[Spot, Ball | None], steps: list[Step]) -> Spot:
    steps.append(Step("FP-H.5a", "starting_place"))
    if occupied[Spot.UPPER] is not Ball.RED:
        return Spot.UPPER
    steps.append(Step("FP-H.5b", "starting_place_blocked"))
    return Spot.LOWER


def _jumped_cue(lie: Lie, occupied: dict[Spot, Ball | None], options: Options, steps: list[Step]) -> Spot:
    """The short cushion opposite to the incoming player's ball; with that ball off as well, the starting place."""
    if Ball.OPPONENT in lie.jumped:
        spot = Spot.UPPER
    elif lie.opponent_half is None:
        raise Undecided(
            "the half where the incoming player's ball lies is not known; say upper, lower or midline",
            features=("opponent_half",),
        )
    else:
        spot = Spot.LOWER if lie.opponent_half is Half.UPPER else Spot.UPPER
    steps.append(Step("FP-J.3a", "cue_to_spot", (("spot", spot.word),)))
    blocker = occupied[spot]
    return spot if blocker is None else _blocked(spot, blocker, "FP-J.3b", options, steps)
