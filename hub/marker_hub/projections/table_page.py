"""The view of one table: what display, overlay and referee page show."""

from __future__ import annotations

from typing import Any

from marker_hardware.codes import Quality
from marker_hardware.wire import Group
from marker_hub import entries as e
from marker_hub.assembler.channels import channels
from marker_hub.assembler.reading import live_facts, pin_views
from marker_hub.assembler.run import ShotRun, Stage
from marker_hub.assembler.seats import PINS, Seat
from marker_hub.match.board import Board, ball_count, board
from marker_hub.match.state import MatchState, ShotRecord, Status
from marker_hub.phases import Phase
from marker_hub.projections.acts import award_now, extra_time_taken
from marker_hub.projections.notices import notices
from marker_hub.projections.observations import watched
from marker_hub.projections.rulings import ruling_view
from marker_hub.table.desired import turn
from marker_hub.table.state import Table, Work, put_back
from marker_rules.game import Due, DueKind
from marker_rules.pyramid.clock import EXTENSIONS_PER_FRAME, WARNING_S, left_s
from marker_rules.ruling import Ruling

Json = dict[str, Any]

_QUALITY = {Quality.NOISY: "noisy", Quality.STUCK: "stuck", Quality.ABSENT: "absent"}


def table_view(table: Table, now_us: int) -> Json:
    """The whole view; times relative to the hub's monotonic clock now_us."""
    match = table.match if table.phase != Phase.IDLE else None
    work = Work(table)
    now = board(match) if match is not None else None
    return {
        "id": table.config.id,
        "name": table.config.name,
        "no": table.config.no,
        "profile": table.config.profile,
        "n": table.n,
        "game": match.head.game if match is not None else None,
        "phase": table.phase,
        "now_ms": now_us // 1000,
        "node": _node(table),
        "armed": _armed(table),
        "watched": watched(table),
        "sensors": _sensors(table),
        "match": _match(match, now),
        "players": _players(match, now),
        "turn": turn(table, match) if match is not None else None,
        "mode": now.mode if now is not None else "",
        "balls": _balls(match),
        "pins": _pins(table),
        "pins_decided": _pins_decided(table),
        "live": _live(table),
        "proposal": _proposal(work, match),
        "last": _last(match),
        "asking": _asking(work),
        "clock": _clock(table, now_us),
        "break": _break(table, now_us),
        "lag": _lag(table),
        "countdown": _countdown(table, now_us),
        "due": _due(match.due, table) if match is not None else None,
        "notices": notices(table, match),
        "games": [] if now is None else [_game(line) for line in now.results],
        "winner": now.winner if now is not None else None,
        "award": _award(match),
        "undo": _undo(table, table.done),
        "redo": _undo(table, table.undone),
        "incomplete": table.run is not None and table.run.incomplete,
        "pending": [run.no for run in table.queue],
        "aside": [record.no for record in match.aside] if match is not None else [],
        "review": [record.no for record in match.reviews] if match is not None else [],
        "undecided": list(match.undecided) if match is not None else [],
        "fault": table.fault,
    }


def _balls(match: MatchState | None) -> Json | None:
    """Pyramid: what lies on the table by the score, and what all balls together must be."""
    count = ball_count(match) if match is not None else None
    if count is None:
        return None
    return {"on_table": count.on_table, "shelves": count.shelves, "full": count.full, "missing": count.missing}


def _award(match: MatchState | None) -> Json | None:
    """What was awarded last and stands, for everybody; why is told on the referee's sheet."""
    award = award_now(match) if match is not None else None
    return None if award is None else {name: award[name] for name in ("what", "to", "game_no")}


def _game(line: Any) -> Json:
    return {"n": line.n, "winner": line.winner, "score": line.score, "forfeit": line.forfeit}


def _node(table: Table) -> str:
    if not table.config.sensors or table.link.online is None:
        return "none"
    return "online" if table.link.online else "offline"


def _armed(table: Table) -> bool:
    """Whether the node has acknowledged the one arming that is for the stroke to come: what it feels from now on is that stroke."""
    link, mark = table.link, table.mark
    return table.phase == Phase.ARMED and link.told_n >= table.armed_n and mark is not None and mark[0] == link.boot


def _sensors(table: Table) -> list[Json]:
    """Every sensor with its health; none where the table is configured without: nothing is missing there."""
    if not table.config.sensors:
        return []
    made = []
    words = table.config.quality
    for number, channel in channels(table.config.profile).items():
        if channel.group in (Group.NODE, Group.BUTTON):
            continue
        code = table.link.quality.get(number)
        if code is None:
            quality = "absent"
        elif code == Quality.OK:
            quality = words.get(number, channel.quality)
        else:
            quality = _QUALITY.get(Quality(code), "absent")
        made.append({"channel": channel.place, "name": channel.name, "group": channel.group.value, "quality": quality})
    return made


