"""Why a command was refused, in the reader's language."""

from __future__ import annotations

from marker_hub.projections.rule_words import rule_words
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
    "refuse.contradicts": (
        "Это противоречит тому, что об ударе уже известно.",
        "This contradicts what is already known of the shot.",
        "Questo contraddice ciò che del tiro si sa già.",
    ),
    "refuse.not_called": (
        "Этот вызов не сделан: снимать нечего.",
        "This was not called: there is nothing to take back.",
        "Non è stato chiamato: non c'è nulla da togliere.",
    ),
    "refuse.not_answered": (
        "На этот вопрос ещё не отвечали.",
        "This question has not been answered.",
        "A questa domanda non si è ancora risposto.",
    ),
    "refuse.no_clock": (
        "Часы сейчас не идут.",
        "No clock runs now.",
        "Ora non c'è un orologio in corsa.",
    ),
    "refuse.not_striker": (
        "Дополнительное время просит только игрок, чей удар.",
        "Only the player at the table can ask for extra time.",
        "Il tempo supplementare lo chiede solo chi è al tavolo.",
    ),
    "refuse.no_extension": (
        "Дополнительное время этого игрока в партии использовано ({used}).",
        "This player's extra times in this frame are used ({used}).",
        "I tempi supplementari del giocatore in questa partita sono finiti ({used}).",
    ),
    "refuse.no_match": (
        "За этим столом нет матча, который можно исправить.",
        "There is no match at this table that could be corrected.",
        "A questo tavolo non c'è un incontro da correggere.",
    ),
    "refuse.pins": (
        "Здесь стоят кегли: укажите, какие стоят и какие сняты.",
        "Pins stand here: say which stand and which were taken off.",
        "Qui ci sono i birilli: dica quali sono in piedi e quali tolti.",
    ),
    "refuse.balls": (
        "Здесь считают шары: укажите, сколько их на столе.",
        "Balls are counted here: say how many lie on the table.",
        "Qui si contano le bilie: dica quante sono sul tavolo.",
    ),
    "refuse.preview": (
        "Показать заранее можно только исправление удара.",
        "Only the correction of a shot can be previewed.",
        "Si può vedere in anteprima solo la correzione di un tiro.",
    ),
}
KEYS = frozenset(_TEXT) | {"refuse.rules"}
"""Every reason there is."""


def refusal_text(refusal: Refusal) -> dict[str, str]:
    """The reason in ru, en and it."""
    if refusal.text_key == "refuse.rules":
        args = refusal.args
        return rule_words(str(args.get("command", "")), refusal.code, str(args.get("reason", "")))._asdict()
    ru, en, it = _TEXT[refusal.text_key]
    words = {"ru": ru, "en": en, "it": it}
    return {lang: words[lang].format(**refusal.args) if refusal.args else words[lang] for lang in LANGUAGES}
