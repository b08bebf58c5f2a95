"""What a table at run time needs of the hub that it runs in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from marker_hub.entries import ClockPair, Entry
from marker_hub.journal import Reader
from marker_hub.metrics import Metrics
from marker_hub.service.recording import Recording
from marker_hub.service.streams import Streams
from marker_hub.table import MatchEnded, Table
from marker_hub.transport import Transport


@dataclass(frozen=True, slots=True)
class TableHost:
    """One for all tables; the hub makes it. Each callable takes the table's id first.

    mono_us, now_ms: the hub's clocks. clock: how the node's clock stands to the hub's, as far as known. decorated: a view
    model with what only the running hub knows. match_started, match_ended: a match of the table began, ended or was
    corrected after its end.
    """

    recording: Recording
    reader: Reader
    transport: Transport
    streams: Streams
    figures: Metrics
    mono_us: Callable[[], int]
    now_ms: Callable[[], int]
    clock: Callable[[str], ClockPair | None]
    decorated: Callable[[str, dict[str, Any]], dict[str, Any]]
    match_started: Callable[[str, Entry], None]
    match_ended: Callable[[str, Table, Entry, MatchEnded], None]
