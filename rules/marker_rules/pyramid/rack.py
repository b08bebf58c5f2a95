"""The rack of clause 7, complete or not: how many balls stand in which row, counted from the apex on the rear spot."""

from __future__ import annotations

from marker_rules.errors import IllegalInput

FULL_RACK = 15


def rows(whites: int) -> tuple[int, ...]:
    """Balls in each row from the apex to the base, for 0 to 15 whites (RP-7.1, RP-7.N1, RP-24.N1, AMB-30).

    The base is the shortest full row that leaves room for all; what is missing is missing at the apex:
    9 -> 0,2,3,4; 13 -> 0,1,3,4,5. Raises IllegalInput for another number.
    """
    if not 0 <= whites <= FULL_RACK:
        raise IllegalInput(f"a rack of {whites} balls: give 0 to {FULL_RACK}", code="rack")
    base = 0
    while base * (base + 1) // 2 < whites:
        base += 1
    missing = base * (base + 1) // 2 - whites
    found = []
    for row in range(1, base + 1):
        gone = min(row, missing)
        missing -= gone
        found.append(row - gone)
    return tuple(found)


def places(whites: int, *, rear_x: float, ball_d: float) -> tuple[tuple[float, float], ...]:
    """Centres of the balls in the table's frame, mm: apex on the rear spot, rows towards the foot rail (+x).

    rear_x: x of the rear spot. ball_d: diameter of a ball. In a row the seats lie from +y (left) to -y (right); a row
    that is not full keeps the seats of the full triangle (between them the balls of the next row would be in the way).
    """
    pitch = ball_d * 3**0.5 / 2
    found = []
    for row, count in enumerate(rows(whites)):
        seats = row + 1
        first = (seats - count) // 2
        found += [(rear_x + row * pitch, (seats - 1 - 2 * (first + i)) * ball_d / 2) for i in range(count)]
    return tuple(found)
