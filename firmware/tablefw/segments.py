"""Eight 7-segment digits on an HT16K33: ASCII to segments, and the driver. The table is pure."""

ADDRESS = 0x70
DIGITS = 8
# bit 0 = a (top), b, c, d (bottom), e, f, g (middle), 7 = point
_FONT = {
    " ": 0x00, "-": 0x40, "_": 0x08, "=": 0x48, "'": 0x02, ".": 0x80, "!": 0x82, "?": 0x53,
    "0": 0x3F, "1": 0x06, "2": 0x5B, "3": 0x4F, "4": 0x66, "5": 0x6D, "6": 0x7D, "7": 0x07, "8": 0x7F, "9": 0x6F,
    "A": 0x77, "B": 0x7C, "C": 0x39, "D": 0x5E, "E": 0x79, "F": 0x71, "G": 0x3D, "H": 0x76, "I": 0x06, "J": 0x1E,
    "L": 0x38, "N": 0x54, "O": 0x5C, "P": 0x73, "Q": 0x67, "R": 0x50, "S": 0x6D, "T": 0x78, "U": 0x3E, "Y": 0x6E,
}  # fmt: skip


def encode(text):
    """Segment bytes of up to eight characters; a point joins the digit before it; what has no form is left dark."""
    out = bytearray(DIGITS)
    n = 0
    for c in text:
        if c == "." and n and not out[n - 1] & 0x80:
            out[n - 1] |= 0x80
            continue
        if n == DIGITS:
            break
        out[n] = _FONT.get(c.upper(), 0)
        n += 1
    return out


class Segments:
    """The driver; a display that is not fitted is noticed once and left alone."""

    def __init__(self, i2c):
        self.i2c = i2c
        self.fitted = True
        try:
            i2c.writeto(ADDRESS, b"\x21")  # oscillator on
            i2c.writeto(ADDRESS, b"\xef")  # full brightness
        except OSError:
            self.fitted = False

    def show(self, text, blink):
        """Draw text; blink at 1 Hz."""
        if not self.fitted:
            return
        frame = bytearray(1 + 2 * DIGITS)
        code = encode(text)
        for i in range(DIGITS):
            frame[1 + 2 * i] = code[i]
        try:
            self.i2c.writeto(ADDRESS, frame)
            self.i2c.writeto(ADDRESS, b"\x85" if blink else b"\x81")
        except OSError:
            self.fitted = False
