"""Analysts and custodians at work in a browser, at two widths and in both color schemes."""

import csv
import json
import re
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.end_to_end.served import Served
from tests.web.conftest import LOOKS

PATIENCE = 120_000  # milliseconds; only for what hangs
#: What is filled in for each question, beside what the form has already.
QUESTIONS: dict[str, dict[str, str]] = {
    "count": {},
    "count-by": {},
    "subspaces": {},
    "report": {"#h": "2"},
    "detect": {"#candidates": "bmi,pulse\n25,75\n58,190"},
    "explain": {"#point": "58;190"},
    "radius": {"#share": "0.1"},
    "rows": {},
}


class Visit:
    """One look at the pages: every page is checked for accessibility and width, and photographed."""

    def __init__(self, page: Page, served: Served, look: str, screenshot: Callable[[Page, str], None]) -> None:
        self.page, self.look = page, look
        self._served, self._screenshot = served, screenshot

    def go(self, path: str) -> None:
        self.page.goto(f"{self._served.address}{path}")

    def sign_in(self, who: str) -> None:
        self.go("/sign-in")
        self.page.get_by_label("Token").fill(self._served.tokens[who])
        self.page.get_by_role("button", name="Sign in").click()
        expect(self.page.get_by_role("heading", name="Datasets")).to_be_visible()

    def sign_out(self) -> None:
        self.page.get_by_role("button", name="Sign out").click()
        expect(self.page.get_by_label("Token")).to_be_visible()

    def see(self, name: str) -> None:
        found = Axe().run(self.page).response["violations"]
        assert not found, [(one["id"], [node["html"][:200] for node in one["nodes"]]) for one in found]
        wider = self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wider <= 0, f"{name} is {wider} pixels too wide"
        self._screenshot(self.page, f"{self.look}-{name}")

    def open_question(self, kind: str) -> None:
        self.go(f"/datasets/patients/ask/{kind}")
        for field, text in QUESTIONS[kind].items():
            self.page.locator(field).fill(text)

    def ask(self, epsilon: str) -> None:
        self.page.get_by_label("Epsilon", exact=True).fill(epsilon)
        self.page.get_by_role("button", name="Ask, and spend epsilon").click()

    def expect_answer(self) -> None:
        expect(self.page.locator(".release .answer")).to_be_visible(timeout=PATIENCE)


