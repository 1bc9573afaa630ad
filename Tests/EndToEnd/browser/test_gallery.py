"""Every page in every state, as the Swift tests left them in a folder: nothing sticks out, nothing is asked for from
elsewhere, and axe finds nothing to complain about, in three languages, light and dark, on a desk and in a hand.

`scripts/test` writes the folder; so does

    LANYARD_GALLERY=$PWD/.build/gallery swift test --enable-swift-testing --disable-xctest --filter Gallery

With LANYARD_SCREENSHOTS set to a folder, pictures of all pages are left there.
"""

import functools
import http.server
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from chromium import Chromium
from looks import complaints, with_axe
from selenium.webdriver.common.by import By

ROOT = Path(__file__).resolve().parents[3]
GALLERY = Path(os.environ.get("LANYARD_GALLERY", ROOT / ".build" / "gallery"))

# Width, height, scheme, scale.
LOOKS = {
    "light": (1280, 900, "light", 1),
    "phone": (390, 844, "light", 2),
    "phone-dark": (390, 844, "dark", 2),
    "narrow": (320, 640, "light", 2),
}
# Colours and structure do not change with the language, so axe looks at all of the first and at a sample of the others.
AXE_LOOKS = {"en": ["light", "phone-dark"], "ja": ["light"], "ko": ["phone-dark"]}

# As `PageResponder` sends it.
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; form-action 'self'; "
    "frame-ancestors 'none'; base-uri 'none'"
)

SMALL_TARGETS = """
    return Array.from(document.querySelectorAll("a, button, summary, .option, .control"))
        .filter(e => e.checkVisibility() && e.getBoundingClientRect().height < 44)
        .map(e => e.outerHTML)
"""

# Pages that fit into one window for a typical person, on a phone or on a desk.
ONE_SCREEN = [("account-managed", "phone"), ("account-parent", "phone"), ("account-personal", "light")]


class Handler(http.server.SimpleHTTPRequestHandler):
    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", POLICY)
        super().end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def gallery() -> Iterator[str]:
    """The address of the folder."""
    if "LANYARD_GALLERY" not in os.environ and not GALLERY.exists():
        pytest.skip(f"no pages in {GALLERY}; scripts/test writes them")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(GALLERY)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def look_at(browser: Chromium, look: str) -> None:
    browser.look(*LOOKS[look])


@pytest.mark.parametrize("language", ["en", "ja", "ko"])
def test_every_page_fits_and_everyone_can_use_it(browser: Chromium, gallery: str, language: str) -> None:
    pages = sorted((GALLERY / language).glob("*.html"))
    assert len(pages) > 40
    problems = []
    with with_axe(browser):
        for page in pages:
            look_at(browser, "phone")
            browser.open(f"{gallery}/{language}/{page.name}")
            for element in browser.driver.execute_script(SMALL_TARGETS):
                problems.append(f"{page.stem}: too small for a finger: {element}")
            # Open the folded parts, so that they are checked too.
            browser.driver.execute_script("for (const part of document.querySelectorAll('details')) part.open = true")
            for look in LOOKS:
                look_at(browser, look)
                if browser.overflows:
                    problems.append(f"{page.stem} {look}: wider than the window")
                if look in AXE_LOOKS[language]:
                    problems += [f"{page.stem} {look}: {complaint}" for complaint in complaints(browser)]
                if folder := os.environ.get("LANYARD_SCREENSHOTS"):
                    Path(folder).mkdir(parents=True, exist_ok=True)
                    browser.screenshot(Path(folder) / f"{page.stem}-{language}-{look}.png", whole_page=True)
    assert problems == []


@pytest.mark.parametrize(("page", "look"), ONE_SCREEN)
def test_the_account_page_is_one_screen_for_a_typical_person(
    browser: Chromium, gallery: str, page: str, look: str
) -> None:
    look_at(browser, look)
    browser.open(f"{gallery}/en/{page}.html")
    height = browser.driver.execute_script("return document.documentElement.scrollHeight")
    assert height <= LOOKS[look][1]


def test_a_choice_has_to_be_made_and_then_is_seen(browser: Chromium, gallery: str) -> None:
    browser.open(f"{gallery}/en/creation-personal.html")
    share, hide = browser.driver.find_elements(By.NAME, "email_choice")
    assert not share.is_selected() and not hide.is_selected()
    continue_button = browser.button("Continue")
    form = "arguments[0].form.checkValidity()"
    assert not browser.driver.execute_script(f"return {form}", continue_button)
    # The whole card of the choice can be pressed, not only the small circle.
    browser.driver.find_element(By.XPATH, "//strong[.='Hide my email']").click()
    assert hide.is_selected()
    assert browser.driver.execute_script(f"return {form}", continue_button)
