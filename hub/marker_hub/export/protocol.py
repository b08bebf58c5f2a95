"""The match protocol: a table of every shot as CSV, and two or more printed pages as PDF."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from marker_hub.export.history import match_detail
from marker_hub.export.pdf import A4, Document, protocol_font
from marker_hub.export.record import MatchRecord

COLUMNS = (
    "game", "shot", "time", "striker", "ruling", "points_a", "points_b", "score_a", "score_b", "status", "clauses", "sentence", "note"
)  # fmt: skip

WORDS: dict[str, dict[str, str]] = {
    "en": {
        "title": "Match protocol", "game": "Game", "shot": "Shot", "striker": "Player", "ruling": "Ruling", "score": "Score",
        "won": "won by", "revision": "revision", "practice": "practice", "table": "Table", "referee": "Referee", "sign": "Signature",
        "corrected": "corrected", "manual": "referee's ruling", "void": "void", "open": "no ruling yet",
        "running": "not finished", "award.game": "Game awarded: {name}", "award.match": "Match awarded: {name}", "award.replay": "Game replayed",
    },
    "ru": {
        "title": "Протокол матча", "game": "Партия", "shot": "Удар", "striker": "Игрок", "ruling": "Решение", "score": "Счёт",
        "won": "выиграл", "revision": "редакция", "practice": "тренировка", "table": "Стол", "referee": "Судья", "sign": "Подпись",
        "corrected": "исправлено", "manual": "решение судьи", "void": "не засчитан", "open": "не решён",
        "running": "не окончен", "award.game": "Партия присуждена: {name}", "award.match": "Матч присуждён: {name}",
        "award.replay": "Партия переигрывается",
    },
    "it": {
        "title": "Verbale dell'incontro", "game": "Partita", "shot": "Tiro", "striker": "Giocatore", "ruling": "Decisione",
        "score": "Punti", "won": "vinta da", "revision": "revisione", "practice": "allenamento", "table": "Biliardo", "referee": "Arbitro",
        "sign": "Firma", "corrected": "corretto", "manual": "decisione dell'arbitro", "void": "annullato", "open": "da decidere",
        "running": "in corso", "award.game": "Partita assegnata: {name}", "award.match": "Incontro assegnato: {name}",
        "award.replay": "La partita si rigioca",
    },
}  # fmt: skip

_LEFT, _RIGHT, _TOP, _BOTTOM = 42.0, A4[0] - 42.0, 50.0, A4[1] - 60.0
_ROW = 13.0


def _when(ms: int | None, zone: str, form: str) -> str:
    if ms is None:
        return ""
    return datetime.fromtimestamp(ms / 1000, UTC).astimezone(ZoneInfo(zone)).strftime(form)


def csv_protocol(record: MatchRecord, zone: str) -> bytes:
    """One row a shot, UTF-8 with a mark so that spreadsheets show Cyrillic. A cell never begins like a formula."""
    detail = match_detail(record)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for game in detail["games_list"]:
        for shot in game["shots"]:
            ruling: dict[str, Any] = shot["ruling"] or {}
            points = ruling.get("points") or {"A": 0, "B": 0}
            row = [
                game["n"],
                shot["shot"],
                _when(shot["at_ms"], zone, "%Y-%m-%d %H:%M:%S"),
                name_of(detail, shot["striker"]),
                ruling.get("short", ""),
                points["A"],
                points["B"],
                shot["score"]["A"],
                shot["score"]["B"],
                shot["status"],
                " ".join(ruling.get("clauses", ())),
                (ruling.get("sentence") or {}).get("en", ""),
                shot["note"],
            ]
            writer.writerow([_harmless(cell) for cell in row])
    return b"\xef\xbb\xbf" + out.getvalue().encode()


def _harmless(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@", "\t") else cell


def name_of(detail: dict[str, Any], side: str) -> str:
    """Name of a player, given name last."""
    player = detail["players"][side]
    return f"{player['name']} {player.get('given', '')}".strip()


class _Writer:
    """Runs down the pages; a new one begins where a row would not fit."""

    def __init__(self, document: Document, heading: str) -> None:
        self.document = document
        self.heading = heading
        self.y = _BOTTOM

    def room(self, height: float) -> None:
        if self.y + height > _BOTTOM or not self.document.pages:
            self.document.page()
            self.document.text(_LEFT, 30, self.heading, 8, grey=0.4)
            self.document.text(_RIGHT, 30, str(self.document.pages), 8, right=True, grey=0.4)
            self.y = _TOP

    def clipped(self, text: str, width: float, size: float) -> str:
        """The text, shortened with an ellipsis where it is too wide."""
        if self.document.font.width(text, size) <= width:
            return text
        while text and self.document.font.width(f"{text}…", size) > width:
            text = text[:-1]
        return f"{text}…"

    def lines(self, text: str, width: float, size: float) -> list[str]:
        font, made, current = self.document.font, [], ""
        for word in text.split():
            longer = f"{current} {word}".strip()
            if current and font.width(longer, size) > width:
                made.append(current)
                current = word
            else:
                current = longer
        return [*made, current]


def pdf_protocol(record: MatchRecord, zone: str, language: str) -> bytes:
    """The printable protocol in ru, en or it, times in the hall's zone."""
    words = WORDS.get(language, WORDS["en"])
    detail = match_detail(record)
    a, b = name_of(detail, "A"), name_of(detail, "B")
    began = _when(detail.get("started_ms"), zone, "%Y-%m-%d %H:%M")
    document = Document(protocol_font(), f"{words['title']}: {a} – {b}")
    writer = _Writer(document, f"{a} – {b}   {began}   {detail.get('id', '')}")
    writer.room(90)
    document.text(_LEFT, writer.y + 12, words["title"], 18)
    document.text(_LEFT, writer.y + 36, f"{a}  {detail['games'].get('A', 0)} : {detail['games'].get('B', 0)}  {b}", 14)
    facts = [str(detail.get("game", "")), f"{words['table']} {detail.get('table_name', '')}", began]
    facts.append(f"{words['revision']} {detail.get('revision', 1)}")
    if detail.get("practice"):
        facts.append(words["practice"])
    if detail.get("winner") is None:
        facts.append(words["running"])
    document.text(_LEFT, writer.y + 54, "   ".join(facts), 9, grey=0.3)
    writer.y += 72
    awards = list(detail.get("awards", ()))
    for game in detail["games_list"]:
        _game(writer, detail, game, words, language)
        awards = [award for award in awards if award["game_no"] != game["n"]]
    _awards(writer, detail, awards, words)  # in a game of which nothing else is known
    _signatures(writer, words, (a, b))
    return document.render()


