"""Mutation testing of the rules: each mutant is one changed line of law; a mutant survives if no test notices it.

    python tools/mutants.py five_pins [--sample N] [--seed S] [--json]

The list stands in tests/rules/<package>/mutants.toml: file, the text that stands there exactly once, what replaces it,
and optionally `survives`, the reason why nothing can notice it. Each mutant lives in a forked process with its own
freshly imported rules; the tests run until the first failure, those of the mutated module first. Exit status: 0 at
least 95 % killed, 1 fewer, 2 the tests fail without any mutant.
"""

from __future__ import annotations

import argparse
import importlib.abc
import importlib.machinery
import importlib.util
import inspect
import itertools
import json
import os
import random
import sys
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RULES = ROOT / "rules" / "marker_rules"
REQUIRED = 0.95


@dataclass(frozen=True, slots=True)
class Mutant:
    """file: below rules/marker_rules; old: stands there once; survives: why no test can kill it, else empty."""

    file: str
    old: str
    new: str
    survives: str = ""

    @property
    def name(self) -> str:
        """For the report."""
        return f"{self.file}: {self.old!r} -> {self.new!r}"

    def source(self) -> str:
        """The mutated module. Raises ValueError where the list is out of date."""
        text = (RULES / self.file).read_text(encoding="utf-8")
        if text.count(self.old) != 1:
            raise ValueError(f"{self.file}: {self.old!r} stands there {text.count(self.old)} times, not once")
        return text.replace(self.old, self.new)


class _Loader(importlib.abc.SourceLoader):
    """Loads one module of the rules from the mutated text."""

    def __init__(self, path: Path, source: str) -> None:
        self.path = str(path)
        self.source = source

    def get_filename(self, fullname: str) -> str:  # noqa: ARG002 - the protocol of loaders
        return self.path

    def get_data(self, path: str | bytes) -> bytes:  # noqa: ARG002
        return self.source.encode()

    def path_stats(self, path: str) -> dict[str, float]:  # noqa: ARG002 - never cached
        raise OSError


class _Finder(importlib.abc.MetaPathFinder):
    """Finds only the mutated module."""

    def __init__(self, mutant: Mutant, source: str) -> None:
        self.module = "marker_rules." + mutant.file.removesuffix(".py").replace("/", ".")
        self.loader = _Loader(RULES / mutant.file, source)

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,  # noqa: ARG002
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self.module:
            return None
        return importlib.util.spec_from_file_location(fullname, self.loader.path, loader=self.loader)


def load(package: str) -> list[Mutant]:
    """The mutants of a package, in the order of the list."""
    rows = tomllib.loads((ROOT / "tests" / "rules" / package / "mutants.toml").read_text(encoding="utf-8"))["mutant"]
    return [Mutant(**row) for row in rows]


SKIPPED = frozenset({"test_mutants", "test_catalogue", "test_second_opinion"})  # about the lists, or too long
LAST = ("test_conformance", "test_invariants")  # every scenario, whole matches at random: for what the others let pass


def _stages(package: str, mutant: Mutant) -> list[list[Path]]:
    """Test files to run in turn: those that kill most mutants of that module, the others, and all of them by pytest."""
    folder = ROOT / "tests" / "rules" / package
    files = [path for path in sorted(folder.glob("test_*.py")) if path.stem not in SKIPPED]
    own = [path for path in files if path.stem in ("test_strokes", f"test_{Path(mutant.file).stem}")]
    others = [path for path in files if path not in own and path.stem not in LAST]
    others += [path for stem in LAST for path in files if path.stem == stem]
    return [sorted(own, key=lambda path: path.stem == "test_strokes"), others, files]


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _tests(module: ModuleType) -> Iterator[Callable[..., object]]:
    """The test functions of a module and the test methods of its classes, one object a class."""
    for name, item in vars(module).items():
        if name.startswith("test_"):
            yield item
        elif name.startswith("Test") and inspect.isclass(item):
            made = item()
            yield from (getattr(made, method) for method in vars(item) if method.startswith("test_"))


