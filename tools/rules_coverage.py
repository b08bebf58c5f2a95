"""Write the coverage pages of the rules: `python tools/rules_coverage.py [five-pins] [pyramid] [--check]`."""

from __future__ import annotations

import sys
from pathlib import Path

import yaml

from marker_rules.catalogue import FAMILIES
from marker_rules.coverage import Sources, holes, page

ROOT = Path(__file__).resolve().parents[1]
RULES = ROOT / "rules" / "marker_rules"
ASKS_ONLY = frozenset({"features", "automaton", "sensed", "standing"})  # say what to ask of a stroke; enforce nothing
PACKAGES = {"five-pins": "five_pins", "pyramid": "pyramid"}


def read_sources(family: str) -> Sources:
    """The files that can enforce, prove or document clauses of a family."""
    package = PACKAGES[family]
    code = [path for path in sorted((RULES / package).glob("*.py")) if path.stem not in ASKS_ONLY]
    tests = sorted(
        [*(ROOT / "tests/rules" / package).rglob("test_*.py"), *(ROOT / "tests/conformance").glob("test_*.py")]
    )
    scenarios = {}
    for path in sorted((ROOT / "tests" / "conformance").glob(f"{family}-*.yaml")):
        for raw in yaml.safe_load(path.read_text(encoding="utf-8")):
            if "id" in raw:
                scenarios[str(raw["id"])] = [str(clause) for clause in raw.get("clauses", ())]
    return Sources(
        code={path.relative_to(RULES).as_posix(): path.read_text(encoding="utf-8") for path in code},
        tests={path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in tests},
        pages={
            path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
            for path in sorted((ROOT / "docs").rglob("*.md"))
            if not path.name.startswith("coverage-")
        },
        scenarios=scenarios,
    )


def page_path(family: str) -> Path:
    """Where the page of a family stands."""
    return ROOT / "docs" / "rules" / f"coverage-{family}.md"


def main(args: list[str]) -> int:
    """Write the pages, or with --check only compare; holes are printed in both cases."""
    check = "--check" in args
    families = [name for name in args if not name.startswith("-")] or list(FAMILIES)
    failed = False
    for family in families:
        sources = read_sources(family)
        for hole in holes(family, sources):
            print(hole, file=sys.stderr)
            failed = True
        text, path = page(family, sources), page_path(family)
        if check:
            current = path.read_text(encoding="utf-8") if path.exists() else ""
            if current != text:
                print(f"{path.relative_to(ROOT)} is out of date; run python tools/rules_coverage.py", file=sys.stderr)
                failed = True
        else:
            path.write_text(text, encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
