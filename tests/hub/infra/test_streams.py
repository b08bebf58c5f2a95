"""What a page is given, and in which order."""

import asyncio
from collections.abc import Callable
from typing import Any

from marker_hub.service.streams import Streams
from marker_hub.web.port import StreamEvent


def test_a_sheet_never_comes_before_the_state_it_belongs_to(in_loop: Callable[[Any], Any]) -> None:
    """A page that is slow to read: the sheet of a newer state, shown beside the older one, would be accepted as stale."""

    async def play() -> None:
        streams = Streams()
        pages = streams.subscribe(["1", "2"], referee=True)
        got: list[tuple[str, str, int]] = []

        async def read() -> None:
            event = await anext(pages)
            got.append((event.table, event.event, event.n))

        def publish(table: str, n: int) -> None:
            for kind in ("table", "sheet"):
                streams.publish(StreamEvent(kind, table, n, {"n": n}))

        first = asyncio.ensure_future(read())
        await asyncio.sleep(0)
        publish("1", 1)
        await first
        publish("1", 2)
        publish("2", 7)
        publish("1", 3)
        for _ in range(5):
            await asyncio.wait_for(read(), 60)
        assert {(table, kind): n for table, kind, n in got} == {
            ("1", "table"): 3, ("1", "sheet"): 3, ("2", "table"): 7, ("2", "sheet"): 7,
        }  # fmt: skip
        shown: dict[str, int] = {}
        for table, kind, n in got:
            if kind == "table":
                shown[table] = n
            assert kind == "table" or n == shown[table], got
        await pages.aclose()  # type: ignore[attr-defined]

    in_loop(play())
