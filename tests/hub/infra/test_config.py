"""The configuration file: every error names the key; secrets are private; defaults need no file."""

import fcntl
import re
import socket
from pathlib import Path

import pytest

from marker_hub import config, configcheck
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
    found = config.load(written(tmp_path, GOOD))
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
        ("[journal]\nbackup_minutes = 0", "journal.backup_minutes"),
        ("[web\nport = 1", "TOML"),
    ],
)
def test_the_exact_key_is_in_the_error(tmp_path: Path, text: str, key: str) -> None:
    with pytest.raises(ConfigError) as refused:
        config.load(written(tmp_path, text))
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
        ("[[table]]\nid = 'A B'", "text of the form ^[a-z0-9_-]{1,16}$"),
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
        config.load(written(tmp_path, text))
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
    found = config.load(written(tmp_path, text))
    with pytest.raises(ConfigError, match=re.escape(key)):
        configcheck.surroundings(found, tmp_path / "data")


def test_a_port_of_another_program_is_found_and_that_of_the_running_hub_is_not(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        found = config.load(written(tmp_path, f"[web]\nport = {port}"))
        with pytest.raises(ConfigError, match="another program"):
            configcheck.surroundings(found, tmp_path)
        with (tmp_path / "hub.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            configcheck.surroundings(found, tmp_path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.toml: No such file"):
        config.load(tmp_path / "none.toml")


def test_secrets_are_made_once_kept_and_private(tmp_path: Path) -> None:
    first = config.load_secrets(tmp_path, ("1", "2"))
    path = config.secrets_path(tmp_path)
    assert path.stat().st_mode & 0o777 == 0o600
    again = config.load_secrets(tmp_path, ("1", "2"))
    assert again == first
    more = config.load_secrets(tmp_path, ("1", "2", "3"))
    assert more.mqtt.tables["1"] == first.mqtt.tables["1"]
    assert len({*more.mqtt.tables.values(), more.mqtt.hub, more.mqtt.view}) == 5
    assert all(len(entry.pin) == 6 and entry.pin.isdigit() for entry in more.web.tables.values())


def test_secrets_that_others_may_read_are_refused(tmp_path: Path) -> None:
    config.load_secrets(tmp_path, ("1",))
    config.secrets_path(tmp_path).chmod(0o644)
    with pytest.raises(ConfigError, match="chmod 600"):
        config.load_secrets(tmp_path, ("1",))


def test_damaged_secrets_name_file_and_remedy(tmp_path: Path) -> None:
    config.write_private(config.secrets_path(tmp_path), b"{}")
    with pytest.raises(ConfigError, match="restore it, or delete it"):
        config.load_secrets(tmp_path, ("1",))
