"""Records that a node kept in flash over its own reset come under their old boot, after the birth of the new one."""

from collections.abc import Callable
from typing import Any

from marker_hub.entries import Missing, Obs

Run = Callable[[Any], Any]


def test_what_a_node_kept_over_its_reset_is_stored_under_the_old_boot_once(
    running: Any, node_type: Any, in_loop: Run
) -> None:
    """Mutation: records of a boot that is not the present one are refused."""

    async def play() -> None:
        async with running() as bench:
            node = node_type(bench.broker)
            node.connect()
            node.record(3)
            await bench.quiet()
            node.record(40, send=False)
            kept = [list(row) for row in node.ring[3:]]
            node.reboot()
            node.record(2)
            await bench.quiet()
            for _ in range(2):  # the file is sent again when the link broke before it was removed
                for start in range(0, 40, 16):
                    node.say("ev", {"b": 1, "s": 3 + start, "e": kept[start : start + 16]})
            await bench.quiet()
            stored = [(e.boot, e.seq) for e in bench.stored("1", Obs)]
            assert sorted(stored) == [*((1, n) for n in range(43)), (2, 0), (2, 1)]
            assert not bench.rejects()
            assert bench.stored("1", Missing) == []

    in_loop(play())
