"""Passkeys in Chromium, whose virtual authenticator stands for the person's phone."""

from collections.abc import Iterator

import pytest
from chromium import Chromium, start_chromium
from processes import free_port
from school import PASSWORD, Member, OpenSchool, open_school_in
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

WAYS = "/account/sign-in-ways"

# From then on, what the page's script asks the server for waits until the test says goOn().
HOLD_REQUESTS = """
    const [ask, mayGoOn] = [window.fetch, new Promise((goOn) => window.goOn = goOn)]
    window.fetch = async (...request) => (await mayGoOn, ask(...request))
"""


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenSchool]:
    """Browsers have passkeys for localhost, and not for 127.0.0.1."""
    port = free_port()
    with open_school_in(
            tmp_path_factory.mktemp("passkeys"), port=port, baseURL=f"http://localhost:{port}") as school:
        yield school


@pytest.fixture(scope="module")
def driver() -> Iterator[Chrome]:
    """The whole browser, because it is what offers passkeys beside user names."""
    driver = start_chromium()
    yield driver
    driver.quit()


@pytest.fixture
def browser(driver: Chrome, school: OpenSchool) -> Iterator[Chromium]:
    """A browser in which nobody is signed in, and that goes nowhere but to the school."""
    browser = Chromium(driver)
    yield browser
    strangers = [url for url in browser.requests if not url.startswith((school.base_url, "data:", "about:"))]
    assert strangers == []
    assert browser.complaints == []


class Phone:
    """What a phone does whose owner looks at it: it keeps passkeys, and makes sure of the person."""

    def __init__(self, driver: Chrome):
        self.driver = driver
        driver.execute_cdp_cmd("WebAuthn.enable", {})
        self.id = driver.execute_cdp_cmd("WebAuthn.addVirtualAuthenticator", {"options": {
            "protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
            "isUserVerified": True, "automaticPresenceSimulation": True,
        }})["authenticatorId"]

    def is_at_hand(self, at_hand: bool) -> None:
        """Whether its owner touches it as soon as it asks, or not at all."""
        self._do("setAutomaticPresenceSimulation", enabled=at_hand)

    @property
    def credentials(self) -> list[dict]:
        return self._do("getCredentials")["credentials"]

    def put_away(self) -> None:
        self._do("removeVirtualAuthenticator")
        self.driver.execute_cdp_cmd("WebAuthn.disable", {})

    def _do(self, command: str, **parameters: bool) -> dict:
        return self.driver.execute_cdp_cmd(f"WebAuthn.{command}", {"authenticatorId": self.id} | parameters)


@pytest.fixture
def phone(browser: Chromium) -> Iterator[Phone]:
    phone = Phone(browser.driver)
    yield phone
    phone.put_away()


def type_password(browser: Chromium, school: OpenSchool, member: Member) -> None:
    browser.open(f"{school.base_url}/account")
    browser.fill("username", member.account.username)
    browser.fill("password", PASSWORD)
    browser.press("Sign in")


def add_passkey(browser: Chromium, school: OpenSchool, name: str) -> None:
    browser.open(f"{school.base_url}{WAYS}")
    browser.fill("passkey_name", name)
    browser.press("Add a passkey")


def sign_out(browser: Chromium) -> None:
    browser.driver.delete_all_cookies()


def test_a_passkey_is_added_signs_in_alone_and_after_a_password_and_is_removed(
    browser: Chromium, phone: Phone, school: OpenSchool
) -> None:
    member = school.newcomer("managed")
    type_password(browser, school, member)
    assert browser.heading == "Your account"
    browser.press("Ways to sign in")
    add_passkey(browser, school, "Blue phone")
    assert browser.heading == "Your recovery codes"
    assert len(browser.texts(".recovery-codes code")) == 10
    assert browser.button("Print").is_displayed()
    browser.press("Continue")
    assert "Blue phone" in browser.text
    [credential] = phone.credentials
    assert credential["isResidentCredential"] and credential["rpId"] == "localhost"

    # The same phone does not register twice.
    browser.fill("passkey_name", "Once more")
    browser.button("Add a passkey").click()
    browser.wait(lambda _: "That did not work" in browser.text, "a word that it did not work")
    assert len(phone.credentials) == 1

    # Alone, by the button.
    sign_out(browser)
    phone.is_at_hand(False)
    browser.open(f"{school.base_url}/account")
    button = browser.button("Sign in with a passkey")

    def look_at_the_phone() -> None:
        button.click()
        phone.is_at_hand(True)
        browser.driver.execute_script("goOn()")

    # The press has to end the offer beside the user names first, so the phone is not at hand before the press. But one that
    # is asked while it is not at hand never answers. So the page waits, where it gets its challenge, until the phone is at hand.
    browser.driver.execute_script(HOLD_REQUESTS)
    browser.leave(look_at_the_phone)
    assert browser.heading == "Your account"

    # Alone, as the browser offers it beside user names.
    sign_out(browser)
    browser.open(f"{school.base_url}/account")
    browser.wait(lambda _: browser.texts("h1") == ["Your account"], "the account, without a press")

    # After a password. Before, the phone is not at hand, so that it does not sign in alone.
    sign_out(browser)
    phone.is_at_hand(False)
    type_password(browser, school, member)
    assert browser.heading == "Show that it is you"
    phone.is_at_hand(True)
    browser.press("Use a passkey")
    assert browser.heading == "Your account"

    browser.open(f"{school.base_url}{WAYS}")
    browser.press("Remove")
    assert "The passkey is removed" in browser.text and "Blue phone" not in browser.text
    sign_out(browser)
    phone.is_at_hand(False)
    type_password(browser, school, member)
    assert browser.heading == "Your account"


def test_somebody_without_the_passkey_reads_what_else_they_can_do(
    browser: Chromium, phone: Phone, school: OpenSchool
) -> None:
    browser.open(f"{school.base_url}/account")
    browser.button("Sign in with a passkey").click()
    browser.wait(lambda _: "That did not work" in browser.text, "a word that it did not work")
    assert browser.driver.find_element(By.NAME, "username").is_displayed()


def test_recovery_codes_are_all_that_is_printed(browser: Chromium, phone: Phone, school: OpenSchool) -> None:
    member = school.newcomer("managed")
    type_password(browser, school, member)
    add_passkey(browser, school, "Blue phone")
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        shown = browser.driver.execute_script(
            "return [...document.querySelectorAll('footer, .stack, .recovery-codes')]"
            ".map(e => [e.className || e.tagName, getComputedStyle(e).display !== 'none'])")
    finally:
        browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert dict(map(tuple, shown)) == {"FOOTER": False, "stack": False, "recovery-codes": True}
