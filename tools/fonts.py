"""Makes the web fonts of the pages from the packages of the font makers: subset, renamed, licence beside them.

A build-time tool, run by hand when a font or a character set changes; the result is committed. It needs `npm` and the
Python packages `fonttools` and `brotli`:

    python tools/fonts.py hub/marker_hub/web/static/fonts

Every family is renamed inside the file, as the SIL Open Font License asks of a changed font with a reserved name.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

PACKAGES = (
    ("@fontsource/fira-sans-condensed@5.3.0", "fira-sans-condensed", "Marker Text", (500, 700)),
    ("@fontsource/fira-sans-extra-condensed@5.3.0", "fira-sans-extra-condensed", "Marker Name", (600,)),
)
DIGITS_PACKAGE = "@fontsource-variable/sofia-sans-extra-condensed@5.3.0"
DIGITS_WEIGHT = 760
DIGITS = "0123456789+-−–:? "
FEATURES = ["kern", "mark", "mkmk", "ccmp", "locl", "tnum", "lnum", "case"]
RANGES = {
    "latin": [*range(0x20, 0x7F), *range(0xA0, 0x100), 0x131, 0x152, 0x153, *range(0x2010, 0x2016), *range(0x2018, 0x2020),
              0x2022, 0x2026, 0x202F, 0x2032, 0x2033, 0x2039, 0x203A, 0x20AC, 0x2116, 0x2212],
    "latin-ext": [*range(0x100, 0x17F), 0x192, *range(0x218, 0x21C), *range(0x1E80, 0x1E86), 0x1E9E],
    "cyrillic": [*range(0x400, 0x460), 0x490, 0x491, 0x2116],
    "cyrillic-ext": [*range(0x492, 0x500)],
}  # fmt: skip


def unpack(package: str, into: Path) -> Path:
    """Fetches one package and returns the folder with its files."""
    done = subprocess.run(["npm", "pack", package, "--silent"], cwd=into, check=True, capture_output=True, text=True)  # noqa: S603, S607 - fixed arguments
    archive = into / done.stdout.strip().splitlines()[-1]
    target = into / archive.stem
    with tarfile.open(archive) as packed:
        packed.extractall(target, filter="data")
    return target / "package"


def rename(font: TTFont, family: str, weight: int) -> None:
    """Writes `family` into every name record that carries the old one; copyright and licence records stay."""
    names = font["name"]
    for record in list(names.names):
        value = {
            1: f"{family} {weight}",
            2: "Regular",
            3: f"{family} {weight}",
            4: f"{family} {weight}",
            16: family,
            17: str(weight),
        }
        if record.nameID == 6:
            names.setName(f"{family.replace(' ', '')}-{weight}", 6, record.platformID, record.platEncID, record.langID)
        elif record.nameID in value:
            names.setName(value[record.nameID], record.nameID, record.platformID, record.platEncID, record.langID)
        elif record.nameID in {7, 18, 21, 22, 25}:
            names.removeNames(record.nameID)


def write(font: TTFont, characters: list[int], family: str, weight: int, target: Path) -> None:
    """Keeps only `characters` and what the layout needs, renames, and writes WOFF2."""
    options = Options()
    options.layout_features = FEATURES
    options.hinting = False
    options.name_IDs = ["*"]
    options.notdef_outline = True
    options.drop_tables += ["DSIG"]
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=characters)
    subsetter.subset(font)
    rename(font, family, weight)
    font.flavor = "woff2"
    font.save(target)
    print(f"{target.name}: {target.stat().st_size} bytes, {len(font.getBestCmap())} characters")


def main(out: Path) -> None:
    """Makes all files in `out`."""
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        for package, stem, family, weights in PACKAGES:
            root = unpack(package, Path(scratch))
            (out / f"OFL-{stem}.txt").write_text((root / "LICENSE").read_text(encoding="utf-8"), encoding="utf-8")
            for weight in weights:
                for part, characters in RANGES.items():
                    source = TTFont(root / "files" / f"{stem}-{part}-{weight}-normal.woff2")
                    known = set(source.getBestCmap())
                    slug = family.lower().replace(" ", "-")
                    write(
                        source,
                        [c for c in characters if c in known],
                        family,
                        weight,
                        out / f"{slug}-{weight}-{part}.woff2",
                    )
        root = unpack(DIGITS_PACKAGE, Path(scratch))
        (out / "OFL-sofia-sans-extra-condensed.txt").write_text(
            (root / "LICENSE").read_text(encoding="utf-8"), encoding="utf-8"
        )
        source = TTFont(root / "files" / "sofia-sans-extra-condensed-latin-wght-normal.woff2")
        font = instantiateVariableFont(source, {"wght": DIGITS_WEIGHT})
        write(font, [ord(c) for c in DIGITS], "Marker Digits", DIGITS_WEIGHT, out / "marker-digits.woff2")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python tools/fonts.py DIRECTORY")
    main(Path(sys.argv[1]))
