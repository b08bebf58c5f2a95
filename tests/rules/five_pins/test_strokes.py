"""One stroke a row, by clause: what was seen, what it is worth, worked out by hand from the text."""

from __future__ import annotations

from typing import Any

import pytest

from marker_rules.balls import Player
from marker_rules.five_pins.state import Score
from marker_rules.ruling import Turn

HIT = "strike cue; contact cue opponent"


def row(clause: str, facts: str, short: str, parts: str = "", **how: Any) -> Any:
    """A table row: the clause it proves, the facts, the ruling in short, the components (`side 2, carom 4`)."""
    first = clause.split(maxsplit=1)[0]
    name = f"{first}: {facts or 'nothing'}" + "".join(f" {key}={value}" for key, value in how.items())
    return pytest.param(facts, short, parts, how, id=name, marks=[pytest.mark.clause(each) for each in clause.split()])


ROWS = [
    # --- 5 and 6: legal strokes
    row("FP-5.1", f"{HIT}; topple N by opponent", "A+2", "side 2"),
    row("FP-5.1", f"{HIT}; topple N by red", "A+2", "side 2"),
    row("FP-5.2", f"{HIT}; contact cue red; topple S by red", "A+6", "carom 4, side 2"),
    row("FP-5.2", f"{HIT}; contact opponent red; topple S by opponent", "A+5", "ricochet 3, side 2"),
    row("FP-5.3", f"{HIT}; contact cue red; contact opponent red; topple N by red", "A+6", "carom 4, side 2"),
    row("FP-5.4 FP-8.2a", f"{HIT}; contact cue red", "A+4", "carom 4"),
    row("FP-5.5", f"{HIT}; contact cue red & contact opponent red", "A+4", "carom 4"),
    row("FP-5.6 FP-8.2b", f"{HIT}; contact opponent red", "A+3", "ricochet 3"),
    row("FP-5.6", "strike cue; contact cue opponent & contact opponent red", "A+3", "ricochet 3"),
    row("FP-6.1", HIT, "0"),
    row("FP-6.1", f"{HIT}; contact cue opponent; cushion opponent left", "0"),
    # --- 8: values
    row("FP-8.1a", f"{HIT}; topple N,E by opponent; topple S by red", "A+6", "side 6"),
    row("FP-8.1b", f"{HIT}; topple C,W by opponent", "A+6", "centre 4, side 2"),
    row("FP-8.1b", f"{HIT}; topple C by opponent; topple W by red", "A+6", "centre 4, side 2"),
    row("FP-8.1c", f"{HIT}; topple C by opponent", "A+8", "centre_alone 8"),
    row("FP-8.1c", f"{HIT}; topple C by opponent", "A+4", "centre 4", pins="C"),
    row("FP-8.1c FP-T.7b", f"{HIT}; topple C by opponent", "A+4", "centre 4", pins="C,N,E,S"),
    row("FP-8.1c", f"{HIT}; topple C by opponent", "A+10", "centre_alone 10", centre_alone=10),
    row("FP-8.1c", f"{HIT}; topple C by opponent", "A+8", "centre_alone 8", pins="C,N", need_full=False),
    row("FP-8.1c", f"{HIT}; topple C by opponent", "A+10", "centre_alone 10", pins="C,N", need_full=False, centre_alone=10),
    row("FP-8.1b", f"{HIT}; topple C,N by opponent", "A+6", "centre 4, side 2", centre_alone=10),
    row("FP-8.2c", f"{HIT}; contact opponent red; contact cue red", "A+3", "ricochet 3"),
    row("FP-8.2c", f"{HIT}; contact cue red; contact opponent red; contact cue red", "A+4", "carom 4"),
    row("FP-8.2a", "strike cue; contact cue opponent & contact cue red; contact cue red", "A+4", "carom 4"),
    row("FP-8.2b", "strike cue; contact cue opponent & contact cue red; contact opponent red", "A+3", "ricochet 3"),
    row("FP-8.2a", "strike cue; contact cue opponent & contact cue red & contact opponent red", "0"),
    row("FP-8.3", f"{HIT}; contact cue red; topple C,N,E,S,W by red", "A+16", "carom 4, centre 4, side 8"),
    # --- toppling
    row("FP-T.1", f"{HIT}; topple N by opponent; shift E by opponent; wobble S", "A+2", "side 2"),
    row("FP-T.2", f"{HIT}; topple C by opponent; restand C", "A+8", "centre_alone 8"),
    row("FP-T.2", f"{HIT}; topple C by opponent; restand C; topple C by red", "A+8", "centre_alone 8"),
    row("FP-T.3", f"{HIT}; topple N by opponent; topple W by pin of opponent", "A+4", "side 4"),
    row("FP-T.3", f"{HIT}; topple N by cue; topple W by pin of cue", "B+4", "side 4"),
    row("FP-T.3", "strike cue; topple W by pin of cue; contact cue opponent", "B+4*", "side 2, foul.V 2"),
    row("FP-T.4a", f"{HIT}; shift N by opponent", "0"),
    row("FP-T.4a", f"{HIT}; shift N by opponent", "A+2", "side 2", shifted_counts=True),
    row("FP-T.4a", f"{HIT}; shift N", "0", shifted_counts=True),
    row("FP-T.4a", f"{HIT}; shift N by cue", "B+2", "side 2", shifted_counts=True),
    row("FP-T.4a", "strike cue; shift N by cue; contact cue opponent", "B+4*", "side 2, foul.V 2", shifted_counts=True),
    row("FP-T.4a", f"{HIT}; shift N by opponent; topple C by opponent", "A+6", "centre 4, side 2", shifted_counts=True),
    row("FP-T.4a", f"{HIT}; shift N by opponent; topple N by opponent", "A+2", "side 2", shifted_counts=True),
    row("FP-T.5", f"{HIT}; wobble C", "0"),
    row("FP-T.6a", "strike cue; lean N on cue away; contact cue opponent", "0"),
    row("FP-T.6a", "strike cue; lean N on cue away; contact cue opponent; topple C by opponent", "A+8", "centre_alone 8"),
    row("FP-T.6a", "strike cue; lean C on cue away; contact cue opponent", "B+10*", "centre_alone 8, foul.lean 2", leaning_pin="later"),
    row("FP-T.6a", f"{HIT}; contact cue red; lean N on cue away", "B+8*", "carom 4, side 2, foul.lean 2", leaning_pin="later"),
    row("FP-T.6b", "strike cue; lean N on cue toward; contact cue opponent", "B+4*", "side 2, foul.V 2"),
    row("FP-T.6b", f"{HIT}; lean N on cue toward", "B+2", "side 2"),
    row("FP-T.6b", f"{HIT}; lean N on cue toward", "B+2", "side 2", leaning_pin="later"),
    row("FP-T.1", f"{HIT}; lean N on opponent driven-off", "A+2", "side 2"),
    row("FP-T.1", f"{HIT}; lean N on red driven-off", "A+2", "side 2", leaning_pin="later"),
    row("FP-T.7b", f"{HIT}; topple C,E by opponent", "A+6", "centre 4, side 2", pins="C,N,E"),
    row("FP-T.7c", f"{HIT}; free N", "0", pins="C,E,S,W"),
    # --- own pins
    row("FP-F.0b FP-H.1b", f"{HIT}; topple C by cue", "B+8", "centre_alone 8"),
    row("FP-F.0b FP-8.4", f"{HIT}; contact opponent red; topple N by cue", "B+5", "ricochet 3, side 2"),
    row("FP-7.4", f"{HIT}; topple N by opponent; topple E by cue; topple S by red", "B+6", "side 6"),
    row("FP-F.0c", f"{HIT}; topple N by cue", "B+4", "side 2, bevuto 2", bevuto_extra=2),
    row("FP-F.0c", f"{HIT}; topple N by cue", "B+6*", "side 2, bevuto 2, foul.Z 2", bevuto_extra=2, calls="Z"),
    row("FP-F.0c", f"{HIT}; topple N by cue", "B+4*", "side 2, foul.Z 2", calls="Z"),
    row("FP-F.0c", "strike cue; topple N by cue; contact cue opponent", "B+4*", "side 2, foul.V 2", bevuto_extra=2),
    row("FP-F.0c", "strike cue; contact cue red; contact cue opponent; topple N by cue", "B+4*", "side 2, foul.B 2", bevuto_extra=2),
    row("FP-F.0c", "strike cue; topple N by cue; contact cue opponent; topple E by cue", "B+6*", "side 4, foul.V 2", bevuto_extra=2),
    row("FP-F.0c", "strike opponent; contact cue opponent; topple N by cue", "B+4*", "side 2, foul.A 2", bevuto_extra=2),
    row("FP-F.0b", f"{HIT}; topple N by opponent; restand N; topple N by cue", "B+2", "side 2"),
    # --- A
    row("FP-F.A FP-7.3", "strike opponent", "B+2*", "foul.A 2"),
    row("FP-F.A", "strike red; contact red cue; topple C by red", "B+10*", "centre_alone 8, foul.A 2"),
    row("FP-F.A", "strike opponent; contact cue opponent; contact cue red", "B+2*", "foul.A 2"),
    row("FP-F.A", "strike opponent; topple N by opponent", "B+2*", "foul.A 2", wrong_ball_pins=False),
    row("FP-F.A", "strike opponent; topple N by opponent; off opponent", "B+6*", "side 2, foul.A 2, foul.D 2"),
    row("FP-F.A", f"{HIT}; contact cue red", "B+2*", "foul.A 2", calls="A"),
    row("FP-F.A", "strike cue; contact cue red; topple N by cue", "B+4*", "side 2, foul.A 2", calls="A"),
    *(row("FP-F.A", HIT, "B+2*", "foul.A 2", calls=f"A,{letter}") for letter in ("B", "V", "G")),
    *(row("FP-F.A", HIT, "B+4*", f"foul.A 2, foul.{letter} 2", calls=f"A,{letter}") for letter in ("Z", "O", "D")),
    # --- B and G
    row("FP-F.B", "strike cue; contact cue red; contact cue opponent", "B+2*", "foul.B 2"),
    row("FP-F.B FP-F.G FP-7.1", "strike cue; contact cue red", "B+4*", "foul.B 2, foul.G 2"),
    row("FP-F.B", "strike cue; contact cue red", "B+4*", "foul.B 4", red_first="always_4"),
    row("FP-F.B", "strike cue; contact cue red; contact cue opponent", "B+4*", "foul.B 4", red_first="always_4"),
    row("FP-F.G", "strike cue", "B+2*", "foul.G 2", red_first="always_4"),
    row("FP-7.2", "strike cue; contact cue red; topple N by red; contact cue opponent", "B+4*", "side 2, foul.B 2"),
    row("FP-F.B", "strike cue; contact cue red; contact cue opponent; contact cue red", "B+2*", "foul.B 2"),
    row("FP-F.B", "strike cue; contact cue red; contact cue opponent; contact cue red", "B+6*", "foul.B 2, carom 4", carom_after_red_first=True),
    row("FP-F.B", "strike cue; contact cue red; contact cue opponent; contact opponent red", "B+5*", "foul.B 2, ricochet 3", carom_after_red_first=True),
    row("FP-F.B", "strike cue; contact cue red; contact cue opponent; contact opponent red", "B+7*", "foul.B 4, ricochet 3", carom_after_red_first=True, red_first="always_4"),
    row("FP-F.B", "strike cue; contact cue red; contact cue opponent; topple N by cue", "B+4*", "side 2, foul.B 2"),
    row("FP-F.G", "strike cue; topple C by cue", "B+10*", "centre_alone 8, foul.G 2"),
    row("FP-F.G FP-C.3", "strike cue; contact cue opponent unmoved; cushion cue left", "B+2*", "foul.G 2"),
    row("FP-C.3", "strike cue; contact cue red unmoved; cushion cue left; contact cue opponent", "0"),
    # --- V
    row("FP-F.V", "strike cue; topple N,C by cue; contact cue opponent", "B+8*", "centre 4, side 2, foul.V 2"),
    row("FP-F.V", "strike cue; topple N by cue; contact cue opponent; contact opponent red", "B+7*", "side 2, ricochet 3, foul.V 2"),
    row("FP-F.V FP-F.B", "strike cue; contact cue red; topple N by cue; contact cue opponent", "B+6*", "side 2, foul.B 2, foul.V 2"),
    row("FP-F.V", "strike cue; topple N by red; contact cue opponent", "A+2", "side 2"),
    # --- D
    row("FP-F.D FP-J.1", f"{HIT}; off red", "B+2*", "foul.D 2"),
    row("FP-F.D FP-J.2", f"{HIT}; off red; off opponent; off cue", "B+2*", "foul.D 2"),
    row("FP-F.D", f"{HIT}; off red", "B+2*", "foul.D 2", calls="D"),
    # --- the referee's letters
    *(
        row(f"FP-F.{letter}", f"{HIT}; topple N by opponent", "B+4*", f"side 2, foul.{letter} 2", calls=letter)
        for letter in ("E", "ZH", "Z", "I", "K", "L", "N", "P", "R", "O")
    ),
    row("FP-F.M FP-4.5", f"{HIT}", "B+2*", "foul.M 2", calls="M", mode="opening"),
    row("FP-F.M", f"{HIT}", "B+2*", "foul.M 2", calls="M", mode="hand"),
    row("FP-F.M", f"{HIT}", "0", calls="M"),
    row("FP-F.M", f"{HIT}", "0", calls="M", mode="contact-reset"),
    row("FP-F.M", f"{HIT}", "B+2*", "foul.M 2", calls="M", foot_always=True),
    row("FP-F.Z", "strike cue; strike cue; contact cue opponent", "B+2*", "foul.Z 2"),
    row("FP-F.P", f"{HIT}; strike red", "B+2*", "foul.P 2"),
    # --- O
    row("FP-F.O", "strike cue; hop cue", "B+4*", "foul.G 2, foul.O 2"),
    row("FP-F.O", "strike cue; hop cue; topple N by cue", "B+4*", "side 2, foul.G 2"),
    row("FP-F.O", "strike cue; hop cue; topple N by red; contact cue opponent", "B+4*", "side 2, foul.O 2"),
    row("FP-F.O", "strike cue; hop cue; hop cue; contact cue opponent", "B+2*", "foul.O 2"),
    row("FP-F.O", "strike cue; hop cue; contact cue opponent; topple N by cue", "B+4*", "side 2, foul.O 2"),
    row("FP-F.O FP-F.B", "strike cue; contact cue red; hop red; contact cue opponent", "B+4*", "foul.B 2, foul.O 2"),
    row("FP-F.O", f"{HIT}; hop red", "0"),
    row("FP-F.O", "strike cue; hop opponent; contact cue opponent", "0"),
    row("FP-F.O", "strike cue; pass cue; contact cue opponent; contact cue red", "A+4", "carom 4"),
    # --- adding up
    row("FP-F.0a FP-7.5", f"{HIT}; contact cue red; topple N by opponent; off cue", "B+12*", "carom 4, side 2, foul.D 2, foul.Z 2, foul.R 2", calls="Z,R"),
    row("FP-F.0a", f"{HIT}; off cue", "B+2*", "foul.other 2", stacking="single_plus_red", calls="Z,R"),
    row("FP-F.0a", "strike cue; contact cue red", "B+4*", "foul.B 2, foul.other 2", stacking="single_plus_red"),
    row("FP-F.0a", "strike cue; contact cue red; contact cue opponent", "B+2*", "foul.B 2", stacking="single_plus_red"),
    row("FP-F.0a", "strike cue; contact cue red", "B+4*", "foul.B 4", stacking="single_plus_red", red_first="always_4"),
    row("FP-F.0a", "strike cue; contact cue red; off cue", "B+6*", "foul.B 4, foul.other 2", stacking="single_plus_red", red_first="always_4"),
    row("FP-F.0a", f"{HIT}; lean N on cue away", "B+4*", "side 2, foul.other 2", stacking="single_plus_red", leaning_pin="later", calls="Z"),
    row("FP-F.0a", f"{HIT}; lean N on cue away", "B+4*", "side 2, foul.other 2", stacking="single_plus_red", leaning_pin="later"),
    row("FP-F.0a", f"{HIT}; topple N by cue", "B+4*", "side 2, foul.other 2", stacking="single_plus_red", bevuto_extra=2, calls="Z"),
    row("FP-F.0a", f"{HIT}; topple N by cue", "B+4", "side 2, bevuto 2", stacking="single_plus_red", bevuto_extra=2),
    # --- contact
    row("FP-C.4", "strike cue; support red; contact cue opponent", "0"),
    row("FP-C.6", f"{HIT}; contact cue red; topple N by red", "0", "carom 4, side 2, void -6", mode="contact-reset"),
    row("FP-C.6", f"{HIT}", "0", "", mode="contact-reset"),
    row("FP-C.6", f"{HIT}; contact cue red; topple N by cue", "B+6", "carom 4, side 2", mode="contact-reset"),
    row("FP-C.6", f"{HIT}; contact cue red", "B+6*", "carom 4, foul.Z 2", mode="contact-reset", calls="Z"),
    row("FP-C.6", f"{HIT}; contact cue red", "A+2", "carom 4, void -4, foul.P 2", mode="contact-reset", calls="P@B"),
    # --- opening and hand score as usual
    row("FP-4.6", "strike cue; contact cue red; contact cue opponent", "B+2*", "foul.B 2", mode="opening"),
    row("FP-4.9", f"{HIT}; topple C by opponent", "A+8", "centre_alone 8", mode="opening"),
    row("FP-H.6 FP-F.N", f"{HIT}", "B+2*", "foul.N 2", mode="hand", calls="N"),
    # --- between strokes
    row("FP-F.I", "", "B+2*", "foul.I 2", mode="idle", calls="I"),
    row("FP-F.K", "shift E; shift N", "B+2*", "foul.K 2", mode="idle", calls="K"),
    row("FP-F.N FP-H.6", "", "B+2*", "foul.N 2", mode="hand", calls="N"),
    row("FP-F.P", "", "B+4*", "foul.K 2, foul.P 2", mode="idle", calls="P,K"),
    row("FP-F.P", "", "B+2*", "foul.other 2", mode="idle", calls="P,K", stacking="single_plus_red"),
    row("FP-F.K", "off red", "B+2*", "foul.K 2", mode="idle", calls="K"),
    row("FP-F.K", "shift N", "A+2*", "foul.K 2", mode="idle", calls="K@B"),
    row("FP-F.P", "", "A+2 B+2*", "foul.P 2, foul.I 2", mode="idle", calls="P@B,I"),
    row("FP-F.P", "shift N", "0", "", mode="idle", calls="P@B", waiting_player_errors="ignore"),
    row("FP-T.4b", "shift N", "0", "", mode="idle"),
    # --- errors of the waiting player in a stroke
    row("FP-F.P", f"{HIT}; contact cue red", "A+6", "carom 4, foul.P 2", calls="P@B"),
    row("FP-F.P", "strike cue", "A+2 B+2*", "foul.G 2, foul.P 2", calls="P@B"),
    row("FP-F.K", f"{HIT}; topple N by cue", "A+4 B+2", "side 2, foul.K 2, foul.P 2", calls="P@B,K@B"),
    row("FP-F.P", f"{HIT}; contact cue red", "A+4", "carom 4", calls="P@B", waiting_player_errors="ignore"),
]  # fmt: skip


