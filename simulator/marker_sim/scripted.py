"""Scripted five-pins play: plausible strokes drawn from a seed, without physics.

Each stroke is drawn from what can happen under the rules (first ball, who reaches red, who fells which pins, balls
off, misses), so that every kind of ruling comes up within a game. Times are typical, not computed.
"""

from __future__ import annotations

from collections.abc import Iterable

from marker_rules.balls import CAROM_RAILS, Ball, Pin, Player, Rail
from marker_rules.facts import Contact, Cushion, Off, Strike, Topple
from marker_rules.shot import Call
from marker_sim.rng import Stream
from marker_sim.timeline import MS, Timed, Timeline

FIRST_BALL = ((Ball.OPPONENT, 0.84), (Ball.RED, 0.08), (None, 0.08))
RED_AFTER = ((None, 0.62), (Ball.CUE, 0.2), (Ball.OPPONENT, 0.18))
PIN_COUNT = ((0, 0.5), (1, 0.22), (2, 0.16), (3, 0.07), (4, 0.03), (5, 0.02))
CALLED = ("Z", "L", "M", "R", "ZH", "P")
CALL_RATE = 0.03
OFF_RATE = 0.02
RAILS = tuple(sorted(CAROM_RAILS))


class _Clock:
    """Moments of a stroke, each later than the one before."""

    def __init__(self, chance: Stream) -> None:
        self.chance = chance
        self.now_ms = 0.0

    def later(self, low_ms: float, high_ms: float) -> int:
        self.now_ms += self.chance.uniform(low_ms, high_ms)
        return int(self.now_ms * MS)


def _fell(pins: Iterable[Pin], by: Ball, chance: Stream, clock: _Clock, items: list[Timed]) -> None:
    """Fell `pins` one after another; the later ones sometimes by the pin before (a chain that `by` began)."""
    for index, pin in enumerate(pins):
        chain = index > 0 and chance.chance(0.25)
        items.append(Timed(clock.later(40, 220), Topple((pin,), by, chain), chance.uniform(0.3, 1.5)))


def _cushions(balls: Iterable[Ball], chance: Stream, clock: _Clock, items: list[Timed]) -> None:
    for ball in balls:
        for _ in range(chance.below(3)):
            rail: Rail = chance.pick(RAILS)
            items.append(Timed(clock.later(60, 420), Cushion(ball, rail), chance.uniform(0.3, 3.0)))


def _split(
    pins: tuple[Pin, ...], chance: Stream, first: Ball | None, red_hit: bool
) -> list[tuple[Ball, list[Pin], bool]]:
    """Who fells which pins: (ball, pins, before the first contact)."""
    if not pins:
        return []
    if first is None:
        return [(Ball.CUE, list(pins), False)]
    movers = [(first, 0.74), (Ball.CUE, 0.12)]
    if red_hit and first is not Ball.RED:
        movers.append((Ball.RED, 0.2))
    shares: dict[Ball, list[Pin]] = {}
    for pin in pins:
        shares.setdefault(chance.weighted(movers), []).append(pin)
    return [(ball, share, ball is Ball.CUE and chance.chance(0.35)) for ball, share in shares.items()]


def stroke(seed: int, number: int, striker: Player, standing: frozenset[Pin]) -> Timeline:
    """The stroke `number` (1..) of a game with `seed`. `standing`: pins that can fall. The same arguments give the same stroke."""
    chance = Stream(seed, "script", number)
    clock = _Clock(chance)
    items: list[Timed] = [Timed(0, Strike(Ball.CUE), chance.uniform(1.0, 4.0))]
    first = chance.weighted(FIRST_BALL)
    red_after = chance.weighted(RED_AFTER) if first is Ball.OPPONENT else None
    count = min(chance.weighted(PIN_COUNT), len(standing))
    pins = chance.some(sorted(standing), count)
    felled = _split(pins, chance, first, red_after is not None)

    if chance.chance(0.3):
        _cushions((Ball.CUE,), chance, clock, items)
    for ball, share, before in felled:
        if before:
            _fell(share, ball, chance, clock, items)
    if first is not None:
        items.append(Timed(clock.later(150, 900), Contact(((Ball.CUE, first),)), chance.uniform(0.5, 3.0)))
    if red_after is not None:
        items.append(Timed(clock.later(80, 900), Contact(((red_after, Ball.RED),)), chance.uniform(0.3, 2.0)))
    if first is Ball.RED and chance.chance(0.4):
        items.append(Timed(clock.later(80, 900), Contact(((Ball.CUE, Ball.OPPONENT),)), chance.uniform(0.3, 2.0)))
    for ball, share, before in felled:
        if not before:
            _fell(share, ball, chance, clock, items)
    moving = [Ball.CUE, *([first] if first else []), *([Ball.RED] if red_after else [])]
    _cushions(moving, chance, clock, items)
    if chance.chance(OFF_RATE):
        items.append(Timed(clock.later(50, 300), Off(chance.pick(moving), "floor"), 0.0))
    rest = clock.later(900, 4500)
    return Timeline(tuple(items), rest, _calls(chance, striker))


def _calls(chance: Stream, striker: Player) -> tuple[Call, ...]:
    """What the referee sees and no sensor feels."""
    return (Call(chance.pick(CALLED), striker),) if chance.chance(CALL_RATE) else ()
