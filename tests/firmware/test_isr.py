"""Interrupt handlers: what they may do, by reading them and by running them with the heap locked; every rule has its mutation."""

import ast
import importlib.util
from collections.abc import Callable
from pathlib import Path

import pytest

EDGES = Path(__file__).parents[2] / "firmware/tablefw/edges.py"
Vm = Callable[..., str]

CALLS = {"ticks", "wake", "fifo", "get"}
METHODS = {"value"}
FORBIDDEN = (
    ast.List, ast.Dict, ast.Set, ast.Tuple, ast.ListComp, ast.DictComp, ast.SetComp, ast.GeneratorExp, ast.JoinedStr,
    ast.Lambda, ast.FunctionDef, ast.ClassDef, ast.Try, ast.Raise, ast.With, ast.Yield, ast.Await, ast.Import,
    ast.ImportFrom, ast.Global, ast.Nonlocal, ast.Delete, ast.Assert, ast.Starred, ast.Slice,
)  # fmt: skip


def offences(source: str) -> list[str]:
    """What handlers (functions named `isr`) of a module do that they must not."""
    found = []
    for f in [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.FunctionDef) and n.name == "isr"]:
        own = {a.arg for a in f.args.args} | {
            n.id for n in ast.walk(f) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        }
        for node in [n for statement in f.body for n in ast.walk(statement)]:
            where = f"line {getattr(node, 'lineno', 0)}"
            if isinstance(node, FORBIDDEN):
                found.append(f"{where}: {type(node).__name__}")
            elif isinstance(node, ast.Constant) and not (type(node.value) is int and abs(node.value) < 1 << 30):
                found.append(f"{where}: constant {node.value!r}")
            elif isinstance(node, ast.Call):
                name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "?")
                allowed = CALLS if isinstance(node.func, ast.Name) else METHODS
                if name not in allowed or node.keywords:
                    found.append(f"{where}: call of {name}")
            elif isinstance(node, ast.Attribute) and node.attr not in METHODS:
                found.append(f"{where}: attribute {node.attr}")
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in own:
                found.append(f"{where}: name {node.id} is neither an argument nor a local")
            elif isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Div | ast.Pow):
                found.append(f"{where}: makes a float or a large integer")
    return found


@pytest.mark.report("R011")
def test_the_handlers_do_only_what_they_may() -> None:
    """R011, static half: whitelist of calls, forbidden nodes."""
    source = EDGES.read_text()
    assert source.count("def isr(") == 2
    assert offences(source) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        wake()\n", "        wake()\n        log.append(v)\n"),
        ("        wake()\n", "        schedule(f, 0)\n"),
        ("buf[2 * n] = ticks()", "buf[2 * n] = ticks() / 1"),
        ("buf[2 * n] = ticks()", "buf[2 * n] = ticks() * 0.5"),
        ("buf[2 * n] = ticks()", "buf[2 * n] = ticks() | 0x80000000"),
        ("last[at] = v", "last[at] = [v]"),
        ("last[at] = v", "last.append(v)"),
        ("last[at] = v", 'last[at] = f"{v}"'),
        ("idx[0] = m\n", "idx[0] = m\n            asyncio.create_task(None)\n"),
        ("v = pin.value()", "v = pin.value()\n        global seen"),
    ],
)
def test_a_forbidden_act_in_a_handler_is_seen(old: str, new: str) -> None:
    source = EDGES.read_text()
    assert old in source
    assert offences(source.replace(old, new, 1))


def test_no_sensor_data_travels_through_micropython_schedule() -> None:
    for file in EDGES.parent.rglob("*.py"):
        assert "schedule" not in file.read_text(), file.name


RUN = """
import machine, micropython, time
machine.sensor_gpio.update(range(6, 13))
tick = [0]
def ticks():
    return tick[0]
from tablefw import edges
{setup}
ring = edges.Ring()
woke = [0]
flag = __import__("asyncio").ThreadSafeFlag()
levels = bytearray(16)
pin = machine.Pin(6)
pin.irq(edges.make_edge(16, ring, ticks, flag.set, levels), machine.Pin.IRQ_RISING | machine.Pin.IRQ_FALLING, hard=True)
seen = 0
for i in range(10000):
    tick[0] = {tick}
    machine.drive(6, 1 - machine.levels.get(6, 0))
    if i % 100 == 99:
        while not ring.empty():
            stamp, what = ring.pop()
            assert what >> 1 == 16
            seen += 1
print(seen, machine.armed[6][0] is not None, machine.errors[:1], ring.lost())
"""
REAL_TICK = "(1 << 30) - 5000 + i if i < 5000 else i"


@pytest.mark.report("R010")
@pytest.mark.report("R011")
@pytest.mark.parametrize("tick", ["(1 << 30) - 1 - i", REAL_TICK, "(1 << 30) + i"])
def test_ten_thousand_edges_with_the_heap_locked(vm: Vm, tick: str) -> None:
    """R010, R011: stamps around and above 2^30, no allocation, every edge there, the handler still armed."""
    assert vm(RUN.format(setup="", tick=tick), shims=True).split(maxsplit=2) == ["10000", "True", "[] 0\n"]


