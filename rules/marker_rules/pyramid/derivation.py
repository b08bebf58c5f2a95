"""The derivation of a ruling as steps: clause, phrase key, arguments, facts. Sentences are made elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache

from marker_rules.balls import Ball, Player
from marker_rules.pyramid.legality import Met
from marker_rules.pyramid.offences import FOULS, Entered
from marker_rules.pyramid.ruling import CLAUSE_11_2, Violation
from marker_rules.pyramid.state import Hand, Pair, PenaltySource
from marker_rules.pyramid.story import Story
from marker_rules.ruling import Step
from marker_rules.shot import When


@cache
def slug(clause: str) -> str:
    """The clause as the tail of a phrase key: `RP-18.2a` -> `18_2a`, `EXT-D3` -> `D3`."""
    return clause.partition("-")[2].replace(".", "_")


def step(clause: str, text: str, *facts: int, **args: str | int) -> Step:
    """One step; player and ball arguments are given as their names."""
    return Step(clause, text, tuple(args.items()), facts)


@cache
def player_step(clause: str, text: str, player: Player) -> Step:
    """A step about one player; there are few of them, so each is made once."""
    return Step(clause, text, (("by", player),))


@lru_cache(maxsize=2048)
def _contact(ball: Ball, *facts: int) -> Step:
    return Step("RP-4.1", "contact", (("ball", ball),), facts)


@lru_cache(maxsize=2048)
def _met(clause: str, facts: tuple[int, ...]) -> Step:
    return Step(clause, "met_" + slug(clause), (), facts)


def contact_steps(steps: list[Step], story: Story, entered: Entered) -> None:
    """What is known before any pattern: warning, push, contact, touching ball, balls that came back or left."""
    if entered.unwarned:
        steps.append(Step("RP-10.3b", "unwarned"))
    if entered.no_push:
        steps.append(Step("RP-17.2.2", "no_push"))
    if story.touching >= 0:
        steps.append(Step("RP-17.N1", "touching_unmoved", (), (story.touching,)))
    if story.contact_at >= 0:
        steps.append(_contact(story.cue_contacts[0][1], story.strike_at, story.contact_at))
    if story.odd:
        _odd_steps(steps, story)


def _odd_steps(steps: list[Step], story: Story) -> None:
    """What seldom happens: a cushion first, a jaw, a ball that came back, a ball that left."""
    if story.cushion_before >= 0 and story.contact_at >= 0:
        steps.append(Step("RP-4.2", "indirect", (), (story.cushion_before, story.contact_at)))
    steps.extend(Step("RP-18.N3", "jaw_crossed", (("ball", ball),), (at,)) for ball, at in story.jaws.items())
    steps.extend(Step("RP-20.5", "came_back", (("ball", ball),), (at,)) for ball, at in story.back.items())
    steps.extend(Step("RP-22.2a", "returned", (("ball", ball),), (at,)) for ball, at in story.returned.items())
    for ball, at in story.off.items():
        if ball in story.foreign:
            steps.append(Step("RP-22.2b", "foreign", (("ball", ball),), (at,)))
        if ball is not story.struck:
            steps.append(Step("RP-22.3b", "object_off", (("ball", ball),), (at,)))


def void_steps(steps: list[Step], story: Story, legal: bool) -> None:
    """Pots of an illegal shot do not count; balls off are placed again."""
    if story.potted and not legal:
        facts = tuple(story.potted.values())
        steps.append(Step("RP-20.2", "pots_void", (("n", len(facts)),), facts))
        steps.append(Step("RP-20.4", "pots_return", (("n", len(facts)),), facts))
    if story.off:
        steps.append(Step("RP-22.4", "off_return", (("n", len(story.off)),), tuple(story.off.values())))


def debt_steps(debt: Pair, score: Pair) -> list[Step]:
    """The score of a player in debt reads below zero (RP-27.1b)."""
    return [
        Step("RP-27.1b", "in_debt", (("by", player), ("n", score.of(player))))
        for player in Player
        if debt.of(player) > 0
    ]


def met_step(met: Met) -> Step:
    """The condition of 18 or 11.1 that was met."""
    return _met(met.clause, met.facts)


def violation_steps(steps: list[Step], violations: Sequence[Violation], facts: dict[str, tuple[int, ...]]) -> None:
    """Each violation with its item of the penalty list, and the single penalty of several (RP-26.2)."""
    for violation in violations:
        steps += _violation(violation.clause, violation.by, violation.when, facts.get(violation.clause, ()))
    if len(violations) > 1:
        players = [violation.by for violation in violations]
        steps += [player_step("RP-26.2", "single_penalty", player) for player in Player if players.count(player) > 1]


def offence_step(violation: Violation) -> Step:
    """An offence by itself, where no penalty follows."""
    return _violation(violation.clause, violation.by, When.DURING, ())[0]


@lru_cache(maxsize=2048)
def _violation(clause: str, by: Player, when: When, facts: tuple[int, ...]) -> tuple[Step, ...]:
    row = FOULS[clause]
    steps = [Step(clause, "foul_" + slug(clause), (("by", by),), facts)]
    if row.penalised_by != clause:
        steps.append(player_step(row.penalised_by, "penalty_item", by))
    if when is When.AFTER:
        steps.append(player_step("RP-20.3", "after_shot", by))
    return tuple(steps)


@cache
def penalty_step(player: Player, source: PenaltySource) -> Step:
    """Where the penalty ball comes from."""
    args = (("by", player),)
    if source is PenaltySource.SHELF:
        return Step("RP-5.0", "from_shelf", args)
    return Step("RP-27.1a", "owed", args)


@lru_cache(maxsize=2048)
def credit_steps(striker: Player, credited: tuple[Ball, ...], paid: int) -> tuple[Step, ...]:
    """Balls credited, debts paid."""
    named = Step("RP-20.1", "credited", (("by", striker), ("balls", ", ".join(credited)), ("n", len(credited))))
    if not paid:
        return (named,)
    return named, Step("RP-27.2", "debt_paid", (("by", striker), ("n", paid)))


@cache
def hand_step(hand: Hand, clause: str) -> Step:
    """The cue ball comes in hand."""
    return Step(clause, f"in_hand_{hand}")


@cache
def choice_steps(chooser: Player, choices: tuple[str, ...]) -> tuple[Step, ...]:
    """Who chooses, and among what."""
    args = (("by", chooser),)
    if choices == CLAUSE_11_2:
        return tuple(Step(f"RP-11.2.{i}", f"option_{name}", args) for i, name in enumerate(choices, 1))
    return tuple(Step(f"RP-5.{i}", f"option_{name}", args) for i, name in enumerate(choices, 1))