def _match(match: MatchState | None, now: Board | None) -> Json | None:
    if match is None or now is None:
        return None
    options = match.options
    return {
        "id": match.head.id,
        "preset": options.preset,
        "options": {key: value for key, value in options.changed().items() if not isinstance(value, tuple)},
        "games": options.get("games"),
        "race_to": options.get("race_to"),
        "limit": options.get("points_limit") or options.get("target"),
        "game_no": now.game_no,
        "policy": match.head.policy.value,
        "practice": match.head.practice,
        "manual": match.head.manual,
        "opener": now.opener,
        "shots": len(match.shots),
        "revision": match.revision,
    }


def _players(match: MatchState | None, now: Board | None) -> Json:
    made: Json = {}
    for who in ("A", "B"):
        info = match.head.players[who] if match is not None else e.PlayerInfo("")
        made[who] = {
            "name": info.name,
            "given": info.given,
            "lang": info.lang,
            "ball": _ball(now, who),
            "score": now.score[who] if now is not None else 0,
            "games": now.games[who] if now is not None else 0,
            "shelf": _of(now.shelf, who) if now is not None else None,
            "debt": _of(now.debt, who) if now is not None else None,
            "run": now.run[1] if now is not None and now.run is not None and now.run[0] == who else None,
            "extensions": _of(now.extensions, who) if now is not None else None,
            "extensions_left": _extensions_left(now, who),
        }
    return made


def _extensions_left(now: Board | None, who: str) -> int | None:
    """Extra times a player may still ask for in this frame (RP-28.2a); None where the game has none."""
    if now is None or now.extensions is None:
        return None
    return max(0, EXTENSIONS_PER_FRAME - now.extensions[who])


def _of(values: dict[str, int] | None, who: str) -> int | None:
    return None if values is None else values[who]


def _ball(now: Board | None, who: str) -> str | None:
    if now is None or now.shelf is not None:
        return None
    of_a = now.ball_of_a or "white"
    return of_a if who == "A" else "yellow" if of_a == "white" else "white"


def shown_run(table: Table) -> ShotRun | None:
    """The shot whose facts are shown: the one being watched, else the one being judged."""
    if table.queue and table.queue[-1].stage is not Stage.CLOSED:
        return table.queue[-1]
    return table.run


def _pins(table: Table) -> Json | None:
    if table.config.profile != "carom5":
        return None
    run = shown_run(table)
    offline = table.link.online is False
    made = {}
    views = pin_views(run, table.config.profile) if run is not None else {}
    for pin in PINS:
        seat = table.seats.seat(pin)
        view = views.get(pin)
        if seat is Seat.OFF:
            word = "off"
        elif view is not None and run is not None:
            word = "down" if view.least else "unknown" if view.most or offline else "standing"
        else:
            word = "unknown" if offline and pin not in table.seats.said else seat.value
        made[pin] = word
    return made


def _pins_decided(table: Table) -> bool:
    return table.run is None and not table.queue


def _live(table: Table) -> Json | None:
    run = shown_run(table)
    if run is None or run.idle or table.phase not in _LIVE:
        return None
    facts = live_facts(run, table.config.profile)
    return {
        "shot": run.no,
        "facts": [{"kind": fact.kind, "what": fact.what, "ms": fact.ms, "sure": fact.sure} for fact in facts],
        "pins_down": sum(fact.kind == "pin" and fact.sure for fact in facts),
        "pots": sum(fact.kind == "pot" for fact in facts),
    }


_LIVE = (Phase.ROLLING, Phase.SETTLING, Phase.ASKING, Phase.PROPOSED)


def _proposal(work: Work, match: MatchState | None) -> Json | None:
    run = work.run
    if match is None or run is None or work.phase != Phase.PROPOSED:
        return None
    ruling = work.judged().ruling
    return None if ruling is None else {"shot": run.no, "ruling": ruling_view(match, ruling, work.before)}


def _last(match: MatchState | None) -> Json | None:
    """The newest ruling that holds: a shot that is void or waits for its decision has none to show."""
    if match is None:
        return None
    return next(
        (record_view(match, record) for record in reversed(match.shots) if isinstance(record.ruling, Ruling)), None
    )


