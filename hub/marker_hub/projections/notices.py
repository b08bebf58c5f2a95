"""What the hub has to say of a table and what still holds of it."""

from __future__ import annotations

from typing import Any

from marker_hub.match.board import ball_count
from marker_hub.match.state import MatchState
from marker_hub.projections.rule_words import rule_words
from marker_hub.table.shotclock import OVERRUN
from marker_hub.table.state import Table

Json = dict[str, Any]

REVIEWS_SHOWN = 3


def notices(table: Table, match: MatchState | None) -> list[Json]:
    """What was said and still holds; shots without a ruling, and those to be reviewed, stay named whatever was said since."""
    undecided = list(match.undecided) if match is not None else []
    first: list[Json] = [{"code": "open", "args": {"shots": undecided}}] if undecided else []
    for record in match.reviews[-REVIEWS_SHOWN:] if match is not None else ():
        args: Json = {"shot": record.no, "old": record.ruling.short, "new": record.review.short}
        first.append({"code": "review", "args": args})
    count = ball_count(match) if match is not None else None
    if count is not None and count.missing:
        code = "count-less" if count.missing > 0 else "count-more"
        args = {"table": count.on_table, "shelves": sum(count.shelves.values()), "full": count.full}
        first.append({"code": code, "args": args | {"n": abs(count.missing)}})
    return first + [{"code": _code(table, notice), "args": _args(notice)} for notice in table.notices]


def _args(notice: Any) -> Json:
    """What belongs to a notice; why the rules refused something comes in the words of the people at the table."""
    if notice.code != "refused":
        return dict(notice.args)
    command, code, reason = (str(notice.args.get(name, "")) for name in ("command", "why", "reason"))
    return {"reason": rule_words(command, code, reason)._asdict()}


def _code(table: Table, notice: Any) -> str:
    """A stroke behind a foul of the clock was not early: it came after 'Time'."""
    if notice.code != "struck-early" or table.match is None:
        return str(notice.code)
    before = int(notice.args["shot"]) - 1
    record = table.match.shot(before)
    run = table.run if table.run is not None and table.run.no == before else None if record is None else record.run
    late = run is not None and any(call.code == OVERRUN for call in run.calls) and run.idle
    return "struck-late" if late else str(notice.code)