def _cases(test: Callable[..., object]) -> Iterator[dict[str, Any]]:
    """The arguments of every case of a parametrised test, read from its marks."""
    groups: list[list[dict[str, Any]]] = []
    for mark in getattr(test, "pytestmark", []):
        if mark.name == "parametrize":
            names = mark.args[0] if isinstance(mark.args[0], tuple) else (mark.args[0],)
            rows = [_values(row, len(names)) for row in mark.args[1]]
            groups.append([dict(zip(names, row, strict=True)) for row in rows])
    for chosen in itertools.product(*groups):
        yield {name: value for part in chosen for name, value in part.items()}


def _values(row: Any, names: int) -> tuple[Any, ...]:
    """The values of one case: a `pytest.param`, a row of several values, or the one value itself."""
    if hasattr(row, "marks"):
        return tuple(row.values)
    return tuple(row) if names > 1 else (row,)


def _run_directly(path: Path) -> None:
    """Call the tests of one module without pytest, those whose fixtures `DIRECT` of conftest gives. Raises when one fails."""
    given = getattr(_module(path.with_name("conftest.py")), "DIRECT", {})
    for test in _tests(_module(path)):
        if hasattr(test, "is_hypothesis_test"):
            continue
        for case in _cases(test):
            wanted = set(inspect.signature(test).parameters) - set(case)
            if wanted <= set(given):
                test(**case, **{fixture: given[fixture] for fixture in wanted})


def _run_tests(files: list[Path], direct: bool) -> int:
    import pytest

    if direct:
        for path in files:
            _run_directly(path)
        return 0
    flags = ["-x", "-q", "--no-header", "-p", "no:randomly", "-p", "no:cacheprovider", "-m", "not slow and not soak"]
    return int(pytest.main([*flags, *map(str, files)]))


def _passes(mutant: Mutant, source: str, files: list[Path], *, direct: bool) -> bool:
    child = os.fork()
    if child == 0:
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        sys.meta_path.insert(0, _Finder(mutant, source))
        status = 1
        try:
            status = _run_tests(files, direct)
        finally:
            os._exit(0 if status == 0 else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def lives(package: str, mutant: Mutant) -> bool:
    """True when the tests pass with the mutant in place: called directly first, then all of them by pytest."""
    source = mutant.source()
    stages = _stages(package, mutant)
    return all(_passes(mutant, source, files, direct=files is not stages[-1]) for files in stages)


def main(args: Sequence[str] | None = None) -> int:
    """Run the mutants and report."""
    parser = argparse.ArgumentParser(description="Mutation testing of the rules.")
    parser.add_argument("package", help="five_pins or pyramid")
    parser.add_argument("--sample", type=int, default=0, help="only so many, drawn by the seed (default: all)")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    chosen = parser.parse_args(args)
    listed = load(chosen.package)
    mutants = [mutant for mutant in listed if not mutant.survives]
    for mutant in listed:
        mutant.source()  # the whole list must be up to date, also in a sample
    if chosen.sample:
        mutants = random.Random(chosen.seed).sample(mutants, min(chosen.sample, len(mutants)))
    import pytest

    del pytest  # imported once, before the forks
    control = listed[0]
    unchanged = Mutant(control.file, control.old, control.old)
    stages = _stages(chosen.package, unchanged)[: 1 if chosen.sample else None]
    if not all(_passes(unchanged, unchanged.source(), files, direct=i < 2) for i, files in enumerate(stages)):
        print("the tests fail without any mutant: nothing can be measured", file=sys.stderr)
        return 2
    survivors = []
    for number, mutant in enumerate(mutants, 1):
        if lives(chosen.package, mutant):
            survivors.append(mutant.name)
            print(f"{number}/{len(mutants)} survives: {mutant.name}", file=sys.stderr, flush=True)
        elif number % 50 == 0:
            print(f"{number}/{len(mutants)}", file=sys.stderr, flush=True)
    killed = 1 - len(survivors) / len(mutants)
    if chosen.json:
        explained = len(listed) - len([mutant for mutant in listed if not mutant.survives])
        print(json.dumps({"mutants": len(mutants), "explained": explained, "killed": killed, "survivors": survivors}))
    else:
        print(f"{len(mutants)} mutants, {killed:.1%} killed")
    return 0 if killed >= REQUIRED else 1


if __name__ == "__main__":
    sys.exit(main())
