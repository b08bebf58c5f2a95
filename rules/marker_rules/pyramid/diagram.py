"""Drawings of a placing and of a rack as SVG text, in the frame of the table files (mm), readable without colour."""

from __future__ import annotations

from collections.abc import Sequence

from marker_rules.pyramid import rack
from marker_rules.pyramid.placing import DEFAULT_LINE, Point, SpottingLine, places

WIDTH_MM = 1775.0  # playing surface
MARGIN_MM = 90.0


def spotting_svg(labels: Sequence[str], line: SpottingLine = DEFAULT_LINE, title: str = "") -> str:
    """The back half of the table with the balls to be placed. labels: one for each ball, in order ("w3", "1", ...)."""
    balls = zip(labels, places(len(labels), line), strict=True)
    return _svg(line, list(balls), title or f"Balls to place: {len(labels)}")


def rack_svg(whites: int, line: SpottingLine = DEFAULT_LINE, title: str = "") -> str:
    """The back half of the table with a rack of `whites` balls, complete or not (RP-7.N1)."""
    centres = rack.places(whites, rear_x=line.rear_x, ball_d=line.ball_d)
    return _svg(line, [("", centre) for centre in centres], title or f"Rack of {whites}")


def _svg(line: SpottingLine, balls: Sequence[tuple[str, Point]], title: str) -> str:
    """The x axis of the table runs to the right, y upwards; SVG's y runs downwards."""
    left, right, half = line.centre_x, line.foot_x, WIDTH_MM / 2
    box = f"{left - MARGIN_MM:g} {-half - MARGIN_MM:g} {right - left + 2 * MARGIN_MM:g} {WIDTH_MM + 2 * MARGIN_MM:g}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" role="img" aria-label="{_text(title)}">',
        f"<title>{_text(title)}</title>",
        f'<path d="M{left:g} {-half:g}H{right:g}V{half:g}H{left:g}" fill="none" stroke="currentColor" stroke-width="12"/>',
        f'<path d="M{left:g} {-half:g}V{half:g}" stroke="currentColor" stroke-width="4" stroke-dasharray="24 24"/>',
        f'<path d="M{left:g} 0H{right:g}" stroke="currentColor" stroke-width="3" stroke-dasharray="6 18"/>',
        f'<circle cx="{line.rear_x:g}" cy="0" r="8" fill="currentColor"/>',
    ]
    for label, (x, y) in balls:
        parts.append(
            f'<circle cx="{x:g}" cy="{-y:g}" r="{line.ball_d / 2:g}" fill="#fff" stroke="currentColor" stroke-width="4"/>'
        )
        if label:
            parts.append(
                f'<text x="{x:g}" y="{-y:g}" font-size="30" text-anchor="middle" dominant-baseline="central">{_text(label)}</text>'
            )
    return "".join((*parts, "</svg>"))


def _text(value: str) -> str:
    return value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
