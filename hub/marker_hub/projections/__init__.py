"""View models: plain JSON values for pages, topics and the API, made from a table and nothing else."""

from marker_hub.projections.hall import hall_view
from marker_hub.projections.sheet_page import sheet_view
from marker_hub.projections.table_page import record_view, shown_run, table_view

__all__ = ["hall_view", "record_view", "sheet_view", "shown_run", "table_view"]
