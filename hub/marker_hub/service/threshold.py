"""The technician's threshold of a table's piezos, given to the node: one comparator threshold for all of them.

The node writes its flash in service mode only, so the table is taken there and back; that needs a table without a match.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

from marker_hardware import calibration
from marker_hardware.wire import Mode
from marker_hub import wire
from marker_hub.web.port import CommandResult

if TYPE_CHECKING:
    from marker_hub.display import Reconciler
    from marker_hub.service.tables import TableRuntime

_WORDS = {
    "match": {
        "ru": "Идёт матч: порог меняют между матчами.",
        "en": "A match is running: the threshold is changed between matches.",
        "it": "C'è un incontro in corso: la soglia si cambia tra un incontro e l'altro.",
    },
    "node": {
        "ru": "Узел не отвечает: проверьте питание и сеть узла.",
        "en": "The node does not answer: check its power and its network.",
        "it": "Il nodo non risponde: controllare l'alimentazione e la rete del nodo.",
    },
    "refused": {
        "ru": "Узел отказал: {why}.",
        "en": "The node refused: {why}.",
        "it": "Il nodo ha rifiutato: {why}.",
    },
}


def law() -> dict[str, Any]:
    """What a threshold may be and what a noise floor asks for (hardware/calibration.toml): mV, and the gain."""
    vth = calibration.load().piezo.vth
    return {"min_mv": vth.floor_mv, "max_mv": vth.max_mv, "gain": vth.gain, "add_mv": vth.add_mv}


async def set_threshold(table: TableRuntime, millivolts: int) -> CommandResult:
    """Sets and keeps the threshold, mV within `law`: 200 with the value, 422 with the reason in three languages."""
    bounds = law()
    if not bounds["min_mv"] <= millivolts <= bounds["max_mv"]:
        text = f"mv: {millivolts} is not between {bounds['min_mv']} and {bounds['max_mv']}"
        return CommandResult(422, {"code": "range", "text": text})
    if table.view()["match"] is not None:
        return refused("match")
    node = table.reconciler
    if not node.node_online:
        return refused("node")
    with node.aside():
        return await _given(node, millivolts)


async def _given(node: Reconciler, millivolts: int) -> CommandResult:
    run = secrets.token_hex(4)
    orders = (wire.SetMode(f"vth-{run}-1", Mode.SERVICE), wire.SetThreshold(f"vth-{run}-2", millivolts))
    try:
        for order in orders:
            answer = await node.ask(order)
            if answer is None:
                return refused("node")
            if not answer.ok:
                return refused("refused", why=f"{answer.code.name} {answer.msg}".strip())
    finally:
        await node.ask(wire.SetMode(f"vth-{run}-3", Mode.IDLE))
    return CommandResult(200, {"mv": millivolts})


def refused(code: str, **args: str) -> CommandResult:
    """422 with the reason in three languages; `code`: match, node, refused (with why)."""
    return CommandResult(
        422, {"code": code, "text": {lang: text.format(**args) for lang, text in _WORDS[code].items()}}
    )
