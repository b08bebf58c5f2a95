"""Clause 18: what completes an ordinary shot, pattern by pattern, in order, with every switch that touches it."""

from __future__ import annotations

from typing import Any

import pytest

C = "strike C; contact C w3; "


def ids(value: object) -> str | None:
    return str(value).replace(C, "... ") if isinstance(value, str) else None


LEGAL = [
    # 18.1
    (C + "pot w3 BL", "RP-18.1"),
    (C + "pot C ML", "RP-18.1"),
    (C + "contact w3 w8; pot w8 FL", "RP-18.1"),
    # 18.2: one ball, two different cushions
    (C + "cushion w3 left; cushion w3 foot", "RP-18.2"),
    (C + "cushion C head; cushion C right", "RP-18.2"),
    (C + "cushion w3 head; cushion w3 foot", "RP-18.2"),
    (C + "cushion w3 right; cushion w3 left", "RP-18.2"),
    (C + "contact w3 w8; cushion w8 left; cushion C foot; cushion w8 right", "RP-18.2"),
    (C + "cushion w3 left; cushion w3 left; cushion w3 foot", "RP-18.2"),
    # 18.2a: drives a ball to another cushion
    (C + "cushion w3 left; contact w3 w8; cushion w8 foot", "RP-18.2a"),
    (C + "cushion C head; contact C w8; cushion w8 left", "RP-18.2a"),
    (C + "cushion w3 left; contact C w3; cushion C foot", "RP-18.2a"),  # two moving balls drive each other
    # 18.2b: touches a ball frozen to another cushion
    ("frozen w8 foot; " + C + "cushion w3 left; contact w3 w8", "RP-18.2b"),
    ("frozen w8 left; frozen w8 foot; " + C + "cushion w3 left; contact w3 w8", "RP-18.2b"),  # in the corner
    # 18.3: crossing first
    (C + "cross w3; cushion w3 foot", "RP-18.3a"),
    (C + "cross C; cushion C left", "RP-18.3a"),
    (C + "cross w3; contact w3 w8; cushion w8 foot", "RP-18.3b"),
    ("frozen w6 foot; " + C + "cross w3; contact w3 w6", "RP-18.3c"),
    ("frozen w6 foot; " + C + "cross w3; contact w6 w3", "RP-18.3c"),  # whichever is named first
    # 18.4 and what is printed as 18.5 and 18.6: cushion first
    (C + "cushion w3 left; cross w3", "RP-18.4a"),
    (C + "cushion C head; contact C w8; cross w8", "RP-18.5"),
    (C + "cushion w3 left; contact w3 w8; cross w8", "RP-18.5"),
    (C + "cushion w3 foot; zone w3 BL", "RP-18.6"),
    # the jaw of a side pocket crosses and is a cushion (18.N3, AMB-47)
    (C + "jaw w3 ML", "RP-18.3a"),
    (C + "cushion w3 right; jaw w3 ML", "RP-18.2"),
    (C + "contact w3 w8; jaw C MR", "RP-18.3a"),
    # cushions before the contact earn nothing and do no harm (4.2, AMB-06)
    ("strike C; cushion C left; contact C w3; cushion w3 foot; cushion w3 right", "RP-18.2"),
    # a touching ball that did not move is no contact; the next one is (17.N1)
    ("strike C; contact C w3 unmoved; contact C w9; cushion w9 left; cushion w9 foot", "RP-18.2"),
    # the contact may be told from either ball, and with others at the same instant
    ("strike C; contact w3 C; cushion w3 left; cushion w3 foot", "RP-18.2"),
    ("strike C; contact w4 w5 & contact C w3; cushion w3 left; cushion w3 foot", "RP-18.2"),
]
FOULS = [
    C,
    C + "cushion w3 left; cushion C right",  # two balls, one cushion each
    C + "cushion w3 left; cushion w3 left",  # one cushion twice
    C + "contact w3 w8; cushion w3 left; cushion w8 foot",  # driven before the cushion
    C + "cushion w3 left; contact w3 w8; cushion w8 left",  # driven to the same cushion
    C + "cushion w3 left; contact w3 w8; contact w8 w9; cushion w9 foot",  # a chain of two
    "frozen w8 left; " + C + "cushion w3 left; contact w3 w8",  # frozen to the same cushion
    "frozen w8 foot; " + C + "contact w3 w8; cushion w3 left",  # touched before the cushion
    "frozen w8 foot; " + C + "contact C w8; cushion w3 left; contact w3 w8",  # it stands there no longer
    "frozen w6 foot; " + C + "contact w3 w6; cross w3",  # touched before the crossing
    "frozen w6 foot; strike C; contact w5 w6; contact C w3; cross w3; contact w3 w6",  # it had moved before
    C + "cross C; cushion w3 left",  # another ball
    C + "cross w3; contact C w8; cushion w8 foot",  # driven by a ball that did not cross
    C + "contact w3 w8; cross w3; cushion w8 foot",  # driven before the crossing
    C + "cushion w3 left; contact C w8; cross w8",
    C + "zone w3 BL",
    C + "zone w3 BL; cushion w3 left",  # the stop comes after the rebound
    C + "cushion C left; zone w3 BL",  # another ball
    "strike C; cushion C left; contact C w3; cushion C foot",  # only one after the contact
    "strike C; cross C; contact C w3; cushion C foot",  # crossed before the contact
    C + "return w3 rail-top; cushion w3 left",
    C + "cushion w3 left; off w3 lamp; contact w3 w8; cushion w8 foot",
    C + "off w3 lamp; cushion w3 left; cushion w3 foot",  # it counts as off from the lamp on
    C + "cushion w3 left; off w3 lamp; cross w3",
    C + "cushion w3 left; off w3 lamp; zone w3 BL",
    C + "cross w3; contact w3 w8; contact w8 w9; cushion w9 foot",  # a chain of two (AMB-51)
    C + "cushion w3 left; contact w3 w8; contact w8 w9; cross w9",
]


