"""Who may do what: roles, PINs, signed sessions, and the two limits against guessing and flooding.

A session is a signed value in an HttpOnly cookie, so it survives a restart of the hub. It holds grants: table id (or `*`)
to role. It ends after 12 hours, or when it is revoked; what was revoked is kept in a file, because the cookie outlives the hub too.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import hmac
import logging
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path

import msgspec

from marker_hub.credentials import write_private
from marker_hub.web.settings import WebSecrets

log = logging.getLogger("marker.web")

SESSION_S = 12 * 3600
COOKIE = "marker_session"
FAILURES = 5
FIRST_LOCK_S = 60
JOIN_WINDOW_S = 600


class Role(IntEnum):
    """What a person may do; a higher role may all a lower one may."""

    VIEWER = 0
    PLAYER = 1
    REFEREE = 2
    ADMIN = 3

    @property
    def word(self) -> str:
        """As in the contract: viewer, player, referee, admin."""
        return self.name.lower()


class Session(msgspec.Struct, frozen=True):
    """A person who logged in. `until`: UTC seconds; `grants`: table id or `*` -> role."""

    id: str
    until: int
    grants: dict[str, int]

    def role(self, table: str) -> Role:
        """The role at a table."""
        return Role(max(self.grants.get(table, 0), self.grants.get("*", 0)))

    @property
    def highest(self) -> Role:
        """The highest role anywhere."""
        return Role(max(self.grants.values(), default=0))


NOBODY = Session("", 0, {})


def _b64(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _unb64(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


@dataclass(slots=True)
class Throttle:
    """Locks an (address, table) pair after five failed logins: 60 s, then twice as long each time. Nobody else is shut out."""

    clock: Callable[[], float] = time.monotonic
    _failures: dict[tuple[str, str], tuple[int, float]] = field(default_factory=dict)

    def wait_s(self, address: str, table: str) -> int:
        """Seconds until this pair may try again; 0 if now."""
        count, until = self._failures.get((address, table), (0, 0.0))
        left = until - self.clock()
        return int(left) + 1 if count >= FAILURES and left > 0 else 0

    def failed(self, address: str, table: str) -> None:
        """Counts a failed login."""
        if len(self._failures) > 10_000:
            self._failures.clear()
        count, _ = self._failures.get((address, table), (0, 0.0))
        count += 1
        lock = FIRST_LOCK_S * 2 ** min(count - FAILURES, 10) if count >= FAILURES else 0
        self._failures[address, table] = (count, self.clock() + lock)

    def succeeded(self, address: str, table: str) -> None:
        """Forgets the failures of a pair."""
        self._failures.pop((address, table), None)


MOST_REVOKED = 10_000
"""Kept at most, the newest; nobody logs out more often than that in twelve hours."""


@dataclass(slots=True)
class Revoked:
    """Sessions that were ended early: id -> when it would have ended by itself, UTC seconds. `path`: kept there, or in memory only.

    A file that cannot be read or written counts as empty: nobody is locked out by it, the worst is a session that lives on.
    """

    path: Path | None = None
    _until: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Reads what an earlier hub kept."""
        if self.path is not None:
            with contextlib.suppress(OSError, msgspec.MsgspecError):
                self._until = msgspec.json.decode(self.path.read_bytes(), type=dict[str, int])

    def __contains__(self, session: str) -> bool:
        return session in self._until

    def add(self, session: Session, now: float) -> None:
        """Ends `session`; forgets those that are over anyway."""
        kept = {id_: until for id_, until in self._until.items() if until > now}
        kept[session.id] = session.until
        self._until = dict(sorted(kept.items(), key=lambda item: item[1])[-MOST_REVOKED:])
        if self.path is not None:
            try:
                write_private(self.path, msgspec.json.encode(self._until))
            except OSError as error:
                log.warning("%s: %s; a logout is forgotten with the next start", self.path, error.strerror)


