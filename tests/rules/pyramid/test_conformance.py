"""The pyramid files of the conformance suite."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from marker_rules.scenario import judge_scenario

SUITE = Path(__file__).resolve().parents[2] / "conformance"
SHOTS, OTHER = (
    yaml.safe_load((SUITE / f"pyramid-{name}.yaml").read_text(encoding="utf-8")) for name in ("shots", "other")
)


@pytest.mark.parametrize("scenario", [*SHOTS, *OTHER], ids=lambda row: row["id"])
def test_conformance(scenario: dict[str, Any]) -> None:
    """The conformance suite holds; examples in words are answered without a verdict."""
    outcome = judge_scenario(scenario)
    assert outcome.mismatch == ()
    assert outcome.ok is (None if scenario["kind"] == "prose" else True)
