"""Things that stand, lie or roll on a table, and the two people who play: enums only.

Where they stand in millimetres is data of the table files; which side a name means is the table's frame.
"""

from __future__ import annotations

from enum import StrEnum


class GameId(StrEnum):
    """The games this package judges; the value is the name used in scenario files, options and the record."""

    FIVE_PINS = "five-pins"
    FREE = "free-pyramid"
    DYNAMIC = "dynamic-pyramid"
    COMBINED = "combined-pyramid"

    @property
    def is_pyramid(self) -> bool:
        """True for the three games of Russian pyramid."""
        return self is not GameId.FIVE_PINS


class Player(StrEnum):
    """One of the two players of a match; A and B never swap during it."""

    A = "A"
    B = "B"

    @property
    def other(self) -> Player:
        """The opponent."""
        return Player.B if self is Player.A else Player.A


class Ball(StrEnum):
    """A ball by its role (five-pins) or its mark (pyramid)."""

    CUE = "cue"  # five-pins: the striker's ball
    OPPONENT = "opponent"  # five-pins: the other player's ball
    RED = "red"
    C = "C"  # pyramid: the coloured ball
    W1 = "w1"
    W2 = "w2"
    W3 = "w3"
    W4 = "w4"
    W5 = "w5"
    W6 = "w6"
    W7 = "w7"
    W8 = "w8"
    W9 = "w9"
    W10 = "w10"
    W11 = "w11"
    W12 = "w12"
    W13 = "w13"
    W14 = "w14"
    W15 = "w15"


FIVE_PINS_BALLS = (Ball.CUE, Ball.OPPONENT, Ball.RED)
PYRAMID_BALLS = tuple(ball for ball in Ball if ball not in FIVE_PINS_BALLS)
WHITES = PYRAMID_BALLS[1:]


class Pin(StrEnum):
    """A skittle by its place: centre, north (towards the top cushion), east (right), south, west (left)."""

    C = "C"
    N = "N"
    E = "E"
    S = "S"
    W = "W"


ALL_PINS = frozenset(Pin)
SIDE_PINS = frozenset(Pin) - {Pin.C}


class Rail(StrEnum):
    """A cushion: four names on the carom table, four on the pyramid table (left and right are shared words)."""

    TOP = "top"
    BOTTOM = "bottom"
    LEFT = "left"
    RIGHT = "right"
    HEAD = "head"
    FOOT = "foot"


CAROM_RAILS = frozenset({Rail.TOP, Rail.BOTTOM, Rail.LEFT, Rail.RIGHT})
PYRAMID_RAILS = frozenset({Rail.HEAD, Rail.FOOT, Rail.LEFT, Rail.RIGHT})


class Pocket(StrEnum):
    """A pocket: front, middle or back; left or right as seen from the house looking to the foot."""

    FL = "FL"
    FR = "FR"
    ML = "ML"
    MR = "MR"
    BL = "BL"
    BR = "BR"


SIDE_POCKETS = frozenset({Pocket.ML, Pocket.MR})
