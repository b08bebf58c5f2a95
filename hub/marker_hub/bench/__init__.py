"""Measurements: each module here has `run(**sizes) -> dict`, taken as ratios within one run."""
