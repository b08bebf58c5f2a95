"""The node's detection under CPython: healthy play stays healthy, and the stream is that of the firmware."""

import itertools

from marker_hardware.wire import Group, Kind, Profile, channels
from marker_rules.balls import GameId
from marker_sim.cases import cases
from marker_sim.detector import Detector
from marker_sim.reading import Fitted
from marker_sim.sensors.inputs import Edge, Hold, Scan


def test_normal_play_makes_no_channel_sick() -> None:
    """Mutation: a held stretch told before an edge inside it holds a comparator high for seconds, which is `stuck`."""
    for game in GameId:
        for case in cases(game, 11, 10, Fitted.HINTS, ""):
            sick = [name for name, quality in case.evidence.quality if quality not in ("ok", "hint")]
            assert sick == [], f"{game} shot {case.shot}"


def test_a_hit_is_told_with_its_peak_and_a_pin_that_falls_once() -> None:
    node = Detector(Profile.CAROM5.value)
    numbers = {c.name: n for n, c in channels(Profile.CAROM5).items() if c.group in (Group.RAIL, Group.PIN)}
    standing = (0, 0, 1500)
    node.feed([Scan(0, standing * 5), Hold(10_000, 40)])
    node.arm(1, "CNESW")
    first = node.outbox.head
    node.feed([Edge(500_000, numbers["PZ2"], 1, 900), Edge(510_000, numbers["PZ2"], 0)])
    node.feed([Scan(520_000, (*standing, -224, 0, 202, *standing * 3)), Hold(530_000, 30)])
    node.until(2_000_000)
    told = node.records(first)
    hits = [r for r in told if r.kind == Kind.HIT]
    assert [(r.ch, r.t - node.origin_us) for r in hits] == [(numbers["PZ2"], 500_000)]
    assert 900 <= hits[0].v <= 960
    lost = [r for r in told if r.kind == Kind.LOST]
    assert {r.ch for r in lost} == {numbers["N"]}
    assert [r.seq for r in told] == list(range(first, node.outbox.head))


def test_stamps_go_on_over_the_wrap_of_the_counter() -> None:
    node = Detector(Profile.CAROM5.value)
    seconds = [1, 3, 900, 1_800, 2_700]
    for at, after in itertools.pairwise([*seconds, 2_900]):
        node.feed([Edge(at * 1_000_000, 16, 1, 900), Edge(at * 1_000_000 + 9_000, 16, 0)])
        for second in range(at + 1, after, 100):
            node.until(second * 1_000_000)
    told = [r for r in node.records(0) if r.kind == Kind.HIT]
    assert [(r.t - node.origin_us) // 1_000_000 for r in told] == seconds
