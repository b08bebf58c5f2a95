"""Scenes played at a table of a running hub: its referee enters what came before, the sensors feel the scene, he answers from the truth."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from marker_hardware.wire import Profile
from marker_rules.balls import ALL_PINS, Pin, Player
from marker_rules.facts import Interference, Strike
from marker_rules.game import game
from marker_rules.notation import parse_facts
from marker_rules.scenario import compare
from marker_rules.shot import Shot
from marker_sim.boardnode import BoardNode
from marker_sim.faults.profile import Profile as Faults
from marker_sim.faults.rig import Rig
from marker_sim.faults.transport import Wire
from marker_sim.feedplay import hall
from marker_sim.handling import Handling
from marker_sim.hubclient import HubClient, Refused
from marker_sim.prelude import Prelude, Stroke, prelude
from marker_sim.referee import DISTURBED
from marker_sim.scenes import SEEN_ONLY, Scene, ScriptError, timeline
from marker_sim.score import COMPARED, truth_fields, view_fields
from marker_sim.sensors.hall import Change, Pose
from marker_sim.sensors.table import NOTHING, Besides, CaromSensors, sensors_of
from marker_sim.sinks.mqtt import MqttNode
from marker_sim.sinks.packets import Publish
from marker_sim.sinks.proxy import FaultProxy
from marker_sim.stage import Ready
from marker_sim.tabledriver import DECIDING, Shown, TableDriver, View
from marker_sim.timeline import MS, Timeline
from marker_sim.truth import TrueShot

LIMIT_S = 120.0  # wall time in which the hub must come to what is waited for, on a machine that does much else
LOOK_S = 0.02
LOOK_AGAIN_S = 2.0  # the stream tells of every change; a look now and then is for a stream that broke
PLACED_US = 2_500_000
SETTLED_US = 700_000
AFTERWARDS = {False: ("strike cue", "contact cue opponent"), True: ("strike C", "contact C w3", "pot w3 BL")}
"""A stroke after a scene without one: it must be ruled as if nothing had been."""


@dataclass(frozen=True, slots=True)
class Hubbed:
    """What came of one scene at a hub: fields that are not those of the truth, and how often the referee was asked."""

    id: str
    mismatch: tuple[str, ...]
    questions: int = 0

    @property
    def good(self) -> bool:
        """As expected."""
        return not self.mismatch


class SceneTable(TableDriver):
    """One table of a running hub, played by scenes one after another. `journal`: of the hub, to see how far it has read.

    `told`: how many records the node has told, its next number.
    """

    def __init__(
        self,
        client: HubClient,
        node: MqttNode | BoardNode,
        profile: Profile,
        table: str,
        journal: Path,
        told: Callable[[], int],
        seed: int = 1,
    ) -> None:
        super().__init__(client, node, sensors_of(profile, seed, table), Shown(table))
        self.told, self.journal = told, journal
        self.layout: frozenset[Pin] = ALL_PINS
        self._number = 0
        self._asked = 0
        self._seen: list[str] = []  # what the hub made of the truth on its way to a ruling, right or not

    async def play(self, scene: Scene) -> Hubbed:
        """Play one scene from an idle table back to an idle table. Raises ScriptError where the hub does not come along."""
        try:
            async with self.following():
                return await self._play(scene)
        except TimeoutError:
            phase = self.view.get("phase")
            raise ScriptError(f"{scene.id}: the hub stands in phase {phase} and does not go on") from None
        except Refused as refused:
            raise ScriptError(f"{scene.id}: {refused}") from refused

    async def _play(self, scene: Scene) -> Hubbed:
        before = prelude(scene)
        self._asked, self._seen = 0, []
        await self._prepare(scene, before)
        differ = self._state(scene)
        if scene.shot is None:
            differ += await self._without(scene, before)
        else:
            differ += await self._with(scene, scene.shot)
        await self._leave()
        differ += [f"the truth was {word}" for word in self._seen]
        return Hubbed(scene.id, tuple(differ), self._asked)

    # --- before the scene ----------------------------------------------------------------------------------------

    async def _prepare(self, scene: Scene, before: Prelude) -> None:
        await self._until("idle")
        # Pins that are off are off from the beginning: taken away from an armed table they would have it armed twice.
        self.layout = scene.before.pins if scene.profile is Profile.CAROM5 else ALL_PINS
        await self._stand()
        await self._enter("match_start", **before.start)
        for step in before.steps:
            if isinstance(step, Stroke):
                ruling = game(scene.game).rule(Shot(step.facts, step.calls), step.before, before.options)
                told = timeline(step.facts, step.calls)
                await self._shot(TrueShot(0, ruling.striker, told, ruling, step.before), NOTHING)
                continue
            if step.kind == "manual":  # of a stroke that nobody entered: before the table is armed it would be of none
                await self._arm()
            await self._enter(step.kind, **step.fields)

    def _state(self, scene: Scene) -> list[str]:
        """What the hub shows before the scene that is not so."""
        before = scene.before
        mode = getattr(before, "phase" if scene.game.is_pyramid else "mode").value
        wanted = {"score": {player.value: before.score.of(player) for player in Player}, "mode": mode}
        if mode == "idle":  # between strokes: what is due then is not what makes a call possible
            del wanted["mode"]
        shown = {"score": self._score(), "mode": self.view["mode"]}
        return [
            f"before: {name} {shown[name]}, wanted {value}" for name, value in wanted.items() if shown[name] != value
        ]

    def _score(self) -> dict[str, int]:
        return {side: self.view["players"][side]["score"] for side in ("A", "B")}

    # --- the scene -----------------------------------------------------------------------------------------------

    async def _with(self, scene: Scene, shot: TrueShot) -> list[str]:
        ruled = await self._shot(shot, scene.besides)
        if shot.ruling.manual:
            wanted = dict(scene.expect.get("score", self._score()))
            return [] if self._score() == wanted else [f"score {self._score()}, expected {wanted}"]
        truth = truth_fields(shot.ruling)
        names = COMPARED if ruled.get("kind") != "manual" else COMPARED[1:]
        differ = [
            f"{name} {ruled.get(name)!r}, truly {truth[name]!r}" for name in names if ruled.get(name) != truth[name]
        ]
        result = game(scene.game).result(shot.ruling, scene.before)
        differ += [f"{m.field} {m.got!r}, expected {m.expected!r}" for m in compare(scene.expect, result)]
        return differ

    async def _without(self, scene: Scene, before: Prelude) -> list[str]:
        """Nobody strikes. Whatever the hub makes of it, no ruling comes of it, and the next stroke is ruled rightly."""
        await self._arm()
        known = (self.view.get("match") or {}).get("shots")
        await self._feed(scene.timeline, scene.besides)
        await self._read()
        found = await self._calm(str(scene.expect.get("hub", "quiet")))
        differ = []
        if (self.view.get("match") or {}).get("shots") != known:
            differ.append("a shot was counted that nobody played")
        if found != scene.expect.get("hub", found):
            differ.append(f"hub {found}, expected {scene.expect['hub']}")
        facts = parse_facts(list(AFTERWARDS[scene.game.is_pyramid]))
        ruling = game(scene.game).rule(Shot(facts), before.state, before.options)
        next_shot = TrueShot(1, ruling.striker, timeline(facts, ()), ruling, before.state)
        ruled, truth = await self._shot(next_shot, NOTHING), truth_fields(ruling)
        return differ + [
            f"after it: {name} {ruled.get(name)!r}, truly {truth[name]!r}"
            for name in COMPARED
            if ruled.get(name) != truth[name]
        ]

    async def _calm(self, wanted: str) -> str:
        """What the hub made of it: `quiet`, `asked`, or `opened` a shot; the referee puts it right."""
        if wanted == "asked":
            await self._until(*DECIDING)
        elif wanted == "opened":
            await self._until("rolling", "settling", *DECIDING)
        await self.look()
        if self.view["phase"] in ("rolling", "settling"):
            await self._enter("not_a_shot")
            return "opened"
        if self.view["phase"] in DECIDING:
            if DISTURBED in (await self.sheet())["needed"]:
                await self._enter("answer", question=DISTURBED, answer="nobody")
                return "asked"
            await self._enter("not_a_shot")
            return "opened"
        return "quiet"

    async def _shot(self, shot: TrueShot, besides: Besides) -> View:
        """One shot, or a call between strokes, up to its ruling; the ruling as the hub shows it."""
        self._number += 1
        idle = not any(isinstance(item.fact, Strike) for item in shot.timeline.items)
        if idle:
            await self._until("placing", "armed", "respotting")
        else:
            await self._arm()
        if shot.timeline.items or besides is not NOTHING:
            await self._feed(shot.timeline, besides)
        if idle:
            return await self._decide(shot)
        await self._until("rolling", "settling", *DECIDING)
        if any(isinstance(item.fact, Interference) for item in shot.timeline.items):
            await self._enter("interference", value="restorable", note="as the scene tells")
            return {}
        await self.command("still")
        await self._until(*DECIDING)
        if self._unsaid(shot):
            return await self._by_hand(shot)
        return await self._decide(shot)

    def _unsaid(self, shot: TrueShot) -> bool:
        """Whether the ruling rests on something that no sensor feels and no page asks for: then he rules himself."""
        facts = tuple(fact for fact in shot.timeline.shot.facts if not isinstance(fact, SEEN_ONLY))
        if len(facts) == len(shot.timeline.items):
            return False
        bare = game(shot.ruling.game).rule(Shot(facts, shot.timeline.calls), shot.before, shot.before.options)
        return bool(bare.short != shot.ruling.short)

    async def _by_hand(self, shot: TrueShot) -> View:
        truth = truth_fields(shot.ruling)
        await self._enter(
            "manual",
            points=truth["points"],
            note="a pin that leaned on a ball",
            next=truth["next"],
            ball_in_hand=truth["ball_in_hand"],
        )
        return self._ruling()

    async def _decide(self, shot: TrueShot) -> View:
        """His calls, his answers, and the press that accepts."""
        work = Handling(shot)
        while not await work.step(self):
            pass
        self._asked += work.asked
        self._seen += [
            word for word, bad in (("excluded", work.watch.excluded), ("guessed", work.watch.guessed)) if bad
        ]
        return self._ruling()

    def _ruling(self) -> View:
        ruling = self.last_ruling
        return {**view_fields(ruling), "kind": ruling.get("kind")}

    # --- after it ------------------------------------------------------------------------------------------------

    async def _leave(self) -> None:
        """Give the match away and the table free."""
        if self.view["phase"] != "match_over":
            await self._enter("award_match", to="A", note="the scene is over")
        await self._enter("close")
        await self._until("idle")

    # --- sensors -------------------------------------------------------------------------------------------------

    async def _stand(self) -> None:
        """Every pin of the layout stands, every other one is off the table."""
        if not isinstance(self.sensors, CaromSensors):
            return
        down = [pin for pin in Pin if pin in self.layout and pin not in self.sensors.standing]
        await self.feel(self.sensors.stand(down, self.now_us, self._number), len(down) * PLACED_US + SETTLED_US)
        away = [pin for pin in Pin if pin not in self.layout and pin in self.sensors.standing]
        if away:
            gone = Besides((), tuple(Change(at * 100_000, pin, Pose.GONE) for at, pin in enumerate(away)))
            await self._feed(Timeline((), 1_500 * MS), gone)

    async def _feed(self, told: Timeline, besides: Besides) -> None:
        self._number += 1
        await self.feel(self.sensors.shot(self._number, told, self.now_us, besides), self.sensors.lasts_us(told))

    # --- the hub -------------------------------------------------------------------------------------------------

    async def _arm(self) -> None:
        """Until the node is armed for this stroke: the pins of the layout stand, `ready` is said where the hub waits for it."""
        await self._stand()
        async with asyncio.timeout(LIMIT_S):
            while not self.view["armed"]:
                if self.view["phase"] in ("placing", "respotting") and await self.command("ready"):
                    continue
                await self._change()
        await self.node.armed()

    async def _enter(self, kind: str, **fields: Any) -> None:
        """One command, again where the view was old. Raises TimeoutError where the hub never takes it."""
        async with asyncio.timeout(LIMIT_S):
            while not await self.command(kind, **fields):
                await asyncio.sleep(LOOK_S)

    async def _until(self, *phases: str) -> None:
        """Until the table is in one of these phases. Raises TimeoutError."""
        async with asyncio.timeout(LIMIT_S):
            while self.view.get("phase") not in phases:
                await self._change()

    async def _change(self) -> None:
        """Until the hub shows something new, or after a while a look at it."""
        self._changed.clear()
        try:
            await asyncio.wait_for(self._changed.wait(), LOOK_AGAIN_S)
        except TimeoutError:
            await self.look()

    async def _read(self) -> None:
        """Until the hub has read everything the node told: the journal holds the last record, and the view is not older."""
        heads = "SELECT max(seq), max(n) FROM entry WHERE tbl = ? AND seq IS NOT NULL"
        head = self.told()
        async with asyncio.timeout(LIMIT_S):
            while True:
                with closing(sqlite3.connect(f"file:{self.journal}?mode=ro", uri=True)) as found:
                    seq, n = found.execute(heads, (self.table,)).fetchone()
                if (seq or 0) >= head - 1 and (await self.look())["n"] >= (n or 0):
                    return
                await asyncio.sleep(LOOK_S)


class Witness(Rig):
    """Stands in a node's way to its broker, changes nothing, and sees how many records it told."""

    def __init__(self, table: str) -> None:
        super().__init__(Faults(""), 0, table, 1)
        self.head = 0

    def send(self, item: Publish) -> list[Wire]:
        """The same, counted."""
        if item.topic.endswith("/ev"):
            batch = json.loads(item.payload)
            self.head = max(self.head, batch["s"] + len(batch["e"]))
        return [item]