def record_view(match: MatchState, record: ShotRecord) -> Json:
    """A judged shot: status and ruling, and the older ruling where it was corrected."""
    corrected = record.status is Status.CORRECTED or record.old is not None
    status = record.status.value if record.status is not Status.FINAL or not corrected else "corrected"
    old = record.old if isinstance(record.old, Ruling) else None
    return {
        "shot": record.no,
        "game_no": record.game_no,
        "striker": record.striker,
        "status": status,
        "ruling": ruling_view(match, record.ruling, record.before) if isinstance(record.ruling, Ruling) else None,
        "old": ruling_view(match, old, record.before) if old is not None else None,
        "open": record.open,
        "note": record.note,
        "by": record.by,
    }


def _asking(work: Work) -> Json | None:
    if work.run is None or work.phase != Phase.ASKING:
        return None
    sheet = None if work.run.ask else work.judged().sheet
    return {"shot": work.run.no, "questions": 1 if sheet is None else sheet.undecided, "ask": work.run.ask or None}


def _clock(table: Table, now_us: int) -> Json | None:
    clock = table.clock
    if clock is None:
        return None
    now = now_us / 1_000_000
    left = left_s(clock, now)
    running = table.phase == Phase.ARMED and clock.paused_at is None and clock.struck_at is None
    return {
        "remaining_ms": round(left * 1000),
        "running": running,
        "limit_s": int(clock.law.limit_s),
        "warn": left <= WARNING_S,
        "expired": left <= 0,
        "strict": clock.strict,
        "extend": clock.can_extend,
        "taken": extra_time_taken(table.match) if table.match is not None else 0,
    }


def _break(table: Table, now_us: int) -> Json | None:
    pause = table.pause
    if pause is None:
        return None
    left = pause.remaining(now_us)
    return {"remaining_ms": max(0, left // 1000), "running": pause.running, "late_ms": max(0, -left // 1000)}


def _lag(table: Table) -> Json | None:
    """What sensors say of a lag: second strike after the first far-cushion hit, long cushions and pins touched. Hints only."""
    if table.phase != Phase.LAG:
        return None
    places = channels(table.config.profile)
    seen = [(rec, places[rec.ch]) for rec in table.pre if rec.ch in places]
    clicks = [rec.t for rec, channel in seen if channel.group is Group.CLICK]
    hits = [(rec.t, channel.place) for rec, channel in seen if channel.group is Group.RAIL]
    far = [t for t, place in hits if place in ("top", "foot")]
    late = None if len(clicks) < 2 or not far else clicks[1] > min(far)
    return {
        "late": late,
        "long": sorted({place for _, place in hits if place in ("left", "right")}),
        "pins": sorted({channel.place for _, channel in seen if channel.group is Group.PIN}),
    }


def _countdown(table: Table, now_us: int) -> Json | None:
    total = table.config.countdown_ms
    if table.countdown_us is None:
        return {"remaining_ms": total, "total_ms": total, "held": True} if table.held else None
    return {"remaining_ms": max(0, (table.countdown_us - now_us) // 1000), "total_ms": total, "held": False}


def _due(due: Due, table: Table) -> Json:
    placements = due.placements if table.phase in _WAIT else ()
    done = put_back(table)
    return {
        "kind": due.kind.value,
        "player": due.player.value if due.player is not None else None,
        "choices": list(due.choices),
        "chosen": _chosen(table, due),
        "placements": [{"what": item.what, "spot": item.spot, "done": item.what in done} for item in placements],
        "mode": due.mode,
        "break_s": due.break_s,
        "waiting": list(table.seats.waiting) if table.config.profile == "carom5" and table.phase in _WAIT else [],
    }


def _chosen(table: Table, due: Due) -> str | None:
    """The wish that was taken since the last shot, where the rules offer some and wait for none (ball in hand)."""
    if table.match is None or due.kind is not DueKind.SHOT or not due.choices:
        return None
    for item in reversed(table.match.items):
        if isinstance(item, ShotRecord):
            return None
        if item.action.kind == "choose" and not item.aside_n and item.action.value in due.choices:
            return item.action.value
    return None


_WAIT = (Phase.PLACING, Phase.RESPOTTING, Phase.LAG)


def _undo(table: Table, stack: tuple[int, ...]) -> Json | None:
    if not stack:
        return None
    body = _entry(table, stack[-1])
    if body is None:
        return None
    args = {name: getattr(body, name) for name in ("shot", "question", "code", "by", "value") if hasattr(body, name)}
    made = {key: value.value if isinstance(value, e.Side) else value for key, value in args.items()}
    return {"text_key": f"undo.{e.kind_of(body)}", "args": {key: value for key, value in made.items() if value != ""}}


def _entry(table: Table, n: int) -> e.Body | None:
    for at in range(len(table.log) - 1, -1, -1):
        if table.log[at].n == n:
            return table.log[at].body
    return None
