"""A second judge of clauses 18 and 11.1, written from the clause words by brute force over the facts as text.

It shares nothing with the product but the scenario words: no parser, no tables, no bits. Both must agree on random shots.
"""

from __future__ import annotations

import os
from random import Random

import pytest

from marker_rules.balls import GameId
from marker_rules.notation import parse_facts
from marker_rules.options import Options
from marker_rules.pyramid.games import FREE
from marker_rules.shot import Shot

SWITCHES = {
    "two_rails": ("same_ball", "any_balls"),
    "zone_stop_requires_rail": (True, False),
    "frozen_first_touch": (False, True),
    "jaw_counts_as_rail": (True, False),
}
RAILS = ("head", "foot", "left", "right")
POCKETS = ("FL", "FR", "ML", "MR", "BL", "BR")
ROUNDS = 100_000 if os.environ.get("MARKER_LONG") else 6_000


class Naive:
    """The facts of one shot, asked one question at a time."""

    def __init__(self, texts: list[str], switch: dict[str, object]) -> None:
        self.words = [text.split() for text in texts]
        self.switch = switch
        self.cue = next(w[1] for w in self.words if w[0] == "strike")
        self.start = next((i for i in range(len(self.words)) if any(self.cue in p for p in self.pairs(i))), None)

    def pairs(self, i: int) -> list[tuple[str, str]]:
        """The meetings of fact i that count as meetings."""
        words = self.words[i]
        if words[0] != "contact" or words[-1] == "unmoved":
            return []
        return [(words[j + 1], words[j + 2]) for j in range(0, len(words), 4)]

    def meets(self, i: int, ball: str, other: str) -> bool:
        return (ball, other) in self.pairs(i) or (other, ball) in self.pairs(i)

    def on_table(self, i: int, ball: str) -> bool:
        """A ball that was off before fact i takes no part, even if it came back from a foreign object."""
        return not any(w[0] == "off" and w[1] == ball for w in self.words[:i])

    def lay(self, ball: str) -> set[str]:
        return {w[2] for w in self.words if w[0] == "frozen" and w[1] == ball}

    def has_left(self, i: int, ball: str) -> bool:
        """Before fact i the ball must have moved away from where it lay."""
        first_by = None
        for k in range(i):
            w = self.words[k]
            if w[0] in ("cushion", "jaw", "cross") and w[1] == ball:
                return True
            for one, other in self.pairs(k):
                if ball not in (one, other):
                    continue
                met = other if ball == one else one
                moving = ball == self.cue or first_by is not None
                if moving and first_by != met and not (self.lay(ball) & self.lay(met)):
                    return True
                if first_by is None:
                    first_by = met
        return False

    def touches(self, i: int, ball: str) -> str | None:
        """The cushion that `ball` touches by fact i, if that counts."""
        w = self.words[i]
        if self.start is None or i < self.start or w[1:2] != [ball] or not self.on_table(i, ball):
            return None
        if w[0] == "jaw":
            side = {"ML": "left", "MR": "right"}[w[2]]
            return side if self.switch["jaw_counts_as_rail"] else None
        if w[0] != "cushion":
            return None
        pressed = w[2] in self.lay(ball) and not self.has_left(i, ball)
        return None if pressed and not self.switch["frozen_first_touch"] else w[2]

    def crosses(self, i: int, ball: str) -> bool:
        w = self.words[i]
        return (
            self.start is not None
            and i >= self.start
            and w[0] in ("cross", "jaw")
            and w[1] == ball
            and self.on_table(i, ball)
        )

    def stops(self, i: int, ball: str) -> bool:
        w = self.words[i]
        return self.start is not None and i >= self.start and w[:2] == ["zone", ball] and self.on_table(i, ball)

    def balls(self) -> set[str]:
        return {word for w in self.words for word in w if word == "C" or (word[0] == "w" and word[1:].isdigit())}

    def reaches(self, i: int, ball: str, other: str) -> bool:
        """`ball` meets `other`, both on the table, after the contact."""
        return (
            self.start is not None
            and i >= self.start
            and self.meets(i, ball, other)
            and self.on_table(i, ball)
            and self.on_table(i, other)
        )

    def stands(self, i: int, ball: str) -> set[str]:
        """Cushions the ball stands against at fact i: it lay there and nothing met it earlier."""
        met_before = any(ball in pair for k in range(i) for pair in self.pairs(k))
        return set() if met_before else self.lay(ball)

    def potted(self) -> set[str]:
        fallen: set[str] = set()
        for i, w in enumerate(self.words):
            if w[0] == "pot" and self.on_table(i, w[1]):
                fallen.add(w[1])
            if w[0] == "back":
                fallen.discard(w[1])
        return fallen

    def clause_18(self) -> list[str]:  # noqa: C901 - one question after the other, as the clause asks them
        """Every condition of clause 18 that is met, in the order of the text."""
        n, found = range(len(self.words)), []
        if self.potted():
            found.append("RP-18.1")
        balls = sorted(self.balls())
        then = [(i, j) for i in n for j in n if i < j]
        same_or_later = [(i, j) for i in n for j in n if i <= j]  # a jaw is a crossing and then a cushion
        touch = {(i, b): self.touches(i, b) for i in n for b in balls}
        cross = {(i, b) for i in n for b in balls if self.crosses(i, b)}

        def two(i: int, j: int, x: str, y: str) -> bool:
            return bool(touch[i, x] and touch[j, y] and touch[i, x] != touch[j, y])

        def frozen_other(j: int, x: str, y: str, than: str | None) -> bool:
            return self.reaches(j, x, y) and bool(self.stands(j, y) - {than})

        if any(two(i, j, x, x) for i, j in then for x in balls) or (
            self.switch["two_rails"] == "any_balls"
            and any(two(i, j, x, y) for i, j in then for x in balls for y in balls)
        ):
            found.append("RP-18.2")
        drives = [(i, x, y) for i in n for x in balls for y in balls if x != y and self.reaches(i, x, y)]
        if any(i < k < j and two(i, j, x, y) for k, x, y in drives for i, j in then):
            found.append("RP-18.2a")
        if any(touch[i, x] and i < k and frozen_other(k, x, y, touch[i, x]) for k, x, y in drives for i in n):
            found.append("RP-18.2b")
        if any((i, x) in cross and touch[j, x] for i, j in same_or_later for x in balls):
            found.append("RP-18.3a")
        if any((i, x) in cross and i < k < j and touch[j, y] for k, x, y in drives for i, j in then):
            found.append("RP-18.3b")
        if any((i, x) in cross and i < k and self.stands(k, y) for k, x, y in drives for i in n):
            found.append("RP-18.3c")
        if any(touch[i, x] and (j, x) in cross for i, j in then for x in balls):
            found.append("RP-18.4a")
        if any(touch[i, x] and i < k < j and (j, y) in cross for k, x, y in drives for i, j in then):
            found.append("RP-18.5")
        free = not self.switch["zone_stop_requires_rail"]
        if any((touch[i, x] or free) and self.stops(j, x) for i, j in same_or_later for x in balls):
            found.append("RP-18.6")
        return found

    def clause_11(self) -> str | None:
        """The condition of 11.1 that is met when no other rule is broken."""
        if self.potted():
            return "RP-11.1.1"
        n = range(len(self.words))
        objects = [ball for ball in self.balls() if ball != self.cue]
        reached = [ball for ball in objects if any(self.touches(i, ball) for i in n)]
        if len(reached) >= 3:
            return "RP-11.1.2"
        crossed = any(self.crosses(i, ball) for i in n for ball in objects)
        return "RP-11.1.3" if len(reached) == 2 and crossed else None


