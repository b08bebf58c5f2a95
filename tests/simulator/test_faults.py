"""Faults: every filter alone and in stacks keeps the truth; none disturbs another's chance; profiles are checked."""

import itertools
import random

import pytest

from marker_rules.balls import GameId
from marker_sim.cases import cases
from marker_sim.faults import FaultError, Kind, Profile, Rig, Spec, Stage, load, names
from marker_sim.faults.profile import PARAMETERS, STAGES, Planned, read
from marker_sim.faults.signal import in_order
from marker_sim.faults.transport import Answer, Cut, Wire
from marker_sim.judging import Engine, judge
from marker_sim.reading import Fitted
from marker_sim.sensors.inputs import Edge, Hold, Input, Scan
from marker_sim.sinks.packets import Publish

SIGNALS = [kind for kind in Kind if STAGES[kind] is Stage.SIGNAL]
WIRES = [kind for kind in Kind if STAGES[kind] in (Stage.TRANSPORT, Stage.PAYLOAD) and kind is not Kind.ASYMMETRY]
FELT = [*SIGNALS, Kind.DUPLICATE, Kind.LATE, Kind.LOST, Kind.REORDER, Kind.REBOOT, Kind.POWER_CUT]
RATED = [kind for kind in Kind if "rate" in PARAMETERS[kind]]


def strong(kind: Kind) -> Spec:
    """A fault often enough to matter in a few shots."""
    params = {"rate": 0.2, "per_hour": 600.0, "times": 2}
    return Spec.of(kind, **{key: value for key, value in params.items() if key in PARAMETERS[kind]})


def some_inputs() -> list[Input]:
    standing = (0, 0, 1500) * 5
    made: list[Input] = [Scan(0, standing), Hold(10_000, 300)]
    for n in range(60):
        made += [Edge(20_000 + n * 40_000, 16 + n % 4, 1, 900), Edge(28_000 + n * 40_000, 16 + n % 4, 0)]
    return in_order(made)


def publishes(count: int = 200) -> list[Publish]:
    return [
        Publish("table/1/ev", b'{"b":1,"s":%d,"e":[[%d,16,1,900,0]]}' % (n, n * 100_000), 1, False, False, n + 1)
        for n in range(count)
    ]


def sent(profile: Profile, items: list[Publish], seed: int = 3) -> tuple[list[Wire], Rig]:
    rig = Rig(profile, seed, "1", 100)
    out = [wire for item in items for wire in rig.send(item)]
    for one in rig.transport:
        out += one.flush()
    return out, rig


@pytest.mark.parametrize("kind", RATED)
def test_rate_nought_is_the_identity(kind: Kind) -> None:
    profile = Profile("none", (Spec.of(kind, rate=0.0),))
    rig = Rig(profile, 1, "1", 100)
    assert rig.signal(some_inputs()) == some_inputs()
    assert sent(profile, publishes())[0] == publishes()
    assert not rig.injected


@pytest.mark.parametrize("kind", [kind for kind in RATED if STAGES[kind] is Stage.SIGNAL])
def test_a_signal_fault_does_something_and_says_so(kind: Kind) -> None:
    rig = Rig(Profile("one", (strong(kind),)), 1, "1", 100)
    rig.begin(4)
    assert rig.signal(some_inputs()) != some_inputs()
    assert rig.counts() == {str(kind): len(rig.injected)}
    assert {one.shot for one in rig.injected} == {4}


@pytest.mark.parametrize("kind", WIRES)
def test_no_batch_vanishes_unless_it_is_to_be_lost(kind: Kind) -> None:
    """Mutation: a filter that swallows what it holds turns it red."""
    items = publishes()
    out, rig = sent(Profile("one", (strong(kind),)), items)
    assert rig.injected
    delivered = {wire.pid for wire in out if isinstance(wire, Publish)}
    gone = {item.pid for item in items} - delivered
    cuts = sum(isinstance(wire, Cut) for wire in out)
    answered = {wire.pid for wire in out if isinstance(wire, Answer)}
    if kind is Kind.LOST:
        assert len(gone) == len(rig.injected)
        assert len(answered) + cuts == len(rig.injected)
        assert cuts
        assert answered
    else:
        assert not gone
        assert not cuts