def _game(writer: _Writer, detail: dict[str, Any], game: dict[str, Any], words: dict[str, str], language: str) -> None:
    document = writer.document
    writer.room(3 * _ROW)
    title = f"{words['game']} {game['n']}: {game['score']['A']} : {game['score']['B']}"
    if game["winner"]:
        title += f"   {words['won']} {name_of(detail, game['winner'])}"
    document.text(_LEFT, writer.y + 12, title, 11)
    document.line(_LEFT, writer.y + 17, _RIGHT)
    writer.y += 20
    awards = [award for award in detail.get("awards", ()) if award["game_no"] == game["n"]]
    before = {shot["shot"] for shot in game["shots"]}
    _awards(writer, detail, [award for award in awards if award["shot"] not in before], words)
    for shot in game["shots"]:
        ruling = shot["ruling"] or {}
        sentence = (ruling.get("sentence") or {}).get(language) or ruling.get("short", "")
        extra = words.get(shot["status"], "")
        note = f" ({extra}{': ' + shot['note'] if shot['note'] else ''})" if extra else ""
        clause = (ruling.get("public") or {}).get(language, "")
        lines = writer.lines(f"{sentence}{note}{'  ' + clause if clause else ''}", 290, 9)
        writer.room(_ROW * len(lines))
        document.text(_LEFT + 18, writer.y + 9, str(shot["shot"]), 9, right=True, grey=0.3)
        document.text(_LEFT + 28, writer.y + 9, writer.clipped(detail["players"][shot["striker"]]["name"], 130, 9), 9)
        for line in lines:
            document.text(_LEFT + 165, writer.y + 9, line, 9)
            writer.y += _ROW
        document.text(_RIGHT, writer.y - _ROW + 9, f"{shot['score']['A']} : {shot['score']['B']}", 9, right=True)
        _awards(writer, detail, [award for award in awards if award["shot"] == shot["shot"]], words)
    writer.y += 10


def _awards(writer: _Writer, detail: dict[str, Any], awards: list[dict[str, Any]], words: dict[str, str]) -> None:
    """What was awarded to whom, and why: each in lines of its own, where it was done."""
    for award in awards:
        name = name_of(detail, award["to"]) if award["to"] else ""
        said = words[f"award.{award['what']}"].format(name=name)
        lines = writer.lines(f"{said} ({award['note']})" if award["note"] else said, _RIGHT - _LEFT - 28, 9)
        writer.room(_ROW * len(lines))
        for line in lines:
            writer.document.text(_LEFT + 28, writer.y + 9, line, 9)
            writer.y += _ROW


def _signatures(writer: _Writer, words: dict[str, str], names: tuple[str, str]) -> None:
    writer.room(80)
    writer.y += 40
    for at, label in enumerate((*names, words["referee"])):
        x = _LEFT + at * 172
        writer.document.line(x, writer.y, x + 155)
        writer.document.text(x, writer.y + 11, f"{words['sign']}: {label}"[:42], 8, grey=0.3)
