"""From a message to the journal: validate, queue, commit, acknowledge, step."""

from marker_hub.ingest.core import Ingest
from marker_hub.ingest.lanes import Item, Lane, Work
from marker_hub.ingest.link import TableLink, table_link
from marker_hub.ingest.nodes import Node, NodeRegistry
from marker_hub.ingest.seqs import SeqSet

__all__ = ["Ingest", "Item", "Lane", "Node", "NodeRegistry", "SeqSet", "TableLink", "Work", "table_link"]
