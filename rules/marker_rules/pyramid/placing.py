"""Where balls are placed again (clause 23.2): the n-th place on the spotting line, in the table's frame.

Nothing senses where balls lie, so a ruling names the free n-th place and the referee minds what stands in the way
(AMB-32). Where positions are known, as in a simulation, `places` also steps over them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from marker_rules.errors import IllegalInput
from marker_rules.ruling import Placement

ANY_WHITE = "white"  # a ball nobody has to tell apart from the others
GAP_MM = 1.0  # "as close as possible but not touching"
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class SpottingLine:
    """The long axis from the rear spot to the back cushion (RP-1.1.5, RP-1.1.7), mm, frame of the table files (+x from head to foot, y = 0 on the axis).

    rear_x: rear spot; foot_x: nose of the back cushion; centre_x: centre spot; ball_d: diameter of a ball.
    """

    rear_x: float = 887.5
    foot_x: float = 1775.0
    centre_x: float = 0.0
    ball_d: float = 68.0
    gap: float = GAP_MM

    @property
    def last_x(self) -> float:
        """The last place a ball's centre can have before the back cushion."""
        return self.foot_x - self.ball_d / 2

    @property
    def pitch(self) -> float:
        """Distance of neighbouring centres."""
        return self.ball_d + self.gap


DEFAULT_LINE = SpottingLine()


def places(balls: int, line: SpottingLine = DEFAULT_LINE, obstacles: Sequence[Point] = ()) -> tuple[Point, ...]:
    """Centres for `balls` balls in the order they are placed: the rear spot (RP-23.2a), then towards the back cushion (RP-23.2b),
    then, when there is no room, from the rear spot towards the centre (RP-23.2d).

    obstacles: centres of balls in the way; each place is then as near to the rear spot and to them as can be without
    touching (RP-23.2c). Raises IllegalInput when the line and its extension are full.
    """
    found: list[Point] = []
    taken = list(obstacles)
    for _ in range(balls):
        x = _free_x(line, taken, towards_foot=True)
        if x is None:
            x = _free_x(line, taken, towards_foot=False)
        if x is None:
            raise IllegalInput(f"{balls} balls: only {len(found)} find room on the spotting line", code="placing")
        found.append((x, 0.0))
        taken.append((x, 0.0))
    return tuple(found)


def nth_place(n: int, line: SpottingLine = DEFAULT_LINE) -> Point:
    """The free n-th place (1 = the rear spot), nothing in the way. Raises IllegalInput below 1 or where none is left."""
    if n < 1:
        raise IllegalInput(f"place {n} on the spotting line: places count from 1", code="placing")
    return places(n, line)[-1]


def spot_name(n: int) -> str:
    """The name rulings give to the n-th place."""
    return f"line-{n}"


def on_the_line(balls: Sequence[str]) -> tuple[Placement, ...]:
    """Balls on the spotting line, each with its place from the rear spot on (RP-23.1, RP-23.2a, RP-23.2b)."""
    return tuple(Placement(ball, spot_name(n)) for n, ball in enumerate(balls, 1))


def added(before: Sequence[Placement], more: Sequence[Placement]) -> tuple[Placement, ...]:
    """What is to be put back when `more` comes to what was due `before`: the later word about a ball holds, whites nobody
    tells apart are one ball each, and those on the line stand in a row.
    """
    named = {placed.what for placed in more if placed.what != ANY_WHITE}
    listed = [*(placed for placed in before if placed.what not in named), *more]
    line = [placed.what for placed in listed if placed.spot.startswith("line-")]
    return (*(placed for placed in listed if not placed.spot.startswith("line-")), *on_the_line(line))


def _free_x(line: SpottingLine, taken: Sequence[Point], *, towards_foot: bool) -> float | None:
    """The free place nearest to the rear spot on one side of it, None if there is none."""
    sign = 1.0 if towards_foot else -1.0
    x = line.rear_x
    end = line.last_x if towards_foot else line.centre_x
    while sign * (end - x) >= -1e-9:
        beyond = [_step_over(line, x, ball, sign) for ball in taken]
        farthest = max((b for b in beyond if b is not None), key=lambda b: sign * b, default=None)
        if farthest is None:
            return x
        x = farthest
    return None


def _step_over(line: SpottingLine, x: float, ball: Point, sign: float) -> float | None:
    """Where a ball must go on the line to clear `ball`, None when at `x` it is clear already."""
    reach = line.pitch**2 - ball[1] ** 2
    if reach <= 0 or (x - ball[0]) ** 2 >= reach - 1e-6:
        return None
    return float(ball[0] + sign * reach**0.5)
