"""A match to three wins of each game, act by act, beside a reckoning by hand.

Each row of a script says what happens and what the board must read after it: score A, score B, balls on the table
(whites in dynamic and combined), who is at the table or chooses, frames. The numbers were worked out on paper from the
clauses, not by the product; the clause that decides stands beside them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from marker_rules.balls import Player
from marker_rules.pyramid.state import Stage

A, B = Player.A, Player.B


class Row(NamedTuple):
    """act: what happens; board: `score A, score B, balls, player, frames` worked by hand; why: the clause behind it."""

    act: str
    board: str
    why: str = ""


# how the acts of a script are played; {cue} is the coloured ball where it must be struck
SHOTS = {
    "dry break": "strike C; contact C w1; cushion w1 foot; cushion w2 left; cushion w3 right",
    "bad break": "strike C; contact C w1; cushion w1 foot",
    "dry": "strike {cue}; contact {cue} w1; cushion w1 foot; cushion w1 left",
    "nothing": "strike {cue}; contact {cue} w1; cushion w1 foot",
    "miss": "strike {cue}; cushion {cue} foot",
    "cue off": "strike {cue}; contact {cue} w1; cushion w1 foot; cushion w1 left; off {cue} floor",
    "cue ball": "strike C; contact C w1; pot C ML",
    "lights": "strike {cue}; contact {cue} w1; pot w1 BL; interference force-majeure",
}

FREE = [
    Row("lag A", "0 0 16 A 0:0", "6.1"),
    Row("choose cede", "0 0 16 B 0:0", "6.5(2): B breaks"),
    # frame 1: an illegal break, a debt, its payment
    Row("bad break", "0 -1 16 A 0:0", "11.1, 27.1: B owes one, four options for A"),
    Row("choose rerack_cede", "0 -1 16 B 0:0", "11.2(4): debt kept"),
    Row("pot 2", "0 1 15 B 0:0", "27.2: one pays, one stays; 16 - 2 + 1"),
    Row("pot 1", "0 2 14 B 0:0"),
    Row("nothing", "0 1 15 A 0:0", "18, 5: a shelf ball goes back"),
    Row("choose play", "0 1 15 A 0:0", "5(1)"),
    Row("pot 3", "3 1 12 A 0:0"),
    Row("dry", "3 1 12 B 0:0", "turn passes"),
    Row("foul pot 2", "3 0 13 A 0:0", "16, 20.2: both pots back, the last shelf ball too"),
    Row("choose cede", "3 0 13 B 0:0", "5(2)"),
    Row("miss", "3 -1 13 A 0:0", "4.3, 27.1: the shelf is empty"),
    Row("choose play", "3 -1 13 A 0:0"),
    Row("pot 2", "5 -1 11 A 0:0"),
    Row("interference lost", "5 -1 11 - 0:0", "24.3: ten whites and the coloured ball, score and debt kept"),
    Row("lag B", "5 -1 11 B 0:0"),
    Row("choose break", "5 -1 11 B 0:0", "24.3: by the rule of the break"),
    Row("pot 1", "5 0 11 B 0:0", "11.1(1), 27.2: it pays the debt and is placed"),
    Row("pot 2", "5 2 9 B 0:0"),
    Row("time B", "5 1 10 A 0:0", "28.3, 26.1(11): a shelf ball, position as it is"),
    Row("choose play", "5 1 10 A 0:0"),
    Row("pot 2", "7 1 8 A 0:0"),
    Row("pot 2", "9 1 6 A 1:0", "30.4: nine on the shelf, the frame is won"),
    # A plays on, run 4 in this visit (2 + 2), then a new rack: frame 2 with the run going on
    Row("choose continue_run", "9 1 6 A 1:0", "30.4"),
    Row("pot 1", "9 1 5 A 1:0", "the frame stays 9:1"),
    Row("choose new_rack", "0 0 16 A 1:0", "30.4, 11.3: A breaks frame 2"),
    Row("pot 4", "4 0 12 A 1:0"),
    Row("pot 4", "8 0 8 A 2:0", "run 5 + 8 = 13"),
    Row("choose continue_run", "8 0 8 A 2:0"),
    Row("pot 2", "8 0 6 A 2:0", "run 15"),
    Row("foul pot 1", "8 0 6 A 2:0", "30.4: the frame stays, the run is over without the illegal ball"),
    Row("next_game", "0 0 16 A 2:0", "11.3: A breaks frame 3"),
    Row("dry break", "0 0 16 B 2:0"),
    Row("pot 8", "0 8 8 B 2:1"),
    Row("next_game", "0 0 16 B 2:1", "B breaks frame 4"),
    Row("cue off break", "0 -1 16 A 2:1", "22.3: not 11.1, so two options"),
    Row("choose play", "0 -1 16 A 2:1"),
    Row("pot 7", "7 -1 9 A 2:1"),
    Row("sitting B pot 1", "8 -1 8 A 3:1", "25: the frame is won, nothing is charged"),
]
FREE_RUNS = [15]

DYNAMIC = [
    Row("opener A", "0 0 15 A 0:0"),
    Row("cue ball", "1 0 14 A 0:0", "EXT-D2: a white for it, premium shot anywhere"),
    Row("cue ball", "1 0 14 B 0:0", "EXT-D3: on the premium shot it is not credited, the turn passes"),
    Row("pot 3", "1 3 11 B 0:0"),
    Row("cue off", "1 2 12 A 0:0", "22.3: a shelf ball; the cue ball in hand"),
    Row("choose play", "1 2 12 A 0:0"),
    Row("cue ball", "2 2 11 A 0:0", "in hand after a foul is no premium shot: credited"),
    Row("pot 2", "4 2 9 A 0:0", "premium shot, whites count"),
    Row("miss", "3 2 10 B 0:0"),
    Row("choose cede", "3 2 10 A 0:0"),
    Row("pot 5", "8 2 5 A 1:0"),
    Row("next_game", "0 0 15 A 1:0"),
    Row("bad break", "-1 0 15 B 1:0"),
    Row("choose accept_cede", "-1 0 15 A 1:0", "11.2(2): an ordinary shot"),
    Row("cue ball", "0 0 15 A 1:0", "27.2: the white taken pays and is placed"),
    Row("time A", "-1 0 15 B 1:0"),
    Row("choose play", "-1 0 15 B 1:0"),
    Row("pot 7", "-1 7 8 B 1:0"),
    Row("lights", "-1 7 8 B 1:0", "24: void, played again"),
    Row("sitting A pot 1", "-1 8 7 B 1:1"),
    Row("choose continue_run", "-1 8 7 B 1:1"),
    Row("cue ball", "-1 8 6 B 1:1", "run 9 + 0: the white leaves the table"),
    Row("choose new_rack", "0 0 15 B 1:1", "run 9"),
    Row("pot 6", "0 6 9 B 1:1", "run 15"),
    Row("interference lost", "0 6 9 - 1:1", "the visit is over, a lag decides"),
    Row("lag A", "0 6 9 A 1:1"),
    Row("choose break", "0 6 9 A 1:1"),
    Row("pot 8", "8 6 1 A 2:1"),
    Row("next_game", "0 0 15 A 2:1"),
    Row("pot 8", "8 0 7 A 3:1"),
]
DYNAMIC_RUNS = [15]

COMBINED = [
    Row("opener B", "0 0 15 B 0:0"),
    Row("miss", "0 -1 15 A 0:0", "4.3 on the break: four options"),
    Row("choose rerack_play", "0 -1 15 A 0:0", "11.2(3)"),
    Row("cue ball", "1 -1 14 A 0:0", "EXT-C2: in hand from the house"),
    Row("house pot 1", "0 -1 15 B 0:0", "19.2: a house ball first; the shelf ball goes back"),
    Row("choose play", "0 -1 15 B 0:0"),
    Row("pot 2", "0 1 14 B 0:0", "one pays the debt"),
    Row("cue off", "0 0 15 A 0:0", "the shelf ball goes back; penal shot from the house"),
    Row("choose cede", "0 0 15 B 0:0", "5(2): B himself plays from the house"),
    Row("pot 3", "0 3 12 B 0:0"),
    Row("both", "-1 2 13 B 0:0", "A sitting and B by a double hit: both pay, A offended last"),
    Row("choose play", "-1 2 13 B 0:0"),
    Row("pot 6", "-1 8 7 B 0:1"),
    Row("next_game", "0 0 15 B 0:1"),
    Row("dry break", "0 0 15 A 0:1"),
    Row("cue ball", "1 0 14 A 0:1"),
    Row("white left", "0 0 15 A 0:1", "EXT-C3: not taken before the next stroke"),
    Row("pot 4", "4 0 11 A 0:1"),
    Row("time A", "3 0 12 B 0:1"),
    Row("choose play", "3 0 12 B 0:1"),
    Row("interference restorable", "3 0 12 B 0:1", "24.1"),
    Row("interference lost", "3 0 12 - 0:1", "24.3: twelve whites"),
    Row("lag A", "3 0 12 A 0:1"),
    Row("choose break", "3 0 12 A 0:1"),
    Row("bad break", "2 0 13 B 0:1", "11.2 applies; the penalty ball comes from the shelf"),
    Row("choose rerack_cede", "2 0 13 A 0:1", "thirteen whites"),
    Row("pot 6", "8 0 7 A 1:1"),
    Row("choose new_rack", "0 0 15 A 1:1", "run 6 goes on"),
    Row("pot 5", "5 0 10 A 1:1"),
    Row("cue ball", "6 0 9 A 1:1", "run 12"),
    Row("pot 2", "8 0 7 A 2:1", "run 14"),
    Row("choose continue_run", "8 0 7 A 2:1"),
    Row("pot 3", "8 0 4 A 2:1", "run 17"),
    Row("dry", "8 0 4 A 2:1", "the run is over"),
    Row("next_game", "0 0 15 A 2:1"),
    Row("pot 1", "1 0 14 A 2:1"),
    Row("after pot 1", "1 0 14 B 2:1", "20.3: credited, then one back"),
    Row("choose play", "1 0 14 B 2:1"),
    Row("dry", "1 0 14 A 2:1"),
    Row("pot 7", "8 0 7 A 3:1"),
]
COMBINED_RUNS = [17]


def perform(match: Any, act: str) -> None:
    """Play one act of a script."""
    cue = match.cue(*(f"w{n}" for n in range(1, 10)))
    head, _, rest = act.partition(" ")
    if act in SHOTS:
        match.shot(SHOTS[act].format(cue=cue))
    elif head in ("pot", "foul", "sitting", "after", "house"):
        count = int(act.rsplit(maxsplit=1)[-1])
        pots = "; ".join(f"pot w{n} BL" for n in range(1, count + 1))
        calls = {"foul": "RP-16", "after": "RP-15.1 A after", "house": "RP-19.2a"}.get(head, "")
        if head == "sitting":
            calls = f"RP-25 {rest[0]} sitting"
        elif calls:
            calls = (
                calls.replace(" A ", f" {match.state.striker} ") if " A " in calls else f"{calls} {match.state.striker}"
            )
        match.shot(f"strike {cue}; contact {cue} w1; {pots}", calls)
    elif act == "cue off break":
        match.shot(SHOTS["dry break"] + "; off C floor")
    elif act == "both":
        striker = match.state.striker
        match.shot(SHOTS["dry"].format(cue=cue), f"RP-16 {striker}, RP-25 {striker.other} sitting")
    elif head == "time":
        match.shot("", f"RP-26.1.11 {rest}")
    elif head == "lag":
        match.act("lag", value=rest)
    elif head in ("choose", "interference", "white"):
        match.act(head, value=rest)
    elif head != "opener":
        match.act(act)


def board(match: Any) -> str:
    """What the board reads."""
    state = match.state
    who = "-" if state.stage is Stage.LAG else str(state.pending.chooser if state.pending else state.striker)
    score = state.score
    return f"{score.a} {score.b} {state.table.balls} {who} {state.frames.a}:{state.frames.b}"


@pytest.mark.parametrize(
    ("game", "opener", "script", "runs"),
    [
        ("free", None, FREE, FREE_RUNS),
        ("dynamic", A, DYNAMIC, DYNAMIC_RUNS),
        ("combined", B, COMBINED, COMBINED_RUNS),
    ],
)
def test_match_to_three(play: Any, game: str, opener: Player | None, script: list[Row], runs: list[int]) -> None:
    """Every row of the script reads as reckoned by hand; the match ends with the last one."""
    match = play(game, opener)
    for number, row in enumerate(script):
        perform(match, row.act)
        assert board(match) == row.board, f"row {number} '{row.act}': {row.why}"
    assert match.state.stage is Stage.MATCH_OVER
    assert [record.balls for record in match.state.runs] == runs
