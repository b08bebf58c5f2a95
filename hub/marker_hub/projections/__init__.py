"""View models: plain JSON values for pages, topics and the API, made from a table and nothing else."""

from marker_hub.projections.buttons import owed, table_button
from marker_hub.projections.correction import announcement, preview_view
from marker_hub.projections.hall import hall_view
from marker_hub.projections.refusals import refusal_text
from marker_hub.projections.sheet_page import sheet_view
from marker_hub.projections.table_page import record_view, shown_run, table_view

__all__ = [
    "announcement",
    "hall_view",
    "owed",
    "preview_view",
    "record_view",
    "refusal_text",
    "sheet_view",
    "shown_run",
    "table_button",
    "table_view",
]
