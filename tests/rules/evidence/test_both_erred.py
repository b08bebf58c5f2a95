"""Where the waiting player erred, whether the striker erred too must be asked: the penalties differ, and so do the words."""

from marker_rules.balls import GameId, Player
from marker_rules.evidence import Evidence, next_question, possible
from marker_rules.game import game
from marker_rules.options import Options
from marker_rules.shot import Call, When


def test_whether_the_striker_erred_too_is_asked() -> None:
    """Mutation: only the choice that follows is compared: nothing is asked and the striker keeps a ball he owes."""
    options = Options(GameId.FREE)
    raw = {"striker": "B", "phase": "play", "shelf": {"A": 4, "B": 5}, "debt": {"A": 0, "B": 0}, "table": {"total": 7}}
    before = game(GameId.FREE).read_before(raw, options)
    waiting = Call("RP-25", Player.A, When.SITTING)
    evidence = Evidence.of(["strike", "click"], {"gates": "ok", "clicks": "hint"}, calls=[waiting])
    left = possible(evidence, before, options)
    assert {p.short for p in left} == {"F/FA", "0/FA"}
    assert {p.ruling.shelf.b for p in left} == {4, 5}  # type: ignore[attr-defined]
    question = next_question(evidence, before, options)
    assert question is not None
    assert question.id == "QL"
    for answer in question.answers:
        assert len(possible(evidence.answered("QL", answer.id), before, options)) == 1
