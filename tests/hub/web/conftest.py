"""A client without a browser around the web part and a fake hub."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from page_fakes import states
from page_fakes.hub import SECRETS, FakeHub
from starlette.testclient import TestClient

from marker_hub.web.app import create_app
from marker_hub.web.settings import WebSettings


@pytest.fixture
def hub() -> FakeHub:
    """Two tables: 3 with a match, 7 free."""
    made = FakeHub(clock=states.NOW_MS)
    made.views["3"] = states.five_pins()
    made.views["7"] = states.pyramid(
        id="7", name="7", match=None, players=None, phase="idle", turn=None, clock=None, last=None
    )
    return made


@pytest.fixture
def client(hub: FakeHub) -> Iterator[TestClient]:
    """Speaks to 127.0.0.1, as a browser on this machine does."""
    with TestClient(
        create_app(hub, SECRETS, WebSettings(hosts=("hall.example",), self_service=True)), base_url="http://127.0.0.1"
    ) as made:
        yield made


@pytest.fixture
def referee(client: TestClient) -> TestClient:
    """The same client, logged in as referee of table 3."""
    assert client.post("/api/login", json={"table": "3", "pin": "246810"}).status_code == 200
    return client
