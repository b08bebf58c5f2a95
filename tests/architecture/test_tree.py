"""The tree speaks of itself alone: no path of a machine, no registry host, nothing generated that is out of date."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
# Spelled in pieces, so that this file does not find itself.
MACHINE = re.compile("/wor" + "k/|/hom" + "e/[a-z]+/|/ro" + "ot/|/Us" + "ers/[A-Za-z]+/")
HOSTS = re.compile(
    "pypi" + r"\.org|pythonhost" + r"ed|registry\.npm" + r"js|deb\.deb" + r"ian|crates\." + "io", re.IGNORECASE
)
TEXT = {
    ".py",
    ".md",
    ".toml",
    ".yaml",
    ".yml",
    ".js",
    ".css",
    ".html",
    ".sh",
    ".json",
    ".svg",
    ".csv",
    ".cir",
    ".scad",
    "",
}


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def grep(pattern: re.Pattern[str]) -> list[str]:
    found = []
    for path in tracked():
        if path.suffix not in TEXT or path.stat().st_size > 2_000_000:
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            if pattern.search(line):
                found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()[:120]}")
    return found


def test_no_path_of_a_machine() -> None:
    found = grep(MACHINE)
    assert not found, "\n".join(found)


def test_no_registry_host() -> None:
    found = grep(HOSTS)
    assert not found, "\n".join(found)


def test_generated_files_are_up_to_date() -> None:
    checked = subprocess.run(
        [sys.executable, str(ROOT / "hardware/generate.py"), "--check"], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_no_large_binary_is_tracked() -> None:
    large = [f"{path.relative_to(ROOT)} {path.stat().st_size}" for path in tracked() if path.stat().st_size > 1_500_000]
    assert not large, large
