"""Bills of materials: rows, reference designators, totals. Source: hardware/bom/*.csv."""

import csv
import io
import re
from collections.abc import Iterator

import msgspec

from marker_hardware.data import HardwareDataError
from marker_hardware.pinmap import Profile
from marker_hardware.tree import Tree

FILES = ("node", "rails", "gates", "pins", "common")
COLUMNS = (
    "ref",
    "qty_node",
    "qty_carom",
    "qty_pyramid",
    "mpn",
    "manufacturer",
    "description",
    "package",
    "sim",
    "usd_est",
    "alt",
    "profile_note",
)
NOT_FITTED = "not fitted"


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One line. refs: expanded designators; sim: deck element -> value; usd_est: estimate a piece, from memory."""

    file: str
    line: int
    refs: tuple[str, ...]
    qty_node: int
    qty_carom: int
    qty_pyramid: int
    mpn: str
    manufacturer: str
    description: str
    package: str
    sim: dict[str, str]
    usd_est: float
    alt: str
    profile_note: str

    @property
    def fitted(self) -> bool:
        """False for a footprint that stays empty."""
        return not self.profile_note.startswith(NOT_FITTED)

    def quantity(self, profile: Profile) -> int:
        """Pieces to buy for one table of this profile."""
        return self.qty_carom if profile is Profile.CAROM5 else self.qty_pyramid


def expand(text: str) -> Iterator[str]:
    """Single designators of a `ref` cell: "R1-R3 U2" gives R1, R2, R3, U2. Raises ValueError on a range that runs backwards."""
    for item in text.split():
        match = re.fullmatch(r"([A-Z]+)(\d+)-\1(\d+)", item)
        if match is None:
            if not re.fullmatch(r"[A-Z]+\d*", item):
                raise ValueError(f"{item!r} is no designator; write R1, R1-R7 or R1 R4")
            yield item
            continue
        first, last = int(match[2]), int(match[3])
        if last < first:
            raise ValueError(f"{item!r} runs backwards")
        yield from (f"{match[1]}{number}" for number in range(first, last + 1))


def read(tree: Tree, name: str) -> list[Row]:
    """Rows of one file, name without folder and extension. Raises HardwareDataError naming file, line, cell and remedy."""
    place = f"hardware/bom/{name}.csv"
    reader = csv.DictReader(io.StringIO(tree.read(place)), strict=True)
    if tuple(reader.fieldnames or ()) != COLUMNS:
        missing = [column for column in COLUMNS if column not in (reader.fieldnames or ())]
        raise HardwareDataError(place, "columns", missing or reader.fieldnames, f"the header is {','.join(COLUMNS)}")
    return [_row(place, number, cells) for number, cells in enumerate(reader, start=2)]


def read_all(tree: Tree) -> list[Row]:
    """Rows of every file, in the order of FILES."""
    return [row for name in FILES for row in read(tree, name)]


def _row(place: str, line: int, cells: dict[str, str]) -> Row:
    def fail(key: str, remedy: str) -> HardwareDataError:
        return HardwareDataError(f"{place}:{line}", key, cells.get(key), remedy)

    if None in cells or None in cells.values():
        raise fail("ref", f"the line has another number of cells than {len(COLUMNS)}")
    try:
        refs = tuple(expand(cells["ref"]))
    except ValueError as error:
        raise fail("ref", str(error)) from error
    for key in ("qty_node", "qty_carom", "qty_pyramid"):
        if not cells[key].isdecimal():
            raise fail(key, "a quantity is a whole number of pieces")
    for key in ("mpn", "manufacturer", "description", "package"):
        if not cells[key].strip():
            raise fail(key, "must not be empty")
    try:
        price = float(cells["usd_est"])
        sim = dict(item.split("=", 1) for item in cells["sim"].split())
    except ValueError as error:
        raise fail("usd_est", "a price is a number, a sim cell is element=value pairs") from error
    return Row(
        file=place,
        line=line,
        refs=refs,
        qty_node=int(cells["qty_node"]),
        qty_carom=int(cells["qty_carom"]),
        qty_pyramid=int(cells["qty_pyramid"]),
        mpn=cells["mpn"],
        manufacturer=cells["manufacturer"],
        description=cells["description"],
        package=cells["package"],
        sim=sim,
        usd_est=price,
        alt=cells["alt"],
        profile_note=cells["profile_note"],
    )


class Total(msgspec.Struct, frozen=True):
    """Sum of one file for one table: lines with a quantity, pieces, estimated USD."""

    file: str
    lines: int
    pieces: int
    usd: float


def totals(tree: Tree, profile: Profile) -> list[Total]:
    """One total a file for a table of this profile."""
    found = []
    for name in FILES:
        rows = [row for row in read(tree, name) if row.quantity(profile)]
        pieces = sum(row.quantity(profile) for row in rows)
        found.append(Total(name, len(rows), pieces, round(sum(r.quantity(profile) * r.usd_est for r in rows), 2)))
    return found


def shop_csv(tree: Tree, profile: Profile) -> str:
    """Order list of one table: mpn, quantity and designators, equal parts of all files joined, ready for a shop's upload."""
    lines: dict[tuple[str, str], list[Row]] = {}
    for row in read_all(tree):
        if row.quantity(profile):
            lines.setdefault((row.manufacturer, row.mpn), []).append(row)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("mpn", "manufacturer", "quantity", "description", "alternative", "designators"))
    for (manufacturer, mpn), rows in sorted(lines.items(), key=lambda item: item[0]):
        refs = " ".join(ref for row in rows for ref in row.refs[: row.quantity(profile)])
        count = sum(row.quantity(profile) for row in rows)
        writer.writerow((mpn, manufacturer, count, rows[0].description, rows[0].alt, refs))
    return out.getvalue()
