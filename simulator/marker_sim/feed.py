"""Feed files `*.feed.jsonl`: what a table's sensors saw and what its referee entered, to be played into any hub again.

Line 1 is the header, the last line the footer, one step a line between them. Each line ends with eight digits of a running
SHA-256, so that a changed file is refused with the number of the first changed line. Times: board microseconds.

    ["f", "HEX", d]             one frame of the node's inputs (docs/developer/virtual-board.md)
    ["t", us, d]                nothing before this play time is still to come
    ["a", d]                    wait until the hub has armed the node
    ["c", kind, {fields}, d]    what the referee enters
    ["r", "A+2", {fields}, d]   the ruling that stands now
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from marker_hardware.wire import Profile
from marker_rules.balls import GameId
from marker_sim.boardnode import to_frames
from marker_sim.sensors.inputs import Edge, Hold, Input, Scan
from marker_sim.sinks.frames import Frame, FrameKind, Splitter
from marker_sim.textfile import UnreadableText, text_of

FORMAT = "marker-feed"
VERSION = 1
DIGITS = 8
LARGEST = 1 << 28  # bytes of one file
LATEST_US = 1 << 50  # play time, some decades
REMEDY = "give a feed as `marker sim feed record` writes it"


class FeedError(ValueError):
    """A feed that cannot be used: names the file, the line and why."""


@dataclass(frozen=True, slots=True)
class Header:
    """What the feed is. config: SHA-256 of the configuration that it was made with; seed None for a real table."""

    game: str
    profile: str
    table: str
    seed: int | None
    config: str


class Frames(NamedTuple):
    """Inputs that happen."""

    inputs: tuple[Input, ...]
    until_us: int


class Armed(NamedTuple):
    """Wait until the node is armed."""


class Entered(NamedTuple):
    """Something the referee enters."""

    kind: str
    fields: dict[str, Any]


class Ruled(NamedTuple):
    """The ruling that must stand now."""

    short: str
    fields: dict[str, Any]


Step: TypeAlias = Frames | Armed | Entered | Ruled


def config_hash(config: dict[str, Any]) -> str:
    """SHA-256 of a configuration as canonical JSON."""
    return hashlib.sha256(_json(config).encode()).hexdigest()


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


class Recorder:
    """Collects steps; `write` makes the file. The same steps give the same bytes."""

    def __init__(self, header: Header) -> None:
        self.header = header
        self._lines: list[list[Any]] = []

    def feed(self, inputs: Iterable[Input], until_us: int) -> None:
        """Inputs that happened, and the time they lasted to."""
        for item in inputs:
            for frame in to_frames(item, 0):
                self._lines.append(["f", frame.encode().hex()])
        self._lines.append(["t", until_us])

    def armed(self) -> None:
        """The node was waited for."""
        self._lines.append(["a"])

    def entered(self, kind: str, fields: dict[str, Any]) -> None:
        """The referee entered something and the hub took it; the same again is entered by whoever plays the feed if need be."""
        if self._lines and self._lines[-1][:2] == ["c", kind] and kind == "still":
            return
        self._lines.append(["c", kind, json.loads(_json(fields))])

    def ruled(self, fields: dict[str, Any]) -> None:
        """A ruling was confirmed."""
        self._lines.append(["r", fields["short"], fields])

    def text(self) -> str:
        """The whole file."""
        head = {"format": FORMAT, "v": VERSION, **asdict(self.header)}
        first = _json(head)
        running = hashlib.sha256(first.encode())
        out = [first]
        for line in self._lines:
            running.update(_json(line).encode())
            out.append(_json([*line, running.hexdigest()[:DIGITS]]))
        out.append(_json({"count": len(self._lines), "sha256": running.hexdigest()}))
        return "\n".join(out) + "\n"

    def write(self, path: Path) -> None:
        """Write the file. Raises FeedError."""
        try:
            path.write_text(self.text(), encoding="utf-8")
        except OSError as problem:
            raise FeedError(f"{path}: {problem.strerror or problem}; give a file that can be written") from problem


@dataclass(frozen=True, slots=True)
class Feed:
    """A checked feed."""

    header: Header
    steps: tuple[Step, ...]

    def record(self) -> Recorder:
        """A recorder with exactly these steps."""
        made = Recorder(self.header)
        for step in self.steps:
            match step:
                case Frames(inputs, until_us):
                    made.feed(inputs, until_us)
                case Armed():
                    made.armed()
                case Entered(kind, fields):
                    made.entered(kind, fields)
                case Ruled(_, fields):
                    made.ruled(fields)
        return made

    @property
    def rulings(self) -> list[str]:
        """The rulings that must come out, in order."""
        return [step.short for step in self.steps if isinstance(step, Ruled)]


def read(path: Path) -> Feed:
    """A feed from its file, every line checked. Raises FeedError with the number of the first line that is not as it was written."""
    try:
        lines = text_of(path, LARGEST).splitlines()
    except UnreadableText as problem:
        raise FeedError(f"{path}: {problem}; give a feed file that can be read") from problem
    return parse(lines, str(path))


def parse(lines: list[str], name: str) -> Feed:
    """A feed from its lines. Raises FeedError."""
    if len(lines) < 2:
        raise FeedError(f"{name}: line {max(1, len(lines))}: a feed has a header and a footer; {REMEDY}")
    header = _header(lines[0], f"{name}: line 1")
    running = hashlib.sha256(lines[0].encode())
    raw: list[tuple[int, list[Any]]] = []
    for number, text in enumerate(lines[1:-1], 2):
        line = _line(text, f"{name}: line {number}")
        running.update(_json(line[:-1]).encode())
        if line[-1] != running.hexdigest()[:DIGITS] or _json(line) != text:
            raise FeedError(f"{name}: line {number}: not as it was written; record the feed again")
        raw.append((number, line[:-1]))
    where = f"{name}: line {len(lines)}"
    footer = _object(lines[-1], where)
    if footer != {"count": len(raw), "sha256": running.hexdigest()}:
        raise FeedError(f"{where}: the footer does not fit the {len(raw)} lines before it; record the feed again")
    return Feed(header, tuple(_steps(raw, name)))


def _object(text: str, where: str) -> dict[str, Any]:
    found = _decoded(text, where)
    if not isinstance(found, dict):
        raise FeedError(f"{where}: {type(found).__name__} where an object must be; {REMEDY}")
    return found


def _decoded(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise FeedError(f"{where}: {problem}; {REMEDY}") from problem


def _header(text: str, where: str) -> Header:
    found = _object(text, where)
    if (found.pop("format", None), found.pop("v", None)) != (FORMAT, VERSION):
        raise FeedError(f"{where}: not a feed of version {VERSION}; {REMEDY}")
    games, profiles = [game.value for game in GameId], [profile.value for profile in Profile]
    good = {
        "game": found.get("game") in games,
        "profile": found.get("profile") in profiles,
        "table": isinstance(found.get("table"), str),
        "seed": found.get("seed") is None or (isinstance(found["seed"], int) and not isinstance(found["seed"], bool)),
        "config": isinstance(found.get("config"), str),
    }
    wrong = next((key for key, fits in good.items() if not fits), None) or next(
        (key for key in found if key not in good), None
    )
    if wrong is not None:
        raise FeedError(f"{where}: {wrong} = {found.get(wrong)!r}: no header of a feed has that; {REMEDY}")
    if ("seed" not in found) or (found["profile"] == Profile.PYRAMID.value) != GameId(found["game"]).is_pyramid:
        raise FeedError(f"{where}: profile = {found['profile']!r}: {found['game']} is not played there; {REMEDY}")
    return Header(**found)


def _line(text: str, where: str) -> list[Any]:
    found = _decoded(text, where)
    if not isinstance(found, list) or len(found) < 2:
        raise FeedError(f"{where}: not a step; {REMEDY}")
    return found


def _steps(raw: list[tuple[int, list[Any]]], name: str) -> Iterator[Step]:
    inputs: list[Input] = []
    for number, line in raw:
        try:
            match line:
                case ["f", str(data)]:
                    inputs.append(_input(Splitter().feed(bytes.fromhex(data))[0]))
                case ["t", int(until)] if 0 <= until <= LATEST_US:
                    yield Frames(tuple(inputs), until)
                    inputs = []
                case ["a"]:
                    yield Armed()
                case ["c", str(kind), dict(fields)]:
                    yield Entered(kind, fields)
                case ["r", str(short), dict(fields)]:
                    yield Ruled(short, fields)
                case _:
                    raise ValueError("this step is not known")  # noqa: TRY301 - told with its line below
        except (ValueError, IndexError, struct.error) as problem:
            raise FeedError(f"{name}: line {number}: {problem}; {REMEDY}") from problem


def _input(frame: Frame) -> Input:
    """The input of a frame made with origin 0."""
    if frame.ch == FrameKind.FIELD:
        return Scan(frame.us, struct.unpack("<15h", frame.payload), frame.level)
    if frame.ch == FrameKind.HOLD:
        return Hold(frame.us, frame.aux, bool(frame.level))
    if frame.ch < FrameKind.FIELD:
        return Edge(frame.us, frame.ch, frame.level, frame.aux)
    raise ValueError(f"frame kind 0x{frame.ch:02x} is no input")


__all__ = [
    "Armed",
    "Entered",
    "Feed",
    "FeedError",
    "Frames",
    "Header",
    "Recorder",
    "Ruled",
    "config_hash",
    "parse",
    "read",
]