def parse_parts(text: str) -> list[tuple[str, int]]:
    parts = [part.split() for part in text.split(", ") if part]
    return sorted((name, int(points)) for name, points in parts)


@pytest.mark.parametrize(("facts", "short", "parts", "how"), ROWS)
def test_stroke(judge: Any, facts: str, short: str, parts: str, how: dict[str, Any]) -> None:
    ruling = judge(facts, **how)
    assert ruling.short == short
    assert sorted((part.name, part.points) for part in ruling.components) == parse_parts(parts)


@pytest.mark.parametrize(("facts", "short", "parts", "how"), ROWS)
def test_the_same_stroke_by_the_other_player(
    judge: Any, facts: str, short: str, parts: str, how: dict[str, Any]
) -> None:
    """Swapping the players mirrors the ruling."""
    mirror = {"A": "B", "B": "A"}
    calls = ",".join(
        f"{code}@{mirror[by]}" if by else code
        for code, _, by in (call.partition("@") for call in how.get("calls", "").split(",") if call)
    )
    ruling = judge(facts, **{**how, "calls": calls, "striker": "B"})
    swapped = " ".join(sorted(word.translate(str.maketrans("AB", "BA")) for word in short.rstrip("*").split()))
    assert ruling.short == swapped + "*" * short.endswith("*")


