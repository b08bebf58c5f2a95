"""From what was found to the ruling: debts, penalties, winner, ball in hand, placing, who comes next."""

from __future__ import annotations

from dataclasses import dataclass

from marker_rules.balls import Ball, Player
from marker_rules.pyramid import derivation as why
from marker_rules.pyramid import readings
from marker_rules.pyramid import run as runs
from marker_rules.pyramid.case import Case
from marker_rules.pyramid.offences import FOULS, VOIDING
from marker_rules.pyramid.penalties import Account
from marker_rules.pyramid.placing import ANY_WHITE, on_the_line
from marker_rules.pyramid.ruling import CLAUSE_5, CLAUSE_11_2, PyramidRuling, Violation
from marker_rules.pyramid.state import HAND_OF_PHASE, Coloured, Hand, Penalty, PenaltySource, Phase, Table
from marker_rules.ruling import Placement, Step, Turn

A, B, C = Player.A, Player.B, Ball.C  # members of enums, looked up once: the judge asks for them many times a shot
PLAY, BREAK = Phase.PLAY, Phase.BREAK
IN_HAND_ANY, PREMIUM = Phase.IN_HAND_ANY, Phase.IN_HAND_ANY_PREMIUM
ON_TABLE, IN_HAND, UNKNOWN = Coloured.TABLE, Coloured.HAND, Coloured.UNKNOWN
OTHER = {A: B, B: A}
FROM_SHELF = PenaltySource.SHELF
TURN = {player: Turn.of(player) for player in Player}


def played(case: Case) -> PyramidRuling:
    """The ruling of an ordinary shot."""
    story = case.story
    if not (story.potted or story.off or case.entered.objects_off):
        return _settle(case, None, PLAY, [])
    hand, phase = _cue_in_hand(case)
    return _settle(case, hand, phase, _respots(case, hand))


def between_shots(case: Case) -> PyramidRuling:
    """Offences entered while no shot runs: the position stands, a cue ball in hand stays in hand (AMB-25, AMB-35)."""
    phase = case.before.phase
    return _settle(case, HAND_OF_PHASE[phase], phase, [])


def disturbed_by_opponent(case: Case) -> PyramidRuling:
    """The sitting player disturbed the shot: position restored, nothing of the shot counts, penalty on him (AMB-29)."""
    case.story.potted.clear()
    case.story.off.clear()
    case.restored = True
    case.violations = [violation for violation in case.violations if violation.by is not case.striker]
    case.steps.append(why.step("RP-25", "restored"))
    if case.before.series:
        return series(case)  # nothing can be charged or won again
    return _settle(case, HAND_OF_PHASE[case.before.phase], case.before.phase, [])


def void(case: Case) -> PyramidRuling:
    """An outsider or an emergency: everything is put back, no penalty, the same player goes on (RP-24.1, RP-24.2, RP-21.2)."""
    clause = case.entered.void_by or ("RP-24.2" if case.story.emergency else "RP-24.1")
    at = (case.story.disturbed,) if case.story.disturbed >= 0 else ()
    if clause in VOIDING:
        case.readings.append(VOIDING[clause])
    return _unchanged(case, why.step(clause, "void_" + why.slug(clause), *at))


def hanging(case: Case) -> PyramidRuling:
    """Balls fell by themselves between two shots: put back, the score stays (RP-21.1, AMB-26)."""
    case.readings.append("AMB-26")
    case.steps.extend(why.step("RP-21.1", "unaided", at, ball=ball) for ball, at in case.story.potted.items())
    return _unchanged(case)


def _unchanged(case: Case, *steps: Step) -> PyramidRuling:
    """Nothing counts and the same player is at the table."""
    before = case.before
    return PyramidRuling(
        game=case.law.id,
        striker=case.striker,
        next=TURN[case.striker],
        interpretations=tuple(dict.fromkeys(case.readings)),
        steps=(*case.steps, *steps),
        legal=None,
        legal_by=None,
        shelf=before.shelf,
        debt=before.debt,
        score=before.score,
        table=before.table,
        ball_in_hand=HAND_OF_PHASE[before.phase],
        phase=before.phase,
        void=True,
        stroke=case.story.struck is not None,
        series=before.series,
        run=runs.balls_before(before.run, case.striker),
    )


