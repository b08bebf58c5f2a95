"""What the configuration says about a table: to the core, to its page before a match, to a match that begins."""

from __future__ import annotations

import secrets
import time
from typing import Any

import msgspec

from marker_hardware import wire as contract
from marker_hub.commands import MatchStart
from marker_hub.config import TableSection
from marker_hub.table import TableConfig


def table_config(section: TableSection, number: int) -> TableConfig:
    """The core's configuration of one table."""
    quality: dict[int, str] = {contract.channel_number(name): value for name, value in section.quality.items()}
    return TableConfig(
        id=section.id,
        name=section.name or section.id,
        no=number,
        profile=section.profile,
        lull_ms=section.lull_ms,
        quiet_ms=section.quiet_ms,
        tail_ms=section.tail_ms,
        countdown_ms=section.countdown_ms,
        sensors=section.sensors,
        quality=quality,
    )


def match_setup(section: TableSection) -> dict[str, Any]:
    """What a new match at this table starts with: game (empty: of the profile), preset, options, policy."""
    return {name: getattr(section, name) for name in ("game", "preset", "options", "policy")}


def completed(section: TableSection, command: MatchStart) -> MatchStart:
    """The match with an id, and with what the configuration says about this table where the command says nothing."""
    changes: dict[str, Any] = {}
    if not command.id:
        changes["id"] = time.strftime("%Y%m%d-%H%M%S", time.gmtime()) + f"-{section.id}-{secrets.token_hex(3)}"
    if section.game == command.game:
        changes["options"] = {**section.options, **command.options}
        changes["preset"] = command.preset or section.preset
    return msgspec.structs.replace(command, **changes)
