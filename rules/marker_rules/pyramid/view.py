"""States and rulings in the words of the scenario files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Any, TypeVar

from marker_rules.balls import GameId, Player
from marker_rules.errors import IllegalInput, shown
from marker_rules.options import Options
from marker_rules.pyramid.clock import EXTENSIONS_PER_FRAME
from marker_rules.pyramid.ruling import PyramidRuling
from marker_rules.pyramid.state import (
    HAND_OF_PHASE,
    Coloured,
    Hand,
    Pair,
    Penalty,
    Phase,
    PyramidState,
    Run,
    Stage,
    Table,
)

E = TypeVar("E", bound=StrEnum)

FULL = {GameId.FREE: 16, GameId.DYNAMIC: 15, GameId.COMBINED: 15}  # balls of a full table as Table.balls counts them

MOST = 1_000  # of debts, or balls of a run over many frames: no match has more


def _enum(field: str, kind: type[E], value: Any) -> E:
    try:
        return kind(value)
    except ValueError:
        raise IllegalInput(f"before.{field}: {shown(value)} is none of {', '.join(kind)}", code=field) from None


def _count(field: str, value: Any, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise IllegalInput(f"before.{field}: {shown(value)} is no whole number from 0 to {most}", code=field)
    return value


def _pair(field: str, given: Any, most: int = MOST) -> Pair:
    if given is None:
        return Pair()
    if not isinstance(given, Mapping) or not given.keys() <= {"A", "B"}:
        raise IllegalInput(f"before.{field}: {shown(given)} is no pair; give {{A: number, B: number}}", code=field)
    return Pair(*(_count(f"{field}.{name}", given.get(name, 0), most) for name in ("A", "B")))


FROZEN = ("none", "some", "unknown")  # what the evidence says of it; a shot with all facts known names the balls
KNOWN = ("striker", "phase", "shelf", "debt", "table", "frozen", "extensions", "run", "handicap")


def read_before(game: GameId, before: Mapping[str, Any], options: Options) -> PyramidState:
    """A state with a shot due. Missing: striker A, phase play, empty shelves and debts, the rest of 16 balls on the table.

    A shelf that has reached the target with its owner at the table means that he plays on with the run he won by (RP-30.4b).
    What no match can come to is refused: raises IllegalInput naming the field.
    """
    for name in before:
        if name not in KNOWN:
            raise IllegalInput(f"before.{name}: no such field; there are {', '.join(KNOWN)}", code=str(name))
    phase = _enum("phase", Phase, before.get("phase", "play"))
    _check_phase(game, phase)
    if before.get("frozen", "none") not in FROZEN:
        raise IllegalInput(f"before.frozen: {shown(before['frozen'])} is none of {', '.join(FROZEN)}", code="frozen")
    shelf, debt = _pair("shelf", before.get("shelf"), FULL[game]), _pair("debt", before.get("debt"))
    striker = _enum("striker", Player, before.get("striker", "A"))
    coloured = Coloured.HAND if HAND_OF_PHASE[phase] else Coloured.TABLE
    state = PyramidState(
        game=game,
        options=options,
        stage=Stage.SHOT,
        striker=striker,
        phase=phase,
        table=_read_table(game, before.get("table"), shelf, coloured),
        shelf=shelf,
        debt=debt,
        handicap=_pair("handicap", before.get("handicap"), options["target"] - 1),
        breaker=striker if phase is Phase.BREAK else None,
        extensions=_pair("extensions", before.get("extensions"), EXTENSIONS_PER_FRAME),
        run=Run(striker, _count("run", before.get("run", 0), MOST), recorded=before.get("run", 0)),
    )
    target = options["target"]
    if state.score.of(striker.other) >= target:
        raise IllegalInput(
            f"before.shelf: {striker.other} has won the frame, {striker} cannot play on; give less than {target}",
            code="shelf",
        )
    series = state.score.of(striker) >= target
    _check_balls(state, series=series, shelves_given="shelf" in before)
    _check_run(state, series=series)
    return _playing_on(state) if series else state


def _playing_on(state: PyramidState) -> PyramidState:
    return replace(state, series=True, winner=state.striker, frames=Pair().put(state.striker, 1))


def _check_balls(state: PyramidState, *, series: bool, shelves_given: bool) -> None:
    """Balls are neither lost nor made: what is not on the table lies on a shelf, or was potted while playing on."""
    full = FULL[state.game]
    on_shelves = state.shelf.a + state.shelf.b
    kind = "balls" if state.game is GameId.FREE else "white balls"
    if on_shelves > full:
        raise IllegalInput(f"before.shelf: {on_shelves} {kind} on the shelves; there are {full}", code="shelf")
    left = full - on_shelves
    fewer_is_fine = series or not shelves_given  # a table alone says nothing of the shelves
    if state.table.balls > left or (state.table.balls < left and not fewer_is_fine):
        raise IllegalInput(
            f"before.table: {state.table.balls} {kind} on the table and {on_shelves} on the shelves; there are {full}",
            code="table",
        )
    for player in Player:
        if state.table.coloured is Coloured.shelf(player) and shelves_given and not state.shelf.of(player):
            raise IllegalInput(f"before.table.coloured: the shelf of {player} is empty", code="table.coloured")
        both = state.shelf.of(player) and state.debt.of(player)
        if both and state.options["debts_per_shot"] == "all":
            raise IllegalInput(
                f"before.debt.{player}: {player} owes {state.debt.of(player)} with {state.shelf.of(player)} on the shelf; "
                "a penalty ball is taken from there, and the first balls scored pay",
                code=f"debt.{player}",
            )


def _check_run(state: PyramidState, *, series: bool) -> None:
    """The run the striker is in. Balls on the shelves at a break are none of it: a lost position is racked anew with the score kept."""
    across = state.options["run_across_frames"]
    if series and state.phase is Phase.BREAK:
        raise IllegalInput(f"before.phase: {state.striker} has won the frame and plays on; give 'play'", code="phase")
    most = MOST if across else 0 if state.phase is Phase.BREAK else 16
    if state.run.count > most:
        raise IllegalInput(
            f"before.run: {state.run.count} is more than {most}, which this frame can have had", code="run"
        )


def _check_phase(game: GameId, phase: Phase) -> None:
    houses = (Phase.IN_HAND_HOUSE, Phase.IN_HAND_TEMP_HOUSE)
    allowed = {
        GameId.FREE: (Phase.BREAK, Phase.PLAY),
        GameId.DYNAMIC: (Phase.BREAK, Phase.PLAY, Phase.IN_HAND_ANY, Phase.IN_HAND_ANY_PREMIUM, Phase.IN_HAND_HOUSE),
        GameId.COMBINED: (Phase.BREAK, Phase.PLAY, *houses),
    }[game]
    if phase not in allowed:
        raise IllegalInput(f"before.phase: '{phase}' is not of {game}; there are {', '.join(allowed)}", code="phase")


def _read_table(game: GameId, given: Any, shelf: Pair, coloured: Coloured) -> Table:
    full = FULL[game]
    if given is None:
        return Table(max(0, full - shelf.a - shelf.b), coloured)
    if not isinstance(given, Mapping) or not given.keys() <= {"total", "whites", "coloured"}:
        raise IllegalInput(f"before.table: {shown(given)}; give total or whites, and coloured", code="table")
    where = given.get("coloured", coloured)
    place = _enum("table.coloured", Coloured, where)
    if place is not Coloured.HAND and coloured is Coloured.HAND:
        place = Coloured.HAND  # the phase says so
    if place is Coloured.HAND and coloured is not Coloured.HAND:
        raise IllegalInput("before.table.coloured: no ball is in hand in this phase", code="table.coloured")
    if game is GameId.FREE:
        if "total" in given:
            return Table(_count("table.total", given["total"], full), place)
        whites = _count("table.whites", given.get("whites", 15 - shelf.a - shelf.b), 15)
        return Table(whites + (place is Coloured.TABLE), place)
    if place in (Coloured.SHELF_A, Coloured.SHELF_B):
        raise IllegalInput(
            f"before.table.coloured: in {game} the coloured ball never lies on a shelf", code="table.coloured"
        )
    if "whites" in given:
        return Table(_count("table.whites", given["whites"], full), place)
    total = _count("table.total", given.get("total", 16 - shelf.a - shelf.b), 16)
    return Table(max(0, total - (place is Coloured.TABLE)), place)


def _penalty(penalty: Penalty) -> dict[str, str]:
    return {"player": penalty.player.value, "from": penalty.source.value}


def _hand(hand: Hand | None) -> str | None:
    return None if hand is None else hand.value


def result(ruling: PyramidRuling) -> dict[str, Any]:
    """The ruling as the scenario files write what they expect. `penalty` is a list only when both players pay."""
    penalties = [_penalty(penalty) for penalty in ruling.penalties]
    return {
        "legal": ruling.legal,
        "legal_by": ruling.legal_by,
        "violations": list(dict.fromkeys(violation.clause for violation in ruling.violations)),
        "credited": [ball.value for ball in ruling.credited],
        "respot": list(ruling.respot),
        "penalty": penalties if len(penalties) > 1 else penalties[0] if penalties else None,
        "debt_paid": ruling.debt_paid,
        "balls_to_place": ruling.balls_to_place,
        "whites_taken_for_cue_ball": ruling.whites_taken_for_cue_ball,
        "next": None if ruling.next is None else ruling.next.value,
        "chooser": None if ruling.chooser is None else ruling.chooser.value,
        "options": list(ruling.choices),
        "may_continue_run": None if ruling.may_continue_run is None else ruling.may_continue_run.value,
        "ball_in_hand": _hand(ruling.ball_in_hand),
        "shelf": ruling.shelf.as_dict(),
        "debt": ruling.debt.as_dict(),
        "score": ruling.score.as_dict(),
        "winner": None if ruling.winner is None else ruling.winner.value,
    }
