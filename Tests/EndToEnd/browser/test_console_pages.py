"""Every page of the console to which a link leads: it fits, everyone can use it, it is light, and no link leads to a
refusal. Pages of one kind, such as those of two people, are looked at once."""

import re
from urllib.parse import urljoin, urlsplit

from axe_core_python.selenium import Axe
from chromium import Chromium
from console import enter
from visit import Visit

# Width, height, scheme, scale, language.
LOOKS = [(1280, 900, "light", 1, "en"), (390, 844, "dark", 2, "ja"), (320, 640, "light", 2, "ko")]

# Links at which a file is made, or which leave the console.
DOWNLOADS = re.compile(r"\.(csv|json|pdf|zip|html|mobileconfig|tsr|jsonl)(\?|$)|/export|/download")

SMALL_TARGETS = """
    return Array.from(document.querySelectorAll("main a, main button, nav a"))
        .filter(e => e.checkVisibility() && e.getBoundingClientRect().height < 24)
        .map(e => e.outerHTML)
"""

# What the page says in words of its own, and not in those of files and of the trail.
WORDS = """
    const body = document.body.cloneNode(true)
    for (const each of body.querySelectorAll(".verbatim, script")) each.remove()
    return body.textContent
"""

WEIGHT = """
    return performance.getEntriesByType("resource").reduce((sum, each) => sum + each.decodedBodySize,
        performance.getEntriesByType("navigation")[0].decodedBodySize)
"""


def kind(url: str) -> str:
    """What a page is, without the numbers of its subject."""
    parts = urlsplit(url)
    names = sorted({field.split("=")[0] for field in parts.query.split("&") if field})
    path = re.sub(r"(PE-|CL-|LO:|LO%3A|TE-|AP-|DE-|IM-)?\d+", "*", parts.path)
    path = re.sub(r"/[0-9a-f]{8}-[0-9a-f-]{27}", "/*", path)
    return path + "?" + "&".join(names)


def status(browser: Chromium) -> int:
    return browser.driver.execute_script("return performance.getEntriesByType('navigation')[0].responseStatus")


def pages_of(browser: Chromium, base: str) -> dict[str, str]:
    """One address for each kind of page, by following links from the start page of the console. None leads to a refusal."""
    found: dict[str, str] = {}
    refused = []
    waiting = [f"{base}/manager"]
    while waiting:
        url = waiting.pop(0)
        if kind(url) in found:
            continue
        found[kind(url)] = url
        browser.open(url)
        if status(browser) != 200:
            refused.append(f"{kind(url)}: {status(browser)} {browser.heading}")
        for link in browser.links("a[href]"):
            link = urljoin(url, link).split("#")[0]
            if link.startswith(f"{base}/manager") and not DOWNLOADS.search(link) and kind(link) not in found:
                waiting.append(link)
    assert not refused, "\n".join(refused)
    return found


def test_no_link_of_a_teacher_leads_to_a_refusal(visit: Visit) -> None:
    assert len(pages_of(enter(visit, "instructor"), visit.scene.base_url)) > 2


def test_every_page_fits_and_everyone_can_use_it(visit: Visit) -> None:
    browser = enter(visit, "administrator")
    pages = pages_of(browser, visit.scene.base_url)
    assert len(pages) > 5
    problems = []
    for width, height, scheme, scale, language in LOOKS:
        browser.look(width, height, scheme, scale)
        browser.driver.add_cookie({"name": "lanyard-language", "value": language})
        for each, url in pages.items():
            browser.open(url)
            if browser.language != language:
                problems.append(f"{each}: is in {browser.language}, not {language}")
            if browser.overflows:
                problems.append(f"{each} {width}: wider than the window")
            if len(browser.texts("h1")) != 1:
                problems.append(f"{each}: has {len(browser.texts('h1'))} headings of the first level")
            text = browser.driver.execute_script(WORDS)
            if found := re.search(r"\b(console|audit)[A-Z]?\w*\.\w+|\{\w+\}", text):
                problems.append(f"{each} {language}: {found.group()} is no sentence")
            if (weight := browser.driver.execute_script(WEIGHT)) > 100_000:
                problems.append(f"{each}: {weight} bytes")
            for small in browser.driver.execute_script(SMALL_TARGETS):
                problems.append(f"{each} {width}: too small for a finger: {small}")
            if width != 320:
                for violation in Axe().run(browser.driver)["violations"]:
                    places = [node["html"][:200] for node in violation["nodes"]]
                    problems.append(f"{each} {width}: {violation['id']}: {violation['help']}: {places}")
    assert not problems, "\n".join(problems)
