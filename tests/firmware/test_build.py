"""The build of the device package: constants folded into the code, nothing else changed."""

import ast
import re

import pytest

from marker_hub.nodebuild import fold, module_name
from marker_hub.nodeflash import device_files, sources

CODES = """HIT = 4
FIRST = 16
LIMITS = (350, 1200)
CLICK = FIRST + 6
NAMES = {"PZ1": 16}
TOPIC_EV = ("ev", 1, False)
"""


def build(user: str, codes: str = CODES) -> dict[str, str]:
    return fold({"tablefw/__init__.py": "", "tablefw/codes.py": codes, "tablefw/user.py": user})


def test_numbers_stand_where_their_names_stood_and_the_definitions_are_gone() -> None:
    made = build(
        '"""Text."""\nfrom tablefw import codes as W\nfrom tablefw.codes import CLICK, NAMES\nSTEP = W.CLICK * 10 - 1\n'
        "LOW = -STEP\n\ndef f(t):\n    return t - STEP > LOW, W.HIT | CLICK, W.LIMITS[1], W.LIMITS, NAMES\n"
    )
    assert "return t - 219 > (-219), 4 | 22, 1200, (350, 1200), NAMES" in made["tablefw/user.py"]
    assert not re.search(r"STEP|LOW|\bW\b|CLICK", made["tablefw/user.py"])
    assert "from tablefw.codes import NAMES" in made["tablefw/user.py"]
    assert [n.targets[0].id for n in ast.parse(made["tablefw/codes.py"]).body] == ["NAMES", "TOPIC_EV"]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "user",
    [
        "N = 3\ndef f(N):\n    return N\n",
        "N = 3\ndef f():\n    global N\n    N = 4\n    return N\n",
        "N = 3\nN = 5\ndef f():\n    return N\n",
        "N = 3\ndef f():\n    N = 7\n    return N\n",
        "n = 3\ndef f():\n    return n\n",
        "N = 'text'\ndef f():\n    return N\n",
        "N = True\ndef f():\n    return N\n",
    ],
)
def test_what_is_bound_more_than_once_or_is_no_number_is_left_alone(user: str) -> None:
    """Mutation: no count of bindings, and a parameter becomes a number."""
    assert build(user)["tablefw/user.py"] == user


def test_a_module_that_only_held_constants_is_not_installed_and_nobody_asks_for_it() -> None:
    made = build('"""Text."""\nfrom tablefw import codes as W\nX = W.HIT\n', '"""Codes."""\nHIT = 4\n')
    assert set(made) == {"tablefw/__init__.py", "tablefw/user.py"} or "codes" not in made["tablefw/user.py"]
    assert "tablefw/codes.py" not in made


def test_an_import_inside_a_function_that_becomes_empty_stays_a_statement() -> None:
    made = build("def f():\n    from tablefw.codes import HIT\n\n    return HIT\n")["tablefw/user.py"]
    assert "return 4" in made
    ast.parse(made)


def test_every_line_of_the_firmware_stays_where_it_was() -> None:
    """A trace of the node must name the line of the source. Mutation: definitions deleted instead of emptied."""
    before, after = sources(), fold(sources())
    for path, text in after.items():
        assert text.count("\n") == before[path].count("\n"), path
        places = [
            {
                (n.name, n.lineno)
                for n in ast.walk(ast.parse(t))
                if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            }
            for t in (before[path], text)
        ]
        assert places[0] == places[1], path


def test_no_name_of_a_number_is_left_in_what_is_installed() -> None:
    files = {f.path: f.data.decode() for f in device_files("rp2")}
    assert "tablefw/items.py" not in files
    assert "tablefw/hal/unix.py" not in files
    for path, text in files.items():
        left = {m for m in re.findall(r"\b[WDI]\.([A-Z][A-Z0-9_]+)", text) if m != "CHANNELS"}
        assert {m for m in left if not m.startswith(("TOPIC", "PREFIX"))} == set(), path


def test_module_names() -> None:
    assert module_name("tablefw/hal/rp2.py") == "tablefw.hal.rp2"
    assert module_name("tablefw/hal/__init__.py") == "tablefw.hal"
