"""Invariants 11 to 19 of the rules over random matches: whole frames with fouls, debts, choices, interference, play-on."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from marker_rules.balls import WHITES, GameId, Player
from marker_rules.errors import IllegalInput
from marker_rules.game import Action, DueKind, Setup
from marker_rules.notation import format_fact, parse_facts
from marker_rules.options import Options
from marker_rules.pyramid.games import GAMES, PyramidGame
from marker_rules.pyramid.ruling import CLAUSE_5, CLAUSE_11_2, PyramidRuling
from marker_rules.pyramid.state import Coloured, Hand, PenaltySource, Phase, PyramidState, Stage
from marker_rules.ruling import Turn
from marker_rules.shot import Call, Shot, When

A, B = Player.A, Player.B
GAMES_IDS = [GameId.FREE, GameId.DYNAMIC, GameId.COMBINED]
CODES = ("RP-12.2", "RP-13", "RP-14", "RP-15.1", "RP-16", "RP-17.1")
IDLE = ("RP-15.1", "RP-26.1.11", "RP-26.1.13", "RP-26.1.14")


def random_shot(rng: Random, game: PyramidGame, state: PyramidState) -> Shot:
    """A shot that can have happened on this table."""
    fixed = game.law.fixed_cue
    coloured = state.table.coloured in (Coloured.TABLE, Coloured.HAND)
    whites = state.table.balls - (0 if fixed else coloured)
    objects = [ball.value for ball in WHITES[: max(0, whites)]]
    cue = "C" if fixed or (coloured and (state.phase is Phase.BREAK or rng.random() < 0.5)) else objects.pop(0)
    if cue != "C" and not fixed and coloured:
        objects.append("C")
    texts = [f"strike {cue}"]
    if not objects or rng.random() < 0.05:
        if rng.random() < 0.4:
            texts.append(rng.choice([f"pot {cue} BL", f"off {cue} floor"]))
        return _with_calls(rng, game, state, texts)
    first = rng.choice(objects)
    texts.append(f"contact {cue} {first}")
    rails = ["head", "foot", "left", "right"]
    for _ in range(rng.choice((0, 1, 2, 2, 3, 5))):
        ball = rng.choice([cue, first, *objects[:4]])
        texts.append(rng.choice([f"cushion {ball} {rng.choice(rails)}", f"cross {ball}", f"cushion {ball} foot"]))
    balls = [*objects, cue]
    fallen = rng.sample(balls, k=min(len(balls), rng.choice((0, 0, 0, 1, 1, 1, 2, 3))))
    for ball in fallen:
        texts += [f"off {ball} lamp"] * (rng.random() < 0.05)  # and then into a pocket all the same
        texts.append(f"{'off' if texts[-1] != f'off {ball} lamp' and rng.random() < 0.1 else 'pot'} {ball} BL")
    return _with_calls(rng, game, state, texts)


def _with_calls(rng: Random, game: PyramidGame, state: PyramidState, texts: list[str]) -> Shot:
    calls = []
    if rng.random() < 0.15:
        calls = [Call(rng.choice(CODES), state.striker) for _ in range(rng.randint(1, 3))]
    if rng.random() < 0.05:
        calls.append(Call("RP-15.1", state.striker, When.AFTER))
    if rng.random() < 0.05:
        calls.append(Call("RP-25", state.striker.other, When.SITTING))
    decided = (("disturbed", "yes"),) if calls and calls[-1].code == "RP-25" and rng.random() < 0.4 else ()
    if game.law.house and state.phase is Phase.IN_HAND_HOUSE and len(texts) > 1 and rng.random() < 0.2:
        calls.append(Call("RP-19.2a", state.striker))
    if rng.random() < 0.02:
        texts.append("interference third-party")
    return Shot(tuple(parse_facts(texts)), tuple(calls), decided)


class Walk:
    """One random match; after each act the state and the log that leads to it are kept."""

    def __init__(self, game: GameId, seed: int, **options: Any) -> None:
        self.rng = Random(seed)
        self.game = GAMES[game]
        self.options = Options(game, {"race_to": 4, **options})
        self.setup = Setup(self.options)
        self.state = self.game.start(self.setup)
        self.log: list[Action | tuple[Shot, str | None]] = []
        self.rulings: list[tuple[PyramidState, Shot, PyramidRuling]] = []

    def step(self) -> bool:
        """One act; False when the match is over."""
        due, rng = self.game.due(self.state), self.rng
        if due.kind is DueKind.OVER:
            return False
        if due.kind is DueKind.LAG:
            self.act(Action("lag", value=rng.choice(["A", "B", "replay"])))
        elif due.kind in (DueKind.CHOICE, DueKind.NEXT_GAME):
            self.act(Action("choose", due.player, rng.choice(due.choices)))
        elif due.choices and rng.random() < 0.2:
            self.act(Action("choose", due.player, due.choices[0]))
        elif rng.random() < 0.01:
            self.act(Action("interference", value=rng.choice(["lost", "restorable"])))
        elif rng.random() < 0.03:
            by = rng.choice([A, B])
            self.shoot(Shot((), (Call(rng.choice(IDLE) if by is self.state.striker else "RP-25", by),)))
        else:
            self.shoot(random_shot(rng, self.game, self.state))
        return True

    def act(self, action: Action) -> None:
        self.state = self.game.act(self.state, action)
        self.log.append(action)

    def shoot(self, shot: Shot) -> None:
        ruling = self.game.rule(shot, self.state, self.options)
        self.rulings.append((self.state, shot, ruling))
        self.state = self.game.apply(self.state, ruling)
        self.log.append((shot, None))

    def replay(self) -> PyramidState:
        """The fold of the log."""
        state = self.game.start(self.setup)
        for entry in self.log:
            if isinstance(entry, Action):
                state = self.game.act(state, entry)
            else:
                state = self.game.apply(state, self.game.rule(entry[0], state, self.options))
        return state


WALKS = [(game, seed) for game in GAMES_IDS for seed in range(12)]


def walk(game: GameId, seed: int, steps: int = 220, **options: Any) -> Walk:
    played = Walk(game, seed, **options)
    for _ in range(steps):
        if not played.step():
            break
    return played


@pytest.mark.parametrize(("game", "seed"), WALKS)
def test_every_shot(game: GameId, seed: int) -> None:
    """Invariants 11 to 16 and 18 on every ruling of a random match."""
    played = walk(game, seed)
    assert len(played.rulings) > 20
    for before, _, ruling in played.rulings:
        after = played.game.apply(before, ruling)
        assert ruling.series is before.series  # who plays on wins nothing again (RP-30.4c)
        if not ruling.series:
            check_conservation(game, after)
            check_score(ruling)
            check_penalty(before, ruling)
        check_pots(before, ruling)
        check_turn(before, ruling)
        check_hand(game, before, ruling)
        for player in Player:
            assert 0 <= after.extensions.of(player) <= 2


@pytest.mark.parametrize(
    ("game", "seed", "switches"),
    [
        *((game, seed, {}) for game, seed in WALKS if seed < 4),
        *((game, 50, {"debts_per_shot": "one"}) for game in GAMES_IDS),
        *((game, 51, {"penalty_scheme": "opponent_plus_one"}) for game in GAMES_IDS),
        *((game, 52, {"run_across_frames": False}) for game in GAMES_IDS),
    ],
)
def test_every_state_with_a_shot_due_can_be_given_as_before(game: GameId, seed: int, switches: dict[str, Any]) -> None:
    """What a match comes to is never refused as impossible, and is read as it was: no scenario is out of reach."""
    played = walk(game, seed, **switches)
    for state in {id(before): before for before, _, _ in played.rulings}.values():
        given = {
            "striker": state.striker.value,
            "phase": state.phase.value,
            "shelf": state.shelf.as_dict(),
            "debt": state.debt.as_dict(),
            "table": {
                "total" if game is GameId.FREE else "whites": state.table.balls,
                "coloured": state.table.coloured.value,
            },
            "extensions": state.extensions.as_dict(),
            "run": state.run.count if state.run.player is state.striker else 0,
        }
        again = played.game.read_before(given, state.options)
        assert (again.striker, again.phase, again.table) == (state.striker, state.phase, state.table)
        assert (again.shelf, again.debt, again.series) == (state.shelf, state.debt, state.series)


def check_conservation(game: GameId, state: PyramidState) -> None:
    """11: balls are neither lost nor made."""
    total = state.table.balls + state.shelf.a + state.shelf.b
    assert total == (16 if game is GameId.FREE else 15)


def check_score(ruling: PyramidRuling) -> None:
    """12: score = shelf - debt, never both positive."""
    for player in Player:
        assert ruling.score.of(player) == ruling.shelf.of(player) - ruling.debt.of(player)
        assert ruling.shelf.of(player) == 0 or ruling.debt.of(player) == 0


def check_penalty(before: PyramidState, ruling: PyramidRuling) -> None:
    """13: a violation costs its player exactly one; without one no score falls."""
    offenders = {violation.by for violation in ruling.violations}
    for player in Player:
        own = len(ruling.credited) if player is ruling.striker else 0
        charged = 1 if player in offenders and ruling.winner is None else 0
        assert ruling.score.of(player) == before.score.of(player) + own - charged
    assert len(ruling.penalties) == (len(offenders) if ruling.winner is None else 0)


def check_pots(before: PyramidState, ruling: PyramidRuling) -> None:
    """14: nothing is credited by an illegal shot; everything that left the table returns or is in hand."""
    if ruling.legal is not True:
        assert ruling.credited == ()
        assert ruling.debt_paid == 0
    if not ruling.series:
        assert ruling.debt_paid == min(len(ruling.credited), before.debt.of(ruling.striker))  # 16
    assert len(set(ruling.respot)) == len(ruling.respot)
    assert not set(ruling.respot) & {ball.value for ball in ruling.credited}
    shelf_balls = sum(penalty.source is PenaltySource.SHELF for penalty in ruling.penalties)
    assert ruling.balls_to_place == len(ruling.respot) + ruling.debt_paid + shelf_balls


def check_turn(before: PyramidState, ruling: PyramidRuling) -> None:
    """15, 16: options, turn, winner."""
    target = 8
    if ruling.series:
        assert (ruling.choices, ruling.penalties) == ((), ())
        return
    reached = [player for player in Player if ruling.score.of(player) >= target]
    assert ([ruling.winner] if ruling.winner else []) == reached
    if ruling.winner is not None:
        assert (ruling.next, ruling.chooser, ruling.choices, ruling.penalties) == (None, None, (), ())
    elif ruling.violations:
        assert ruling.chooser is ruling.violations[-1].by.other
        assert ruling.choices in (CLAUSE_5, CLAUSE_11_2)
        if ruling.choices == CLAUSE_11_2:
            assert before.phase is Phase.BREAK
    elif not ruling.void:
        stays = Turn.of(ruling.striker if ruling.credited else ruling.striker.other)
        assert ruling.next is stays


def check_hand(game: GameId, before: PyramidState, ruling: PyramidRuling) -> None:
    """18: in hand only the fixed cue ball, only when it was potted or off, or was in hand already."""
    if game is GameId.FREE:
        assert ruling.ball_in_hand is None
    elif ruling.ball_in_hand is not None and not ruling.series:
        assert ruling.table.coloured is Coloured.HAND or before.table.coloured is Coloured.HAND
        assert ruling.ball_in_hand is (Hand.HOUSE if game is GameId.COMBINED else Hand.ANYWHERE)


@pytest.mark.parametrize(("game", "seed"), WALKS[::3])
def test_state_is_the_fold_of_the_log(game: GameId, seed: int) -> None:
    """19: replaying the log gives the same state, undoing the last act gives the one before it."""
    played = walk(game, seed, steps=120)
    assert played.replay() == played.state
    last = played.log.pop()
    undone = played.replay()
    assert undone != played.state or (isinstance(last, Action) and last.value == "replay") or _was_void(last, played)


def _was_void(last: object, played: Walk) -> bool:
    return isinstance(last, tuple) and played.rulings[-1][2].void


@pytest.mark.parametrize(("game", "seed"), WALKS[::3])
def test_what_changes_nothing(game: GameId, seed: int) -> None:
    """17: more violations of a foul shot, events before the contact, order and pockets of pots change nothing."""
    played, rng = walk(game, seed), Random(seed)
    tried = 0
    for before, shot, ruling in played.rulings:
        if not shot.facts or ruling.void or before.series:
            continue
        texts = [format_fact(fact) for fact in shot.facts]
        changed = [told_as(shot, [_other_pocket(text, rng) for text in texts])]
        changed.append(told_as(shot, [texts[0], f"cushion {texts[0].split()[1]} left", *texts[1:]]))
        pots = [text for text in texts if text.startswith("pot")]
        if len(pots) > 1:
            others = [text for text in texts if not text.startswith("pot")]
            changed.append(told_as(shot, [*others, *reversed(pots)]))
        spoiled = any(v.by is ruling.striker and v.when is When.DURING for v in ruling.violations)
        if spoiled and before.phase is not Phase.BREAK:
            changed.append(replace(shot, calls=(Call("RP-14", before.striker), *shot.calls)))
        for other in changed:
            tried += 1
            same_result(ruling, played.game.rule(other, before, played.options))
    assert tried > 40


def told_as(shot: Shot, texts: list[str]) -> Shot:
    return replace(shot, facts=tuple(parse_facts(texts)))


def shot_of_texts(texts: list[str], calls: tuple[Call, ...]) -> Shot:
    return Shot(tuple(parse_facts(texts)), calls)


def _other_pocket(text: str, rng: Random) -> str:
    words = text.split()
    return " ".join([*words[:2], rng.choice(["FL", "FR", "ML", "MR", "BR"])]) if words[0] == "pot" else text


def same_result(one: PyramidRuling, other: PyramidRuling) -> None:
    for field in ("legal", "winner", "next", "chooser", "choices", "shelf", "debt", "score", "ball_in_hand", "phase"):
        assert getattr(one, field) == getattr(other, field), field
    assert sorted(one.credited) == sorted(other.credited)
    assert sorted(one.respot) == sorted(other.respot)
    assert one.short == other.short


def test_free_pyramid_does_not_care_which_ball_fell() -> None:
    """17: in free pyramid every ball scores one and every void ball is placed alike."""
    game, options = GAMES[GameId.FREE], Options(GameId.FREE)
    before = game.read_before({"shelf": {"A": 2, "B": 0}}, options)
    results = []
    for ball in ("w3", "C", "w9"):
        target = "w3" if ball == "C" else ball
        cue = "w7" if ball != "C" else "C"
        for calls in ((), (Call("RP-16", A),)):
            texts = [f"strike {cue}", f"contact {cue} {target}", f"pot {ball} BL"]
            ruling = game.rule(shot_of_texts(texts, calls), before, options)
            results.append((ruling.score, len(ruling.credited), len(ruling.respot), ruling.short))
    assert set(results[::2]) == {results[0]}
    assert set(results[1::2]) == {results[1]}


@pytest.mark.parametrize("game", GAMES_IDS)
def test_swapping_the_players_mirrors_the_ruling(game: GameId) -> None:
    """The same shot by the other player gives the mirrored ruling."""
    rng, rules, options = Random(5), GAMES[game], Options(game)
    for _ in range(120):
        shelf = (rng.randint(0, 6), rng.randint(0, 6))
        one = rules.read_before({"striker": "A", "shelf": {"A": shelf[0], "B": shelf[1]}}, options)
        two = rules.read_before({"striker": "B", "shelf": {"A": shelf[1], "B": shelf[0]}}, options)
        shot = random_shot(rng, rules, one)
        mirrored = replace(shot, calls=tuple(Call(c.code, c.by.other, c.when) for c in shot.calls))
        left, right = rules.rule(shot, one, options), rules.rule(mirrored, two, options)
        assert (left.score.a, left.score.b) == (right.score.b, right.score.a)
        assert left.choices == right.choices
        assert [p.source for p in left.penalties] == [p.source for p in right.penalties]
        assert (left.next is None) is (right.next is None)


@pytest.mark.parametrize(
    "options",
    [
        {"penalty_scheme": "opponent_plus_one"},
        {"debts_per_shot": "one"},
        {"break_11_2_on": "any_foul", "rerack_keeps_debt": False},
        {"premature_voids_previous": False, "two_rails": "any_balls"},
        {"dynamic_foul_in_hand": "house", "premium_cue_pot": "foul", "house_ball_first": "no_foul"},
        {"run_across_frames": False, "target": 5, "table_referee": False, "sex": "wm"},
    ],
)
@pytest.mark.parametrize("game", GAMES_IDS)
def test_under_every_switch(game: GameId, options: dict[str, Any]) -> None:
    """Balls are conserved, the turn is decided and no match gets stuck, whatever the switches."""
    for seed in range(4):
        played = walk(game, seed, **options)
        for before, _, ruling in played.rulings:
            after = played.game.apply(before, ruling)
            if not ruling.series:
                check_conservation(game, after)
            decided = [ruling.winner, ruling.chooser, ruling.next]
            assert sum(entry is not None for entry in decided) == 1 or (ruling.series and ruling.winner is not None)
            assert ruling.table.balls >= 0
        assert played.replay() == played.state


@pytest.mark.parametrize("stage", [Stage.LAG, Stage.CHOICE, Stage.FRAME_OVER])
def test_refused_input_changes_nothing(play: Any, stage: Stage) -> None:
    """A shot that is not due is refused, and the state is what it was."""
    match = play(opener=None if stage is Stage.LAG else A)
    if stage is Stage.CHOICE:
        match.miss()
    if stage is Stage.FRAME_OVER:
        match.set(shelf=(7, 0), phase=Phase.PLAY)
        match.pot("w1")
    assert match.state.stage is stage
    kept = match.state
    with pytest.raises(IllegalInput, match="no shot is due"):
        match.shot("strike C; contact C w1; pot w1 BL")
    for action in ("choose", "award_game", "nonsense", "white"):
        with pytest.raises(IllegalInput):
            match.act(action, A, "nonsense")
    assert match.state is kept
