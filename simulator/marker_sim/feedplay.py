"""Feeds played into a hub, and made from a seed."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from marker_rules.balls import GameId
from marker_sim.boardnode import BoardNode
from marker_sim.cases import options_of
from marker_sim.demo import Plan, run
from marker_sim.feed import Armed, Entered, Feed, FeedError, Frames, Recorder, Ruled
from marker_sim.hubclient import HubClient, Refused
from marker_sim.score import COMPARED, view_fields
from marker_sim.sensors.inputs import Input
from marker_sim.sinks.mqtt import MqttNode
from marker_sim.stage import HubProcess, Ready

LIMIT_S = 60.0
LOOK_S = 0.02
TABLE = "1"
# The phases in which the hub takes what the referee enters; anything else is entered at once.
WHEN: dict[str, frozenset[str]] = {
    "match_start": frozenset({"idle"}),
    "lag_result": frozenset({"lag"}),
    "choice": frozenset({"placing", "respotting"}),
    "strike": frozenset({"armed"}),
    "still": frozenset({"rolling", "settling"}),
    "call": frozenset({"asking", "proposed"}),
    "answer": frozenset({"asking", "proposed"}),
    "accept": frozenset({"asking", "proposed"}),
    "next_game": frozenset({"game_over"}),
    "continue_run": frozenset({"game_over", "match_over"}),
    "new_rack": frozenset({"game_over", "respotting", "placing", "armed"}),
    "resume": frozenset({"break"}),
}


class Node(Protocol):
    """The node that a feed is played into."""

    async def feed(self, inputs: list[Input], until_us: int) -> None:
        """Let the inputs happen."""
        ...


@dataclass(slots=True)
class Played:
    """What came of a feed: rulings that differ from the recorded ones, the score at the end."""

    rulings: int = 0
    differing: list[str] = field(default_factory=list)
    score: dict[str, int] = field(default_factory=dict)
    games: dict[str, int] = field(default_factory=dict)

    @property
    def good(self) -> bool:
        """Every ruling is the recorded one."""
        return not self.differing and self.rulings > 0


async def play(feed: Feed, node: Node, client: HubClient, table: str, recorder: Recorder | None = None) -> Played:
    """Play a feed into the hub that `client` talks to. Raises FeedError where the hub does not come to a step."""
    player = _Player(node, client, table, recorder)
    for number, step in enumerate(feed.steps, 2):
        try:
            async with asyncio.timeout(LIMIT_S):
                await player.step(step)
        except TimeoutError:
            phase = (await player.view())["phase"]
            raise FeedError(f"step {number} {type(step).__name__}: not possible in phase {phase}") from None
    view = await player.view()
    player.played.score = {side: view["players"][side]["score"] for side in ("A", "B")}
    player.played.games = {side: view["players"][side]["games"] for side in ("A", "B")}
    return player.played


class _Player:
    def __init__(self, node: Node, client: HubClient, table: str, recorder: Recorder | None) -> None:
        self.node, self.client, self.table, self.recorder = node, client, table, recorder
        self.played = Played()

    async def view(self) -> dict[str, Any]:
        """The table as the hub shows it."""
        found: dict[str, Any] = await self.client.get(f"/api/tables/{self.table}")
        return found

    async def step(self, step: Frames | Armed | Entered | Ruled) -> None:
        """Do one step."""
        match step:
            case Frames(inputs, until_us):
                if self.recorder is not None:
                    self.recorder.feed(inputs, until_us)
                await self.node.feed(list(inputs), until_us)
            case Armed():
                if self.recorder is not None:
                    self.recorder.armed()
                await self._arm()
            case Entered(kind, fields):
                await self._enter(kind, fields)
            case Ruled(short, fields):
                await self._compare(short, fields)

    async def _arm(self) -> None:
        """Wait until the node has acknowledged the arming for the next stroke, entering `ready` while the hub waits for it."""
        while not (view := await self.view())["armed"]:
            if view["phase"] in ("placing", "respotting"):
                with contextlib.suppress(Refused):
                    await self.client.command(self.table, view["n"], "ready")
            await asyncio.sleep(LOOK_S)

    async def _enter(self, kind: str, fields: Mapping[str, Any]) -> None:
        wanted = WHEN.get(kind)
        while True:
            view = await self.view()
            if wanted is None or view["phase"] in wanted:
                try:
                    await self.client.command(self.table, view["n"], kind, **fields)
                except Refused as refused:
                    if refused.status != 409:
                        raise
                else:
                    break
            await asyncio.sleep(LOOK_S)
        if self.recorder is not None:
            self.recorder.entered(kind, dict(fields))

    async def _compare(self, short: str, fields: Mapping[str, Any]) -> None:
        last = ((await self.view()).get("last") or {}).get("ruling") or {}
        ruled = view_fields(last)
        self.played.rulings += 1
        if self.recorder is not None:
            self.recorder.ruled(ruled)
        wrong = [name for name in COMPARED if ruled.get(name) != fields.get(name)]
        if wrong:
            number = self.played.rulings
            told = ", ".join(f"{name} {ruled.get(name)!r}, recorded {fields.get(name)!r}" for name in wrong)
            self.played.differing.append(f"shot {number} ({short}): {told}")


@contextlib.asynccontextmanager
async def hall(profiles: Mapping[str, str], data: Path) -> AsyncIterator[Ready]:
    """A hub with a table for each id and profile, and its own broker on loopback, ended at the exit. Raises StageError."""
    arguments = ["--data", str(data), "--port", "0", "--broker", "auto"]
    file = data / "hub.toml"
    rows = [f'[[table]]\nid = "{table}"\nprofile = "{profile}"\n' for table, profile in profiles.items()]
    file.write_text("\n".join(rows), encoding="utf-8")
    hub = HubProcess(data, [*arguments, "--config", str(file)])
    try:
        yield await hub.start()
    finally:
        await hub.stop()


async def play_alone(feed: Feed, *, firmware: bool = False, recorder: Recorder | None = None) -> Played:
    """Play a feed into a hub of its own: through the firmware on a virtual board, or through its state machines alone."""
    with tempfile.TemporaryDirectory(prefix="marker-feed-") as folder:
        data = Path(folder)
        async with hall({TABLE: feed.header.profile}, data) as ready:
            return await play_at(feed, ready, TABLE, data / "node", firmware=firmware, recorder=recorder)


async def play_at(
    feed: Feed, ready: Ready, table: str, folder: Path, *, firmware: bool = False, recorder: Recorder | None = None
) -> Played:
    """Play a feed at one table of a running hall, whose match must not have begun. folder: the node's memory."""
    kind: type[BoardNode | MqttNode] = BoardNode if firmware else MqttNode
    node = await kind.start(table, ready, folder, 0.0, feed.header.profile)
    try:
        client = HubClient(ready.http_host, ready.http_port, ready.login(table))
        return await play(feed, node, client, table, recorder)
    finally:
        await node.stop()


async def record(game: GameId, seed: int, shots: int, path: Path, *, firmware: bool = False) -> None:
    """Play `shots` shots from `seed` and write the feed. Raises FeedError and what the parts raise."""
    with tempfile.TemporaryDirectory(prefix="marker-feed-") as folder:
        plan = Plan(game, seed, shots, options_of(game), 0.0, 1, Path(folder), 0, direct=not firmware, record=path)
        await run(plan, lambda _: None)


async def regenerated(feed: Feed) -> str:
    """The text of the feed made anew from its seed. Raises FeedError for a feed without one."""
    if feed.header.seed is None:
        raise FeedError("this feed was recorded at a real table and has no seed to make it from")
    with tempfile.TemporaryDirectory(prefix="marker-feed-") as folder:
        path = Path(folder) / "again.feed.jsonl"
        await record(GameId(feed.header.game), feed.header.seed, len(feed.rulings), path)
        return path.read_text(encoding="utf-8")
