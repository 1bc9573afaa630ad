"""Debian's Chromium, headless, with what a test needs to ask it."""

import base64
import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from processes import PATIENCE
from selenium import webdriver
from selenium.common.exceptions import NoSuchElementException, TimeoutException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

# Elements that are seen, and their words as they are seen.
WORDS = r"""
    const isSeen = e => e.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && e.getClientRects().length
    return Array.from(document.querySelectorAll(arguments[0])).filter(isSeen)
        .map(e => [e, e.innerText.replaceAll("\u00a0", " ").trim()])
"""

# Selenium puts one space between cells, and one break of lines between blocks.
TEXT = r"""
    const first = document.querySelector(arguments[0])
    return first && first.innerText.replace(/[\u00a0\t]/g, " ").replace(/ *\n[ \n]*/g, "\n").trim()
"""

# Goes to a field of text and selects what is in it, as a key does that leads there. Says whether that can be done.
SELECT = """
    const field = arguments[0]
    const isOfText = ["text", "password", "email", "search", "url", "tel", "number", "textarea"].includes(field.type)
    if (!isOfText || field.disabled || field.readOnly || !field.checkVisibility({ visibilityProperty: true })) return false
    field.focus()
    field.select()
    return document.activeElement === field
"""

# Scrolls to an element, and says whether it is seen in the middle of its first line, where WebDriver's actions click.
UNCOVERED = """
    const element = arguments[0]
    element.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" })
    const box = element.getClientRects()[0]
    if (!box || box.left < 0 || box.top < 0 || box.right > innerWidth || box.bottom > innerHeight) return false
    return element.contains(document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2))
"""


# The browser as people have it, and what draws its pages, without all that stands around a page: no menus, no extensions, no
# choice among passkeys. That does the same with a page for two thirds of the cost. /usr/bin has a script that starts it, and a
# driver that quits ends the script alone.
WHOLE = "/usr/bin/chromium"
SHELL = "/usr/lib/chromium/chromium-headless-shell"


# Chromium draws what it suggests below an address by pages of its own, and loads them whenever it starts, which is more than
# half of the cost of a start. No test types an address.
UNUSED = ("WebUIOmniboxPopup", "WebUIOmniboxAimPopup")


def chromium_options(language: str = "en-US", without: Sequence[str] = UNUSED) -> webdriver.ChromeOptions:
    """What every test wants: no window, nothing asked of the outside, and nothing of what Chromium calls features that is in
    `without`."""
    options = webdriver.ChromeOptions()
    options.binary_location = WHOLE
    # The locale decides Accept-Language, and so the language of the pages.
    options.add_argument(f"--lang={language}")
    for switch in ("headless=new", "hide-scrollbars", "disable-background-networking", "disable-dev-shm-usage"):
        options.add_argument(f"--{switch}")
    options.add_argument(f"--disable-features={','.join(without)}")
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")  # which Chromium needs as root
    return options


def start_chromium(program: str = WHOLE, blocks_popups: bool = False) -> webdriver.Chrome:
    """Blocks no windows unless told to: drivers take that off, whereas people have it on."""
    # A new document in the same frame does the same for three quarters of the cost of one in a frame of its own.
    options = chromium_options(without=["RenderDocument"] if program == SHELL else UNUSED)
    options.binary_location = program
    if blocks_popups:
        options.add_experimental_option("excludeSwitches", ["disable-popup-blocking"])
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    driver = webdriver.Chrome(options, webdriver.ChromeService("/usr/bin/chromedriver"))
    driver.set_page_load_timeout(60 * PATIENCE)
    driver.set_script_timeout(60 * PATIENCE)
    return driver


