"""L5, opt-in: a real RP2040 image in an emulator. Set TABLE_UF2 to a Pico or Pico W build of MicroPython and install rp2040py.

Never run by CI: no package of the registries carries such an image, and none is downloaded. A release needs a log of this run.
"""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

UF2 = os.environ.get("TABLE_UF2", "")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not UF2, reason="TABLE_UF2 is not set: path of a MicroPython UF2 image for Pico or Pico W"),
]
ROOT = Path(__file__).parents[2]
BOOT_S = 60

SCRIPT = """
import machine, time, micropython
from array import array
{edges}
ring = Ring()
class Pin7:
    def value(self):
        return 1
levels = bytearray(16)
flag = [0]
def wake():
    pass
handler = make_edge(17, ring, time.ticks_us, wake, levels)
out = machine.Pin(2, machine.Pin.OUT, value=0)
inp = machine.Pin(2)
inp.irq(handler, machine.Pin.IRQ_RISING | machine.Pin.IRQ_FALLING, hard=True)
for i in range(30):
    out.toggle()
    time.sleep_ms(1)
n = 0
while not ring.empty():
    ring.pop()
    n += 1
print("EDGES", n, ring.lost())
f = open("t", "w"); f.write("kept"); f.close()
print("FLASH", open("t").read())
print("DONE")
"""


@pytest.fixture
def emulator() -> None:
    """The emulator and the image are there; the image is always named, so that the emulator never fetches one."""
    if importlib.util.find_spec("rp2040py") is None:
        pytest.fail("TABLE_UF2 is set but rp2040py is not installed: pip install rp2040py==0.3.6")
    if not Path(UF2).is_file():
        pytest.fail(f"TABLE_UF2 = {UF2}: no such file")


def test_hard_interrupts_ring_and_flash_on_the_real_image(emulator: None, tmp_path: Path) -> None:
    """The edge handler of the product, unchanged, under the real port: 30 of 30 edges, nothing lost, flash readable."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(edges=(ROOT / "firmware/tablefw/edges.py").read_text()))
    done = subprocess.run(
        [sys.executable, "-m", "rp2040py", "micropython", "--image", UF2, "--expect-text", "DONE", str(script)],
        capture_output=True,
        text=True,
        timeout=BOOT_S * 10,
    )
    log = ROOT / "build/l5.log"
    log.parent.mkdir(exist_ok=True)
    log.write_text(done.stdout + done.stderr)
    assert "EDGES 30 0" in done.stdout, f"see {log}"
    assert "FLASH kept" in done.stdout
