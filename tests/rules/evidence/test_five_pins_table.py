"""The complete table of five-pins evidence, derived a second time by listing every story of contacts and falling pins.

The listing below knows nothing of the engine: it moves balls, lets them meet and fell pins, and asks `rule` what each
story is worth.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import permutations, product

import pytest

from marker_hub.bench.play_five_pins import five_pins_truth
from marker_rules.balls import ALL_PINS, Ball, GameId, Pin, Player
from marker_rules.evidence import Evidence, next_question, possible, worst_case
from marker_rules.facts import Contact, Fact, Strike, Topple
from marker_rules.five_pins.state import FivePinsState, Mode
from marker_rules.game import game
from marker_rules.options import Options, switches
from marker_rules.shot import Shot

OPTIONS = Options(GameId.FIVE_PINS)
BEFORE = FivePinsState(striker=Player.A, limit=200)
PINS = ("", "N", "C", "NC", "NE")  # no pin, a side pin, the centre, and two together
PAIRS = ((Ball.CUE, Ball.OPPONENT), (Ball.CUE, Ball.RED), (Ball.OPPONENT, Ball.RED))
CLICKS = 4


def patterns() -> Iterator[tuple[str, ...]]:
    """Every order of up to four clicks (`k`) and the pins."""
    for pins in PINS:
        for clicks in range(CLICKS + 1):
            yield from sorted(set(permutations("k" * clicks + pins)))


@cache
def stories(pattern: tuple[str, ...]) -> tuple[tuple[Fact, ...], ...]:
    """Every story that makes exactly these clicks and falls, in this order."""
    found = [((Strike(Ball.CUE),), frozenset({Ball.CUE}))]
    for event in pattern:
        grown = []
        for facts, moving in found:
            if event == "k":
                grown += [
                    ((*facts, Contact((pair,))), moving | set(pair)) for pair in PAIRS if moving.intersection(pair)
                ]
            else:
                grown += [((*facts, Topple((Pin(event),), ball)), moving) for ball in moving]
        found = grown
    return tuple(facts for facts, _ in found)


@cache
def worth(pattern: tuple[str, ...]) -> tuple[str, ...]:
    """What each of these stories is worth."""
    return tuple(game(OPTIONS.game).rule(Shot(story), BEFORE, OPTIONS).short for story in stories(pattern))


def observations(pattern: tuple[str, ...]) -> list[str]:
    return ["click" if event == "k" else f"pin {event}" for event in pattern]


def test_the_listing_has_the_known_size() -> None:
    every = [told for pattern in patterns() for told in zip(stories(pattern), worth(pattern), strict=True)]
    assert len(every) == 23_303
    classes = defaultdict(set)
    for story, short in every:
        classes[tuple(five_pins_truth(story).values())].add(short)
    assert len(classes) == 92
    assert all(len(shorts) == 1 for shorts in classes.values())


def test_exact_clicks_all_175_patterns() -> None:
    """Exactly the rulings of the listing, and 7 patterns with no question, 11 with one, 63 with two, 94 with three."""
    worst = Counter()
    for pattern in patterns():
        evidence = Evidence.of(observations(pattern), {"pins": "ok", "clicks": "ok"})
        assert {p.short for p in possible(evidence, BEFORE, OPTIONS)} == set(worth(pattern)), pattern
        worst[worst_case(evidence, BEFORE, OPTIONS)] += 1
    assert worst == {0: 7, 1: 11, 2: 63, 3: 94}


@pytest.mark.parametrize("quality", ["hint", "absent", "noisy", "stuck"])
def test_clicks_that_prove_nothing(quality: str) -> None:
    """Section 4: the set of pins alone; clicks exclude nothing, and their number does not matter."""
    for pattern in patterns():
        evidence = Evidence.of(observations(pattern), {"pins": "ok", "clicks": quality})
        pins = sorted(event for event in pattern if event != "k")
        p = {"": 0, "N": 2, "C": 8, "CN": 6, "EN": 4}["".join(pins)]
        expected = {"0", "A+3", "A+4", "B+2*", "B+4*"}
        if pins:
            expected = {f"{who}+{p + c}" for who in "AB" for c in (0, 3, 4)} | {f"B+{p + n}*" for n in (2, 4, 5, 6)}
        assert {found.short for found in possible(evidence, BEFORE, OPTIONS)} == expected
        assert worst_case(evidence, BEFORE, OPTIONS) == (3 if pins else 2)


def every_switch_value() -> list[Options]:
    names = [name for name, switch in switches(GameId.FIVE_PINS).items() if switch.values and len(switch.values) > 1]
    single = [
        Options(GameId.FIVE_PINS, {name: value}) for name in names for value in switches(GameId.FIVE_PINS)[name].values
    ]
    presets = [Options(GameId.FIVE_PINS, preset=name) for name in ("later", "italian-pro", "german")]
    return [*single, *presets, Options(GameId.FIVE_PINS, {"carom_after_red_first": True, "bevuto_extra": 2})]


@pytest.mark.parametrize("options", every_switch_value(), ids=lambda o: str(o.changed()))
def test_every_switch_value_layout_and_mode(options: Options) -> None:
    """The features decide under every switch, layout and mode, and nothing possible is missed or invented."""
    layouts = (ALL_PINS, frozenset({Pin.C, Pin.N, Pin.E}), frozenset({Pin.C, Pin.N}))
    chosen = [("N",), ("k", "N"), ("k", "N", "k"), ("N", "k", "k", "C")]
    for pins, mode in product(layouts, (Mode.NORMAL, Mode.OPENING, Mode.HAND, Mode.CONTACT_RESET)):
        before = FivePinsState(striker=Player.B, limit=200, mode=mode, pins=pins, options=options)
        for pattern in chosen:
            evidence = Evidence.of(observations(pattern), {"pins": "ok", "clicks": "ok"})
            listed = {game(options.game).rule(Shot(s), before, options).short for s in stories(pattern)}
            assert {p.short for p in possible(evidence, before, options)} == listed, (pattern, mode, pins)
            for story in stories(pattern):
                asked = ask(evidence, before, options, five_pins_truth(story))
                assert asked == game(options.game).rule(Shot(story), before, options).short


def ask(evidence: Evidence, before: FivePinsState, options: Options, answers: dict[str, str]) -> str:
    """Answer until nothing is asked; the one ruling left."""
    while (question := next_question(evidence, before, options)) is not None:
        fitting = next(a.id for a in question.answers if answers[question.id] in a.id.split("|"))
        evidence = evidence.answered(question.id, fitting)
    (left,) = possible(evidence, before, options)
    return left.short


def test_contact_reset_asks_less() -> None:
    """FP-C.6: the striker's points are void, so what reached red is asked only where it goes to the opponent."""
    before = FivePinsState(striker=Player.A, limit=50, mode=Mode.CONTACT_RESET)
    evidence = Evidence.of([], {"pins": "ok"})
    assert {p.short for p in possible(evidence, before, OPTIONS)} == {"0", "B+2*", "B+4*"}
    question = next_question(evidence, before, OPTIONS)
    assert question is not None
    after = evidence.answered("Q1", "opponent")
    assert question.id == "Q1"
    assert next_question(after, before, OPTIONS) is None


def test_idle_has_one_ruling() -> None:
    """No stroke was made: nothing sensed scores, what moved is put back."""
    before = FivePinsState(striker=Player.A, limit=50, mode=Mode.IDLE)
    (only,) = possible(Evidence.of(["pin N"], {"pins": "ok"}), before, OPTIONS)
    assert only.short == "0"
    assert [placement.what for placement in only.ruling.placements] == ["N"]
