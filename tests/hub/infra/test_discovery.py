"""Home Assistant: off by default, described once it is wanted, gone when it is not; the figure of incomplete shots."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from marker_hub import commands
from marker_hub.broker.files import acl, box_user
from marker_hub.config import BrokerKind, BrokerSection, Config, HomeAssistant, TableSection
from marker_hub.discovery import descriptions
from marker_hub.entries import PlayerInfo
from marker_hub.service import Hub, HubOptions
from marker_hub.transport.memory import MemoryBroker

TABLES = (TableSection(id="1", name="Tavolo 1"), TableSection(id="p", profile="pyramid"))


def configured(form: HomeAssistant, tables: tuple[TableSection, ...] = TABLES) -> Config:
    return Config(broker=BrokerSection(kind=BrokerKind.MEMORY), table=tables, home_assistant=form)


def described(broker: MemoryBroker) -> dict[str, Any]:
    return {topic: json.loads(raw) for topic, raw in broker.retained.items() if topic.startswith("homeassistant/")}


async def started(config: Config, data: Path, broker: MemoryBroker) -> Hub:
    hub = Hub(HubOptions(config, data, memory=broker))
    await hub.start()
    return hub


def test_every_channel_the_link_the_supply_and_the_last_event_are_described() -> None:
    found = {topic: json.loads(raw) for topic, raw in descriptions(configured(HomeAssistant.COMPONENT)).items()}
    click = found["homeassistant/binary_sensor/marker_main_1_click/config"]
    assert click["state_topic"] == "table/1/health"
    assert click["availability_topic"] == "table/1/state"
    assert "value_json.channels.get('CLICK', 3) == 0" in click["value_template"]
    assert click["device"]["name"] == "Tavolo 1"
    assert "homeassistant/binary_sensor/marker_main_1_link/config" in found
    assert "homeassistant/sensor/marker_main_1_volts/config" in found
    assert found["homeassistant/sensor/marker_main_p_event/config"]["state_topic"] == "table/p/shot"
    assert len({part["unique_id"] for part in found.values()}) == len(found)
    one = {topic: json.loads(raw) for topic, raw in descriptions(configured(HomeAssistant.DEVICE)).items()}
    assert sorted(one) == ["homeassistant/device/marker_main_1/config", "homeassistant/device/marker_main_p/config"]
    parts = one["homeassistant/device/marker_main_1/config"]["components"]
    assert {part["unique_id"] for part in parts.values()} == {
        part["unique_id"] for part in found.values() if part["device"]["name"] == "Tavolo 1"
    }


@pytest.mark.report("R045")
def test_descriptions_come_and_go_with_the_configuration(tmp_path: Path) -> None:
    """R045: a removed table does not come back from its old description. Off: nothing. On: retained, and again when Home Assistant starts. A removed table and a switch to off are cleared."""

    async def play() -> None:
        broker = MemoryBroker()
        hub = await started(configured(HomeAssistant.OFF), tmp_path, broker)
        await hub.stop()
        assert described(broker) == {}
        hub = await started(configured(HomeAssistant.DEVICE), tmp_path, broker)
        assert len(described(broker)) == 2
        lost = next(iter(described(broker)))
        del broker.retained[lost]
        broker.connect().publish("homeassistant/status", b"online")
        async with asyncio.timeout(60):
            while lost not in described(broker):
                await asyncio.sleep(0.01)
        await hub.stop()
        hub = await started(configured(HomeAssistant.DEVICE, TABLES[:1]), tmp_path, broker)
        assert sorted(described(broker)) == ["homeassistant/device/marker_main_1/config"]
        await hub.stop()
        hub = await started(configured(HomeAssistant.OFF), tmp_path, broker)
        await hub.stop()
        assert described(broker) == {}

    asyncio.run(play())


def test_a_box_may_press_its_tables_keys_and_nothing_else() -> None:
    """Its user can be no table's; a node's user has no right to a referee's keys."""
    rules = acl(["1", "2"])
    assert f"user {box_user('1')}\ntopic write table/1/btn\n" in rules
    assert "pattern write table/%u/ev" in rules
    assert "%u/btn" not in rules
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"id": box_user("1")}, TableSection)


def test_a_shot_judged_with_evidence_missing_is_counted(tmp_path: Path) -> None:
    async def play() -> tuple[float, float]:
        hub = await started(configured(HomeAssistant.OFF, TABLES[:1]), tmp_path, MemoryBroker())
        node = hub.tables_by_id["1"]
        players: dict[commands.Who, PlayerInfo] = {"A": PlayerInfo("Alfa"), "B": PlayerInfo("Beta")}

        async def say(command: commands.Command) -> None:
            result = await hub.command("1", command, role="referee", session="t")
            assert result.status == 200, result.body

        options = {"points_limit": 60, "games": 1}
        await say(
            commands.MatchStart(
                key="k1", game="five-pins", players=players, options=options, opener="A", ball_of_a="white"
            )
        )
        counts = []
        for shot, lost in ((1, False), (2, True)):
            if node.value.phase == "placing":
                await say(commands.Ready(key=f"r{shot}", seen=node.n))
            await say(commands.Strike(key=f"s{shot}", seen=node.n))
            if lost:
                run = node.value.run
                assert run is not None
                node.value = msgspec.structs.replace(node.value, run=run.missing("loss"))
            await say(commands.Manual(key=f"m{shot}", seen=node.n, points={"A": 2, "B": 0}, note="seen by eye"))
            counts.append(hub.figures.value("incomplete_shots_total", table="1"))
        await hub.stop()
        return counts[0], counts[1]

    assert asyncio.run(play()) == (0, 1)
