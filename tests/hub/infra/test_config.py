"""The configuration file: every error names the key; secrets are private; defaults need no file."""

import fcntl
import json
import re
import socket
from pathlib import Path

import pytest

from marker_hub import config, configfile, credentials, startcheck
from marker_hub.config import ConfigError

GOOD = """
[hub]
id = "hall-1"
hall = "Бильярд-клуб"
[broker]
kind = "mosquitto"
listen = "127.0.0.1"
port = 1883
[web]
port = 8080
language = "it"
zone = "Europe/Rome"
hosts = ["marker.local"]
[journal]
backup_minutes = 30
[[table]]
id = "t1"
name = "Tavolo 1"
game = "five-pins"
options = { points_limit = 60, games = 3 }
quality = { PZ1 = "ok" }
[[table]]
id = "p1"
profile = "pyramid"
game = "free-pyramid"
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "hall.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_whole_file_is_read(tmp_path: Path) -> None:
    found = configfile.load(written(tmp_path, GOOD))
    assert [table.id for table in found.table] == ["t1", "p1"]
    assert found.hub.hall == "Бильярд-клуб"
    assert found.table[0].options == {"points_limit": 60, "games": 3}
    assert found.table[0].quality == {"PZ1": "ok"}


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("[web]\nprot = 80", "web.prot"),
        ("colour = 1", "colour"),
        ("[[table]]\nid = 'a'\ncolor = 'red'", "table[0].color"),
        ("[web]\nport = 99999", "web.port"),
        ("[web]\nport = '80'", "web.port"),
        ("[web]\nlanguage = 'de'", "web.language"),
        ("[web]\nzone = 'Mars/Base'", "web.zone"),
        ("[hub]\nid = 'Upper'", "hub.id"),
        ("[[table]]\nid = 'A B'", "table[0].id"),
        ("[[table]]\nname = 'x'", "table[0]"),
        ("[[table]]\nid = 'a'\n[[table]]\nid = 'a'", "table[1].id"),
        ("[[table]]\nid = 'hub'", "table[0].id"),
        ("[[table]]\nid = 'a'\nprofile = 'pyramid'\ngame = 'five-pins'", "table[0].game"),
        ("[[table]]\nid = 'a'\ngame = 'five-pins'\noptions = { points_limt = 60 }", "table[0].options.points_limt"),
        (
            "[[table]]\nid = 'a'\ngame = 'five-pins'\noptions = { games = 2, points_limit = 60 }",
            "table[0].options.games",
        ),
        ("[[table]]\nid = 'a'\ngame = 'five-pins'\npreset = 'moon'", "table[0].preset"),
        ("[[table]]\nid = 'a'\nquality = { PZ9 = 'ok' }", "table[0].quality.PZ9"),
        ("[[table]]\nid = 'a'\nquiet_ms = 500", "table[0].quiet_ms"),
        ("[broker]\nkind = 'external'", "broker.url"),
        ("[broker]\nurl = 'http://x'", "broker.url"),
        ("[broker]\nkind = 'rabbit'", "broker.kind"),
        ("[broker]\nkind = 'mosquitto'\nurl = 'mqtt://10.0.0.5:1883'", "broker.kind"),
        ("[broker]\nkind = 'memory'\nurl = 'mqtt://10.0.0.5'", "broker.kind"),
        *(
            (f"[broker]\nurl = '{url}'", "broker.url")
            for url in (
                "mqtt://h:0",
                "mqtt://h:99999",
                "mqtt://h:1x",
                "mqtt://:1883",
                "mqtt://",
                "mqtt://u:p@h:1883",
                "mqtt://h:1883/base",
                "mqtt://a b:1883",
                "mqtts://h:8883",
                "mqtt://[::1",
            )
        ),
        ("[[table]]\nid = 'a'\nlull_ms = 9000", "table[0].lull_ms"),
        ("[[table]]\nid = 'a'\nlull_ms = 8000\nquiet_ms = 8000", "table[0].lull_ms"),
        ("[[table]]\nid = 'a'\nusb = 'E66'\n[[table]]\nid = 'b'\nusb = 'E66'", "table[1].usb"),
        (
            "[[table]]\nid = 'a'\nnode = '0011223344556677'\n[[table]]\nid = 'b'\nnode = '0011223344556677'",
            "table[1].node",
        ),
        ('[[table]]\nid = "a\\n"', "table[0].id"),
        ("[[table]]\nid = 'a'\nnode = \"0011223344556677\\n\"", "table[0].node"),
        ("[web]\nzone = 'Europe'", "web.zone"),
        (f"[web]\nzone = 'Europe/{'x' * 240}'", "web.zone"),
        ("\n".join(f"[[table]]\nid = 't{n}'" for n in range(1001)), "table"),
        ("[journal]\nbackup_minutes = 0", "journal.backup_minutes"),
        ("[web\nport = 1", "TOML"),
    ],
)
def test_the_exact_key_is_in_the_error(tmp_path: Path, text: str, key: str) -> None:
    with pytest.raises(ConfigError) as refused:
        configfile.load(written(tmp_path, text))
    assert str(refused.value).startswith(str(tmp_path / "hall.toml"))
    assert key in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[broker]\nkind = 'rabbit'", "broker.kind = 'rabbit'"),
        ("[broker]\nkind = 'rabbit'", "one of 'auto', 'mosquitto', 'embedded', 'external', 'memory'"),
        ("[web]\nlanguage = 'de'", "web.language = 'de'"),
        ("[web]\nlanguage = 'de'", "one of 'en', 'it', 'ru'"),
        ("[web]\nport = '80'", "web.port = '80'"),
        ("[web]\nport = 99999", "a whole number from 0 to 65535"),
        ("[web]\nsecure = 1", "true or false"),
        ("[[table]]\nid = 'a'\nprofile = 'snooker'", "table[0].profile = 'snooker'"),
        ("[[table]]\nid = 'a'\nprofile = 'snooker'", "one of 'carom5', 'pyramid'"),
        ("[[table]]\nid = 'A B'", "1 to 16 characters out of a-z, 0-9, _ and -"),
        ("[web]\nlisten = 'everywhere'", "web.listen = 'everywhere'"),
        ("[broker]\nlisten = '10.0.0'", "broker.listen = '10.0.0'"),
        ("[broker]\nport = 8080", "broker.port = 8080: web.port is the same"),
        ("[web]\nhosts = ['http://marker.local']", "web.hosts[0] = 'http://marker.local'"),
        ("[web]\nproxies = ['10.0.0.1', 'front']", "web.proxies[1] = 'front'"),
    ],
)
def test_the_given_value_and_what_may_stand_there_are_in_the_error(tmp_path: Path, text: str, said: str) -> None:
    """No guessing: the key, the value as given, and the allowed ones."""
    with pytest.raises(ConfigError) as refused:
        configfile.load(written(tmp_path, text))
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("[broker]\nurl = 'mqtt://10.0.0.5:1883'\npassword_file = '/nowhere/word'", "broker.password_file"),
        ("[broker]\nmosquitto = '/nowhere/mosquitto'", "broker.mosquitto"),
        ("[journal]\nbackup_folder = '/dev/null/copies'", "journal.backup_folder"),
        ("[journal]\nsecond_folder = '/dev/null/x'", "journal.second_folder"),
        ("[web]\nlisten = '192.0.2.1'", "web.listen"),
        ("[broker]\nlisten = '192.0.2.1'", "broker.listen"),
    ],
)
def test_what_this_machine_cannot_give_is_found_by_the_check(tmp_path: Path, text: str, key: str) -> None:
    """Files that are not there, folders that cannot be written, addresses of other machines (TEST-NET-1)."""
    found = configfile.load(written(tmp_path, text))
    with pytest.raises(ConfigError, match=re.escape(key)):
        startcheck.surroundings(found, tmp_path / "data")


def test_a_port_of_another_program_is_found_and_that_of_the_running_hub_is_not(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        found = configfile.load(written(tmp_path, f"[web]\nport = {port}"))
        with pytest.raises(ConfigError, match="another program"):
            startcheck.surroundings(found, tmp_path)
        with (tmp_path / "hub.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            startcheck.surroundings(found, tmp_path)


LONG = "x" * 5000


@pytest.mark.parametrize(
    "key",
    [
        *(
            "hub.hall",
            "hub.data",
            "broker.user",
            "broker.password_file",
            "broker.mosquitto",
            "broker.listen",
            "broker.url",
        ),
        *("web.listen", "web.zone", "web.hosts[0]", "web.proxies[0]", "journal.backup_folder", "journal.second_folder"),
        *("table[0].name", "table[0].usb", "table[0].preset"),
    ],
)
@pytest.mark.parametrize("value", [LONG, "a\x00b", "a\nb", "a\x1bb"], ids=["long", "nul", "line", "escape"])
def test_no_text_is_endless_or_holds_what_no_page_and_no_file_system_takes(
    tmp_path: Path, key: str, value: str
) -> None:
    """5,000 characters, NUL, a line end: refused with the key; the message shows the start of the value only."""
    section, _, name = key.partition(".")
    section = "[table]" if section == "table[0]" else section
    written_value = json.dumps([value] if name.endswith("[0]") else value)
    before = "id = 'a'\ngame = 'five-pins'\n" if section == "[table]" else ""
    text = f"[{section}]\n{before}{name.removesuffix('[0]')} = {written_value}"
    with pytest.raises(ConfigError) as refused:
        configfile.load(written(tmp_path, text))
    said = str(refused.value)
    assert key.removesuffix("[0]") in said
    assert said.isprintable()
    assert len(said) < 500 + len(str(tmp_path))


def test_the_longest_names_and_those_of_every_script_are_taken(tmp_path: Path) -> None:
    name = "Ё" * 40 + "à 球" + "z" * 20
    found = configfile.load(written(tmp_path, f"[hub]\nhall = '{name}'\n[[table]]\nid = 'a'\nname = '{name}'"))
    assert found.hub.hall == found.table[0].name == name


@pytest.mark.parametrize("text", ["", "\n# nothing but words\n"])
def test_an_empty_file_is_no_configuration(tmp_path: Path, text: str) -> None:
    """A file that was cut to nothing must not run a hall with defaults."""
    with pytest.raises(ConfigError, match="nothing is configured here"):
        configfile.load(written(tmp_path, text))
    assert configfile.load(written(tmp_path, "[hub]\nid = 'main'")) == config.Config()


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("mqtt://10.0.0.5:1884", ("10.0.0.5", 1884)),
        ("mqtt://broker.hall", ("broker.hall", 1883)),
        ("mqtt://[::1]:65535", ("::1", 65535)),
        ("mqtt://my_broker:1/", ("my_broker", 1)),
    ],
)
def test_the_address_of_an_external_broker(url: str, found: tuple[str, int]) -> None:
    assert config.parse_url(url) == found


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.toml: No such file"):
        configfile.load(tmp_path / "none.toml")


def test_secrets_are_made_once_kept_and_private(tmp_path: Path) -> None:
    first = credentials.load_secrets(tmp_path, ("1", "2"))
    path = credentials.secrets_path(tmp_path)
    assert path.stat().st_mode & 0o777 == 0o600
    again = credentials.load_secrets(tmp_path, ("1", "2"))
    assert again == first
    more = credentials.load_secrets(tmp_path, ("1", "2", "3"))
    assert more.mqtt.tables["1"] == first.mqtt.tables["1"]
    assert len({*more.mqtt.tables.values(), more.mqtt.hub, more.mqtt.view}) == 5
    assert all(len(entry.pin) == 6 and entry.pin.isdigit() for entry in more.web.tables.values())


def test_secrets_that_others_may_read_are_refused(tmp_path: Path) -> None:
    credentials.load_secrets(tmp_path, ("1",))
    credentials.secrets_path(tmp_path).chmod(0o644)
    with pytest.raises(ConfigError, match="chmod 600"):
        credentials.load_secrets(tmp_path, ("1",))


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("session_key", "no hex"),
        ("mqtt.hub", ""),
        ("mqtt.tables.1", "two\nlines"),
        ("mqtt.boxes.1", "nul\x00"),
        ("web.admin", ""),
        ("web.tables.1.pin", "1234"),
        ("web.tables.1.pin", "abcdef"),
        ("web.tables.1.pin", "١٢٣٤٥٦"),
    ],
)
def test_secrets_that_a_hand_made_unusable_are_named_and_not_shown(tmp_path: Path, place: str, value: str) -> None:
    """The hub would start and then fall over them, or take a PIN that is guessed at once."""
    credentials.load_secrets(tmp_path, ("1",))
    path = credentials.secrets_path(tmp_path)
    whole = json.loads(path.read_bytes())
    *way, last = place.split(".")
    inner = whole
    for step in way:
        inner = inner[step]
    inner[last] = value
    credentials.write_private(path, json.dumps(whole).encode())
    with pytest.raises(ConfigError, match=re.escape(f"{path}: {place}: ")) as refused:
        credentials.read_secrets(tmp_path)
    assert not value or value not in str(refused.value)


def test_damaged_secrets_name_file_and_remedy(tmp_path: Path) -> None:
    credentials.write_private(credentials.secrets_path(tmp_path), b"{}")
    with pytest.raises(ConfigError, match="restore it, or delete it"):
        credentials.load_secrets(tmp_path, ("1",))
