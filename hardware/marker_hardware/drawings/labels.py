"""A page of cable labels to print, cut and wrap around both ends of every cable."""

from collections.abc import Sequence

from marker_hardware.drawings.svg import FAINT, INK, Canvas
from marker_hardware.harness import Label

PAGE_MM = (210.0, 297.0)
LABEL_MM = (63.0, 17.0)
MARGIN_MM = 10.5
COLUMNS = 3
ROWS = 16


def pages(labels: Sequence[Label], title: str) -> list[str]:
    """SVG pages in A4: designator twice (readable from both sides of the cable), the end it is at, the other end, length."""
    size = COLUMNS * ROWS
    return [_page(labels[i : i + size], f"{title}, page {i // size + 1}") for i in range(0, len(labels), size)]


def _page(labels: Sequence[Label], title: str) -> str:
    canvas = Canvas(0, -PAGE_MM[1], PAGE_MM[0], 0, title, 3.4)
    canvas.text((MARGIN_MM, -6), title, "start", 0.9, FAINT)
    for index, label in enumerate(labels):
        x = MARGIN_MM + (index % COLUMNS) * LABEL_MM[0]
        y = -MARGIN_MM - (index // COLUMNS) * LABEL_MM[1]
        canvas.rect((x, y), (x + LABEL_MM[0], y - LABEL_MM[1]), FAINT, 0.2, dash="1.5 1.5")
        for side in (x + 3, x + LABEL_MM[0] / 2 + 2):
            canvas.text((side, y - 5), label.cable, "start", 1.35, INK, bold=True)
            canvas.text((side, y - 10), f"{label.at} > {label.to}", "start", 0.9)
            canvas.text((side, y - 14), f"{label.length_m:g} m", "start", 0.8, "#4b5a66")
        canvas.line((x + LABEL_MM[0] / 2, y), (x + LABEL_MM[0] / 2, y - LABEL_MM[1]), FAINT, 0.15, "0.6 1.2")
    # A4 in real millimetres, so that a browser prints it at scale 1.
    return canvas.render().replace("<svg ", f'<svg width="{PAGE_MM[0]:g}mm" height="{PAGE_MM[1]:g}mm" ', 1)
