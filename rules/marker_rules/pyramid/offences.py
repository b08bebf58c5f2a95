"""The list of clause 26.1 and its companions as a table: what may be entered as a foul, what it cites, when it is possible.

Each row: the code as rulings show it, the item of the penalty list, and whether it can be charged without a stroke.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from marker_rules.balls import Ball, GameId, Player
from marker_rules.errors import IllegalInput
from marker_rules.options import Options
from marker_rules.pyramid.ruling import Violation
from marker_rules.shot import Call, Shot, When


@dataclass(frozen=True, slots=True)
class Foul:
    """One offence. penalised_by: item of 26.1, or the clause that makes it a violation. idle: possible without a stroke.

    fails_break: on the break it counts as a break that fails 11.1 (AMB-08, AMB-13, AMB-46).
    """

    code: str
    penalised_by: str
    idle: bool = False
    fails_break: bool = False
    games: tuple[GameId, ...] = (GameId.FREE, GameId.DYNAMIC, GameId.COMBINED)
    reading: str = ""


FOULS = {
    row.code: row
    for row in (
        Foul("RP-4.3", "RP-26.1.1", fails_break=True),
        Foul("RP-11.1.P", "RP-26.1.2", fails_break=True),
        Foul("RP-12.2", "RP-26.1.3", reading="AMB-12"),
        Foul("RP-13", "RP-26.1.4"),
        Foul("RP-14", "RP-26.1.5"),
        Foul("RP-15.1", "RP-26.1.6", idle=True),
        Foul("RP-16", "RP-26.1.7"),
        Foul("RP-17.1", "RP-26.1.8"),
        Foul("RP-18.P", "RP-26.1.9"),
        Foul("RP-22.3a", "RP-26.1.10"),
        Foul("RP-26.1.11", "RP-28.3e", idle=True, reading="AMB-25"),
        Foul("RP-25", "RP-26.1.12", idle=True, reading="AMB-29"),
        Foul("RP-26.1.13", "RP-26.1.13", idle=True, reading="AMB-35"),
        Foul("RP-26.1.14", "RP-26.1.14", idle=True, reading="AMB-35"),
        Foul("RP-10.3c", "RP-20.2", idle=True, fails_break=True, reading="AMB-08"),
        Foul("RP-20.2", "RP-20.2", fails_break=True, reading="AMB-46"),  # a ball other than the cue ball was struck
        Foul("RP-19.2a", "RP-20.2", games=(GameId.COMBINED,), reading="AMB-20"),
        Foul("EXT-D3", "EXT-D3", games=(GameId.DYNAMIC,), reading="AMB-49"),
    )
}

ALIASES = {
    **{row.penalised_by: row.code for row in FOULS.values() if row.penalised_by.startswith("RP-26.")},
    "RP-10.5": "RP-15.1",  # touching the cue ball once it is in play
    "RP-17.2.2": "RP-17.1",
    "RP-28.3e": "RP-26.1.11",
    "RP-3.2": "RP-20.2",
    "RP-10.2": "RP-20.2",
    "EXT-C5": "RP-15.1",  # touching a ball while placing the cue ball
}
VOIDING = {"RP-24.1": "AMB-30", "RP-24.2": "AMB-30", "RP-21.2": "AMB-26"}  # the shot is void and played again
UNAIDED = "RP-21.1"  # a hanging ball fell by itself and changed nothing
OBJECT_OFF = "RP-22.3b"
REMARKS = ("RP-10.3b", "RP-23.4", "RP-31.2a", "RP-31.2b")  # entries of the record, no penalty
ACTIONS = {"RP-31.2c": "award_game or award_match", "RP-31.2d": "award_match"}


@dataclass(slots=True)
class Entered:
    """What the referee entered with a shot, sorted."""

    violations: list[Violation] = field(default_factory=list)
    void_by: str = ""
    unaided: bool = False
    objects_off: int = 0
    remarks: list[tuple[str, Player]] = field(default_factory=list)
    house: frozenset[Ball] | None = None  # balls in the house, when he named them
    house_first: bool = False  # the first ball touched lay in the house
    fell_by_itself: frozenset[Ball] = frozenset()
    on_line: frozenset[Ball] = frozenset()
    unwarned: bool = False  # a wrong placement nobody warned of counts as right (RP-10.3b)
    no_push: bool = False  # he looked for a push and saw none (RP-17.2.0)
    disturbed: bool = False  # the sitting player's offence changed the shot


def _balls(name: str, value: str) -> frozenset[Ball]:
    try:
        return frozenset(Ball(word) for word in value.replace(",", " ").split())
    except ValueError:
        raise IllegalInput(f"decided '{name}': '{value}' is no list of balls (C, w1 to w15)", code=name) from None


def _yes(value: str) -> bool:
    return value.lower() in ("yes", "true")


_PUSHED = frozenset({"no", "false", "not", "neither"})  # words of a check that failed; YAML reads a bare `no` as false


NO_CALLS = Entered()


def sort_calls(shot: Shot, game: GameId, striker: Player, options: Options) -> Entered:
    """Sort calls and decisions of the referee. Raises IllegalInput naming the code and what to do instead."""
    if not shot.calls and not shot.decided:
        return NO_CALLS
    entered = Entered()
    _read_decided(entered, shot.decided, striker)
    for call in shot.calls:
        _read_call(entered, call, game, striker)
    if options["uncorrected_placement"] == "stop_play" and any(v.clause == "RP-10.3c" for v in entered.violations):
        entered.void_by = "RP-10.3c"  # the stroke is not allowed: nothing is judged
    if entered.house_first and options["house_ball_first"] == "foul":
        entered.violations.append(Violation("RP-19.2a", striker))
    # what happened after the shot comes after what happened in it; otherwise the order of entry stands
    entered.violations.sort(key=lambda violation: violation.when is When.AFTER)
    entered.violations = list(_once(entered.violations))
    return entered


def _once(violations: Iterable[Violation]) -> Iterable[Violation]:
    seen = set()
    for violation in violations:
        key = (violation.clause, violation.by)
        if key not in seen:
            seen.add(key)
            yield violation


DECIDED = frozenset({"warned", "corrected", "push_check", "house", "unaided", "on_line", "disturbed"})
"""What a referee decides beside his calls: the names of `Shot.decided`."""


def _read_decided(entered: Entered, decided: tuple[tuple[str, str], ...], striker: Player) -> None:
    given = dict(decided)
    if _yes(given.get("warned", "")) and not _yes(given.get("corrected", "")):
        entered.violations.append(Violation("RP-10.3c", striker))
    elif "warned" in given:
        entered.unwarned = True
    push = given.get("push_check", "").lower()
    if _PUSHED & set(push.split()):
        entered.violations.append(Violation("RP-17.1", striker))
    elif push:
        entered.no_push = True
    if "house" in given:
        entered.house = _balls("house", given["house"])
    entered.fell_by_itself = _balls("unaided", given.get("unaided", ""))
    entered.on_line = _balls("on_line", given.get("on_line", ""))
    entered.disturbed = _yes(given.get("disturbed", ""))


def _read_call(entered: Entered, call: Call, game: GameId, striker: Player) -> None:
    code = ALIASES.get(call.code, call.code)
    if code in VOIDING:
        entered.void_by = code
    elif code == UNAIDED:
        entered.unaided = True
    elif code == OBJECT_OFF:
        entered.objects_off += 1
    elif code in REMARKS:
        entered.remarks.append((code, call.by))
    elif code in ACTIONS:
        raise IllegalInput(f"call {call.code}: this is no part of a shot; enter {ACTIONS[code]}", code="call")
    else:
        foul = FOULS.get(code)
        if foul is None or game not in foul.games:
            allowed = ", ".join(name for name, row in FOULS.items() if game in row.games)
            raise IllegalInput(f"call {call.code}: no offence of {game}; there are {allowed}", code="call")
        if call.when is When.SITTING and call.by is striker:
            raise IllegalInput(f"call {call.code} by {call.by} 'sitting': {call.by} is the striker", code="call")
        if code == "RP-19.2a":
            entered.house_first = True
        else:
            entered.violations.append(Violation(code, call.by, _moment(call, foul, striker)))


def _moment(call: Call, foul: Foul, striker: Player) -> When:
    """When the offence happened: what only a stroke can break was broken in the striker's shot, however late it is entered.

    A shot lasts until all balls stand still (RP-12.1), so only what needs no stroke can come after it (RP-20.3); a
    double hit, a stroke made too early or a break from outside the house voids the pots (RP-20.2).
    """
    of_the_stroke = not foul.idle or foul.fails_break
    if call.when is When.AFTER and call.by is striker and of_the_stroke:
        return When.DURING
    return call.when
