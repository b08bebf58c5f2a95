"""Why a command was refused, in the reader's language."""

from __future__ import annotations

from marker_hub.table.types import Refusal
from marker_rules.catalogue import LANGUAGES

_TEXT: dict[str, tuple[str, str, str]] = {
    # key: ru, en, it
    "refuse.phase": (
        "Сейчас это невозможно.",
        "This is not possible now.",
        "Ora non è possibile.",
    ),
    "refuse.stale": (
        "Положение уже изменилось; посмотрите ещё раз.",
        "Things have changed meanwhile; look again.",
        "Nel frattempo è cambiato qualcosa; guardi di nuovo.",
    ),
    "refuse.role": (
        "На это здесь нет прав.",
        "You may not do this here.",
        "Qui non ne ha il permesso.",
    ),
    "refuse.rules": (
        "Правила этого не допускают: {reason}",
        "The rules do not allow this: {reason}",
        "Le regole non lo permettono: {reason}",
    ),
    "refuse.players": (
        "Введите имена обоих игроков.",
        "Enter the names of both players.",
        "Inserisca i nomi di entrambi i giocatori.",
    ),
    "refuse.profile": (
        "Датчики этого стола не для этой игры; её можно вести вручную.",
        "The sensors of this table are not for this game; it can be scored by hand.",
        "I sensori di questo tavolo non sono per questo gioco; si può segnare a mano.",
    ),
    "refuse.choice": (
        "Можно выбрать: {choices}.",
        "The choices are: {choices}.",
        "Si può scegliere: {choices}.",
    ),
    "refuse.choice_open": (
        "Сначала нужно сделать выбор.",
        "A choice must be made first.",
        "Prima va fatta una scelta.",
    ),
    "refuse.question": (
        "Вопроса {question} сейчас нет; есть: {questions}.",
        "Question {question} is not asked now; there are: {questions}.",
        "La domanda {question} ora non è posta; ci sono: {questions}.",
    ),
    "refuse.answer": (
        "На вопрос {question} нет ответа «{answer}»; есть: {answers}.",
        "Question {question} has no answer '{answer}'; there are: {answers}.",
        "La domanda {question} non ha la risposta «{answer}»; ci sono: {answers}.",
    ),
    "refuse.value": (
        "{field}: «{value}» невозможно; допустимо: {allowed}.",
        "{field}: '{value}' is not possible; allowed: {allowed}.",
        "{field}: «{value}» non è possibile; si può: {allowed}.",
    ),
    "refuse.pick": (
        "Этого решения больше нет среди возможных.",
        "This ruling is no longer among those possible.",
        "Questa decisione non è più fra quelle possibili.",
    ),
    "refuse.needed": (
        "Сначала ответьте на открытый вопрос.",
        "Answer the open question first.",
        "Prima risponda alla domanda aperta.",
    ),
    "refuse.note": (
        "Нужна пояснительная запись.",
        "A note is needed.",
        "Serve una nota.",
    ),
    "refuse.time_early": (
        "Время ещё не вышло.",
        "Time has not run out yet.",
        "Il tempo non è ancora scaduto.",
    ),
    "refuse.nothing_to_undo": (
        "Отменять нечего.",
        "There is nothing to undo.",
        "Non c'è nulla da annullare.",
    ),
    "refuse.nothing_to_redo": (
        "Возвращать нечего.",
        "There is nothing to redo.",
        "Non c'è nulla da ripristinare.",
    ),
    "refuse.undecided": (
        "Сначала решите удары без решения: {shots}.",
        "First decide the shots without a ruling: {shots}.",
        "Prima decida i tiri senza decisione: {shots}.",
    ),
    "refuse.preview": (
        "Показать заранее можно только исправление удара.",
        "Only the correction of a shot can be previewed.",
        "Si può vedere in anteprima solo la correzione di un tiro.",
    ),
}
KEYS = frozenset(_TEXT)
"""Every reason there is."""


def refusal_text(refusal: Refusal) -> dict[str, str]:
    """The reason in ru, en and it; details of the rules are in English."""
    ru, en, it = _TEXT[refusal.text_key]
    words = {"ru": ru, "en": en, "it": it}
    return {lang: words[lang].format(**refusal.args) if refusal.args else words[lang] for lang in LANGUAGES}
