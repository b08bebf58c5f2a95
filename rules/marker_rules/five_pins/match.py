"""The match of five-pins around its strokes: lag and choice, openers, games, breaks, forfeits, exclusion, handicap."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from marker_rules.balls import ALL_PINS, Ball, GameId, Pin, Player
from marker_rules.errors import IllegalInput
from marker_rules.five_pins.law import BREAK_S
from marker_rules.five_pins.placement import Lie, place
from marker_rules.five_pins.reading import read_pins, read_word
from marker_rules.five_pins.ruling import FivePinsRuling
from marker_rules.five_pins.state import FivePinsState, GameResult, Half, Mode, Phase, Score
from marker_rules.game import Action, Due, DueKind, Setup
from marker_rules.options import Options
from marker_rules.ruling import Placement, Turn

BALLS = ("white", "yellow")
LAG_CHOICES = ("open", "give")  # FP-3.10
HAND_CHOICES = ("in_place", "start")  # FP-H.5a
SWAPPED = {"cue": "opponent", "opponent": "cue"}  # the roles of the players' balls when the turn passes
START_PLACEMENTS = (Placement("red", "red"), Placement("opponent", "upper"))  # FP-4.2, FP-4.3, FP-C.5


def needed(games: int) -> int:
    """Games that win a match of that length: more than half of them (FP-2.4)."""
    return games // 2 + 1


def other_opener(first: Player, game_no: int) -> Player:
    """The opener of a game, counted from 1: the players take turns (FP-4.8)."""
    return first if game_no % 2 else first.other


def breaks_of(games: int, options: Options) -> tuple[int, ...]:
    """Games after which a break is called in a match of that length (FP-4.10a, FP-4.10b)."""
    table: dict[int, tuple[int, ...]] = dict(options["breaks"])
    return table.get(games, ())


def match_winner(won: Score, played: int, games: int, play_all: bool) -> Player | None:
    """The winner of the match, None while it goes on (FP-2.4, A21)."""
    if max(won) < needed(games) or (play_all and played < games):
        return None
    return Player.A if won.a > won.b else Player.B


def start(setup: Setup) -> FivePinsState:
    """The state before the first act. Raises IllegalInput naming what is missing."""
    options = setup.options
    limit, games = options["points_limit"], options["games"]
    for name, value in (("points_limit", limit), ("games", games)):
        if value is None:
            raise IllegalInput(f"option '{name}' must be given: the rules name no number", code=name)
    handicap = Score(*(setup.handicap.get(player, 0) for player in Player))
    if not all(0 <= points < limit for points in handicap):
        raise IllegalInput(f"handicap {tuple(handicap)}: whole numbers from 0 to {limit - 1}", code="handicap")
    ball = read_ball(setup.ball_of_a) if setup.ball_of_a else ""
    before = FivePinsState(
        striker=Player.A,
        limit=limit,
        score=handicap,
        phase=Phase.LAG,
        games=games,
        handicap=handicap,
        ball_of_a=ball,
        placements=(Placement("red", "red"),),
        options=options,
    )
    return _open(before, setup.opener) if setup.opener else before


def read_ball(name: str) -> str:
    """Raises IllegalInput for anything but the two players' balls."""
    if name not in BALLS:
        raise IllegalInput(f"ball {name!r} is not one of {', '.join(BALLS)}", code="ball_of_a")
    return name


def _open(state: FivePinsState, opener: Player) -> FivePinsState:
    """The opening stroke of a game by `opener` (FP-4.1 to FP-4.3)."""
    ball = state.ball_of_a
    if not ball and state.options["ball_assignment"] == "opener_white":
        ball = "white" if opener is Player.A else "yellow"
    return replace(
        state,
        striker=opener,
        opener=opener,
        first_opener=state.first_opener or opener,
        score=state.handicap,
        mode=Mode.OPENING,
        phase=Phase.SHOT,
        pins=ALL_PINS,
        lag_winner=None,
        late_marks=(),
        ball_of_a=ball,
        placements=START_PLACEMENTS,
        hand_half=Half.LOWER,
    )


