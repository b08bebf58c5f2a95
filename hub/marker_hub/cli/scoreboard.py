"""The live scoreboard of `marker demo` in a terminal: drawn anew while play goes on, plain lines where there is no terminal."""

from __future__ import annotations

import asyncio
import time
import unicodedata
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from marker_sim.demo import Hall
    from marker_sim.tableplay import Progress

REDRAW_S = 0.2
WIDTH = 78
BOLD, DIM, PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"


def width(text: str) -> int:
    """Columns that a text takes in a terminal."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def fit(text: str, columns: int) -> str:
    """The text cut or filled to a number of columns."""
    while width(text) > columns:
        text = text[:-2] + "…"
    return text + " " * (columns - width(text))


def lines(progress: Progress, *, colour: bool) -> list[str]:
    """The scoreboard of one table."""
    view = progress.view
    if not view.get("match"):
        return [f"table {progress.table}: waiting for the match"]
    bold, dim, plain = (BOLD, DIM, PLAIN) if colour else ("", "", "")
    match = view["match"]
    goal = f"to {match['limit']}" if match.get("limit") else f"race to {match['race_to']}"
    head = f"table {progress.table}  {view['game']}  game {match['game_no']} of {match.get('games') or '?'}  {goal}  {view['phase']}"
    out = [f"{dim}{fit(head, WIDTH)}{plain}"]
    for side in ("A", "B"):
        player = view["players"][side]
        tip = ">" if view.get("turn") == side else " "
        out.append(
            f"{tip} {fit(player['name'], 44)} {bold}{player['score']:>4}{plain}   games {player.get('games') or 0}"
        )
    out += _ruling(view, dim, plain)
    wrong = sum(verdict.wrong for verdict in progress.verdicts)
    asked = sum(verdict.questions for verdict in progress.verdicts)
    out.append(f"{dim}{fit(f'{len(progress.verdicts)} shots, {asked} questions, {wrong} wrong', WIDTH)}{plain}")
    return out


def _ruling(view: dict[str, Any], dim: str, plain: str) -> list[str]:
    """The last ruling in words, and the clauses it rests on: always two lines, so that nothing jumps."""
    last = view.get("last")
    if not last:
        return ["", ""]
    ruling = last["ruling"]
    clauses = f"shot {last['shot']}: {', '.join(ruling['clauses'])}"
    return [f"  {fit(ruling['sentence']['en'], WIDTH - 2)}", f"{dim}  {fit(clauses, WIDTH - 2)}{plain}"]


class Scoreboard:
    """Shows a running hall until it is over."""

    def __init__(self, hall: Hall, out: IO[str]) -> None:
        self._hall = hall
        self._out = out
        self._drawn = 0
        self._said: dict[str, int] = {}
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to draw, in the running loop."""
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def _run(self) -> None:
        draw = self._redraw if self._out.isatty() else self._append
        while self._hall.state != "over":
            draw()
            await asyncio.sleep(REDRAW_S)
        draw()

    def _redraw(self) -> None:
        rows = [row for progress in self._hall.tables for row in [*lines(progress, colour=True), ""]]
        seconds = int(time.monotonic() - self._hall.started)
        rows.append(f"{DIM}{self._hall.url}/tables/1   {seconds // 60}:{seconds % 60:02d}   Ctrl-C stops{PLAIN}")
        up = f"\x1b[{self._drawn}F" if self._drawn else ""
        self._out.write(up + "".join(f"\x1b[2K{row}\n" for row in rows))
        self._out.flush()
        self._drawn = len(rows)

    def _append(self) -> None:
        for progress in self._hall.tables:
            done = len(progress.verdicts)
            for verdict in progress.verdicts[self._said.get(progress.table, 0) : done]:
                sentence = (verdict.ruled.get("sentence") or {}).get("en", "")
                players = progress.view.get("players") or {}
                score = ":".join(str(players[side]["score"]) for side in ("A", "B")) if players else ""
                self._out.write(f"table {progress.table} shot {verdict.shot.number}: {sentence}  [{score}]\n")
            self._said[progress.table] = done
        self._out.flush()
