"""Worlds are sorted in stand-ins, once for all scores: the same as judging every one of them in the state itself."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from marker_hub.bench.play import Sensors, sensed, shots
from marker_rules.balls import GameId, Player
from marker_rules.errors import IllegalFact
from marker_rules.evidence import Evidence, Frozen, Quality, forget, next_question, possible, sheet, worst_case
from marker_rules.evidence.cases import open_case, outcome
from marker_rules.evidence.kept import Kept
from marker_rules.evidence.worlds import spread_of
from marker_rules.five_pins.automaton import Item, Ways, _contacts, _falls, ways
from marker_rules.five_pins.state import FivePinsState, Mode, Score
from marker_rules.game import game
from marker_rules.options import Options, switches
from marker_rules.pyramid.state import Pair
from marker_rules.shot import Call, Shot, When

SHOTS = 60
IDLE_CALL = {GameId.FIVE_PINS: "P"}


def anywhere(before: Any, rng: random.Random) -> Any:
    """The same shot at another score, often at the end of the game, or past what play can reach."""
    if isinstance(before, FivePinsState):
        lacking = [rng.choice((1, 2, 3, 4, 6, 8, 10, 12, 17, 30, 60)) for _ in "ab"]
        mode = rng.choice((before.mode, Mode.NORMAL, Mode.HAND, Mode.CONTACT_RESET))
        return replace(before, limit=60, score=Score(60 - lacking[0], 60 - lacking[1]), mode=mode)
    shelf = [rng.choice((0, 0, 1, 5, 6, 7, 8)) for _ in "ab"]
    debt = [0 if balls else rng.randrange(3) for balls in shelf]
    left = replace(before.table, balls=rng.choice((1, 2, 3, 4, before.table.balls)))
    series = rng.random() < 0.1
    return replace(
        before,
        shelf=Pair(*shelf),
        debt=Pair(*debt),
        handicap=Pair(*(rng.choice((0, 0, 2, -3)) for _ in "ab")),
        table=left,
        series=series,
        winner=before.striker if series else None,
    )


def cases(game_id: GameId, seed: int, number: int) -> list[tuple[Evidence, Any, Options]]:
    """Random evidence in random states, under random switches; the waiting player errs now and then."""
    rng = random.Random(f"{game_id} {seed}")
    found = []
    for at in range(number):
        names = [name for name, switch in switches(game_id).items() if switch.values]
        given = {
            name: rng.choice(switches(game_id)[name].values) for name in rng.sample(names, rng.choice((0, 0, 1, 2)))
        }
        if game_id.is_pyramid and rng.random() < 0.25:
            given["penalty_scheme"] = "opponent_plus_one"
        options = Options(game_id, given)
        (play,) = shots(options, seed * 10_000 + at, 1)
        quick = (Sensors.ALL, Sensors.HINTS, Sensors.MAIN)
        evidence = sensed(play, rng.choice(quick if game_id is GameId.FIVE_PINS else tuple(Sensors)), options, rng)
        if rng.random() < 0.3:
            name, _ = rng.choice(evidence.quality)
            evidence = evidence.with_quality(name, rng.choice((Quality.HINT, Quality.NOISY)))
        if rng.random() < 0.2:
            other = Call(IDLE_CALL.get(game_id, "RP-25"), play.before.striker.other, When.SITTING)
            evidence = replace(evidence, calls=(*evidence.calls, other))
        evidence = replace(evidence, frozen=rng.choice(tuple(Frozen)), gap=rng.random() < 0.1)
        found.append((evidence, anywhere(play.before, rng), options))
    return found


def plainly(evidence: Evidence, before: Any, options: Options) -> list[list[int]]:
    """The worlds with the same outcome, each judged by itself in the state itself."""
    groups: dict[Any, list[int]] = {}
    for at, world in enumerate(spread_of(evidence, before, options).worlds):
        shot = Shot(world.facts + evidence.facts, evidence.calls + world.calls)
        try:
            ruling = game(options.game).rule(shot, before, options)
        except IllegalFact:
            assert evidence.facts
            continue
        groups.setdefault(outcome(ruling), []).append(at)
    return list(groups.values())


@pytest.mark.parametrize("game_id", list(GameId))
def test_sorting_once_for_all_scores_is_exact(game_id: GameId) -> None:
    """Every world judged in the real state gives the same groups; what is shown is the ruling of the real state."""
    for evidence, before, options in cases(game_id, 21, SHOTS):
        case, left = open_case(evidence, before, options)
        if case.conflict:
            continue
        groups = plainly(evidence, before, options)
        sorted_ = [[at for at, key in enumerate(case.partition.keys) if key == number] for number in range(len(groups))]
        assert sorted_ == groups, (evidence, before)
        assert len(case.partition.same) == len(groups)
        for each in possible(evidence, before, options):
            assert each.short == each.ruling.short
            assert each.ruling == game(options.game).rule(
                Shot(each.story + evidence.facts, evidence.calls + case.spread.worlds[each._at].calls), before, options
            )
        assert left == case.partition.all
        shown = sheet(evidence, before, options)
        assert shown.proposal.short == shown.proposal.ruling.short
        assert all(answer.short == answer.ruling.short for row in shown.rows for answer in row.answers)


@pytest.mark.parametrize("game_id", list(GameId))
def test_what_is_kept_changes_nothing(game_id: GameId) -> None:
    """The same answers from an engine that has forgotten everything as from one that has seen all the other shots."""
    drawn = cases(game_id, 22, SHOTS // 2)

    def say(evidence: Evidence, before: Any, options: Options) -> tuple[Any, ...]:
        question = next_question(evidence, before, options)
        asked = question and (question.id, [(a.id, [p.short for p in a.possible]) for a in question.answers])
        left = [(p.short, p.worlds, p.likelihood, p.ruling) for p in possible(evidence, before, options)]
        shown = sheet(evidence, before, options)
        rows = [(r.id, r.selected, r.origin, [(a.id, a.ruling) for a in r.answers]) for r in shown.rows]
        return left, asked, worst_case(evidence, before, options), shown.proposal.ruling, rows

    for case in drawn:
        possible(*case)
    kept = [say(*case) for case in drawn]
    fresh = []
    for case in drawn:
        forget()
        fresh.append(say(*case))
    assert kept == fresh


def minimax(groups: list[int], splits: list[list[int]], left: int) -> int | None:
    """The questions the best order needs at worst, found by trying every order; None where none decides."""
    if any(left & ~group == 0 for group in groups):
        return 0
    best: int | None = None
    for masks in splits:
        parts = [left & mask for mask in masks if left & mask]
        if len(parts) < 2 or sum(parts) != left:
            continue
        each = [minimax(groups, splits, part) for part in parts]
        if None not in each:
            found = 1 + max(worst for worst in each if worst is not None)
            best = found if best is None else min(best, found)
    return best


@pytest.mark.parametrize("game_id", list(GameId))
def test_worst_case_is_that_of_trying_every_order(game_id: GameId) -> None:
    for evidence, before, options in cases(game_id, 23, SHOTS // 4):
        case, left = open_case(evidence, before, options)
        splits = [list(masks.values()) for masks in case.spread.choices]
        plain = minimax(list(case.partition.same), splits, left)
        assert worst_case(evidence, before, options) == (1 if plain is None else plain)


def plain_ends(items: tuple[Item, ...], unheard: bool, unreported: int) -> set[tuple[str | None, ...]]:
    """Where the automaton can end, by following every step from every place it can be in."""
    places = {(frozenset[int](), 0, Ways())}
    new = list(places)
    while new:
        read, fell, way = new.pop()
        steps = [(read, fell, to) for _, to in _contacts(way)] if unheard else []
        steps += [(read, fell + 1, to) for _, to in _falls(way)] if fell < unreported else []
        for at, item in enumerate(items):
            if at in read or any(item.after >> other & 1 and other not in read for other in range(len(items))):
                continue
            after = [to for _, to in (_falls(way) if item.pin else _contacts(way))]
            steps += [(read | {at}, fell, to) for to in after]
            steps += [(read, fell, to) for to in after] if item.may_be_more else []
            steps += [(read | {at}, fell, way)] if item.may_be_none else []
        new += [step for step in dict.fromkeys(steps) if step not in places]
        places.update(steps)
    whole = frozenset(range(len(items)))
    return {way.values(False) for read, fell, way in places if read == whole and fell == unreported}


def test_the_automaton_reaches_what_can_be_reached_and_no_more() -> None:
    """Random lists of clicks and pins, ordered or not, echoes and merged ones among them."""
    rng = random.Random(24)
    for _ in range(120):
        number = rng.randrange(6)
        items = []
        for at in range(number):
            pin = rng.random() < 0.4
            after = sum(1 << other for other in range(at) if rng.random() < 0.7)
            unsure, several = (not pin and rng.random() < 0.3 for _ in "ab")
            items.append(Item(pin, after, unsure, several))
        unheard, unreported = rng.random() < 0.3, rng.randrange(3)
        found = ways(tuple(items), unheard, unreported, False)
        assert {end.values for end in found} == plain_ends(tuple(items), unheard, unreported)
        assert len(found) == len({end.values for end in found})


def test_scores_that_cannot_matter_share_everything() -> None:
    """Far from the limit two scores, and two shots that differ in their times only, are one partition."""
    options = Options(GameId.FIVE_PINS)
    before = FivePinsState(striker=Player.A, limit=60)
    seen = Evidence.of(["click", "pin N"], {"pins": "ok", "clicks": "ok"})
    later = replace(
        seen, observations=tuple(replace(o, t_us=90_000 * at, unc_us=40) for at, o in enumerate(seen.observations))
    )
    first, _ = open_case(seen, before, options)
    second, _ = open_case(later, replace(before, score=Score(21, 7), game_no=3), options)
    brink, _ = open_case(seen, replace(before, score=Score(21, 56)), options)
    assert second.partition is first.partition
    assert brink.partition is not first.partition
    assert [p.ruling.winner for p in brink.rulings_left(brink.partition.all)].count(Player.B) == 1


def test_what_is_not_asked_for_goes() -> None:
    """Never more than two generations; what is used stays."""
    kept: Kept[int, int] = Kept(100)
    for number in range(10_000):
        assert kept.get(-1) is not None or kept.put(-1, 1, 10)
        kept.put(number, number, 10)
        assert len(kept) <= 22
    assert kept.get(-1) == 1
    assert kept.get(0) is None
    kept.clear()
    assert kept.get(-1) is None
