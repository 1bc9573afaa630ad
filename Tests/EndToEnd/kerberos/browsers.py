"""Debian's Chromium and Firefox with the policies of a folder, and with somebody's tickets."""

import json
import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import websocket
from browser.chromium import chromium_options
from kerberos.kdc import Person
from kerberos.places import with_etc
from processes import Program
from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.by import By

FIREFOX = Path("/usr/bin/firefox-esr")


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
        driver.set_page_load_timeout(30)
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
    home = folder / "home"
    profile = home / "profile"
    profile.mkdir(parents=True)
    (profile / "user.js").write_text("".join(
        f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in {
            "network.proxy.type": 0,
            "dom.security.https_first": False,
            "datareporting.policy.dataSubmissionEnabled": False,
            "browser.shell.checkDefaultBrowser": False,
            "app.update.auto": False,
            "extensions.update.enabled": False,
            "network.captive-portal-service.enabled": False,
            "network.connectivity-service.enabled": False,
        }.items()))
    program = Program(
        _script(folder / "firefox", person, etc, (
            "env", f"HOME={home}", f"XDG_RUNTIME_DIR={home}", "MOZ_HEADLESS=1", str(FIREFOX),
            "--remote-debugging-port=0", "--profile", str(profile), "--no-remote", "about:blank")),
        log=folder / "firefox.log")
    try:
        address = program.wait_until(
            lambda: re.search(r"WebDriver BiDi listening on (ws://\S+)", program.log_text), 60, "Firefox listens")[1]
        socket = websocket.create_connection(f"{address}/session", suppress_origin=True, timeout=60)
        try:
            yield _Firefox(socket)
        finally:
            socket.close()
    finally:
        program.stop()


class _Firefox:
    def __init__(self, socket: websocket.WebSocket):
        self.socket = socket
        self.last = 0
        self._call("session.new", capabilities={"alwaysMatch": {"unhandledPromptBehavior": {"default": "dismiss"}}})
        self.tab = self._call("browsingContext.getTree")["contexts"][0]["context"]

    def _call(self, method: str, **parameters: object) -> dict:
        self.last += 1
        self.socket.send(json.dumps({"id": self.last, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("id") == self.last:
                if message["type"] != "success":
                    raise RuntimeError(message["message"])
                return message["result"]

    def read(self, url: str) -> str:
        try:
            self._call("browsingContext.navigate", context=self.tab, url=url, wait="complete")
        except RuntimeError as error:
            return str(error)
        script = "(document.querySelector('h1') ?? document.body).innerText"
        answer = self._call("script.evaluate", expression=script, target={"context": self.tab}, awaitPromise=False)
        return answer["result"].get("value", "")


def _script(path: Path, person: Person, etc: Path, command: tuple[str, ...]) -> Path:
    """A program that runs a command with the tickets and the files."""
    path.parent.mkdir(parents=True, exist_ok=True)
    variables = [f"{name}={value}" for name, value in person.environment.items()]
    path.write_text(f'#!/bin/sh\nexec {shlex.join([*with_etc(etc), "env", *variables, *command])} "$@"\n')
    path.chmod(0o755)
    return path
