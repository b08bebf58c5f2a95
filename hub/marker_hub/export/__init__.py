"""Match record (JSON Lines), replay, protocol (CSV, PDF), history for the pages: all folded from entries, nothing kept apart."""

from marker_hub.export.history import match_detail
from marker_hub.export.protocol import csv_protocol, pdf_protocol
from marker_hub.export.record import MatchRecord, RecordError, folded, from_journal, read_record, write_record
from marker_hub.export.replay import Finding, replay

__all__ = [
    "Finding",
    "MatchRecord",
    "RecordError",
    "csv_protocol",
    "export_match",
    "folded",
    "from_journal",
    "match_detail",
    "pdf_protocol",
    "read_record",
    "replay",
    "write_record",
]


def export_match(record: MatchRecord, form: str, zone: str = "UTC", language: str = "en") -> tuple[str, bytes] | None:
    """Media type and bytes in the form asked for (jsonl, csv, pdf), or None for another one."""
    if form == "jsonl":
        return "application/x-ndjson", write_record(record)
    if form == "csv":
        return "text/csv; charset=utf-8", csv_protocol(record, zone)
    if form == "pdf":
        return "application/pdf", pdf_protocol(record, zone, language)
    return None
