"""Integer decay, logarithm and square root for the state machines: the same results on the board and under CPython. Pure."""

from array import array

_STEPS = 16  # table entries per time constant
_SPAN = 10  # time constants covered
# 65535 * exp(-k / 16), made once with integers: r = exp(-1/16) as a fraction of 2^30
_R = 1008689480
DECAY = array("H", bytearray(2 * (_STEPS * _SPAN + 1)))


def _fill():
    x = 65535 << 20
    for k in range(len(DECAY)):
        DECAY[k] = (x + (1 << 19)) >> 20
        x = x * _R >> 30


_fill()
del _fill  # its work is done


def decay(value, dt, tau):
    """value * exp(-dt / tau), dt and tau in the same unit."""
    if dt <= 0:
        return value
    pos = dt * (_STEPS * 256) // tau
    k = pos >> 8
    if k >= len(DECAY) - 1:
        return 0
    f = DECAY[k] - ((DECAY[k] - DECAY[k + 1]) * (pos & 255) >> 8)
    return value * f >> 16


def undecay(value, dt, tau):
    """value * exp(dt / tau): what a decaying value was dt ago."""
    if dt <= 0:
        return value
    pos = dt * (_STEPS * 256) // tau
    k = min(pos >> 8, len(DECAY) - 2)
    f = DECAY[k] - ((DECAY[k] - DECAY[k + 1]) * (pos & 255) >> 8)
    return (value << 16) // max(1, f)


def decay_time(high, low, tau):
    """Time in which `high` decays to `low`: tau * ln(high / low); 0 when it is already below."""
    if low <= 0:
        return tau * _SPAN
    if high <= low:
        return 0
    want = (low << 16) // high
    a, b = 0, len(DECAY) - 1
    while b - a > 1:
        m = (a + b) // 2
        if DECAY[m] > want:
            a = m
        else:
            b = m
    step = max(1, DECAY[a] - DECAY[b])
    return (a * 256 + ((DECAY[a] - want) * 256 // step)) * tau // (_STEPS * 256)


def isqrt(n):
    """Whole part of the square root of n >= 0."""
    if n < 2:
        return n
    x = 1
    m = n
    while m > 3:  # first guess at or above the root
        m >>= 2
        x <<= 1
    x <<= 1
    while True:
        y = (x + n // x) >> 1
        if y >= x:
            return x
        x = y


# asinh(20 * x) in permille for x in permille: nodes at 0, then 8 per octave up to 16000
_NODES = array("H", (0,))
_ASINH = array("H", (0,))


def _fill_asinh():
    def ln_permille(num, den):
        """1000 * ln(num / den) for num >= den > 0, by halving and a short series."""
        k = 0
        while num >= 2 * den:
            den <<= 1
            k += 1
        # ln(num/den) = 2 atanh(y), y = (num-den)/(num+den) <= 1/3
        y = ((num - den) << 20) // (num + den)
        y2 = y * y >> 20
        s, p = 0, y
        for n in (1, 3, 5, 7, 9, 11):
            s += p // n
            p = p * y2 >> 20
        return (k * 693147 + (2 * s * 1000000 >> 20) + 500) // 1000

    x = 1
    step = 1
    while x <= 16384:
        z = 20 * x  # permille
        root = isqrt(z * z + 1000000)
        _NODES.append(x)
        _ASINH.append(ln_permille(z + root, 1000))
        if x >= 16 * step:
            step *= 2
        x += step


_fill_asinh()
del _fill_asinh


def asinh20(x):
    """1000 * asinh(20 * x / 1000), odd in x; |x| is cut at 16000."""
    if x < 0:
        return -asinh20(-x)
    if x > 16000:
        x = 16000
    a, b = 0, len(_NODES) - 1
    while b - a > 1:
        m = (a + b) // 2
        if _NODES[m] <= x:
            a = m
        else:
            b = m
    return _ASINH[a] + (_ASINH[b] - _ASINH[a]) * (x - _NODES[a]) // (_NODES[b] - _NODES[a])
