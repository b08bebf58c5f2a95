"""What is named on a command line and read at once: files of bounded length, numbers of bounded size."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from marker_hub.cli.numbers import bounded
from marker_hub.config import ConfigError
from marker_hub.named_file import read_named


def test_a_file_is_read_to_its_bound_and_no_further(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"1234")
    assert read_named(path, 4, "too long", "give another") == b"1234"
    with pytest.raises(ConfigError) as caught:
        read_named(path, 3, "too long", "give another", ConfigError)
    assert str(caught.value) == f"{path}: too long; give another"
    with pytest.raises(ConfigError, match="No such file or directory; give another"):
        read_named(tmp_path / "none", 3, "too long", "give another", ConfigError)
    with pytest.raises(ConfigError, match="embedded null byte; give another"):
        read_named(Path("a\0b"), 3, "too long", "give another", ConfigError)


def test_what_never_ends_is_not_read_to_its_end() -> None:
    with pytest.raises(ConfigError, match="too long"):
        read_named(Path("/dev/zero"), 1000, "too long", "give a file", ConfigError)


@pytest.mark.parametrize("text", ["0.1", "1000", "1e3", " 7 "])
def test_numbers_within_bounds(text: str) -> None:
    assert bounded(text, 0.1, 1000, "no") == float(text)


@pytest.mark.parametrize("text", ["0.09", "1000.1", "nan", "inf", "-1", "", "x"])
def test_numbers_out_of_bounds_name_themselves_and_the_remedy(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError) as caught:
        bounded(text, 0.1, 1000, "give 0.1 to 1000")
    assert str(caught.value) == f"'{text}': give 0.1 to 1000"
