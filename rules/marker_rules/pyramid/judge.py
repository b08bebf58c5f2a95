"""The judge of pyramid: one shot in, one ruling out. What differs between the three games comes from a `GameLaw`.

Order of the work: read facts and calls, find the violations of the stroke, find what completed the shot, credit the
pots of a legal shot; `outcome` then pays debts, imposes penalties and says who comes next.
"""

from __future__ import annotations

from marker_rules.balls import Ball
from marker_rules.errors import IllegalFact, IllegalInput
from marker_rules.options import Options
from marker_rules.pyramid import derivation as why
from marker_rules.pyramid import outcome, readings
from marker_rules.pyramid.case import IN_HOUSE, Case, GameLaw
from marker_rules.pyramid.legality import break_by, completed_by
from marker_rules.pyramid.offences import FOULS, Entered, sort_calls
from marker_rules.pyramid.ruling import PyramidRuling, Violation
from marker_rules.pyramid.state import ON_SHELF, Phase, PyramidState, Stage
from marker_rules.pyramid.story import Story, read_story
from marker_rules.shot import Shot

# Members of enums, looked up once: the judge asks for them many times a shot.
C = Ball.C
BREAK, PREMIUM, FROM_HOUSE = Phase.BREAK, Phase.IN_HAND_ANY_PREMIUM, Phase.IN_HAND_HOUSE
SHOT, CHOICE = Stage.SHOT, Stage.CHOICE


def judge(law: GameLaw, shot: Shot, before: PyramidState, options: Options) -> PyramidRuling:
    """Rule on one shot, or on offences entered between shots (a shot without facts).

    Raises IllegalFact (cannot have happened), IllegalInput (call, decision or moment not known to the rules).
    """
    entered = sort_calls(shot, law.id, before.striker, options)
    story = read_story(
        shot.facts,
        first_touch=options["frozen_first_touch"],
        jaw_is_rail=options["jaw_counts_as_rail"],
        on_line=entered.on_line,
    )
    _check_moment(before, story, entered)
    _check_balls(law, before, story)
    case = Case(law, before, options, story, entered)
    if story.disturbed >= 0 or entered.void_by:
        return outcome.void(case)
    if story.struck is None:
        return _between_shots(case)
    if story.potted or entered.unaided or entered.fell_by_itself:
        _set_aside_unaided(case)
    if entered.disturbed and any(v.by is not case.striker for v in case.violations):
        return outcome.disturbed_by_opponent(case)
    _stroke_violations(case)
    _completion(case)
    if case.legal:
        _credit(case)
    readings.of_stroke(case)
    return outcome.series(case) if before.series else outcome.played(case)


def _between_shots(case: Case) -> PyramidRuling:
    """No stroke was made: offences that need none, or a hanging ball that fell by itself (RP-21.1)."""
    for violation in case.violations:
        if not FOULS[violation.clause].idle:
            raise IllegalInput(f"call {violation.clause}: needs a stroke; begin the facts with 'strike'", code="call")
    if case.violations:
        return outcome.series(case) if case.before.series else outcome.between_shots(case)
    if case.story.potted:
        return outcome.hanging(case)
    raise IllegalInput("nothing to judge: no stroke, no offence, no ball fell", code="empty")


# --- checks ---------------------------------------------------------------------------------------------------------


def _check_moment(before: PyramidState, story: Story, entered: Entered) -> None:
    if before.stage is SHOT:
        if entered.house_first and before.phase not in IN_HOUSE:
            raise IllegalInput(
                f"call RP-19.2a: the shot is not played in hand from the house but '{before.phase}'", code="call"
            )
        return
    if before.stage is CHOICE and story.struck is None:
        return
    raise IllegalInput(f"no shot is due: the match waits for '{before.stage}'; see due()", code="stage")


def _check_balls(law: GameLaw, before: PyramidState, story: Story) -> None:
    """No more balls may take part than lie on the table."""
    named, table = story.balls, before.table
    coloured = table.coloured
    if coloured in ON_SHELF and C in named:
        at = named[C]
        raise IllegalFact(f"fact {at + 1}: C lies on the {coloured} and cannot take part", position=at)
    count = len(named) - (law.fixed_cue and C in named)
    if count > table.balls:
        counted = sorted(at for ball, at in named.items() if not law.fixed_cue or ball is not C)
        at = counted[table.balls]
        what = "white balls" if law.fixed_cue else "balls"
        raise IllegalFact(
            f"fact {at + 1}: {count} {what} take part, but only {table.balls} are on the table",
            position=at,
        )


# --- a shot that was played --------------------------------------------------------------------------------------------