def apply(before: FivePinsState, ruling: FivePinsRuling, choice: str | None = None) -> FivePinsState:
    """The state after a ruling. A ruling left to the referee changes nothing: his own entry follows it."""
    if before.phase is not Phase.SHOT:
        raise IllegalInput(f"no ruling can be applied while the match waits for '{before.phase}'", code="phase")
    if ruling.next is Turn.REFEREE:
        return before
    placements = _outstanding(before, ruling)
    put_back = frozenset(Pin(placed.what) for placed in placements if placed.what in Pin.__members__)
    after = replace(
        before,
        score=ruling.score,
        pins=before.pins | put_back,
        mode=Mode.HAND if ruling.ball_in_hand else Mode.NORMAL,
        placements=placements,
        hand_half=ruling.hand_half,
    )
    if ruling.winner is not None:
        return _game_over(after, ruling.winner, forfeit=False)
    assert ruling.next is not None
    after = replace(after, striker=Player(ruling.next.value))
    if _same_stroke(before, ruling, after):
        after = replace(after, mode=before.mode, hand_half=before.hand_half)
    return _choose_hand(after, choice) if choice else after


def _same_stroke(before: FivePinsState, ruling: FivePinsRuling, after: FivePinsState) -> bool:
    """True where nothing happened that ends the visit: the stroke to come is the one that was to come, an opening too.

    What the referee himself enters says whether the ball is in hand.
    """
    if ruling.stroke or ruling.ball_in_hand:
        return False
    return not ruling.manual or (after.striker is before.striker and before.mode is not Mode.HAND)


def _outstanding(before: FivePinsState, ruling: FivePinsRuling) -> tuple[Placement, ...]:
    """What is to be put back, with the balls named by their roles in the stroke to come.

    A stroke begins the list anew. Between strokes what was due before still is, and the later word about a ball or pin holds.
    """
    listed = ruling.placements
    if not ruling.stroke:
        named = {placed.what for placed in listed}
        listed = (*(placed for placed in before.placements if placed.what not in named), *listed)
    if ruling.next is None or ruling.next.value == ruling.striker.value:
        return listed
    swapped = tuple(Placement(SWAPPED.get(placed.what, placed.what), placed.spot) for placed in listed)
    if not ruling.ball_in_hand:
        return swapped
    return tuple(Placement("cue") if placed.what == "cue" else placed for placed in swapped)  # it goes to no spot


def _game_over(state: FivePinsState, winner: Player, *, forfeit: bool) -> FivePinsState:
    opener = state.opener or state.striker
    results = (*state.results, GameResult(winner, state.score, opener, forfeit))
    won_a = sum(result.winner is Player.A for result in results)
    won = Score(won_a, len(results) - won_a)
    match = match_winner(won, len(results), state.games, state.options["play_all"])
    over = match is not None
    return replace(
        state,
        results=results,
        winner=match,
        phase=Phase.OVER if over else Phase.NEXT_GAME,
        mode=Mode.NORMAL,
        hand_half=None,
    )


def due(state: FivePinsState) -> Due:
    """What the rules wait for. With ball in hand the choice of FP-H.5a is open but need not be made."""
    if state.phase is Phase.LAG:
        return Due(DueKind.LAG, placements=state.placements)
    if state.phase is Phase.LAG_CHOICE:
        return Due(DueKind.CHOICE, state.lag_winner, LAG_CHOICES)
    if state.phase is Phase.SHOT:
        choices = HAND_CHOICES if state.mode is Mode.HAND else ()
        return Due(DueKind.SHOT, state.striker, choices, state.placements, state.mode.value)
    if state.phase is Phase.NEXT_GAME:
        called = state.game_no in breaks_of(state.games, state.options)
        return Due(DueKind.NEXT_GAME, break_s=BREAK_S if called else 0)
    return Due(DueKind.OVER, state.winner)


# --- acts -----------------------------------------------------------------------------------------------------------


def _refuse(action: Action, why: str) -> IllegalInput:
    return IllegalInput(f"action '{action.kind}' {why}", code=action.kind)


def _need_phase(state: FivePinsState, action: Action, *phases: Phase) -> None:
    if state.phase not in phases:
        raise _refuse(action, f"is not possible while the match waits for '{state.phase}'")


def _need_player(action: Action) -> Player:
    if action.player is None:
        raise _refuse(action, "needs a player, A or B")
    return action.player


def _need_note(action: Action) -> None:
    if not action.note.strip():
        raise _refuse(action, "needs a note: it is written into the match record")


def _lag(state: FivePinsState, action: Action) -> FivePinsState:
    """value: the winner A or B, or `replay`; args `late`: players who struck late, joined by commas (FP-3.6, FP-3.7)."""
    _need_phase(state, action, Phase.LAG)
    if action.value in Player.__members__:
        return replace(state, phase=Phase.LAG_CHOICE, lag_winner=Player(action.value), late_marks=(), placements=())
    if action.value != "replay":
        raise _refuse(action, f"has the value {action.value!r}; give A, B or replay")
    late = [read_word(Player, name, "late") for name in dict(action.args).get("late", "").split(",") if name]
    for player in late:
        if player in state.late_marks:
            return replace(state, phase=Phase.LAG_CHOICE, lag_winner=player.other, late_marks=(), placements=())
    return replace(state, late_marks=(*state.late_marks, *late))


