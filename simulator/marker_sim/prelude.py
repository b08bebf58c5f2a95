"""How a referee brings a hub to the state before a scene: by what he may enter at any table, and a stroke where nothing else will do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from marker_rules.balls import ALL_PINS, Pin, Player
from marker_rules.facts import Fact
from marker_rules.game import Action, DueKind, ManualEntry, Setup, game
from marker_rules.notation import parse_facts
from marker_rules.options import Options
from marker_rules.shot import Call, Shot
from marker_sim.scenes import Scene, ScriptError

NOTE = "the position before the scene"
PREMIUM = ("strike C", "contact C w3", "pot C BR")
OWES = "RP-25"  # an error of a player who may not touch anything: a ball of his shelf, or one owed
LONG = {False: {"games": 3}, True: {"race_to": 3}}  # nothing that is played ends the match by itself
ROUNDS = 4


@dataclass(frozen=True, slots=True)
class Entry:
    """A command for the hub."""

    kind: str
    fields: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Stroke:
    """A shot that is really played first, and what was called with it."""

    facts: tuple[Fact, ...]
    calls: tuple[Call, ...]
    before: Any


Step: TypeAlias = Entry | Stroke


@dataclass(frozen=True, slots=True)
class Prelude:
    """`start`: fields of the command that starts the match; `state`: what the rules make of it all."""

    start: dict[str, Any]
    steps: tuple[Step, ...]
    state: Any
    options: Options


class _Fold:
    """The rules' state beside the steps that lead there."""

    def __init__(self, scene: Scene, start: dict[str, Any]) -> None:
        self.rules = game(scene.game)
        self.options = Options(scene.game, start["options"])
        self.state: Any = self.rules.start(Setup(self.options, opener=Player(start["opener"])))
        self.steps: list[Step] = []

    def manual(self, points: dict[Player, int], following: Player, *, hand: bool = False) -> None:
        """The referee's own ruling."""
        ruling = self.rules.manual(ManualEntry(points, NOTE, following, hand), self.state, self.options)
        self.state = self.rules.apply(self.state, ruling)
        told = {player.value: value for player, value in points.items()}
        fields = {"points": told, "note": NOTE, "next": following.value, "ball_in_hand": hand}
        self.steps.append(Entry("manual", fields))

    def act(self, kind: str, action: Action, **fields: Any) -> None:
        """Something that is no shot."""
        self.state = self.rules.act(self.state, action)
        self.steps.append(Entry(kind, fields))

    def played(self, facts: tuple[Fact, ...], calls: tuple[Call, ...] = ()) -> None:
        """A stroke, or a call without one."""
        ruling = self.rules.rule(Shot(facts, calls), self.state, self.options)
        self.steps.append(Stroke(facts, calls, self.state))
        self.state = self.rules.apply(self.state, ruling)


def prelude(scene: Scene) -> Prelude:
    """The way to `scene.before`. Raises ScriptError where no entry leads there."""
    fold = _pyramid(scene) if scene.game.is_pyramid else _five_pins(scene)
    wrong = _differing(scene, fold.state)
    if wrong:
        raise ScriptError(f"{scene.id}: before: no entry of a referee leads there: {'; '.join(wrong)}")
    return Prelude(_start(scene), tuple(fold.steps), fold.state, fold.options)


def _start(scene: Scene) -> dict[str, Any]:
    options = dict(LONG[scene.game.is_pyramid]) | scene.options.changed()
    striker: Player = scene.before.striker
    if not scene.game.is_pyramid:
        options["points_limit"] = scene.before.limit
        options["games"] = LONG[False]["games"]
    else:
        options["race_to"] = LONG[True]["race_to"]
    if getattr(getattr(scene.before, "mode", None), "value", "") == "contact-reset":
        options["contact_reset"] = True
    return {
        "game": scene.game.value,
        "players": {player.value: {"name": f"{scene.id} {player.value}", "lang": "en"} for player in Player},
        "options": options,
        "policy": "referee",
        "opener": striker.value,
    }


def _five_pins(scene: Scene) -> _Fold:
    before = scene.before
    fold = _Fold(scene, _start(scene))
    mode = before.mode.value
    points = {player: before.score.of(player) for player in Player}
    if mode != "opening" or any(points.values()):
        fold.manual(points, before.striker, hand=mode == "hand")
    if mode == "contact-reset":
        fold.act("contact_reset", Action("contact_reset"))
    if before.pins != ALL_PINS:
        standing = [pin.value for pin in Pin if pin in before.pins]
        off = [pin.value for pin in Pin if pin not in before.pins]
        fold.act("layout", Action("layout", value=",".join(standing)), pins=standing, off=off)
    return fold


def _pyramid(scene: Scene) -> _Fold:
    before = scene.before
    start = _start(scene)
    if before.phase.value == "break":
        return _break(scene, start)
    fold = _Fold(scene, start)
    points = {player: before.shelf.of(player) - before.debt.of(player) for player in Player}
    striker: Player = before.striker
    premium = before.phase.value == "in-hand-any-premium"
    if premium:
        points[striker] -= 1
    fold.manual(points, striker, hand=before.phase.value in ("in-hand-any", "in-hand-house"))
    if premium:
        fold.played(parse_facts(list(PREMIUM)))
    return fold


def _break(scene: Scene, start: dict[str, Any]) -> _Fold:
    """Balls owed before the break: somebody who touches what he may not, and a choice that leaves the break to the striker."""
    before = scene.before
    owing = next((player for player in Player if before.debt.of(player)), None)
    if owing is None:
        return _Fold(scene, start)
    fold = _Fold(scene, start)
    for _ in range(ROUNDS):
        if fold.state.debt == before.debt and fold.state.striker is before.striker:
            break
        fold.played((), (Call(OWES, owing),))
        if fold.rules.due(fold.state).kind is DueKind.CHOICE:
            due = fold.rules.due(fold.state)
            value = "play" if due.player is before.striker else "cede"
            fold.act("choice", Action("choose", due.player, value), value=value)
    return fold


def _differing(scene: Scene, state: Any) -> list[str]:
    """What a scene needs and this state has not. A call between strokes ends in the same state as one that is due."""
    before = scene.before
    names = (
        ("striker", "phase", "shelf", "debt", "table")
        if scene.game.is_pyramid
        else ("striker", "limit", "score", "pins", "mode")
    )
    found = []
    for name in names:
        wanted, got = getattr(before, name), getattr(state, name)
        if name == "mode" and wanted.value == "idle":
            continue
        if wanted != got:
            found.append(f"{name} {got}, wanted {wanted}")
    return found
