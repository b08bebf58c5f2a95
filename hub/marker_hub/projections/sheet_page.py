"""The shot sheet of the referee page: proposal, rows that can still change it, calls, palette, and one question for buttons."""

from __future__ import annotations

from typing import Any

import msgspec

from marker_hub.assembler.reading import live_facts
from marker_hub.match.judge import Judged, question
from marker_hub.match.state import MatchState
from marker_hub.phases import Phase
from marker_hub.projections.acts import award_now
from marker_hub.projections.in_words import call_view
from marker_hub.projections.observations import observations
from marker_hub.projections.palette import palette
from marker_hub.projections.respot import respot_view
from marker_hub.projections.rulings import brief, ruling_view
from marker_hub.projections.table_page import record_view
from marker_hub.table.play import DISTURBED
from marker_hub.table.shotclock import OVERRUN_ASK
from marker_hub.table.state import Table, Work
from marker_rules.balls import Player
from marker_rules.catalogue import LANGUAGES
from marker_rules.evidence.sheet import Row, Sheet
from marker_rules.evidence.worlds import Shape
from marker_rules.notation import format_fact

Json = dict[str, Any]

_DISTURB = {
    "text": {
        "en": "Something moved without a stroke. What was it?",
        "ru": "Что-то сдвинулось без удара. Что это было?",
        "it": "Qualcosa si è mosso senza tiro. Che cosa è stato?",
    },
    "shot": {"en": "a stroke", "ru": "удар", "it": "un tiro"},
    "referee": {"en": "the referee", "ru": "судья", "it": "l'arbitro"},
    "nobody": {"en": "nobody", "ru": "никто", "it": "nessuno"},
}
_OVERRUN = {
    "text": {
        "en": "Was the stroke made after time?",
        "ru": "Удар сделан после истечения времени?",
        "it": "Il tiro è stato fatto fuori tempo?",
    },
    "yes": {"en": "after time", "ru": "после времени", "it": "fuori tempo"},
    "no": {"en": "in time", "ru": "вовремя", "it": "in tempo"},
}
_BUTTONS = ("a1", "a2", "a3")


def sheet_view(table: Table, shot: int | None = None) -> Json:
    """The sheet of the current shot (without one only the palette), or of a shot judged before, prefilled, to correct it."""
    if shot is not None and (table.run is None or table.run.no != shot):
        return _closed_sheet(table, shot)
    work = Work(table)
    match = table.match if table.phase != Phase.IDLE else None
    empty: Json = {
        "n": table.n,
        "shot": None,
        "proposal": None,
        "certain": False,
        "acceptable": False,
        "problem": "",
        "needed": [],
        "rows": [],
        "calls": [],
        "palette": palette(table) if match is not None else [],
        "direct": [],
        "conflict": [],
        "evidence": None,
        "observations": [],
        "buttons": {},
        "question": None,
        "award": award_now(match) if match is not None else None,
    } | (respot_view(table) if match is not None else {"placements": [], "respot": None})
    run = work.run
    if match is None or run is None:
        return empty
    empty |= {
        "shot": run.no,
        "calls": [call_view(match.game_id, call) for call in run.calls],
        "evidence": _evidence(table),
        "observations": observations(table, run),
    }
    if run.ask:
        return empty | _asked(match, run.ask)
    judged = work.judged()
    return empty | _judged(match, work, judged)


def _closed_sheet(table: Table, shot: int) -> Json:
    """The sheet of a judged shot in the state it was judged in; without rows where there is no such shot."""
    match = table.match
    record = match.shot(shot) if match is not None else None
    made = sheet_view(msgspec.structs.replace(table, run=None, queue=())) | {"shot": shot}
    if match is None or record is None:
        return made
    past = msgspec.structs.replace(match, state=record.before)
    work = Work(msgspec.structs.replace(table, run=record.run, queue=(), match=past))
    made |= {
        "calls": [call_view(match.game_id, call) for call in record.run.calls],
        "evidence": _evidence(msgspec.structs.replace(table, run=record.run)),
        "observations": observations(table, record.run),
    }
    return made | _judged(past, work, work.judged()) | {"record": record_view(match, record)}


def _asked(match: MatchState, ask: str) -> Json:
    """A question of the hub's own, before those of the rules."""
    row = _disturb_row(match) if ask == DISTURBED else _overrun_row()
    buttons = {"a1": "shot", "a2": "nobody"} if ask == DISTURBED else {"a1": "yes", "a2": "no"}
    return {"rows": [row], "needed": [ask], "buttons": buttons, "question": ask}


