"""Serial line: one JSON object a line in, one out; log lines between them. Never waits for the other side.

The commands are in toolbox.py, loaded when the first line comes and forgotten when the line has been silent for a minute.
"""

import asyncio
import json
import time

from tablefw import hal
from tablefw.loading import forget
from tablefw.log import log

LINE_MAX = 1024
POLL_S = 0.01
READS = 512  # bytes taken before the other tasks run
FORGET_MS = 60000


class Shell:
    """Commands for the technician's tool; the hub's commands that make sense without a hub work here too."""

    def __init__(self, app):
        self.app = app
        self.line = b""
        self.skip = False
        self.out = []
        self.lost = 0
        self.update = None
        self.topics = None  # takes lines of the hub where the node hangs on a cable
        self.used = None  # when the last line came

    async def run(self):
        """Read, carry out, answer, for ever."""
        while True:
            self.app.supervisor.alive("shell")
            n = 0
            while n < READS:
                b = hal.stdio.read()
                if not b:
                    break
                n += 1
                await self._byte(b)
            self._flush()
            if self.used is not None and time.ticks_diff(time.ticks_ms(), self.used) > FORGET_MS:
                self.used = None
                forget("toolbox")
            await asyncio.sleep(POLL_S if n == 0 else 0)

    async def _byte(self, b):
        if b in (b"\n", b"\r"):
            line, self.line = self.line, b""
            skip, self.skip = self.skip, False
            if skip:
                self._say({"id": None, "ok": False, "error": "line longer than %d bytes" % LINE_MAX})
            elif self.topics is not None and line[:8] == b'{"topic"':
                self.topics(line)
            elif line[:1] == b"{":
                from tablefw import toolbox

                self.used = time.ticks_ms()
                self._say(await toolbox.answer(self, line))
        elif len(self.line) >= LINE_MAX:
            self.skip = True
        else:
            self.line += b

    def _say(self, answer):
        self.out.append(json.dumps(answer) + "\n")
        if len(self.out) > 16:
            self.out.pop(0)
            self.lost += 1

    def _flush(self):
        while self.out:
            if not hal.stdio.write(self.out[0]):
                return
            self.out.pop(0)
        while True:
            entry = log.peek()
            if entry is None or not hal.stdio.write(json.dumps({"t": entry[0], "log": entry[1]}) + "\n"):
                return
            log.done()
