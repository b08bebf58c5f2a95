"""Evidence scenarios: what the sensors and the referee say of a shot, as plain data, to the rulings left and what to ask."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from marker_rules.balls import GameId
from marker_rules.evidence.cases import possible
from marker_rules.evidence.observations import UNSEEN, Evidence
from marker_rules.evidence.phrases import known_questions, phrase
from marker_rules.evidence.questions import Question, next_question, worst_case
from marker_rules.evidence.worlds import NONE, Shape, model
from marker_rules.explain import sentence
from marker_rules.game import game
from marker_rules.notation import format_fact
from marker_rules.options import Options
from marker_rules.scenario import (
    Raw,
    ScenarioError,
    list_field,
    map_field,
    read_calls,
    read_facts,
    read_options,
    text_field,
)

WORDS = {True: "yes", False: "no", None: "none"}  # how YAML reads `yes`, `no` and an empty answer


def evidence(raw: Raw, lang: str) -> dict[str, Any]:
    """`possible`, `question`, `questions_at_most` (reached whatever is answered), `proposal`, `clauses`, `explain`."""
    name = text_field(raw, "game")
    game_id = GameId.FREE if name == "pyramid" else GameId(name)
    options = read_options(raw, game_id)
    before = dict(map_field(raw, "before"))
    frozen = before.pop("frozen", "unknown")
    state = game(game_id).read_before(before, options)
    answers = _answers(map_field(raw, "answers"), game_id)
    _check_answers(answers, state, options)
    seen = Evidence.of(
        list_field(raw, "observations"),
        _sensors(map_field(raw, "sensors")),
        calls=read_calls(raw),
        answers=answers,
        frozen=frozen,
        gap=raw.get("gap") is True,
        facts=read_facts(raw),
    )
    left = possible(seen, state, options)
    question = next_question(seen, state, options)
    shorts = list(dict.fromkeys(p.short for p in left))
    if question is None:
        explained = sentence(left[0].ruling, state, lang)
    else:
        explained = phrase("possible", lang).format(rulings=", ".join(shorts), question=question.text(lang))
    return {
        "possible": shorts,
        "question": _question(question, lang),
        "questions_at_most": worst_case(seen, state, options),
        "stories": {p.short: [format_fact(fact) for fact in p.story] for p in left},
        "clauses": list(dict.fromkeys(clause for p in left for clause in p.ruling.clauses)),
        "explain": explained,
    }


def _question(question: Question | None, lang: str) -> dict[str, Any] | None:
    if question is None:
        return None
    return {
        "id": question.id,
        "text": question.text(lang),
        "answers": [
            {"id": a.id, "label": a.label(lang), "possible": list(dict.fromkeys(p.short for p in a.possible))}
            for a in question.answers
        ],
    }


def _sensors(raw: Raw) -> dict[str, str]:
    """Channel to quality; a channel may also list its sensors: `pins: {all: ok, N: stuck}`."""
    found: dict[str, str] = {}
    for name, quality in raw.items():
        if isinstance(quality, Mapping):
            kind = str(name).removesuffix("s")
            found |= {str(name) if sensor == "all" else f"{kind} {sensor}": str(q) for sensor, q in quality.items()}
        else:
            found[str(name)] = str(quality)
    return found


def _answers(raw: Raw, game_id: GameId) -> dict[str, str]:
    """Question id to answer id. Raises ScenarioError for a question there is not."""
    found = {}
    for question, answer in raw.items():
        if question not in known_questions(game_id):
            there_are = ", ".join(known_questions(game_id))
            raise ScenarioError("answers", f"question '{question}' is not known; there are {there_are}")
        if isinstance(answer, bool) or answer is None:
            found[str(question)] = WORDS[answer]
        else:
            found[str(question)] = ",".join(map(str, answer)) if isinstance(answer, list) else str(answer)
    return found


def _check_answers(answers: Mapping[str, str], state: Any, options: Options) -> None:
    """Raises ScenarioError for an answer its question does not offer: it would be taken for another one, or for none."""
    of_game = model(options.game)
    for feature in of_game.features(of_game.view(state), options):
        answer = answers.get(feature.id, UNSEEN)
        if answer != UNSEEN and (word := feature.strange(answer)):
            extra = (NONE,) if feature.shape is Shape.SET else ()
            offered = ", ".join((*feature.elements, *extra, UNSEEN))
            raise ScenarioError(f"answers.{feature.id}", f"'{word}' is not an answer; there are {offered}")
