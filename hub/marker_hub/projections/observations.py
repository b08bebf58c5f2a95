"""Everything that was observed in a shot, with its source, and a line for each channel that gave nothing.

"Not seen", "no data" and "fault" are three different things (R029): a healthy channel that stayed silent, a channel or
node that could not speak, and a channel that is known to be sick.
"""

from __future__ import annotations

from typing import Any

from marker_hardware.codes import Flag, Kind, Latch, PinState, Quality
from marker_hardware.wire import Channel, Group
from marker_hub.assembler.channels import channels
from marker_hub.assembler.run import Rec, ShotRun
from marker_hub.projections.in_words import answered, called
from marker_hub.table.state import Table

Json = dict[str, Any]

_SENSORS = frozenset({Group.PIN, Group.RAIL, Group.CLICK, Group.GATE})
UNKNOWN = 65535
"""A value the node could not measure."""

_SHOWN = frozenset({Kind.HIT, Kind.LOST, Kind.STATE, Kind.DROP, Kind.BACK, Kind.MOVE})


def observations(table: Table, run: ShotRun) -> list[Json]:
    """Rows in time order; ms after the first record of the shot, None where nothing has a time."""
    known = channels(table.config.profile)
    start = run.from_t if run.from_t is not None else (run.ordered[0].t if run.ordered else 0)
    rows, heard = [], set()
    for rec in run.ordered:
        channel = known.get(rec.ch)
        if channel is None or channel.group not in _SENSORS:
            continue
        heard.add(rec.ch)
        if rec.kind in _SHOWN:
            rows.append(_seen(rec, channel, start))
    for number, channel in known.items() if watched(table) else ():
        if channel.group in _SENSORS and number not in heard:
            rows.append(_row(channel, "", "", _silent(table, run, number)))
    return rows + _said(table, run)


def _said(table: Table, run: ShotRun) -> list[Json]:
    """What the referee answered and called, in words."""
    if table.match is None:
        return []
    game = table.match.game_id
    told = [(question, answer, answered(game, question, answer)) for question, answer in run.answers]
    told += [(call.code, call.by, called(game, call.code)) for call in run.calls]
    blank = {"ms": None, "unc_ms": None, "value": "", "source": "referee", "status": "seen"}
    return [blank | {"channel": name, "what": word, "text": text} for name, word, text in told]


def watched(table: Table) -> bool:
    """False where no sensor was ever to say something: the table has none, or this match is scored by hand."""
    return table.config.sensors and (table.match is None or not table.match.head.manual)


def _row(channel: Channel, what: str, value: str, status: str) -> Json:
    return {
        "ms": None,
        "unc_ms": None,
        "channel": channel.name,
        "what": what,
        "value": value,
        "source": "node",
        "status": status,
    }


def _seen(rec: Rec, channel: Channel, start: int) -> Json:
    doubtful = rec.doubtful or bool(rec.aux & Flag.UNSURE)
    made = _row(channel, Kind(rec.kind).name.lower(), _value(rec), "unknown" if doubtful else "seen")
    return made | {"ms": round((rec.t - start) / 1000), "unc_ms": channel.unc_us / 1000}


def _value(rec: Rec) -> str:
    if rec.kind == Kind.HIT:
        return "" if rec.v == UNKNOWN else f"{rec.v / 1000:.2f} V"
    if rec.kind == Kind.LOST:
        return Latch(rec.v).name.lower()
    if rec.kind == Kind.STATE:
        return PinState(rec.v).name.lower()
    return f"{block_ms(rec.aux)} ms" if rec.kind == Kind.DROP else ""


def block_ms(aux: int) -> int:
    """How long a ball covered the beam, ms (hardware/wire.toml: high byte of aux, in steps of 4 ms)."""
    return (aux >> 8 & 0xFF) * 4


def _silent(table: Table, run: ShotRun, number: int) -> str:
    """Why a channel said nothing: it had nothing to say, it could not, or it is sick."""
    quality = run.quality.get(number, table.link.quality.get(number))
    if quality in (Quality.NOISY, Quality.STUCK):
        return "fault"
    if table.link.online is not True or quality is None or quality == Quality.ABSENT:
        return "no_data"
    return "not_seen" if not run.incomplete else "unknown"
