"""marker_sim."""
