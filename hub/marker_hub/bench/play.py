"""Random shots for measurements: what happened, what sensors would have said of it, what a truthful referee answers.

Invented play, not measured play: the shares below are plausible, no more. The stories obey the same physics as the rules
(a ball must move to hit anything), but are told event by event and know nothing of the evidence engine.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from marker_hub.bench.play_five_pins import five_pins_shot, five_pins_truth
from marker_hub.bench.play_pyramid import pyramid_shot, pyramid_truth
from marker_rules import facts as f
from marker_rules.evidence.observations import Evidence, Frozen, Kind, Observation, Quality
from marker_rules.game import game
from marker_rules.options import Options
from marker_rules.ruling import Ruling
from marker_rules.shot import Call, Shot

CLICK_HEARD = 0.88  # share of ball contacts loud enough
CUSHION_FELT = 0.88  # about 12 % of cushion contacts are too soft to feel
CLICK_INVENTED = 0.15  # share of falling pins that tick like a ball contact


class Sensors(StrEnum):
    """What a table is fitted with."""

    ALL = "all"  # every channel complete and exact
    HINTS = "hints"  # pins and gates exact, clicks and cushions as they really are
    MAIN = "main"  # pins and gates only
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Play:
    """One shot: the state before it, all facts, the calls a referee makes, and those that are asked of him instead."""

    before: Any
    facts: tuple[f.Fact, ...]
    calls: tuple[Call, ...]
    asked_calls: tuple[Call, ...] = ()

    def ruling(self, options: Options) -> Ruling:
        """The true ruling."""
        return game(options.game).rule(Shot(self.facts, self.calls + self.asked_calls), self.before, options)


def shots(options: Options, seed: int, number: int) -> Iterator[Play]:
    """`number` random shots; the same for the same seed."""
    rng = random.Random(f"{options.game} {seed}")
    make = pyramid_shot if options.game.is_pyramid else five_pins_shot
    for _ in range(number):
        before, facts, calls, asked = make(rng, options)
        yield Play(before, facts, calls, asked)


def truth(play: Play, options: Options) -> dict[str, str]:
    """What a referee who saw everything answers, by question id."""
    if options.game.is_pyramid:  # legal or foul is answered apart from the fouls already called
        bare = Play(play.before, play.facts, (), play.asked_calls).ruling(options)
        return pyramid_truth(play.facts, play.asked_calls, bare, play.ruling(options))
    return five_pins_truth(play.facts)


def sensed(play: Play, sensors: Sensors, options: Options, rng: random.Random) -> Evidence:
    """What the sensors of a table would have said of a shot, with the calls of the referee."""
    faithful = sensors is Sensors.ALL
    seen: list[Observation] = []
    if sensors is not Sensors.NONE:
        for fact in play.facts:
            seen += _observations(fact, faithful, rng)
    exact, rough = (Quality.OK, Quality.OK) if faithful else (Quality.OK, Quality.HINT)
    quality = {
        Sensors.ALL: (exact, rough),
        Sensors.HINTS: (exact, rough),
        Sensors.MAIN: (exact, Quality.ABSENT),
        Sensors.NONE: (Quality.ABSENT, Quality.ABSENT),
    }[sensors]
    if quality[1] is Quality.ABSENT:
        seen = [o for o in seen if o.kind in (Kind.PIN, Kind.GATE)]
    main, second = quality
    channels = {"gates": main, "cushions": second} if options.game.is_pyramid else {"pins": main}
    frozen = Frozen.SOME if any(isinstance(fact, f.Frozen) for fact in play.facts) else Frozen.NONE
    return Evidence.of(seen, {**channels, "clicks": second}, calls=play.calls, frozen=frozen)


def _observations(fact: f.Fact, faithful: bool, rng: random.Random) -> list[Observation]:
    """What one fact makes the sensors say; two contacts of the same instant are one click."""
    click = Observation(Kind.CLICK)
    match fact:
        case f.Strike():
            return [Observation(Kind.STRIKE)]
        case f.Contact(_, unmoved):
            return [] if unmoved or not (faithful or rng.random() < CLICK_HEARD) else [click]
        case f.Cushion(_, rail):
            return [Observation(Kind.CUSHION, rail)] if faithful or rng.random() < CUSHION_FELT else []
        case f.Jaw(_, pocket):
            return [Observation(Kind.CUSHION, "left" if pocket == "ML" else "right")]
        case f.Pot(_, pocket):
            return [Observation(Kind.GATE, pocket)]
        case f.Topple(pins):
            ticks = [click for _ in pins if not faithful and rng.random() < CLICK_INVENTED]
            return [Observation(Kind.PIN, pin) for pin in pins] + ticks
    return []
