"""The driver of the tests of the hub's core, for tests that make a table per example (hypothesis, random stories)."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

NAME = "hub_core_driver"
CONFTEST = Path(__file__).parents[1] / "hub" / "core" / "conftest.py"


def driver_module() -> Any:
    """The module with `Driver` and `check_replay`."""
    if NAME not in sys.modules:
        spec = importlib.util.spec_from_file_location(NAME, CONFTEST)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[NAME] = module
        spec.loader.exec_module(module)
    return sys.modules[NAME]
