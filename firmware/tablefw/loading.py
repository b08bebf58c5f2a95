"""Parts that are needed seldom are imported where they are used and forgotten afterwards, so that their code is garbage again."""

import gc
import sys


def forget(name):
    """Drop a module of the package; the next import loads it anew. CPython has memory enough and keeps its modules."""
    if sys.implementation.name != "micropython":
        return
    sys.modules.pop("tablefw." + name, None)
    package = sys.modules.get("tablefw")
    if package and hasattr(package, name):
        delattr(package, name)
    gc.collect()
