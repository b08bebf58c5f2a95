"""A hub as a process and a hall full of nodes over real MQTT, for tests that kill things."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterable
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion

CHANNELS = ["C", "N", "E", "S", "W", "PZ1", "PZ2", "PZ3", "PZ4", "CLICK", "BTN_YES", "BTN_NO", "BTN_STILL", "BTN_UNDO"]
START_S = 90.0


class HubProcess:
    """`marker hub` on one data folder; may be killed and started again on the same port."""

    def __init__(self, data: Path, port: int, *arguments: str) -> None:
        self.data, self.port, self.arguments = data, port, arguments
        self.process: subprocess.Popen[bytes] | None = None
        self.ready: dict[str, Any] = {}

    def start(self) -> dict[str, Any]:
        self.data.mkdir(parents=True, exist_ok=True)
        with (self.data / "hub.log").open("ab") as log:
            self.process = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "marker_hub",
                    "hub",
                    "--data",
                    str(self.data),
                    "--port",
                    str(self.port),
                    *self.arguments,
                ],
                stdout=subprocess.PIPE,
                stderr=log,
            )
        assert self.process.stdout is not None
        watchdog = threading.Timer(START_S, self.process.kill)
        watchdog.start()
        line = self.process.stdout.readline()
        watchdog.cancel()
        assert line, (self.data / "hub.log").read_text(encoding="utf-8")[-2000:]
        self.ready = json.loads(line)
        return self.ready

    def kill(self) -> None:
        """SIGKILL: no goodbye of any kind."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()
        self.close()

    def stop(self) -> int:
        assert self.process is not None
        self.process.terminate()
        status = self.process.wait(60)
        self.close()
        return status

    def close(self) -> None:
        if self.process is not None and self.process.stdout is not None:
            self.process.stdout.close()

    def kill_broker(self) -> int:
        pid = int(json.loads((self.data / "broker" / "broker.json").read_text())["pid"])
        os.kill(pid, signal.SIGKILL)
        return pid

    def end_all(self) -> None:
        """Whatever still runs of this hub, by its own ids."""
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.close()
        note = self.data / "broker" / "broker.json"
        if note.exists():
            running = json.loads(note.read_text())
            line = Path(f"/proc/{running['pid']}/cmdline")
            if line.exists() and running["config"].encode() in line.read_bytes():
                os.kill(running["pid"], signal.SIGKILL)

    @property
    def credentials(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.data / "credentials.json").read_text())
        return found

    def log(self) -> str:
        return (self.data / "hub.log").read_text(encoding="utf-8")


class Referee:
    """A person with a tablet: logs in, taps with a key, taps again with the same key until an answer comes."""

    def __init__(self, hub: HubProcess, table: str) -> None:
        self.hub, self.table = hub, table
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        self.sent = 0

    def post(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.hub.port}{path}", json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        try:
            with self.opener.open(request, timeout=30) as answer:
                return answer.status, json.loads(answer.read() or b"{}")
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.loads(error.read() or b"{}")

    def login(self) -> None:
        pin = self.hub.credentials["web"]["tables"][self.table]["pin"]
        status, body = self.post("/api/login", {"pin": pin, "table": self.table})
        assert status == 200, body

    def command(self, kind: str, seconds: float = 60.0, **fields: Any) -> tuple[int, dict[str, Any]]:
        """The same key until the hub answers, however often it dies meanwhile."""
        self.sent += 1
        body = {"kind": kind, "key": f"{self.table}-{self.sent}-{kind}", "seen": fields.pop("seen", 0), **fields}
        deadline = time.monotonic() + seconds
        while True:
            try:
                status, answer = self.post(f"/api/tables/{self.table}/commands", body)
                if status != 503:
                    return status, answer
            except OSError:
                pass
            assert time.monotonic() < deadline, f"no answer to {kind}"
            time.sleep(0.05)


