"""Write docs/developer/table-states.md from the phase machine, or (--check) say that it is out of date.

Usage: python tools/table_states.py [--check]. Exit status 0, 1 (out of date), 2 (cannot be written).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from transitions.extensions import GraphMachine

from marker_hub.phases import ALLOWED, TRANSITIONS, Phase, definition
from marker_hub.table.state import Work

PAGE = Path(__file__).parent.parent / "docs" / "developer" / "table-states.md"

HEAD = """# Phases of a table

Generated from `marker_hub.phases` by `python tools/table_states.py`; do not edit. A test compares this page with a fresh one.

One flat machine moves every table. States and transitions are data (`TRANSITIONS`), the guards are methods of the working
copy (`marker_hub.table.state.Work`), and what an entry does besides moving the phase is in the handlers of
`marker_hub.table`. An event that a phase does not know is journalled, counted and shown; it is never raised.

"""


class _Drawn:
    """Something for the library to draw; it has no behaviour."""

    phase = Phase.IDLE.value


def diagram() -> str:
    """The machine as a Mermaid state diagram."""
    model = _Drawn()
    machine = GraphMachine(
        model=model,
        states=[phase.value for phase in Phase],
        transitions=definition(),
        initial=Phase.IDLE.value,
        auto_transitions=False,
        model_attribute="phase",
        graph_engine="mermaid",
        show_conditions=True,
    )
    source: str = machine.get_combined_graph().source
    body = source[source.index("stateDiagram") :].splitlines()
    drawn = (line.rstrip() for line in body if not line.strip().startswith(("Class ", "classDef ")))
    return "\n".join(line for line in drawn if line)


def _guard(name: str) -> str:
    doc = (getattr(Work, name).__doc__ or "").strip().splitlines()[0]
    return doc.rstrip(".")


def table() -> str:
    """One line a transition: from, event, guards, to."""
    lines = ["| event | from | if | to |", "|---|---|---|---|"]
    for row in TRANSITIONS:
        sources = (
            ", ".join(phase.value for phase in row.sources) if len(row.sources) < len(Phase) - 2 else "any in a match"
        )
        lines.append(f"| `{row.event}` | {sources} | {' and '.join(row.guards) or '-'} | {row.dest} |")
    return "\n".join(lines)


def guards() -> str:
    """What each guard asks."""
    names = dict.fromkeys(name for row in TRANSITIONS for name in row.guards)
    return "\n".join(["| guard | asks |", "|---|---|", *(f"| `{name}` | {_guard(name)} |" for name in names)])


def allowed() -> str:
    """Which events each phase knows."""
    lines = (f"| {phase} | {', '.join(sorted(f'`{event}`' for event in ALLOWED[phase]))} |" for phase in Phase)
    return "\n".join(["| phase | events it handles |", "|---|---|", *lines])


def page() -> str:
    """The whole page."""
    parts = (
        ("## Diagram", f"```mermaid\n{diagram()}\n```"),
        ("## Transitions, in order of precedence", table()),
        ("## Guards", guards()),
        ("## What each phase handles", allowed()),
    )
    return HEAD + "\n\n".join(f"{title}\n\n{text}" for title, text in parts) + "\n"


def main(argv: list[str] | None = None) -> int:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 when the page is out of date")
    given = parser.parse_args(argv)
    fresh = page()
    current = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    if given.check:
        if fresh != current:
            print(f"{PAGE}: out of date; run python tools/table_states.py", file=sys.stderr)
            return 1
        return 0
    try:
        PAGE.parent.mkdir(parents=True, exist_ok=True)
        PAGE.write_text(fresh, encoding="utf-8")
    except OSError as error:
        print(f"{PAGE}: {error.strerror}; check the permissions", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
