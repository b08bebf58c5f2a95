"""Scenario files played as if they happened on a table: facts become a timeline, sensors feel it, a truthful referee answers.

Facts without times follow each other by 150 ms with usual strengths. What no sensor feels the referee enters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from marker_hardware.wire import Profile
from marker_rules.balls import ALL_PINS, Ball, GameId, Pin
from marker_rules.evidence import Evidence
from marker_rules.facts import Contact, Cushion, Fact, Free, Interference, Lean, Off, Strike, Support, Topple
from marker_rules.game import game
from marker_rules.ruling import Ruling
from marker_rules.scenario import Mismatch, Raw, compare, map_field, read_calls, read_facts, read_options, text_field
from marker_rules.shot import Call
from marker_sim.detector import Detector
from marker_sim.judging import Case, Engine, Look, judge_with
from marker_sim.reading import Fitted, sensed
from marker_sim.referee import answers, called
from marker_sim.score import Judged
from marker_sim.sensors.table import sensors_of
from marker_sim.timeline import MS, Timed, Timeline
from marker_sim.truth import TrueShot

STEP_MS = 150
REST_MS = 3_000
STRENGTH = {Strike: 2.0, Contact: 1.0, Cushion: 1.0, Topple: 0.6}  # m/s
SEEN_ONLY = (Lean, Support, Interference, Free)  # no sensor feels these; the referee says them
UNASKED = frozenset({"credited", "respot", "legal_by", "violations", "balls_to_place"})
"""Pyramid: which white ball it was, and which clause made a shot legal or foul: not asked, because no score depends on it."""
BEGIN_US = 1_500_000
SETTLED_US = 700_000


class ScriptError(ValueError):
    """A scenario that cannot be played: its id, and why."""


@dataclass(frozen=True, slots=True)
class Scripted:
    """What came of one scenario: the ruling at the end of the referee's sheet against its `expect`."""

    id: str
    judged: Judged
    mismatch: tuple[Mismatch, ...]

    @property
    def good(self) -> bool:
        """As expected, with nothing guessed or excluded on the way."""
        return not self.mismatch and not self.judged.failed


def timeline(facts: tuple[Fact, ...], calls: tuple[Call, ...], decided: tuple[tuple[str, str], ...] = ()) -> Timeline:
    """Facts in their order, 150 ms apart, with usual strengths."""
    items = tuple(Timed(at * STEP_MS * MS, fact, STRENGTH.get(type(fact), 0.5)) for at, fact in enumerate(facts))
    return Timeline(items, (len(facts) * STEP_MS + REST_MS) * MS, calls, decided)


def play(raw: Raw, fitted: Fitted = Fitted.HINTS) -> Scripted:
    """Play one `kind: shot` scenario through sensors, detection and evidence engine. Raises ScriptError, RulesError."""
    name = text_field(raw, "id")
    if raw.get("kind") != "shot":
        raise ScriptError(f"{name}: kind '{raw.get('kind')}' is no shot")
    game_id = GameId(text_field(raw, "game"))
    options = read_options(raw, game_id)
    rules = game(game_id)
    before = rules.read_before(map_field(raw, "before"), options)
    told = timeline(read_facts(raw), read_calls(raw))
    truth = rules.rule(told.shot, before, options)
    shot = TrueShot(1, truth.striker, told, truth, before)
    evidence = _felt(game_id, shot, before, fitted)
    case = Case(1, before, options, evidence, answers(shot), truth, shot.line())
    judged, look = judge_with(case, Engine())
    return Scripted(name, judged, _against(raw, look, rules, before, pyramid=game_id.is_pyramid))


def _against(raw: Raw, look: Look | None, rules: Any, before: Any, *, pyramid: bool) -> tuple[Mismatch, ...]:
    if look is None:
        return (Mismatch("ruling", "one", None),)
    ruling: Ruling = look.ruling
    expected = {key: value for key, value in map_field(raw, "expect").items() if not (pyramid and key in UNASKED)}
    return tuple(compare(expected, rules.result(ruling, before)))


def _felt(game_id: GameId, shot: TrueShot, before: Any, fitted: Fitted) -> Evidence:
    """What the node reports of the timeline, and what the referee enters besides."""
    profile = Profile.PYRAMID if game_id.is_pyramid else Profile.CAROM5
    sensors = sensors_of(profile, 1, "1")
    node = Detector(profile.value)
    standing: frozenset[Pin] = getattr(before, "pins", frozenset())
    node.feed(sensors.stand(sorted(ALL_PINS & sensors.standing), 0, 0))
    begin = BEGIN_US + 5 * 2_500_000 + SETTLED_US
    node.until(begin)
    first = node.outbox.head
    node.arm(1, standing)
    node.feed(sensors.shot(1, shot.timeline, begin))
    node.until(begin + shot.timeline.rest_ns // 1000 + SETTLED_US)
    entered = called(shot)
    calls = tuple(dict.fromkeys(call for call, _ in entered))
    seen = [item.fact for item in shot.timeline.items if isinstance(item.fact, SEEN_ONLY)]
    facts = (*seen, *dict.fromkeys(Off(Ball(name)) for _, names in entered for name in names))
    codes = dict(node.sensors.health.codes)
    return sensed(node.records(first), codes, sorted(standing), profile, fitted, calls, facts)
