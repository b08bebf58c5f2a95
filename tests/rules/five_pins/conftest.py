"""Helpers of the five-pins tests: judge a stroke given as text, and draw random strokes that can have happened."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

import pytest

from marker_rules import facts as f
from marker_rules.balls import ALL_PINS, Ball, GameId, Pin, Player, Rail
from marker_rules.five_pins.game import FIVE_PINS
from marker_rules.five_pins.ruling import FivePinsRuling
from marker_rules.five_pins.state import FivePinsState, Mode, Score
from marker_rules.notation import parse_facts
from marker_rules.options import Options
from marker_rules.shot import Call, Shot

Judge = Callable[..., FivePinsRuling]
BALLS = (Ball.CUE, Ball.OPPONENT, Ball.RED)
STROKE_LETTERS = ("A", "E", "ZH", "Z", "I", "K", "L", "M", "N", "O", "P", "R", "D", "B", "V", "G")
SWITCHES: dict[str, tuple[Any, ...]] = {
    "bevuto_extra": (0, 2),
    "red_first": ("additive", "always_4"),
    "stacking": ("sum", "single_plus_red"),
    "centre_alone": (8, 10),
    "need_full": (True, False),
    "leaning_pin": ("text", "later"),
    "shifted_counts": (False, True),
    "waiting_player_errors": ("count", "ignore"),
    "wrong_ball_pins": (True, False),
    "carom_after_red_first": (False, True),
    "foot_always": (False, True),
}


class Drawn(NamedTuple):
    """A stroke with the state and the options it is judged under."""

    shot: Shot
    before: FivePinsState
    options: Options


def judge_text(
    facts: str = "",
    *,
    calls: str = "",
    striker: str = "A",
    score: tuple[int, int] = (0, 0),
    limit: int = 50,
    mode: str = "normal",
    pins: str = "C,N,E,S,W",
    **switches: Any,
) -> FivePinsRuling:
    """judge_text("strike cue; contact cue opponent", calls="Z,P@B", mode="hand", score=(3, 4), pins="C,N", stacking=...)."""
    options = Options(GameId.FIVE_PINS, switches)
    texts = [text.strip() for text in facts.split(";") if text.strip()]
    called = [call.strip().partition("@") for call in calls.split(",") if call.strip()]
    shot = Shot(parse_facts(texts), tuple(Call(code, Player(by or striker)) for code, _, by in called))
    before = FIVE_PINS.read_before(
        {
            "striker": striker,
            "score": {"A": score[0], "B": score[1]},
            "limit": limit,
            "mode": mode,
            "pins": pins.split(",") if pins else [],
        },
        options,
    )
    return FIVE_PINS.rule(shot, before, options)


@pytest.fixture(scope="session")
def judge() -> Judge:
    """`judge(facts, ...)`: see judge_text."""
    return judge_text


class _Story:
    """A random stroke in the making: only facts that can follow what went before."""

    def __init__(self, rng: Random, standing: frozenset[Pin]) -> None:
        self.rng = rng
        self.up = set(standing)
        self.down: set[Pin] = set()
        self.absent = set(ALL_PINS - standing)
        self.on = list(BALLS)
        self.facts: list[f.Fact] = []

    def ball(self) -> Ball:
        return self.rng.choice(self.on)

    def step(self) -> None:
        """Add one fact, or none where the drawn kind is not possible now."""
        kind = self.rng.choices(("contact", "topple", "cushion", "other", "off"), weights=(40, 30, 10, 17, 3))[0]
        if kind == "contact" and len(self.on) > 1:
            self.facts.append(self._contact())
        elif kind == "topple" and self.up:
            pins = self.rng.sample(sorted(self.up), min(len(self.up), self.rng.choice((1, 1, 1, 2, 3))))
            self.up -= set(pins)
            self.down |= set(pins)
            self.facts.append(f.Topple(tuple(pins), self.ball(), self.rng.random() < 0.2))
        elif kind == "cushion":
            self.facts.append(f.Cushion(self.ball(), self.rng.choice((Rail.TOP, Rail.BOTTOM, Rail.LEFT, Rail.RIGHT))))
        elif kind == "off" and len(self.on) > 1:
            ball = self.ball()
            self.on.remove(ball)
            self.facts.append(f.Off(ball))
        elif kind == "other":
            self._other()

    def _contact(self) -> f.Contact:
        pair = tuple(self.rng.sample(self.on, 2))
        pairs = [(pair[0], pair[1])]
        if self.rng.random() < 0.15 and len(self.on) == 3:
            third = next(ball for ball in self.on if ball not in pair)
            pairs.append((pair[0], third))
        return f.Contact(tuple(pairs), self.rng.random() < 0.05 and len(pairs) == 1)

    def _other(self) -> None:
        rng = self.rng
        kind = rng.choice(
            ("hop", "pass", "shift", "shift", "wobble", "lean", "lean", "restand", "free", "support", "strike")
        )
        if kind == "hop":
            self.facts.append(f.Hop(self.ball()))
        elif kind == "pass":
            self.facts.append(f.Pass(self.ball()))
        elif kind == "support":
            self.facts.append(f.Support(self.ball()))
        elif kind == "strike" and rng.random() < 0.3:
            self.facts.append(f.Strike(self.ball()))
        elif kind == "restand" and self.down:
            pin = rng.choice(sorted(self.down))
            self.down.remove(pin)
            self.up.add(pin)
            self.facts.append(f.Restand(pin))
        elif kind == "free" and self.absent:
            self.facts.append(f.Free(self.absent.pop()))
        elif self.up and kind in ("shift", "wobble", "lean"):
            self._pin(kind, rng.choice(sorted(self.up)))

    def _pin(self, kind: str, pin: Pin) -> None:
        if kind == "shift":
            self.facts.append(f.Shift(pin, self.rng.choice((None, *self.on))))
        elif kind == "wobble":
            self.facts.append(f.Wobble(pin))
        else:
            ball = self.ball()
            how = self.rng.choice((f.LeanHow.AWAY, f.LeanHow.TOWARD)) if ball is Ball.CUE else f.LeanHow.DRIVEN_OFF
            self.up.discard(pin)
            self.down.add(pin)
            self.facts.append(f.Lean(pin, ball, how))


def draw_stroke(
    rng: Random, *, default_switches: bool = False, waiting: bool = True, interference: bool = True
) -> Drawn:
    """A random stroke that can have happened, with a random state and random switches."""
    switches = {} if default_switches else {n: rng.choice(v) for n, v in SWITCHES.items() if rng.random() < 0.25}
    options = Options(GameId.FIVE_PINS, switches)
    standing = ALL_PINS if rng.random() < 0.7 else frozenset(rng.sample(sorted(ALL_PINS), rng.randint(0, 5)))
    story = _Story(rng, standing)
    story.facts.append(f.Strike(rng.choices(BALLS, weights=(95, 3, 2))[0]))
    if rng.random() < 0.6:
        story.facts.append(f.Contact(((Ball.CUE, Ball.OPPONENT),)))
    for _ in range(rng.choice((0, 1, 2, 3, 4, 5, 6, 8))):
        story.step()
    if interference and rng.random() < 0.02:
        story.facts.append(f.Interference(f.Disturbance.THIRD_PARTY))
    striker = rng.choice((Player.A, Player.B))
    calls = [Call(letter, striker) for letter in rng.sample(STROKE_LETTERS, rng.choice((0, 0, 0, 0, 0, 1, 1, 2)))]
    if waiting and rng.random() < 0.08:
        calls += [Call(letter, striker.other) for letter in rng.sample(("I", "K", "P"), rng.choice((1, 1, 2)))]
    limit = rng.choice((20, 50, 60))
    mode = rng.choices((Mode.NORMAL, Mode.OPENING, Mode.HAND, Mode.CONTACT_RESET), weights=(60, 15, 15, 10))[0]
    before = FivePinsState(
        striker=striker,
        limit=limit,
        score=Score(rng.randrange(limit), rng.randrange(limit)),
        mode=mode,
        pins=standing,
        options=options,
    )
    return Drawn(Shot(tuple(story.facts), tuple(calls)), before, options)


@pytest.fixture(scope="session")
def draw() -> Callable[..., Drawn]:
    """`draw(rng)`: see draw_stroke."""
    return draw_stroke


DIRECT = {"judge": judge_text, "draw": draw_stroke}  # fixtures that need no pytest: mutants are tried with them first