def _choose(state: FivePinsState, action: Action) -> FivePinsState:
    """value: `open` or `give` by the winner of the lag (FP-3.10); `in_place` or `start` with ball in hand (FP-H.5a)."""
    _need_phase(state, action, Phase.LAG_CHOICE, Phase.SHOT)
    if state.phase is Phase.SHOT:
        return _choose_hand(state, action.value)
    if action.value not in LAG_CHOICES:
        raise _refuse(action, f"has the value {action.value!r}; give {' or '.join(LAG_CHOICES)}")
    assert state.lag_winner is not None
    return _open(state, state.lag_winner if action.value == "open" else state.lag_winner.other)


def _choose_hand(state: FivePinsState, choice: str) -> FivePinsState:
    if state.mode is not Mode.HAND:
        raise IllegalInput(f"choice '{choice}': the striker has no ball in hand", code="choose")
    if choice not in HAND_CHOICES:
        raise IllegalInput(f"choice {choice!r} is not one of {', '.join(HAND_CHOICES)}", code="choose")
    if choice == "in_place":
        return state
    return _placed(state, Lie(start=True))


def _placed(state: FivePinsState, lie: Lie) -> FivePinsState:
    """Spots for the balls. The striker's own ball is in hand; the offender's is his opponent's in the stroke to come.

    A ball that is still to be put back is off the table, whether the referee says so again or not.
    """
    off = {SWAPPED.get(placed.what, placed.what) for placed in state.placements} - set(Pin.__members__)
    placed = place(replace(lie, jumped=lie.jumped | {_ball(name, "jumped") for name in off}), state.options)
    balls = tuple(Placement(SWAPPED.get(p.what, p.what), p.spot) for p in placed.placements)
    stay = tuple(p for p in state.placements if p.what in Pin.__members__)
    return replace(state, hand_half=placed.hand_half, placements=(*stay, *balls))


def _place(state: FivePinsState, action: Action) -> FivePinsState:
    """Args as in a placement scenario (`offender_half`, `jumped`, `upper_spot`, ...); value `start` = starting place."""
    _need_phase(state, action, Phase.SHOT)
    if state.mode is not Mode.HAND:
        raise _refuse(action, "is not possible: the striker has no ball in hand")
    return _placed(state, read_lie({**dict(action.args), **({"choice": action.value} if action.value else {})}))


SPOT_FIELDS = ("upper_spot", "red_spot", "lower_spot")
LIE_FIELDS = ("offender_half", "opponent_half", "jumped", "choice", *SPOT_FIELDS)


def read_lie(given: Mapping[str, object]) -> Lie:
    """A Lie from the words of a placement scenario; a spot not named is free. Raises IllegalInput naming the field."""
    for name in given:
        if name not in LIE_FIELDS:
            raise IllegalInput(f"given.{name} is not known; there are {', '.join(LIE_FIELDS)}", code=name)
    jumped = given.get("jumped") or ()
    names = jumped.split(",") if isinstance(jumped, str) else jumped
    if not isinstance(names, list | tuple):
        raise IllegalInput(f"jumped: {jumped!r} is not a ball or a list of balls", code="jumped")
    choice = given.get("choice", "in_place")
    if choice not in HAND_CHOICES:
        raise IllegalInput(f"choice: {choice!r} is not one of {', '.join(HAND_CHOICES)}", code="choice")
    upper, red, lower = (_on_spot(given.get(name, "free"), name) for name in SPOT_FIELDS)
    return Lie(
        jumped=frozenset(_ball(name, "jumped") for name in names),
        offender_half=_half(given, "offender_half"),
        opponent_half=_half(given, "opponent_half"),
        upper=upper,
        red=red,
        lower=lower,
        start=choice == "start",
    )


def _half(given: Mapping[str, object], field: str) -> Half | None:
    return read_word(Half, given[field], field) if field in given else None


def _ball(value: object, field: str) -> Ball:
    ball = {"cue": Ball.CUE, "opponent": Ball.OPPONENT, "red": Ball.RED}.get(str(value))
    if ball is None:
        raise IllegalInput(f"{field}: {value!r} is not one of cue, opponent, red", code=field)
    return ball


def _on_spot(value: object, field: str) -> Ball | None:
    return None if value == "free" else _ball(value, field)


