"""What a person does on the way from Quizzler to the consent page and back."""

import json

from chromium import Chromium
from processes import ROOT
from scene import Account, Scene

CATALOGUES = ROOT / "Sources" / "Server" / "ServerPages" / "Resources"


class Visit:
    def __init__(self, browser: Chromium, scene: Scene):
        self.browser = browser
        self.scene = scene

    def begin_connecting(self) -> None:
        """From Quizzler's start page to the sign-in page."""
        self.browser.open(self.scene.quizzler_url)
        self.browser.press("Connect your school")

    def sign_in(self, account: Account) -> None:
        self.browser.fill("username", account.username)
        self.browser.fill("password", account.password)
        self.browser.press("Sign in")

    def go_to_consent_page(self, role: str = "administrator") -> None:
        self.begin_connecting()
        self.sign_in(self.scene.account(role))

    def continue_with_lanyard(self, account: Account, email_choice: str = "share") -> None:
        """From Quizzler's start page through signing in and back, for the first time or again."""
        self.browser.open(self.scene.quizzler_url)
        self.browser.press("Continue with Lanyard")
        self.sign_in(account)
        self.go_on_to_quizzler(email_choice)

    def go_on_to_quizzler(self, email_choice: str = "share") -> None:
        """Past the page that says what Quizzler gets, if it comes: right after a sign-in, who has been there before is not
        asked again. Two pages on the way post what they know by themselves."""
        asking = {plain(words("en", f"{page}.heading", app="Quizzler")) for page in ("creation", "welcome")}

        def is_at_quizzler(_) -> bool:
            if self.browser.url.startswith(self.scene.quizzler_url):
                return bool(self.browser.texts("main h1"))
            if asking & {plain(heading) for heading in self.browser.texts("main h1")}:
                for choice in self.browser.driver.find_elements(
                        "css selector", f"input[type=radio][value={email_choice}]"):
                    choice.click()
                self.browser.press("Continue")
            return False

        self.browser.wait(is_at_quizzler, "Quizzler says something")

    def wait_for_classes(self) -> None:
        """On the organization's page, which refreshes by itself until the roster is read."""
        self.browser.wait(
            lambda _: self.browser.texts(".grid .card h2") and not self.browser.texts("progress"),
            "Quizzler shows classes", timeout=60)


def words(language: str, key: str, **values: str) -> str:
    """A sentence of the pages, such as `consent.allow`, with its gaps filled."""
    catalogue = json.loads((CATALOGUES / f"{language}.json").read_text())
    for part in key.split("."):
        catalogue = catalogue[part]
    # Names stand between isolating characters on the pages, which text comparisons leave out: see `plain`.
    return catalogue.format(**values)


def plain(text: str) -> str:
    """Without the invisible characters that keep names of either direction apart from their sentence."""
    return text.translate({0x2068: None, 0x2069: None, 0x2066: None, 0x2067: None})
