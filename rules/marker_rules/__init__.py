"""Rules of five-pins and Russian pyramid as pure functions: facts to a ruling, a ruling to the next state, and why.

>>> from marker_rules import GameId, Options, Setup, Player, Shot, game, parse_facts, sentence
>>> options = Options(GameId.FIVE_PINS, {"points_limit": 50, "games": 3})
>>> five_pins = game("five-pins")
>>> state = five_pins.start(Setup(options, opener=Player.A))
>>> shot = Shot(parse_facts(["strike cue", "contact cue opponent", "contact cue red", "topple N,E by red"]))
>>> ruling = five_pins.rule(shot, state, options)
>>> ruling.short, ruling.clauses[:3]
('A+8', ('FP-5.2', 'FP-T.1', 'FP-8.2a'))
>>> sentence(ruling, state, "it")
'A: carambola 4, due birilli laterali 4; A: +8.'
>>> five_pins.due(five_pins.apply(state, ruling)).player
<Player.B: 'B'>

Nothing here reads a clock, a file of the caller's or a random number; states and rulings are frozen values.
"""

from marker_rules.balls import Ball, GameId, Pin, Player, Pocket, Rail
from marker_rules.errors import IllegalFact, IllegalInput, MalformedFact, RulesError, Undecided
from marker_rules.explain import derivation, sentence
from marker_rules.game import Action, Due, DueKind, Game, ManualEntry, Setup, game
from marker_rules.notation import format_fact, parse_fact, parse_facts
from marker_rules.options import Options, presets, switches
from marker_rules.ruling import Component, Placement, Ruling, Step, Turn
from marker_rules.shot import Call, Shot, When

__all__ = [
    "Action",
    "Ball",
    "Call",
    "Component",
    "Due",
    "DueKind",
    "Game",
    "GameId",
    "IllegalFact",
    "IllegalInput",
    "MalformedFact",
    "ManualEntry",
    "Options",
    "Pin",
    "Placement",
    "Player",
    "Pocket",
    "Rail",
    "RulesError",
    "Ruling",
    "Setup",
    "Shot",
    "Step",
    "Turn",
    "Undecided",
    "When",
    "derivation",
    "format_fact",
    "game",
    "parse_fact",
    "parse_facts",
    "presets",
    "sentence",
    "switches",
]
