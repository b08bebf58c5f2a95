"""A fingerprint of what happened in a shot: the same for the same seed on every supported Python."""

from __future__ import annotations

import hashlib
import json

from marker_sim.physics.engine import Engine


def digest(*engines: Engine) -> str:
    """SHA-256 over the logs and last places of finished shots, numbers in full precision, canonical JSON."""
    sha = hashlib.sha256()
    for engine in engines:
        log = [
            [repr(h.t), int(h.kind), h.a, h.b, repr(h.vn), repr(h.x), repr(h.y), h.rail or "", h.pocket or ""]
            for h in engine.log
        ]
        pins = [[repr(e.at), e.pin, e.outcome.value, e.root, e.chain] for e in engine.pins.events]
        last = [[int(b.phase), repr(b.x), repr(b.y)] for b in engine.bodies]
        sha.update(json.dumps([log, pins, last], separators=(",", ":")).encode())
    return sha.hexdigest()


def golden(shots: int = 40) -> str:
    """The fingerprint of `shots` uniform five-pins shots, half as many of pyramid and a few breaks."""
    from marker_sim import uniform

    engines = [uniform.five_pins(11, number) for number in range(shots)]
    engines += [uniform.pyramid(11, number) for number in range(shots // 2)]
    engines += [uniform.opening(11, number) for number in range(shots // 10)]
    for engine in engines:
        engine.run()
    return digest(*engines)
