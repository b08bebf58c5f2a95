"""What a correction would do, as the correction panel shows it; what is announced once."""

from __future__ import annotations

from typing import Any

import msgspec

from marker_hub.match.board import board
from marker_hub.match.state import MatchState, ShotRecord, Status
from marker_hub.projections.rulings import ruling_view
from marker_hub.projections.sheet_page import sheet_view
from marker_hub.table.state import Table
from marker_hub.table.types import Announce, Preview
from marker_rules.ruling import Ruling

Json = dict[str, Any]


def preview_view(table: Table, preview: Preview) -> Json:
    """Scores before and after, every shot that changes with both rulings, winner and opener, shots set aside."""
    match, after = table.match, preview.after
    undecided = list(after.undecided) if after is not None else []
    return {
        "before": preview.score_old,
        "after": preview.score_new,
        "changed": [
            {
                "shot": diff.shot,
                "old": _ruling(match, diff.shot),
                "new": _ruling(after, diff.shot),
                "open": diff.shot in undecided,
                "out_of_turn": diff.open and diff.shot not in undecided,
            }
            for diff in preview.shots
        ],
        "winner": preview.winner_new,
        "winner_before": preview.winner_old,
        "opener": preview.opener_new,
        "set_aside": list(preview.set_aside),
        "undecided": undecided,
        "sheet": _sheet(table, preview),
    }


def _sheet(table: Table, preview: Preview) -> Json | None:
    """The rows of the changed shot as they would stand, so that what its new facts ask is answered before it is taken."""
    if preview.after is None or preview.shot not in {record.no for record in preview.after.shots}:
        return None
    made = sheet_view(msgspec.structs.replace(table, match=preview.after, run=None, queue=()), preview.shot)
    return {name: made[name] for name in ("shot", "rows", "needed", "certain", "acceptable", "problem", "proposal")}


def announcement(table: Table, effect: Announce) -> Json:
    """What pages say once: the ruling of a shot, the new total after a correction, a call of the clock."""
    made: Json = dict(effect.args)
    match = table.match
    if match is not None and effect.kind in ("ruling", "correction"):
        record = match.shot(int(made["shot"])) if "shot" in made else match.last
        ruling = None if record is None else _ruling(match, record.no)
        if ruling is not None:
            made["ruling"] = ruling
        made["score"] = board(match).score
    return made


def _ruling(match: MatchState | None, no: int) -> Json | None:
    record: ShotRecord | None = match.shot(no) if match is not None else None
    if match is None or record is None or record.aside_n or record.status is Status.VOID:
        return None
    return ruling_view(match, record.ruling, record.before) if isinstance(record.ruling, Ruling) else None