class Herd:
    """Nodes of many tables on one connection: rings, births after every connect, answers to commands."""

    def __init__(self, host: str, port: int, password: str, tables: int, seed: int) -> None:
        self.tables = [str(number) for number in range(1, tables + 1)]
        self.rings: dict[str, list[list[int]]] = {table: [] for table in self.tables}
        self.random = random.Random(seed)
        self.pending = 0
        self.connects = 0
        self._lock = threading.RLock()
        self._count = threading.Lock()  # apart: paho calls back while it holds the lock that `publish` needs
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        client = paho.Client(CallbackAPIVersion.VERSION2, client_id="herd", clean_session=False)
        client.username_pw_set("hub", password)
        client.reconnect_delay_set(1, 1)
        client.max_inflight_messages_set(500)
        client.max_queued_messages_set(0)
        client.on_connect = self._connected
        client.on_message = self._message
        client.on_publish = self._published
        self.client = client
        client.connect(host, port, 60)  # a machine that stands still for seconds cuts nobody off
        client.loop_start()

    def _connected(self, client: Any, _data: Any, _flags: Any, _reason: Any, _properties: Any) -> None:
        client.subscribe("table/+/cmd", 1)
        self.connects += 1
        self.born(self.tables)

    def born(self, tables: Iterable[str]) -> None:
        """These nodes say that they have connected."""
        with self._lock:
            for table in tables:
                number = self.tables.index(table) + 1
                birth = {
                    "online": True, "boot": 1, "v": 1, "fw": "t", "uid": f"{number:016x}", "reset": "power_on", "cfg": "0", "profile": "carom5",
                    "mode": 1, "floor": 0, "tail": 0, "head": len(self.rings[table]), "t": 1000, "channels": dict.fromkeys(CHANNELS, 0),
                    "pins": {}, "unc_us": {"pin": 10000, "rail": 600, "click": 600, "button": 1000},
                }  # fmt: skip
                self._publish(f"table/{table}/state", birth, retain=True)

    def _publish(self, topic: str, payload: dict[str, Any], *, retain: bool = False) -> None:
        with self._count:
            self.pending += 1
        self.client.publish(topic, json.dumps(payload), 1, retain)

    def _published(self, *_: Any) -> None:
        with self._count:
            self.pending -= 1

    def _message(self, _client: Any, _data: Any, message: Any) -> None:
        table = message.topic.split("/")[1]
        command = json.loads(message.payload)
        if message.retain or table not in self.rings:
            return
        with self._lock:
            ring = self.rings[table]
            if command["cmd"] == "replay":
                self._send(table, command["from"], min(command["to"], len(ring) - 1), 32)
            self._publish(
                f"table/{table}/cmd/ack", {"id": command["id"], "ok": True, "code": 0, "boot": 1, "head": len(ring)}
            )

    def _send(self, table: str, first: int, last: int, flags: int = 0) -> None:
        ring = self.rings[table]
        for start in range(first, last + 1, 16):
            rows = [[*row[:4], row[4] | flags] for row in ring[start : min(start + 16, last + 1)]]
            self._publish(f"table/{table}/ev", {"b": 1, "s": start, "e": rows})

    def play(self, records_per_second: float) -> None:
        """From now on records of random tables, in a thread."""

        def run() -> None:
            while not self._stop.wait(0.01):
                with self._lock:
                    for _ in range(max(1, round(records_per_second / 100 / 3))):
                        self.record(self.random.choice(self.tables), 3)

        self._thread = threading.Thread(target=run, daemon=True)
        self._thread.start()

    def record(self, table: str, count: int) -> None:
        with self._lock:
            ring = self.rings[table]
            first = len(ring)
            for seq in range(first, first + count):
                ring.append([1000 + seq * 1000, seq % 5, 1, seq % 60000, 0])
            self._send(table, first, first + count - 1)

    def settle(self, seconds: float = 60.0) -> None:
        """No more records; wait until the broker has acknowledged all."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
        deadline = time.monotonic() + seconds
        while self.pending > 0 and time.monotonic() < deadline:
            time.sleep(0.02)

    def health(self) -> None:
        """Every node tells its head: what the hub lacks it asks for."""
        for table in self.tables:
            payload = {
                "v": 1, "boot": 1, "t": 5000, "head": len(self.rings[table]), "mode": 1, "up": 5, "channels": dict.fromkeys(CHANNELS, 0),
                "clk": None, "clk_ok": False, "link": -60, "reconnects": 0, "overflow": 0, "rearms": 0, "dropped": 0, "heap": 1, "v5": 5000,
                "brownout": False, "echo": 0, "xtalk": 0, "merged": 0, "bad_cmds": 0,
            }  # fmt: skip
            with self._lock:
                self._publish(f"table/{table}/health", payload, retain=True)

    def close(self) -> None:
        self._stop.set()
        self.client.disconnect()
        self.client.loop_stop()
