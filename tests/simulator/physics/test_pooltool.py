"""The same launches in another engine, where it is installed (docs/developer/simulator.md says how); with `make soak` alone."""

import importlib.util

import pytest

from marker_hardware.pinmap import Profile
from marker_sim import pooltool
from marker_sim.physics.table import shipped

there = pytest.mark.skipif(importlib.util.find_spec("pooltool") is None, reason="pooltool is not installed")


def test_the_launches_are_drawn_and_played_here() -> None:
    """Our half of the comparison: contacts in time order, ending with the first cushion. Mutation: the list goes on after it."""
    table = shipped(Profile.CAROM5)
    cushions = 0
    for case in pooltool.cases(60):
        found = pooltool.own_contacts(case, table)
        times = [t for _, t in found]
        assert times == sorted(times)
        assert [kind for kind, _ in found].count("cushion") <= 1
        if found and found[-1][0] == "cushion":
            cushions += 1
    assert cushions > 50


@pytest.mark.soak
@there
def test_contacts_agree_up_to_the_first_cushion() -> None:
    """Same kind and order, times within a millisecond. Mutation: rolling friction + 1 %."""
    table = pooltool.smooth()
    for case in pooltool.cases(300):
        own, other = pooltool.own_contacts(case, table), pooltool.other_contacts(case, table)
        assert [kind for kind, _ in own] == [kind for kind, _ in other]
        for (_, mine), (_, theirs) in zip(own, other, strict=True):
            assert mine == pytest.approx(theirs, abs=1e-3)


@pytest.mark.soak
@there
@pytest.mark.timeout(600)
def test_it_is_eight_times_as_fast() -> None:
    """The worst of three alternating rounds. Mutation: fixed time step."""
    assert pooltool.ratio() >= 8.0