WORDS = """
import machine, time
from tablefw import edges
ring = edges.Ring()
import rp2
class P: code = []
sm = rp2.StateMachine(0, P, 1000, None, None)
sm.fifo.clear()
last = [0xFFFF]
sm.irq(edges.make_words(ring, time.ticks_us, __import__("asyncio").ThreadSafeFlag().set, sm.rx_fifo, sm.get, last), hard=True)
seen = late = 0
for i in range(10000):
    sm.feed(i & 0xFFFF, (i + 1) & 0xFFFF) if i % 2 else sm.feed(i & 0xFFFF)
    while not ring.empty():
        stamp, what = ring.pop()
        assert what & edges.SHIFT
        late += 1 if what & edges.LATE else 0
        seen += 1
print(seen, late, sm.handler is not None, machine.errors, ring.lost())
"""


def test_ten_thousand_interrupts_of_the_shift_chain(vm: Vm) -> None:
    """A word that waited behind another one is marked late."""
    assert vm(WORDS, shims=True).split() == ["15000", "5000", "True", "[]", "0"]


MUTANTS = {
    "list": "def isr(pin): ring.append(pin.value())",
    "float": "def isr(pin): ring[0] = ticks() * 0.5",
    "large": "def isr(pin): ring[0] = ticks() + (1 << 62) * 4",
    "closure": None,
    "string": 'def isr(pin): ring[0] = "%d" % pin.value()',
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_handler_that_allocates_runs_once_and_then_never_again(vm: Vm, name: str) -> None:
    """What the shim must show, as the board does; five free variables are enough."""
    body = MUTANTS[name]
    if body is None:
        make = (
            "def make(a, b, c, d, e):\n    def isr(pin):\n        a[0] = pin.value()\n        a[1] = b\n        a[1] = c\n"
            "        a[1] = d\n        a[1] = e\n    return isr\nisr = make([0, 0], 1, 2, 3, 4)"
        )
    else:
        make = f"ring = [0] * 4\ndef ticks(): return 7\n{body}"
    script = f"""
import machine
{make}
calls = 0
machine.Pin(6).irq(isr, machine.Pin.IRQ_RISING | machine.Pin.IRQ_FALLING, hard=True)
for i in range(40):
    machine.drive(6, 1 - machine.levels.get(6, 0))
print(machine.errors, machine.armed[6][0] is None)
"""
    assert vm(script, shims=True).split() == ["['MemoryError']", "True"]


OVERFLOW = """
import machine, time
from tablefw import edges
ring = edges.Ring()
pin = machine.Pin(6)
pin.irq(edges.make_edge(16, ring, time.ticks_us, lambda: None, bytearray(16)), 12, hard=True)
for i in range(400):
    machine.drive(6, 1 - machine.levels.get(6, 0))
n = 0
while not ring.empty():
    ring.pop()
    n += 1
print(n, ring.lost(), ring.lost(), machine.errors)
"""


def test_a_full_ring_drops_the_new_edge_and_counts_it(vm: Vm) -> None:
    assert vm(OVERFLOW, shims=True).split() == ["255", "145", "0", "[]"]


SOFT = """
import machine
machine.sensor_gpio.add(6)
try:
    machine.Pin(6).irq(lambda p: None, 12)
    print("armed")
except ValueError:
    print("refused")
"""


def test_a_soft_interrupt_on_a_sensor_is_refused(vm: Vm) -> None:
    assert vm(SOFT, shims=True).split() == ["refused"]


PORT = """
import asyncio, sys, time
import machine, rp2
machine.sensor_gpio.update(range(6, 13))
from tablefw import hal, board_pins as B, items as I
from tablefw.edges import Ring
from tablefw.sensors import Sensors
from tablefw.clock import Extender
ring = Ring()
src = hal.edge_source(B.PROFILES[{profile!r}], ring)
out = []
s = Sensors({profile!r}, lambda *r: out.append(r))
ext = Extender(hal.ticks_us() & ((1 << 30) - 1))
item = [0] * 5
kinds = set()

async def spin(ms):
    end = time.ticks_add(time.ticks_ms(), ms)
    while time.ticks_diff(end, time.ticks_ms()) > 0:
        machine.Timer.made[-1].fire()
        await src.wait()
        while src.take(item):
            kinds.add(item[0])
            t = ext.extend(item[1])
            if item[0] == I.EDGE: s.edge(t, item[2], item[3])
            elif item[0] == I.WORD: s.shift_word(t, item[2], bool(item[3]))
            elif item[0] == I.FIELD: s.field(t, item[2], src.vectors)
            s.tick(t)
            for p in s.piezo.all:
                if p.hit is not None and p.wants_reading(t):
                    s.reading(ext.extend(hal.ticks_us()), p.ch, hal.adc(p.ch - 16))
        await asyncio.sleep_ms(1)

async def main():
{body}

asyncio.run(main())
print(sorted(kinds), [r[1:4] for r in out])
"""


def test_the_pico_port_reads_rails_pins_and_buttons(vm: Vm) -> None:
    """hal/rp2.py over the shims: interrupt, ring, ADC, Hall behind the mux, shift chain, display, outputs."""
    body = """
    machine.SPI.values[1] = 900
    await spin(260)
    machine.drive(7, 1)
    await spin(4)
    machine.drive(7, 0)
    machine.I2C.field[1] = [-224, 0, 202]
    src.sm.feed(0xDFFF)
    await spin(300)
    src.sm.feed(0xFFFF)
    machine.I2C.display = []
    hal.segments("12   7", True)
    hal.output("IR_EN", 500)
    hal.output("PZ_VTH", 330)
    assert machine.I2C.display_frame[1] == 0x06 and machine.I2C.display[-1] == b"\\x85"
    assert machine.duty[B.IR_EN] == 32767 and machine.duty[B.PZ_VTH] == 6553
    assert hal.adc(8) == 2500 and hal.uid() == "e6614103e7452d2f"
    machine.I2C.absent.add(4)
    await spin(700)
    """
    out = vm(PORT.format(profile="carom5", body=body), shims=True)
    kinds, records = out.split("] ", 1)
    assert kinds == "[1, 2, 4, 6"
    assert "(17, 4," in records
    assert "(1, 3, 2)" in records, "pin N fell"
    assert "(1, 2, 3)" in records
    assert "(49, 7, 0)" in records, "BTN_NO is bit 13"
    assert "(4, 2, 4)" in records, "pin W does not answer: unknown"
    assert "(4, 11, 3)" in records, "and absent"


def test_the_pico_port_reads_gates(vm: Vm) -> None:
    body = """
    await spin(20)
    src.sm.feed(0xFFFF & ~4)
    await spin(8)
    src.sm.feed(0xFFFF & ~12)
    await spin(12)
    src.sm.feed(0xFFFF & ~8)
    await spin(8)
    src.sm.feed(0xFFFF)
    await spin(30)
    """
    assert "(33, 5," in vm(PORT.format(profile="pyramid", body=body), shims=True)


def test_a_handler_disabled_by_an_exception_is_armed_again_and_counted(vm: Vm) -> None:
    """The board loses a handler for good after an exception. Mutation: no re-arming leaves the rail deaf."""
    body = """
    machine.armed[6][0] = None
    machine.drive(6, 1)
    assert src.rearm() == 0
    assert src.rearm() == 1
    assert src.rearm() == 0
    await spin(5)
    machine.drive(6, 0)
    await spin(20)
    """
    assert "(16, 4," in vm(PORT.format(profile="carom5", body=body), shims=True)


def test_a_hung_i2c_bus_is_recovered(vm: Vm) -> None:
    body = """
    await spin(30)
    before = machine.I2C.made
    machine.I2C.hung = True
    await spin(120)
    assert machine.I2C.made > before
    machine.I2C.hung = False
    await spin(260)
    assert [p.quality() for p in s.pins] != [3] * 5
    """
    vm(PORT.format(profile="carom5", body=body), shims=True)


CHAIN = """
from tablefw import pioin
c = pioin.chain
print(c.target, c.end, " ".join(str(w) for w in c.code))
"""


def test_the_shift_program_in_a_pio_emulator(vm: Vm, require: Callable[[bool, str], None]) -> None:
    """Two 74HC165 in front of the program: a word per change, the first bit out is bit 0, nothing for no change."""
    require(importlib.util.find_spec("pioemu") is not None, "rp2040-pio-emulator")
    import pioemu

    wrap_target, wrap, *code = (int(x) for x in vm(CHAIN, shims=True).split())
    assert len(code) == 10
    assert code[0] == 0xB041, "mov(y, x) side 2, by hand from the datasheet"
    assert code[2] == 0xC010 | 2 << 11, "irq(rel(0)) side 2"
    code[2] = 0xA042 | 2 << 11  # the emulator knows no interrupts: a nop in its place
    inputs = {0: 0xFFFF, 700: 0xFFFE, 1400: 0x7FFE, 2100: 0x7FFE, 2800: 0xFFFF}
    register = 0
    previous = (0, 1)
    words: list[int] = []
    state = pioemu.State(pin_values=0)
    level = 0

    def pins(clock: int) -> int:
        return level

    generator = pioemu.emulate(
        code,
        stop_when=lambda _, s: s.clock > 4000,
        initial_state=state,
        input_source=pins,
        wrap_target=wrap_target,
        wrap_top=wrap,
        side_set_base=14,
        side_set_count=2,
        shift_isr_right=True,
    )
    for _, after in generator:
        clk, load = after.pin_values >> 14 & 1, after.pin_values >> 15 & 1
        if not load:
            register = inputs[max(t for t in inputs if t <= after.clock)]
        elif clk and not previous[0]:
            register = register >> 1 | 1 << 15
        previous = (clk, load)
        level = register & 1
        while after.receive_fifo:
            words.append(after.receive_fifo.popleft())
    assert words[-4:] == [0xFFFF, 0xFFFE, 0x7FFE, 0xFFFF]
    assert len([w for w in words if w]) == 4
