"""Scenes played as if they happened on a table, without a hub: facts become a timeline, sensors feel it, a truthful referee answers.

Facts without times follow each other by 150 ms with usual strengths. What no sensor feels the referee enters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from marker_rules.balls import ALL_PINS, Ball, Pin
from marker_rules.evidence import Evidence
from marker_rules.facts import Off
from marker_rules.game import game
from marker_rules.ruling import Ruling
from marker_rules.scenario import Mismatch, Raw, compare
from marker_sim.detector import Detector
from marker_sim.judging import Case, Engine, Look, judge_with
from marker_sim.reading import Fitted, sensed
from marker_sim.referee import answers, called
from marker_sim.scenes import SEEN_ONLY, Scene, ScriptError, read_scene
from marker_sim.score import Judged
from marker_sim.sensors.table import sensors_of
from marker_sim.truth import TrueShot

UNASKED = frozenset({"credited", "respot", "legal_by", "violations", "balls_to_place"})
"""Pyramid: which white ball it was, and which clause made a shot legal or foul: not asked, because no score depends on it."""
BEGIN_US = 1_500_000
SETTLED_US = 700_000


@dataclass(frozen=True, slots=True)
class Scripted:
    """What came of one scene: the ruling at the end of the referee's sheet against its `expect`."""

    id: str
    judged: Judged
    mismatch: tuple[Mismatch, ...]

    @property
    def good(self) -> bool:
        """As expected, with nothing guessed or excluded on the way."""
        return not self.mismatch and not self.judged.failed


def play(told: Scene | Raw, fitted: Fitted = Fitted.HINTS) -> Scripted:
    """Play one scene through sensors, detection and evidence engine. Raises ScriptError, ScenarioError, RulesError."""
    scene = told if isinstance(told, Scene) else read_scene(told)
    if scene.shot is None:
        raise ScriptError(
            f"{scene.id}: nobody strikes: only a hub can say what it is; play it --through hub or firmware"
        )
    evidence = _felt(scene, scene.shot, fitted)
    case = Case(1, scene.before, scene.options, evidence, answers(scene.shot), scene.shot.ruling, scene.shot.line())
    judged, look = judge_with(case, Engine())
    return Scripted(scene.id, judged, _against(scene, look))


def expected(scene: Scene) -> dict[str, Any]:
    """What must come out, without what nobody is asked."""
    return {key: value for key, value in scene.expect.items() if not (scene.game.is_pyramid and key in UNASKED)}


def _against(scene: Scene, look: Look | None) -> tuple[Mismatch, ...]:
    if look is None:
        return (Mismatch("ruling", "one", None),)
    ruling: Ruling = look.ruling
    return tuple(compare(expected(scene), game(scene.game).result(ruling, scene.before)))


def _felt(scene: Scene, shot: TrueShot, fitted: Fitted) -> Evidence:
    """What the node reports of the timeline, and what the referee enters besides."""
    profile = scene.profile
    sensors = sensors_of(profile, 1, "1")
    node = Detector(profile.value)
    standing: frozenset[Pin] = getattr(scene.before, "pins", frozenset())
    node.feed(sensors.stand(sorted(ALL_PINS & sensors.standing), 0, 0))
    begin = BEGIN_US + 5 * 2_500_000 + SETTLED_US
    node.until(begin)
    first = node.outbox.head
    node.arm(1, standing)
    node.feed(sensors.shot(1, shot.timeline, begin, scene.besides))
    node.until(begin + shot.timeline.rest_ns // 1000 + SETTLED_US)
    entered = called(shot)
    calls = tuple(dict.fromkeys(call for call, _ in entered))
    seen = [item.fact for item in shot.timeline.items if isinstance(item.fact, SEEN_ONLY)]
    facts = (*seen, *dict.fromkeys(Off(Ball(name)) for _, names in entered for name in names))
    codes = dict(node.sensors.health.codes)
    return sensed(node.records(first), codes, sorted(standing), profile, fitted, calls, facts)
