"""The typed loaders: what they give, and what they say about a bad file."""

import math

import pytest

from marker_hardware import calibration, data, pinmap, sensors, tables, wire
from marker_hardware.pinmap import Profile


def test_channel_names_and_numbers_are_one_to_one() -> None:
    assert wire.channel_name(16) == "PZ1"
    assert wire.channel_number("BTN_UNDO") == 51
    names = [wire.channel_name(n) for profile in Profile for n in wire.channels(profile)]
    assert all(wire.channel_name(wire.channel_number(name)) == name for name in names)


def test_unknown_channel_is_named() -> None:
    with pytest.raises(KeyError, match="channel 99"):
        wire.channel_name(99)
    with pytest.raises(KeyError, match="PZ9"):
        wire.channel_number("PZ9")


def test_each_profile_names_its_channels_as_the_rules_do() -> None:
    carom = {c.name: c.place for c in wire.channels("carom5").values()}
    assert [carom[k] for k in ("C", "N", "E", "S", "W")] == ["C", "N", "E", "S", "W"]
    assert [carom[k] for k in ("PZ1", "PZ2", "PZ3", "PZ4")] == ["top", "right", "bottom", "left"]
    assert "P1" not in carom
    pyramid = {c.name: c.place for c in wire.channels("pyramid").values()}
    assert sorted(pyramid[f"P{i}"] for i in range(1, 7)) == ["BL", "BR", "FL", "FR", "ML", "MR"]
    assert sorted(pyramid[f"PZ{i}"] for i in range(1, 7)) == ["foot", "head", "left", "left", "right", "right"]
    assert wire.channel("pyramid", wire.channel_number("C")) is None


def test_topics_follow_the_contract() -> None:
    assert wire.topic("t1", wire.Topic.CMD_ACK) == "table/t1/cmd/ack"
    rule = wire.topic_rule(wire.Topic.STATE)
    assert (rule.sender, rule.qos, rule.retain) == ("node", 1, True)


def test_flags_are_bits() -> None:
    assert wire.Flag(0b1000001) == wire.Flag.MERGED | wire.Flag.UNSURE


@pytest.mark.parametrize("profile", list(Profile))
def test_left_and_right_follow_the_frame(profile: Profile) -> None:
    """Whoever reads `left` and `right` from the frame finds the rails of those names on that side."""
    table = tables.load(profile)
    sign = {"-y": -1, "+y": 1}
    for rail in table.rails.values():
        if rail.rail in ("left", "right"):
            side = sign[table.frame.left if rail.rail == "left" else table.frame.right]
            assert math.copysign(1, rail.sensor.y) == side, rail
    for pocket in table.pockets.values():
        side = sign[table.frame.left if pocket.rules_name.endswith("L") else table.frame.right]
        assert math.copysign(1, pocket.xy.y) == side, pocket
        assert pocket.rules_name[0] == {-1: "F", 0: "M", 1: "B"}[(pocket.xy.x > 0) - (pocket.xy.x < 0)]


def test_nothing_is_called_verified_before_a_table_was_measured() -> None:
    for profile in Profile:
        raw = data.resource("hardware", "tables", tables.FILES[profile]).read_text()
        assert "ok = true" not in raw
        assert raw.count("ok = false") > 40


def test_missing_resource_says_what_and_what_to_do() -> None:
    with pytest.raises(data.HardwareDataError, match=r"hardware/tables/oval.toml: not found: reinstall"):
        data.resource("hardware", "tables", "oval.toml")
    with pytest.raises(data.HardwareDataError, match="the first part is one of"):
        data.resource("elsewhere")
    with pytest.raises(data.HardwareDataError, match="use one of carom5, pyramid"):
        tables.load("snooker")


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("gpio=6,", 'gpio="six",', "pin[6].gpio"),
        ("poll_hz = 2000", "poll_khz = 2", "shift"),
        ("schema = 1", "schema = 2", "schema"),
    ],
)
def test_a_bad_value_is_reported_with_file_key_and_remedy(old: str, new: str, key: str) -> None:
    raw = data.resource("hardware", "pinmap.toml").read_text().replace(old, new)
    with pytest.raises(data.HardwareDataError) as caught:
        data.decode(raw.encode(), pinmap.PinMap, "pinmap.toml")
    assert (caught.value.file, caught.value.key) == ("pinmap.toml", key)
    assert caught.value.remedy
    assert str(caught.value).startswith("pinmap.toml: ")


def test_bad_syntax_is_reported_with_the_file() -> None:
    with pytest.raises(data.HardwareDataError, match=r"x.toml: .*correct the TOML syntax"):
        data.decode(b"a = = 1", calibration.Calibration, "x.toml")


def test_every_sensor_type_has_a_stamp_uncertainty_and_causes() -> None:
    loaded = sensors.load()
    assert {kind.value: entry.unc_us for kind, entry in loaded.sensor.items()} == {
        "pin": 10_000,
        "rail": 600,
        "click": 600,
        "gate": 600,
        "button": 1_000,
    }
    assert {kind.value: entry.quality for kind, entry in loaded.sensor.items() if kind.value != "button"} == {
        "pin": "ok",
        "rail": "hint",
        "click": "hint",
        "gate": "ok",
    }
    assert set(loaded.causes()) == {code.value for code in wire.HealthCode}
