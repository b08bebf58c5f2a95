"""One simulated table: two players, sensors, a node with the real firmware, and a truthful referee at the hub's public pages.

The referee sees the truth; the hub sees the node's records and what the referee enters, nothing else. He does what the
hub asks for, in the order it asks: the phase of the table's view drives everything here.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from marker_rules.balls import Pin
from marker_rules.game import Action, DueKind
from marker_sim.hubclient import HubClient, Refused
from marker_sim.manner import THINK_S, Manner
from marker_sim.play import Play
from marker_sim.reading import Fitted
from marker_sim.referee import DISTURBED, called, to_change
from marker_sim.referee import answers as true_answers
from marker_sim.score import Judged, Watch, truth_fields, view_fields
from marker_sim.sensors.inputs import Input, is_piezo
from marker_sim.sensors.table import TableSensors
from marker_sim.truth import TrueMatch, TrueShot

View = dict[str, Any]
STALL_LIMIT_S = 60.0
BETWEEN_US = 1_500_000  # board time between the end of one act and the next
UNFELT_S = 15.0  # wall time after which a stroke that opened no shot is entered by hand; a busy machine may stand still for long


class Stalled(RuntimeError):
    """The hub did not get on: the phase it stood in and the last view."""


class Node(Protocol):
    """The node of a table, as its player needs it; times in board microseconds."""

    async def feed(self, inputs: list[Input], until_us: int) -> None:
        """Let the inputs happen; returns when everything up to `until_us` is with the broker."""
        ...

    async def armed(self) -> None:
        """Wait until the hub armed the node."""
        ...

    async def sleep(self, table_s: float) -> None:
        """Let table time pass where people watch; nothing in pace `max`."""
        ...


@dataclass(frozen=True, slots=True)
class Verdict:
    """Hub against truth for one shot."""

    shot: TrueShot
    ruled: View
    questions: int
    taps: int
    excluded: bool = False
    guessed: bool = False
    window: str = ""

    @property
    def judged(self) -> Judged:
        """The same for the judge of accuracy."""
        return Judged(
            self.shot.number,
            truth_fields(self.shot.ruling),
            view_fields(self.ruled),
            self.questions,
            self.taps,
            excluded=self.excluded,
            guessed=self.guessed,
            window=self.window,
        )

    @property
    def wrong(self) -> bool:
        """The hub's ruling differs from the truth in any compared field."""
        return bool(self.judged.differing)


@dataclass(slots=True)
class Progress:
    """What a screen may show of a running table."""

    table: str
    view: View = field(default_factory=dict)
    verdicts: list[Verdict] = field(default_factory=list)


Hook = Callable[[int], Awaitable[None]]


