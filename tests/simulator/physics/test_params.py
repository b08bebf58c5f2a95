"""Parameter files: every number sourced, wrong ones refused by name."""

from pathlib import Path

import pytest

from marker_sim.physics import params

SHIPPED = Path(params.__file__).parent / "params.toml"


def test_every_number_says_where_it_comes_from() -> None:
    """Mutation: a number without a source."""
    found = params.load()
    for part in ("cloth", "ball", "cushion", "pin", "air"):
        group = getattr(found, part)
        for field in group.__struct_fields__:
            assert getattr(group, field).src, f"{part}.{field}"
            assert getattr(group, field).ok is False, "no real table has confirmed a number yet"


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("roll     = { v = 0.010", "roll     = { v = -0.010", "cloth.roll"),
        ("roll     = { v = 0.010", "rol      = { v = 0.010", "rol"),
        ("e        = { v = 0.95", "e        = { v = 1.95", "ball.e"),
        ("slide    = { v = 0.2", 'slide    = { v = "fast"', "slide"),
        ("schema = 1", "schema = 2", "schema"),
        ("[air]", "[air", "toml"),
    ],
)
def test_a_wrong_file_is_refused_by_its_key(tmp_path: Path, old: str, new: str, named: str) -> None:
    """Mutation: unknown keys ignored, ranges unchecked."""
    file = tmp_path / "own.toml"
    text = SHIPPED.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(params.ParamsError, match=named) as caught:
        params.load(file)
    assert str(file) in str(caught.value)


def test_a_missing_file_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(params.ParamsError, match="nowhere"):
        params.load(tmp_path / "nowhere.toml")
