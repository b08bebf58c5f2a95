"""Self-test: a step into every piezo, emitters off and on, Hall sensors, supply. Never while a shot runs. Limits: defaults.py."""

import asyncio

from tablefw import defaults as D
from tablefw import hal
from tablefw import wire_codes as W
from tablefw.health import wanted_vth

FULL = 1000  # permille of the emitters' duty
_MARGIN_CLEAN = (
    1000 * 1000 // D.GATE_BEAM_MARGIN_CLEAN_PERMILLE
)  # duty at which a beam with the lowest good margin still works
_MARGIN_NEW = 1000 * 1000 // D.GATE_BEAM_MARGIN_NEW_PERMILLE


def piezo_code(mv):
    """Quality code for the peak of the test step: open cable, short or weak disc."""
    if mv > D.PIEZO_TEST_OPEN_MV:
        return W.QUALITY_ABSENT
    if mv < D.PIEZO_TEST_SHORT_MV:
        return W.QUALITY_STUCK
    low, high = D.PIEZO_TEST_OK_MV
    return W.QUALITY_OK if low <= mv <= high else W.QUALITY_NOISY


def beam_code(dark, lit):
    """dark = reads broken with the emitters off, lit = reads lit with them on."""
    if not lit:
        return W.QUALITY_ABSENT
    return W.QUALITY_OK if dark else W.QUALITY_STUCK


async def _beams(app, names):
    """(code per gate, beams that want cleaning)."""
    word = app.source.word
    settle = D.GATE_SELFTEST_US / 1000000
    hal.output("IR_EN", 0)
    await asyncio.sleep(settle)
    off = word()
    hal.output("IR_EN", FULL)
    await asyncio.sleep(settle)
    on = word()
    hal.output("IR_EN", _MARGIN_NEW)
    await asyncio.sleep(settle)
    low = word()
    hal.output("IR_EN", _MARGIN_CLEAN)
    await asyncio.sleep(settle)
    mid = word()
    hal.output("IR_EN", FULL)
    await asyncio.sleep(settle)
    codes = {}
    dirty = []
    for name in names:
        n = 2 * (W.CHANNELS[name] - W.CH_GATE_FIRST)
        worst = W.QUALITY_OK
        for bit, letter in ((n, "A"), (n + 1, "B")):
            m = 1 << bit
            code = beam_code(not off & m, on & m)
            if code > worst:
                worst = code
            if code == W.QUALITY_OK and not (low & m and mid & m):
                dirty.append(name + letter + ("" if mid & m else "!"))
        codes[name] = worst
    return codes, dirty


async def _piezos(app):
    """Peak in mV per channel."""
    bank = app.sensors.piezo
    blank = D.PIEZO_TEST_BLANK_US
    peaks = {}
    now = app.now()
    for p in bank.all:
        p.quiet_until = now + D.PIEZO_TEST_PEAK_US + 2 * blank
    hal.output("PZ_TEST", 1)
    await asyncio.sleep(D.PIEZO_TEST_PEAK_US / 2000000)
    for p in bank.all:
        peaks[p.ch] = hal.adc(p.ch - W.CH_PIEZO_FIRST)
    await asyncio.sleep(blank / 1000000)
    hal.output("PZ_TEST", 0)
    await asyncio.sleep(blank / 1000000)
    return peaks


async def run(app):
    """Test everything; marks the channels and returns name -> code, with V5 in mV and the beams to clean."""
    s = app.sensors
    for _ in range(20):  # a table that is being hit is not tested for 2 s at most
        if app.now() - s.piezo.last > D.PIEZO_TEST_QUIET_US:
            break
        await asyncio.sleep(0.1)
    result = {}
    names = {W.CHANNELS[n]: n for n in s.names}
    for ch, mv in (await _piezos(app)).items():
        result[names[ch]] = piezo_code(mv)
    if s.gates:
        for g in s.all_gates:
            for b in g.beams:
                b.mute_until = app.now() + 10 * D.GATE_SELFTEST_US + 100000
        codes, dirty = await _beams(app, s.gates)
        result.update(codes)
        if dirty:
            result["clean"] = dirty
    for p, letter in zip(s.pins, s.letters()):
        result[letter] = p.quality()
    now = app.now()
    for name in s.names:
        if name in result:
            s.health.test_result(now, W.CHANNELS[name], result[name])
    app.v5 = 2 * hal.adc(8)
    result["V5"] = app.v5
    low, high = D.POWER_V5_MV
    result["supply_ok"] = low <= app.v5 <= high
    return result


async def noise(app, seconds):
    """Quiet-table noise: [p99.9 of the peak readings in mV, comparator threshold it asks for]. 200 readings a second."""
    n = seconds * D.PIEZO_VTH_RATE_HZ
    counts = {}
    for _ in range(n):
        for p in app.sensors.piezo.all:
            mv = hal.adc(p.ch - W.CH_PIEZO_FIRST)
            counts[mv] = counts.get(mv, 0) + 1
        await asyncio.sleep(1 / D.PIEZO_VTH_RATE_HZ)
    left = sum(counts.values()) // 1000
    level = 0
    for mv in sorted(counts, reverse=True):
        level = mv
        left -= counts[mv]
        if left < 0:
            break
    return [level, wanted_vth(level)]


async def scan(app, n):
    """Mean field of n scans per pin, its spread (permille of the mean's length) and the sensors that answered."""
    sums = [0] * 15
    squares = [0] * 15
    for _ in range(n):
        v = app.source.vectors
        for i in range(15):
            sums[i] += v[i]
            squares[i] += v[i] * v[i]
        await asyncio.sleep(0.01)
    mean = [s // n for s in sums]
    spread = [max(0, (q - s * s // n) // n) for s, q in zip(sums, squares)]
    missing = 0
    for i, p in enumerate(app.sensors.pins):
        if p.missing:
            missing |= 1 << i
    return {"mean": mean, "var": spread, "missing": missing, "n": n}
