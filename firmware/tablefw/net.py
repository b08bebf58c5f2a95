"""Non-blocking TCP (and TLS) streams for asyncio. The only module that touches sockets."""

import asyncio
import socket

IPPROTO_TCP = 6
TCP_NODELAY = 1


def writable(sock):
    """Wait until a socket can be written, which is also how a pending connect ends."""
    yield asyncio.core._io_queue.queue_write(sock)


class Stream:
    """One connection. Every wait has its limit; OSError means the connection is gone."""

    def __init__(self, sock):
        self.s = sock
        self.st = asyncio.StreamReader(sock)

    async def readinto(self, buf):
        """Bytes read, 0 at the end of the stream."""
        return await self.st.readinto(buf)

    async def write(self, data, timeout):
        """Write everything; one system call when the socket has room."""
        n = self.s.write(data) or 0
        if n < len(data):
            await asyncio.wait_for(self._rest(memoryview(data)[n:]), timeout)

    async def _rest(self, view):
        while len(view):
            await writable(self.s)
            n = self.s.write(view) or 0
            view = view[n:]

    def close(self):
        """Close without waiting."""
        try:
            self.s.close()
        except OSError:
            pass


async def connect(host, port, timeout, tls=None):
    """Open a connection with Nagle's delay off. tls = None, or the CA certificate in DER (b"" = no check of the server)."""
    address = socket.getaddrinfo(host, port, 0, socket.SOCK_STREAM)[0]
    s = socket.socket(address[0], socket.SOCK_STREAM)
    try:
        s.setblocking(False)
        try:
            s.setsockopt(IPPROTO_TCP, TCP_NODELAY, 1)
        except (OSError, AttributeError):
            pass  # a port without the option is only slower
        try:
            s.connect(address[-1])
        except OSError as e:
            if e.errno not in (115, 119, 36):  # EINPROGRESS on Linux, lwIP, BSD
                raise
        await asyncio.wait_for(writable(s), timeout)
        if tls is not None:
            s = _secure(s, host, tls)
        return Stream(s)
    except BaseException:
        s.close()
        raise


def _secure(s, host, ca):
    import ssl

    c = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if ca:
        c.verify_mode = ssl.CERT_REQUIRED
        c.load_verify_locations(cadata=ca)
    else:
        c.verify_mode = ssl.CERT_NONE
    s = c.wrap_socket(s, server_hostname=host, do_handshake_on_connect=False)
    s.setblocking(False)
    return s