@pytest.mark.clause("FP-2.5")
def test_strokes_alternate_whatever_they_score(judge: Any) -> None:
    assert judge(HIT).next is Turn.B
    assert judge(f"{HIT}; topple C,N,E,S,W by opponent").next is Turn.B
    assert judge("strike cue", striker="B").next is Turn.A


@pytest.mark.clause("FP-F.K")
def test_after_an_error_of_the_waiting_player_the_striker_keeps_the_turn(judge: Any) -> None:
    between = judge(calls="K@B", mode="idle")
    assert (between.next, between.ball_in_hand, between.stroke) == (Turn.A, True, False)
    within = judge(HIT, calls="P@B")
    assert (within.next, within.ball_in_hand, within.stroke) == (Turn.B, False, True)
    both = judge(calls="K@B,P", mode="idle")
    assert (both.next, both.ball_in_hand) == (Turn.B, True)


@pytest.mark.clause("FP-F.I")
def test_an_error_between_strokes_passes_the_turn(judge: Any) -> None:
    ruling = judge(calls="I", mode="idle", striker="B")
    assert (ruling.short, ruling.next) == ("A+2*", Turn.A)


@pytest.mark.parametrize(
    ("facts", "how", "respot"),
    [
        (f"{HIT}; topple N,C by opponent; shift W; off red; off cue", {}, ["C", "N", "W", "red", "cue"]),
        (f"{HIT}; wobble N", {}, []),
        (f"{HIT}; free N; topple E by red", {"pins": "C,E"}, ["N", "E"]),
        (f"{HIT}; lean S on cue away", {}, ["S"]),
        (f"{HIT}; topple E by opponent; restand E", {}, ["E"]),
        ("shift E", {"mode": "idle", "calls": "K"}, ["E"]),
        (f"{HIT}; topple N by opponent; interference force-majeure", {}, ["N"]),
    ],
)
@pytest.mark.clause("FP-T.4b")
def test_everything_displaced_is_put_back(judge: Any, facts: str, how: dict[str, Any], respot: list[str]) -> None:
    ruling = judge(facts, **how)
    assert list(ruling.respot) == respot
    spots = {placement.what: placement.spot for placement in ruling.placements}
    assert all(spots[name] == {"red": "red", "cue": ""}.get(name, name) for name in respot)