@pytest.mark.clause("RP-18.0")
@pytest.mark.clause("RP-18.1")
@pytest.mark.clause("RP-18.2")
@pytest.mark.clause("RP-18.2a")
@pytest.mark.clause("RP-18.2b")
@pytest.mark.clause("RP-18.3a")
@pytest.mark.clause("RP-18.3b")
@pytest.mark.clause("RP-18.3c")
@pytest.mark.clause("RP-18.4a")
@pytest.mark.clause("RP-18.5")
@pytest.mark.clause("RP-18.6")
@pytest.mark.clause("RP-18.N3")
@pytest.mark.parametrize(("facts", "by"), LEGAL, ids=ids)
def test_completed(judge: Any, facts: str, by: str) -> None:
    """Each pattern completes the shot and is named."""
    ruling = judge(facts)
    assert (ruling.legal, ruling.legal_by, ruling.violations) == (True, by, ())
    assert by in ruling.clauses


@pytest.mark.clause("RP-18.P")
@pytest.mark.clause("RP-18.N1")
@pytest.mark.parametrize("facts", FOULS, ids=ids)
def test_not_completed(judge: Any, facts: str) -> None:
    """The same events out of order, of other balls, or too few complete nothing."""
    ruling = judge(facts)
    assert (ruling.legal, ruling.legal_by) == (False, None)
    assert [v.clause for v in ruling.violations] == ["RP-18.P"]
    assert ruling.choices == ("play", "cede")


SWITCHED = [
    ("two_rails", "any_balls", C + "cushion w3 left; cushion C right", "RP-18.2"),
    ("two_rails", "any_balls", C + "cushion w3 left; cushion C left", None),  # two cushions are asked for
    ("two_rails", "any_balls", "strike C; cushion C left; contact C w3; cushion C foot", None),
    ("zone_stop_requires_rail", False, C + "zone w3 BL", "RP-18.6"),
    ("zone_stop_requires_rail", False, "strike C; contact C w3 unmoved; zone w3 BL", None),
    ("jaw_counts_as_rail", False, C + "jaw w3 ML", None),
    ("jaw_counts_as_rail", False, C + "jaw w3 ML; cushion w3 foot", "RP-18.3a"),
    ("jaw_counts_as_rail", False, C + "cushion w3 foot; jaw w3 ML", "RP-18.4a"),
    ("frozen_first_touch", True, "frozen w3 left; " + C + "cushion w3 left; cushion w3 foot", "RP-18.2"),
    ("frozen_first_touch", False, "frozen w3 left; " + C + "cushion w3 left; cushion w3 foot", None),
]


@pytest.mark.parametrize(("switch", "value", "facts", "by"), SWITCHED)
def test_switches(judge: Any, switch: str, value: object, facts: str, by: str | None) -> None:
    """Every switch on clause 18 does what it says (AMB-03, AMB-04, AMB-05, AMB-47)."""
    ruling = judge(facts, **{switch: value})
    assert ruling.legal_by == by
    if ruling.violations:
        assert [v.clause for v in ruling.violations] in (["RP-18.P"], ["RP-4.3"])
        assert ruling.legal is False
    else:
        assert ruling.legal is True


