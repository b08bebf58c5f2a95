"""The stream of a page: order of events, resume, slow and vanished clients."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
from page_fakes import states
from page_fakes.hub import FakeHub

from marker_hub.web.stream import events


def parse(frame: bytes) -> tuple[str, str | None, Any]:
    """Event name, id and data of one frame."""
    fields = dict(line.split(": ", 1) for line in frame.decode().strip().splitlines())
    data = msgspec.json.decode(fields["data"]) if "data" in fields else fields
    return fields.get("event", "retry"), fields.get("id"), data


def hall(*ids: str) -> FakeHub:
    """A fake hub with five-pins tables."""
    made = FakeHub(clock=states.NOW_MS)
    for name in ids:
        made.views[name] = states.five_pins(id=name, name=name)
    return made


def test_a_page_gets_hello_snapshot_beat_then_changes() -> None:
    """In this order, with ids that name table and position; a change made in between is not lost."""

    async def play() -> list[tuple[str, str | None, Any]]:
        hub = hall("3")
        stream = events(hub, ["3"], referee=False, hello={"build": "b"}, last_id=None, beat_s=60)
        got = [parse(await anext(stream))]
        hub.show(states.live_two_pins())
        got += [parse(await anext(stream)) for _ in range(4)]
        await stream.aclose()
        assert hub._queues == []
        return got

    got = asyncio.run(play())
    assert [name for name, _, _ in got] == ["retry", "hello", "snapshot", "beat", "table"]
    assert got[0][2] == {"retry": "500"}
    assert got[2][2]["tables"]["3"]["phase"] == "rolling"
    assert got[4][1] == f"3:{got[4][2]['n']}"


def test_a_beat_comes_even_when_nothing_happens() -> None:
    """The beat carries the hub's clock and each table's position, so a page sees what passed it by."""

    async def play() -> Any:
        hub = hall("3", "4")
        stream = events(hub, ["3", "4"], referee=False, hello={}, last_id=None, beat_s=0.02)
        for _ in range(4):
            await anext(stream)
        second = await asyncio.wait_for(anext(stream), 60)
        await stream.aclose()
        return parse(second)

    name, _, data = asyncio.run(play())
    assert name == "beat"
    assert data == {"now_ms": states.NOW_MS, "n": {"3": 100, "4": 100}}


def test_only_a_returning_page_hears_what_it_missed() -> None:
    """`Last-Event-ID` decides which announcements of the last ten seconds are repeated; a new page hears none of them."""

    async def heard(last_id: str | None) -> list[str]:
        hub = hall("3")
        for n in (101, 102):
            hub.show(states.five_pins(n=n))
            hub.announce("3", {"kind": f"a{n}"})
        stream = events(hub, ["3"], referee=False, hello={}, last_id=last_id, beat_s=60)
        names = []
        while True:
            event, _, data = parse(await anext(stream))
            if event == "announce":
                assert data["repeated"] is True
                names.append(data["kind"])
            if event == "beat":
                await stream.aclose()
                return names

    assert asyncio.run(heard(None)) == []
    assert asyncio.run(heard("3:101")) == ["a102"]
    assert asyncio.run(heard("3:90")) == ["a101", "a102"]
    assert asyncio.run(heard("nonsense")) == []


def test_the_sheet_goes_to_referees_only() -> None:
    """A viewer's stream carries no sheet and no answer of the referee."""

    async def names(referee: bool) -> list[str]:
        hub = hall("3")
        stream = events(hub, ["3"], referee=referee, hello={}, last_id=None, beat_s=0.05)
        got = [parse(await anext(stream)) for _ in range(4)]
        hub.show(states.live_two_pins(), {"shot": 42, "rows": []})
        hub.announce("3", {"kind": "last"})
        while got[-1][0] != "announce":
            got.append(parse(await anext(stream)))
        await stream.aclose()
        assert ("sheets" in got[2][2]) is referee
        return [name for name, _, _ in got[4:] if name != "beat"]

    assert asyncio.run(names(True)) == ["table", "sheet", "announce"]
    assert asyncio.run(names(False)) == ["table", "announce"]