@pytest.mark.clause("FP-2.2")
@pytest.mark.clause("FP-2.3")
@pytest.mark.parametrize(
    ("facts", "score", "after", "winner"),
    [
        (f"{HIT}; topple C by opponent", (42, 3), (50, 3), Player.A),
        (f"{HIT}; topple C by opponent", (41, 3), (49, 3), None),
        (f"{HIT}; topple C by opponent", (49, 49), (50, 49), Player.A),
        ("strike cue", (49, 48), (49, 50), Player.B),
        ("strike cue", (49, 47), (49, 49), None),
        (f"{HIT}; topple C by cue", (49, 45), (49, 50), Player.B),
    ],
)
def test_the_limit(
    judge: Any, facts: str, score: tuple[int, int], after: tuple[int, int], winner: Player | None
) -> None:
    ruling = judge(facts, score=score)
    assert (ruling.score, ruling.winner) == (Score(*after), winner)
    assert (ruling.next is None) == (winner is not None)
    if winner:
        assert not ruling.ball_in_hand


@pytest.mark.clause("FP-2.3")
def test_both_players_at_the_limit_is_left_to_the_referee(judge: Any) -> None:
    """Both credited in one stroke, both would reach the limit (A44): nothing is credited until he rules."""
    ruling = judge("strike cue", calls="P@B", score=(48, 49))
    assert (ruling.next, ruling.manual, ruling.winner) == (Turn.REFEREE, True, None)
    assert (ruling.points, ruling.score, ruling.components) == (Score(), Score(48, 49), ())
    assert "A44" in ruling.interpretations
    assert judge("strike cue", calls="P@B", score=(47, 49)).winner is Player.B


