"""Why: which clauses and readings a ruling cites, which it does not, and the facts its steps rest on."""

from __future__ import annotations

from typing import Any

import pytest

HIT = "strike cue; contact cue opponent"
RED = "strike cue; contact cue red"


@pytest.mark.parametrize(
    ("facts", "how", "cited", "absent"),
    [
        (HIT, {}, "FP-6.1 FP-2.5", "FP-5.1 FP-8.3 FP-7.0"),
        (HIT, {"calls": "Z"}, "FP-F.Z FP-F.0d FP-H.1a FP-7.0", "FP-6.1 FP-F.0a FP-7.5 FP-8.4"),
        (f"{HIT}; topple N by red", {}, "FP-5.1 FP-T.1 FP-8.1a", "FP-6.1 FP-T.3 FP-T.7b FP-8.3"),
        (f"{HIT}; topple N by red", {"pins": "C,N"}, "FP-T.7b", ""),
        (f"{HIT}; topple N by pin of red", {}, "FP-T.3", ""),
        (f"{HIT}; contact cue red", {}, "FP-5.4 FP-8.2a", "FP-5.6 FP-8.2c FP-8.3"),
        (f"{HIT}; contact opponent red", {}, "FP-5.6 FP-8.2b", "FP-5.4 FP-8.2a"),
        (f"{HIT}; contact cue red; contact cue red", {}, "FP-5.4 FP-8.2c A08", ""),
        (f"{HIT}; contact cue red & contact opponent red", {}, "FP-5.5 FP-8.2c A08", "FP-5.4"),
        (f"{HIT}; contact cue red; topple N by red", {}, "FP-5.2 FP-8.3", "FP-5.3"),
        (f"{HIT}; contact cue red; topple N by red; topple E by opponent", {}, "FP-5.3", "FP-5.2"),
        (f"{HIT}; topple E by opponent; contact cue red; topple N by red", {}, "FP-5.2", "FP-5.3"),
        (f"{HIT}; contact cue red; contact opponent red; topple N by red", {}, "FP-5.3 FP-8.2c", "FP-5.2"),
        ("strike cue; contact cue opponent & contact cue red", {}, "FP-8.2a FP-F.B FP-6.1 A38", "FP-8.2c"),
        (f"{RED}; contact cue opponent; contact cue red", {}, "FP-F.B FP-8.2a A36", "FP-8.2b FP-7.2"),
        (f"{RED}; contact cue opponent; contact opponent red", {}, "FP-F.B FP-8.2b A36", "FP-8.2a"),
        (f"{RED}; contact cue opponent; contact cue red", {"calls": "A"}, "FP-F.A", "FP-8.2a FP-F.B FP-7.3"),
        (f"{RED}; topple N by red", {}, "FP-7.2 FP-F.G FP-7.1 FP-F.0a FP-7.5 FP-8.4", "FP-5.1"),
        ("strike red", {}, "FP-F.A FP-4.7 FP-7.3 A31", ""),
        (f"{HIT}; topple N by cue", {}, "FP-F.0b FP-H.1b FP-8.4 FP-7.0 A02", "FP-7.4 FP-F.0c FP-H.1a FP-F.0d"),
        (f"{HIT}; topple N by cue; topple E by red", {}, "FP-7.4", ""),
        (f"{HIT}; topple N by cue", {"calls": "Z"}, "FP-F.0b FP-H.1a", "FP-H.1b"),
        (f"{HIT}; topple N by cue", {"bevuto_extra": 2}, "FP-F.0c", ""),
        (f"{HIT}; off cue", {}, "FP-F.D FP-J.1 FP-J.2 FP-J.3a", "FP-J.3c FP-J.3d"),
        (f"{HIT}; off opponent; off red", {}, "FP-J.3c FP-J.3d", "FP-J.3a"),
        ("strike cue; cushion cue left; contact cue opponent", {"calls": "L"}, "FP-F.L FP-C.2", "FP-C.1"),
        (HIT, {"calls": "L"}, "FP-F.L FP-C.1", "FP-C.2"),
        (f"{HIT}; cushion cue left", {"calls": "L"}, "FP-C.1", "FP-C.2"),
        (f"{RED}; cushion cue left; contact cue opponent", {"calls": "L"}, "FP-C.1", "FP-C.2"),
        (HIT, {"calls": "ZH"}, "FP-F.ZH FP-2.6", ""),
        (HIT, {"calls": "M", "mode": "opening"}, "FP-F.M FP-4.5 FP-4.9", ""),
        (HIT, {"calls": "M", "mode": "hand"}, "FP-F.M", "FP-4.5 FP-4.9"),
        (HIT, {"calls": "M"}, "FP-F.M A37 FP-6.1", "FP-F.0d"),
        (HIT, {"calls": "Z,R"}, "FP-F.0a A04", ""),
        (f"{HIT}; lean N on cue away", {"leaning_pin": "later"}, "FP-T.6a A26", "FP-F.0a"),
        (f"{HIT}; lean N on cue away", {"leaning_pin": "later", "calls": "Z"}, "FP-F.0a", ""),
        (f"{HIT}; shift N", {}, "FP-T.4a FP-T.4b A27", ""),
        ("shift N", {"mode": "idle"}, "FP-T.4a FP-T.4b", "FP-2.5"),
        ("topple N by cue", {"mode": "idle", "calls": "K"}, "FP-T.4b FP-F.K A30", "FP-2.5"),
        (f"{HIT}; free N", {"pins": "C"}, "FP-T.7c A28", ""),
        (f"{HIT}; hop cue", {}, "FP-F.O A10", "FP-F.0d"),
        ("strike cue; hop cue; topple N by cue; contact cue opponent", {}, "FP-F.O FP-F.V A10", ""),
        (f"{HIT}; contact cue red", {"mode": "contact-reset"}, "FP-C.6 A24", ""),
        (f"{HIT}; topple N by cue", {"mode": "contact-reset"}, "FP-C.6 FP-F.0b", ""),
        (HIT, {"calls": "P@B"}, "FP-F.P A29", "FP-7.0 FP-H.1a"),
        (HIT, {"calls": "P@B", "waiting_player_errors": "ignore"}, "FP-F.P A29", "FP-H.1a"),
        (f"{HIT}; topple N by opponent", {"score": (48, 0)}, "FP-2.1 FP-2.2 A32", "FP-2.3 FP-2.5"),
        (f"{HIT}; topple N by opponent", {"score": (49, 0)}, "FP-2.1 FP-2.2 FP-2.3", "FP-2.5"),
    ],
)  # fmt: skip
def test_what_a_ruling_cites(judge: Any, facts: str, how: dict[str, Any], cited: str, absent: str) -> None:
    ruling = judge(facts, **how)
    names = {*ruling.clauses, *ruling.interpretations}
    assert set(cited.split()) <= names
    assert not set(absent.split()) & names


def test_steps_name_the_facts_they_rest_on(judge: Any) -> None:
    ruling = judge(f"{RED}; contact cue red; contact cue opponent; contact opponent red; topple C,N by red; off red")
    facts = {step.clause: step.facts for step in ruling.steps}
    assert facts["FP-F.B"] == (1,)
    assert facts["FP-8.2b"] == (4,)
    assert facts["FP-T.1"] == (5,)
    assert facts["FP-F.D"] == facts["FP-J.3d"] == (6,)


def test_the_cut_says_both_numbers(judge: Any) -> None:
    steps = {step.text: dict(step.args) for step in judge(f"{HIT}; topple C by opponent", score=(45, 0)).steps}
    assert steps["cut"] == {"credited": 5, "points": 8}
    assert steps["limit"] == {"limit": 50}


@pytest.mark.parametrize(("stacking", "text"), [("sum", "added"), ("single_plus_red", "single")])
def test_how_several_errors_are_priced_is_told(judge: Any, stacking: str, text: str) -> None:
    assert text in [step.text for step in judge(HIT, calls="Z,R", stacking=stacking).steps]