class Chromium:
    """One person's browser: no cookies at first, and a record of all requests and complaints."""

    def __init__(self, driver: webdriver.Chrome):
        self.driver = driver
        self.window = driver.current_window_handle
        self._requests: list[str] = []
        self._complaints: list[str] = []
        driver.get("about:blank")
        self._read_logs()
        driver.execute_cdp_cmd("Network.clearBrowserCookies", {})
        driver.execute_cdp_cmd("Network.clearBrowserCache", {})
        self._requests.clear()
        self._complaints.clear()
        self.look(width=1280, height=900)

    # Going about.

    def open(self, url: str) -> None:
        self.driver.get(url)

    def back(self) -> None:
        self.driver.back()

    def reload(self) -> None:
        self.driver.refresh()

    def fill(self, name: str, value: str) -> None:
        """Puts a text in the place of what is in a field, as somebody does who pastes it. To press a key for each sign takes the
        browser twenty times as long; tests about the keyboard do."""
        field = self.driver.find_element(By.NAME, name)
        if value and "\n" not in value and self.driver.execute_script(SELECT, field):
            self.driver.execute_cdp_cmd("Input.insertText", {"text": value})
        else:
            field.clear()
            field.send_keys(value)

    def button(self, label: str) -> WebElement:
        """The button, or link that looks like one, with that label."""
        if found := self.find("button, a", lambda words: words == label):
            return found
        raise LookupError(f"no button “{label}” on “{self.heading}”:\n{self.text}")

    def find(self, selector: str, fits: Callable[[str], bool]) -> WebElement | None:
        """The first element that is seen and whose words fit. The words of all are asked for at once: to ask each element
        for them, and whether it is seen, takes the browser some ten milliseconds."""
        return next((element for element, words in self.driver.execute_script(WORDS, selector) if fits(words)), None)

    def press(self, label: str) -> None:
        """Presses a button and waits for the page that follows."""
        button = self.button(label)
        self.leave(lambda: self.click(button))

    def click(self, element: WebElement) -> None:
        """Clicks with the mouse. WebDriver's own click looks for more that may be wrong, which takes the browser five times as
        long; where an element is not plainly seen, it does."""
        if self.driver.execute_script(UNCOVERED, element):
            ActionChains(self.driver, duration=0).click(element).perform()
        else:
            element.click()

    def leave(self, action) -> None:
        """Does something that leads to another page, and waits until that is complete."""
        # A mark in the window object tells the old document from the new one, even at the same address.
        self.driver.execute_script("window.isOld = true")
        action()
        self.wait(
            lambda driver: driver.execute_script("return !window.isOld && document.readyState === 'complete'"),
            "another page",
        )

    def wait(self, condition, what: str, timeout: float = 30, is_exact: bool = False):
        """Fails after that many seconds: of this machine's, or exactly, where the test is about the time."""
        timeout = timeout if is_exact else timeout * PATIENCE
        try:
            return WebDriverWait(self.driver, timeout, poll_frequency=0.05).until(condition)
        except TimeoutException:
            page = f"“{self.driver.title}” at {self.driver.current_url}:\n{self.text}"
            raise AssertionError(f"{what}, but after {timeout} s the page is {page}") from None

    # Reading.

    @property
    def url(self) -> str:
        return self.driver.current_url

    @property
    def heading(self) -> str:
        return self._text_of("h1")

    @property
    def text(self) -> str:
        """What is seen of the page."""
        return self._text_of("main")

    def _text_of(self, selector: str) -> str:
        """What is seen of the first element, as WebDriver has it, whose own script takes the browser several times as long."""
        if (text := self.driver.execute_script(TEXT, selector)) is None:
            raise NoSuchElementException(f"the page has no element {selector}")
        return text

    @property
    def language(self) -> str:
        return self.driver.find_element(By.TAG_NAME, "html").get_attribute("lang")

    def texts(self, selector: str) -> list[str]:
        # `textContent`, in one call: `element.text` asks the browser once an element.
        return self.driver.execute_script(
            "return Array.from(document.querySelectorAll(arguments[0]), e => e.textContent.trim())", selector)

    def links(self, selector: str) -> list[str]:
        return self.driver.execute_script(
            "return Array.from(document.querySelectorAll(arguments[0]), e => e.href)", selector)

    # Looking.

    def look(self, width: int, height: int, scheme: str = "light", scale: float = 1) -> None:
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": width < 600})
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def screenshot(self, file: Path, whole_page: bool) -> None:
        picture = self.driver.execute_cdp_cmd(
            "Page.captureScreenshot", {"format": "png", "captureBeyondViewport": whole_page})
        file.write_bytes(base64.b64decode(picture["data"]))

    @property
    def overflows(self) -> bool:
        """Whether the page is wider than the window, so that one has to scroll sideways."""
        return self.driver.execute_script(
            "return document.documentElement.scrollWidth > document.documentElement.clientWidth")

    # What went on.

    @property
    def requests(self) -> list[str]:
        """Every address that was asked for, redirects included, since the start."""
        self._read_logs()
        return self._requests

    @property
    def complaints(self) -> list[str]:
        """The errors in the console, except failed loads, which are reported with the status of their answer."""
        self._read_logs()
        return self._complaints

    def _read_logs(self) -> None:
        self._requests += self._requested()
        self._complaints += [
            entry["message"]
            for entry in self.driver.get_log("browser")
            if entry["level"] == "SEVERE" and "the server responded with a status of" not in entry["message"]
        ]

    def _requested(self) -> Iterator[str]:
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                yield message["params"]["request"]["url"]