@contextlib.asynccontextmanager
async def _node(
    table: str, ready: Ready, folder: Path, profile: Profile, *, firmware: bool
) -> AsyncIterator[tuple[MqttNode | BoardNode, Callable[[], int]]]:
    """The node of a table, and how far it has told its records. Raises NodeError, BoardError, VirtualMachineMissing."""
    async with contextlib.AsyncExitStack() as stack:
        if not firmware:
            node = await MqttNode.start(table, ready, folder, 0.0, profile.value)
            stack.push_async_callback(node.stop)
            yield node, lambda: int(node.detector.outbox.head)
            return
        witness = Witness(table)
        proxy = FaultProxy(ready.mqtt_host, ready.mqtt_port, witness)
        stack.push_async_callback(proxy.stop)
        board = await BoardNode.start(table, await proxy.stand_in(ready), folder / f"node-{table}", 0.0, profile.value)
        stack.push_async_callback(board.stop)
        yield board, lambda: witness.head


async def play_all(scenes: Sequence[Scene], folder: Path, *, firmware: bool = False) -> list[Hubbed]:
    """All scenes at two tables of one hub, five-pins at one, pyramid at the other, each in its order. Raises what the parts raise.

    firmware: by the node's firmware on virtual boards instead of its state machines alone.
    """
    tables = {"1": Profile.CAROM5, "2": Profile.PYRAMID}
    done: dict[int, Hubbed] = {}
    async with hall({name: profile.value for name, profile in tables.items()}, folder) as ready:

        async def at(table: str, profile: Profile) -> None:
            mine = [(place, scene) for place, scene in enumerate(scenes) if scene.profile is profile]
            if not mine:
                return
            async with _node(table, ready, folder, profile, firmware=firmware) as (node, told):
                client = HubClient(ready.http_host, ready.http_port, ready.login(table))
                played = SceneTable(client, node, profile, table, folder / "journal.sqlite3", told)
                stuck = ""
                for place, scene in mine:
                    if stuck:
                        done[place] = Hubbed(scene.id, (f"not played: {stuck}",))
                        continue
                    try:
                        done[place] = await played.play(scene)
                    except ScriptError as problem:
                        stuck = str(problem)
                        done[place] = Hubbed(scene.id, (stuck,))

        async with asyncio.TaskGroup() as group:
            for table, profile in tables.items():
                group.create_task(at(table, profile))
    return [done[place] for place in sorted(done)]
