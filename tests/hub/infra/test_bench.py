"""The bench of the hub: its figures are there and mean what they say; the targets are checked in the long runs."""

from pathlib import Path

import pytest

from marker_hub.bench import hub as bench
from marker_hub.bench import table as table_bench
from marker_hub.bench.hall import payloads
from marker_hub.bench.mqtt import subscriber_rates


@pytest.mark.slow
def test_the_hall_plays_shots_to_their_ruling(tmp_path: Path) -> None:
    """Every shot of the simulated hall is judged: the bench must not measure an idle table."""
    found = bench.whole_hub(tmp_path, shots=3, tables=2)
    assert found["shots_judged"] == 6
    assert found["records"] > 40
    assert found["rate"] > 0


def test_the_fold_that_is_measured_is_a_match_that_was_played() -> None:
    found = table_bench.run(size=4)
    assert found["shots_judged"] == 4
    assert found["entries"] > 60
    assert 0 < found["step_us_median"] <= found["step_us_p99"]


def test_what_is_sent_is_what_is_counted(tmp_path: Path) -> None:
    messages = list(payloads(2, 500, 8))
    found = bench.ingest_only(tmp_path / "in", messages, tables=2)
    assert found["records"] >= 500
    assert bench.bare_append(tmp_path, [payload for _, payload in messages]) > 0


@pytest.mark.soak
def test_memory_is_flat_over_a_million_records(tmp_path: Path) -> None:
    messages = list(payloads(bench.TABLES, 1_000_000, 8))
    found = bench.ingest_only(tmp_path, messages)
    assert found["records"] >= 1_000_000
    assert found["rss_growth_kb"] < 40_000


@pytest.mark.soak
def test_a_saturated_hub_keeps_half_the_pace_of_a_bare_subscriber(tmp_path: Path) -> None:
    assert subscriber_rates(tmp_path, size=20_000)["ratio_to_bare_subscriber"] >= 0.5
