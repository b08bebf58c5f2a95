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
from marker_rules.pyramid.state import Coloured, Phase, PyramidState, Stage
from marker_rules.pyramid.story import Story, read_story
from marker_rules.shot import Shot


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
    case = Case(law, before, options, story, entered, list(entered.violations))
    if story.disturbed >= 0 or entered.void_by:
        return outcome.void(case)
    if story.struck is None:
        return _between_shots(case)
    _set_aside_unaided(case)
    if entered.disturbed and any(v.by is not case.striker for v in case.violations):
        return outcome.disturbed_by_opponent(case)
    _stroke_violations(case)
    _completion(case)
    if case.legal:
        _credit(case)
    case.readings.extend(readings.of_stroke(case))
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
    if before.stage is Stage.SHOT:
        if entered.house_first and before.phase not in IN_HOUSE:
            raise IllegalInput(
                f"call RP-19.2a: the shot is not played in hand from the house but '{before.phase}'", code="call"
            )
        return
    if before.stage is Stage.CHOICE and story.struck is None:
        return
    raise IllegalInput(f"no shot is due: the match waits for '{before.stage}'; see due()", code="stage")


def _check_balls(law: GameLaw, before: PyramidState, story: Story) -> None:
    """No more balls may take part than lie on the table."""
    named = story.balls
    coloured = before.table.coloured
    if Ball.C in named and coloured in (Coloured.SHELF_A, Coloured.SHELF_B):
        at = named[Ball.C]
        raise IllegalFact(f"fact {at + 1}: C lies on the {coloured} and cannot take part", position=at)
    count = len(named) - (law.fixed_cue and Ball.C in named)
    if count > before.table.balls:
        counted = sorted(at for ball, at in named.items() if not law.fixed_cue or ball is not Ball.C)
        at = counted[before.table.balls]
        what = "white balls" if law.fixed_cue else "balls"
        raise IllegalFact(
            f"fact {at + 1}: {count} {what} take part, but only {before.table.balls} are on the table",
            position=at,
        )


# --- a shot that was played --------------------------------------------------------------------------------------------


def _set_aside_unaided(case: Case) -> None:
    """Hanging balls that fell by themselves are put back and count for nothing (RP-21.1)."""
    story, named = case.story, set(case.entered.fell_by_itself)
    if not story.potted and not named and not case.entered.unaided:
        return
    if case.entered.unaided and not named:
        others = [ball for ball in story.potted if ball is not story.struck]
        if len(others) != 1:
            raise IllegalInput(
                f"call RP-21.1: {len(others)} object balls fell; say which one by itself (decided 'unaided')",
                code="unaided",
            )
        named = set(others)
    if not named <= story.potted.keys():
        raise IllegalInput(
            f"decided 'unaided': {', '.join(sorted(named - story.potted.keys()))} did not fall", code="unaided"
        )
    if story.contact_at >= 0:  # what fell before the cue ball met anything cannot have fallen by the shot
        named |= {ball for ball, at in story.potted.items() if at < story.contact_at and ball is not story.struck}
    for ball in named:
        at = story.potted.pop(ball)
        case.uncounted.append(ball)
        case.steps.append(why.step("RP-21.1", "unaided", at, ball=ball))
    if named:
        case.readings.append("AMB-26")


def _stroke_violations(case: Case) -> None:
    """Violations that the facts themselves show.

    In free pyramid any ball may be struck, a placed one too (RP-3.3, RP-23.3a, EXT-F2), but the break is played with
    the coloured one; in the other two a white is an object ball only (RP-3.4, RP-23.3b).
    """
    story, striker, found = case.story, case.striker, case.violations
    struck = story.struck
    must_be_c = case.law.fixed_cue or case.before.phase is Phase.BREAK
    shown = []
    if must_be_c and struck is not Ball.C:
        shown.append(Violation("RP-20.2", striker))
    if story.contact_at < 0:
        shown.append(Violation("RP-4.3", striker))
    if struck in story.off:
        shown.append(Violation("RP-22.3a", striker))
    if case.before.phase in IN_HOUSE and case.law.house and _house_ball_first(case):
        shown.append(Violation("RP-19.2a", striker))
    if (
        case.before.phase is Phase.IN_HAND_ANY_PREMIUM
        and Ball.C in story.potted
        and case.options["premium_cue_pot"] == "foul"
    ):
        shown.append(Violation("EXT-D3", striker))
    called_off = any(v.clause == "RP-22.3a" and v.by is striker for v in found)
    if called_off and struck is not None and struck not in story.potted:
        story.off.setdefault(struck, story.strike_at)  # entered as a call, no fact tells it
    if shown:
        known = {violation.clause for violation in found if violation.by is striker}
        case.violations = [violation for violation in shown if violation.clause not in known] + found
    if case.entered.unwarned:
        case.steps.append(why.step("RP-10.3b", "unwarned"))
    if case.entered.no_push:
        case.steps.append(why.step("RP-17.2.2", "no_push"))
    case.steps.extend(why.contact_steps(story))


def _house_ball_first(case: Case) -> bool:
    house = case.entered.house
    if house is None or case.options["house_ball_first"] != "foul" or not case.story.cue_contacts:
        return False
    return case.story.cue_contacts[0][1] in house


def _completion(case: Case) -> None:
    """Find what completed the shot or made the break legal; add the violation when nothing did."""
    story, on_break = case.story, case.before.phase is Phase.BREAK
    no_contact = story.contact_at < 0
    if not no_contact:
        if on_break:
            case.met = break_by(story, pot_is_legal=not case.spoiled())
        else:
            case.met = completed_by(story, case.options)
        if case.met is None:
            missing = "RP-11.1.P" if on_break else "RP-18.P"
            if not any(v.clause == missing for v in case.violations):
                case.violations.insert(0, Violation(missing, case.striker))
        else:
            case.steps.append(why.met_step(case.met))
    case.legal = not case.spoiled()  # without contact RP-4.3 has spoiled it


def _credit(case: Case) -> None:
    """Balls a legal shot credits, in the order they fell; the coloured cue ball by a white taken for it."""
    story, law = case.story, case.law
    outside_from = _outside_from(case)
    fallen = sum(1 for ball, at in story.potted.items() if ball is not Ball.C and at >= outside_from)
    whites_left = case.before.table.balls - fallen
    for ball, at in story.potted.items():
        if at < outside_from:
            case.uncounted.append(ball)
            case.steps.append(why.step("RP-19.2a", "house_pot", at, ball=ball))
        elif not law.fixed_cue or ball is not Ball.C:
            case.credited.append(ball)
        elif case.before.phase is Phase.IN_HAND_ANY_PREMIUM:
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
    if not case.law.house or case.before.phase not in IN_HOUSE or case.options["house_ball_first"] == "foul":
        return 0
    if entered.house is not None:
        inside = entered.house
    elif entered.house_first:
        inside = frozenset({case.story.cue_contacts[0][1]})  # only the first ball is known to lie in the house
    else:
        return 0
    case.readings.append("AMB-20")
    outside = [at for at, ball in case.story.cue_contacts if ball not in inside]
    return outside[0] if outside else len(case.story.balls) + 1_000
