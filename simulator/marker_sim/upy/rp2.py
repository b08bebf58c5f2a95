# Shim of the Pico's `rp2`: an assembler for the PIO instructions the firmware uses, and a state machine that tests feed with words.
import machine

_SRC = {"pins": 0, "x": 1, "y": 2, "null": 3, "isr": 6, "osr": 7}
_MOV_DST = {"pins": 0, "x": 1, "y": 2, "isr": 6, "osr": 7}
_SET_DST = {"pins": 0, "x": 1, "y": 2, "pindirs": 4}
_JMP = {"always": 0, "not_x": 1, "x_dec": 2, "not_y": 3, "y_dec": 4, "x_not_y": 5, "pin": 6, "not_osre": 7}
_SIDE_BITS = 2


class PIO:
    OUT_LOW = 2
    OUT_HIGH = 3
    SHIFT_LEFT = 0
    SHIFT_RIGHT = 1
    JOIN_NONE = 0
    JOIN_RX = 2


class _Op:
    def __init__(self, program, word):
        self.program = program
        self.i = len(program.code)
        program.code.append(word)

    def side(self, v):
        self.program.code[self.i] |= v << (13 - _SIDE_BITS)
        return self


class Program:
    """Assembled program: `code`, wrap target and wrap; names of the PIO language are its scope."""

    def __init__(self, f, **how):
        self.how = how
        self.code = []
        self.labels = {}
        self.fixups = []
        self.target = 0
        self.end = 0
        scope = {
            "label": self._label, "wrap_target": self._target, "wrap": self._wrap, "jmp": self._jmp, "in_": self._in,
            "mov": self._mov, "set": self._set, "push": self._push, "irq": self._irq, "nop": self._nop,
            "rel": lambda n: n | 16, "noblock": 1, "block": 0,
        }
        for n in ("pins", "x", "y", "null", "isr", "osr", "x_dec", "x_not_y"):
            scope[n] = n
        g = f.__globals__
        kept = {k: g[k] for k in scope if k in g}
        g.update(scope)
        try:
            f()
        finally:
            for k in scope:
                if k in kept:
                    g[k] = kept[k]
                else:
                    del g[k]
        for i, name in self.fixups:
            self.code[i] |= self.labels[name]

    def _label(self, name):
        self.labels[name] = len(self.code)

    def _target(self):
        self.target = len(self.code)

    def _wrap(self):
        self.end = len(self.code) - 1

    def _jmp(self, condition, name=None):
        if name is None:
            condition, name = "always", condition
        self.fixups.append((len(self.code), name))
        return _Op(self, _JMP[condition] << 5)

    def _in(self, source, n):
        return _Op(self, 0x4000 | _SRC[source] << 5 | n & 31)

    def _mov(self, dest, source):
        return _Op(self, 0xA000 | _MOV_DST[dest] << 5 | _SRC[source])

    def _set(self, dest, v):
        return _Op(self, 0xE000 | _SET_DST[dest] << 5 | v)

    def _push(self, noblock=0):
        return _Op(self, 0x8000 | (0 if noblock else 1 << 5))

    def _irq(self, n):
        return _Op(self, 0xC000 | n)

    def _nop(self):
        return _Op(self, 0xA042)


def asm_pio(**how):
    return lambda f: Program(f, **how)


class StateMachine:
    """Words pushed by `feed` come out of `get`; `feed` interrupts as the program does."""

    made = []
    first = (0, 0xFFFF)  # words of the start

    def __init__(self, n, program, freq, in_base, sideset_base):
        self.program = program
        self.freq = freq
        self.fifo = list(StateMachine.first)
        self.handler = None
        StateMachine.made.append(self)

    def active(self, on):
        self.on = on

    def irq(self, handler, hard=False):
        if not hard:
            raise ValueError("shift chain needs a hard interrupt")
        self.handler = handler

    def rx_fifo(self):
        return len(self.fifo)

    def get(self):
        return self.fifo.pop(0)

    def feed(self, *words):
        """Words that wait together, then one interrupt. The FIFO holds eight."""
        for w in words:
            if len(self.fifo) < 8:
                self.fifo.append(w)
        if self.handler and not machine.run_handler(self.handler, self):
            self.handler = None