FROZEN = [
    # the first press is no touch (AMB-05)
    ("frozen w3 left; " + C + "cushion w3 left; cross w3", False),
    ("frozen w3 left; " + C + "cross w3; cushion w3 left", True),  # it crossed: it had left
    # it leaves and comes back
    ("frozen w3 left; " + C + "cushion w3 left; cushion w3 left; cushion w3 foot", True),
    ("frozen w3 left; " + C + "cushion w3 foot; cushion w3 left", True),  # away to another cushion and back
    ("frozen w3 left; " + C + "contact w3 w7; cushion w3 left; cushion w3 foot", True),  # it went to meet another ball
    ("frozen w3 left; " + C + "contact C w3; cushion w3 left; cushion w3 foot", False),  # met twice by the same one
    ("frozen w3 left; frozen w7 left; " + C + "contact w3 w7; cushion w3 left; cushion w3 foot", False),  # along it
    # the cue ball left its cushion to reach the object ball
    ("frozen C head; " + C + "cushion C head; cushion C left", True),
    ("frozen C head; frozen w3 head; " + C + "cushion C head; cushion C left", False),
    # another cushion than the one it lay against counts at once
    ("frozen w3 left; " + C + "cushion w3 foot; cushion w3 right", True),
    # said after the stroke, it still speaks of the time before
    (C + "frozen w3 left; cushion w3 left; cushion w3 foot", False),
]


@pytest.mark.parametrize(("facts", "legal"), FROZEN, ids=ids)
def test_frozen_balls_must_leave_and_come_back(judge: Any, facts: str, legal: bool) -> None:
    """A ball frozen to a cushion touches it only after it has left it (AMB-05)."""
    assert judge(facts).legal is legal


@pytest.mark.clause("RP-18.N2")
def test_leaving_the_centre_line_is_no_crossing(judge: Any) -> None:
    """A ball that stood exactly on the centre line crosses it only when it comes back over it."""
    on_line = {"on_line": "w3"}
    assert judge(C + "cross w3; cushion w3 foot", decided=on_line).legal is False
    assert judge(C + "cross w3; cross w3; cushion w3 foot", decided=on_line).legal_by == "RP-18.3a"
    assert judge(C + "cross C; cushion C foot", decided=on_line).legal is True


def test_two_touch_a_frozen_ball_at_one_instant(judge: Any) -> None:
    """Of two balls that reach a frozen ball together either may complete the shot."""
    facts = "frozen w6 foot; " + C + "cross w3; contact C w6 & contact w3 w6"
    assert judge(facts).legal_by == "RP-18.3c"


@pytest.mark.clause("RP-4.3")
@pytest.mark.clause("RP-17.N1")
@pytest.mark.parametrize(
    "facts",
    [
        "strike C",
        "strike C; cushion C foot; cushion C left",
        "strike C; contact C w3 unmoved; cushion C left; cushion C foot",
        "strike C; contact w4 w5; pot w4 BL",
    ],
)
def test_no_contact(judge: Any, facts: str) -> None:
    """Without contact only RP-4.3 is cited, whatever else happened."""
    ruling = judge(facts)
    assert [v.clause for v in ruling.violations] == ["RP-4.3"]
    assert ruling.legal_by is None
    assert ruling.credited == ()


BREAKS = [
    ("pot w12 BL", "RP-11.1.1"),
    ("pot C BL", "RP-11.1.1"),
    ("cushion w11 foot; cushion w15 left; cushion w4 right; pot w12 BL", "RP-11.1.1"),
    ("cushion w11 foot; cushion w15 foot; cushion w4 foot", "RP-11.1.2"),
    ("cushion w11 foot; cushion w15 left; cross w4", "RP-11.1.3"),
    ("cross w4; cushion w11 foot; cushion w15 left", "RP-11.1.3"),  # order does not matter here
    ("cushion w11 foot; jaw w15 ML", "RP-11.1.3"),  # the jaw crosses and is a cushion
    ("cushion w11 foot; cushion w15 left; cross C", None),
    ("cushion w11 foot; cushion w15 left; cushion C head; cross C", None),
    ("cushion w11 foot; cushion w11 left; cushion w11 right; cross w11", None),
    ("cushion w11 foot; cushion w15 left", None),
    ("cross w11; cushion w11 foot", None),
    ("cushion w11 foot; off w15 floor; cross w4", None),
]


@pytest.mark.clause("RP-11.1.0")
@pytest.mark.clause("RP-11.1.2")
@pytest.mark.clause("RP-11.1.3")
@pytest.mark.parametrize("game", ["free", "dynamic", "combined"])
@pytest.mark.parametrize(("facts", "by"), BREAKS)
def test_break(judge: Any, game: str, facts: str, by: str | None) -> None:
    """The three ways to a legal break count different object balls; patterns of clause 18 do not help."""
    ruling = judge("strike C; contact C w1; " + facts, game=game, phase="break")
    assert ruling.legal_by == by
    assert ruling.legal is (by is not None)
    if by is None:
        assert [v.clause for v in ruling.violations] == ["RP-11.1.P"]
        assert ruling.choices == ("accept_play", "accept_cede", "rerack_play", "rerack_cede")


def test_break_cushions_before_contact_do_not_count(judge: Any) -> None:
    """The three things of 11.1 are asked for after the contact."""
    facts = "strike C; cushion C left; contact C w1; cushion w1 foot; cushion w2 left"
    assert judge(facts, phase="break").legal is False
