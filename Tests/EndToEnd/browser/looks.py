"""A look at one page as everyone may meet it.

With LANYARD_SCREENSHOTS set to a folder, pictures of all of them are left there.
"""

import functools
import importlib.resources
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from chromium import Chromium

# Width, height, scheme, scale.
LOOKS = {
    "light": (1280, 900, "light", 2),
    "dark": (1280, 900, "dark", 2),
    "tablet": (744, 1000, "light", 2),
    "phone": (390, 844, "light", 2),
    "phone-dark": (390, 844, "dark", 2),
}

# WCAG 2.2 at the levels A and AA, and what axe advises beyond that.
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice"]

# What depends on the width and the colours of a page. Everything else is the same on a desk and in a hand.
OF_THE_LOOK = ["color-contrast", "target-size", "scrollable-region-focusable", "link-in-text-block"]


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
            problems += [f"{look}: {complaint}" for complaint in complaints(browser)]
    return problems


def complaints(browser: Chromium, rules: list[str] | None = None) -> list[str]:
    """What axe complains about: by all rules of `TAGS`, or by those that are named."""
    return [
        f"{violation['id']}: {violation['help']}: {[node['html'][:200] for node in violation['nodes'][:5]]}"
        for violation in violations(browser, rules)]


def violations(browser: Chromium, rules: list[str] | None = None) -> list[dict]:
    """The rule about the size of targets is off in axe unless it is asked for."""
    options = {
        "runOnly": {"type": "rule", "values": rules} if rules else {"type": "tag", "values": TAGS},
        "rules": {} if rules else {"target-size": {"enabled": True}},
        "resultTypes": ["violations"],
        # Otherwise axe asks for the style sheets again, for rules about media and turned screens.
        "preload": False,
    }
    if not browser.driver.execute_script("return typeof axe === 'object'"):
        browser.driver.execute_script(axe_script())
    return browser.driver.execute_async_script(
        "const done = arguments[1];"
        "axe.run(document, arguments[0]).then((results) => done(results.violations), (error) => done([{"
        " id: 'axe', help: String(error), nodes: [] }]))",
        options)


@contextmanager
def with_axe(browser: Chromium) -> Iterator[None]:
    """Each page that is opened in the block has axe from the beginning, from the same text. To give it to a page afterwards
    takes the browser as much as half of a look at the page."""
    added = browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": axe_script()})
    try:
        yield
    finally:
        browser.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)


@functools.cache
def axe_script() -> str:
    return (importlib.resources.files("axe_playwright_python") / "axe.min.js").read_text()


def _take_pictures(browser: Chromium, folder: Path, name: str) -> None:
    """Takes one picture of the window, and one of the whole page."""
    folder.mkdir(parents=True, exist_ok=True)
    browser.screenshot(folder / f"{name}.png", whole_page=False)
    browser.screenshot(folder / f"{name}-whole.png", whole_page=True)
