"""A hub without sensors, rules or journal: it shows the view models it is given and remembers the commands it gets."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
import uvicorn

from marker_hub.commands import Command
from marker_hub.web.app import create_app
from marker_hub.web.port import CommandResult, StreamEvent, UnknownTable
from marker_hub.web.settings import WebSecrets, WebSettings

Json = dict[str, Any]


class Complaints(list[str]):
    """What pages said to their console or asked of the world. `allow` names a text that a test expects there."""

    def __init__(self) -> None:
        super().__init__()
        self._allowed: list[str] = []

    def allow(self, text: str) -> None:
        self._allowed.append(text)

    def unexpected(self) -> list[str]:
        return [line for line in self if not any(text in line for text in self._allowed)]


OpenPage = Callable[..., Any]
"""What the fixture `open_page` gives: a function that opens a page and returns it."""


def still(page: Any) -> None:
    """Waits until a page stands still: its faces are loaded, nothing moves, and what was changed is laid out."""
    page.wait_for_function(
        "() => document.fonts.status === 'loaded' && document.getAnimations().every((one) => one.playState !== 'running')"
    )
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def drawn(page: Any, hub: FakeHub, table: str) -> None:
    """Waits until the page has drawn the newest state of the table, and, where it shows one, of its sheet."""
    n = hub.views[table]["n"]
    sheet = hub.sheets.get(table, {}).get("n", 0)
    page.wait_for_function(
        """([n, sheet]) => {
            const said = document.documentElement.dataset;
            return Number(said.n) >= n && (Number(said.sheetN) >= sheet || !document.querySelector('.ref'));
        }""",
        arg=[n, sheet],
    )


def sent(page: Any, hub: FakeHub, count: int) -> list[Json]:
    """The commands the hub has got, as soon as there are `count` of them."""
    for _ in range(3000):
        if len(hub.commands) >= count:
            return hub.commands
        page.wait_for_timeout(20)
    raise AssertionError(f"{count} commands expected, the hub got {hub.commands}")


SECRETS = WebSecrets(b"0123456789abcdef0123456789abcdef", "key-of-the-administrator", {"*": "246810"})


@dataclass
class FakeHub:
    """Implements HubPort over plain dictionaries. `clock`: the hub's time, ms; fixed unless a test moves it."""

    views: dict[str, Json] = field(default_factory=dict)
    sheets: dict[str, Json] = field(default_factory=dict)
    services: dict[str, Json] = field(default_factory=dict)
    match_list: list[Json] = field(default_factory=list)
    match_data: dict[str, Json] = field(default_factory=dict)
    commands: list[Json] = field(default_factory=list)
    thresholds: list[tuple[str, int]] = field(default_factory=list)
    threshold_answer: CommandResult | None = None
    admin_data: Json = field(default_factory=dict)
    backups_made: int = 0
    backup_problem: str = ""
    results: dict[str, CommandResult] = field(default_factory=dict)
    clock: int = 0
    answer: Any = None
    _queues: list[tuple[set[str], bool, asyncio.AbstractEventLoop, asyncio.Queue[StreamEvent]]] = field(
        default_factory=list
    )
    _announced: deque[tuple[int, StreamEvent]] = field(default_factory=lambda: deque(maxlen=50))

    def now_ms(self) -> int:
        return self.clock

    def tables(self) -> list[str]:
        return list(self.views)

    def position(self, table: str) -> int:
        return int(self.view(table)["n"])

    def view(self, table: str) -> Json:
        if table not in self.views:
            raise UnknownTable(f"There is no table '{table}'.")
        return self.views[table]

    def sheet(self, table: str, shot: int | None = None) -> Json:
        return self.sheets.get(
            table,
            {
                "n": self.view(table)["n"],
                "shot": None,
                "rows": [],
                "proposal": None,
                "certain": False,
                "calls": [],
                "palette": [],
                "direct": [],
                "evidence": None,
            },
        )

    def show(self, view: Json, sheet: Json | None = None) -> None:
        """Makes `view` the state of its table and tells all pages, with its sheet. `n` and time move on by themselves."""
        table = view["id"]
        old = self.views.get(table)
        view = view | {"n": max(view["n"], old["n"] + 1 if old else 0), "now_ms": self.clock}
        self.views[table] = view
        self._send(StreamEvent("table", table, view["n"], view))
        sheet = sheet or self.sheets.get(table)
        if sheet is not None:
            self.sheets[table] = sheet | {"n": view["n"]}
            self._send(StreamEvent("sheet", table, view["n"], self.sheets[table]))

    def announce(self, table: str, data: Json) -> None:
        event = StreamEvent("announce", table, self.views[table]["n"], data)
        self._announced.append((self.clock, event))
        self._send(event)

    def _send(self, event: StreamEvent) -> None:
        for tables, referee, loop, queue in list(self._queues):
            if event.table in tables and (referee or event.event != "sheet"):
                loop.call_soon_threadsafe(queue.put_nowait, event)

    async def subscribe(self, tables: Sequence[str], *, referee: bool) -> AsyncIterator[StreamEvent]:
        queue: asyncio.Queue[StreamEvent] = asyncio.Queue()
        entry = (set(tables), referee, asyncio.get_running_loop(), queue)
        self._queues.append(entry)
        try:
            while True:
                yield await queue.get()
        finally:
            self._queues.remove(entry)

    def announcements(self, tables: Sequence[str], *, since_ms: int) -> list[StreamEvent]:
        return [event for at, event in self._announced if at >= since_ms and event.table in tables]

    async def command(self, table: str, command: Command, *, role: str, session: str) -> CommandResult:
        if command.key in self.results:
            return self.results[command.key]
        self.commands.append(msgspec.to_builtins(command) | {"role": role})
        result = self.answer(self, table, command) if self.answer else None
        result = result or CommandResult(200, {"n": self.views[table]["n"], "view": self.views[table]})
        self.results[command.key] = result
        return result

    async def matches(self) -> list[Json]:
        return self.match_list or list(self.match_data.values())

    async def match(self, match_id: str) -> Json | None:
        return self.match_data.get(match_id)

    async def service(self, table: str) -> Json:
        self.view(table)
        return self.services.get(
            table, {"id": table, "name": table, "profile": "carom5", "node": None, "channels": [], "events": []}
        )

    async def set_threshold(self, table: str, millivolts: int) -> CommandResult:
        self.thresholds.append((table, millivolts))
        return self.threshold_answer or CommandResult(200, {"mv": millivolts})

    async def self_test(self, table: str) -> CommandResult:
        return CommandResult(200, {"channels": {"PZ1": "ok", "PZ3": "noisy"}, "volts": 5.02, "clean": ["P2A"]})

    async def admin(self) -> Json:
        return self.admin_data

    async def back_up(self) -> str:
        self.backups_made += 1
        return self.backup_problem

    def new_pin(self, table: str) -> str:
        return "135791"

    async def export(self, match_id: str, form: str) -> tuple[str, bytes] | None:
        return ("application/x-ndjson", b"{}\n") if match_id in self.match_data else None

    def health(self) -> Json:
        return {"ok": True}

    def metrics(self) -> str:
        return "marker_streams 0\n"


class Server:
    """A hub's web part on a free loopback port, in a thread of its own. `stop` cuts every connection at once, as a killed hub does."""

    def __init__(self, hub: FakeHub, settings: WebSettings | None = None, port: int = 0) -> None:
        self.hub = hub
        app = create_app(hub, SECRETS, settings or WebSettings(hall="Зал", self_service=True))
        self._server = uvicorn.Server(
            uvicorn.Config(
                app, host="127.0.0.1", port=port, log_level="critical", lifespan="off", timeout_graceful_shutdown=1
            )
        )
        self._thread = threading.Thread(target=self._run, daemon=True)
        started = threading.Event()
        self._started = started
        self._thread.start()
        if not started.wait(60):
            raise RuntimeError("the web server did not start within 60 s")
        self.port = int(self._server.servers[0].sockets[0].getsockname()[1])

    def _run(self) -> None:
        async def serve() -> None:
            task = asyncio.ensure_future(self._server.serve())
            while not self._server.started and not task.done():
                await asyncio.sleep(0.01)
            self._started.set()
            await task

        asyncio.run(serve())

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def stop(self) -> None:
        self._server.should_exit = True
        self._server.force_exit = True
        self._thread.join(60)