@pytest.mark.clause("FP-X.1")
@pytest.mark.parametrize("calls", ["", "Z", "P@B"])
def test_interference_is_not_charged(judge: Any, calls: str) -> None:
    ruling = judge("strike cue; contact cue red; off red; interference third-party", calls=calls)
    assert (ruling.next, ruling.manual, ruling.points, ruling.ball_in_hand) == (Turn.REFEREE, True, Score(), False)
    assert ruling.clauses == ("FP-X.1", "FP-P.3")


@pytest.mark.clause("FP-F.0d")
def test_ball_in_hand_only_with_a_lettered_error(judge: Any) -> None:
    assert judge("strike cue").ball_in_hand
    assert not judge(f"{HIT}; topple N by cue").ball_in_hand
    assert judge(f"{HIT}; topple N by cue", calls="R").ball_in_hand
    assert not judge(HIT).ball_in_hand


@pytest.mark.clause("FP-7.0")
def test_the_strikers_score_does_not_move_on_an_error(judge: Any) -> None:
    ruling = judge(f"{HIT}; contact cue red; topple C,N by cue; off cue", score=(10, 20), calls="Z")
    assert ruling.score == Score(10, 20 + 4 + 6 + 2 + 2)


@pytest.mark.report("R016")
@pytest.mark.parametrize(
    ("facts", "short", "clause"),
    [
        (f"{HIT}; contact cue red", "A+4", "FP-8.2a"),
        (f"{HIT}; contact opponent red", "A+3", "FP-8.2b"),
        (f"{HIT}; contact opponent red; contact cue red; topple W by red", "A+5", "FP-8.2c"),
        ("strike cue; contact cue red; contact cue opponent; contact opponent red", "B+2*", "FP-8.2b"),
    ],
)
def test_a_carom_scores_only_as_the_clauses_say(judge: Any, facts: str, short: str, clause: str) -> None:
    """R016: carom, ricochet, both in one stroke, red first: 4, 3, only the first, nothing."""
    ruling = judge(facts)
    assert ruling.short == short
    assert clause in ruling.clauses


@pytest.mark.report("R017")
def test_each_distinct_error_adds_two(judge: Any) -> None:
    """R017: three different errors and five pins give 18 to the opponent, never a fixed amount."""
    ruling = judge(
        "strike cue; contact cue red; contact cue opponent; topple C,N,E,S,W by opponent; off red", calls="Z"
    )
    assert (ruling.short, ruling.letters) == ("B+18*", ("B", "D", "Z"))


@pytest.mark.report("R019")
@pytest.mark.clause("FP-H.1b")
def test_a_carom_does_not_cancel_an_error_made_later(judge: Any) -> None:
    """R019: correct carom, then the cue ball fells a pin: 6 to the opponent, no extra 2, no ball in hand."""
    ruling = judge(f"{HIT}; contact cue red; topple N by cue")
    assert (ruling.short, ruling.ball_in_hand, ruling.own_pins) == ("B+6", False, True)
