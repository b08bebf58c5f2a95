"""Configuration and updates: what is refused, and that no power cut leaves the node without a valid copy."""

import contextlib
import hashlib
import hmac as std_hmac
import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablefw import config, ota, pins, schema, slots
from tablefw.files import Files, FlashLocked

GOOD: dict[str, Any] = {"table": "t1", "profile": "carom5", "host": "10.0.0.2", "port": 1883}
KEY = bytes(range(32))


class PowerCut(Exception):
    pass


class Store:
    """Whole-file store that loses power after a number of writes; a put may be torn."""

    def __init__(self, files: dict[str, bytes] | None = None, cut: int = 10**9) -> None:
        self.files = dict(files or {})
        self.left = cut

    def _write(self, name: str, data: bytes) -> None:
        self.left -= 1
        if self.left < 0:
            self.files[name] = data[: len(data) // 2]
            raise PowerCut
        self.files[name] = data

    def get(self, name: str) -> bytes | None:
        return self.files.get(name)

    def put(self, name: str, data: bytes) -> None:
        self._write(name, b"")
        self._write(name, data)

    def append(self, name: str, data: bytes) -> None:
        self._write(name, self.files.get(name, b"") + data)

    def rename(self, old: str, new: str) -> None:
        self.left -= 1
        if self.left < 0:
            raise PowerCut
        self.files[new] = self.files.pop(old)

    def size(self, name: str) -> int:
        return len(self.files.get(name, b""))

    def digest(self, name: str) -> str:
        return hashlib.sha256(self.files.get(name, b"")).hexdigest()

    def mkdir(self, name: str) -> None:
        pass


@pytest.mark.parametrize(
    ("key", "value", "word"),
    [
        ("colour", 1, "unknown key"),
        ("table", "T 1", "table"),
        ("port", 0, "1..65535"),
        ("port", "1883", "1..65535"),
        ("port", True, "1..65535"),
        ("profile", "snooker", "carom5 pyramid"),
        ("host", "", "1 to 64"),
        ("key", "zz", "64 hex"),
        ("key", "g" * 64, "64 hex"),
        ("cal", {"moon": 1}, "cal.moon"),
        ("cal", {"vth": 5}, "cal.vth"),
        ("cal", {"pins": {"C": {}}}, "cal.pins"),
        ("cal", {"curve": [[0, 1000, 0]]}, "cal.curve"),
        ("cal", {"curve": [[0, 1000, 0], [0, 900, 0]]}, "cal.curve"),
        ("cal", [], "object"),
    ],
)
def test_a_wrong_value_is_refused_with_the_name_of_its_key(key: str, value: object, word: str) -> None:
    with pytest.raises(schema.ConfigError, match=word) as refused:
        schema.check(key, value)
    assert str(refused.value).startswith(key)


def test_the_default_calibration_and_curve_pass_their_own_check() -> None:
    schema.check("cal", {"pins": pins.default_calibration(), "curve": pins.curve(), "vth": 150, "gains": {"PZ1": 900}})


@pytest.mark.parametrize("missing", ["table", "profile", "host", "port"])
def test_a_configuration_without_a_required_key_is_not_committed(missing: str) -> None:
    c = config.Config(Store())
    for key, value in GOOD.items():
        if key != missing:
            c.set(key, value)
    with pytest.raises(schema.ConfigError, match=f"{missing}: missing"):
        c.commit()
    assert not c.provisioned


def test_commit_keeps_the_one_before_and_the_newest_counts() -> None:
    store = Store()
    c = config.Config(store)
    for host in ("a", "b", "c"):
        for key, value in {**GOOD, "host": host}.items():
            c.set(key, value)
        c.commit()
    assert config.Config(store).get("host") == "c"
    store.files["config.json"] = store.files["config.json"][:-3]
    assert config.Config(store).get("host") == "b"


@pytest.mark.parametrize("cut", range(14))
def test_a_power_cut_after_any_write_leaves_the_old_or_the_new_configuration(cut: int) -> None:
    """Mutation: write config.json in place."""
    first = Store()
    c = config.Config(first)
    c.save(GOOD)
    c.save({**GOOD, "host": "old"})
    store = Store(first.files, cut)
    c = config.Config(store)
    try:
        c.save({**GOOD, "host": "new"})
        whole = True
    except PowerCut:
        whole = False
    after = config.Config(Store(store.files))
    assert after.get("host") == ("new" if whole else after.get("host"))
    assert after.get("host") in ("old", "new")
    after.save({**GOOD, "host": "later"})
    assert config.Config(after.store).get("host") == "later"


@pytest.mark.parametrize("cut", range(6))
def test_the_boot_counter_never_repeats_a_number(cut: int) -> None:
    store = Store()
    for _ in range(4):
        config.next_boot(store)
    torn = Store(store.files, cut)
    given_out = 4
    with contextlib.suppress(PowerCut):
        given_out = config.next_boot(torn)
    assert config.next_boot(Store(torn.files)) > given_out


def test_secrets_are_shown_as_a_hash_prefix_only() -> None:
    c = config.Config(Store())
    for key, value in {**GOOD, "password": "hunter2", "psk": "0123456789", "key": "ab" * 32, "ca": "QUJD"}.items():
        c.set(key, value)
    text = json.dumps(c.shown())
    assert "hunter2" not in text
    assert "0123456789" not in text
    assert "abab" not in text
    assert "sha256:" in text
    assert "QUJD" not in text


def test_parts_of_the_calibration_and_of_long_texts_come_in_several_lines() -> None:
    c = config.Config(Store())
    c.set("cal.vth", 200)
    c.set("cal.gains", {"PZ1": 800})
    c.set("ca", "AAAA")
    c.set("ca", "BBBB", True)
    assert c.draft == {"cal": {"vth": 200, "gains": {"PZ1": 800}}, "ca": "AAAABBBB"}
    with pytest.raises(schema.ConfigError):
        c.set("cal.vth", 1)
    assert c.draft["cal"]["vth"] == 200


@given(st.binary(max_size=300))
def test_any_bytes_as_a_configuration_file_are_read_or_refused(raw: bytes) -> None:
    assert config.decode(raw) is None
    body = raw
    import binascii

    framed = b"marker-config 1 3 %08x\n" % binascii.crc32(body) + body
    assert config.decode(framed) is None or isinstance(config.decode(framed)[1], dict)


def test_flash_is_locked_outside_service(tmp_path: Path) -> None:
    """Mutation: forget the check in `append`."""
    files = Files(str(tmp_path))
    files.put("config.new", b"x")
    files.unlocked = False
    for write in (
        lambda: files.put("config.new", b"y"),
        lambda: files.append("config.new", b"y"),
        lambda: files.rename("config.new", "config.json"),
        lambda: files.remove("config.new"),
        lambda: files.mkdir("b"),
    ):
        with pytest.raises(FlashLocked):
            write()
    files.put("slot", b"boot files may be written while idle")
    files.idle = False
    with pytest.raises(FlashLocked):
        files.put("slot", b"but not while a shot runs")
    assert files.get("config.new") == b"x"


@given(st.binary(max_size=100), st.binary(max_size=200))
def test_hmac_is_hmac(key: bytes, data: bytes) -> None:
    assert ota.hmac_sha256(key, data) == std_hmac.new(key, data, "sha256").digest()


FILES = {"tablefw/app.py": b"print('new')\n" * 90, "tablefw/hal/rp2.py": b"x = 1\n"}


def manifest(version: str = "0.2.0", board: str = "pico_w") -> bytes:
    listed = {p: [len(d), hashlib.sha256(d).hexdigest()] for p, d in FILES.items()}
    return json.dumps({"version": version, "board": board, "files": listed}).encode()


def update(store: Store, body: bytes, key: bytes = KEY, *, force: bool = False, signed: bytes = KEY) -> ota.Update:
    u = ota.Update(store, key, "pico_w", "0.1.0")
    u.begin(std_hmac.new(signed, body, "sha256").hexdigest(), force)
    for at in range(0, len(body), 512):
        u.put("manifest.json", at, body[at : at + 512])
    u.check()
    return u


def send(u: ota.Update, files: dict[str, bytes] = FILES) -> None:
    for path, data in files.items():
        for at in range(0, len(data), 512):
            u.put(path, at, data[at : at + 512])


def test_an_update_goes_into_the_other_slot_and_becomes_pending() -> None:
    store = Store()
    u = update(store, manifest())
    send(u)
    send(u)  # repeated chunks change nothing
    u.finish()
    assert slots.read_slot(store) == ("a", "b", 0)
    assert store.files["b/tablefw/app.py"] == FILES["tablefw/app.py"]
    assert slots.confirm(store)
    assert slots.read_slot(store) == ("b", "", 0)
    assert not slots.confirm(store)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"signed": b"\x01" * 32}, "signature"),
        ({"key": b""}, "no device key"),
        ({"body": manifest(version="0.0.9")}, "older"),
        ({"body": manifest(board="esp32_s3")}, "is for esp32_s3"),
        ({"body": b"{}"}, "malformed"),
        (
            {"body": json.dumps({"version": "9", "board": "any", "files": {"../boot.py": [1, "0" * 64]}}).encode()},
            "boot.py",
        ),
    ],
)
def test_an_update_is_refused(change: dict[str, Any], word: str) -> None:
    with pytest.raises(ota.OtaError, match=word):
        update(Store(), change.pop("body", manifest()), **change)


