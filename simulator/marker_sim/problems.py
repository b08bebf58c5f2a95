"""Which problems of a simulated hall are the user's to mend, and what to say about them in one line."""

from __future__ import annotations

from marker_sim.away import AwayError
from marker_sim.faults import FaultError
from marker_sim.feed import FeedError
from marker_sim.hubclient import HubUnreachable, Refused
from marker_sim.physics.engine import SimulationError
from marker_sim.sinks.mqtt import NodeError
from marker_sim.sinks.node import BoardError, VirtualMachineMissing
from marker_sim.stage import StageError
from marker_sim.tableplay import Stalled

KNOWN = (
    AwayError,
    BoardError,
    FaultError,
    FeedError,
    HubUnreachable,
    NodeError,
    Refused,
    SimulationError,
    StageError,
    Stalled,
    VirtualMachineMissing,
)


def describe(problem: BaseException) -> str | None:
    """One line for a known problem, also inside an exception group; None for a fault of the program."""
    if isinstance(problem, BaseExceptionGroup):
        said = [describe(inner) for inner in problem.exceptions]
        return said[0] if said and all(said) else None
    return str(problem) if isinstance(problem, KNOWN) else None
