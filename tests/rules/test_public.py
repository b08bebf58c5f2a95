"""The front door of the rules: the example in the package's own words runs, and the public names are there."""

from __future__ import annotations

import doctest

import pytest

import marker_rules
from marker_rules.errors import RulesError


def test_the_example_of_the_package_runs() -> None:
    failed, tried = doctest.testmod(marker_rules)
    assert (failed, tried > 5) == (0, True)


def test_public_names() -> None:
    assert len(set(marker_rules.__all__)) == len(marker_rules.__all__)
    assert all(hasattr(marker_rules, name) for name in marker_rules.__all__)


def test_the_base_of_the_errors_is_never_raised_itself() -> None:
    with pytest.raises(TypeError, match="base class"):
        RulesError("no")
    for kind in (
        marker_rules.MalformedFact,
        marker_rules.IllegalFact,
        marker_rules.IllegalInput,
        marker_rules.Undecided,
    ):
        assert issubclass(kind, RulesError)


def test_an_unknown_game_names_the_games() -> None:
    with pytest.raises(marker_rules.IllegalInput, match="free-pyramid"):
        marker_rules.game("pool")
