"""The HTML report in a browser: it filters, opens, asks the network for nothing, can be read by all, and is fast.

The browser is Debian's chromium, which `.ci/run` installs.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect, sync_playwright

from pytest_graph_eval.reports.html import render
from tests.unit.report_samples import conversation, full, hostile, many, run_of

SECONDS = 2.0
"""Within which two thousand scenarios are there, in seconds of processor time: the machine may be busy otherwise."""


class Seen:
    """A page that was opened, and what it did beside what it shows."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.messages: list[str] = []
        self.requests: list[str] = []
        page.set_default_timeout(5000)
        page.on("console", lambda message: self.messages.append(message.text))
        page.on("pageerror", lambda error: self.messages.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = shutil.which("chromium")
    if path is None and not os.environ.get("CI"):
        pytest.skip("chromium is not installed; .ci/run installs it, and there these tests fail without it")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])  # CI runs as root
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def shown(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Seen:
    """Return a report of four scenarios, opened once for the tests that only look."""
    records = [full(), conversation(), *many(12).records[1:3]]
    path = tmp_path_factory.mktemp("page") / "r.html"
    path.write_text("".join(render(run_of(records))), encoding="utf-8")
    seen = Seen(browser.new_page(viewport={"width": 1280, "height": 900}))
    seen.page.goto(path.as_uri())
    return seen


def rows(page: Page) -> list[str]:
    return page.locator(".row:not([hidden]) .open").all_inner_texts()


def test_scenarios_are_filtered_by_status_category_and_text(shown: Seen) -> None:
    page = shown.page
    assert rows(page) == ["full", "talk", "TC0001", "TC0002"]
    page.get_by_role("button", name="passed 2").click()
    assert rows(page) == ["TC0001", "TC0002"]
    page.get_by_role("combobox", name="Category").select_option("category 2")
    assert rows(page) == ["TC0002"]
    page.get_by_role("searchbox", name="Text").fill("nowhere")
    expect(page.get_by_role("status")).to_have_text("0 of 4 shown")
    page.get_by_role("button", name="Show all").click()
    page.get_by_role("searchbox", name="Text").fill("contradicted REVENUES")
    assert rows(page) == ["full", "TC0001", "TC0002"], "a cause is found though it is not in the line"
    page.get_by_role("button", name="Open all shown").click()
    assert page.locator(".detail").count() == 3
    page.get_by_role("button", name="Close all shown").click()
    assert page.locator(".detail").count() == 0
    page.get_by_role("searchbox", name="Text").fill("")
    page.get_by_role("button", name="Score").click()
    assert rows(page)[0] == "full"
    page.get_by_role("button", name="Score").click()
    assert rows(page)[0] != "full"


def test_a_scenario_opens_by_keyboard_and_closes(shown: Seen) -> None:
    page = shown.page
    button = page.get_by_role("button", name="full", exact=True)
    button.focus()
    page.keyboard.press("Enter")
    detail = page.locator(".detail")
    expect(button).to_have_attribute("aria-expanded", "true")
    expect(detail.locator("mark.bad")).to_have_text("$605.9 billion")
    expect(detail.locator("code.command")).to_have_text("pytest --graph-eval suites/walmart.graph.yaml::full")
    page.keyboard.press("Enter")
    expect(detail).to_have_count(0)


def test_an_issue_leads_to_its_scenario_whatever_is_filtered(shown: Seen) -> None:
    page = shown.page
    page.get_by_role("searchbox", name="Text").fill("nowhere")
    page.locator("details").first.locator("summary").click()
    page.locator("details").first.get_by_role("link", name="full").click()
    expect(page.get_by_role("button", name="full", exact=True)).to_be_focused()
    expect(page.locator(".detail")).to_have_count(1)
    page.keyboard.press("Enter")
    assert len(rows(page)) == 4


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (400, "dark")])
def test_everybody_can_read_it(shown: Seen, width: int, scheme: str) -> None:
    page = shown.page
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]  # one of its words
    for name in ("full", "talk"):
        page.get_by_role("button", name=name, exact=True).click()
    found = Axe().run(page)
    for name in ("full", "talk"):
        page.get_by_role("button", name=name, exact=True).click()
    assert found.violations_count == 0, found.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth") == width, "nothing sticks out"


def test_on_a_narrow_screen_nothing_of_a_table_is_out_of_sight(shown: Seen) -> None:
    page = shown.page
    page.set_viewport_size({"width": 400, "height": 900})
    page.get_by_role("button", name="full", exact=True).click()
    tables = page.locator(".detail .scroll")
    assert tables.count() > 3
    assert tables.evaluate_all("all => all.every((one) => one.scrollWidth <= one.clientWidth)")
    assert "Why" in tables.locator("td[data-label]").evaluate_all("all => all.map((one) => one.dataset.label)")
    page.get_by_role("button", name="full", exact=True).click()
    page.set_viewport_size({"width": 1280, "height": 900})


def test_the_button_changes_light_and_dark(shown: Seen) -> None:
    page = shown.page
    page.emulate_media(color_scheme="light")
    colour = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(colour)
    page.get_by_role("button", name="Dark").click()
    assert page.evaluate(colour) != light
    page.get_by_role("button", name="Dark").click()
    assert page.evaluate(colour) == light


def test_it_says_nothing_to_the_console_and_asks_the_network_for_nothing(shown: Seen) -> None:
    assert shown.messages == []
    assert [url.rpartition("/")[2] for url in shown.requests] == ["r.html"]


def test_hostile_answers_are_text(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "h.html").write_text("".join(render(hostile())), encoding="utf-8")
    seen = Seen(browser.new_page())
    seen.page.goto((tmp_path / "h.html").as_uri())
    title = seen.page.title()
    for button in seen.page.locator(".open").all():
        button.click()
    assert seen.page.title() == title
    assert "broken" in title, "as the text that it is"
    assert seen.page.locator("img").count() == 0
    assert seen.page.locator(".detail").count() == 9
    assert seen.page.locator(".detail").first.inner_text().count("<script>document.title") > 5
    assert (seen.messages, len(seen.requests)) == ([], 1)


def test_two_thousand_scenarios_are_there_within_two_seconds(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "m.html").write_text("".join(render(many(2000))), encoding="utf-8")
    page = browser.new_page()
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.goto((tmp_path / "m.html").as_uri())
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
    assert len(rows(page)) == 2000
    assert metrics["TaskDuration"] < SECONDS, metrics