def test_each_wire_fault_does_what_its_name_says() -> None:
    items = publishes()
    doubled, _ = sent(Profile("d", (Spec.of(Kind.DUPLICATE, rate=0.2),)), items)
    assert sum(isinstance(w, Publish) and w.dup for w in doubled) == len(doubled) - len(items)
    late, rig = sent(Profile("l", (Spec.of(Kind.LATE, rate=0.2),)), items)
    order = [w.pid for w in late if isinstance(w, Publish)]
    assert order != sorted(order)
    assert sum(isinstance(w, Answer) for w in late) == len(rig.injected)
    swapped, _ = sent(Profile("r", (Spec.of(Kind.REORDER, rate=0.2, window=8),)), items)
    order = [w.pid for w in swapped if isinstance(w, Publish)]
    assert order != sorted(order)
    assert max(at - place for place, at in enumerate(order)) <= 8


def test_a_fault_added_leaves_the_others_as_they_were() -> None:
    """Mutation: one stream shared by all filters, or streams named by place in the profile, turn it red."""
    alone, with_others = Profile("a", (strong(Kind.MISS),)), Profile("b", (strong(Kind.BOUNCE), strong(Kind.MISS)))
    first, second = Rig(alone, 9, "1", 100), Rig(with_others, 9, "1", 100)
    hits = [Edge(n * 100_000, 16, level, 900) for n in range(100) for level in (1, 0)]
    missed = [one for one in first.signal([*hits]) if isinstance(one, Edge)]
    assert len(missed) < len(hits)
    rigs = [Rig(Profile("x", (strong(Kind.LOST), *more)), 9, "1", 100) for more in ((), (strong(Kind.DUPLICATE),))]
    lost = []
    for rig in rigs:
        for item in publishes():
            rig.send(item)
        lost.append([one.detail for one in rig.injected if one.kind is Kind.LOST])
    assert lost[0] == lost[1]
    assert second.profile.faults[1] == first.profile.faults[0]


def test_moments_come_from_the_seed_and_lie_in_the_unit() -> None:
    profile = Profile("p", (Spec.of(Kind.REBOOT, times=3), Spec.of(Kind.HUB_KILL)), (Planned(7, Kind.BROKER_RESTART),))
    moments = [[(shot, act.kind) for shot in range(1, 101) for act in Rig(profile, 5, "1", 100).acts(shot)]] * 2
    assert moments[0] == moments[1]
    kinds = [kind for _, kind in moments[0]]
    assert 1 <= kinds.count(Kind.REBOOT) <= 3
    assert kinds.count(Kind.HUB_KILL) == 1
    assert (7, Kind.BROKER_RESTART) in moments[0]
    assert moments[0] != [(s, a.kind) for s in range(1, 101) for a in Rig(profile, 6, "1", 100).acts(s)]


def test_a_moment_in_a_shot_is_kept_apart_from_its_middle() -> None:
    """Mutation: at_ms read and forgotten; done twice, in the middle too."""
    entries = [{"at_shot": 7, "do": "reboot", "at_ms": at} for at in (900, 0, 900)]
    profile = read({"schedule": [*entries, {"at_shot": 7, "do": "hub_kill"}]}, "test.toml")
    rig = Rig(profile, 5, "1", 100)
    assert (rig.moments(7), rig.moments(6)) == ([0, 900], [])
    rig.begin(7)
    assert [act.kind for act in rig.acts(7)] == [Kind.HUB_KILL]
    assert [act.kind for at in rig.moments(7) for act in rig.acts(7, at)] == [Kind.REBOOT] * 3
    assert [(one.shot, one.detail) for one in rig.injected[1:]] == [
        (7, "at 0 ms, 1.0 s"),
        (7, "at 900 ms, 1.0 s"),
        (7, "at 900 ms, 1.0 s"),
    ]


def test_a_restart_at_a_moment_loses_what_comes_after_it(tmp_path: object) -> None:
    """Through the rules: evidence up to the moment and a gap. Mutation: the moment measured from the boot, not from the strike."""
    last = {}
    for ms in (0, 1_000, 60_000):
        file = f"{tmp_path}/at-{ms}.toml"
        with open(file, "w", encoding="utf-8") as out:
            out.write(f'[[schedule]]\nat_shot = 2\nat_ms = {ms}\ndo = "reboot"\n')
        played = list(cases(GameId.FIVE_PINS, 4, 3, Fitted.HINTS, file))
        assert [case.evidence.gap for case in played] == [False, True, False]
        last[ms] = len(played[1].evidence.observations)
    assert last[0] <= last[1_000] < last[60_000]
    assert last[0] == 0


def wrong_shots(profile: str, shots: int, seed: int) -> list[object]:
    engine = Engine()
    found = (judge(case, engine) for case in cases(GameId.FIVE_PINS, seed, shots, Fitted.HINTS, profile))
    return [one for one in found if one.failed]


