"""The notation: every fact of the conformance suite survives the way there and back, and nothing but MalformedFact comes out of bad text."""

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from marker_rules.errors import MalformedFact
from marker_rules.notation import format_fact, parse_fact, parse_facts

SUITE = Path(__file__).parents[1] / "conformance"
TEXTS = sorted(
    {
        fact
        for name in ("five-pins-shots.yaml", "pyramid-shots.yaml")
        for scenario in yaml.safe_load((SUITE / name).read_text(encoding="utf-8"))
        for fact in scenario["facts"]
    }
)


@pytest.mark.parametrize("text", TEXTS)
def test_round_trip(text: str) -> None:
    assert format_fact(parse_fact(text)) == text


@pytest.mark.parametrize(
    ("text", "token"),
    [
        ("", ""),
        ("topple N,N by cue", "N,N"),
        ("topple X by cue", "X"),
        ("contact cue cue", "cue"),
        ("contact cue", ""),
        ("pot w16 BL", "w16"),
        ("jaw w3 BL", "BL"),
        ("strike cue now", "now"),
        ("lean N on cue sideways", "sideways"),
        ("contact cue red & strike cue", "strike"),
    ],
)
def test_bad_text_names_the_word(text: str, token: str) -> None:
    with pytest.raises(MalformedFact) as caught:
        parse_facts(["strike cue", text])
    assert caught.value.position == 1
    assert caught.value.token == token
    assert "fact 2" in caught.value.message


@given(
    st.text(max_size=60)
    | st.lists(
        st.sampled_from(["strike", "contact", "topple", "C", "N,E", "by", "of", "pin", "cue", "red", "&", "w3", "BL"])
    ).map(" ".join)
)
def test_random_text_raises_only_malformed(text: str) -> None:
    try:
        fact = parse_fact(text)
    except MalformedFact:
        return
    assert parse_fact(format_fact(fact)) == fact
