"""The reconciler: what nobody needs is not said again, what is lost is."""

from __future__ import annotations

import asyncio
from typing import Any

import marker_hub.table as core
from marker_hub import entries
from marker_hub.display import Reconciler
from marker_hub.entries import Entry, PlayerInfo
from marker_hub.table import TableConfig, Topics
from marker_hub.transport import Message, Session

OPTIONS: dict[str, Any] = {"points_limit": 60, "games": 1}


class Wire:
    """A transport that keeps what was published; `up` False refuses."""

    generation = 1

    def __init__(self) -> None:
        self.sent: list[tuple[str, bytes]] = []
        self.up = True

    def publish(self, topic: str, payload: bytes, *, qos: int, retain: bool) -> bool:
        del qos, retain
        if self.up:
            self.sent.append((topic, payload))
        return self.up

    def connected(self, session: Session) -> bool:
        del session
        return self.up

    async def start(self, handler: Any) -> None:
        """Nothing to connect."""

    def ack(self, message: Message) -> bool:
        return bool(message)

    def restart_durable(self, reason: str) -> None:
        """Nothing to restart."""

    async def stop(self) -> None:
        """Nothing to stop."""


class Scene:
    """One table with its reconciler."""

    def __init__(self) -> None:
        self.wire = Wire()
        self.value = core.new_table(TableConfig(id="1"))
        self.n = 0
        self.reconciler = Reconciler(
            "1",
            self.wire,
            lambda: core.order(self.value),
            lambda before: core.topics(self.value, self.value.mono_us, before),
        )

    def put(self, body: entries.Body) -> None:
        self.n += 1
        self.value, _ = core.step(self.value, Entry("1", self.n, body, self.n * 1000, 0))

    def said(self) -> list[str]:
        self.reconciler.refresh()
        topics = [topic.rsplit("/", 1)[1] for topic, _ in self.wire.sent]
        self.wire.sent.clear()
        return topics


def test_an_entry_that_changes_nothing_publishes_nothing() -> None:
    """A hall under load: records that leave score, shot and display as they are cost no publish."""
    scene = Scene()
    assert scene.said() == ["score", "shot", "display"]
    scene.put(entries.HubStarted("1"))
    assert scene.said() == []
    players = {"A": PlayerInfo("Alfa"), "B": PlayerInfo("Beta")}
    scene.put(entries.MatchStarted("m", "five-pins", players, OPTIONS, opener="A", ball_of_a="white"))
    assert "score" in scene.said()


def test_what_the_broker_did_not_take_is_said_again() -> None:
    """Without a link nothing counts as published; after a new link everything is published again."""
    scene = Scene()
    scene.wire.up = False
    assert scene.said() == []
    scene.wire.up = True
    assert scene.said() == ["score", "shot", "display"]
    scene.reconciler.link_up()
    assert scene.said() == ["score", "shot", "display"]
    scene.reconciler.mark()
    assert scene.said() == ["score"]


def test_the_topics_made_step_by_step_are_those_made_anew() -> None:
    """Reusing what has not changed never shows an old state (property over a small story)."""
    scene = Scene()
    shown: Topics | None = None
    players = {"A": PlayerInfo("Alfa"), "B": PlayerInfo("Beta")}
    story: list[entries.Body] = [
        entries.MatchStarted("m", "five-pins", players, OPTIONS, opener="A", ball_of_a="white"),
        entries.Readied(),
        entries.Struck(),
        entries.Answered(1, "QP", "none"),
        entries.Answered(1, "Q1", "opponent"),
        entries.Suspended("x"),
        entries.Resumed(),
    ]
    for body in story:
        scene.put(body)
        shown = core.topics(scene.value, scene.value.mono_us, shown)
        anew = core.topics(scene.value, scene.value.mono_us)
        for one, other in (
            (shown.score, anew.score),
            (shown.shot_topic, anew.shot_topic),
            (shown.display, anew.display),
        ):
            assert {**(one or {}), "n": 0} == {**(other or {}), "n": 0}


def test_the_node_is_told_as_soon_as_the_table_says_so() -> None:
    """`follow` sends the order without drawing any topic."""

    async def play() -> list[str]:
        scene = Scene()
        scene.reconciler.node_up(1, 0)
        scene.reconciler.follow()
        scene.reconciler.close()
        return [topic for topic, _ in scene.wire.sent]

    assert asyncio.run(play()) == ["table/1/cmd"]
