"""The pictures of the documentation are the pages of today.

    MARKER_PICTURES=write python -m pytest tests/browser/test_pictures.py

writes them anew into docs/pictures; otherwise each page is rendered again and compared with tolerance, so that another
Chromium's anti-aliasing passes and a changed layout, colour or text does not.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from page_fakes import sheets, states
from page_fakes.hub import Complaints, FakeHub, OpenPage, Server, still
from playwright.sync_api import Page

from marker_hub.service.threshold import law
from marker_hub.web.entrance import qr_modules

pytestmark = [pytest.mark.browser, pytest.mark.slow]
FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
WRITE = os.environ.get("MARKER_PICTURES") == "write"
CELL = 16  # px: differences are looked at in cells, so that an edge half a pixel off does not count
CELL_LIMIT = 28  # mean difference of a cell, of 255
CELLS_ALLOWED = 0.012

STILL = """
const real = performance.now.bind(performance);
performance.now = () => (window.timeGoes ? real() : 0);
"""
"""A page whose clocks stand: how long a busy machine takes for it is not seen, and what goes by itself stays."""

COMPARE = """async ([one, other, cell, limit]) => {
    const load = async (data) => {
        const image = new Image();
        image.src = 'data:image/png;base64,' + data;
        await image.decode();
        const canvas = document.createElement('canvas');
        [canvas.width, canvas.height] = [image.width, image.height];
        const pen = canvas.getContext('2d', { willReadFrequently: true });
        pen.drawImage(image, 0, 0);
        return { width: image.width, height: image.height, pixels: pen.getImageData(0, 0, image.width, image.height).data };
    };
    const [a, b] = [await load(one), await load(other)];
    if (a.width !== b.width || a.height !== b.height) return `${a.width}x${a.height} instead of ${b.width}x${b.height}`;
    let bad = 0;
    let cells = 0;
    for (let y = 0; y + cell <= a.height; y += cell) for (let x = 0; x + cell <= a.width; x += cell) {
        const sums = [0, 0, 0, 0, 0, 0];
        for (let dy = 0; dy < cell; dy += 1) for (let dx = 0; dx < cell; dx += 1) {
            const at = ((y + dy) * a.width + x + dx) * 4;
            for (let c = 0; c < 3; c += 1) { sums[c] += a.pixels[at + c]; sums[c + 3] += b.pixels[at + c]; }
        }
        const size = cell * cell;
        cells += 1;
        if (Math.max(...[0, 1, 2].map((c) => Math.abs(sums[c] - sums[c + 3]) / size)) > limit) bad += 1;
    }
    return bad / cells;
}"""


@dataclass(frozen=True)
class Picture:
    """One picture: where, how large, with what on the tables; `act` brings the page there."""

    name: str
    path: str
    size: tuple[int, int] = (1280, 720)
    role: str = ""
    wait: str = "main"
    scheme: str = "dark"
    prepare: Callable[[FakeHub], None] = lambda hub: None
    act: Callable[[Page, FakeHub, Server], None] = lambda page, hub, server: None
    over_table: bool = False


def asking(hub: FakeHub) -> None:
    """Shot 42 on the referee's sheet."""
    hub.views["3"] = states.live_two_pins() | {"phase": "asking", "asking": {"shot": 42, "questions": 2}}
    hub.sheets["3"] = sheets.sheet_42()


def called(hub: FakeHub) -> None:
    """The same with a double hit."""
    asking(hub)
    hub.sheets["3"] = sheets.double_hit()


def put(view: Callable[[], dict[str, Any]]) -> Callable[[FakeHub], None]:
    """Shows one view on its table."""

    def prepare(hub: FakeHub) -> None:
        made = view()
        hub.views[made["id"]] = made

    return prepare


def whole_hall(hub: FakeHub) -> None:
    """Eight tables."""
    hub.views = {view["id"]: view for view in states.hall()}


def over() -> dict[str, Any]:
    """A match that has ended."""
    return states.hall()[3] | {
        "last": {
            "shot": 118,
            "status": "final",
            "old": None,
            "ruling": states.ruling(
                striker="B",
                to="B",
                subject="B",
                points={"A": 0, "B": 2},
                said={
                    "ru": "боковая фишка 2, выигрыш партии",
                    "en": "side pin 2, wins the game",
                    "it": "birillo laterale 2, vince",
                },
            ),
        }
    }


def free() -> dict[str, Any]:
    """A free table."""
    return states.five_pins(match=None, players=None, phase="idle", turn=None, last=None)


def history(hub: FakeHub) -> None:
    """A recorded match."""
    hub.match_data["m1"] = states.recorded_match()


def sick(hub: FakeHub) -> None:
    """Sensors of a pyramid table."""
    hub.services["5"] = states.service_pyramid() | {"threshold": law()}
    for channel in hub.services["5"]["channels"]:
        if channel["noise_v"] == 0.04:
            channel["noise_v"] = 0.028


def ruled(hub: FakeHub) -> None:
    """What the administrator sees."""
    hub.admin_data = states.administration()


def kill(page: Page, _: FakeHub, server: Server) -> None:
    """The hub goes away."""
    page.evaluate("() => { window.timeGoes = true; }")
    server.stop()
    page.wait_for_selector(".banner")
    page.evaluate("() => { document.querySelector('.banner [aria-hidden]').textContent = '0:14'; }")


