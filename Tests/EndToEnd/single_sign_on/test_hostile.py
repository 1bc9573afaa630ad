"""Others on the same machine, and pages in the browser, that mean ill: what they try, and what it gets them."""

import contextlib
import http.client
import json
import os
import re
import subprocess
import urllib.parse
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import websocket
from broker import Device, body_of
from browser.chromium import chromium_options
from processes import Program
from selenium import webdriver
from test_extensions import BASE, Desktop, asking, desktop  # noqa: F401


Steering = tuple[Callable[[str], None], Callable[[str], None]]


@contextlib.contextmanager
def a_chromium(folder: Path) -> Iterator[Steering]:
    """Without a window: how to load a page, and how to run a script in it."""
    options = chromium_options()
    options.add_argument(f"--user-data-dir={folder}/chromium")
    driver = webdriver.Chrome(options, webdriver.ChromeService("/usr/bin/chromedriver"))
    try:
        yield driver.get, driver.execute_script
    finally:
        driver.quit()


@contextlib.contextmanager
def a_firefox(folder: Path) -> Iterator[Steering]:
    """The same by WebDriver BiDi."""
    home = folder / "firefox"
    (home / "profile").mkdir(parents=True)
    program = Program(
        "env", f"HOME={home}", f"XDG_RUNTIME_DIR={home}", "MOZ_HEADLESS=1", "/usr/bin/firefox-esr",
        "--remote-debugging-port=0", "--profile", home / "profile", "--no-remote", "about:blank",
        log=folder / "firefox.log")
    try:
        address = program.wait_until(
            lambda: re.search(r"WebDriver BiDi listening on (ws://\S+)", program.log_text), 60, "Firefox listens")[1]
        connection = websocket.create_connection(f"{address}/session", suppress_origin=True, timeout=60)

        def call(method: str, **parameters) -> dict:
            connection.send(json.dumps({"id": 1, "method": method, "params": parameters}))
            while (message := json.loads(connection.recv())).get("id") != 1:
                pass
            assert message["type"] == "success", message
            return message["result"]

        call("session.new", capabilities={})
        tab = call("browsingContext.getTree")["contexts"][0]["context"]
        yield (
            lambda url: call("browsingContext.navigate", context=tab, url=url, wait="complete"),
            lambda script: call(
                "script.evaluate", expression=script, target={"context": tab}, awaitPromise=False, userActivation=True))
        connection.close()
    finally:
        program.stop()


# Connects from another of this machine's own addresses, at the port of somebody else's connection.
FROM_ANOTHER_ADDRESS = """
import socket, sys
port, remote, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
with socket.socket() as connection:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    connection.bind(("127.0.0.2", port))
    connection.settimeout(10)
    connection.connect(("127.0.0.1", remote))
    connection.sendall(f"GET {path} HTTP/1.1\\r\\nHost: 127.0.0.1:{remote}\\r\\nConnection: close\\r\\n\\r\\n".encode())
    answer = b""
    try:
        while part := connection.recv(65536):
            answer += part
    except ConnectionError:
        pass
    sys.stdout.buffer.write(answer)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="takes two users")
def test_another_user_does_not_pass_for_the_browser_whose_port_it_takes(device: Device, desktop: Desktop) -> None:
    answer = asking(device, f"{BASE}/login")
    url = urllib.parse.urlsplit(desktop.next())
    # The browser of this user keeps a connection, as browsers do; everybody sees its port in /proc/net/tcp.
    browser = http.client.HTTPConnection(url.hostname, url.port, timeout=60)
    browser.connect()
    port = browser.sock.getsockname()[1]
    other = subprocess.run(
        ["/usr/bin/python3", "-c", FROM_ANOTHER_ADDRESS, str(port), str(url.port), url.path], user="nobody",
        capture_output=True, timeout=20)
    assert other.stdout == b"", other.stdout.decode()
    browser.close()
    answer.cancel()


def test_a_page_that_guesses_the_port_does_not_end_a_sign_in(device: Device, desktop: Desktop) -> None:
    """A page of the web can lead frames and tabs to any port of this device. It does not know the state."""
    answer = asking(device, f"{BASE}/web?https://id.acme.test/authorize?state=s1%26")
    returning = urllib.parse.parse_qs(urllib.parse.urlsplit(desktop.next_page()).query)["redirect_uri"][0]
    frame = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}
    tab = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    for query, form, headers in [
        ("error=access_denied&state=s1%26", None, frame), ("error=access_denied", None, tab),
        ("code=forged&state=s1", None, tab), ("", {"code": "forged", "state": "s2"}, tab),
    ]:
        assert desktop.load(f"{returning}?{query}", form, **headers)[0] == 410, query
    assert not answer.done()
    desktop.load(returning, {"code": "c1", "state": "s1&"}, **tab)
    assert body_of(answer.result(10)) == "code=c1&state=s1%26"


def test_a_form_comes_from_its_own_page_alone(device: Device, desktop: Desktop) -> None:
    """Another user may serve pages on another port of this device, and see the form's address in the list of processes."""
    answer = asking(device, f"{BASE}/login")
    url = desktop.next()
    own = "http://" + urllib.parse.urlsplit(url).netloc
    form = {"step": "1", "f.user": "mika", "f.password": "secret"}
    for origin in ["http://127.0.0.1:1", "null", "http://127.0.0.1", own.replace("http:", "https:")]:
        assert desktop.load(url, form, Origin=origin)[0] == 410, origin
    assert not answer.done()
    assert desktop.load(url, form, Origin=own)[0] == 200
    assert answer.result(10)["outcome"] == "response"


@pytest.mark.parametrize("browser", ["chromium", "firefox"])
def test_browsers_send_the_form(device: Device, desktop: Desktop, tmp_path: Path, browser: str) -> None:
    answer = asking(device, f"{BASE}/login")
    script = """document.getElementsByName('f.password')[0].value = 'secret'; document.forms[0].querySelector('button').click()"""
    with (a_chromium if browser == "chromium" else a_firefox)(tmp_path) as (load, run):
        load(desktop.next())
        run(script)
        assert body_of(answer.result(20)) == "mika asked true"


def test_callers_do_not_speak_for_the_browsers_page(device: Device) -> None:
    """By an option of the name either: an extension posts with the person's cookies for a page of the provider's own."""
    names = ["initiatorOrigin", "initiatingPath", "userActionInitiated", "initiatingAction", "responseCode", "isProxy",
             "challenges"]
    outcome = device.ask(
        f"{BASE}/echo", options=[[name, "https://id.acme.test"] for name in names] + [["hint", "1"]],
        page={"initiatorOrigin": "https://id.acme.test"})
    assert json.loads(body_of(outcome))["options"] == {"hint": "1"}
