"""A look at one page as everyone may meet it.

With LANYARD_SCREENSHOTS set to a folder, pictures of all of them are left there.
"""

import os
from collections.abc import Iterable
from pathlib import Path

from axe_core_python.selenium import Axe
from chromium import Chromium

# Width, height, scheme, scale.
LOOKS = {
    "light": (1280, 900, "light", 2),
    "dark": (1280, 900, "dark", 2),
    "tablet": (744, 1000, "light", 2),
    "phone": (390, 844, "light", 2),
    "phone-dark": (390, 844, "dark", 2),
}


def problems(browser: Chromium, name: str, looks: Iterable[str] = LOOKS) -> list[str]:
    """What sticks out, and what axe complains about. Leaves pictures if they are wanted, under the name."""
    problems = []
    for look in looks:
        width, height, scheme, scale = LOOKS[look]
        browser.look(width, height, scheme, scale)
        if folder := os.environ.get("LANYARD_SCREENSHOTS"):
            _take_pictures(browser, Path(folder), f"{name}-{look}")
        if browser.overflows:
            problems.append(f"{look}: wider than the window")
        if look in ("light", "phone-dark"):
            for violation in violations(browser):
                places = [node["html"] for node in violation["nodes"]]
                problems.append(f"{look}: {violation['id']}: {violation['help']}: {places}")
    return problems


def violations(browser: Chromium) -> list[dict]:
    """What axe complains about. This version of it does not know the token `webauthn` of the HTML standard yet."""
    browser.driver.execute_script(
        "for (const field of document.querySelectorAll('[autocomplete~=webauthn]'))"
        " field.autocomplete = field.autocomplete.replace(' webauthn', '')")
    return Axe().run(browser.driver)["violations"]


def _take_pictures(browser: Chromium, folder: Path, name: str) -> None:
    """Takes one picture of the window, and one of the whole page."""
    folder.mkdir(parents=True, exist_ok=True)
    browser.screenshot(folder / f"{name}.png", whole_page=False)
    browser.screenshot(folder / f"{name}-whole.png", whole_page=True)
