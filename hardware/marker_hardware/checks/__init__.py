"""The nine checks of the hardware folder: each reads a tree of files and returns what is wrong with it."""

import time
from collections.abc import Callable, Iterable, Iterator

from marker_hardware.checks import (
    analogue,
    bom_rules,
    document_rules,
    generated_files,
    harness_rules,
    health_codes,
    mount_rules,
    netlist_rules,
    pinmap_rules,
)
from marker_hardware.checks.model import Outcome, Problem, Result
from marker_hardware.data import HardwareDataError
from marker_hardware.tree import Tree, Unavailable

Check = Callable[[Tree], list[Problem]]

# Number, title, and the parts of the check. A part that cannot run leaves the problems of the others standing.
CHECKS: tuple[tuple[int, str, tuple[Check, ...]], ...] = (
    (1, "pin map legal, tables consistent", (pinmap_rules.check,)),
    (2, "generated files are current", (generated_files.check,)),
    (3, "bills of materials", (bom_rules.check,)),
    (4, "net lists", (netlist_rules.check,)),
    (5, "analogue front end in ngspice", (analogue.check,)),
    (6, "cable harness and its pictures", (harness_rules.check, harness_rules.check_drawings)),
    (7, "printed parts", (mount_rules.check_numbers, mount_rules.check_shapes)),
    (8, "fault codes agree", (health_codes.check,)),
    (9, "numbers in the guides", (document_rules.check,)),
)


def run(tree: Tree, numbers: Iterable[int] = ()) -> Iterator[Result]:
    """Run the checks named by number (all when none is), one result each, in order."""
    chosen = set(numbers)
    for number, title, parts in CHECKS:
        if not chosen or number in chosen:
            yield _one(number, title, parts, tree)


def _one(number: int, title: str, parts: tuple[Check, ...], tree: Tree) -> Result:
    begin = time.perf_counter()
    problems: list[Problem] = []
    missing: list[str] = []
    for part in parts:
        try:
            problems += part(tree)
        except HardwareDataError as error:
            problems.append(Problem("D0", error.file, str(error)))
        except Unavailable as error:
            missing.append(str(error))
    outcome = Outcome.FAILED if problems else Outcome.SKIPPED if missing else Outcome.PASSED
    seconds = round(time.perf_counter() - begin, 2)
    return Result(
        number=number,
        title=title,
        outcome=outcome,
        problems=tuple(problems),
        reason="; ".join(missing),
        seconds=seconds,
    )
