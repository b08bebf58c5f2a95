"""The process: pages, signals, the ready line, stop order."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import signal
import socket
from collections.abc import Callable, Generator
from typing import Any

import uvicorn

from marker_hub.config import Config, ConfigError
from marker_hub.credentials import secrets_path
from marker_hub.service.hub import Hub, HubOptions
from marker_hub.web.settings import WebSecrets, WebSettings

log = logging.getLogger("marker.server")

GRACE_S = 1


class _Server(uvicorn.Server):
    """uvicorn without signal handlers of its own: the hub decides the order in which things stop."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Nothing to capture."""
        yield


def listen(host: str, port: int) -> socket.socket:
    """The listening socket of the pages, taken before anything is started. Raises ConfigError when the port is in use."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((host, port))
        sock.listen(512)
    except OSError as error:
        sock.close()
        raise ConfigError(
            f"web port {host}:{port}: {error.strerror}; stop the program that has it, or give another with --port"
        ) from error
    sock.setblocking(False)
    return sock


def web_parts(hub: Hub, config: Config) -> tuple[WebSecrets, WebSettings]:
    """The pages' secrets and settings, from the hub's."""
    secrets = hub.secrets
    pins = {table: entry.pin for table, entry in secrets.web.tables.items()}
    web = config.web
    settings = WebSettings(
        hall=config.hub.hall,
        hosts=web.hosts,
        language=web.language,
        zone=web.zone,
        self_service=web.self_service,
        secure=web.secure,
        proxies=web.proxies,
        sound=web.sound,
        max_streams=web.max_streams,
    )
    return WebSecrets(bytes.fromhex(secrets.session_key), secrets.web.admin, pins), settings


def ready_line(hub: Hub, sock: socket.socket, config: Config) -> dict[str, Any]:
    """What is printed when pages and broker answer."""
    host, port = config.web.listen, sock.getsockname()[1]
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104 - compared, not bound
    mqtt = None
    if hub.broker is not None:
        mqtt = {
            "host": hub.broker.endpoint.host,
            "port": hub.broker.endpoint.port,
            "kind": hub.broker.kind.value,
            "pid": hub.broker.pid,
            "adopted": hub.broker.adopted,
        }
    return {
        "ready": True,
        "http": f"http://{shown}:{port}",
        "mqtt": mqtt,
        "credentials_file": str(secrets_path(hub.options.data)),
        "tables": hub.tables(),
    }


async def serve(options: HubOptions, on_ready: Callable[[dict[str, Any]], None] | None = None) -> int:
    """Run a hub until SIGTERM or SIGINT; 0 after a clean stop. Raises MarkerError when it cannot start."""
    from marker_hub.web.app import create_app

    loop = asyncio.get_running_loop()
    stopping = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    sock = listen(options.config.web.listen, options.config.web.port)
    hub = Hub(options)
    try:
        await hub.start()
        app = create_app(hub, *web_parts(hub, options.config), revoked=options.data / "revoked.json")
        server = _Server(
            uvicorn.Config(
                app,
                log_level="warning",
                access_log=False,
                lifespan="off",
                timeout_graceful_shutdown=GRACE_S,
                timeout_keep_alive=30,
                proxy_headers=bool(options.config.web.proxies),
                forwarded_allow_ips=list(options.config.web.proxies) or None,
                backlog=512,
            )
        )
        pages = loop.create_task(server.serve(sockets=[sock]), name="pages")
        while not server.started and not pages.done():
            await asyncio.sleep(0.002)
        if on_ready is not None:
            on_ready(ready_line(hub, sock, options.config))
        waiter = loop.create_task(stopping.wait())
        await asyncio.wait({waiter, pages}, return_when=asyncio.FIRST_COMPLETED)
        hub.streams.close()
        server.should_exit = True
        await pages
        waiter.cancel()
    finally:
        sock.close()
        await hub.stop()
    return 0 if stopping.is_set() else 1


def print_ready(line: dict[str, Any]) -> None:
    """One line of JSON on standard output."""
    print(json.dumps(line), flush=True)
