"""Recompute every ruling of a record. The fold applies stored rulings; here they are judged again and must agree."""

from __future__ import annotations

from typing import Any, NamedTuple

import marker_hub.table as core
from marker_hub import commands, entries
from marker_hub.entries import Accepted, Entry
from marker_hub.export.record import MatchRecord
from marker_hub.table import Refusal, Role, Table


class Finding(NamedTuple):
    """Something that does not agree: position, shot, what the record holds and what comes out now."""

    n: int
    shot: int
    stored: str
    computed: str


def replay(record: MatchRecord) -> tuple[int, list[Finding]]:
    """How many rulings were judged again, and what does not agree."""
    value = core.new_table(record.head.config)
    judged = 0
    findings: list[Finding] = []
    for entry in record.entries:
        if isinstance(entry.body, Accepted) and entry.n >= record.head.n_from:
            judged += 1
            found = _judge(value, entry, entry.body)
            if found is not None:
                findings.append(found)
        try:
            value, _ = core.step(value, entry)
        except Exception as error:  # noqa: BLE001 - a fault is a finding, not the end of the replay
            findings.append(Finding(entry.n, 0, entries.kind_of(entry.body), f"{type(error).__name__}: {error}"))
    if record.sealed is False:
        findings.append(Finding(record.end.n, 0, f"lines sealed as {record.end.seal[:16]}", "lines that were changed"))
    digest = core.state_hash(value).hex()
    if digest != record.end.hash:
        findings.append(Finding(record.end.n, 0, f"state {record.end.hash}", f"state {digest}"))
    return judged, findings


def _judge(value: Table, entry: Entry, body: Accepted) -> Finding | None:
    again = core.propose(value, commands.Accept(key="replay", seen=value.n), Role.REFEREE, entry.mono_us)
    if isinstance(again, Refusal):
        return Finding(entry.n, body.shot, _short(body.ruling), f"not acceptable: {again.text_key}")
    made = next((item for item in again if isinstance(item, Accepted)), None)
    if made is None:
        return Finding(entry.n, body.shot, _short(body.ruling), "no ruling")
    if made.ruling != body.ruling:
        return Finding(entry.n, body.shot, _short(body.ruling), _short(made.ruling))
    if body.hash and made.hash != body.hash:
        return Finding(entry.n, body.shot, f"{_short(body.ruling)}, state {body.hash}", f"state {made.hash}")
    return None


def _short(ruling: dict[str, Any]) -> str:
    return entries.canonical(ruling).decode()[:300]