def _set_aside_unaided(case: Case) -> None:
    """Hanging balls that fell by themselves are put back and count for nothing (RP-21.1)."""
    story, named = case.story, set(case.entered.fell_by_itself)
    if case.entered.unaided and not named:
        others = [ball for ball in story.potted if ball is not story.struck]
        if len(others) != 1:
            raise IllegalInput(
                f"call RP-21.1: {len(others)} object balls fell; say which one by itself (decided 'unaided')",
                code="unaided",
            )
        named = set(others)
    if named and not named <= story.potted.keys():
        raise IllegalInput(
            f"decided 'unaided': {', '.join(sorted(named - story.potted.keys()))} did not fall", code="unaided"
        )
    for ball, at in story.potted.items():
        if at < story.contact_at and ball is not story.struck:
            named.add(ball)  # what fell before the cue ball met anything cannot have fallen by the shot
    for ball, at in [*story.potted.items()]:
        if ball not in named:
            continue
        del story.potted[ball]
        case.uncounted.append(ball)
        case.steps.append(why.step("RP-21.1", "unaided", at, ball=ball))
    if named:
        case.readings.append("AMB-26")


def _stroke_violations(case: Case) -> None:
    """Violations that the facts themselves show.

    In free pyramid any ball may be struck, a placed one too (RP-3.3, RP-23.3a, EXT-F2), but the break is played with
    the coloured one; in the other two a white is an object ball only (RP-3.4, RP-23.3b).
    """
    story, law, phase, found = case.story, case.law, case.before.phase, case.violations
    struck = story.struck
    shown = []
    if struck is not C and (law.fixed_cue or phase is BREAK):
        shown.append("RP-20.2")
    if story.contact_at < 0:
        shown.append("RP-4.3")
    if struck in story.off:
        shown.append("RP-22.3a")
    if law.house and phase is FROM_HOUSE and _house_ball_first(case):
        shown.append("RP-19.2a")
    if phase is PREMIUM and C in story.potted and case.options["premium_cue_pot"] == "foul":
        shown.append("EXT-D3")
    known = {violation.clause for violation in found if violation.by is case.striker} if found else ()
    if "RP-22.3a" in known and struck is not None and struck not in story.potted:
        story.off.setdefault(struck, story.strike_at)  # entered as a call, no fact tells it
        story.odd = True
    if shown:
        case.violations = [Violation(clause, case.striker) for clause in shown if clause not in known] + found
    why.contact_steps(case.steps, story, case.entered)


def _house_ball_first(case: Case) -> bool:
    """Whether every ball met at the first contact lay in the house; one outside, met at the same instant, is enough.

    Not asked of a shot from the temporary house, in which no object ball lies (RP-19.2b).
    """
    house, story = case.entered.house, case.story
    if house is None or story.contact_at < 0 or case.options["house_ball_first"] != "foul":
        return False
    return all(ball in house for at, ball in story.cue_contacts if at == story.contact_at)


def _completion(case: Case) -> None:
    """Find what completed the shot or made the break legal; add the violation when nothing did."""
    story = case.story
    if story.contact_at >= 0:
        on_break = case.before.phase is BREAK
        if on_break:
            case.met = break_by(story, pot_is_legal=not case.spoiled())
        else:
            case.met = completed_by(story, case.options)
        if case.met is None:
            missing = "RP-11.1.P" if on_break else "RP-18.P"
            if all(violation.clause != missing for violation in case.violations):
                case.violations.insert(0, Violation(missing, case.striker))
        else:
            case.steps.append(why.met_step(case.met))
    case.legal = not case.spoiled()  # without contact RP-4.3 has spoiled it


def _credit(case: Case) -> None:
    """Balls a legal shot credits, in the order they fell; the coloured cue ball by a white taken for it."""
    story, law = case.story, case.law
    if not story.potted and not law.house:
        return
    outside_from = _outside_from(case)
    fallen = 0
    for ball, at in story.potted.items():
        fallen += ball is not C and at >= outside_from
    whites_left = case.before.table.balls - fallen
    for ball, at in story.potted.items():
        if at < outside_from:
            case.uncounted.append(ball)
            case.steps.append(why.step("RP-19.2a", "house_pot", at, ball=ball))
        elif not law.fixed_cue or ball is not C:
            case.credited.append(ball)
        elif case.before.phase is PREMIUM:
            case.steps.append(why.step("EXT-D3", "premium_cue_pot", at))
            case.readings.append("AMB-49")
        elif whites_left <= 0:
            case.steps.append(why.step(law.cue_credit, "no_white_left", at))
            case.readings.append("AMB-48")
        else:
            case.credited.append(ball)
            case.whites_taken += 1
            whites_left -= 1
            case.steps.append(why.step(law.cue_credit, "white_for_cue", at))


def _outside_from(case: Case) -> int:
    """Index of the fact from which pots count: 0, or the first contact with a ball outside the house (AMB-20)."""
    entered = case.entered
    if not case.law.house or case.options["house_ball_first"] == "foul":
        return 0
    if entered.house is not None and case.before.phase is FROM_HOUSE:
        inside = entered.house
    elif entered.house_first:
        inside = frozenset({case.story.cue_contacts[0][1]})  # only the first ball is known to lie in the house
    else:
        return 0
    case.readings.append("AMB-20")
    outside = [at for at, ball in case.story.cue_contacts if ball not in inside]
    return outside[0] if outside else len(case.story.balls) + 1_000