def random_texts(rng: Random) -> list[str]:  # noqa: C901 - one branch for each fact word
    """A random story of 1 to 12 events among few balls, so that patterns often nearly fit."""
    balls = ["C", "w1", "w2", "w3"][: rng.randint(2, 4)]
    texts = [f"frozen {ball} {rng.choice(RAILS)}" for ball in balls if rng.random() < 0.25]
    texts.append("strike C")
    alive = list(balls)

    def pair() -> str:
        return "contact " + " ".join(rng.sample(alive, 2))

    for _ in range(rng.randint(1, 11)):
        if len(alive) < 2:
            break
        kind = rng.choices(
            ["contact", "cushion", "cross", "zone", "jaw", "unmoved", "twice", "off", "lamp", "back", "return"],
            [30, 30, 14, 4, 4, 3, 4, 1, 2, 1, 2],
        )[0]
        ball = rng.choice(alive)
        if kind == "contact":
            texts.append(pair())
        elif kind == "unmoved":
            texts.append(pair() + " unmoved")
        elif kind == "twice":
            texts.append(f"{pair()} & {pair()}")
        elif kind == "cushion":
            texts.append(f"cushion {ball} {rng.choice(RAILS)}")
        elif kind == "cross":
            texts.append(f"cross {ball}")
        elif kind == "zone":
            texts.append(f"zone {ball} {rng.choice(POCKETS)}")
        elif kind == "jaw":
            texts.append(f"jaw {ball} {rng.choice(('ML', 'MR'))}")
        elif kind in ("off", "lamp") and ball != "C":
            alive.remove(ball)
            texts.append(f"off {ball} {'lamp' if kind == 'lamp' else 'floor'}")
        elif kind == "back":
            texts.append(f"back {ball} BL")
        elif kind == "return":
            texts.append(f"return {ball} rail-top")
    if rng.random() < 0.05 and alive:
        texts.append(f"pot {rng.choice(alive)} {rng.choice(POCKETS)}")
    return texts


