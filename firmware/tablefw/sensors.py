"""All sensors of one table behind one door: edges, field scans and readings in, records out. Pure.

The node's main loop and the simulator's direct feed use this same class, so detection is written once.
Input numbers: 16..22 comparators, 64..79 shift-register bits. Levels are electrical; the machines know what they mean.
"""

from tablefw import board_pins as B
from tablefw import defaults as D
from tablefw import wire_codes as W
from tablefw.button import Button
from tablefw.health import Health
from tablefw.piezo import PiezoBank

IN_CLICK = W.CH_CLICK
IN_SHIFT = 64
BITS = len(B.SHIFT_BITS)
SCAN_US = 1000000 // D.PIN_RULE_POLL_HZ
FIRST_BUTTON = B.SHIFT_BITS.index("BTN_YES")


class ProfileError(ValueError):
    """The profile is not one of board_pins.PROFILES, or calls for a part the board has not."""


class Sensors:
    """State machines of one profile. `emit(t, ch, kind, v, aux)` receives every record."""

    def __init__(self, profile, emit, calibration=None):
        if profile not in B.PROFILES:
            raise ProfileError("profile: %s; known: %s" % (profile, ", ".join(sorted(B.PROFILES))))
        click, pins, gates, rails = B.PROFILES[profile]
        cal = calibration or {}
        gains = cal.get("gains") or {}
        self.profile = profile
        self.emit = emit
        self.pins = self._seats(pins, cal) if pins else []
        self.piezo = PiezoBank(emit, cal.get("vth", D.PIEZO_VTH_FLOOR_MV))
        for name, _ in rails:
            self.piezo.make(W.CHANNELS[name], gain=gains.get(name, 1000))
        if click:
            self.piezo.make(IN_CLICK)
        # machines by name, and in channel order: MicroPython's dictionaries have none
        self.gates = self._gates(gates) if gates else {}
        self.buttons = {n: Button(W.CHANNELS[n], emit) for n in B.SHIFT_BITS[FIRST_BUTTON:]}
        self.all_gates = [self.gates[n] for n in gates]
        self.all_buttons = [self.buttons[n] for n in B.SHIFT_BITS[FIRST_BUTTON:]]
        self._bits = []
        for i, name in enumerate(B.SHIFT_BITS):
            if i >= FIRST_BUTTON:
                self._bits.append((self.buttons[name], None))
            elif name[:2] in self.gates:
                self._bits.append((self.gates[name[:2]], "AB".index(name[2])))
            else:
                self._bits.append(None)  # not fitted in this profile
        self.word = B.SHIFT_IDLE
        self.names = list(pins) + [n for n, _ in rails] + (["CLICK"] if click else []) + list(gates)
        self.names += list(B.SHIFT_BITS[FIRST_BUTTON:])
        self.health = Health(self)

    def _seats(self, letters, cal):
        """Pin machines; a table without pins does not load their code."""
        from tablefw.pins import Curve, Pin, curve, default_calibration

        seats = cal.get("pins") or default_calibration()
        line = Curve(cal.get("curve") or curve())
        return [Pin(W.CHANNELS[p], seats[p], line, self.emit) for p in letters]

    def _gates(self, names):
        """Gate machines by name; a table without pockets does not load their code."""
        from tablefw.gate import Gate

        return {n: Gate(W.CHANNELS[n], self.emit) for n in names}

    def edge(self, t, ch, level, late=False):
        """A comparator edge (16..22) or a shift bit (64..79). An input the profile has not is a ValueError, not "off"."""
        if ch >= IN_SHIFT:
            if ch >= IN_SHIFT + BITS:
                raise ValueError("input %d" % ch)
            self._bit(t, ch - IN_SHIFT, level, late)
            return
        p = self.piezo.channels.get(ch)
        if p is None:
            raise ValueError("input %d is not fitted in profile %s" % (ch, self.profile))
        if level:
            p.rise(t, late)
        else:
            p.fall(t)

    def shift_word(self, t, word, late=False):
        """The 16 bits of the shift chain at t."""
        changed = word ^ self.word
        bit = 0
        while changed:
            if changed & 1:
                self._bit(t, bit, word >> bit & 1, late)
            changed >>= 1
            bit += 1

    def _bit(self, t, bit, level, late):
        mask = 1 << bit
        self.word = self.word | mask if level else self.word & ~mask
        entry = self._bits[bit]
        if entry is None:
            return
        machine, beam = entry
        if beam is None:
            machine.edge(t, level)
        else:
            machine.edge(t, beam, bool(level), late)

    def reading(self, t, ch, mv):
        """An ADC reading of a piezo channel, made at t."""
        p = self.piezo.channels.get(ch)
        if p is not None:
            p.reading(t, mv)

    def field(self, t, present, buf):
        """One scan: bit i of `present` = sensor i answered; buf = x, y, z of each in uT."""
        i = 0
        for p in self.pins:
            if present >> i & 1:
                p.feed(t, buf[3 * i], buf[3 * i + 1], buf[3 * i + 2])
            else:
                p.miss(t)
            i += 1

    def hold(self, t, n, frozen=False):
        """n more scans like the last one, from t on; stops early where more of the same changes nothing."""
        for i in range(n):
            busy = False
            for p in self.pins:
                if frozen or not p.settled():
                    p.again(t + i * SCAN_US, frozen)
                    busy = True
            if not busy:
                return

    def floors(self):
        """Name -> noise floor in mV of the piezo channels, once they know it."""
        found = {}
        for n in self.names:
            p = self.piezo.channels.get(W.CHANNELS[n])
            if p and p.noise is not None:
                found[n] = p.noise
        return found

    def tick(self, t):
        """Time passes: nothing before t is still to come."""
        self.piezo.tick(t)
        for g in self.all_gates:
            g.tick(t)
        for b in self.all_buttons:
            b.tick(t)
        self.health.tick(t)

    def due(self):
        """Device time of the next timeout, or None."""
        best = self.piezo.due()
        for m in self.all_gates:
            d = m.due()
            if d is not None and (best is None or d < best):
                best = d
        for m in self.all_buttons:
            d = m.due()
            if d is not None and (best is None or d < best):
                best = d
        return best

    def arm(self, layout):
        """A new shot with pins standing on the seats in `layout`: clear the latches."""
        for p, letter in zip(self.pins, self.letters()):
            p.arm(letter in layout)
        self.piezo.idle = False

    def disarm(self):
        """The shot is over: hits from now on are knocks on an idle table."""
        self.piezo.idle = True

    def letters(self):
        """Pins of this profile, in channel order."""
        return B.PROFILES[self.profile][1]

    def snapshot(self):
        """Letter -> [state, latch]: the layout as seen now, which never scores."""
        return {letter: [p.state, p.latch] for p, letter in zip(self.pins, self.letters())}
