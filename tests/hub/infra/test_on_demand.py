"""What is made only when somebody looks is what it would have been at the time."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

from marker_hub import commands, entries
from marker_hub.entries import PlayerInfo
from marker_hub.journal import Draft, JournalWriter, Reader, database_path, prepare
from marker_hub.journal.writer import Committed
from marker_hub.service.streams import Said, Streams
from marker_hub.web.port import StreamEvent
from marker_hub.web.stream import frame

PLAYERS: dict[commands.Who, PlayerInfo] = {"A": PlayerInfo("Alfa"), "B": PlayerInfo("Beta")}


def test_an_answer_read_late_shows_the_table_as_it_was(running: Any, in_loop: Any) -> None:
    """The view in the answer to a command is drawn when it is written; meanwhile the table has gone on."""

    async def play() -> None:
        async with running() as bench:
            options = {"points_limit": 60, "games": 1}
            start = commands.MatchStart(
                key="a", game="five-pins", players=PLAYERS, options=options, opener="A", ball_of_a="white"
            )
            first = await bench.hub.command("1", start, role="referee", session="t")
            second = await bench.hub.command("1", commands.Suspend(key="b", note="tea"), role="referee", session="t")
            assert second.body["view"]["phase"] == "suspended"
            assert first.body["n"] == first.body["view"]["n"] < second.body["n"]
            assert first.body["view"]["phase"] == "armed"
            again = await bench.hub.command("1", start, role="referee", session="t")
            assert again.body == first.body

    in_loop(play())


def test_an_announcement_is_put_into_words_once_and_only_for_pages() -> None:
    made: list[int] = []

    def words() -> dict[str, Any]:
        made.append(1)
        return {"shot": 7}

    async def play() -> None:
        streams = Streams()
        streams.announce(Said("1", 5, "ruling", words), 1_000)
        assert made == []
        pages = [streams.subscribe(["1"], referee=False) for _ in range(3)]
        waiting = [asyncio.ensure_future(anext(page)) for page in pages]
        await asyncio.sleep(0)
        streams.announce(Said("1", 6, "ruling", words), 2_000)
        heard = await asyncio.gather(*waiting)
        assert {event.n for event in heard} == {6}
        assert heard[0].data == {"kind": "ruling", "shot": 7}
        assert made == [1]
        assert [event.n for event in streams.recent(["1"], 500)] == [5, 6]
        assert not streams.wanted("2", referee=False)
        assert not streams.wanted("1", referee=True)
        for page in pages:
            await page.aclose()
        assert not streams.wanted("1", referee=False)

    asyncio.run(play())


def test_a_change_has_one_text_for_all_pages(monkeypatch: Any) -> None:
    from marker_hub.web import stream

    encoded: list[int] = []

    def counting(*given: Any) -> bytes:
        encoded.append(1)
        return frame(*given)

    monkeypatch.setattr(stream, "frame", counting)
    event, other = StreamEvent("table", "1", 3, {"n": 3}), StreamEvent("table", "1", 3, {"n": 3, "x": 1})
    assert stream._carried(event) is stream._carried(event)
    assert b'"x":1' in stream._carried(other)
    assert len(encoded) == 2


def test_what_one_turn_submits_is_one_group_in_the_order_given(tmp_path: Path) -> None:
    """Entries, then an errand, then entries: the errand sees exactly those before it."""
    path = database_path(tmp_path)
    prepare(path)
    groups: list[int] = []
    turn: list[Any] = []
    done = threading.Event()
    seen: list[int] = []

    def deliver(committed: Committed) -> None:
        if committed.entries:
            groups.append(committed.entries)
        if len(groups) == 2:
            done.set()

    writer = JournalWriter(path, deliver, soon=turn.append)
    draft = [Draft("1", entries.Noted("x"), 1, 1)]
    for _ in range(3):
        writer.append(draft)
    assert len(turn) == 1, "the writer is called once for the whole turn"
    writer.task(lambda connection: seen.append(connection.execute("SELECT count(*) FROM entry").fetchone()[0]))
    writer.append(draft)
    for call in turn:
        call()
    assert done.wait(60)
    assert groups == [3, 1]
    assert seen == [3]
    for _ in range(70):
        writer.append(draft)
    writer.close()
    with Reader(path) as reader:
        assert [entry.n for entry in reader.entries("1")] == list(range(1, 75))
