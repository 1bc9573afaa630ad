"""How tests come into the console, and take pictures of it."""

import os
from pathlib import Path

from chromium import Chromium
from visit import Visit


def enter(visit: Visit, role: str, path: str = "/manager") -> Chromium:
    """Signs in on the way to a page of the console."""
    browser = visit.browser
    browser.open(f"{visit.scene.base_url}{path}")
    visit.sign_in(visit.scene.account(role))
    return browser


def shoot(browser: Chromium, name: str) -> None:
    if folder := os.environ.get("LANYARD_SCREENSHOTS"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        for look, (width, height, scheme) in {
            "light": (1280, 900, "light"), "dark": (1280, 900, "dark"), "phone": (390, 844, "light"),
        }.items():
            browser.look(width, height, scheme)
            browser.screenshot(Path(folder) / f"{name}-{look}.png", whole_page=True)
        browser.look(1280, 900)


def follow(browser: Chromium, name: str) -> None:
    """Follows the link with that name in a table, or in the sidebar."""
    if found := browser.find("main a, nav a", lambda words: words.split("\n")[-1] == name):
        browser.leave(lambda: browser.click(found))
        return
    raise LookupError(f"no link “{name}” on “{browser.heading}”")


def heading(browser: Chromium) -> str:
    """Of a page that may be replaced at any moment."""
    return browser.driver.execute_script("return document.querySelector('main h1')?.innerText ?? ''")


def wait_for(browser: Chromium, expected: str, timeout: float = 60) -> None:
    browser.wait(lambda _: heading(browser) == expected, f"the page “{expected}”", timeout=timeout)
