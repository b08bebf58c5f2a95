"""Constants of the firmware folded into its code, as a compiler would do it: the node has no memory for their names.

The sources name every number (`W.KIND_HIT`, `D.PIEZO_MASK_US`, `STABLE`); MicroPython keeps each of those names, its value and every look-up
in the heap. `fold` writes the number where it is used, drops the definitions, and the imports and modules that become empty. Lines stay
where they are, so a trace of the node names the line of the source.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

PACKAGE = "tablefw"
Value = int | tuple[int, ...]
_NAME = re.compile(r"_?[A-Z][A-Z0-9_]*$")
_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}


@dataclass(slots=True)
class _Module:
    """One source file on its way: tree, lines, how often names are bound, its constants, what it imports as what."""

    name: str
    tree: ast.Module
    lines: list[str]
    bound: dict[str, int]
    constants: dict[str, Value] = field(default_factory=dict)
    modules: dict[str, str] = field(default_factory=dict)  # alias -> module of the package
    names: dict[str, tuple[str, str]] = field(default_factory=dict)  # name -> (module, name there)


def module_name(path: str) -> str:
    """`tablefw/hal/rp2.py` -> `tablefw.hal.rp2`."""
    return path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")


def fold(sources: Mapping[str, str]) -> dict[str, str]:
    """The same files with constants folded; files that then hold nothing are left out. Keys: paths like `tablefw/app.py`."""
    read = {path: _read(module_name(path), text) for path, text in sources.items()}
    modules = {module.name: module for module in read.values()}
    for module in modules.values():
        _imports(module, modules)
    before = -1
    while before != (count := sum(len(module.constants) for module in modules.values())):
        before = count
        for module in modules.values():
            _constants(module, modules)
    for module in modules.values():
        _replace(module, modules)
        _drop_definitions(module)
    texts = {path: "".join(module.lines) for path, module in read.items()}
    empty = {module_name(path) for path, text in texts.items() if path in sources and _holds_nothing(text)}
    texts = {path: _drop_imports(text, modules, empty) for path, text in texts.items()}
    used = set().union(*(_imported(text) for text in texts.values()))
    return {path: text for path, text in texts.items() if module_name(path) not in empty or module_name(path) in used}


def _read(name: str, text: str) -> _Module:
    tree = ast.parse(text)
    return _Module(name, tree, text.splitlines(keepends=True), _bindings(tree))


def _imports(module: _Module, modules: Mapping[str, _Module]) -> None:
    for node in ast.walk(module.tree):
        if not isinstance(node, ast.ImportFrom) or not node.module or node.module.split(".")[0] != PACKAGE:
            continue
        for alias in node.names:
            whole = f"{node.module}.{alias.name}"
            if whole in modules:
                module.modules[alias.asname or alias.name] = whole
            elif node.module in modules:
                module.names[alias.asname or alias.name] = (node.module, alias.name)


def _constants(module: _Module, modules: Mapping[str, _Module]) -> None:
    """Module-level names in capitals that are bound once, to whole numbers or tuples of them."""
    for node in module.tree.body:
        for target, value in _pairs(node):
            if _NAME.match(target) and module.bound.get(target) == 1 and target not in module.constants:
                found = _value(value, module, modules)
                if found is not None:
                    module.constants[target] = found


def _pairs(node: ast.stmt) -> list[tuple[str, ast.expr]]:
    """(name, value) of a plain assignment, also of `A, B = 1, 2`."""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return []
    target, value = node.targets[0], node.value
    if isinstance(target, ast.Name):
        return [(target.id, value)]
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        return [(t.id, v) for t, v in zip(target.elts, value.elts, strict=True) if isinstance(t, ast.Name)]
    return []


def _bindings(tree: ast.Module) -> dict[str, int]:
    """How often each name is bound anywhere in the file: a name that is also a parameter or a local is left alone."""
    found: dict[str, int] = {}
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            names = [node.id]
        elif isinstance(node, ast.arg):
            names = [node.arg]
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names = [node.name]
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            names = node.names * 2
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [alias.asname or alias.name for alias in node.names]
        for name in names:
            found[name] = found.get(name, 0) + 1
    return found


def _value(node: ast.expr, module: _Module, modules: Mapping[str, _Module]) -> Value | None:
    """The number (or tuple of numbers) an expression is, None when it is something else or not known yet."""
    match node:
        case ast.Constant(value=value) if type(value) is int:
            return value
        case ast.Name(id=name):
            if name in module.names:
                source, there = module.names[name]
                return modules[source].constants.get(there)
            return module.constants.get(name)
        case ast.Attribute(value=ast.Name(id=alias), attr=name) if alias in module.modules:
            return modules[module.modules[alias]].constants.get(name)
        case ast.Tuple(elts=elts) if elts:
            parts = [_value(part, module, modules) for part in elts]
            return tuple(p for p in parts if isinstance(p, int)) if all(type(p) is int for p in parts) else None
        case ast.Subscript(value=whole, slice=ast.Constant(value=int(at))):
            found = _value(whole, module, modules)
            return found[at] if isinstance(found, tuple) else None
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            number = _value(operand, module, modules)
            return -number if type(number) is int else None
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            a, b = _value(left, module, modules), _value(right, module, modules)
            return _OPERATORS[type(op)](a, b) if type(a) is int and type(b) is int else None
    return None


def _replace(module: _Module, modules: Mapping[str, _Module]) -> None:
    """Write the numbers into the lines, from the end so that the columns before stay true."""
    places: list[tuple[int, int, int, str]] = []

    def visit(node: ast.AST) -> None:
        reads = isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Load)
        if reads and isinstance(node, ast.expr) and node.lineno == node.end_lineno:
            found = _value(node, module, modules)
            if found is not None and node.end_col_offset is not None:
                text = f"({found})" if type(found) is int and found < 0 else str(found)
                places.append((node.lineno, node.col_offset, node.end_col_offset, text))
                return
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(module.tree)
    for line, start, end, text in sorted(places, reverse=True):
        raw = module.lines[line - 1].encode()
        module.lines[line - 1] = (raw[:start] + text.encode() + raw[end:]).decode()


def _drop_definitions(module: _Module) -> None:
    for node in module.tree.body:
        pairs = _pairs(node)
        if pairs and all(name in module.constants for name, _ in pairs):
            _blank(module.lines, node)


def _blank(lines: list[str], node: ast.stmt, text: str = "") -> None:
    for at in range(node.lineno - 1, node.end_lineno or node.lineno):
        lines[at] = "\n"
    lines[node.lineno - 1] = " " * node.col_offset + text + "\n" if text else "\n"


def _drop_imports(text: str, modules: Mapping[str, _Module], empty: set[str]) -> str:
    """Without the imports of the package that nothing uses any more."""
    tree = ast.parse(text)
    lines = text.splitlines(keepends=True)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or not node.module or node.module.split(".")[0] != PACKAGE:
            continue
        kept = [
            a for a in node.names if (a.asname or a.name) in used or not _folded(node.module, a.name, modules, empty)
        ]
        if len(kept) == len(node.names):
            continue
        listed = ", ".join(f"{a.name} as {a.asname}" if a.asname else a.name for a in kept)
        _blank(lines, node, f"from {node.module} import {listed}" if kept else "pass" if node.col_offset else "")
    return "".join(lines)


def _folded(source: str, name: str, modules: Mapping[str, _Module], empty: set[str]) -> bool:
    """Whether an import that is used no more was of a constant, or of a module that only holds constants."""
    whole = modules.get(f"{source}.{name}")
    if whole is not None:
        return whole.name in empty or bool(whole.constants)
    return source in modules and name in modules[source].constants


def _holds_nothing(text: str) -> bool:
    body = ast.parse(text).body
    return bool(body) and all(isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant) for n in body)


def _imported(text: str) -> set[str]:
    """Modules of the package that a file imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found
