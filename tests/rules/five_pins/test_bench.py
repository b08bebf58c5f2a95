"""`marker bench rules`: the figures are there, the shots are judged, memory does not grow with the file."""

from __future__ import annotations

import json

import pytest

from marker_hub.bench.pyramid_shots import pyramid_shots
from marker_hub.bench.rules import random_shots
from marker_hub.cli import main


def test_figures(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "rules", "--json", "--size", "500"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["file_shots"] == 500
    assert figures["file_status"] == 0
    assert 0 < figures["baseline_lookup_median_us"] < figures["rule_median_us"]
    assert figures["ratio_to_lookup"] == pytest.approx(figures["rule_median_us"] / figures["baseline_lookup_median_us"])
    assert figures["baseline_lookup_median_us"] < figures["pyramid_rule_median_us"]
    assert figures["file_memory_growth_mb"] < 20


def test_the_shots_are_the_same_in_every_run() -> None:
    assert list(random_shots(50)) == list(random_shots(50))
    assert list(pyramid_shots(50, 1)) == list(pyramid_shots(50, 1))
