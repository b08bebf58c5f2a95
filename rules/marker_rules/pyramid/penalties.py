"""Shelf, debt and the single penalty: what a scoring shot pays and what a violation costs (clauses 5, 26, 27)."""

from __future__ import annotations

from dataclasses import dataclass

from marker_rules.balls import Ball, Player
from marker_rules.options import Options
from marker_rules.pyramid.state import ON_SHELF, Coloured, Pair, Penalty, PenaltySource, PyramidState, Table


@dataclass(slots=True)
class Account:
    """Both players' balls while a shot is settled. Balls only move: table, shelf A, shelf B; a debt moves none."""

    before: PyramidState
    options: Options
    shelf: Pair
    debt: Pair
    balls: int  # on the table, as in Table.balls
    coloured: Coloured

    @staticmethod
    def of(before: PyramidState, options: Options) -> Account:
        """The account before the shot."""
        return Account(before, options, before.shelf, before.debt, before.table.balls, before.table.coloured)

    @property
    def table(self) -> Table:
        """What lies on the table now."""
        was = self.before.table
        if self.balls == was.balls and self.coloured is was.coloured:
            return was
        return Table(self.balls, self.coloured)

    def score(self) -> Pair:
        """Score as it reads on the board: shelf - debt, plus a handicap."""
        shelf, debt, extra = self.shelf, self.debt, self.before.handicap
        if debt.a or debt.b or extra.a or extra.b:
            return Pair(shelf.a - debt.a + extra.a, shelf.b - debt.b + extra.b)
        return shelf

    def winner(self) -> Player | None:
        """Who has the balls that win the frame (RP-30.4a, EXT-F1, EXT-D1, EXT-C1)."""
        target, score = self.options["target"], self.score()
        if score.a >= target:
            return Player.A
        return Player.B if score.b >= target else None

    def credit(self, player: Player, credited: int) -> int:
        """Credit balls of one scoring shot, one point each (EXT-F4), debts first (RP-27.2, AMB-10). Returns the debts paid."""
        debt, paid = self.debt.of(player), 0
        if debt:
            limit = debt if self.options["debts_per_shot"] == "all" else 1
            paid = min(credited, limit)
            self.debt = self.debt.add(player, -paid)
        self.shelf = self.shelf.add(player, credited - paid)
        self.balls -= credited - paid  # a ball that pays a debt goes back on the table
        return paid

    def note_coloured(self, player: Player, credited: list[Ball], paid: int) -> None:
        """Free pyramid: follow the coloured ball to a shelf, as far as anybody can know."""
        if Ball.C in credited and paid < len(credited) and self.coloured is not Coloured.UNKNOWN:
            self.coloured = Coloured.shelf(player) if paid == 0 else Coloured.UNKNOWN

    def charge(self, player: Player) -> Penalty:
        """One penalty ball: from the shelf to the table, or owed (RP-5.0, RP-27.1a, EXT-F5)."""
        shelf = self.shelf.of(player)
        if shelf > 0:
            self.shelf = self.shelf.add(player, -1)
            self.balls += 1
            if self.coloured in ON_SHELF and self.coloured is Coloured.shelf(player):
                self.coloured = Coloured.TABLE if shelf == 1 else Coloured.UNKNOWN
            return Penalty(player, PenaltySource.SHELF)
        self.debt = self.debt.add(player, 1)
        return Penalty(player, PenaltySource.DEBT)

    def reward(self, player: Player) -> int:
        """Scheme `opponent_plus_one`: `player` takes a ball from the table (EXT-F6, EXT-C7). Returns the balls taken.

        Derived: the ball comes from the table in all three games, since the shelf holds balls and not points; when
        none is left there is nothing to take. A debt from earlier is paid by it.
        """
        if self.balls <= 0:
            return 0
        if self.debt.of(player) > 0:
            self.debt = self.debt.add(player, -1)
            return 0
        self.balls -= 1
        self.shelf = self.shelf.add(player, 1)
        return 1