def _judged(match: MatchState, work: Work, judged: Judged) -> Json:
    sheet = judged.sheet
    made: Json = {
        "proposal": None if judged.ruling is None else ruling_view(match, judged.ruling, work.before),
        "certain": judged.certain,
        "acceptable": judged.acceptable,
        "problem": judged.problem,
    }
    if sheet is not None:
        made |= {
            "needed": list(sheet.needed),
            "rows": [_row(row, sheet) for row in sheet.rows],
            "direct": [_direct(item, match, work.before) for item in sheet.direct],
            "conflict": [channel.value for channel in sheet.conflict],
        } | _buttons(match, work)
    return made


def _row(row: Row, sheet: Sheet) -> Json:
    many = row.shape is Shape.SET
    return {
        "id": row.id,
        "text": {lang: row.text(lang) for lang in LANGUAGES},
        "origin": row.origin.value,
        "answers": _elements(row, sheet) if many else [_answer(row, answer) for answer in row.answers],
        "multi": many,
        "selected": row.selected,
    }


def _answer(row: Row, answer: Any) -> Json:
    return {
        "id": answer.id,
        "label": {lang: answer.label(lang) for lang in LANGUAGES},
        "selected": answer.id == row.selected,
        "ruling": brief(answer.ruling),
    }


def _elements(row: Row, sheet: Sheet) -> list[Json]:
    """A set of pins: each element once, with the ruling that turning it over would give."""
    chosen = set() if row.selected in (None, "none") else set((row.selected or "").split(","))
    by_set = {answer.id: answer for answer in row.answers}
    made = []
    for element in row.elements:
        turned = chosen ^ {element}
        name = ",".join(item for item in row.elements if item in turned) or "none"
        other = by_set.get(name)
        made.append(
            {
                "id": str(element),
                "label": {lang: _element_label(row, str(element), lang) for lang in LANGUAGES},
                "selected": element in chosen,
                "fixed": other is None,
                "ruling": brief(other.ruling if other is not None else sheet.proposal.ruling),
            }
        )
    return made


def _element_label(row: Row, element: str, lang: str) -> str:
    from marker_rules.evidence.phrases import answer_label

    return answer_label(row.game, row.id, element, lang)


def _direct(item: Any, match: MatchState, before: Any) -> Json:
    story = "; ".join(format_fact(fact) for fact in item.story)
    view = ruling_view(match, item.ruling, before)
    told = {name: view[name] for name in ("to", "points", "ball_in_hand", "kind", "winner", "limit", "striker")}
    return {"id": item.short, "short": item.short, "story": view["sentence"], "facts": story, "ruling": told}


def _buttons(match: MatchState, work: Work) -> Json:
    """Which table button gives which answer to the next question."""
    assert work.run is not None
    asked = question(work.run, work.before, match.options, work.profile, work.override)
    if asked is None or asked.shape is not Shape.ONE:
        return {"buttons": {}, "question": None if asked is None else asked.id}
    given = {key: answer.id for key, answer in zip(_BUTTONS, asked.answers, strict=False)}
    return {"buttons": given, "question": asked.id}


def _disturb_row(match: MatchState) -> Json:
    names = {Player.A.value: match.head.players["A"].name, Player.B.value: match.head.players["B"].name}
    answers = []
    for answer in ("shot", "A", "B", "referee", "nobody"):
        label = _DISTURB.get(answer) or dict.fromkeys(LANGUAGES, names.get(answer, answer))
        answers.append({"id": answer, "label": label, "selected": False, "ruling": None})
    return {
        "id": DISTURBED,
        "text": _DISTURB["text"],
        "origin": "needed",
        "answers": answers,
        "multi": False,
        "selected": None,
    }


def _overrun_row() -> Json:
    answers = [{"id": answer, "label": _OVERRUN[answer], "selected": False, "ruling": None} for answer in ("yes", "no")]
    return {
        "id": OVERRUN_ASK,
        "text": _OVERRUN["text"],
        "origin": "needed",
        "answers": answers,
        "multi": False,
        "selected": None,
    }


def _evidence(table: Table) -> Json:
    """What the sensors say, in one line a language."""
    run = table.run
    facts = live_facts(run, table.config.profile) if run is not None else ()
    pins = [fact.what for fact in facts if fact.kind == "pin"]
    pots = sum(fact.kind == "pot" for fact in facts)
    clicks = sum(fact.kind == "click" for fact in facts)
    rails = sum(fact.kind == "cushion" for fact in facts)
    words = {
        "en": ("pins", "pockets", "clicks", "cushions", "nothing"),
        "ru": ("фишки", "лузы", "щелчки", "борта", "ничего"),
        "it": ("birilli", "buche", "contatti", "sponde", "niente"),
    }
    made = {}
    for lang, (pin, pot, click, rail, nothing) in words.items():
        parts = [f"{pin} {', '.join(pins)}"] if pins else []
        parts += [f"{word} {count}" for word, count in ((pot, pots), (click, clicks), (rail, rails)) if count]
        made[lang] = "; ".join(parts) or nothing
    return made