def _layout(state: FivePinsState, action: Action) -> FivePinsState:
    """value: the pins that stand, joined by commas (FP-T.6c, FP-T.7a, FP-T.7c)."""
    _need_phase(state, action, Phase.SHOT)
    return replace(state, pins=read_pins([name for name in action.value.split(",") if name]))


def _contact_reset(state: FivePinsState, action: Action) -> FivePinsState:
    """All three balls go to their starting places, the same player strikes (FP-C.5); pins still to be put back are."""
    _need_phase(state, action, Phase.SHOT)
    if not state.options["contact_reset"]:
        raise _refuse(action, "is switched off (contact_reset = false)")
    if state.mode in (Mode.OPENING, Mode.HAND):
        raise _refuse(action, "is not possible: the striker's ball is in hand and touches nothing")
    pins = tuple(placed for placed in state.placements if placed.what in Pin.__members__)
    placements = (*pins, *START_PLACEMENTS)
    return replace(state, mode=Mode.CONTACT_RESET, pins=ALL_PINS, placements=placements, hand_half=Half.LOWER)


def _award_game(state: FivePinsState, action: Action) -> FivePinsState:
    """player: who gets the game because the other left without leave (FP-9.1), or by decision (FP-P.4)."""
    _need_phase(state, action, Phase.SHOT, Phase.LAG, Phase.LAG_CHOICE)
    _need_note(action)
    return _game_over(state, _need_player(action), forfeit=True)


def _award_match(state: FivePinsState, action: Action) -> FivePinsState:
    """player: who gets the match because the other is excluded (FP-9.2), or by decision (FP-P.4)."""
    _need_phase(state, action, Phase.SHOT, Phase.LAG, Phase.LAG_CHOICE, Phase.NEXT_GAME)
    _need_note(action)
    return replace(state, winner=_need_player(action), forfeit_match=True, phase=Phase.OVER, hand_half=None)


def _replay_game(state: FivePinsState, action: Action) -> FivePinsState:
    """By decision of the competition's officials this game starts anew with the same opener (FP-P.4)."""
    _need_phase(state, action, Phase.SHOT)
    _need_note(action)
    return _open(state, state.opener or state.striker)


def _next_game(state: FivePinsState, action: Action) -> FivePinsState:
    """The other player opens (FP-4.8); the decider may need a lag (A22)."""
    _need_phase(state, action, Phase.NEXT_GAME)
    state = replace(state, game_no=state.game_no + 1)
    if state.game_no == state.games and state.options["decider_opening"] == "lag":
        return replace(
            state, phase=Phase.LAG, score=state.handicap, pins=ALL_PINS, placements=(Placement("red", "red"),)
        )
    if state.first_opener is None:  # game 1 was awarded before anyone had opened
        return replace(state, phase=Phase.LAG, score=state.handicap, pins=ALL_PINS)
    return _open(state, other_opener(state.first_opener, state.game_no))


def _assign_ball(state: FivePinsState, action: Action) -> FivePinsState:
    """Player plays the ball `value` (white, yellow) for the whole match (FP-3.4, FP-4.7)."""
    ball = read_ball(action.value)
    if _need_player(action) is Player.B:
        ball = BALLS[1 - BALLS.index(ball)]
    started = state.results or state.phase not in (Phase.LAG, Phase.LAG_CHOICE)
    if state.ball_of_a and started and ball != state.ball_of_a:
        raise _refuse(action, "is refused: a player keeps his ball for the whole match (FP-4.7)")
    return replace(state, ball_of_a=ball)


def _recorded(state: FivePinsState, _action: Action) -> FivePinsState:
    """Written into the record, changes nothing: conduct, and interference between strokes (the referee restores)."""
    return state


ACTIONS: Mapping[str, Callable[[FivePinsState, Action], FivePinsState]] = {
    "lag": _lag,
    "choose": _choose,
    "place": _place,
    "layout": _layout,
    "contact_reset": _contact_reset,
    "award_game": _award_game,
    "award_match": _award_match,
    "replay_game": _replay_game,
    "next_game": _next_game,
    "ball": _assign_ball,
    "interference": _recorded,
    "log": _recorded,
}


def act(before: FivePinsState, action: Action) -> FivePinsState:
    """The state after something that is not a stroke. Raises IllegalInput where the rules do not allow it now."""
    handler = ACTIONS.get(action.kind)
    if handler is None:
        raise IllegalInput(
            f"action '{action.kind}' is not known in {GameId.FIVE_PINS}; there are {', '.join(ACTIONS)}", code="action"
        )
    return handler(before, action)
