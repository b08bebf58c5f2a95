"""Identity of nodes: (uid, epoch) interned as a number, and which node a record of a table and boot belongs to.

A boot counter that went back means a reformatted flash: a new epoch, else the journal's unique index would silently eat
the new records. An old birth that is merely delivered late looks the same, so a birth that looks like going back is
believed only when the node itself, asked at that moment, confirms it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from marker_hub.ingest.seqs import SeqSet
from marker_hub.journal import NodeRow, Reader


@dataclass(slots=True)
class Node:
    """One (uid, epoch). boots: sequence numbers held per boot that was seen; newest: highest boot."""

    id: int
    uid: str
    epoch: int
    table: str
    boots: dict[int, SeqSet] = field(default_factory=dict)
    stored: bool = False

    @property
    def newest(self) -> int:
        """Highest boot number seen, -1 before the first."""
        return max(self.boots, default=-1)


class NodeRegistry:
    """All nodes. Loaded from the journal at start, extended by births."""

    KEEP_BOOTS = 8
    """Boots of which the held numbers stay in memory; records of older ones are still refused by the index."""

    def __init__(self, reader: Reader) -> None:
        """Reads nodes, their last boots and which boot of which table belongs to whom."""
        self._reader = reader
        self._by_id: dict[int, Node] = {}
        self._owner: dict[tuple[str, int], Node] = {}
        self.current: dict[str, tuple[Node, int]] = {}
        self._next_id = 1
        for row in reader.nodes():
            self._by_id[row.id] = Node(row.id, row.uid, row.epoch, row.tbl, stored=True)
            self._next_id = max(self._next_id, row.id + 1)
        for table, node_id, boot, _n in reader.newest_births():
            node = self._by_id.get(node_id)
            if node is not None:
                node.boots[boot] = SeqSet()
                self._owner[(table, boot)] = node
                self.current[table] = (node, boot)
        for node in self._by_id.values():
            for boot in sorted(node.boots)[: -self.KEEP_BOOTS]:
                del node.boots[boot]
            for boot in node.boots:
                node.boots[boot] = SeqSet(reader.held(node.id, boot))

    def refused(self, most: int) -> dict[str, bytes]:
        """The last refused message of each topic, of the newest `most` refusals."""
        return {row.topic: row.body for row in reversed(self._reader.rejects(most))}

    def newest_epoch(self, uid: str) -> Node | None:
        """The node of the last epoch of this uid."""
        found = [node for node in self._by_id.values() if node.uid == uid]
        return max(found, key=lambda node: node.epoch) if found else None

    def owner(self, table: str, boot: int) -> Node | None:
        """Whose records those of this table and boot are; None before a birth said it."""
        return self._owner.get((table, boot))

    def goes_back(self, uid: str, boot: int, head: int) -> bool:
        """Whether these numbers could not follow what is known of the node."""
        node = self.newest_epoch(uid)
        if node is None:
            return False
        held = node.boots.get(boot)
        return boot < node.newest or (boot == node.newest and held is not None and head < held.head)

    def plan(self, table: str, uid: str, *, new_epoch: bool) -> tuple[Node, NodeRow | None]:
        """The node of a birth, and the row to store with it while it is not known to be stored.

        A number is given away at once: two tables' births may be on their way to the journal at the same time.
        """
        node = self.newest_epoch(uid)
        if node is None or new_epoch:
            epoch = 0 if node is None else node.epoch + 1
            node = Node(self._next_id, uid, epoch, table)
            self._by_id[node.id] = node
            self._next_id += 1
        return node, None if node.stored else NodeRow(node.id, uid, node.epoch, table)

    def admit(self, table: str, node: Node, boot: int, *, current: bool) -> None:
        """A birth was journalled: records of this boot are this node's from now on."""
        node.stored = True
        self._owner[(table, boot)] = node
        if boot not in node.boots:
            node.boots[boot] = SeqSet(self._reader.held(node.id, boot))
        if current:
            node.table = table
            self.current[table] = (node, boot)

    def held(self, node: Node, boot: int) -> SeqSet:
        """Sequence numbers held of a boot."""
        found = node.boots.get(boot)
        if found is None:
            found = node.boots[boot] = SeqSet(self._reader.held(node.id, boot))
        return found

    def reload(self, node: Node, boot: int) -> None:
        """A commit failed: believe the journal again."""
        self.held(node, boot).reset(self._reader.held(node.id, boot))
