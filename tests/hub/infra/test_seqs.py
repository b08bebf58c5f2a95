"""The set of sequence numbers, against a plain set."""

from hypothesis import given, settings
from hypothesis import strategies as st

from marker_hub.ingest.seqs import SeqSet

NUMBERS = st.lists(st.integers(0, 60), max_size=60)
RANGES = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)).map(lambda p: (min(p), max(p))), max_size=6)


@given(NUMBERS, RANGES)
@settings(max_examples=300, derandomize=True)
def test_it_is_a_set(numbers: list[int], ranges: list[tuple[int, int]]) -> None:
    """Mutation that turns it red: joining two ranges that are not neighbours."""
    held, model = SeqSet(), set[int]()
    for number in numbers:
        assert held.add(number) == (number not in model)
        model.add(number)
    for low, high in ranges:
        held.add_range(low, high)
        model.update(range(low, high + 1))
    assert [n for n in range(70) if n in held] == sorted(model)
    assert held.head == (max(model) + 1 if model else 0)
    listed = [n for r in held.ranges() for n in range(r.first, r.last + 1)]
    assert listed == sorted(model)
    missing = [n for r in held.gaps(0, 65) for n in range(r.first, r.last + 1)]
    assert missing == [n for n in range(66) if n not in model]
    assert all(a.last + 1 < b.first for a, b in zip(held.ranges(), held.ranges()[1:], strict=False))
