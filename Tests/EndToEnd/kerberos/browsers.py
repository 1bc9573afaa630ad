"""Debian's Chromium and Firefox with the policies of a folder, and with somebody's tickets."""

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from browser.chromium import chromium_options
from firefox import FirefoxSession, Refused, make_profile
from kerberos.kdc import Person
from kerberos.places import with_etc
from processes import PATIENCE, Program
from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.by import By


class Browser(Protocol):
    def read(self, url: str) -> str:
        """The heading of the page, or its text where there is none."""


@contextmanager
def chromium(person: Person, etc: Path, folder: Path) -> Iterator[Browser]:
    """`etc`: what the browser sees above `/etc`. `folder`: for its profile."""
    program = _script(folder / "driver", person, etc, ("/usr/bin/chromedriver",))
    options = chromium_options()
    options.add_argument(f"--user-data-dir={folder / 'profile'}")
    driver = webdriver.Chrome(options, webdriver.ChromeService(str(program)))
    try:
        driver.set_page_load_timeout(30 * PATIENCE)
        yield _Chromium(driver)
    finally:
        driver.quit()


class _Chromium:
    def __init__(self, driver: webdriver.Chrome):
        self.driver = driver

    def read(self, url: str) -> str:
        try:
            self.driver.get(url)
        except WebDriverException as error:
            return str(error.msg)
        headings = self.driver.find_elements(By.TAG_NAME, "h1")
        return headings[0].text if headings else self.driver.find_element(By.TAG_NAME, "body").text


@contextmanager
def firefox(person: Person, etc: Path, folder: Path) -> Iterator[Browser]:
    """As `chromium`."""
    command = make_profile(folder / "home")
    program = Program(_script(folder / "firefox", person, etc, command), log=folder / "firefox.log")
    try:
        session = FirefoxSession(program, {"alwaysMatch": {"unhandledPromptBehavior": {"default": "dismiss"}}})
        try:
            yield _Firefox(session)
        finally:
            session.close()
    finally:
        program.stop()


class _Firefox:
    def __init__(self, session: FirefoxSession):
        self.session = session

    def read(self, url: str) -> str:
        try:
            self.session.call("browsingContext.navigate", context=self.session.tab, url=url, wait="complete")
        except Refused as error:
            return str(error)
        script = "(document.querySelector('h1') ?? document.body).innerText"
        answer = self.session.call(
            "script.evaluate", expression=script, target={"context": self.session.tab}, awaitPromise=False)
        return answer["result"].get("value", "")


def _script(path: Path, person: Person, etc: Path, command: tuple[str, ...]) -> Path:
    """A program that runs a command with the tickets and the files."""
    path.parent.mkdir(parents=True, exist_ok=True)
    variables = [f"{name}={value}" for name, value in person.environment.items()]
    path.write_text(f'#!/bin/sh\nexec {shlex.join([*with_etc(etc), "env", *variables, *command])} "$@"\n')
    path.chmod(0o755)
    return path
