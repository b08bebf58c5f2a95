"""What the web part is told at start: secrets, and how the hall wants its pages."""

from __future__ import annotations

from dataclasses import dataclass, field

LANGUAGES = ("ru", "en", "it")


@dataclass(frozen=True, slots=True)
class WebSecrets:
    """`session_key`: at least 16 random bytes that sign sessions; `admin_token`: the administrator's key; `pins`: table id -> referee PIN, `*` for every table."""

    session_key: bytes
    admin_token: str
    pins: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuses a key that could be guessed."""
        if len(self.session_key) < 16:
            raise ValueError(
                "session_key: at least 16 bytes are needed; delete the credentials file to have a new one made"
            )


@dataclass(frozen=True, slots=True)
class WebSettings:
    """How the hall wants its pages.

    hosts: names the pages may be reached by besides addresses and localhost; language: of the club; zone: IANA time zone
    of the hall; self_service: players may start a match at the table with the code shown there; secure: cookies only over
    TLS; proxies: addresses whose forwarded headers count; sound: displays may speak.
    """

    hall: str = ""
    hosts: tuple[str, ...] = ()
    language: str = "ru"
    zone: str = "Europe/Moscow"
    self_service: bool = False
    secure: bool = False
    proxies: tuple[str, ...] = ()
    sound: bool = False
    max_streams: int = 400

    def __post_init__(self) -> None:
        """Refuses a language without a catalogue."""
        if self.language not in LANGUAGES:
            raise ValueError(f"language '{self.language}' has no catalogue; there are {', '.join(LANGUAGES)}")
