"""A shot as an animated page: one HTML file, nothing loaded from anywhere."""

from __future__ import annotations

import json
from html import escape
from importlib.resources import files
from typing import Any

from marker_sim.physics.body import Phase
from marker_sim.picture import colour, paths
from marker_sim.single import SingleShot, explanation


def data(shot: SingleShot) -> dict[str, Any]:
    """What the page draws: sizes in m, times in s, ways as [t, x, y, z] rows."""
    edge, engine = shot.table.boundary, shot.engine
    legs = engine.legs or []
    bodies = []
    for index, body in enumerate(engine.bodies):
        way = [[round(v, 5) for v in row] for row in paths(legs, index, engine.now)]
        if not way:
            continue
        is_ball = index < engine.n_balls
        gone = next((leg.t for leg in legs if leg.body == index and leg.phase == Phase.GONE), None)
        fell = next((e.at for e in engine.pins.events if e.pin == index and e.outcome.value == "toppled"), None)
        name = shot.balls[index].value if is_ball else list(shot.table.pins)[index - engine.n_balls].value
        bodies.append(
            {
                "name": name,
                "ball": is_ball,
                "r": body.r if is_ball else 0.0045,
                "colour": colour(shot.balls[index]) if is_ball else "#8ecae6",
                "way": way,
                "gone": gone,
                "fell": fell,
            }
        )
    return {
        "l": edge.half_l,
        "w": edge.half_w,
        "end": engine.now,
        "noses": [[n.x0, n.y0, n.x0 + n.tx * n.length, n.y0 + n.ty * n.length] for n in edge.noses],
        "mouths": [[m.mx, m.my] for m in edge.mouths],
        "mouth_r": shot.table.ball_r * 1.35,
        "bodies": bodies,
        "rows": [[round(ms, 3), source, text] for ms, source, text in explanation(shot)],
    }


def page(shot: SingleShot) -> str:
    """The page as text."""
    template = (files("marker_sim") / "view.html").read_text(encoding="utf-8")
    title = f"{shot.game.value}, seed {shot.seed}, shot {shot.shot.number}: {shot.shot.ruling.short}"
    inside = json.dumps(data(shot), ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return template.replace("@TITLE@", escape(title)).replace("@DATA@", inside)
