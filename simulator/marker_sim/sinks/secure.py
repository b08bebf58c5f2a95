"""An encrypted way to a broker, in the words of a node's own file: `tls` 1 or 2, and the certificate that vouches for the broker."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path

LARGEST = 1 << 16  # bytes of a file with one certificate
_BEGIN, _END = "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"


class Level(IntEnum):
    """How much: plain, encrypted whoever answers, encrypted and the broker checked."""

    PLAIN = 0
    ENCRYPTED = 1
    CHECKED = 2


class CertificateError(ValueError):
    """A file that holds no certificate that can be used: one line with the path and the remedy."""


@dataclass(frozen=True, slots=True)
class Secure:
    """`ca`: the certificate in DER; empty with CHECKED: those that this computer trusts."""

    level: Level = Level.PLAIN
    ca: bytes = field(default=b"", repr=False)

    def context(self) -> ssl.SSLContext | None:
        """What a connection is made with; None for a plain one."""
        if self.level is Level.PLAIN:
            return None
        made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        if self.level is Level.ENCRYPTED:
            made.check_hostname = False
            made.verify_mode = ssl.CERT_NONE
        elif self.ca:
            made.load_verify_locations(cadata=self.ca)
        else:
            made.load_default_certs()
        return made


NOT_SECURE = Secure()


def certificate(path: Path) -> bytes:
    """The one certificate of a file, DER as a node takes it, or PEM; in DER. Raises CertificateError."""
    remedy = "give the certificate that vouches for the broker, one of it, DER or PEM"
    try:
        with path.open("rb") as stream:
            data = stream.read(LARGEST + 1)
    except (OSError, ValueError) as problem:  # ValueError: a NUL in the name
        said = getattr(problem, "strerror", None) or problem
        raise CertificateError(f"{path}: {said}; {remedy}") from problem
    if len(data) > LARGEST:
        raise CertificateError(f"{path}: more than {LARGEST} bytes; {remedy}")
    text = data.decode("ascii", "replace")
    if (count := text.count(_BEGIN)) > 1:
        raise CertificateError(f"{path}: {count} certificates; {remedy}")
    try:
        der = ssl.PEM_cert_to_DER_cert(text[text.index(_BEGIN) : text.index(_END) + len(_END)]) if count else data
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=der)
    except (ssl.SSLError, ValueError) as problem:
        raise CertificateError(f"{path}: no certificate; {remedy}") from problem
    return der
