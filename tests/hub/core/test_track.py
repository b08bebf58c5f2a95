"""What arrived of a node's stream, against a plain set of numbers; and a head that no node can have reached."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from marker_hub import entries as e
from marker_hub.assembler.link import Track

MOVES = st.one_of(
    st.tuples(st.just("take"), st.integers(0, 24), st.just(0)),
    st.tuples(st.just("range"), st.integers(0, 24), st.integers(0, 6)),
    st.tuples(st.just("know"), st.integers(0, 30), st.just(0)),
)


@given(st.integers(0, 4), st.lists(MOVES, max_size=12))
def test_a_track_knows_what_a_set_of_numbers_knows(start: int, moves: list[tuple[str, int, int]]) -> None:
    """Mutation: a range that touches its neighbour and is not joined, or a hole off by one, turns it red."""
    track, held = Track(1, start), set(range(start))
    for what, at, more in moves:
        if what == "take":
            assert track.seen(at) == (at in held)
            track = track.take(at)
            held.add(at)
        elif what == "range":
            track = track.take_range(at, at + more)
            held |= set(range(at, at + more + 1))
        else:
            track = track.know(at)
        end = max(track.head, max(held, default=-1) + 1)
        lacking = set(range(end)) - held
        assert track.next == min(set(range(end + 1)) - held)
        assert {seq for first, last in track.holes() for seq in range(first, last + 1)} == lacking
        assert track.complete == (not lacking)
        assert track.end == end
        assert all(a[1] + 1 < b[0] for a, b in zip(track.ahead, track.ahead[1:], strict=False))


def test_a_head_no_node_can_have_reached_costs_nothing(carom: Any) -> None:
    """The work of the fold is by the number of holes, not by their length: two thousand million numbers hung the hub."""
    far = 2**31
    carom.put(e.Head(1, far, "x"))
    carom.put(e.Missing(1, carom.seq + 3, far - 1))
    assert carom.table.link.holes() == ((1, carom.seq, carom.seq + 2),)
    carom.put(e.Missing(1, carom.seq, carom.seq + 2))
    assert carom.table.link.current.next == far
