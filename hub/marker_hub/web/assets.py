"""The static files of the pages, read once: content, type, and one build number over all of them."""

from __future__ import annotations

import gzip
import hashlib
import posixpath
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

TYPES = {
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "svg": "image/svg+xml",
    "txt": "text/plain; charset=utf-8",
    "woff2": "font/woff2",
}


PACKED = frozenset({"css", "js", "json", "svg", "txt"})


@dataclass(frozen=True, slots=True)
class Assets:
    """`contents`: path below static/ -> bytes; `build`: changes when any of them does."""

    contents: dict[str, bytes]
    build: str

    def packed(self, path: str) -> bytes | None:
        """The gzip form of a text file worth packing, made once."""
        return _packed(path) if path.rpartition(".")[2] in PACKED and len(self.contents[path]) > 1000 else None

    @staticmethod
    def media_type(path: str) -> str:
        """The media type of a file by its ending."""
        return TYPES[path.rpartition(".")[2]]


def _walk(folder: Traversable, prefix: str) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for item in folder.iterdir():
        if item.is_dir():
            found |= _walk(item, f"{prefix}{item.name}/")
        elif item.name.rpartition(".")[2] in TYPES:
            found[prefix + item.name] = item.read_bytes()
    return found


BASE_SHEETS = ("tokens", "fonts", "base")
"""Every page has these before its own."""


def _sheets(contents: dict[str, bytes]) -> dict[str, bytes]:
    """`css/page.<style>.css`: all a page's styles in one file, because a page paints only when each of them is there."""
    base = [contents[f"css/{name}.css"] for name in BASE_SHEETS]
    own = [path for path in contents if path.startswith("css/") and path[4:-4] not in BASE_SHEETS]
    return {f"css/page.{path[4:]}": b"".join([*base, contents[path]]) for path in own}


@cache
def assets() -> Assets:
    """All files, read on first use."""
    contents = _walk(files("marker_hub.web") / "static", "")
    contents |= _sheets(contents)
    digest = hashlib.blake2b(digest_size=6)
    for path in sorted(contents):
        digest.update(path.encode() + b"\0" + contents[path])
    return Assets(contents, digest.hexdigest())


_IMPORT = re.compile(r"""^import\b[^;]*?["'](\.[^"']+)["'];""", re.MULTILINE)


@cache
def modules(page: str) -> tuple[str, ...]:
    """The paths of all modules a page's module needs, itself first: named in the head, they load side by side."""
    found: list[str] = []
    waiting = [f"js/pages/{page}.js"]
    while waiting:
        path = waiting.pop(0)
        if path in found:
            continue
        found.append(path)
        folder = posixpath.dirname(path)
        imports = _IMPORT.findall(assets().contents[path].decode())
        waiting += [posixpath.normpath(posixpath.join(folder, target)) for target in imports]
    return tuple(found)


@cache
def _packed(path: str) -> bytes:
    return gzip.compress(assets().contents[path], mtime=0)
