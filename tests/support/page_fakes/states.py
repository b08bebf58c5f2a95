"""View models as the hub sends them, for tests of the pages: builders with sensible values, and the well-known situations."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]
NOW_MS = 1_764_527_885_000  # 30 November 2025, 21:38:05 in Moscow
LONG = {"name": "Константинопольский-Преображенский", "given": "Аполлинарий", "lang": "ru"}
SHORT = {"name": "Ёжиков", "given": "Михаил", "lang": "ru"}
STANDING = dict.fromkeys("NWCES", "standing")


def ruling(**over: Any) -> Json:
    """A ruling R of the contract."""
    made: Json = {
        "short": "A+8",
        "striker": "A",
        "to": "A",
        "points": {"A": 8, "B": 0},
        "clauses": ["FP-8.2a", "FP-8.1a"],
        "public": {"ru": "п. 8.2, 8.1", "en": "cl. 8.2, 8.1", "it": "art. 8.2, 8.1"},
        "sentence": {
            "ru": "карамболь 4, две боковые фишки 4",
            "en": "carom 4, two side pins 4",
            "it": "carambola 4, due birilli laterali 4",
        },
        "kind": "points",
        "ball_in_hand": False,
        "components": [["carom", 4, "A"], ["pins", 4, "A"]],
        "score_after": {"A": 55, "B": 38},
        "winner": None,
        "limit": None,
    }
    return made | over


SIX = ruling(
    short="B+6",
    striker="B",
    to="B",
    points={"A": 0, "B": 6},
    sentence={
        "ru": "карамболь 4 и боковая фишка 2",
        "en": "carom 4 and side pin 2",
        "it": "carambola 4 e birillo laterale 2",
    },
    score_after={"A": 47, "B": 38},
)
RED_FIRST = ruling(
    short="A+4*",
    striker="B",
    to="A",
    points={"A": 4, "B": 0},
    kind="foul",
    ball_in_hand=True,
    clauses=["FP-F.B", "FP-7.2"],
    public={"ru": "ошибка Б, п. 7.2", "en": "error B, cl. 7.2", "it": "errore B, art. 7.2"},
    sentence={
        "ru": "ошибка Б – красный шар, игра с руки",
        "en": "error B – red ball, ball in hand",
        "it": "errore B – bilia rossa, bilia in mano",
    },
    score_after={"A": 59, "B": 38},
)


def player(base: Json, **over: Any) -> Json:
    """One player of a view."""
    return (
        {
            "ball": None,
            "score": 0,
            "games": 0,
            "shelf": None,
            "debt": None,
            "run": None,
            "extensions": None,
            "extensions_left": None,
        }
        | base
        | over
    )


def five_pins(**over: Any) -> Json:
    """A five-pins table in the third game, waiting for the next shot."""
    made: Json = {
        "id": "3",
        "name": "3",
        "n": 100,
        "game": "five-pins",
        "phase": "armed",
        "now_ms": NOW_MS,
        "node": "online",
        "node_since_ms": None,
        "sensors": [{"channel": pin, "quality": "ok"} for pin in "NWCES"] + [{"channel": "CLICK", "quality": "hint"}],
        "match": {"id": "m1", "preset": "federation", "games": 5, "race_to": None, "limit": 60, "game_no": 3, "policy": "referee", "practice": False, "target": None, "shot_clock_s": None},
        "players": {"A": player(LONG, ball="white", score=47, games=1), "B": player(SHORT, ball="yellow", score=38, games=1)},
        "turn": "A",
        "mode": "normal",
        "pins": dict(STANDING),
        "pins_decided": True,
        "balls": None,
        "live": None,
        "proposal": None,
        "last": {"shot": 41, "status": "final", "ruling": SIX, "old": None},
        "asking": None,
        "clock": None,
        "break": None,
        "due": {"kind": "shot", "player": "A", "choices": [], "placements": [], "mode": "normal"},
        "notices": [],
        "games": [{"n": 1, "winner": "A", "score": {"A": 60, "B": 44}, "forfeit": False}, {"n": 2, "winner": "B", "score": {"A": 51, "B": 60}, "forfeit": False}],
        "winner": None,
        "undo": {"text_key": "undo.accept", "args": {"points": 6}},
        "redo": None,
        "incomplete": False,
        "review": [],
    }  # fmt: skip
    return made | over


def pyramid(**over: Any) -> Json:
    """A free pyramid table with the shot clock at 8 seconds."""
    made = five_pins(
        id="5",
        name="5",
        game="free-pyramid",
        match={"id": "m2", "preset": "", "games": None, "race_to": 5, "limit": None, "game_no": 6, "policy": "referee", "practice": False, "target": 8, "shot_clock_s": 40},
        players={
            "A": player({"name": "Бармалей-Ёжикова", "given": "Юлия", "lang": "ru"}, score=5, games=3, shelf=5, debt=0, run=3, extensions_left=1),
            "B": player(LONG, score=-2, games=2, shelf=0, debt=2, run=0, extensions_left=2),
        },
        pins=None,
        pins_decided=False,
        balls={"on_table": 11},
        clock={"remaining_ms": 7600, "running": True, "limit_s": 40, "warn": True, "expired": False},
        last={
            "shot": 27,
            "status": "final",
            "old": None,
            "ruling": ruling(
                short="A+1",
                points={"A": 1, "B": 0},
                clauses=["RP-18.1", "RP-20.1"],
                public={"ru": "п. 18 (1), 20.1", "en": "cl. 18 (1), 20.1", "it": "art. 18 (1), 20.1"},
                sentence={"ru": "шар забит правильно, серия 3", "en": "ball potted, run 3", "it": "bilia imbucata, serie 3"},
                score_after={"A": 5, "B": -2},
            ),
        },
        games=[],
        sensors=[{"channel": pocket, "quality": "ok"} for pocket in ("FL", "FR", "ML", "MR", "BL", "BR")],
    )  # fmt: skip
    return made | over


def live_two_pins() -> Json:
    """Two pins down in a running shot; nobody owns them yet."""
    facts = [
        {"kind": "click", "what": "CLICK", "ms": 0},
        {"kind": "pin", "what": "N", "ms": 742},
        {"kind": "pin", "what": "E", "ms": 1318},
    ]
    return five_pins(
        phase="rolling",
        pins=STANDING | {"N": "down", "E": "down"},
        pins_decided=False,
        live={"shot": 42, "facts": facts, "pins_down": 2, "pots": 0},
    )


def proposed_foul() -> Json:
    """Error B proposed, not confirmed."""
    made = five_pins(
        phase="proposed",
        turn="B",
        pins=STANDING | {"S": "down"},
        pins_decided=False,
        proposal={"shot": 43, "ruling": RED_FIRST},
    )
    made["players"]["A"]["score"] = 55
    made["live"] = {"shot": 43, "facts": [], "pins_down": 1, "pots": 0}
    return made


def respotting() -> Json:
    """Confirmed; top and right pin have to be set again."""
    placements = [{"what": "N", "spot": ""}, {"what": "E", "spot": ""}]
    made = five_pins(
        phase="respotting",
        turn="B",
        pins=STANDING | {"N": "down", "E": "down"},
        last={"shot": 42, "status": "final", "ruling": ruling(), "old": None},
        due={"kind": "shot", "player": "B", "choices": [], "placements": placements, "mode": "normal"},
    )
    made["players"]["A"]["score"] = 55
    return made


def hall() -> list[Json]:
    """The eight tables of mock-up 08."""

    def named(name: str) -> Json:
        return {"name": name, "given": "", "lang": "ru"}

    five, free = five_pins(), pyramid()
    one = five | {
        "id": "1",
        "name": "1",
        "turn": "B",
        "players": {
            "A": player(named("Гончарова-Тимирязева"), ball="white", score=52, games=2),
            "B": player(named("Щукина"), ball="yellow", score=44, games=1),
        },
    }
    two = free | {
        "id": "2",
        "name": "2",
        "game": "dynamic-pyramid",
        "players": {
            "A": player(named("Ларин"), score=7, games=4, shelf=7),
            "B": player(named("Мустафаев"), score=3, games=4, shelf=3),
        },
    }
    two["clock"] = {"remaining_ms": 22_600, "running": True, "limit_s": 40, "warn": False, "expired": False}
    four = five | {
        "id": "4",
        "name": "4",
        "phase": "match_over",
        "winner": "B",
        "turn": None,
        "players": {
            "A": player(named("Абдурахманов"), ball="yellow", score=51, games=1),
            "B": player(named("Рыжов"), ball="white", score=60, games=3),
        },
    }
    six = free | {
        "id": "6",
        "name": "6",
        "game": "combined-pyramid",
        "node": "offline",
        "turn": "B",
        "players": {"A": player(named("Жуков"), score=2, games=0), "B": player(named("Цой"), score=6, games=1)},
        "clock": None,
    }
    six["match"] = six["match"] | {"race_to": 4}
    seven = free | {
        "id": "7",
        "name": "7",
        "match": None,
        "players": None,
        "phase": "idle",
        "turn": None,
        "clock": None,
        "last": None,
    }
    eight = five | {
        "id": "8",
        "name": "8",
        "phase": "break",
        "break": {"remaining_ms": 191_500},
        "turn": None,
        "players": {
            "A": player(named("Соколов"), ball="white", score=0, games=1),
            "B": player(named("Филиппенко"), ball="yellow", score=0, games=1),
        },
    }
    return [one, two, live_two_pins(), four, free, six, seven, eight]


def recorded_match(shots: int = 44, game_count: int = 4) -> Json:
    """A five-pins match with its games and shots, as GET /api/matches/{id} gives it; the last game as in mock-up 12."""
    events = [
        {"i": 1, "ms": 0, "unc_ms": 1, "kind": "strike", "what": "CLICK", "source": "CLICK, 0.74 V", "weak": False},
        {"i": 2, "ms": 184, "unc_ms": 2, "kind": "click", "what": "", "source": "CLICK", "weak": False},
        {"i": 3, "ms": 611, "unc_ms": 2, "kind": "cushion", "what": "top", "source": "PZ1, 0.52 V", "weak": False},
        {"i": 4, "ms": 742, "unc_ms": 10, "kind": "pin", "what": "N", "source": "N", "weak": False},
        {"i": 5, "ms": 1100, "unc_ms": 60, "kind": "cushion", "what": "bottom", "source": "PZ3, 0.19 V", "weak": True},
        {"i": 6, "ms": 1318, "unc_ms": 10, "kind": "pin", "what": "E", "source": "E", "weak": False},
        {"i": 7, "ms": None, "unc_ms": None, "kind": "answer", "what": "Q2: cue", "text": {"ru": "Потом красного коснулся: биток", "en": "Then red was touched by: cue ball", "it": "Poi il pallino è stato toccato da: battente"}, "source": "referee", "weak": False},
    ]  # fmt: skip
    games, number = [], 0
    for n in range(1, game_count + 1):
        score = {"A": 0, "B": 0}
        made = []
        for at in range(shots):
            number += 1
            side = "A" if at % 2 == 0 else "B"
            points = (8, 0, 2, 6, 0, 4, 3)[(at * 5 + n) % 7]
            points = min(points, 60 - score[side])
            score = score | {side: score[side] + points}
            text = {
                "ru": f"карамболь 4, боковая фишка {points}" if points else "правильный удар без очков",
                "en": "carom",
                "it": "carambola",
            }
            said = ruling(
                striker=side,
                subject=side,
                to=side if points else None,
                points={"A": 0, "B": 0} | {side: points},
                said=text,
                score_after=score,
            )
            status = "corrected" if at == 9 else "final"
            made.append(
                {
                    "shot": number,
                    "striker": side,
                    "status": status,
                    "ruling": said,
                    "old": ruling(points={"A": 0, "B": 0}, to=None) if at == 9 else None,
                    "score": score,
                    "at_ms": NOW_MS - 600_000 + at * 9000,
                    "by": "referee",
                    "events": events,
                }
            )
        games.append({"n": n, "winner": "A" if n != 2 else "B", "score": score, "shots": made, "forfeit": False})
    return {
        "id": "m1", "table": "3", "table_name": "3", "game": "five-pins", "preset": "", "started_ms": NOW_MS - 10_380_000, "ended_ms": NOW_MS, "practice": False, "revision": 2,
        "players": {"A": LONG, "B": SHORT}, "games": {"A": 3, "B": 1}, "winner": "A", "scheduled_ms": None, "limit": 60, "target": None, "games_list": games,
    }  # fmt: skip


def service_pyramid() -> Json:
    """Sensors of a pyramid table as in mock-up 11: PZ3 noisy, the middle right pocket stuck, 13 of 14 hits heard on PZ6."""

    def channel(name: str, kind: str, quality: str = "hint", **over: Any) -> Json:
        made: Json = {"channel": name, "place": name, "kind": kind, "quality": quality, "reason": "", "last_v": None, "noise_v": 0.04 if kind != "gate" else None,
                      "threshold_v": 0.15 if kind != "gate" else None, "pulse_ms": None, "latency_ms": None, "beam": None}  # fmt: skip
        return made | over

    channels = [channel(f"PZ{n}", "cushion") for n in range(1, 7)] + [
        channel("CLICK", "click", last_v=0.61, pulse_ms=9.4, latency_ms=24)
    ]
    channels[5] |= {"last_v": 1.42, "pulse_ms": 14.1, "latency_ms": 22}
    channels[2] |= {
        "quality": "noisy",
        "last_v": 0.38,
        "noise_v": 0.21,
        "pulse_ms": 7.9,
        "latency_ms": 20,
        "reason": "шум выше порога",
    }
    channels[3] |= {"last_v": 0.22, "pulse_ms": 6.8, "latency_ms": 19}
    channels += [channel(f"P{n}", "gate", "ok") for n in range(1, 7)]
    channels[9] |= {"quality": "stuck", "reason": "луч A закрыт 41 с"}
    events = [
        {"id": n, "ms": -9600 + n * 700, "channel": "PZ3", "kind": "hit", "v": 0.35, "pulse_ms": 8, "unsure": False}
        for n in range(12)
    ]
    events += [
        {"id": 50 + n, "ms": ms, "channel": "PZ6", "kind": "hit", "v": v, "pulse_ms": 14, "unsure": False}
        for n, (ms, v) in enumerate([(-8600, 0.9), (-5800, 0.7), (-1400, 1.42)])
    ]
    node = {
        "state": "online",
        "uid": "n5",
        "boot": 7,
        "clock_ms": 0.4,
        "clock_unc_ms": 0.2,
        "volts": 5.02,
        "latency_ms": 2.1,
        "drops": 0,
    }
    return {
        "id": "5",
        "name": "5",
        "profile": "pyramid",
        "node": node,
        "channels": channels,
        "events": events,
        "commissioning": None,
        "rejects": [],
        "faults": 0,
        "notices": [],
    }


def administration() -> Json:
    """What the administrator sees of a hub with three tables, one of them without its node."""
    tables = [("3", "carom5", "online", True), ("5", "pyramid", "offline", True), ("7", "pyramid", "none", False)]
    return {
        "version": "0.1.0",
        "now_ms": NOW_MS,
        "health": {"ok": True, "recording": True, "broker": True, "failure": "", "since_ms": NOW_MS - 86_400_000, "notices": []},
        "data": "/var/lib/marker",
        "journal": {"file": "/var/lib/marker/journal.sqlite3", "bytes": 8_400_000},
        "backup_minutes": 60,
        "backups": [
            {"folder": "/var/lib/marker/backups", "count": 31, "newest": {"name": "b", "bytes": 8_300_000, "at_ms": NOW_MS - 1_500_000}},
            {"folder": "/mnt/nas/marker", "count": 0, "newest": None},
        ],
        "broker": {"kind": "mosquitto", "host": "192.168.1.10", "port": 1883},
        "settings": {"hall": "Зал", "language": "ru", "zone": "Europe/Moscow", "hosts": ["marker.local"], "self_service": True, "sound": False},
        "tables": [
            {"id": name, "name": name, "profile": profile, "node": node, "match": match, "phase": "armed", "pin": "246810", "faults": 0}
            for name, profile, node, match in tables
        ],
    }  # fmt: skip
