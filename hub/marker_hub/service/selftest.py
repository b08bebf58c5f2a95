"""A self-test of a table's node on the technician's request: every sensor is stimulated, the node tells what answered."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

from marker_hardware import wire as contract
from marker_hardware.wire import Quality
from marker_hub import wire
from marker_hub.service.threshold import refused
from marker_hub.web.port import CommandResult

if TYPE_CHECKING:
    from marker_hub.service.tables import TableRuntime

LIMIT_S = 20.0
"""A table that is being hit is waited for 2 s, then each part takes a moment."""


async def self_test(table: TableRuntime) -> CommandResult:
    """200 with {channels: name -> quality, volts, clean: beams that want cleaning}; 422 with the reason in three languages."""
    node = table.reconciler
    if not node.node_online:
        return refused("node")
    answer = await node.ask(wire.SelfTest(f"test-{secrets.token_hex(4)}"), LIMIT_S)
    if answer is None:
        return refused("node")
    if not answer.ok:
        return refused("refused", why=f"{answer.code.name} {answer.msg}".strip())
    return CommandResult(200, _told(table.config.profile, answer.result or {}))


def _told(profile: str, result: dict[str, Any]) -> dict[str, Any]:
    codes = {quality.value for quality in Quality}
    channels = {
        channel.name: Quality(result[channel.name]).name.lower()
        for channel in contract.channels(profile).values()
        if result.get(channel.name) in codes
    }
    volts = result.get("V5")
    return {
        "channels": channels,
        "volts": round(volts / 1000, 2) if isinstance(volts, int) else None,
        "clean": [str(beam) for beam in result.get("clean", ())],
    }
