"""Which code enforces a clause, which test proves it, or which page covers it: rows, holes and the page made of them.

Pure: the caller reads the files (see `tools/rules_coverage.py`). A clause is enforced where a function, class or table
of the rules names its id; it is proved where a test carries it in a `clause` mark or a table row, or a scenario of the
conformance suite cites it.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from marker_rules.catalogue import Clause, clauses

CLAUSE_ID = re.compile(r"\b(?:FP|RP|EXT)-[A-Z]*[0-9]*(?:\.[A-Za-z0-9]+)*")
MARK_CALLS = frozenset({"clause", "row"})  # pytest.mark.clause(...), and rows of a test table that pass it on
SHOWN = 4  # places named in one cell of the page


@dataclass(frozen=True, slots=True)
class Row:
    """One clause: places in the code, tests and scenarios that name it."""

    clause: Clause
    code: tuple[str, ...]
    tests: tuple[str, ...]
    scenarios: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sources:
    """Texts by path. code: modules of the rules; tests: test modules; pages: documents; scenarios: id -> cited clauses."""

    code: Mapping[str, str] = field(default_factory=dict)
    tests: Mapping[str, str] = field(default_factory=dict)
    pages: Mapping[str, str] = field(default_factory=dict)
    scenarios: Mapping[str, Iterable[str]] = field(default_factory=dict)


def _named_nodes(tree: ast.Module) -> Iterator[tuple[str, ast.stmt]]:
    """Functions, tables and classes of a module with their names; methods of classes one by one."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef):
                    yield f"{node.name}.{inner.name}", inner
                else:
                    yield node.name, inner
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [target.id for target in targets if isinstance(target, ast.Name)]
            if names:
                yield names[0], node


def code_places(sources: Mapping[str, str]) -> dict[str, list[str]]:
    """Clause id -> `module: name` of every function, class or table that names it."""
    found: dict[str, list[str]] = defaultdict(list)
    for path, text in sources.items():
        lines = text.splitlines()
        for name, node in _named_nodes(ast.parse(text)):
            segment = "\n".join(lines[node.lineno - 1 : node.end_lineno])
            for clause in dict.fromkeys(CLAUSE_ID.findall(segment)):
                place = f"{path}: {name}"
                if place not in found[clause]:
                    found[clause].append(place)
    return found


def test_places(sources: Mapping[str, str]) -> dict[str, list[str]]:
    """Clause id -> `module: test or table` that carries it in a mark or in a row of a table."""
    found: dict[str, list[str]] = defaultdict(list)
    for path, text in sources.items():
        for node in ast.parse(text).body:
            names = dict(_named_nodes(ast.Module([node], [])))
            name = next(iter(names), "")
            for clause in dict.fromkeys(_marked(node)):
                place = f"{path}: {name}"
                if place not in found[clause]:
                    found[clause].append(place)
    return found


def _marked(node: ast.stmt) -> Iterator[str]:
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and _called_name(call.func) in MARK_CALLS and call.args:
            first = call.args[0]
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield from CLAUSE_ID.findall(first.value)


def _called_name(func: ast.expr) -> str:
    return func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""


def coverage(family: str, sources: Sources) -> tuple[Row, ...]:
    """One row a clause, in the order of the catalogue."""
    code, tests = code_places(sources.code), test_places(sources.tests)
    scenarios: dict[str, list[str]] = defaultdict(list)
    for name, cited in sources.scenarios.items():
        for clause in cited:
            scenarios[clause].append(name)
    return tuple(
        Row(clause, tuple(code.get(id_, ())), tuple(tests.get(id_, ())), tuple(scenarios.get(id_, ())))
        for id_, clause in clauses(family).items()
    )


def holes(family: str, sources: Sources) -> list[str]:
    """What is missing, one line each: a clause with no code and no page, code with no test, a page that does not say it."""
    found = []
    known = set(clauses(family))
    prefixes = {id_.partition("-")[0] for id_ in known}
    for row in coverage(family, sources):
        name, page = row.clause.id, row.clause.documented
        if page:
            text = sources.pages.get(page)
            if text is None:
                found.append(f"{name}: documented in {page}, which does not exist")
            elif name not in CLAUSE_ID.findall(text):
                found.append(f"{name}: documented in {page}, which does not name it")
        elif not row.code:
            found.append(f"{name}: no code names it and no page documents it")
        elif not row.tests and not row.scenarios:
            found.append(f"{name}: no test and no scenario proves it")
    for kind, places in (("code", code_places(sources.code)), ("test", test_places(sources.tests))):
        for clause, where in places.items():
            if clause not in known and clause.partition("-")[0] in prefixes and "." in clause:
                found.append(f"{clause}: no such clause, named in {kind} {where[0]}")
    return found


def page(family: str, sources: Sources) -> str:
    """The coverage page in Markdown."""
    rows = coverage(family, sources)
    proved = sum(bool(row.tests or row.scenarios) for row in rows)
    documented = sum(bool(row.clause.documented) for row in rows)
    lines = [
        f"# Coverage of the {family} clauses",
        "",
        "Generated by `python tools/rules_coverage.py`; a test fails when it is out of date or a clause has a hole.",
        f"{len(rows)} clauses: {proved} proved by tests or scenarios, {documented} covered by a page.",
        "",
        "| clause | kind | enforced by | proved by | scenarios |",
        "|---|---|---|---|---|",
    ]
    for row in rows:
        name = row.clause.documented.rpartition("/")[2]
        where = _cell(row.code) or (f"[documented]({name})" if name else "-")
        lines.append(f"| {row.clause.id} | {row.clause.kind} | {where} | {_cell(row.tests)} | {_cell(row.scenarios)} |")
    return "\n".join([*lines, ""])


def _cell(places: tuple[str, ...]) -> str:
    shown = ", ".join(f"`{place}`" for place in places[:SHOWN])
    return f"{shown} and {len(places) - SHOWN} more" if len(places) > SHOWN else shown
