"""Over random shots and random damage to their evidence: the truth is never lost, and less evidence never excludes more."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from marker_hub.bench.play import Play, Sensors, sensed, shots, truth
from marker_rules.balls import GameId, Pin, Pocket, Rail
from marker_rules.evidence import (
    UNSEEN,
    Evidence,
    Flag,
    Kind,
    Observation,
    Quality,
    RowAnswer,
    Sheet,
    forget,
    next_question,
    possible,
    sheet,
    worst_case,
)
from marker_rules.evidence import likelihood as counts
from marker_rules.evidence.cases import open_case, outcome
from marker_rules.evidence.worlds import bits
from marker_rules.facts import Contact
from marker_rules.options import Options, switches
from marker_rules.shot import Call

SHOTS = 24
SINGLE = {
    Kind.PIN: [f"pin {pin}" for pin in Pin],
    Kind.GATE: [f"gate {pocket}" for pocket in Pocket],
    Kind.CUSHION: [f"cushion {rail}" for rail in (Rail.HEAD, Rail.FOOT, Rail.LEFT, Rail.RIGHT)],
}


def played(game_id: GameId, seed: int, number: int = SHOTS) -> Iterator[tuple[Play, Evidence, Options, random.Random]]:
    """Random shots with exact evidence, under random switches."""
    rng = random.Random(f"{game_id} {seed}")
    for at in range(number):
        options = Options(game_id)
        if rng.random() < 0.3:
            name = rng.choice([n for n, s in switches(game_id).items() if s.values and n != "house_ball_first"])
            options = Options(game_id, {name: rng.choice(switches(game_id)[name].values)})
        (play,) = shots(options, seed * 100_000 + at, 1)
        yield play, sensed(play, Sensors.ALL, options, rng), options, rng


def shorts(evidence: Evidence, play: Play, options: Options) -> set[str]:
    return {p.short for p in possible(evidence, play.before, options)}


def timed(evidence: Evidence, rng: random.Random) -> Evidence:
    """True times measured with an error within the stated uncertainty, in the order of the stamps."""
    now, stamped = 0, []
    for observation in evidence.observations:
        now += rng.randrange(0, 4_000)
        unc = rng.choice((0, 500, 3_000))
        measured = now + rng.randint(-unc, unc)
        stamped.append(replace(observation, t_us=measured, unc_us=unc))
    return replace(evidence, observations=tuple(sorted(stamped, key=lambda o: o.t_us or 0)))


def flagged(evidence: Evidence, rng: random.Random) -> Evidence:
    """Echoes and crosstalk put in, clicks of a burst merged, a latch unsure; each with its flag."""
    seen: list[Observation] = []
    for observation in evidence.observations:
        chance = rng.random()
        if observation.kind is Kind.CLICK and chance < 0.2 and seen and seen[-1].kind is Kind.CLICK:
            seen[-1] = replace(seen[-1], flags=seen[-1].flags | {Flag.MERGED})
            continue
        unsure = observation.kind in (Kind.PIN, Kind.GATE) and chance < 0.2
        seen.append(replace(observation, least=0) if unsure else observation)
        if chance > 0.8:
            seen.append(replace(observation, flags=frozenset({rng.choice((Flag.ECHO, Flag.XTALK))})))
    return replace(evidence, observations=tuple(seen))


def torn(evidence: Evidence, rng: random.Random) -> Evidence:
    """Records missing, and known to be."""
    kept = tuple(o for o in evidence.observations if rng.random() < 0.6)
    return replace(evidence, observations=kept, gap=True)


def sick(evidence: Evidence, rng: random.Random) -> Evidence:
    """Single sensors and whole channels that talk nonsense."""
    names = [name for kind in {o.kind for o in evidence.observations} for name in SINGLE.get(kind, [])]
    for name in [*rng.sample(names, min(2, len(names))), *[n for n, _ in evidence.quality if rng.random() < 0.3]]:
        evidence = evidence.with_quality(name, rng.choice((Quality.NOISY, Quality.STUCK, Quality.ABSENT, Quality.HINT)))
    known = {name for name, quality in evidence.quality if quality is not Quality.OK}
    kept = [o for o in evidence.observations if f"{o.kind} {o.what}" not in known or rng.random() < 0.5]
    return replace(evidence, observations=tuple(kept))


@pytest.mark.parametrize("game_id", list(GameId))
@pytest.mark.parametrize("damage", [(), (timed,), (flagged,), (torn,), (sick,), (timed, flagged, sick, torn)])
def test_the_truth_is_never_lost(game_id: GameId, damage: tuple) -> None:
    """Sound: whatever happens to the evidence, the true ruling is possible and truthful answers lead to it."""
    for play, exact, options, rng in played(game_id, seed=len(damage) + 1, number=SHOTS):
        evidence = exact
        for harm in damage:
            evidence = harm(evidence, rng)
        true = play.ruling(options).short
        assert true in shorts(evidence, play, options), (play, evidence)
        answers, at_most = truth(play, options), worst_case(evidence, play.before, options)
        asked = 0
        while (question := next_question(evidence, play.before, options)) is not None:
            before = {p.short for p in possible(evidence, play.before, options)}
            fitting = [a for a in question.answers if answers[question.id] in a.id.split("|")]
            assert fitting, (question, answers, play)
            evidence = evidence.answered(question.id, fitting[0].id)
            asked += 1
            assert shorts(evidence, play, options) <= before
        assert shorts(evidence, play, options) == {true}
        assert asked <= at_most


def harmed(game_id: GameId, seed: int) -> Iterator[tuple[Evidence, Play, Options, random.Random]]:
    """Evidence with one kind of damage, half of it with a foul called where records are missing."""
    code = "G" if game_id is GameId.FIVE_PINS else "RP-13"
    for play, exact, options, rng in played(game_id, seed):
        evidence = rng.choice((torn, flagged, sick))(exact, rng)
        if rng.random() < 0.5:
            evidence = replace(evidence, calls=(*evidence.calls, Call(code, play.before.striker)), gap=True)
        yield evidence, play, options, rng


@pytest.mark.parametrize("game_id", list(GameId))
def test_correcting_the_rows_shown_reaches_every_ruling_left(game_id: GameId) -> None:
    """What a sheet leaves out is never needed: whichever way it went, the rows that are shown lead to its ruling.

    An answered row that is shown no more does not matter: without its answer the proposal is the same.
    """
    for evidence, play, options, rng in harmed(game_id, seed=16):
        case, left = open_case(evidence, play.before, options)
        features, worlds = case.spread.features, list(bits(left))
        for world in rng.sample(worlds, min(12, len(worlds))):
            saw = {each.id: value for each, value in zip(features, case.spread.values[world], strict=True)}
            told, shown = evidence, sheet(evidence, play.before, options)
            while row := next((row for row in shown.rows if saw[row.id] not in (None, row.selected)), None):
                assert row.id not in dict(told.answers), "a corrected row stays as it was corrected"
                told = told.answered(row.id, str(saw[row.id]))
                shown = sheet(told, play.before, options)
                for gone in dict(told.answers).keys() - {row.id for row in shown.rows}:
                    without = replace(told, answers=tuple(pair for pair in told.answers if pair[0] != gone))
                    other = sheet(without, play.before, options).proposal
                    assert outcome(other.ruling) == outcome(shown.proposal.ruling), (told, gone)
            assert outcome(shown.proposal.ruling) == outcome(case.ruling(world)), (told, play.before)


@pytest.mark.parametrize("game_id", list(GameId))
def test_a_press_does_what_its_button_says_and_leaves_the_rows_above(game_id: GameId) -> None:
    """Two presses after each other: each proposes the ruling on its button, shows its row so, and moves no row above it."""
    for evidence, play, options, rng in harmed(game_id, seed=17):
        told, shown = evidence, sheet(evidence, play.before, options)
        for _ in range(2):
            for row in shown.rows:
                for answer in row.answers:
                    after = sheet(told.answered(row.id, answer.id), play.before, options)
                    assert outcome(after.proposal.ruling) == outcome(answer.ruling), (told, row.id, answer.id)
                    selected = {each.id: each.selected for each in after.rows}
                    assert selected.get(row.id, answer.id) == answer.id
                    for above in shown.rows[: shown.rows.index(row)]:
                        if above.id in selected and above.selected in {each.id for each in _still(after, above.id)}:
                            assert selected[above.id] in (above.selected, None), (told, row.id, answer.id, above.id)
            if not shown.rows:
                break
            pressed = rng.choice(shown.rows)
            told = told.answered(pressed.id, rng.choice(pressed.answers).id)
            shown = sheet(told, play.before, options)


def _still(shown: Sheet, question: str) -> tuple[RowAnswer, ...]:
    """The answers a row still offers."""
    return next(row.answers for row in shown.rows if row.id == question)


@pytest.mark.parametrize("game_id", list(GameId))
def test_a_worse_channel_never_excludes_more(game_id: GameId) -> None:
    """Monotone in quality: weakening channels one after the other only adds rulings.

    One exception is the rules' own: a shot without contact is a foul only where silence proves it or the referee calls
    it; where neither does, it is taken as not made, so shots without contact are left out here.
    """
    for play, exact, options, rng in played(game_id, seed=11):
        evidence = exact
        if not any(isinstance(fact, Contact) for fact in play.facts):
            continue
        known = shorts(evidence, play, options)
        channels = list(evidence.quality)
        rng.shuffle(channels)
        for name, _ in channels:
            evidence = evidence.with_quality(name, rng.choice((Quality.HINT, Quality.NOISY, Quality.ABSENT)))
            weaker = shorts(evidence, play, options)
            assert known <= weaker
            known = weaker


@pytest.mark.parametrize("game_id", list(GameId))
def test_with_records_missing_a_report_never_adds(game_id: GameId) -> None:
    """Monotone in observations where silence proves nothing: each one that is taken away only adds rulings."""
    for play, exact, options, rng in played(game_id, seed=12, number=SHOTS // 2):
        evidence = replace(exact, gap=True)
        known = shorts(evidence, play, options)
        while evidence.observations:
            gone = rng.randrange(len(evidence.observations))
            rest = evidence.observations[:gone] + evidence.observations[gone + 1 :]
            evidence = replace(evidence, observations=rest)
            weaker = shorts(evidence, play, options)
            assert known <= weaker
            known = weaker


@pytest.mark.parametrize("game_id", list(GameId))
def test_hints_exclude_nothing(game_id: GameId) -> None:
    """What a hint channel says, or does not say, leaves the same rulings."""
    for play, exact, options, _ in played(game_id, seed=13):
        evidence = exact
        for kind, channel in ((Kind.CLICK, "clicks"), (Kind.CUSHION, "cushions")):
            evidence = evidence.with_quality(channel, Quality.HINT)
            silent = tuple(o for o in evidence.observations if o.kind is not kind)
            assert shorts(evidence, play, options) == shorts(replace(evidence, observations=silent), play, options)


@pytest.mark.parametrize("game_id", list(GameId))
def test_did_not_see_excludes_nothing_and_ends_with_the_ruling(game_id: GameId) -> None:
    """`unknown` to everything keeps all rulings and ends with the direct choice; a pick decides."""
    for play, exact, options, _ in played(game_id, seed=14, number=SHOTS // 2):
        evidence = exact
        whole = shorts(evidence, play, options)
        while (question := next_question(evidence, play.before, options)) is not None and question.id != "pick":
            evidence = evidence.answered(question.id, UNSEEN)
            assert shorts(evidence, play, options) == whole
        if question is not None:
            assert {answer.id for answer in question.answers} == whole
            picked = evidence.answered("pick", question.answers[-1].id)
            assert shorts(picked, play, options) == {question.answers[-1].id}
            assert next_question(picked, play.before, options) is None
            assert sheet(picked, play.before, options).certain


@pytest.mark.parametrize("game_id", list(GameId))
def test_likelihoods_never_change_what_is_possible(game_id: GameId, monkeypatch: pytest.MonkeyPatch) -> None:
    """Random counts in place of the shipped ones: other order, the same rulings and the same worst case."""
    cases = list(played(game_id, seed=15, number=SHOTS // 2))
    cases = [(play, evidence.with_quality("clicks", Quality.HINT), options) for play, evidence, options, _ in cases]
    before = [(shorts(e, play, o), worst_case(e, play.before, o)) for play, e, o in cases]
    rng = random.Random(15)
    real = counts.table()
    rows = {name: {kind: counts.Row(rng.randrange(10_000), {}) for kind in kinds} for name, kinds in real.rows.items()}
    monkeypatch.setattr(counts, "table", lambda: replace(real, rows=rows))
    forget()
    try:
        assert [(shorts(e, play, o), worst_case(e, play.before, o)) for play, e, o in cases] == before
    finally:
        forget()