@pytest.mark.slow
@pytest.mark.clause("RP-18.0")
@pytest.mark.clause("RP-18.N1")
@pytest.mark.parametrize("seed", range(4))
def test_ordinary_shots(seed: int) -> None:
    """Legality and the condition named agree with the brute force, under every combination of switches."""
    rng = Random(seed)
    seen = dict.fromkeys(("RP-18.2", "RP-18.2a", "RP-18.2b", "RP-18.3b", "RP-18.3c", "RP-18.5", "RP-18.6", None), 0)
    for _ in range(ROUNDS // 4):
        texts = random_texts(rng)
        switch = {name: rng.choice(values) for name, values in SWITCHES.items()}
        options = Options(GameId.FREE, switch)
        before = FREE.read_before({"shelf": {"A": 0, "B": 0}}, options)
        ruling = FREE.rule(Shot(tuple(parse_facts(texts))), before, options)
        naive = Naive(texts, switch)
        met = naive.clause_18() if naive.start is not None else []
        assert ruling.legal_by == (met[0] if met else None), (texts, switch, met)
        assert ruling.legal is (bool(met)), (texts, switch)
        seen[ruling.legal_by] = seen.get(ruling.legal_by, 0) + 1
    assert all(seen.values()), f"the random shots never met a condition: {seen}"


@pytest.mark.slow
@pytest.mark.clause("RP-11.1.0")
@pytest.mark.parametrize("seed", range(2))
def test_breaks(seed: int) -> None:
    """The condition of 11.1 agrees with the brute force."""
    rng = Random(1_000 + seed)
    seen = {"RP-11.1.1": 0, "RP-11.1.2": 0, "RP-11.1.3": 0, None: 0}
    for _ in range(ROUNDS // 4):
        texts = random_texts(rng)
        switch = {name: rng.choice(values) for name, values in SWITCHES.items()}
        options = Options(GameId.FREE, switch)
        ruling = FREE.rule(Shot(tuple(parse_facts(texts))), FREE.read_before({"phase": "break"}, options), options)
        naive = Naive(texts, switch)
        met = naive.clause_11() if naive.start is not None else None
        assert ruling.legal_by == met, (texts, switch)
        seen[ruling.legal_by] += 1
    assert all(seen.values()), f"the random breaks never met a condition: {seen}"
