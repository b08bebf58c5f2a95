"""Sizes: small for every run, those of the design with MARKER_SOAK=1 (`make soak`)."""

import os

import pytest


@pytest.fixture
def jaw_shots() -> int:
    """How many shots at jaws: 40,000 over both shelves in the soak."""
    return 20_000 if os.environ.get("MARKER_SOAK") else 700