def as_file(path: object, specs: list[Spec]) -> str:
    """The profile as a file, the way a user writes it."""
    lines = []
    for spec in specs:
        lines.append(f'[[fault]]\nkind = "{spec.kind}"')
        for key, value in spec.params:
            text = f'"{value}"' if isinstance(value, str) else str(value).lower()
            lines.append(f"{key} = {text}")
    with open(f"{path}/profile.toml", "w") as file:
        file.write("\n".join(lines))
    return f"{path}/profile.toml"


@pytest.mark.parametrize("kind", FELT)
def test_each_fault_alone_keeps_the_truth(kind: Kind, tmp_path: object) -> None:
    """More questions, never another ruling. What strikes processes alone is played through the hub."""
    assert wrong_shots(as_file(tmp_path, [strong(kind)]), 8, 21) == []


@pytest.mark.parametrize("draw", range(6))
def test_stacks_of_three_keep_the_truth(draw: int, tmp_path: object) -> None:
    kinds = random.Random(draw).sample(FELT, 3)
    assert wrong_shots(as_file(tmp_path, [strong(kind) for kind in kinds]), 8, 30 + draw) == []


@pytest.mark.parametrize("kind", [Kind.DEAD, Kind.STUCK])
def test_a_broken_pin_sensor_is_noticed(kind: Kind, tmp_path: object) -> None:
    """Its quality falls, so its silence proves nothing any more."""
    profile = as_file(tmp_path, [Spec.of(kind, channel="N", times=3)])
    last = list(cases(GameId.FIVE_PINS, 4, 12, Fitted.HINTS, profile))[-1]
    assert dict(last.evidence.quality)["pin N"] in ("absent", "stuck")


def test_lost_records_leave_a_gap(tmp_path: object) -> None:
    profile = as_file(tmp_path, [Spec.of(Kind.LOST, rate=0.3)])
    played = list(cases(GameId.FIVE_PINS, 4, 8, Fitted.HINTS, profile))
    assert any(case.evidence.gap for case in played)
    assert all(("lost" in case.injected) == case.evidence.gap for case in played)


@pytest.mark.parametrize(
    ("raw", "named"),
    [
        ({"fault": [{"kind": "duplicate", "rat": 0.1}]}, "rat"),
        ({"fault": [{"kind": "earthquake"}]}, "earthquake"),
        ({"fault": [{"kind": "duplicate", "rate": 2}]}, "share from 0 to 1"),
        ({"fault": [{"kind": "duplicate", "rate": "often"}]}, "often"),
        ({"fault": [{"kind": "dead", "channel": "PZ99"}]}, "PZ99"),
        ({"fault": [{"rate": 0.1}]}, "None"),
        ({"faults": []}, "faults"),
        ({"schedule": [{"at_shot": 0, "do": "reboot"}]}, "at_shot"),
        ({"schedule": [{"at_shot": 3, "do": "late"}]}, "late"),
        ({"schedule": [{"at_shot": 3, "do": "reboot", "when": 1}]}, "when"),
        ({"schedule": [{"at_shot": 3, "do": "reboot", "at_ms": -1}]}, "at_ms = -1"),
        ({"schedule": [{"at_shot": 3, "do": "reboot", "at_ms": True}]}, "at_ms = True"),
        ({"schedule": [{"at_shot": 3, "do": "reboot", "at_ms": "soon"}]}, "at_ms = 'soon'"),
        ({"schedule": [{"at_shot": 3, "do": "reboot", "at_ms": 600_001}]}, "0 to 600000"),
    ],
)
def test_what_is_not_known_is_refused_by_name(raw: dict[str, list[dict[str, object]]], named: str) -> None:
    with pytest.raises(FaultError, match=named):
        read(raw, "test.toml")


def test_profiles_that_come_with_the_package_are_good() -> None:
    assert "design" in names()
    kinds = {spec.kind for name in names() for spec in load(name).faults}
    assert {
        Kind.DUPLICATE,
        Kind.LATE,
        Kind.LOST,
        Kind.BOUNCE,
        Kind.CROSSTALK,
        Kind.REBOOT,
        Kind.BROKER_RESTART,
    } <= kinds
    assert load("") == Profile("")
    with pytest.raises(FaultError, match="design"):
        load("desing")
    with pytest.raises(FaultError, match=r"nowhere\.toml"):
        load("nowhere.toml")


def test_edges_cut_held_stretches_and_nothing_gets_lost() -> None:
    items: list[Input] = [Hold(0, 100), *[Edge(n * 37_000, 16, n % 2, 0) for n in range(20)]]
    made = in_order(items)
    assert sum(one.n for one in made if isinstance(one, Hold)) == 100
    assert sum(isinstance(one, Edge) for one in made) == 20
    starts = [one.t_us for one in made]
    assert all(b - a > -10_000 for a, b in itertools.pairwise(starts))
