"""A small PDF writer: pages of text and lines in one embedded TrueType font, so that Cyrillic and accents print everywhere."""

from __future__ import annotations

import struct
import zlib
from functools import cache
from importlib.resources import files
from typing import NamedTuple

A4 = (595.28, 841.89)
"""Width and height in points."""


class Font(NamedTuple):
    """What the writer needs of a TrueType file: bytes, units per em, glyph of a character, advance of a glyph, metrics."""

    raw: bytes
    units: int
    glyphs: dict[int, int]
    advances: list[int]
    ascent: int
    descent: int
    box: tuple[int, int, int, int]

    def width(self, text: str, size: float) -> float:
        """Width of a text in points."""
        return sum(self.advances[self.glyphs.get(ord(c), 0)] for c in text) * size / self.units


@cache
def protocol_font() -> Font:
    """The font shipped with the package (OFL, see OFL-protocol-font.txt)."""
    return read_font(files("marker_hub.export").joinpath("protocol.ttf").read_bytes())


def read_font(raw: bytes) -> Font:
    """Read the tables head, hhea, hmtx, maxp, cmap of a TrueType file."""
    count = struct.unpack(">H", raw[4:6])[0]
    tables: dict[bytes, int] = {}
    for at in range(12, 12 + 16 * count, 16):
        tag, _checksum, offset, _length = struct.unpack(">4sIII", raw[at : at + 16])
        tables[tag] = offset
    head, hhea, hmtx = tables[b"head"], tables[b"hhea"], tables[b"hmtx"]
    units = struct.unpack(">H", raw[head + 18 : head + 20])[0]
    box = struct.unpack(">4h", raw[head + 36 : head + 44])
    ascent, descent = struct.unpack(">2h", raw[hhea + 4 : hhea + 8])
    long_metrics = struct.unpack(">H", raw[hhea + 34 : hhea + 36])[0]
    glyph_count = struct.unpack(">H", raw[tables[b"maxp"] + 4 : tables[b"maxp"] + 6])[0]
    advances = [struct.unpack(">H", raw[hmtx + 4 * i : hmtx + 4 * i + 2])[0] for i in range(long_metrics)]
    advances += [advances[-1]] * (glyph_count - long_metrics)
    return Font(raw, units, _cmap(raw, tables[b"cmap"]), advances, ascent, descent, box)


def _cmap(raw: bytes, at: int) -> dict[int, int]:
    for i in range(struct.unpack(">H", raw[at + 2 : at + 4])[0]):
        platform, _encoding, offset = struct.unpack(">HHI", raw[at + 4 + 8 * i : at + 12 + 8 * i])
        start = at + offset
        if platform in (0, 3) and struct.unpack(">H", raw[start : start + 2])[0] == 4:
            return _format4(raw, start)
    raise ValueError("the font has no character map of format 4")


def _format4(raw: bytes, at: int) -> dict[int, int]:
    segments = struct.unpack(">H", raw[at + 6 : at + 8])[0] // 2

    def row(index: int, sign: str) -> tuple[int, ...]:
        start = at + 14 + index * 2 * segments + (2 if index else 0)
        return struct.unpack(f">{segments}{sign}", raw[start : start + 2 * segments])

    ends, starts, deltas, offsets = row(0, "H"), row(1, "H"), row(2, "h"), row(3, "H")
    base = at + 14 + 3 * 2 * segments + 2
    found: dict[int, int] = {}
    for i in range(segments):
        for code in range(starts[i], min(ends[i], 0xFFFE) + 1):
            if offsets[i] == 0:
                glyph = (code + deltas[i]) & 0xFFFF
            else:
                place = base + 2 * i + offsets[i] + 2 * (code - starts[i])
                glyph = struct.unpack(">H", raw[place : place + 2])[0]
                glyph = (glyph + deltas[i]) & 0xFFFF if glyph else 0
            if glyph:
                found[code] = glyph
    return found


