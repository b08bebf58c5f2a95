"""One simulated table: two players, sensors, a node with the real firmware, and a truthful referee at the hub's public pages.

The referee sees the truth; the hub sees the node's records and what the referee enters, nothing else. He does what the
hub asks for, in the order it asks: the phase of the table's view drives everything here.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from marker_rules.balls import Pin
from marker_rules.game import Action, DueKind
from marker_sim.after_frame import after_frame, plays_on, racks_anew
from marker_sim.handling import Handling
from marker_sim.hubclient import HubClient
from marker_sim.manner import THINK_S, Kind, Manner
from marker_sim.play import Play
from marker_sim.pressing import Buttons
from marker_sim.reading import Fitted
from marker_sim.referee import DISTURBED
from marker_sim.score import Judged, Watch, truth_fields, view_fields
from marker_sim.sensors.inputs import Input, is_piezo, split
from marker_sim.sensors.table import TableSensors
from marker_sim.tabledriver import Node, Shown, TableDriver, View
from marker_sim.timeline import Timeline
from marker_sim.truth import TrueMatch, TrueShot

STALL_LIMIT_S = 60.0
PLACED_US, SHOWN_US = 2_500_000, 600_000  # one pin put up; all of them seen to stand
UNFELT_S = 15.0  # wall time after which a stroke that opened no shot is entered by hand; a busy machine may stand still for long


class Stalled(RuntimeError):
    """The hub did not get on: the phase it stood in and the last view."""


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
    by_house: bool = False  # accepted by the house's rule, nobody pressed anything

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
class Progress(Shown):
    """The same with the verdicts so far. `uncalled`: errors that no sensor feels and nobody was there to call."""

    verdicts: list[Verdict] = field(default_factory=list)
    uncalled: int = 0


class Breaks(Protocol):
    """What goes wrong within shots."""

    def moments(self, shot: int) -> list[float]:
        """When in the shot, ms after the strike, besides its middle."""
        ...

    async def strike(self, shot: int, at_ms: float | None = None) -> None:
        """Do what is due in the middle of the shot, or at one of its moments."""
        ...


class TablePlay(TableDriver):
    """Plays one match on one table. `breaks`: what goes wrong within each shot."""

    def __init__(
        self,
        progress: Progress,
        client: HubClient,
        node: Node,
        sensors: TableSensors,
        match: TrueMatch,
        play: Play,
        start: View,
        breaks: Breaks | None = None,
        manner: Manner | None = None,
        fitted: Fitted = Fitted.HINTS,
    ) -> None:
        super().__init__(client, node, sensors, progress)
        self.fitted = fitted
        self.manner = manner or Manner()
        self.progress = progress
        self.match = match
        self.players = play
        self.start = start
        self.breaks = breaks
        self._pending: Handling | None = None
        self._counted = self._begun = 0  # shots of the hub after the last ruling, and when this stroke was made
        self._by_hand = False
        self._stood = -1  # shots played when the pins were last put up
        self._looks = 0
        self._buttons = Buttons(self, self.manner, getattr(play, "seed", 0)) if self.manner.at_buttons else None
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

    async def play(self, shots: int) -> Progress:
        """Play until the match is over or `shots` shots are ruled. Raises Stalled, HubUnreachable."""
        async with self.following():
            while len(self.progress.verdicts) < shots:
                view = self.view or await self.look()
                self._accepted_by_house()
                if view["phase"] == "match_over" and not await self._plays_on():
                    break
                self._changed.clear()
                handler = self._handlers.get(view["phase"])
                if handler is not None:
                    await handler(view)
                if self.view.get("n") == view["n"]:
                    await self._wait_change(view)
        return self.progress

    async def command(self, kind: str, **fields: Any) -> bool:
        """One command, by a button of the table where he uses them. Raises Refused."""
        if self._buttons is not None and self.fitted is not Fitted.NONE:
            taken = await self._buttons.say(kind, fields)
            if taken is not None:
                return taken
        return await super().command(kind, **fields)

    async def _wait_change(self, view: View) -> None:
        try:
            await asyncio.wait_for(self._changed.wait(), STALL_LIMIT_S)
        except TimeoutError:
            raise Stalled(
                f"table {self.table}: nothing happened for {STALL_LIMIT_S:.0f} s in phase {view['phase']}"
            ) from None

    def _accepted_by_house(self) -> None:
        """Where nobody referees: the countdown is over and the shot counts."""
        done = self._pending
        if done is not None and self.manner.absent and not done.came and self.shots_counted > self._begun:
            self._record(done, by_house=True)

    def _act(self, action: Action) -> None:
        """The same in the true match."""
        self.match.state = self.match.game.act(self.match.state, action)

    # --- what the phases ask for -------------------------------------------------------------------------------

    async def _begin(self, _: View) -> None:
        await self.command("match_start", **self.start)

    async def _lag(self, _: View) -> None:
        outcome = self.players.lag()
        value = outcome.winner.value if outcome.winner else "replay"
        late = tuple(player.value for player in outcome.late)
        if await self.command("lag_result", winner=value, late=late):
            args = (("late", ",".join(late)),) if late else ()
            self._act(Action("lag", value=value, args=args))

    async def _place(self, view: View) -> None:
        due = self.match.due
        if due.kind is DueKind.CHOICE and (view.get("due") or {}).get("choices"):
            choice = self.players.choose(self.match)
            if await self.command("choice", value=choice):
                self._act(Action("choose", due.player, choice))
            return
        if due.kind is not DueKind.SHOT:
            return
        await self._say_before()
        await self._stand()
        view = self.view
        if view["phase"] in ("placing", "respotting"):
            await self.command("ready")

    async def _say_before(self) -> bool:
        """What the referee must say before the stroke; True when he said something."""
        if racks_anew(self.match, self.players.seed, self.players.name):
            if await self.command("new_rack"):
                self._act(Action("new_rack"))
            return True
        acts = self.players.prepare(self.match)
        for act in acts:
            if act.kind == "layout":
                standing = tuple(pin.value for pin in Pin if pin.value in act.value.split(","))
                off = tuple(pin.value for pin in Pin if pin.value not in standing)
                await self._set_up(frozenset(pin for pin in Pin if pin.value in standing))  # first done, then said
                done = await self.command("layout", pins=standing, off=off)
            else:
                done = await self.command("act", action=act.kind, value=act.value)
            if done:
                self._act(act)
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
        await self.feel(inputs, len(down) * PLACED_US + SHOWN_US)

    async def _shoot(self, _: View) -> None:
        if self._pending is not None:  # it was struck: the hub has not read so far yet, or felt nothing
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), UNFELT_S)
                return
            self._by_hand = await self.command("strike") or self._by_hand
            return
        if await self._say_before():  # a seat that became free while everything else stood
            await self._stand()
            return
        if self._stood != len(self.match.shots):  # the hub armed by itself, because every pin stands
            await self._stand()
        if self.fitted is not Fitted.NONE:
            if not self.view["armed"]:
                return
            await self.node.armed()
        await self.node.sleep(THINK_S)
        await self._stroke(len(self.match.shots) + 1)

    async def _stroke(self, number: int) -> None:
        """The next stroke of the players, as the sensors feel it."""
        timeline = self.players.stroke(self.match, number)
        if self.manner.absent and timeline.calls:  # an error that nobody calls is none
            timeline = replace(timeline, calls=())
            self.progress.uncalled += 1
        self._pending = Handling(self.match.strike(timeline), self.manner)
        self._begun, self._by_hand = self.shots_counted, False
        inputs = self.sensors.shot(number, timeline, self.now_us)
        if self.fitted in (Fitted.MAIN, Fitted.NONE):  # nothing hears the tip: the stroke is entered by hand
            await self.command("strike")
            inputs = [item for item in inputs if not is_piezo(item)] if self.fitted is Fitted.MAIN else []
        lasts_us = self.sensors.lasts_us(timeline)
        if self.breaks is not None:
            inputs = await self._broken(self.breaks, number, inputs, lasts_us)
        await self.feel(inputs, lasts_us)

    async def _broken(self, breaks: Breaks, number: int, inputs: list[Input], lasts_us: int) -> list[Input]:
        """Let the inputs happen up to the last moment at which something goes wrong; the others. In the middle, and at planned moments."""
        half = len(inputs) // 2
        middle_us = inputs[half - 1].t_us - self.now_us if half else 0
        planned = [(min(round(ms * 1000), lasts_us), ms) for ms in breaks.moments(number)]
        early = [(us, ms) for us, ms in planned if us < middle_us]
        # The middle is a place among the inputs, not a time: of several at one time some come before, some after it.
        first, rest = inputs[:half], inputs[half:]
        if planned:
            first, over = split(first, self.now_us + middle_us)
            rest = [*over, *rest]
        first = await self._up_to(breaks, number, first, early)
        if half:
            await self.feel(first, middle_us, pause=False)
        if half or not inputs:
            await breaks.strike(number)
        return await self._up_to(breaks, number, rest, planned[len(early) :])

    async def _up_to(
        self, breaks: Breaks, number: int, inputs: list[Input], planned: list[tuple[int, float]]
    ) -> list[Input]:
        for us, ms in planned:
            due, inputs = split(inputs, self.now_us + us)
            await self.feel(due, us, pause=False)
            await breaks.strike(number, ms)
        return inputs

    async def _still(self, _: View) -> None:
        await self.command("still")

    async def _decide(self, _: View) -> None:
        """Fill in the sheet from the truth, enter what was called, accept."""
        if self._pending is None:
            await self._not_played()
            return
        await self._think(self._pending.shot.number)
        if await self._pending.step(self):
            self._record(self._pending)

    async def _think(self, shot: int) -> None:
        """The referee looks before he does something; with a slow one the table's time goes on in any pace."""
        seconds = self.manner.thinks_s(shot)
        if self.manner.kind is not Kind.SLOW:
            await self.node.sleep(seconds)
            return
        self._looks += 1
        nothing = Timeline((), round(seconds * 1e9))
        await self.feel(self.sensors.shot(-self._looks, nothing, self.now_us), round(seconds * 1e6))

    async def _not_played(self) -> None:
        """Asked without a stroke: a pin was touched while it was set up, or somebody at a page took the last ruling back."""
        sheet = await self.sheet()
        if any(row["id"] == DISTURBED for row in sheet["rows"]):
            await self.command("answer", question=DISTURBED, answer="nobody")
            return
        last = self.progress.verdicts[-1] if self.progress.verdicts else None
        if last is None or sheet.get("shot") != last.shot.number:
            raise Stalled(f"table {self.table}: the hub asks about a shot that nobody played")
        self.progress.verdicts.pop()
        self._pending = Handling(last.shot, self.manner, last.questions, last.taps)
        self._changed.set()  # the table stays as it is: look at it again

    def _record(self, done: Handling, *, by_house: bool = False) -> None:
        known = self.shots_counted
        window = Watch.window(self._begun - self._counted, known - self._begun, by_hand=self._by_hand)
        self._counted = known
        watch = done.watch
        self.progress.verdicts.append(
            Verdict(
                done.shot, self.last_ruling, done.asked, done.tapped, watch.excluded, watch.guessed, window, by_house
            )
        )
        self._pending = None

    async def _next_game(self, _: View) -> None:
        """The next game; of pyramid perhaps the run played on, or the next frame racked within it (RP-30.4)."""
        wanted = after_frame(self.match, self.players.seed, self.players.name)
        if await self.command(wanted):
            self._act(Action(wanted))

    async def _plays_on(self) -> bool:
        """After the last frame: whether its winner lengthens his run (RP-30.4b)."""
        if not plays_on(self.match, self.players.seed, self.players.name):
            return False
        if await self.command("continue_run"):
            self._act(Action("continue_run"))
        return True

    async def _resume(self, _: View) -> None:
        await self.node.sleep(THINK_S)
        await self.command("resume")
