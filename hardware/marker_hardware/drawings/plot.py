"""The front end's answer to bursts of every size: held voltage, latency and pulse width, with the corners as bars."""

import math

from marker_hardware.drawings.svg import FAINT, INK, Canvas, Point
from marker_hardware.spice import Row

BLUE, RED = "#1565c0", "#b3261e"
WIDTH, HEIGHT, GAP = 260.0, 190.0, 90.0
LOW_V, HIGH_V = 0.04, 80.0
TICKS_V = (0.05, 0.1, 0.35, 1, 5, 20, 60)


class Panel:
    """One diagram over the burst amplitude: logarithmic x, linear or logarithmic y."""

    def __init__(self, canvas: Canvas, left: float, title: str, ticks: tuple[float, ...], log: bool = False) -> None:
        """left: x of the axis; ticks: marks of the y axis, the first and last are its ends."""
        self.canvas, self.left, self.ticks, self.log = canvas, left, ticks, log
        canvas.text((left, HEIGHT + 22), title, "start", 1.1, bold=True)
        for tick in ticks:
            y = self._y(tick)
            canvas.line((left, y), (left + WIDTH, y), "#dde3e8", 0.6)
            canvas.text((left - 6, y), f"{tick:g}", "end", 0.8)
        for tick in TICKS_V:
            x = self._x(tick)
            canvas.line((x, 0), (x, -4), INK, 0.8)
            canvas.text((x, -14), f"{tick:g}", scale=0.8)
        canvas.text((left + WIDTH / 2, -34), "burst at the disc, V", scale=0.85)
        canvas.path([(left, HEIGHT), (left, 0), (left + WIDTH, 0)], INK, 1)

    def _x(self, volts: float) -> float:
        return self.left + WIDTH * math.log(volts / LOW_V) / math.log(HIGH_V / LOW_V)

    def _y(self, value: float) -> float:
        low, high = self.ticks[0], self.ticks[-1]
        value = min(max(value, low), high)
        return HEIGHT * (math.log(value / low) / math.log(high / low) if self.log else (value - low) / (high - low))

    def curve(self, points: list[Point], colour: str = BLUE) -> None:
        """A line with a dot at every simulated amplitude."""
        places = [(self._x(x), self._y(y)) for x, y in points]
        self.canvas.path(places, colour, 1.6)
        for place in places:
            self.canvas.circle(place, 2.2, colour, 0.8, "#fff")

    def bar(self, volts: float, low: float, high: float) -> None:
        """Spread of all corners and cables at one amplitude."""
        x = self._x(volts) + 3
        self.canvas.line((x, self._y(low)), (x, self._y(high)), RED, 2.4)
        for value in (low, high):
            self.canvas.line((x - 3, self._y(value)), (x + 3, self._y(value)), RED, 1.4)

    def limit(self, value: float, words: str) -> None:
        """A horizontal limit line with its name."""
        y = self._y(value)
        self.canvas.line((self.left, y), (self.left + WIDTH, y), FAINT, 1, "5 3")
        self.canvas.text((self.left + WIDTH - 2, y + 7), words, "end", 0.75, "#5a6670")


def draw(rows: list[Row], nominal: list[Row]) -> str:
    """SVG with three diagrams. rows: every corner and cable; nominal: the run with nominal parts and all amplitudes."""
    canvas = Canvas(-55, -75, 3 * WIDTH + 2 * GAP + 25, HEIGHT + 45, "Front end: simulated answer to bursts", 11)
    positive = [row for row in nominal if row["amp_v"] > 0]
    fired = [row for row in positive if row["fires"]]
    hold = Panel(canvas, 0, "held voltage, V", (0, 0.5, 1, 1.5, 2, 2.5, 3))
    hold.limit(3.0, "limit of the ADC pin")
    hold.limit(0.15, "lowest threshold 150 mV")
    hold.curve([(row["amp_v"], row["pk_max_v"]) for row in positive])
    latency = Panel(canvas, WIDTH + GAP, "latency, us", (1, 10, 100, 1000), log=True)
    latency.limit(100, "limit, positive first")
    latency.limit(600, "limit, negative first")
    latency.curve([(row["amp_v"], row["latency_us"]) for row in fired])
    pulse = Panel(canvas, 2 * (WIDTH + GAP), "pulse width, ms", (0, 10, 20, 30, 40, 50))
    pulse.curve([(row["amp_v"], row["pulse_ms"]) for row in fired])
    for volts in sorted({row["amp_v"] for row in rows if row["amp_v"] > 0 and row["fires"]}):
        chosen = [row for row in rows if row["amp_v"] == volts]
        if len(chosen) > 16:
            for panel, column in ((hold, "pk_max_v"), (latency, "latency_us"), (pulse, "pulse_ms")):
                panel.bar(volts, min(row[column] for row in chosen), max(row[column] for row in chosen))
    negative = [row["latency_us"] for row in rows if row["amp_v"] < 0]
    if negative:
        latency.bar(0.35, min(negative), max(negative))
    canvas.circle((0, -60), 2.6, BLUE, 1, "#fff")
    canvas.text((10, -60), "nominal parts, burst starts positive", "start", 0.9)
    canvas.line((300, -66), (300, -54), RED, 2.4)
    canvas.text((310, -60), "all corners and cables (upper latency bar: burst starts negative)", "start", 0.9)
    return canvas.render()
