"""Keys of a wireless button box: what each means in the state the table is in."""

from __future__ import annotations

from typing import Any

from marker_hub import commands, wire
from marker_hub.commands import Command
from marker_hub.wire import ButtonKey

_ANSWER_KEYS = {ButtonKey.A1: "a1", ButtonKey.A2: "a2", ButtonKey.A3: "a3", ButtonKey.YES: "a1", ButtonKey.NO: "a2"}


def command_of(button: wire.Button, sheet: dict[str, Any], view: dict[str, Any], n: int) -> Command | None:
    """The command of a key, or None when it means nothing now. The box's id is the idempotency key."""
    key = f"btn:{button.id}"
    phase = view.get("phase")
    if button.key is ButtonKey.STILL:
        return commands.Still(key=key, seen=n)
    if button.key is ButtonKey.UNDO:
        return commands.Undo(key=key, seen=n)
    if button.key is ButtonKey.TIME:
        if button.role is wire.ButtonRole.REFEREE:
            return commands.TimeCalled(key=key, seen=n)
        return commands.Extension(key=key, seen=n, by="A" if button.role is wire.ButtonRole.A else "B")
    if phase == "asking":
        answer = (sheet.get("buttons") or {}).get(_ANSWER_KEYS[button.key])
        row = next((row["id"] for row in sheet.get("rows", ()) if any(a["id"] == answer for a in row["answers"])), None)
        if answer is not None and row is not None:
            return commands.Answer(key=key, seen=n, question=row, answer=answer)
        return None
    if phase == "proposed":
        if button.key is ButtonKey.YES:
            return commands.Accept(key=key, seen=n)
        if button.key is ButtonKey.NO:
            return commands.Reopen(key=key, seen=n)
    return None
