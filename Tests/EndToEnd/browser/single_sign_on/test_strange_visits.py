"""Any site may lead a tab to the extension's page. It must not lead further than the site could have done by itself."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from bridged_chromium import BridgedChromium
from cookie_site import CookieSite
from device import DECLINES, PROVIDER, Device


@pytest.fixture(scope="module")
def own_device(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Device]:
    device = Device(tmp_path_factory.mktemp("device"), ["/realms/acme"])
    device.will(DECLINES)
    try:
        device.start_broker()
        yield device
    finally:
        device.stop()


@pytest.fixture(scope="module")
def victim() -> Iterator[CookieSite]:
    """A site that no profile covers."""
    with CookieSite() as site:
        yield site


# With the permissions of an installation, and with permission for all sites.
@pytest.fixture(scope="module", params=[PROVIDER, "*"])
def known(request: pytest.FixtureRequest, own_device: Device) -> Iterator[BridgedChromium]:
    browser = BridgedChromium(
        own_device, name=f"chromium-{'all' if request.param == '*' else 'one'}", allowed_host=request.param)
    try:
        browser.wait_for_rules(1)
        yield browser
    finally:
        browser.stop()


@pytest.fixture
def browser(known: BridgedChromium, victim: CookieSite) -> BridgedChromium:
    """Somebody who is known at the victim's."""
    known.open(f"{victim.origin}/set")
    known.open(f"{victim.origin}/own")
    victim.seen.clear()
    return known


def visit(browser: BridgedChromium, device: Device, address: str) -> None:
    """A page of another site leads the tab there."""
    device.app.show("/evil", "<!doctype html><title>evil</title>")
    browser.open(f"{device.app.origin}/evil")
    browser.driver.execute_script("location.href = arguments[0]", address)


@pytest.mark.parametrize("search", ["", "?navigation=1"])
def test_the_page_goes_nowhere_by_itself(
    browser: BridgedChromium, own_device: Device, victim: CookieSite, search: str
) -> None:
    """And so no cookies go along that the victim keeps from other sites."""
    extension = f"chrome-extension://{browser.extension_id}/page.html{search}"
    visit(browser, own_device, f"{extension}#{victim.origin}/any?x=1")
    host = victim.origin.removeprefix("http://")
    browser.wait(lambda: browser.heading.replace("\u2068", "").replace("\u2069", "") == f"Do you want to go to {host}?",
                 "the question")
    assert victim.seen == []
    press_until(browser, "/any?x=1")
    # A site that the extension may not touch keeps its cookies even then.
    if browser.allowed_host == PROVIDER:
        assert victim.cookies("GET /any?x=1") == ["lax=1"]


PRESSES_AT_ONCE = """
    if (location.protocol === 'chrome-extension:') new MutationObserver(() => {
        for (const button of document.querySelectorAll('button.secondary:not([data-pressed])')) {
            button.dataset.pressed = '1';
            button.click();
        }
    }).observe(document, { childList: true, subtree: true });
"""


def press_until(browser: BridgedChromium, title: str) -> None:
    """A press that comes too early counts for nothing."""

    def is_there() -> bool:
        if browser.driver.title == title:
            return True
        browser.driver.find_element("css selector", "button.secondary").click()
        return False

    browser.wait(is_there, f"the page “{title}”")


def test_a_press_that_was_meant_for_the_page_before_leads_nowhere(
    browser: BridgedChromium, own_device: Device, victim: CookieSite
) -> None:
    """As the second click of two, when the first one leads here."""
    script = browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": PRESSES_AT_ONCE})
    try:
        visit(browser, own_device, f"chrome-extension://{browser.extension_id}/page.html#{victim.origin}/any?x=2")
        browser.wait(lambda: browser.driver.find_element("css selector", "button.secondary[data-pressed]"), "the press")
        assert victim.seen == []
    finally:
        browser.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)
    press_until(browser, "/any?x=2")


def test_the_first_choice_and_the_filled_one_leads_back(
    browser: BridgedChromium, own_device: Device, victim: CookieSite
) -> None:
    address = f"chrome-extension://{browser.extension_id}/page.html#{victim.origin}/any?x=3"
    visit(browser, own_device, address)
    browser.wait(lambda: "Do you want to go to" in browser.heading, "the question")
    first, second = browser.driver.find_elements("css selector", ".choice button")
    assert (first.text, first.get_attribute("class")) == ("Go back", "primary")
    assert second.text.startswith("Go to") and second.get_attribute("class") == "secondary"
    first.click()
    browser.wait_for_title("evil")
    # A tab that was opened for it has nothing to go back to.
    before = browser.open_tab(address)
    browser.wait(lambda: "Do you want to go to" in browser.heading, "the question")
    browser.press("Close this tab")
    browser.wait(lambda: browser.driver.window_handles == [before], "the tab is closed")
    browser.driver.switch_to.window(before)
    assert victim.seen == []


def test_what_only_looks_covered_is_not(browser: BridgedChromium, own_device: Device, victim: CookieSite) -> None:
    """A browser reads a backslash as a slash, a rule as part of a name."""
    host = own_device.provider.origin.removeprefix("http://")
    visit(browser, own_device,
          f"chrome-extension://{browser.extension_id}/page.html#{victim.origin}\\@{host}/realms/acme")
    browser.wait(lambda: "Do you want to go to" in browser.heading, "the question")
    assert victim.seen == []


def test_a_link_there_is_a_link_of_the_other_site(
    browser: BridgedChromium, own_device: Device, victim: CookieSite
) -> None:
    """Without the extension's page in between: what these tests measure is there."""
    visit(browser, own_device, f"{victim.origin}/plain")
    browser.wait_for_title("/plain")
    assert victim.cookies("GET /plain") == ["lax=1"]


def test_a_covered_url_goes_on_by_itself(browser: BridgedChromium, own_device: Device) -> None:
    own_device.provider.show("/realms/acme", "<!doctype html><title>provider</title>")
    visit(browser, own_device, f"{own_device.provider.origin}/realms/acme?x=1")
    browser.wait_for_title("provider")
