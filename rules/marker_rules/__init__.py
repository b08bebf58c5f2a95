"""marker_rules."""