def series(case: Case) -> PyramidRuling:
    """A shot of the winner who plays on: it lengthens or ends the run, the frame stays as it is (RP-30.4b, RP-30.4c)."""
    before, striker = case.before, case.striker
    judged = case.story.struck is not None and not case.restored
    hand, phase = _cue_in_hand(case) if judged else (HAND_OF_PHASE[before.phase], before.phase)
    scored = len(case.credited)
    over = (judged and not scored) or any(violation.by is striker for violation in case.violations)
    if over:
        respots: list[str] = []  # the next frame is racked anyway
        case.steps.append(why.player_step("RP-30.4c", "run_over", striker))
    else:
        respots = _respots(case, hand)
        case.steps.append(why.step("RP-30.4b", "run_on", by=striker, n=scored))
    why.violation_steps(case.steps, case.violations, {})
    case.readings.append("AMB-21")
    before_run = runs.balls_before(before.run, striker)
    return PyramidRuling(
        game=case.law.id,
        striker=striker,
        next=None if over else TURN[striker],
        winner=before.winner,
        placements=_placements(respots, 0) if respots else (),
        interpretations=tuple(dict.fromkeys(case.readings)),
        steps=tuple(case.steps),
        legal=case.legal if judged else None,
        legal_by=case.met.clause if case.met else None,
        violations=tuple(case.violations),
        credited=tuple(case.credited),
        respot=tuple(respots),
        whites_taken_for_cue_ball=case.whites_taken,
        ball_in_hand=None if over else hand,
        may_continue_run=None if over else striker,
        shelf=before.shelf,
        debt=before.debt,
        score=before.score,
        table=_series_table(case, hand),
        phase=phase,
        stroke=case.story.struck is not None,
        series=True,
        run=before_run + scored,
        run_over=over,
        prompts=runs.prompts_of(case.options, striker, before_run, before_run + scored, before.run.seen),
    )


def _series_table(case: Case, hand: Hand | None) -> Table:
    """The table of a finished frame: balls of the run leave it, no shelf or debt is touched."""
    balls = case.before.table.balls - len(case.credited)
    if case.law.fixed_cue:
        return Table(balls, ON_TABLE if hand is None else IN_HAND)
    account = Account.of(case.before, case.options)
    account.note_coloured(case.striker, case.credited, 0)
    return Table(balls, account.coloured)


def _cue_in_hand(case: Case) -> tuple[Hand | None, Phase]:
    """Whether the fixed cue ball is in hand after the shot, from where, and how the next shot is played."""
    story, law = case.story, case.law
    if not law.fixed_cue or (C not in story.potted and C not in story.off):
        return None, PLAY
    hand, clause = law.hand, law.cue_credit if case.legal else law.cue_foul
    if not case.legal and hand is Hand.ANYWHERE:
        hand = Hand(case.options["dynamic_foul_in_hand"])
        case.readings.append("AMB-18")
    case.steps.append(why.hand_step(hand, clause))
    if law.house:
        case.steps.append(why.step("RP-19.1", "premium_house" if case.legal else "penal_house"))
    if hand is Hand.HOUSE:
        return hand, Phase.IN_HAND_HOUSE
    premium = law.premium and C in case.credited
    return hand, PREMIUM if premium else IN_HAND_ANY


def _respots(case: Case, hand: Hand | None) -> list[str]:
    """Balls to be placed again: balls off the table and illegal pots; a fixed cue ball comes in hand instead."""
    story = case.story
    balls = [ball for ball in story.potted if not case.legal or ball in case.uncounted]
    balls += story.off
    respots = [ball.value for ball in balls if hand is None or ball is not C]
    respots += [ANY_WHITE] * case.entered.objects_off
    return respots


def _placements(respots: list[str], more: int) -> tuple[Placement, ...]:
    """What goes on the spotting line, each with its place from the rear spot on (RP-23.1, RP-23.2a, RP-23.2b)."""
    return on_the_line([*respots, *[ANY_WHITE] * more])


def _options_after(case: Case, offender: Player) -> tuple[str, ...]:
    """Two options, or four after a break that fails 11.1 (or after any break foul, by the switch)."""
    pending = case.before.pending
    if pending is not None and pending.offender is offender:
        return pending.choices  # another offence before the choice takes nothing from the chooser
    if case.before.phase is not BREAK or offender is not case.striker:
        return CLAUSE_5
    own = [violation for violation in case.violations if case.spoils(violation)]
    if any(FOULS[v.clause].fails_break for v in own):
        return CLAUSE_11_2
    if own and case.story.struck is not None and case.options["break_11_2_on"] == "any_foul":
        return CLAUSE_11_2
    return CLAUSE_5


def _impose(case: Case, account: Account) -> tuple[tuple[Penalty, ...], int]:
    """One penalty for each offender (RP-26.2, AMB-43). Returns penalty balls, and balls taken by opponents."""
    penalties: list[Penalty] = []
    taken = 0
    why.violation_steps(case.steps, case.violations, _shown_by(case))
    for offender in _offenders(case.violations):
        if case.options["penalty_scheme"] == "opponent_plus_one":
            taken += account.reward(OTHER[offender])
            case.steps.append(why.player_step(case.law.plus_one, "plus_one", OTHER[offender]))
        else:
            penalty = account.charge(offender)
            penalties.append(penalty)
            case.steps.append(why.penalty_step(penalty.player, penalty.source))
    for violation in case.violations:
        reading = FOULS[violation.clause].reading
        if reading:
            case.readings.append(reading)
    case.readings.append("AMB-09")
    return tuple(penalties), taken


def _offenders(violations: list[Violation]) -> tuple[Player, ...]:
    """Who offended, each once, in the order of the offences."""
    if len(violations) == 1:
        return (violations[0].by,)
    return tuple(dict.fromkeys(violation.by for violation in violations))


