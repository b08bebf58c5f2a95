"""Faults as composable seeded filters: what is injected, where, how often; profiles are data (`faults/*.toml`).

A filter takes items one by one (`feed`) and gives what goes on; `flush` gives what it still holds. Each draws from a stream of
its own, so adding one never changes what another does; with rate 0 it is the identity. Order is that of the profile.
"""

from __future__ import annotations

from marker_sim.faults.profile import FaultError, Kind, Profile, Spec, Stage, load, names
from marker_sim.faults.rig import Act, Injected, Rig

__all__ = ["Act", "FaultError", "Injected", "Kind", "Profile", "Rig", "Spec", "Stage", "load", "names"]