class Document:
    """Pages in points, origin at the top left."""

    def __init__(self, font: Font, title: str) -> None:
        """Starts without a page."""
        self.font = font
        self._title = title
        self._pages: list[list[str]] = []
        self._used: dict[int, int] = {}

    def page(self) -> None:
        """Begin a page."""
        self._pages.append([])

    def text(self, x: float, y: float, text: str, size: float = 10, *, right: bool = False, grey: float = 0.0) -> None:
        """One line of text; y is its baseline; `right`: x is its right end."""
        if right:
            x -= self.font.width(text, size)
        codes = []
        for character in text:
            glyph = self.font.glyphs.get(ord(character), 0)
            self._used[glyph] = ord(character)
            codes.append(f"{glyph:04X}")
        self._pages[-1].append(f"{grey:.2f} g BT /F {size:g} Tf {x:.2f} {A4[1] - y:.2f} Td <{''.join(codes)}> Tj ET")

    def line(self, x1: float, y: float, x2: float, width: float = 0.5) -> None:
        """A horizontal line."""
        self._pages[-1].append(f"{width:g} w {x1:.2f} {A4[1] - y:.2f} m {x2:.2f} {A4[1] - y:.2f} l S")

    @property
    def pages(self) -> int:
        """How many pages there are."""
        return len(self._pages)

    def render(self) -> bytes:
        """The file."""
        objects: list[bytes] = []

        def add(body: bytes) -> int:
            objects.append(body)
            return len(objects)

        def stream(content: bytes, extra: str = "") -> bytes:
            packed = zlib.compress(content, 9)
            return (
                f"<< /Length {len(packed)} /Filter /FlateDecode {extra}>>\nstream\n".encode() + packed + b"\nendstream"
            )

        f = self.font
        scale = 1000 / f.units
        file = add(stream(f.raw, f"/Length1 {len(f.raw)} "))
        box = " ".join(str(round(v * scale)) for v in f.box)
        descriptor = add(
            f"<< /Type /FontDescriptor /FontName /Protocol /Flags 4 /FontBBox [{box}] /ItalicAngle 0 /Ascent {round(f.ascent * scale)} "
            f"/Descent {round(f.descent * scale)} /CapHeight 700 /StemV 80 /FontFile2 {file} 0 R >>".encode()
        )
        widths = " ".join(f"{glyph} [{round(f.advances[glyph] * scale)}]" for glyph in sorted(self._used))
        cid = add(
            f"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Protocol /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> "
            f"/FontDescriptor {descriptor} 0 R /W [{widths}] /CIDToGIDMap /Identity >>".encode()
        )
        unicode_map = add(stream(self._to_unicode()))
        font = add(
            f"<< /Type /Font /Subtype /Type0 /BaseFont /Protocol /Encoding /Identity-H /DescendantFonts [{cid} 0 R] /ToUnicode {unicode_map} 0 R >>".encode()
        )
        parent = len(objects) + 2 * len(self._pages) + 1
        kids = []
        for content in self._pages:
            body = add(stream("\n".join(content).encode()))
            kids.append(
                add(
                    f"<< /Type /Page /Parent {parent} 0 R /MediaBox [0 0 {A4[0]} {A4[1]}] /Contents {body} 0 R "
                    f"/Resources << /Font << /F {font} 0 R >> >> >>".encode()
                )
            )
        add(f"<< /Type /Pages /Kids [{' '.join(f'{kid} 0 R' for kid in kids)}] /Count {len(kids)} >>".encode())
        catalogue = add(f"<< /Type /Catalog /Pages {parent} 0 R >>".encode())
        info = add(b"<< /Title <FEFF" + self._title.encode("utf-16-be").hex().upper().encode() + b"> >>")
        return _assemble(objects, catalogue, info)

    def _to_unicode(self) -> bytes:
        """Lets a reader copy and search the text."""
        pairs = sorted(self._used.items())
        blocks = []
        for at in range(0, len(pairs), 100):
            part = pairs[at : at + 100]
            rows = "\n".join(f"<{glyph:04X}> <{code:04X}>" for glyph, code in part)
            blocks.append(f"{len(part)} beginbfchar\n{rows}\nendbfchar")
        return (
            "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /P def /CMapType 2 def\n"
            "1 begincodespacerange <0000> <FFFF> endcodespacerange\n" + "\n".join(blocks) + "\nendcmap end end"
        ).encode()


def _assemble(objects: list[bytes], catalogue: int, info: int) -> bytes:
    out = bytearray(b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{place:010d} 00000 n \n".encode() for place in places)
    out += f"trailer << /Size {len(objects) + 1} /Root {catalogue} 0 R /Info {info} 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(out)