def test_an_older_version_goes_when_forced() -> None:
    update(Store(), manifest(version="0.0.9"), force=True)


@pytest.mark.parametrize("path", ["boot.py", "/tablefw/x.py", "tablefw/../x.py", "tablefw/x.sh", "", "config.json", 5])
def test_paths_outside_the_package_are_refused(path: object) -> None:
    assert not ota.path_ok(path)


def test_a_damaged_or_missing_file_is_never_made_pending() -> None:
    """Mutation: verify sizes only."""
    for change, word in ((lambda f: f.pop("b/tablefw/app.py"), "incomplete"), (lambda f: f.update({"b/tablefw/app.py": b"?" * len(FILES["tablefw/app.py"])}), "damaged")):  # fmt: skip
        store = Store()
        u = update(store, manifest())
        send(u)
        change(store.files)
        with pytest.raises(ota.OtaError, match=word):
            u.finish()
        assert slots.read_slot(store) == ("a", "", 0)


def test_chunks_out_of_order_or_too_long_are_refused() -> None:
    store = Store()
    u = update(store, manifest())
    with pytest.raises(ota.OtaError, match="offset"):
        u.put("tablefw/app.py", 512, b"x" * 10)
    with pytest.raises(ota.OtaError, match="beyond"):
        u.put("tablefw/app.py", 0, b"x" * 2000)
    with pytest.raises(ota.OtaError, match="not in the manifest"):
        u.put("tablefw/other.py", 0, b"x")
    fresh = ota.Update(store, KEY, "pico_w", "0.1.0")
    with pytest.raises(ota.OtaError, match="begin first"):
        fresh.put("manifest.json", 0, b"x")


@pytest.mark.parametrize("seed", range(20))
def test_a_power_cut_anywhere_in_an_update_leaves_a_slot_record_that_names_a_whole_slot(seed: int) -> None:
    cut = random.Random(seed).randrange(0, 30)
    store = Store({"slot": b""}, cut)
    slots.write_slot(Store(store.files), "a", "", 0)
    try:
        u = update(store, manifest())
        send(u)
        u.finish()
    except PowerCut:
        pass
    running, pending, _ = slots.read_slot(Store(store.files))
    assert running == "a"
    if pending:
        for path, data in FILES.items():
            assert store.files["b/" + path] == data
