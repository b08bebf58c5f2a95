"""Imports point one way between the rooms (the arrows of the architecture page), read from the sources themselves."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = {
    "marker_rules": ROOT / "rules/marker_rules",
    "marker_hub": ROOT / "hub/marker_hub",
    "marker_sim": ROOT / "simulator/marker_sim",
    "marker_hardware": ROOT / "hardware/marker_hardware",
    "tablefw": ROOT / "firmware/tablefw",
}
ALLOWED = {
    "marker_rules": set[str](),
    "marker_hardware": set[str](),
    "tablefw": set[str](),
    "marker_hub": {"marker_rules", "marker_hardware"},
    "marker_sim": {"marker_rules", "marker_hardware", "tablefw"},
}
PURE_STDLIB_ONLY = ("marker_rules",)
TABLEFW_FOR_SIM = {
    "pins",
    "piezo",
    "gate",
    "button",
    "health",
    "outbox",
    "wire",
    "wire_codes",
    "commands",
    "modes",
    "clock",
    "defaults",
    "board_pins",
    "config",
    "schema",
    "sensors",
    "fixed",
}


def imports(tree: ast.AST) -> Iterator[tuple[str, bool, int]]:
    """(module, at top level, line) of every import."""
    top = {id(node) for node in ast.iter_child_nodes(tree)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, id(node) in top, node.lineno
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module, id(node) in top, node.lineno
            for alias in node.names:
                yield f"{node.module}.{alias.name}", id(node) in top, node.lineno


def offences(room: str, source: str, relative: str) -> list[str]:
    """What in one source file points the wrong way."""
    import sys

    found = []
    for module, at_top, line in imports(ast.parse(source)):
        head = module.split(".", 1)[0]
        where = f"{room}/{relative}:{line}: imports {module}"
        if head in ROOMS and head != room and head not in ALLOWED[room]:
            lazy_cli = room == "marker_hub" and head == "marker_sim" and relative.startswith("cli/") and not at_top
            if not lazy_cli:
                found.append(where)
        if room == "marker_sim" and head == "tablefw" and "." in module:
            part = module.split(".")[1]
            if part not in TABLEFW_FOR_SIM:
                found.append(f"{where}, which is not a pure module")
        if room in PURE_STDLIB_ONLY and head != room and head not in sys.stdlib_module_names and head != "__future__":
            found.append(f"{where}, which is not the standard library")
    return found


def sources(room: str) -> Iterator[tuple[str, str]]:
    for path in sorted(ROOMS[room].rglob("*.py")):
        relative = path.relative_to(ROOMS[room]).as_posix()
        if not (room == "marker_sim" and relative.split("/")[0] in ("upy", "cpy")):
            yield relative, path.read_text(encoding="utf-8")


@pytest.mark.parametrize("room", ROOMS)
def test_imports_point_one_way(room: str) -> None:
    found = [offence for relative, source in sources(room) for offence in offences(room, source, relative)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("room", "relative", "source"),
    [
        ("marker_rules", "shot.py", "import marker_hub"),
        ("marker_rules", "shot.py", "import msgspec"),
        ("marker_hub", "service.py", "def f():\n    import marker_sim"),
        ("marker_hub", "cli/demo.py", "import marker_sim.match"),
        ("marker_sim", "feed.py", "from marker_hub import wire"),
        ("marker_sim", "feed.py", "from tablefw import app"),
        ("tablefw", "app.py", "import marker_hardware"),
    ],
)
def test_a_wrong_arrow_is_seen(room: str, relative: str, source: str) -> None:
    assert offences(room, source, relative)


def test_the_lazy_import_of_the_command_line_is_allowed() -> None:
    assert not offences("marker_hub", "def run():\n    from marker_sim import match", "cli/demo.py")


def test_rules_read_no_clock_and_draw_no_chance() -> None:
    forbidden = {"time", "random", "datetime", "socket", "threading", "asyncio", "subprocess", "secrets", "uuid", "os"}
    found = [
        f"marker_rules/{relative}:{line}: imports {module}"
        for relative, source in sources("marker_rules")
        for module, _, line in imports(ast.parse(source))
        if module.split(".", 1)[0] in forbidden
    ]
    assert not found, "\n".join(found)
