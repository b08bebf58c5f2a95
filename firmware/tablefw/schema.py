"""Keys of the configuration and what each may hold. Loaded only when something is set. Pure."""

import binascii

from tablefw import board_pins as B
from tablefw import wire

_LETTERS = ("C", "N", "E", "S", "W")


class ConfigError(ValueError):
    """A value that is refused; the text names the key, what is wrong and what is allowed."""


def _text(low, high):
    def check(v):
        return isinstance(v, str) and low <= len(v) <= high

    return check, "text of %d to %d characters" % (low, high)


def _number(low, high):
    def check(v):
        return type(v) is int and low <= v <= high

    return check, "whole number %d..%d" % (low, high)


def _hexkey(v):
    if not isinstance(v, str) or len(v) != 64:
        return False
    try:
        binascii.unhexlify(v)
    except ValueError:
        return False
    return True


def _vector(v):
    return isinstance(v, list) and len(v) == 3 and all(type(x) is int and -32767 <= x <= 32767 for x in v)


def _seat(v):
    return (
        isinstance(v, dict) and set(v) == {"b0", "empty"} and _vector(v["b0"]) and _vector(v["empty"]) and any(v["b0"])
    )


def _curve(v):
    if not isinstance(v, list) or not 2 <= len(v) <= 32:
        return False
    for p in v:
        if not isinstance(p, list) or len(p) != 3 or any(type(x) is not int or abs(x) > 16000 for x in p):
            return False
    return all(v[i][0] < v[i + 1][0] for i in range(len(v) - 1))


_CAL = {
    "date": lambda v: isinstance(v, str) and len(v) <= 20,
    "technician": lambda v: isinstance(v, str) and len(v) <= 40,
    "report": lambda v: isinstance(v, str) and len(v) <= 40,
    "vth": lambda v: type(v) is int and 100 <= v <= 1000,
    "gains": lambda v: isinstance(v, dict) and all(type(g) is int and 50 <= g <= 20000 for g in v.values()),
    "pins": lambda v: isinstance(v, dict) and set(v) == set(_LETTERS) and all(_seat(s) for s in v.values()),
    "curve": _curve,
}


def _calibration(v):
    if not isinstance(v, dict):
        return False
    for k in v:
        if k not in _CAL or not _CAL[k](v[k]):
            raise ConfigError("cal.%s: not valid" % k)
    return True


def _profile(v):
    return v in B.PROFILES


KEYS = {
    "table": (wire.table_ok, "1 to 16 of a-z 0-9 _ -"),
    "profile": (_profile, "one of " + " ".join(sorted(B.PROFILES))),
    "ssid": _text(0, 32),
    "psk": _text(0, 63),
    "host": _text(1, 64),
    "port": _number(1, 65535),
    "user": _text(0, 64),
    "password": _text(0, 64),
    "tls": _number(0, 2),  # 0 none, 1 encrypted, 2 encrypted and the server checked against `ca`
    "ca": _text(0, 2048),  # DER in base64
    "key": (_hexkey, "64 hex digits"),
    "cal": (_calibration, "an object"),
}
REQUIRED = ("table", "profile", "host", "port")


def check(key, value):
    """Raise ConfigError unless `key` exists and takes `value`."""
    if key not in KEYS:
        raise ConfigError("%s: unknown key" % (key,))
    test, allowed = KEYS[key]
    if not test(value):
        raise ConfigError("%s: %s" % (key, allowed))


def check_all(data):
    """Raise ConfigError for the first key that is unknown, missing or wrong."""
    if not isinstance(data, dict):
        raise ConfigError("configuration: not an object")
    for k in data:
        check(k, data[k])
    for k in REQUIRED:
        if k not in data:
            raise ConfigError("%s: missing" % k)