def _shown_by(case: Case) -> dict[str, tuple[int, ...]]:
    """Facts that show a violation."""
    story = case.story
    shown: dict[str, tuple[int, ...]] = {}
    if story.struck in story.off:
        shown["RP-22.3a"] = (story.off[story.struck],)
    if story.strike_at >= 0:
        shown["RP-4.3"] = shown["RP-20.2"] = (story.strike_at,)
    return shown


@dataclass(slots=True)
class _Verdict:
    """What is left of the violations when the frame may be won: charged ones, penalty balls, who comes next.

    run_winner: won it by his own shot, and may play on.
    """

    violations: list[Violation]
    penalties: tuple[Penalty, ...] = ()
    taken: int = 0
    winner: Player | None = None
    run_winner: Player | None = None
    next: Turn | None = None
    chooser: Player | None = None
    choices: tuple[str, ...] = ()


def _verdict(case: Case, account: Account) -> _Verdict:
    """Impose penalties unless the frame is won, and say who comes next (RP-5.1, RP-20.1, RP-20.3.N1, AMB-44)."""
    striker, violations = case.striker, case.violations
    won = account.winner()
    if won is not None:
        late = [violation for violation in violations if case.is_late(violation)]
        case.steps.extend(why.player_step("RP-20.3.N1", "after_frame", violation.by) for violation in late)
        charged = [violation for violation in violations if not case.is_late(violation)]
        case.steps.extend(why.offence_step(violation) for violation in charged)  # named, but costs nothing any more
        case.steps.append(why.player_step("RP-30.4a", "frame_won", won))
        return _Verdict(charged, winner=won, run_winner=won)
    if not violations:
        comes = striker if case.credited else OTHER[striker]
        case.readings.append("AMB-15")
        case.steps.append(why.player_step(case.law.turn, "turn_stays" if case.credited else "turn_passes", comes))
        return _Verdict(violations, next=TURN[comes])
    penalties, taken = _impose(case, account)
    won = None if penalties else account.winner()  # a penalty ball never wins; a ball for the opponent may
    if won is not None:
        case.steps.append(why.player_step("RP-30.4a", "frame_won", won))
        return _Verdict(violations, penalties, taken, won)
    offender = violations[-1].by
    if len(_offenders(violations)) > 1:
        case.readings.extend(("AMB-43", "AMB-44"))
    choices = _options_after(case, offender)
    case.steps.extend(why.choice_steps(OTHER[offender], choices))
    return _Verdict(violations, penalties, taken, chooser=OTHER[offender], choices=choices)


def _settle(case: Case, hand: Hand | None, phase: Phase, respots: list[str]) -> PyramidRuling:
    """Credit, debts, winner, penalties, next player: the common end of every ruling that counts in a frame."""
    before, striker, law, story, credited = case.before, case.striker, case.law, case.story, case.credited
    account = Account.of(before, case.options)
    if law.fixed_cue:
        account.coloured = ON_TABLE if hand is None else IN_HAND
    elif account.coloured is UNKNOWN and C in story.balls:
        account.coloured = ON_TABLE
    if story.potted or story.off:
        why.void_steps(case.steps, story, case.legal)
    paid = 0
    if credited:
        paid = account.credit(striker, len(credited))
        if not law.fixed_cue:
            account.note_coloured(striker, credited, paid)
        case.steps.extend(why.credit_steps(striker, tuple(credited), paid))
    verdict = _verdict(case, account)
    readings.of_balls(case, paid=paid, won=verdict.winner is not None)
    debt, score = account.debt, account.score()
    if debt.a or debt.b:
        case.steps.extend(why.debt_steps(debt, score))
    offended = False
    for violation in verdict.violations:
        offended = offended or violation.by is striker
    if offended and phase is PREMIUM:
        phase = IN_HAND_ANY  # the premium is gone, the cue ball stays in hand
    returned = paid
    for penalty in verdict.penalties:
        returned += penalty.source is FROM_SHELF
    run_before = runs.balls_before(before.run, striker)
    run = run_before + len(credited)
    judged = story.struck is not None and not case.restored
    return PyramidRuling(
        game=law.id,
        striker=striker,
        next=verdict.next,
        winner=verdict.winner,
        chooser=verdict.chooser,
        choices=verdict.choices,
        placements=_placements(respots, returned) if respots or returned else (),
        interpretations=tuple(dict.fromkeys(case.readings)),
        steps=tuple(case.steps),
        legal=case.legal if judged else None,
        legal_by=case.met.clause if case.met else None,
        violations=tuple(verdict.violations),
        credited=tuple(credited),
        respot=tuple(respots),
        penalties=verdict.penalties,
        debt_paid=paid,
        whites_taken_for_cue_ball=case.whites_taken,
        taken=verdict.taken,
        ball_in_hand=hand,
        may_continue_run=verdict.run_winner,
        shelf=account.shelf,
        debt=debt,
        score=score,
        table=account.table,
        phase=phase,
        stroke=story.struck is not None,
        run=run,
        run_over=offended or (judged and not credited),
        prompts=runs.prompts_of(case.options, striker, run_before, run, before.run.seen) if credited else (),
    )
