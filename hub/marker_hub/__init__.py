"""marker_hub."""
