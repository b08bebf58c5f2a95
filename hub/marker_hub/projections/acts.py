"""What was done to the match besides shots and still has to be seen: awards, extra time taken for the stroke to come."""

from __future__ import annotations

from typing import Any

from marker_hub.match.state import MatchState, ShotRecord

Json = dict[str, Any]

_AWARDS = {"award_game": "game", "award_match": "match", "replay_game": "replay"}
_NEXT = frozenset({"next_game", "new_rack", "continue_run"})


def awards(match: MatchState) -> list[Json]:
    """Every award that counts, in order: what (game, match, replay), to whom, in which game, after which shot (0: none), the
    referee's note.
    """
    made: list[Json] = []
    game, shot = 1, 0
    for item in match.items:
        if item.aside_n:
            continue
        if isinstance(item, ShotRecord):
            game, shot = item.game_no, item.no
        elif item.action.kind in _NEXT:
            game += item.action.kind != "continue_run"
        elif item.action.kind in _AWARDS:
            action = item.action
            to = None if action.player is None else action.player.value
            made.append({"what": _AWARDS[action.kind], "to": to, "game_no": game, "shot": shot, "note": action.note})
    return made


def award_now(match: MatchState) -> Json | None:
    """The award that the table still stands on: nothing was struck and no other game begun since."""
    newest = next((item for item in reversed(match.items) if not item.aside_n), None)
    if newest is None or isinstance(newest, ShotRecord) or newest.action.kind not in _AWARDS:
        return None
    return awards(match)[-1]


def extra_time_taken(match: MatchState) -> int:
    """How often extra time was taken for the stroke to come (RP-28.2a): by the player, or after 'Time'."""
    taken = 0
    for item in reversed(match.items):
        if isinstance(item, ShotRecord) and not item.aside_n:
            break
        if not isinstance(item, ShotRecord) and not item.aside_n:
            if item.action.kind in _NEXT:
                break
            taken += item.action.kind == "extension"
    return taken
