"""Gaps: ask the node to send records again, three tries a second apart, then say that they are missing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from marker_hub.ingest.seqs import SeqSet
from marker_hub.journal import SeqRange
from marker_hub.wire import Ack, Replay

TRIES = 3
RETRY_S = 1.0
GRACE_S = 0.15
"""Records may still be under way on the other session when an acknowledgement or health report names a higher head."""


class Timer(Protocol):
    """What `call_later` gives."""

    def cancel(self) -> None:
        """Forget the call."""


@dataclass(slots=True)
class _Request:
    low: int
    high: int
    tries: int = 0
    lacking: int = 1 << 32
    timer: Timer | None = None
    id: str = ""


class ReplayTracker:
    """Gaps of one node's boot at one table. `send` publishes a command; `missing` journals what will never come."""

    def __init__(
        self,
        node: int,
        boot: int,
        held: SeqSet,
        *,
        later: Callable[[float, Callable[[], None]], Timer],
        send: Callable[[Replay], bool],
        missing: Callable[[int, SeqRange], None],
    ) -> None:
        """held: the set that ingest fills. What was given up is remembered apart: should it come after all, it is news."""
        self.node = node
        self.boot = boot
        self._held = held
        self._gone = SeqSet()
        self._later = later
        self._send = send
        self._missing = missing
        self._requests: list[_Request] = []
        self._number = 0

    @property
    def open(self) -> list[SeqRange]:
        """What is being asked for."""
        return [SeqRange(request.low, request.high) for request in self._requests]

    def _gaps(self, low: int, high: int) -> list[SeqRange]:
        return [part for gap in self._held.gaps(low, high) for part in self._gone.gaps(gap.first, gap.last)]

    def _lose(self, gap: SeqRange) -> None:
        self._gone.add_range(gap.first, gap.last)
        self._missing(self.boot, gap)

    def expect(self, head: int, *, now: bool) -> None:
        """The node has records up to head - 1. now: ask at once (a jump in the stream), else after a short grace."""
        if head <= 0:
            return
        for gap in self._gaps(0, head - 1):
            if not any(request.low <= gap.first and gap.last <= request.high for request in self._requests):
                request = _Request(gap.first, gap.last)
                self._requests.append(request)
                if now:
                    self._ask(request)
                else:
                    request.timer = self._later(GRACE_S, lambda request=request: self._ask(request))  # type: ignore[misc]

    def _ask(self, request: _Request) -> None:
        request.timer = None
        left = self._gaps(request.low, request.high)
        if not left:
            self._requests.remove(request)
            return
        lacking = sum(gap.last - gap.first + 1 for gap in left)
        if lacking < request.lacking:  # it is coming, only slowly
            request.tries = 0
        request.lacking = lacking
        if request.tries >= TRIES:
            self._give_up(request, left)
            return
        self._number += 1
        request.low, request.high = left[0].first, left[-1].last
        request.id = f"rp-{self.boot}-{request.low}-{request.high}-{self._number}"
        if self._send(Replay(request.id, self.boot, request.low, request.high)):
            request.tries += 1  # without a link to the node nothing was asked
        request.timer = self._later(RETRY_S, lambda: self._ask(request))

    def renewed(self, floor: int) -> None:
        """The node connected again in the same boot: what it still keeps is asked for anew, also what was given up."""
        self._gone.reset(gap for gap in self._gone.ranges() if gap.last < floor)
        for request in self._requests:
            request.tries = 0

    def _give_up(self, request: _Request, left: list[SeqRange]) -> None:
        self._requests.remove(request)
        for gap in left:
            self._lose(gap)

    def acked(self, ack: Ack) -> bool:
        """An acknowledgement came: True when it answers one of our requests. A gap is final at once."""
        for request in self._requests:
            if request.id == ack.id:
                break
        else:
            return ack.id.startswith("rp-")
        if ack.boot != self.boot:  # the node was restarted in between: its ring is gone
            if request.timer is not None:
                request.timer.cancel()
            self._give_up(request, self._gaps(request.low, request.high))
        elif ack.gap is not None:
            for gap in self._gaps(max(ack.gap.start, request.low), min(ack.gap.to, request.high)):
                self._lose(gap)
            if not self._gaps(request.low, request.high):
                if request.timer is not None:
                    request.timer.cancel()
                self._requests.remove(request)
        return True

    def close(self, *, give_up: bool) -> None:
        """Stop asking. give_up: what was asked for will not come any more (the node has another boot now)."""
        for request in list(self._requests):
            if request.timer is not None:
                request.timer.cancel()
            if give_up:
                self._give_up(request, self._gaps(request.low, request.high))
        self._requests.clear()
