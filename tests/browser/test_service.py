"""The technician's page: twenty hits, a report to keep, and a threshold that the node is given."""

from __future__ import annotations

from typing import Any

import pytest
from page_fakes import states
from page_fakes.hub import Complaints, FakeHub, OpenPage
from playwright.sync_api import Page, expect

from marker_hub.service.threshold import law
from marker_hub.web.port import CommandResult

pytestmark = pytest.mark.browser


def hits(volts: list[float], first: int = 1000) -> list[dict[str, Any]]:
    """Hits on PZ6, a second and more apart, the last one now."""
    ago = [1100 * place for place in range(len(volts))][::-1]
    return [
        {
            "id": first + place,
            "ms": -ago[place],
            "channel": "PZ6",
            "kind": "hit",
            "v": v,
            "pulse_ms": 9,
            "unsure": False,
        }
        for place, v in enumerate(volts)
    ]


@pytest.fixture
def service(open_page: OpenPage, hub: FakeHub) -> Page:
    """The page of a pyramid table with PZ6 chosen and its check begun; a quiet table but for one noisy rail."""
    view = states.service_pyramid() | {"threshold": law()}
    for channel in view["channels"]:
        if channel["noise_v"] is not None:
            channel["noise_v"] = 0.05 if channel["channel"] == "PZ3" else 0.02
    hub.services["5"] = view
    page: Page = open_page("/service/5", size=(1440, 960), role="admin", wait=".channels")
    page.locator(".channels button", has_text="PZ6").click()
    page.get_by_role("button", name="Начать проверку PZ6").click()
    return page


def test_twenty_of_twenty_make_a_report_and_nobody_passes_at_nineteen(service: Page, hub: FakeHub) -> None:
    """Each hit is a tick; the verdict needs all twenty; the report names table, channel and every trial."""
    hub.services["5"]["events"] += hits([0.3 + 0.02 * n for n in range(19)])
    expect(service.locator(".cell.hit")).to_have_count(19)
    service.get_by_role("button", name="Удар не слышен").click()
    service.get_by_role("button", name="Оценить", exact=True).click()
    expect(service.locator(".verdict.bad")).to_contain_text("19")
    service.get_by_role("button", name="Повторить").click()
    expect(service.locator(".cell.hit")).to_have_count(0)
    hub.services["5"]["events"] = hits([0.3 + 0.02 * n for n in range(20)], first=2000)
    expect(service.locator(".cell.hit")).to_have_count(20)
    service.get_by_role("button", name="Оценить", exact=True).click()
    expect(service.locator(".verdict:not(.bad)")).to_be_visible()
    with service.expect_download() as kept:
        service.get_by_role("button", name="Сохранить отчёт").click()
    text = kept.value.path().read_text()
    assert kept.value.suggested_filename == "sensor-5-PZ6.txt"
    assert "PZ6" in text
    assert '"verdict":"approved"' in text
    assert sum(line.split("\t")[0].isdigit() for line in text.splitlines()) == 20


def test_a_threshold_is_suggested_moved_by_key_and_given_to_the_node(
    service: Page, hub: FakeHub, complaints: Complaints
) -> None:
    """Suggested between noise and the weakest of twenty hits, also where another rail is noisier than that; a refusal is said in words."""
    complaints.allow("422")
    slider = service.get_by_role("slider", name="Порог")
    expect(slider).to_have_attribute("aria-valuenow", "150")
    expect(service.locator(".threshold")).to_contain_text("после 20 ударов")
    expect(service.locator(".threshold .sick")).to_contain_text("PZ3")
    hub.services["5"]["events"] += hits([1.62] + [1.7] * 19)
    expect(service.locator(".threshold")).to_contain_text("Предлагается 0,180 В")  # the middle of 0.02 and 1.62
    service.get_by_role("button", name="Взять предложенный").click()
    expect(slider).to_have_attribute("aria-valuenow", "180")
    slider.press("PageUp")
    slider.press("PageUp")
    slider.press("ArrowUp")
    expect(slider).to_have_attribute("aria-valuenow", "235")
    expect(service.locator(".threshold .sick")).to_have_count(0)
    hub.threshold_answer = CommandResult(422, {"code": "match", "text": {"ru": "Идёт матч"}})
    service.get_by_role("button", name="Установить 0,235 В").click()
    expect(service.locator(".threshold [role=alert]")).to_have_text("Идёт матч")
    hub.threshold_answer = None
    service.get_by_role("button", name="Установить 0,235 В").click()
    expect(service.locator(".threshold .bold").first).not_to_contain_text("вместо")
    assert hub.thresholds == [("5", 235), ("5", 235)]
    slider.press("End")
    expect(slider).to_have_attribute("aria-valuenow", str(law()["max_mv"]))


def test_the_threshold_is_dragged_and_the_node_tests_itself(service: Page) -> None:
    """The line follows the pointer and stays within what the node takes; a self-test names what is sick."""
    service.get_by_role("button", name="Самопроверка").click()
    expect(service.get_by_role("status").first).to_contain_text("PZ3 шумит; протереть лучи P2A; 5,02 В")
    slider = service.get_by_role("slider", name="Порог")
    box = slider.bounding_box()
    plot = service.locator(".hits").bounding_box()
    assert box is not None
    assert plot is not None
    service.mouse.move(box["x"] + 100, box["y"] + box["height"] / 2)
    service.mouse.down()
    service.mouse.move(box["x"] + 100, plot["y"] + plot["height"] * (220 - 200 * 0.3 / 1.1) / 250)
    service.mouse.up()
    expect(slider).to_have_attribute("aria-valuenow", "300")
