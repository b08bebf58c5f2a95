"""A real hub in a thread: journal on disk, broker in memory, pages on a free loopback port. For tests that play by hand."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import uvicorn

from marker_hub.config import Config, TableSection, WebSection
from marker_hub.service.hub import Hub, HubOptions
from marker_hub.service.server import web_parts
from marker_hub.transport.memory import MemoryBroker
from marker_hub.web.app import create_app

ADMIN = "admin"


class LiveHub:
    """Starts at once; `stop` and `start` again on the same data and port are a restart. Tables 1 (carom) and 2 (pyramid), no sensors."""

    def __init__(self, data: Path, tables: tuple[TableSection, ...] = (), **web: Any) -> None:
        sections = tables or (
            TableSection(id="1", sensors=False),
            TableSection(id="2", profile="pyramid", sensors=False),
        )
        self.config = Config(table=sections, web=WebSection(port=0, **web))
        self.data = data
        self.port = 0
        self.start()

    def start(self) -> None:
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._main()), daemon=True)
        self._thread.start()
        if not self._ready.wait(60):
            raise RuntimeError("the hub did not start within 60 s")

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stopping = asyncio.Event()
        hub = Hub(HubOptions(self.config, self.data, memory=MemoryBroker()))
        await hub.start()
        self.hub = hub
        secrets, settings = web_parts(hub, self.config)
        self.admin, self.pins = secrets.admin_token, secrets.pins
        server = uvicorn.Server(
            uvicorn.Config(
                create_app(hub, secrets, settings),
                host="127.0.0.1",
                port=self.port,
                log_level="critical",
                lifespan="off",
                timeout_graceful_shutdown=1,
            )
        )
        serving = asyncio.ensure_future(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
        self.port = int(server.servers[0].sockets[0].getsockname()[1])
        self._ready.set()
        await self._stopping.wait()
        hub.streams.close()
        server.should_exit = server.force_exit = True
        await serving
        await hub.stop()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join(60)
