"""What MicroPython has and CPython has not: ticks, ThreadSafeFlag, streams made from a socket, `machine`, `micropython`."""

import asyncio
import io
import socket
import sys
import time
import traceback
import types


class Socket(socket.socket):
    """Sockets with MicroPython's write and readinto: None where CPython raises BlockingIOError."""

    def write(self, data):
        """Bytes sent, None when there is no room now."""
        try:
            return self.send(data)
        except BlockingIOError:
            return None

    def readinto(self, buf):
        """Bytes received, None when there are none now."""
        try:
            return self.recv_into(buf)
        except BlockingIOError:
            return None


async def writable(sock):
    """Wait until a socket can be written."""
    loop = asyncio.get_running_loop()
    ready = loop.create_future()
    loop.add_writer(sock.fileno(), lambda: ready.done() or ready.set_result(None))
    try:
        await ready
    finally:
        loop.remove_writer(sock.fileno())
    error = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
    if error:
        raise OSError(error, "connect")


class Stream:
    """The reading half of MicroPython's asyncio.Stream."""

    def __init__(self, sock):
        self.s = sock

    async def readinto(self, buf):
        """Wait for bytes; 0 at the end of the stream."""
        loop = asyncio.get_running_loop()
        while True:
            n = self.s.readinto(buf)
            if n is not None:
                return n
            ready = loop.create_future()
            loop.add_reader(self.s.fileno(), lambda ready=ready: ready.done() or ready.set_result(None))
            try:
                await ready
            finally:
                if self.s.fileno() >= 0:
                    loop.remove_reader(self.s.fileno())


class ThreadSafeFlag:
    """One waiter, set from an interrupt."""

    def __init__(self):
        self._event = asyncio.Event()

    def set(self):
        """Wake the waiter."""
        self._event.set()

    async def wait(self):
        """Wait and clear."""
        await self._event.wait()
        self._event.clear()


class RawInput:
    """Standard input without a buffer that `poll` does not see."""

    buffer = io.FileIO(0, closefd=False)

    def fileno(self):
        """Descriptor for poll."""
        return 0


def install():
    """Put everything in place; call before the firmware is imported."""
    time.ticks_us = lambda: time.monotonic_ns() // 1000
    time.ticks_ms = lambda: time.monotonic_ns() // 1000000
    time.ticks_diff = lambda a, b: a - b
    time.ticks_add = lambda a, b: a + b
    asyncio.sleep_ms = lambda ms: asyncio.sleep(ms / 1000)
    asyncio.ThreadSafeFlag = ThreadSafeFlag
    asyncio.StreamReader = Stream
    socket.socket = Socket
    sys.print_exception = lambda e: traceback.print_exception(e, file=sys.stdout)
    sys.stdin = RawInput()
    sys.stdout.reconfigure(line_buffering=True)
    micropython = types.ModuleType("micropython")
    micropython.const = lambda x: x
    micropython.alloc_emergency_exception_buf = lambda n: None
    sys.modules["micropython"] = micropython
    import tablefw.net

    tablefw.net.writable = writable
