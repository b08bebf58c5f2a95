"""The four buttons of the table: what a press means in the state the table is in."""

from __future__ import annotations

from marker_hardware.codes import Flag, Kind
from marker_hardware.wire import channel_number
from marker_hub import commands as c
from marker_hub.clocks import FOREIGN_UNC_US, to_hub
from marker_hub.entries import Entry, Obs
from marker_hub.phases import Phase
from marker_hub.projections.sheet_page import sheet_view
from marker_hub.table.propose import propose
from marker_hub.table.state import Table
from marker_hub.table.step import as_seen
from marker_hub.table.types import Refusal, Role

HELD_MS = 1000
"""A button held so long means its second thing, ms."""

OLD_US = 5_000_000
"""A press that is older than this when it arrives does nothing: the table has moved on, us."""

YES, NO, STILL, UNDO = (channel_number(name) for name in ("BTN_YES", "BTN_NO", "BTN_STILL", "BTN_UNDO"))


def table_button(table: Table, entry: Entry) -> c.Command | None:
    """The command of a journalled press, or None. `yes` and `no` act on the press, the others on the release."""
    body = entry.body
    if not isinstance(body, Obs) or body.kind not in (Kind.PRESS, Kind.RELEASE) or body.aux & Flag.REPLAY:
        return None
    if _old(table, entry):
        return None
    key = f"node:{entry.node}:{entry.boot}:{entry.seq}"
    if body.kind == Kind.PRESS:
        return _decision(table, body.ch, key)
    held = body.v >= HELD_MS
    if body.ch == STILL:
        return c.TimeCalled(key=key) if held else c.Still(key=key)
    if body.ch == UNDO:
        return c.Suspend(key=key, note="button at the table") if held else c.Undo(key=key)
    return None


def owed(table: Table) -> tuple[tuple[Entry, c.Command], ...]:
    """Presses that are journalled and whose command is not: the hub died between the two. Oldest first, with the commands.

    Only what came after the newest command counts (after that the table is another one), and only where the command
    still says what it said when the button was pressed; a press that was refused then stays refused.
    """
    found: list[tuple[Entry, c.Command]] = []
    for at in range(len(table.log) - 1, -1, -1):
        entry = table.log[at]
        if entry.n <= table.decided_n:
            break
        if not isinstance(entry.body, Obs) or entry.body.kind not in (Kind.PRESS, Kind.RELEASE):
            continue
        then = as_seen(table, entry.n)
        command = None if then is None else table_button(then, entry)
        if then is None or command is None:
            continue
        meant = propose(then, command, Role.REFEREE, then.mono_us)
        if not isinstance(meant, Refusal) and meant == propose(table, command, Role.REFEREE, table.mono_us):
            found.append((entry, command))
    return tuple(reversed(found))


def _old(table: Table, entry: Entry) -> bool:
    if entry.dev_us is None or entry.boot is None:
        return False
    at, unc = to_hub(table.link.pairs, entry.boot, entry.dev_us, entry.mono_us)
    return unc < FOREIGN_UNC_US and entry.mono_us - at > OLD_US


def _decision(table: Table, ch: int, key: str) -> c.Command | None:
    if ch not in (YES, NO):
        return None
    phase = table.phase
    if phase == Phase.ASKING:
        sheet = sheet_view(table)
        answer = sheet["buttons"].get("a1" if ch == YES else "a2")
        row = sheet["question"] if answer is not None else None
        return None if row is None else c.Answer(key=key, question=row, answer=answer)
    if phase == Phase.PROPOSED:
        return c.Accept(key=key, seen=table.n) if ch == YES else c.Reopen(key=key)
    if phase in (Phase.PLACING, Phase.RESPOTTING) and ch == YES:
        return c.Ready(key=key)
    return None
