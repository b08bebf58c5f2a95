"""A small writer of SVG drawings in millimetres, y upwards, with numbers in a fixed form."""

import math
from collections.abc import Sequence
from html import escape

INK = "#1d2730"
FAINT = "#8a97a3"
Point = tuple[float, float]


def number(value: float) -> str:
    """A coordinate with at most one decimal, without a negative zero."""
    text = f"{value:.1f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


class Canvas:
    """Collects shapes. Coordinates are mm with y upwards; the picture shows x0..x1 by y0..y1."""

    def __init__(self, x0: float, y0: float, x1: float, y1: float, title: str, font: float) -> None:
        """font: height of ordinary text in the units of the drawing."""
        self.bounds = (x0, y0, x1, y1)
        self.title = title
        self.font = font
        self.items: list[str] = []

    def line(
        self, a: Point, b: Point, colour: str = INK, width: float = 2.0, dash: str = "", arrows: bool = False
    ) -> None:
        """A straight line; arrows puts a head on both ends."""
        self.path([a, b], colour, width, dash)
        if arrows:
            length = math.dist(a, b) or 1.0
            ux, uy = (b[0] - a[0]) / length, (b[1] - a[1]) / length
            head = self.font * 0.5
            for tip, sign in ((a, 1), (b, -1)):
                back = (tip[0] + sign * ux * head, tip[1] + sign * uy * head)
                side = (-uy * head * 0.3, ux * head * 0.3)
                corners = [tip, (back[0] + side[0], back[1] + side[1]), (back[0] - side[0], back[1] - side[1])]
                self.path(corners, "none", 0, fill=colour, closed=True)

    def path(
        self,
        points: Sequence[Point],
        colour: str = INK,
        width: float = 2.0,
        dash: str = "",
        fill: str = "none",
        closed: bool = False,
    ) -> None:
        """A line through points, or an area when closed."""
        data = "M" + "L".join(f"{number(x)} {number(-y)}" for x, y in points) + ("Z" if closed else "")
        extra = f' stroke-dasharray="{dash}"' if dash else ""
        self.items.append(f'<path d="{data}" fill="{fill}" stroke="{colour}" stroke-width="{number(width)}"{extra}/>')

    def rect(
        self, a: Point, b: Point, colour: str = INK, width: float = 2.0, fill: str = "none", dash: str = ""
    ) -> None:
        """A rectangle between two corners."""
        self.path([a, (b[0], a[1]), b, (a[0], b[1])], colour, width, dash, fill, closed=True)

    def circle(self, at: Point, radius: float, colour: str = INK, width: float = 2.0, fill: str = "none") -> None:
        """A circle."""
        self.items.append(
            f'<circle cx="{number(at[0])}" cy="{number(-at[1])}" r="{number(radius)}" fill="{fill}" '
            f'stroke="{colour}" stroke-width="{number(width)}"/>'
        )

    def text(
        self, at: Point, words: str, anchor: str = "middle", scale: float = 1.0, colour: str = INK, bold: bool = False
    ) -> None:
        """One or more lines of text; `at` is the middle of the first line's height. Lines are split at newlines."""
        weight = ' font-weight="600"' if bold else ""
        for index, line in enumerate(words.split("\n")):
            y = -at[1] + self.font * scale * (0.35 + 1.25 * index)
            self.items.append(
                f'<text x="{number(at[0])}" y="{number(y)}" text-anchor="{anchor}" font-size="{number(self.font * scale)}" '
                f'fill="{colour}" stroke="#fff" stroke-width="{number(self.font * scale * 0.18)}" paint-order="stroke"'
                f"{weight}>{escape(line)}</text>"
            )

    def dimension(self, a: Point, b: Point, words: str, offset: Point = (0.0, 0.0)) -> None:
        """A dimension line between two points, moved by offset, with its value beside the middle."""
        p, q = (a[0] + offset[0], a[1] + offset[1]), (b[0] + offset[0], b[1] + offset[1])
        if offset != (0.0, 0.0):
            for start, end in ((a, p), (b, q)):
                self.line(start, end, FAINT, self.font * 0.04)
        self.line(p, q, INK, self.font * 0.05, arrows=True)
        middle = ((p[0] + q[0]) / 2, (p[1] + q[1]) / 2)
        if abs(q[0] - p[0]) >= abs(q[1] - p[1]):
            self.text((middle[0], middle[1] + self.font * 0.7), words)
        else:
            self.text((middle[0] + self.font * 0.4, middle[1]), words, anchor="start")

    def render(self) -> str:
        """The whole file."""
        x0, y0, x1, y1 = self.bounds
        box = f"{number(x0)} {number(-y1)} {number(x1 - x0)} {number(y1 - y0)}"
        head = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" font-family="Helvetica, Arial, sans-serif" role="img">',
            f"<title>{escape(self.title)}</title>",
            f'<rect x="{number(x0)}" y="{number(-y1)}" width="{number(x1 - x0)}" height="{number(y1 - y0)}" fill="#fff"/>',
        ]
        return "\n".join([*head, *self.items, "</svg>"]) + "\n"