class TablePlay:
    """Plays one match on one table. `hook(shot)` is awaited in the middle of each shot (faults are injected there)."""

    def __init__(
        self,
        progress: Progress,
        client: HubClient,
        node: Node,
        sensors: TableSensors,
        match: TrueMatch,
        play: Play,
        start: View,
        seed: int,
        hook: Hook | None = None,
        manner: Manner | None = None,
        fitted: Fitted = Fitted.HINTS,
    ) -> None:
        self.fitted = fitted
        self.manner = manner or Manner()
        self.progress = progress
        self.client = client
        self.node = node
        self.sensors = sensors
        self.match = match
        self.players = play
        self.start = start
        self.seed = seed
        self.hook = hook
        self.now_us = BETWEEN_US
        self._changed = asyncio.Event()
        self._pending: TrueShot | None = None
        self._asked = 0
        self._tapped = 0
        self._looked = False
        self._watch = Watch()
        self._counted = self._begun = 0  # shots of the hub after the last ruling, and when this stroke was made
        self._by_hand = False
        self._stood = -1  # shots played when the pins were last put up
        self._handlers: dict[str, Callable[[View], Awaitable[None]]] = {
            "idle": self._begin,
            "lag": self._lag,
            "placing": self._place,
            "respotting": self._place,
            "armed": self._shoot,
            "rolling": self._still,
            "settling": self._still,
            "asking": self._decide,
            "proposed": self._decide,
            "game_over": self._next_game,
            "break": self._resume,
        }

    @property
    def table(self) -> str:
        """Id of the table."""
        return self.progress.table

    async def play(self, shots: int) -> Progress:
        """Play until the match is over or `shots` shots are ruled. Raises Stalled, HubUnreachable."""
        follower = asyncio.create_task(self._follow())
        try:
            while len(self.progress.verdicts) < shots:
                view = await self._view()
                if view["phase"] == "match_over":
                    break
                self._changed.clear()
                handler = self._handlers.get(view["phase"])
                if handler is not None:
                    await handler(view)
                if self.progress.view.get("n") == view["n"]:
                    await self._wait_change(view)
        finally:
            follower.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await follower
        return self.progress

    async def _view(self) -> View:
        if not self.progress.view:
            self._take(await self.client.get(f"/api/tables/{self.table}"))
        return self.progress.view

    async def _wait_change(self, view: View) -> None:
        try:
            await asyncio.wait_for(self._changed.wait(), STALL_LIMIT_S)
        except TimeoutError:
            raise Stalled(
                f"table {self.table}: nothing happened for {STALL_LIMIT_S:.0f} s in phase {view['phase']}"
            ) from None

    async def _follow(self) -> None:
        async for view in self.client.views(self.table):
            self._take(view)

    def _take(self, view: View) -> None:
        if view.get("n", 0) >= self.progress.view.get("n", 0):
            self.progress.view = view
            self._changed.set()

    async def _command(self, kind: str, **fields: Any) -> bool:
        """One command on the view as it is now; False where the hub says that the view was old."""
        try:
            answer = await self.client.command(self.table, self.progress.view.get("n", 0), kind, **fields)
        except Refused as refused:
            if refused.status != 409:
                raise
            self._take(refused.body["view"])
            return False
        self._take(answer["view"])
        return True

    # --- what the phases ask for -------------------------------------------------------------------------------

    async def _begin(self, _: View) -> None:
        await self._command("match_start", **self.start)

    async def _lag(self, _: View) -> None:
        outcome = self.players.lag()
        value = outcome.winner.value if outcome.winner else "replay"
        late = tuple(player.value for player in outcome.late)
        if await self._command("lag_result", winner=value, late=late):
            args = (("late", ",".join(late)),) if late else ()
            self.match.state = self.match.game.act(self.match.state, Action("lag", value=value, args=args))

    async def _place(self, view: View) -> None:
        due = self.match.due
        if due.kind is DueKind.CHOICE and (view.get("due") or {}).get("choices"):
            choice = self.players.choose(self.match)
            if await self._command("choice", value=choice):
                self.match.state = self.match.game.act(self.match.state, Action("choose", due.player, choice))
            return
        if due.kind is not DueKind.SHOT:
            return
        await self._say_before()
        await self._stand()
        view = await self._view()
        if view["phase"] in ("placing", "respotting"):
            await self._command("ready")

    async def _say_before(self) -> bool:
        """What the referee must say before the stroke; True when he said something."""
        acts = self.players.prepare(self.match)
        for act in acts:
            if act.kind == "layout":
                standing = tuple(pin.value for pin in Pin if pin.value in act.value.split(","))
                off = tuple(pin.value for pin in Pin if pin.value not in standing)
                await self._set_up(frozenset(pin for pin in Pin if pin.value in standing))  # first done, then said
                done = await self._command("layout", pins=standing, off=off)
            else:
                done = await self._command("act", action=act.kind, value=act.value)
            if done:
                self.match.state = self.match.game.act(self.match.state, act)
        return bool(acts)

    async def _stand(self) -> None:
        """Set up the pins that must stand and do not."""
        await self._set_up(getattr(self.match.state, "pins", frozenset()))

    async def _set_up(self, wanted: frozenset[Pin]) -> None:
        down = [pin for pin in Pin if pin in wanted and pin not in self.sensors.standing]
        if not down and self._stood == len(self.match.shots):
            return  # all stand, and it was shown: how often the hub asks must not change what the sensors see
        self._stood = len(self.match.shots)
        inputs = self.sensors.stand(down, self.now_us, len(self.match.shots))
        await self._feed(inputs, len(down) * 2_500_000 + 600_000)

    async def _shoot(self, _: View) -> None:
        if self._pending is not None:  # it was struck: the hub has not read so far yet, or felt nothing
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), UNFELT_S)
                return
            self._by_hand = await self._command("strike") or self._by_hand
            return
        if await self._say_before():  # a seat that became free while everything else stood
            await self._stand()
            return
        if self._stood != len(self.match.shots):  # the hub armed by itself, because every pin stands
            await self._stand()
        if self.fitted is not Fitted.NONE:
            await self.node.armed()
        await self.node.sleep(THINK_S)
        number = len(self.match.shots) + 1
        timeline = self.players.stroke(self.match, number)
        self._pending = self.match.strike(timeline)
        self._begun, self._by_hand = self._shots_counted(), False
        self._asked = self._tapped = 0
        self._looked = False
        self._watch = Watch()
        inputs = self.sensors.shot(number, timeline, self.now_us)
        if self.fitted in (Fitted.MAIN, Fitted.NONE):  # nothing hears the tip: the stroke is entered by hand
            await self._command("strike")
            inputs = [item for item in inputs if not is_piezo(item)] if self.fitted is Fitted.MAIN else []
        half = len(inputs) // 2
        if self.hook is not None and not inputs:
            await self.hook(number)
        elif self.hook is not None and half:
            await self._feed(inputs[:half], inputs[half - 1].t_us - self.now_us, pause=False)
            await self.hook(number)
            inputs = inputs[half:]
        await self._feed(inputs, self.sensors.lasts_us(timeline))

    async def _still(self, _: View) -> None:
        await self._command("still")

    async def _decide(self, view: View) -> None:
        """Fill in the sheet from the truth, enter what was called, accept."""
        if self._pending is not None:
            await self.node.sleep(self.manner.thinks_s(self._pending.number))
        sheet = await self.client.get(f"/api/tables/{self.table}/sheet")
        if self._pending is None:
            await self._not_played(sheet)
            return
        entered = {(call["code"], call["by"]) for call in sheet["calls"]}
        for call, balls in called(self._pending):
            if (call.code, call.by.value) not in entered:
                extra = {"args": list(balls)} if balls else {}
                if await self._command("call", code=call.code, by=call.by.value, when=call.when.value, **extra):
                    self._tapped += 1  # one refused because the view was old is pressed again, not counted twice
                return
        if not self._looked:
            self._looked = all(row["id"] != DISTURBED for row in sheet["rows"])  # the rules ask only after that
            self._asked += sum(row["origin"] != "decided" for row in sheet["rows"])
        answers = true_answers(self._pending)
        self._watch.sees(sheet, view, self._pending.ruling.short, answers)
        change = to_change(sheet, self.manner.answers(self._pending.number, sheet, answers))
        if change is not None:
            if await self._command("answer", question=change[0], answer=change[1]):
                self._tapped += 1
                if self.manner.takes_back(self._pending.number):
                    await self._command("undo")
            return
        if await self._command("accept"):
            self._tapped += 1
            self._record()

    def _shots_counted(self) -> int:
        """How many shots the hub has judged in this match."""
        return int((self.progress.view.get("match") or {}).get("shots", 0))

    async def _not_played(self, sheet: View) -> None:
        """Asked without a stroke: a pin was touched while it was set up, or somebody at a page took the last ruling back."""
        if any(row["id"] == DISTURBED for row in sheet["rows"]):
            await self._command("answer", question=DISTURBED, answer="nobody")
            return
        last = self.progress.verdicts[-1] if self.progress.verdicts else None
        if last is None or sheet.get("shot") != last.shot.number:
            raise Stalled(f"table {self.table}: the hub asks about a shot that nobody played")
        self._pending = self.progress.verdicts.pop().shot
        self._looked = False
        self._changed.set()  # the table stays as it is: look at it again

    def _record(self) -> None:
        assert self._pending is not None
        last = self.progress.view.get("last") or {}
        known = self._shots_counted()
        window = self._watch.window(self._begun - self._counted, known - self._begun, by_hand=self._by_hand)
        self._counted = known
        self.progress.verdicts.append(
            Verdict(
                self._pending,
                last.get("ruling") or {},
                self._asked,
                self._tapped,
                self._watch.excluded,
                self._watch.guessed,
                window,
            )
        )
        self._pending = None

    async def _next_game(self, _: View) -> None:
        if await self._command("next_game"):
            self.match.state = self.match.game.act(self.match.state, Action("next_game"))

    async def _resume(self, _: View) -> None:
        await self.node.sleep(THINK_S)
        await self._command("resume")

    async def _feed(self, inputs: list[Input], lasts_us: int, *, pause: bool = True) -> None:
        until = self.now_us + lasts_us
        await self.node.feed(inputs, until)
        if pause:
            self.now_us = until + BETWEEN_US
