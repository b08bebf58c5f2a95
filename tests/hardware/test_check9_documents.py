"""Check 9: numbers in the guides come from the data files, and every calibration value has a user."""

import re

import pytest

from marker_hardware import documents
from marker_hardware.checks import document_rules
from marker_hardware.data import HardwareDataError
from marker_hardware.tree import Tree

FORM = "hardware/docs/source/commissioning.md"
GUIDES = (
    "README",
    "docs/build_node",
    "docs/install_carom",
    "docs/install_pyramid",
    "docs/faults",
)


def test_the_shipped_guides_are_consistent(tree: Tree) -> None:
    assert document_rules.check(tree) == []


def test_a_number_typed_into_the_form_is_caught(workshop) -> None:
    workshop.edit(FORM, "{{commission.trials}} strokes", "25 strokes", 1)
    problems = document_rules.check(workshop.tree)
    assert {problem.rule for problem in problems} == {"D1", "D2"}
    assert any("25 is typed by hand" in problem.message for problem in problems)


def test_a_number_edited_in_the_finished_form_is_caught(workshop) -> None:
    workshop.edit("hardware/docs/commissioning.md", "20 strokes of the cue", "10 strokes of the cue")
    assert [(p.rule, p.place) for p in document_rules.check(workshop.tree)] == [
        ("D2", "hardware/docs/commissioning.md")
    ]


def test_an_unused_calibration_value_is_caught(workshop) -> None:
    workshop.edit("hardware/calibration.toml", "stuck_s = 10,", "stuck_s = 10, wobble_s = 4,")
    workshop.edit("firmware/tablefw/defaults.py", "BUTTON_STUCK_MS", "BUTTON_WOBBLE_MS = 4000\nBUTTON_STUCK_MS")
    problems = list(document_rules._unused(workshop.tree))
    assert [problem.place for problem in problems] == ["hardware/calibration.toml button.wobble_s"]


def test_a_name_that_no_file_has_is_caught(workshop) -> None:
    workshop.edit(FORM, "{{commission.trials}} strokes", "{{commission.tries}} strokes", 1)
    (problem,) = document_rules.check(workshop.tree)
    assert (problem.rule, "commission.tries" in problem.message) == ("D2", True)


def test_names_resolve_into_lists_tables_and_stop_at_groups(tree: Tree) -> None:
    values = documents.namespace(tree)
    assert documents.lookup(values, "power.v5[1]", "x") == 5.4
    assert documents.lookup(values, "carom5.bed.l", "x") == 2840
    assert documents.lookup(values, "proof.rate_pct", "x") == 86
    for wrong in ("power", "power.v5[7]", "power.v6", "a b"):
        with pytest.raises(HardwareDataError):
            documents.lookup(values, wrong, "x")


@pytest.mark.parametrize("guide", GUIDES)
def test_every_link_and_picture_of_a_guide_exists(tree: Tree, guide: str) -> None:
    text = tree.read(f"hardware/{guide}.md")
    folder = tree.path(f"hardware/{guide}.md").parent
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", text)
    assert links
    assert [link for link in links if not (folder / link).resolve().exists()] == []


def test_the_readme_opens_with_what_nobody_has_verified(tree: Tree) -> None:
    lines = [
        line for line in tree.read("hardware/README.md").splitlines() if line and not line.startswith(("<!--", "#"))
    ]
    assert lines[0] == "**Nothing here has been built. No real piezo, magnet, gate or table has been measured.**"


@pytest.mark.parametrize(("guide", "file"), [("install_carom", "carom5"), ("install_pyramid", "pyramid12")])
def test_an_install_guide_alone_tells_every_place_and_cable(tree: Tree, guide: str, file: str) -> None:
    """Every sensor of the table file stands in the guide with its coordinates, and in the placement drawing."""
    text = tree.read(f"hardware/docs/{guide}.md")
    table = tree.toml(f"hardware/tables/{file}.toml")
    drawing = tree.read(f"hardware/docs/pictures/placement_{table['profile']}.svg")
    places = {key: rail["sensor"]["v"] for key, rail in table["rails"].items()}
    places |= {key: pocket["gate"]["v"] for key, pocket in table.get("pockets", {}).items()}
    places |= {"CLICK": table["click"]["sensor"]["v"]}
    for key, (x, y) in places.items():
        assert re.search(rf"\| {key} \|[^|]*\| {x:g} \| {y:g} \|", text), key
        assert f"{x:g} / {y:g}" in drawing, key
        assert f"`W{key}`" in text, key
