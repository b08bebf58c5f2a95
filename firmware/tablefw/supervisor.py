"""Watches the tasks: a dead one is restarted once, then the node resets; the watchdog is fed only while all of them live."""

import asyncio
import sys
import time

from tablefw import hal
from tablefw.log import log

WATCHDOG_MS = 8000
ARM_AFTER_S = 30  # a tool can break in before


class Supervisor:
    """`add` tasks, then `run`; `reset()` ends a node that cannot be mended. A task with a limit must call `alive(name)` at least that often (seconds)."""

    def __init__(self, reset):
        self.reset = reset
        self.tasks = {}  # name -> [factory, limit, task, starts, last tick]
        self.dog = None

    def add(self, name, factory, limit):
        """Supervise the coroutine that `factory()` makes; limit 0 = only its death counts."""
        self.tasks[name] = [factory, limit, None, 0, time.ticks_ms()]

    def alive(self, name):
        """The task has come round."""
        entry = self.tasks.get(name)
        if entry:
            entry[4] = time.ticks_ms()

    def _start(self, name, entry):
        entry[2] = asyncio.create_task(self._life(name, entry))
        entry[3] += 1
        entry[4] = time.ticks_ms()

    async def _life(self, name, entry):
        try:
            await entry[0]()
        except asyncio.CancelledError:
            raise
        except Exception as e:
            log("%s: %s %s" % (name, type(e).__name__, e))
            sys.print_exception(e)
        entry[2] = None

    def healthy(self):
        """Every task runs and has come round within its limit."""
        now = time.ticks_ms()
        for entry in self.tasks.values():
            if entry[2] is None or (entry[1] and time.ticks_diff(now, entry[4]) > entry[1] * 1000):
                return False
        return True

    async def run(self):
        """Start the tasks, then look after them twice a second."""
        for name, entry in self.tasks.items():
            self._start(name, entry)
        started = time.ticks_ms()
        while True:
            await asyncio.sleep(0.5)
            for name, entry in self.tasks.items():
                if entry[2] is None:
                    if entry[3] > 1:
                        log("%s: died twice, reset" % name)
                        await asyncio.sleep(0.2)
                        self.reset()
                    self._start(name, entry)
            if self.dog is None and time.ticks_diff(time.ticks_ms(), started) > ARM_AFTER_S * 1000:
                self.dog = hal.wdt(WATCHDOG_MS)
            if self.dog is not None and self.healthy():
                self.dog.feed()
