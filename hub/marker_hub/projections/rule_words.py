"""What the rules refuse, in the words of the people at the table: ru, en, it.

The rules explain themselves in English and for programmers; their codes are stable. A refusal is looked up by the clause
its explanation names, then by command and code, then by code alone.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Words(NamedTuple):
    """One text in the three languages; `{code}` stands for the code of the rules, `{call}` for what was called."""

    ru: str
    en: str
    it: str


BY_CLAUSE: dict[str, Words] = {
    "RP-29.1a": Words(
        "Этот игрок свой перерыв уже использовал (п. 29.1).",
        "This player has already used his break (cl. 29.1).",
        "Questo giocatore ha già usato la sua pausa (art. 29.1).",
    ),
    "RP-29.1c": Words(
        "Перерыв сохранён до решающей партии или уже взят перед ней: второго нет (п. 29.1).",
        "The break was kept until the deciding frame or taken just before it: there is no other (cl. 29.1).",
        "La pausa è stata tenuta fino alla partita decisiva o presa appena prima: non ce n'è un'altra (art. 29.1).",
    ),
    "RP-29.2": Words(
        "В прямом эфире перерыв разрешает судья у стола (п. 29.2).",
        "In live television the table referee must permit the break (cl. 29.2).",
        "In diretta televisiva la pausa va permessa dall'arbitro al tavolo (art. 29.2).",
    ),
    "FP-4.7": Words(
        "Игрок весь матч играет своим шаром (п. 4.7).",
        "A player keeps his ball for the whole match (cl. 4.7).",
        "Il giocatore tiene la sua bilia per tutto l'incontro (art. 4.7).",
    ),
    "EXT-C3": Words(
        "Неснятый шар теряется только в комбинированной пирамиде.",
        "Only combined pyramid forfeits a white that was not taken.",
        "Solo nella piramide combinata si perde una bianca non tolta.",
    ),
}
"""By the clause that the rules name in their explanation."""

BY_COMMAND: dict[tuple[str, str], Words] = {
    ("contact_reset", "contact_reset"): Words(
        "Расстановка из соприкосновения здесь не предусмотрена: шар с руки или правило выключено.",
        "Balls cannot be reset out of contact here: the ball is in hand, or the rule is switched off.",
        "Qui non si possono rimettere le bilie a contatto: bilia in mano, o regola disattivata.",
    ),
    ("act", "phase"): Words(
        "Это возможно только перед ударом с руки в комбинированной пирамиде.",
        "This is possible only before an in-hand shot of combined pyramid.",
        "È possibile solo prima di un tiro con bilia in mano nella piramide combinata.",
    ),
    ("new_rack", "run"): Words(
        "Серия закончена: следующая партия и так ставится заново.",
        "The run is over: the next frame is racked anyway.",
        "La serie è finita: la partita successiva si dispone comunque.",
    ),
    ("continue_run", "run"): Words(
        "Продолжать нечего: серии нет или на столе нет прицельных шаров.",
        "There is nothing to go on with: no run, or no object ball on the table.",
        "Non c'è nulla da continuare: nessuna serie o nessuna bilia sul tavolo.",
    ),
    ("act", "run"): Words(
        "Серии у этого игрока сейчас нет.", "This player has no run now.", "Questo giocatore ora non ha una serie."
    ),
    ("layout", "layout"): Words(
        "Столько шаров на столе быть не может.",
        "There cannot be so many balls on the table.",
        "Sul tavolo non possono esserci tante bilie.",
    ),
}
"""By command and code."""

_NOT_NOW = Words("Сейчас это невозможно.", "This is not possible now.", "Ora non è possibile.")
_OPTION = Words(
    "Проверьте настройку матча «{code}»: такого значения здесь нет.",
    "Check the match setting '{code}': it cannot have this value here.",
    "Controlli l'impostazione «{code}»: qui non può avere questo valore.",
)

BY_CODE: dict[str, Words] = {
    "stage": _NOT_NOW,
    "phase": _NOT_NOW,
    "lag": _NOT_NOW,
    "choose": _NOT_NOW,
    "next_game": _NOT_NOW,
    "award_game": Words(
        "Партию сейчас присудить нельзя.", "The game cannot be awarded now.", "Ora la partita non si può assegnare."
    ),
    "award_match": Words(
        "Матч сейчас присудить нельзя.", "The match cannot be awarded now.", "Ora l'incontro non si può assegnare."
    ),
    "replay_game": Words(
        "Переиграть эту партию здесь нельзя.",
        "The game cannot be replayed here.",
        "Qui la partita non si può rigiocare.",
    ),
    "note": Words("Нужна пояснительная запись.", "A note is needed.", "Serve una nota."),
    "choice": Words("Такого выбора сейчас нет.", "There is no such choice now.", "Ora questa scelta non c'è."),
    "call": Words(
        "Так нарушение «{call}» вызвать нельзя: ему нужен удар, другой игрок или другая игра.",
        "'{call}' cannot be called so: it needs a stroke, the other player or another game.",
        "«{call}» così non si può chiamare: serve un tiro, l'altro giocatore o un altro gioco.",
    ),
    "points": Words(
        "Столько записать нельзя: больше, чем до конца партии или чем шаров на столе.",
        "So much cannot be entered: more than is left to the end of the game or than lies on the table.",
        "Non si può segnare tanto: più di quanto manca alla fine o delle bilie sul tavolo.",
    ),
    "ball_in_hand": Words(
        "В свободной пирамиде битка с руки нет.",
        "In free pyramid no cue ball comes in hand.",
        "Nella piramide libera non c'è bilia in mano.",
    ),
    "shot": Words(
        "Такого удара в этом матче нет.", "There is no such shot in this match.", "Questo tiro nell'incontro non c'è."
    ),
    "refused": Words(
        "Дополнительного времени в этой партии больше нет (п. 28.2).",
        "There is no extra time left in this frame (cl. 28.2).",
        "In questa partita non c'è più tempo supplementare (art. 28.2).",
    ),
    "early": Words("Время ещё не вышло.", "Time has not run out yet.", "Il tempo non è ancora scaduto."),
    "struck": Words("Удар уже сделан.", "The stroke is already made.", "Il tiro è già fatto."),
    "paused": Words("Часы стоят.", "The clock stands.", "L'orologio è fermo."),
    "white": Words("Снимать шар не нужно.", "No white is to be taken.", "Non c'è una bianca da togliere."),
    "live_tv": Words(
        "Штраф за опоздание есть только на телевизионном столе.",
        "Fines for lateness exist only on the television table.",
        "La multa per ritardo c'è solo sul tavolo televisivo.",
    ),
    "run-late": Words(
        "Судью зала позвали слишком поздно: часть серии никто не видел.",
        "The hall referee was called too late: part of the run was seen by nobody.",
        "L'arbitro di sala è stato chiamato tardi: parte della serie non l'ha vista nessuno.",
    ),
    "placing": Words(
        "Столько шаров на линию не помещается.",
        "So many balls do not fit on the line.",
        "Sulla linea non stanno tante bilie.",
    ),
    "unaided": Words(
        "Укажите, какой шар упал сам.", "Say which ball fell by itself.", "Dica quale bilia è caduta da sola."
    ),
    "empty": Words(
        "Решать нечего: ни удара, ни нарушения, ни шара.",
        "There is nothing to rule on: no stroke, no offence, no ball.",
        "Non c'è nulla da decidere: né tiro, né fallo, né bilia.",
    ),
    "illegal": Words(
        "Так быть не могло: ответы противоречат друг другу.",
        "It cannot have been so: the answers contradict each other.",
        "Non può essere andata così: le risposte si contraddicono.",
    ),
    "undecided": Words(
        "Сначала ответьте на открытый вопрос.", "Answer the open question first.", "Prima risponda alla domanda aperta."
    ),
    "race_to": Words(
        "Задайте число побед, до которого идёт матч.",
        "Give the number of wins that ends the match.",
        "Indichi quante vittorie chiudono l'incontro.",
    ),
    "points_limit": Words(
        "Задайте, до скольких очков идёт партия: целое число от 1.",
        "Give the points that win a game: a whole number from 1.",
        "Indichi i punti che vincono la partita: un numero intero da 1.",
    ),
    "games": Words(
        "Задайте, из скольких партий матч: нечётное число от 1.",
        "Give the number of games of the match: an odd number from 1.",
        "Indichi di quante partite è l'incontro: un numero dispari da 1.",
    ),
    "odd": Words(
        "Число партий должно быть нечётным.",
        "The number of games must be odd.",
        "Il numero delle partite dev'essere dispari.",
    ),
    "handicap": Words("Фора слишком велика.", "The handicap is too large.", "L'handicap è troppo grande."),
}
"""By code alone."""

ELSE = {
    "match_start": _OPTION,
    "": Words(
        "Правила этого здесь не допускают.", "The rules do not allow this here.", "Qui le regole non lo permettono."
    ),
}

_CALL = re.compile(r"\bcall '?([^'\s:]+)")
_CLAUSE = re.compile(r"\b(?:RP|FP|EXT)-[A-Z0-9]+(?:\.[0-9A-Za-z]+)*")


def rule_words(command: str, code: str, reason: str) -> Words:
    """The refusal of a command by the rules, in words."""
    for clause in _CLAUSE.findall(reason):
        if clause in BY_CLAUSE:
            return BY_CLAUSE[clause]
    found = BY_COMMAND.get((command, code)) or BY_CODE.get(code) or ELSE.get(command) or ELSE[""]
    called = _CALL.search(reason)
    call = called.group(1) if called is not None else "?"
    return Words(*(text.replace("{code}", code).replace("{call}", call) for text in found))
