"""Shot sheets as the hub sends them to the referee."""

from __future__ import annotations

from typing import Any

from page_fakes import states

Json = dict[str, Any]


def words(ru: str, en: str = "", it: str = "") -> Json:
    """A text in the three languages; where a test does not care the Russian one stands in."""
    return {"ru": ru, "en": en or ru, "it": it or ru}


def gives(short: str, to: str | None, points: int) -> Json:
    """The short form of a ruling."""
    return {"short": short, "to": to, "points": {"A": points if to == "A" else 0, "B": points if to == "B" else 0}}


def answer(name: str, label: Json, ruling: Json, *, selected: bool = False) -> Json:
    """One answer of a row."""
    return {"id": name, "label": label, "selected": selected, "ruling": ruling}


FIVE_CALLS = [
    ("FP-F.A", "А", words("неправильный шар", "wrong ball", "bilia sbagliata")),
    ("FP-F.D", "Д", words("шар выскочивший", "ball jumped", "bilia uscita")),
    ("FP-F.E", "Е", words("шары в движении", "balls in motion", "bilie in moto")),
    ("FP-F.ZH", "Ж", words("наклейка", "tip", "cuoietto")),
    ("FP-F.Z", "З", words("двойной удар", "double hit", "doppio colpo")),
    ("FP-F.L", "Л", words("шар в контакте", "ball in contact", "bilia a contatto")),
    ("FP-F.M", "М", words("нога за линией", "foot over the line", "piede oltre la linea")),
    ("FP-F.N", "Н", words("туш при установке", "touch when placing", "tocco al piazzamento")),
    ("FP-F.O", "О", words("перепрыгивание", "ball jumped over", "salto della bilia")),
    ("FP-F.P", "П", words("туш в игре", "touch in play", "tocco in gioco")),
    ("FP-F.R", "Р", words("пропих", "push", "spinta")),
    ("FP-X.1", "?", words("форс-мажор", "force majeure", "forza maggiore")),
]
IDLE_CALLS = [
    ("FP-F.I", "И", words("туш: протирка", "touch: wiping", "tocco: pulizia")),
    ("FP-F.K", "К", words("туш: сдвиг", "touch: moved", "tocco: spostata")),
]


def palette() -> list[Json]:
    """The calls of five-pins during a stroke."""
    now = [
        {
            "code": code,
            "letter": words(short),
            "clause": code,
            "word": word,
            "by": ["striker", "waiting"] if code == "FP-F.P" else ["striker"],
            "possible": True,
            "reason": "",
        }
        for code, short, word in FIVE_CALLS
    ]
    now[1]["args"] = ["cue", "opponent", "red"]
    reason = "only-between-strokes"
    later = [
        {
            "code": code,
            "letter": words(short),
            "clause": code,
            "word": word,
            "by": ["striker", "waiting"],
            "possible": False,
            "reason": reason,
        }
        for code, short, word in IDLE_CALLS
    ]
    return now + later


def sheet_42(**over: Any) -> Json:
    """The sheet of mock-up 06: carom and two side pins for A."""
    rows = [
        {
            "id": "Q1", "text": words("Первым биток коснулся шара", "First ball touched", "Prima bilia toccata"), "origin": "likely", "multi": False,
            "answers": [
                answer("opponent", words("соперника", "opponent's", "avversaria"), gives("A+8", "A", 8), selected=True),
                answer("red", words("красного", "red", "rossa"), gives("B+6*", "B", 6)),
                answer("none", words("никакого", "none", "nessuna"), gives("B+6*", "B", 6)),
            ],
        },
        {
            "id": "Q2", "text": words("Потом красного коснулся", "Red then touched by", "Poi la rossa toccata da"), "origin": "changed", "multi": False,
            "answers": [
                answer("nobody", words("никто", "nobody", "nessuna"), gives("A+4", "A", 4)),
                answer("cue", words("биток", "cue ball", "battente"), gives("A+8", "A", 8), selected=True),
                answer("opponent", words("шар соперника", "opponent's ball", "avversaria"), gives("A+7", "A", 7)),
            ],
        },
        {
            "id": "Q3", "text": words("Биток сбил фишку", "Cue ball felled a pin", "La battente ha abbattuto"), "origin": "likely", "multi": False,
            "answers": [
                answer("no", words("нет", "no", "no"), gives("A+8", "A", 8), selected=True),
                answer("before", words("до касания", "before contact", "prima"), gives("B+10*", "B", 10)),
                answer("after", words("после", "after", "dopo"), gives("B+8", "B", 8)),
            ],
        },
    ]  # fmt: skip
    made: Json = {
        "n": 100, "shot": 42, "striker": "A", "acceptable": True, "needed": [], "problem": "", "proposal": states.ruling(), "certain": False, "rows": rows, "calls": [], "palette": palette(), "direct": [], "buttons": None,
        "evidence": words("Датчики: упали верхняя и правая, касаний около 2", "Sensors: top and right fell, about 2 contacts", "Sensori: caduti alto e destro, circa 2 contatti"),
        "observations": [
            {"ms": 0, "unc_ms": 1, "channel": "CLICK", "what": "click", "value": "0.74 V", "source": "node", "status": "seen"},
            {"ms": 742, "unc_ms": 10, "channel": "N", "what": "lost", "value": "yes", "source": "node", "status": "seen"},
            {"ms": 1318, "unc_ms": 30, "channel": "E", "what": "lost", "value": "yes", "source": "node", "status": "seen"},
            {"ms": None, "unc_ms": None, "channel": "S", "what": "", "value": "", "source": "node", "status": "not_seen"},
            {"ms": None, "unc_ms": None, "channel": "W", "what": "", "value": "", "source": "node", "status": "no_data"},
            {"ms": None, "unc_ms": None, "channel": "PZ3", "what": "", "value": "", "source": "node", "status": "fault"},
            {"ms": None, "unc_ms": None, "channel": "Q2", "what": "cue", "value": "", "source": "referee", "status": "seen"},
        ],
    }  # fmt: skip
    return made | over


def needed() -> Json:
    """A sheet that cannot be accepted yet: one row has no likeliest answer."""
    made = sheet_42(proposal=None, acceptable=False, needed=["Q1"])
    made["rows"][0]["origin"] = "needed"
    for item in made["rows"][0]["answers"]:
        item["selected"] = False
    return made


def double_hit() -> Json:
    """Mock-up 07: a double hit was called."""
    foul = states.ruling(
        short="B+10*", to="B", points={"A": 0, "B": 10}, clauses=["FP-F.Z", "FP-7.5"], ball_in_hand=True, kind="foul", score_after={"A": 47, "B": 48},
        sentence=words("ошибка «З» 2, карамболь 4, две боковые 4", "error Z 2, carom 4, two side pins 4", "errore Z 2, carambola 4, due laterali 4"),
    )  # fmt: skip
    return sheet_42(proposal=foul, calls=[{"code": "FP-F.Z", "by": "A", "when": "during"}])
