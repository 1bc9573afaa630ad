"""Debian's Chromium, headless, with what a test needs to ask it."""

import base64
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from processes import PATIENCE
from selenium import webdriver
from selenium.common.exceptions import NoSuchElementException, TimeoutException
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

# Elements and their words as they are seen.
WORDS = r"""
    return Array.from(document.querySelectorAll(arguments[0]), e => [e, e.innerText.replaceAll("\u00a0", " ").trim()])
"""

# Selenium puts one space between cells, and one break of lines between blocks.
TEXT = r"""
    const main = document.querySelector("main")
    return main && main.innerText.replace(/[\u00a0\t]/g, " ").replace(/ *\n[ \n]*/g, "\n").trim()
"""


# The browser as people have it, and what draws its pages, without all that stands around a page: no menus, no extensions, no
# choice among passkeys. That does the same with a page for two thirds of the cost.
WHOLE = "/usr/bin/chromium"
SHELL = "/usr/bin/chromium-headless-shell"


def chromium_options(language: str = "en-US") -> webdriver.ChromeOptions:
    """What every test wants: no window, and nothing asked of the outside."""
    options = webdriver.ChromeOptions()
    options.binary_location = WHOLE
    # The locale decides Accept-Language, and so the language of the pages.
    options.add_argument(f"--lang={language}")
    for switch in ("headless=new", "hide-scrollbars", "disable-background-networking", "disable-dev-shm-usage"):
        options.add_argument(f"--{switch}")
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")  # which Chromium needs as root
    return options


def start_chromium(program: str = WHOLE, blocks_popups: bool = False) -> webdriver.Chrome:
    """Blocks no windows unless told to: drivers take that off, whereas people have it on."""
    options = chromium_options()
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
        field = self.driver.find_element(By.NAME, name)
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
        for element, words in self.driver.execute_script(WORDS, selector):
            if fits(words) and element.is_displayed():
                return element
        return None

    def press(self, label: str) -> None:
        """Presses a button and waits for the page that follows."""
        self.leave(self.button(label).click)

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
        return self.driver.find_element(By.TAG_NAME, "h1").text

    @property
    def text(self) -> str:
        """What is seen of the page, as WebDriver has it, whose own script takes the browser several times as long."""
        if (text := self.driver.execute_script(TEXT)) is None:
            raise NoSuchElementException("the page has no main element")
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
