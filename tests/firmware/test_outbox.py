"""The store-and-forward ring: nothing is lost without a number, nothing gets a new number."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tablefw.outbox import Outbox

CAPACITY = 24


class Model(RuleBasedStateMachine):
    """Any order of push, send, acknowledge and reconnect against a plain list."""

    def __init__(self) -> None:
        super().__init__()
        self.box = Outbox(CAPACITY)
        self.all: list[tuple[int, ...]] = []
        self.acked = 0
        self.lost: set[int] = set()

    @rule(t=st.integers(0, (1 << 48) - 1), v=st.integers(0, 65535), aux=st.integers(0, 65535))
    def push(self, t: int, v: int, aux: int) -> None:
        oldest_unacked = self.box.tail
        if len(self.all) - oldest_unacked >= CAPACITY:
            self.lost.add(oldest_unacked)
        assert self.box.push(t, 7, 3, v, aux) == len(self.all)
        self.all.append((t, 7, 3, v, aux))

    @rule(n=st.integers(1, 16))
    def send(self, n: int) -> None:
        first, count = self.box.take(n)
        assert count == min(n, len(self.all) - first)
        for seq in range(first, first + count):
            assert self.box.get(seq) == self.all[seq]

    @rule(k=st.integers(0, 40))
    def ack(self, k: int) -> None:
        self.box.ack(min(self.box.tail + k, self.box.sent))

    @rule()
    def reconnect(self) -> None:
        self.box.rewind()
        assert self.box.sent == self.box.tail

    @invariant()
    def indices_in_order(self) -> None:
        b = self.box
        assert b.floor <= b.tail <= b.sent <= b.head == len(self.all)
        assert b.dropped == len(self.lost)
        assert all(seq < b.tail for seq in self.lost)

    @invariant()
    def everything_above_the_floor_can_be_replayed(self) -> None:
        for seq in range(self.box.floor, self.box.head):
            assert self.box.get(seq) == self.all[seq]


TestModel = Model.TestCase


@pytest.mark.parametrize("seq", [-1, 0, 8])
def test_records_outside_the_ring_are_refused(seq: int) -> None:
    box = Outbox(4)
    for i in range(8):
        box.push(i, 1, 1, 0, 0)
    with pytest.raises(IndexError):
        box.get(seq)


def test_an_acknowledgement_beyond_what_was_sent_counts_only_what_was_sent() -> None:
    box = Outbox(8)
    for i in range(4):
        box.push(i, 1, 1, 0, 0)
    box.take(2)
    box.ack(4)
    assert box.tail == 2


@given(st.integers(0, 60))
def test_what_was_dropped_is_told_once(extra: int) -> None:
    box = Outbox(CAPACITY)
    for i in range(CAPACITY + extra):
        box.push(i, 1, 1, 0, 0)
    assert box.take_unreported() == extra
    assert box.take_unreported() == 0
    assert box.dropped == extra