def confirm(page: Page, hub: FakeHub, _: Server) -> None:
    """A ruling is confirmed while the overlay looks."""
    view = states.respotting()
    view["players"]["A"] = states.player(
        {"name": "Bonaventura-Castelnuovo", "given": "", "lang": "it"}, ball="white", score=55, games=1
    )
    hub.show(view)
    page.wait_for_selector(".lower")


def choose(page: Page, hub: FakeHub, _: Server) -> None:
    """A channel is chosen for its check, and 14 hits are heard."""
    page.locator(".channels button", has_text="PZ6").click()
    page.locator(".check-keys .main").click()
    hub.services["5"]["events"] += [
        {"id": 900 + n, "ms": -1100 * (13 - n), "channel": "PZ6", "kind": "hit", "v": 0.35 + 0.11 * (n * 5 % 11), "pulse_ms": 9, "unsure": False}
        for n in range(14)
    ]  # fmt: skip
    page.wait_for_function("() => document.querySelectorAll('.cell.hit').length === 14")
    page.evaluate("() => scrollTo(0, 0)")


def unchanging(page: Page) -> None:
    """Before it is loaded: its clocks stand, and the code of a free table is that of a hub that stands somewhere."""
    page.add_init_script(STILL)
    path = "/tables/3/join#9f2c4e71b05d83a6"
    code = {"path": path, "qr": qr_modules(f"http://192.168.1.10:8080{path}")}
    page.route("**/api/tables/3/join", lambda route: route.fulfill(json=code))


def anywhere(page: Page, _: FakeHub, __: Server) -> None:
    """The addresses of a hub that stands somewhere."""
    page.evaluate(
        "() => { for (const link of document.querySelectorAll('.facts-list a')) link.textContent = link.textContent.replace(location.origin, 'http://192.168.1.10:8080'); }"
    )


PICTURES = [
    Picture("display-five-pins", "/tables/3?lang=en", prepare=put(states.live_two_pins)),
    Picture("display-proposed-foul", "/tables/3", prepare=put(states.proposed_foul)),
    Picture("display-final", "/tables/3", prepare=put(states.respotting)),
    Picture("display-stale", "/tables/3", prepare=put(states.respotting), act=kill),
    Picture("display-free-pyramid", "/tables/5"),
    Picture("display-match-over", "/tables/4", prepare=put(over)),
    Picture("display-free", "/tables/3", prepare=put(free), wait=".qr"),
    Picture("display-portrait", "/tables/5", size=(720, 1080)),
    Picture("referee-sheet", "/tables/3/referee", (390, 844), "referee", ".foot", prepare=asking),
    Picture("referee-calls", "/tables/3/referee", (390, 844), "referee", ".foot", prepare=called, act=lambda page, hub, server: page.locator(".calls-row").click()),
    Picture("referee-tablet", "/tables/3/referee?lang=it", (1024, 768), "referee", ".foot", prepare=asking),
    Picture("referee-setup", "/tables/3/referee", (390, 844), "referee", ".pair", prepare=put(free)),
    Picture("hall", "/", prepare=whole_hall),
    Picture("hall-phone", "/", (390, 844), prepare=whole_hall),
    Picture("overlay-lower-third", "/tables/3/overlay?lang=it", wait=".bug", act=confirm, over_table=True),
    Picture("overlay-compact", "/tables/3/overlay?variant=compact", wait=".strip-line", prepare=put(states.live_two_pins), over_table=True),
    Picture("service", "/service/5", (1440, 960), "admin", ".channels", prepare=sick, act=choose),
    Picture("admin", "/admin?lang=en", (1440, 960), "admin", ".pairs", scheme="light", prepare=ruled, act=anywhere),
    Picture("match", "/matches/m1?shot=42", (1440, 960), wait=".graph", scheme="light", prepare=history),
]  # fmt: skip


@pytest.mark.parametrize("picture", PICTURES, ids=[picture.name for picture in PICTURES])
def test_the_picture_is_the_page(
    open_page: OpenPage, hub: FakeHub, server: Server, complaints: Complaints, picture: Picture
) -> None:
    """Rendered again, the page looks as documented."""
    complaints.allow("Failed to load resource")
    picture.prepare(hub)
    page = open_page(
        picture.path,
        size=picture.size,
        role=picture.role,
        wait=picture.wait,
        color_scheme=picture.scheme,
        reduced_motion="reduce",
        before=unchanging,
    )
    if picture.over_table:
        page.evaluate(
            "() => document.documentElement.style.setProperty('background', 'linear-gradient(#3f2a1e 0 22%, #1b6a50 22%)', 'important')"
        )
    picture.act(page, hub, server)
    page.mouse.move(1, 1)
    page.wait_for_timeout(250)
    still(page)
    shot = page.screenshot()
    file = FOLDER / f"{picture.name}.png"
    if WRITE:
        file.write_bytes(shot)
        return
    assert file.exists(), f"{file} is missing; write it with MARKER_PICTURES=write"
    judge = page.context.new_page()
    differs = judge.evaluate(
        COMPARE, [base64.b64encode(shot).decode(), base64.b64encode(file.read_bytes()).decode(), CELL, CELL_LIMIT]
    )
    assert isinstance(differs, (int, float)), differs
    assert differs <= CELLS_ALLOWED, f"{differs:.1%} of the cells differ from {file.name}"
