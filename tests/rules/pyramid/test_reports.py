"""Faults that users of comparable programs reported, reproduced on these rules."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.mark.report("R018")
@pytest.mark.parametrize("game", ["free", "dynamic", "combined"])
def test_r018_a_pot_needs_no_cushion(judge: Any, game: str) -> None:
    """R018: a combination that pots a ball is legal without any cushion; contact with neither is penalised, unless
    a ball crossed the centre line and then touched a frozen one (RP-18.3c).
    """
    combination = judge("strike C; contact C w5; contact w5 w9; pot w9 BL", game=game)
    assert (combination.legal, combination.legal_by, combination.violations) == (True, "RP-18.1", ())
    dry = judge("strike C; contact C w3", game=game)
    assert [violation.clause for violation in dry.violations] == ["RP-18.P"]
    frozen = judge("frozen w6 foot; strike C; contact C w3; cross w3; contact w3 w6", game=game)
    assert (frozen.legal, frozen.legal_by) == (True, "RP-18.3c")