@pytest.fixture(params=LOOKS, ids=lambda look: f"{look[0]}-{look[1]}")
def visit(
    request: pytest.FixtureRequest, browser: Browser, served: Served, screenshot: Callable[[Any, str], None]
) -> Iterator[Visit]:
    """A visit at this width and scheme. What the browser complains about fails the test, a broken policy above all."""
    width, scheme = request.param
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page, said = context.new_page(), []
    page.on("console", lambda message: said.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    yield Visit(page, served, f"{width}-{scheme}", screenshot)
    context.close()
    assert [words for words in said if "status of 4" not in words] == []


def test_analyst_asks_every_question_and_custodian_sets_the_cap(visit: Visit) -> None:
    page, account = visit.page, visit.look
    visit.go("/sign-in")
    visit.see("sign-in")
    visit.sign_in(account)
    visit.see("datasets")
    page.get_by_role("link", name="patients").click()
    visit.see("dataset")
    for kind in QUESTIONS:
        visit.open_question(kind)
        if kind != "radius":
            page.get_by_role("button", name="Forecast, for free").click()
            expect(page.locator("#forecast .answer")).to_be_visible(timeout=PATIENCE)
        visit.see(f"ask-{kind}")
        visit.ask("0.1")
        visit.expect_answer()
        visit.see(f"answer-{kind}")
    visit.go("/datasets/patients/answers")
    expect(page.locator("tbody tr")).to_have_count(len(QUESTIONS))
    visit.see("answers")
    page.get_by_role("link", name="How many rows?").click()
    visit.expect_answer()
    visit.go("/jobs")
    visit.see("jobs")
    visit.sign_out()

    set_cap(visit, account, "0.85")
    visit.sign_in(account)
    visit.open_question("count")
    visit.ask("0.2")
    expect(page.get_by_role("alert")).to_contain_text("has epsilon 0.05 left; this release needs 0.2")
    visit.see("refused")
    visit.sign_out()

    set_cap(visit, account, "3")
    visit.sign_in(account)
    visit.open_question("count")
    visit.ask("0.2")
    visit.expect_answer()
    visit.sign_out()


def set_cap(visit: Visit, account: str, epsilon: str) -> None:
    """As the custodian, who then looks at the other pages."""
    page = visit.page
    visit.sign_in("boss")
    visit.go("/datasets/patients/accounts")
    page.get_by_label("Account", exact=True).fill(account)
    page.get_by_label("Epsilon", exact=True).fill(epsilon)
    page.get_by_label("Reason").fill("a test")
    page.get_by_role("button", name="Set the cap").click()
    expect(page.get_by_role("status")).to_contain_text(f"The cap of {account} is set.")
    visit.see("accounts")
    visit.go("/datasets/patients/audit")
    visit.see("audit")
    page.get_by_role("link", name="Verify the ledger").click()
    expect(page.get_by_role("status")).to_contain_text("The ledger holds together")
    visit.see("verified")
    visit.go("/tokens")
    visit.see("tokens")
    visit.sign_out()


def test_epsilon_for_an_accuracy_is_found_and_used(visit: Visit) -> None:
    visit.sign_in("carol")
    visit.open_question("count")
    visit.page.get_by_label("Which epsilon for ±").fill("50")
    visit.page.get_by_role("button", name="Find").click()
    expect(visit.page.locator("#forecast .answer")).to_contain_text("is needed", timeout=PATIENCE)
    visit.see("epsilon")
    visit.page.get_by_role("link", name=re.compile("Use epsilon")).click()
    expect(visit.page.get_by_label("Epsilon", exact=True)).not_to_have_value("0.1")


def test_enter_in_a_field_forecasts_and_does_not_spend(visit: Visit) -> None:
    visit.sign_in("carol")
    visit.open_question("count")
    visit.page.get_by_label("Epsilon", exact=True).press("Enter")
    expect(visit.page.locator("#forecast .answer")).to_be_visible(timeout=PATIENCE)
    visit.go("/datasets/patients/answers")
    expect(visit.page.get_by_text("Nothing was answered yet")).to_be_visible()


def test_keyboard_reaches_the_content_first(visit: Visit) -> None:
    visit.sign_in("carol")
    visit.go("/datasets/patients")
    visit.page.keyboard.press("Tab")
    expect(visit.page.get_by_role("link", name="Skip to the content")).to_be_focused()
    visit.page.keyboard.press("Enter")
    visit.page.keyboard.press("Tab")
    assert visit.page.evaluate("document.getElementById('main').contains(document.activeElement)")


def test_answer_is_downloaded(visit: Visit, tmp_path: Path) -> None:
    visit.sign_in("boss")
    visit.go("/datasets/wages/ask/count-by")
    visit.ask("0.1")
    visit.expect_answer()
    files = {}
    for kind in ("JSON", "CSV"):
        with visit.page.expect_download() as download:
            visit.page.get_by_role("link", name=f"Download {kind}").click()
        download.value.save_as(tmp_path / kind)
        files[kind] = (tmp_path / kind).read_text()
    assert json.loads(files["JSON"])["query"] == "count_outliers_by"
    assert [line["ward"] for line in csv.DictReader(StringIO(files["CSV"]))] == ["heart", "surgery"]


def test_question_is_asked_without_scripts(browser: Browser, served: Served) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{served.address}/sign-in")
    page.fill("#token", served.tokens["boss"])
    page.click("button[type=submit]")
    page.goto(f"{served.address}/datasets/wages/ask/count")
    page.click("text=Forecast, for free")
    page.wait_for_selector(".forecast .answer", timeout=PATIENCE)
    page.click("text=Back to the question")
    page.fill("#epsilon", "0.15")
    page.click("text=Ask, and spend epsilon")
    page.wait_for_selector(".release .answer", timeout=PATIENCE)
    context.close()