@dataclass(slots=True)
class Authority:
    """Checks PINs and keys, makes and reads sessions and join codes. `clock`: UTC seconds."""

    keys: WebSecrets
    clock: Callable[[], float] = time.time
    revoked: Revoked = field(default_factory=Revoked)
    throttle: Throttle = field(default_factory=Throttle)

    def _mac(self, purpose: str, payload: str) -> str:
        return _b64(hmac.new(self.keys.session_key, f"{purpose}:{payload}".encode(), hashlib.sha256).digest())

    def seal(self, session: Session) -> str:
        """The cookie value of a session."""
        payload = _b64(msgspec.json.encode(session))
        return f"{payload}.{self._mac('session', payload)}"

    def open(self, cookie: str | None) -> Session:
        """The session of a cookie value; NOBODY if it is missing, altered, too old or revoked."""
        payload, _, mac = (cookie or "").partition(".")
        if not mac or not hmac.compare_digest(mac, self._mac("session", payload)):
            return NOBODY
        try:
            session = msgspec.json.decode(_unb64(payload), type=Session)
        except (msgspec.MsgspecError, ValueError):
            return NOBODY
        if session.until <= self.clock() or session.id in self.revoked:
            return NOBODY
        return session

    def grant(self, old: Session, table: str, role: Role) -> Session:
        """A session that holds what `old` held and `role` at `table`, good for another 12 hours."""
        grants = dict(old.grants)
        grants[table] = max(grants.get(table, 0), int(role))
        return Session(old.id or secrets.token_urlsafe(12), int(self.clock()) + SESSION_S, grants)

    def revoke(self, session: Session) -> None:
        """Ends a session at once."""
        self.revoked.add(session, self.clock())

    def pin_role(self, table: str, pin: str) -> Role | None:
        """The role a PIN gives at `table`, or None if it is wrong."""
        expected = [value for value in (self.keys.pins.get(table), self.keys.pins.get("*")) if value]
        if sum(hmac.compare_digest(pin.encode(), value.encode()) for value in expected):
            return Role.REFEREE
        return None

    def token_role(self, table: str, token: str) -> Role | None:
        """The role of the administrator's key or of a join code of this table, or None."""
        if self.keys.admin_token and hmac.compare_digest(token.encode(), self.keys.admin_token.encode()):
            return Role.ADMIN
        window = int(self.clock()) // JOIN_WINDOW_S
        codes = [self.join_code(table, at) for at in (window, window - 1)]
        if sum(hmac.compare_digest(token.encode(), code.encode()) for code in codes):
            return Role.PLAYER
        return None

    def join_code(self, table: str, window: int | None = None) -> str:
        """The code that lets a player start a match at `table`; it changes every 10 minutes and holds for 10 to 20."""
        at = int(self.clock()) // JOIN_WINDOW_S if window is None else window
        return self._mac("join", f"{table}:{at}")[:16]


@dataclass(slots=True)
class Bucket:
    """At most `rate` commands a second per session, with a burst of as many."""

    rate: float = 30.0
    clock: Callable[[], float] = time.monotonic
    _levels: dict[str, tuple[float, float]] = field(default_factory=dict)

    def take(self, who: str) -> bool:
        """Whether one more is allowed now."""
        if len(self._levels) > 10_000:
            self._levels.clear()
        level, at = self._levels.get(who, (self.rate, self.clock()))
        now = self.clock()
        level = min(self.rate, level + (now - at) * self.rate)
        self._levels[who] = (max(0.0, level - 1), now)
        return level >= 1


def may_command(role: Role, kind: str, match: Mapping[str, object] | None, policy: str | None) -> bool:
    """Whether `role` may give a command of `kind` at a table with `match` (None: free); `policy`: the one asked for by match_start.

    A player may run a table without a referee: start a self-refereed match and everything inside one.
    """
    if role >= Role.REFEREE:
        return True
    if role < Role.PLAYER:
        return False
    if match is None:
        return kind == "match_start" and policy in {"self", "auto"}
    return match.get("policy") in {"self", "auto"} and kind not in {"award_match", "log"}
