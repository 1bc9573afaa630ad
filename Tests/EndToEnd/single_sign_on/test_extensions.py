"""The life of extensions: started when asked, stopped when idle, given up when they hang or crash; and what they show."""

import concurrent.futures
import http.client
import json
import os
import re
import signal
import subprocess
import threading
import time
import urllib.parse
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from broker import EXTENSION, Device, SocketConnection, body_of
from processes import wait_until

BASE = "https://id.acme.test/realms/staff"


def state(device: Device) -> dict[str, Any]:
    return device.get("/v1/status")["extensions"][0]


def pid_in(outcome: dict[str, Any]) -> int:
    return int(body_of(outcome).split()[-1])


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def freeze(pid: int) -> None:
    """Returns once no thread of the process runs any more. kill(2) returns earlier: until the thread that gets the signal has
    a processor, the other threads go on, and can answer a request."""
    os.kill(pid, signal.SIGSTOP)

    def states() -> set[str]:
        return {(task / "stat").read_text().rpartition(")")[2].split()[0] for task in Path(f"/proc/{pid}/task").iterdir()}

    wait_until(lambda: states() == {"T"}, 30, "every thread is stopped", pause=0.005)


def test_it_is_loaded_when_the_first_request_is_received(device: Device) -> None:
    assert state(device)["state"] == "stopped"
    assert device.ask("https://example.org/")["reason"] == "notCovered"
    assert state(device)["state"] == "stopped"
    first = pid_in(device.ask(f"{BASE}/count"))
    assert state(device)["processIdentifier"] == first
    assert pid_in(device.ask(f"{BASE}/count")) == first


def test_it_is_unloaded_when_nobody_asks(device: Device) -> None:
    device.stop()
    device.start("--idle", "1")
    device.wait_for_domains()
    pid = pid_in(device.ask(f"{BASE}/count"))
    wait_until(lambda: not is_alive(pid), 10, "it is unloaded")
    assert state(device)["state"] == "stopped"
    assert pid_in(device.ask(f"{BASE}/count")) != pid


def test_authors_can_have_it_unloaded_after_every_request(device: Device) -> None:
    device.stop()
    device.start("--unload")
    device.wait_for_domains()
    first = device.ask(f"{BASE}/count")
    second = device.ask(f"{BASE}/count")
    assert pid_in(first) != pid_in(second)
    assert body_of(second).startswith("2 of 2")


def test_many_requests_at_once(device: Device) -> None:
    with concurrent.futures.ThreadPoolExecutor(50) as pool:
        outcomes = list(pool.map(lambda number: device.ask(f"{BASE}/echo?{number}"), range(1_000)))
    numbers = [json.loads(body_of(outcome))["url"].rpartition("?")[2] for outcome in outcomes]
    assert numbers == [str(number) for number in range(1_000)]
    assert state(device)["openRequests"] == 0


def test_a_crash_ends_its_requests_and_the_next_one_waits_a_moment(device: Device) -> None:
    waiting = threading.Thread(target=lambda: results.append(device.ask(f"{BASE}/never")))
    results: list[dict[str, Any]] = []
    waiting.start()
    wait_until(lambda: state(device)["openRequests"] == 1, 10, "one waits")
    outcome = device.ask(f"{BASE}/crash")
    assert outcome["outcome"] == "failed" and outcome["reason"] == "extensionCrashed"
    waiting.join(10)
    assert results[0]["reason"] == "extensionCrashed"
    refused, left = device.ask(f"{BASE}/page"), state(device)
    assert refused["reason"] == "extensionBackedOff"
    assert left["state"] == "backedOff" and left["startsAgainAt"].endswith("Z")
    for words in refused["error"]["message"], device.get("/v1/log")[-1]["detail"]:
        assert "signal" in words and "it is started again in " in words, words
    assert "signal" in left["lastFailure"]["reason"] and left["lastFailure"]["inARow"] == 1
    wait_until(lambda: device.ask(f"{BASE}/page")["outcome"] == "response", 10, "it is started again")
    answering = state(device)
    assert answering["state"] == "running" and not {"startsAgainAt", "lastFailure"} & answering.keys()


def test_crashes_in_a_row_are_waited_for_longer_and_longer(device: Device) -> None:
    waits = []
    # The moment before the crash, so that a slow machine makes a wait look longer and never shorter.
    begin = 0.0

    def crashes() -> bool:
        nonlocal begin
        begin = time.monotonic()
        return device.ask(f"{BASE}/exit")["reason"] == "extensionCrashed"

    for _ in range(3):
        wait_until(crashes, 20, "it crashes", pause=0.02)
        wait_until(
            lambda: device.get("/v1/status")["extensions"][0]["state"] == "stopped", 20, "the wait is over", pause=0.02)
        waits.append(time.monotonic() - begin)
    assert re.findall(r"waits-seconds=(\d+)", device.program.log_text) == ["1", "2", "4"]
    # The failure is still reported after the wait.
    assert state(device)["lastFailure"]["inARow"] == 3 and "exit status" in state(device)["lastFailure"]["reason"]
    assert waits[0] >= 1 and waits[1] >= 2 and waits[2] >= 4, waits


def test_an_extension_that_hangs_is_given_up(device: Device) -> None:
    device.stop()
    device.start("--silent-limit", "1")
    device.wait_for_domains()
    pid = pid_in(device.ask(f"{BASE}/count"))
    begin = time.monotonic()
    # After its second, and not after the minute that is the limit unless another one is set.
    outcome = device.ask(f"{BASE}/never", timeout=50)
    assert outcome["outcome"] == "failed" and outcome["reason"] == "timedOut"
    assert time.monotonic() - begin >= 1
    # The next request does not depend on it.
    assert pid_in(device.ask(f"{BASE}/count")) != pid
    wait_until(lambda: not is_alive(pid), 10, "it is ended")


def test_one_that_heeds_no_signal_is_killed(device: Device) -> None:
    device.stop()
    device.start("--silent-limit", "1")
    device.wait_for_domains()
    pid = pid_in(device.ask(f"{BASE}/count"))
    freeze(pid)
    assert device.ask(f"{BASE}/page")["reason"] == "timedOut"
    assert device.ask(f"{BASE}/page")["outcome"] == "response"
    wait_until(lambda: not is_alive(pid), 15, "it is killed")


def test_sigkill_at_any_moment_loses_nothing_and_wedges_nobody(device: Device) -> None:
    """Killed in the middle of answers, before the first one, and before it is ready."""
    delays = [0.5, 0.3, 0.1, 0.05, 0.02, 0.01, 0]
    killed: list[int] = []

    def kill() -> None:
        for delay in delays:
            pid = wait_until(
                lambda: next((one for one in [state(device).get("processIdentifier")] if one and one not in killed), None),
                90, "it is started again", pause=0.002)
            time.sleep(delay)
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)

    answered = 0
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        killer = pool.submit(kill)
        while not killer.done():
            outcome = device.ask(f"{BASE}/count", timeout=20)
            if outcome["outcome"] == "response":
                answered += 1
                assert int(body_of(outcome).split()[2]) >= answered
            else:
                # The last, where it was hit before it had said that it is ready.
                reasons = ("extensionCrashed", "extensionBackedOff", "extensionFailedToStart")
                assert outcome["outcome"] == "failed" and outcome["reason"] in reasons, outcome
        killer.result()
    assert answered > 0 and len(killed) == len(delays)
    wait_until(lambda: device.ask(f"{BASE}/page")["outcome"] == "response", 65, "it recovers")
    assert int(body_of(device.ask(f"{BASE}/count")).split()[2]) > answered


def test_the_broker_killed_leaves_no_extension_behind(device: Device) -> None:
    pid = pid_in(device.ask(f"{BASE}/count"))
    device.program.kill()
    wait_until(lambda: not is_alive(pid), 10, "the extension ends with its socket")
    device.start()
    # The answers of the domains were stored.
    assert body_of(device.ask(f"{BASE}/count")).startswith("2 of 2")


def test_sigkill_of_the_broker_at_any_moment_loses_nothing_and_wedges_nobody(device: Device) -> None:
    """Callers go on as if there were no broker while there is none; what was saved before is there afterwards."""
    stop = threading.Event()
    answered: list[int] = []

    def call() -> None:
        while not stop.is_set():
            try:
                outcome = device.ask(f"{BASE}/count", timeout=20)
            except (OSError, http.client.HTTPException):
                continue  # Gone in the middle, and the caller knows at once.
            if outcome["outcome"] == "response":
                answered.append(int(body_of(outcome).split()[2]))

    with concurrent.futures.ThreadPoolExecutor(5) as pool:
        callers = [pool.submit(call) for _ in range(5)]
        try:
            for pause in [0, 0.002, 0.01, 0.03, 0.1, 0.3] * 2:
                known = len(answered)
                wait_until(lambda: len(answered) > known, 20, "somebody is answered")
                stop.wait(pause)
                device.program.kill()
                device.start()
        finally:
            stop.set()
        # Nobody waits for a broker that is gone.
        concurrent.futures.wait(callers, timeout=25)
        assert all(caller.done() and caller.exception() is None for caller in callers)
    assert int(body_of(device.ask(f"{BASE}/count")).split()[2]) > max(answered)


def test_the_next_start_can_wait_for_a_debugger(device: Device) -> None:
    status, answer = device.post("/v1/extensions/test.acme.signin.extension/debug", {})
    assert status == 200 and answer["state"] == "waitsForDebugger"
    results: list[dict[str, Any]] = []
    asking = threading.Thread(target=lambda: results.append(device.ask(f"{BASE}/page")))
    asking.start()
    wait_until(lambda: state(device).get("processIdentifier"), 10, "it is started")
    pid = state(device)["processIdentifier"]
    wait_until(
        lambda: Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "Tt", 10, "it has stopped")
    # The broker writes an extension's output to the log, some time after it was written.
    wait_until(lambda: f"process {pid} waits for a debugger" in device.program.log_text, 10, "it says so")
    os.kill(pid, signal.SIGCONT)
    asking.join(10)
    assert results[0]["outcome"] == "response"
    assert device.post("/v1/extensions/no.such/debug", {})[0] == 404


# What is shown.


class Desktop:
    """A desktop whose browser is this test: it is handed the addresses of pages."""

    def __init__(self, folder: Path):
        self.list = folder / "opened"
        self.list.touch()
        self.command = folder / "browser"
        self.command.write_text(f'#!/bin/sh\necho "$1" >> {self.list}\n')
        self.command.chmod(0o755)

    @property
    def opened(self) -> list[str]:
        return self.list.read_text().split()

    def next(self, count: int = 1) -> str:
        return wait_until(lambda: len(self.opened) >= count and self.opened[count - 1], 10, "a page is opened")

    @staticmethod
    def load(url: str, form: dict[str, str] | None = None, **headers: str) -> tuple[int, str]:
        parts = urllib.parse.urlsplit(url)
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=20)
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        if form is None:
            connection.request("GET", path, headers=headers)
        else:
            connection.request(
                "POST", path, body=urllib.parse.urlencode(form),
                headers={"Content-Type": "application/x-www-form-urlencoded"} | headers)
        response = connection.getresponse()
        return response.status, response.read().decode()

    def next_page(self) -> str:
        return self.page_of(self.next())

    @staticmethod
    def page_of(address: str) -> str:
        """The page of the web that an address leads to: others may see the address, and learn nothing of it."""
        parts = urllib.parse.urlsplit(address)
        assert re.fullmatch(r"/[0-9a-f]{32}", parts.path) and not parts.query
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=20)
        connection.request("GET", parts.path)
        response = connection.getresponse()
        assert response.status == 303 and response.headers["Referrer-Policy"] == "no-referrer"
        return response.headers["Location"]

    @classmethod
    def submit(cls, url: str, page: str, **values: str) -> tuple[int, str]:
        step = re.search(r'name="step" value="(\d+)"', page)[1]
        return cls.load(url, {"step": step} | {f"f.{name}": value for name, value in values.items()})


@pytest.fixture
def desktop(device: Device, tmp_path: Path) -> Desktop:
    desktop = Desktop(tmp_path)
    device.stop()
    device.start("--browser", str(desktop.command))
    device.wait_for_domains()
    return desktop


def asking(device: Device, url: str, **fields: Any) -> concurrent.futures.Future:
    pool = concurrent.futures.ThreadPoolExecutor(1)
    future = pool.submit(lambda: device.ask(url, **({"presentation": "desktop"} | fields)))
    pool.shutdown(wait=False)
    return future


def test_a_form_is_shown_in_the_desktops_browser(device: Device, desktop: Desktop) -> None:
    answer = asking(device, f"{BASE}/login")
    url = desktop.next()
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[0-9a-f]{32}", url)
    status, page = desktop.load(url)
    # A browser that keeps passwords keeps none for an address that somebody else may have next.
    assert 'type="password" autocomplete="one-time-code"' in page
    assert status == 200 and "Sign in to id.acme.test" in page and 'value="mika"' in page
    status, page = desktop.submit(url, page, user="mika", password="wrong")
    assert status == 200 and "That password is wrong." in page and 'role="alert"' in page
    status, page = desktop.submit(url, page, user="mika", password="secret", remember="true")
    assert body_of(answer.result(10)) == "mika asked true"
    assert status == 200 and "Done" in page
    with pytest.raises(ConnectionRefusedError):
        desktop.load(url)
    assert len(desktop.opened) == 1


def test_the_next_caller_is_not_asked(device: Device, desktop: Desktop) -> None:
    answer = asking(device, f"{BASE}/login")
    url = desktop.next()
    desktop.submit(url, desktop.load(url)[1], user="mika", password="secret")
    answer.result(10)
    assert body_of(device.ask(f"{BASE}/login")) == "mika silently"


def test_many_who_wait_are_asked_once(device: Device, desktop: Desktop) -> None:
    answers = [asking(device, f"{BASE}/login?{number}") for number in range(10)]
    wait_until(lambda: state(device)["openRequests"] == 10, 10, "all wait")
    url = desktop.next()
    desktop.submit(url, desktop.load(url)[1], user="mika", password="secret")
    bodies = [body_of(answer.result(20)) for answer in answers]
    assert sorted(bodies) == ["mika asked no"] + ["mika silently"] * 9
    assert len(desktop.opened) == 1


def test_after_a_cancel_the_next_one_is_asked(device: Device, desktop: Desktop) -> None:
    first, second = asking(device, f"{BASE}/login?1"), asking(device, f"{BASE}/login?2")
    url = desktop.next()
    page = desktop.load(url)[1]
    desktop.load(url, {"step": re.search(r'name="step" value="(\d+)"', page)[1], "cancel": "1"})
    other = desktop.next(2)
    desktop.submit(other, desktop.load(other)[1], user="mika", password="secret")
    outcomes = {first.result(20)["outcome"], second.result(20)["outcome"]}
    assert outcomes == {"canceled", "response"}


def test_a_page_of_the_web_comes_back_to_a_return_url(device: Device, desktop: Desktop) -> None:
    answer = asking(device, f"{BASE}/web?https://id.acme.test/authorize")
    url = desktop.next_page()
    assert url.startswith("https://id.acme.test/authorize?redirect_uri=http://127.0.0.1")
    returning = urllib.parse.parse_qs(urllib.parse.urlsplit(url).query)["redirect_uri"][0]
    _, page = desktop.load(f"{returning}?code=c1&state=s1")
    assert body_of(answer.result(10)) == "code=c1&state=s1" and "Done" in page


def test_without_a_desktop_nothing_hangs(device: Device) -> None:
    outcome = device.ask(f"{BASE}/login", presentation="desktop")
    assert outcome["reason"] == "notInteractive" and outcome["error"]["code"] == 1005


def test_with_nothing_to_be_shown_it_is_not_interactive(device: Device, desktop: Desktop) -> None:
    for path in ["login", "web?https://id.acme.test/"]:
        outcome = device.ask(f"{BASE}/{path}", presentation="none", operation="refresh")
        assert outcome["error"]["code"] == 1005 and outcome["reason"] == "notInteractive"
    assert desktop.opened == []


@pytest.mark.skipif(os.geteuid() != 0, reason="takes two users")
def test_another_user_gets_no_page_and_no_connection(device: Device, desktop: Desktop) -> None:
    answer = asking(device, f"{BASE}/login")
    url = desktop.next()
    other = subprocess.run(["curl", "-s", "-w", "%{http_code}", url], user="nobody", capture_output=True, text=True)
    assert other.stdout == "000" and other.returncode != 0
    status, page = desktop.load(url)
    assert status == 200
    desktop.submit(url, page, user="mika", password="secret")
    assert answer.result(10)["outcome"] == "response"


def test_what_is_asked_to_be_shown_after_the_end_is_not(device: Device, desktop: Desktop) -> None:
    descriptors = Path(f"/proc/{device.program.process.pid}/fd")
    device.ask(f"{BASE}/page")
    before = len(list(descriptors.iterdir()))
    for _ in range(30):
        device.ask(f"{BASE}/show-and-answer", presentation="desktop")
    wait_until(lambda: len(list(descriptors.iterdir())) <= before + 2, 10, "nothing stays open")


def test_one_thing_at_a_time_is_shown_for_a_request(device: Device, desktop: Desktop) -> None:
    outcome = device.ask(f"{BASE}/show-twice", presentation="desktop")
    assert "shown for this request already" in body_of(outcome)
    assert len(desktop.opened) == 1


def test_only_pages_of_the_web_are_opened(device: Device, desktop: Desktop) -> None:
    outcome = device.ask(f"{BASE}/web?file:///etc/passwd", presentation="desktop")
    assert outcome["outcome"] == "failed" and "http or https" in outcome["error"]["message"]
    assert desktop.opened == []


def test_a_page_with_line_ends_in_its_address_adds_nothing_to_the_broker_s_answer(
    device: Device, desktop: Desktop, tmp_path: Path
) -> None:
    raw_extension(device, tmp_path, """
send({"ready": {"version": 1}})
number = receive()["begin"]["_0"]["id"]
send({"presentWebPage": {"id": number, "_1": "https://id.acme.test/a?state=s\\r\\n1&b=\\tc"}})
assert receive()["presented"]
send({"completed": {"id": number, "_1": {"response": {"_0": {
    "url": "https://id.acme.test/realms/staff/page", "status": 200, "headers": [], "body": ""}}}}})
peer.recv(1)
""")
    answer = asking(device, f"{BASE}/page")
    # As browsers read it themselves.
    assert desktop.next_page() == "https://id.acme.test/a?state=s1&b=c"
    origin = desktop.next().rpartition("/")[0]
    assert desktop.load(f"{origin}/callback?state=s1&code=c1")[0] == 200
    assert answer.result(10)["outcome"] == "response"


def test_a_fetch_of_the_return_url_ends_nothing(device: Device, desktop: Desktop) -> None:
    answer = asking(device, f"{BASE}/web?https://id.acme.test/authorize")
    returning = urllib.parse.parse_qs(urllib.parse.urlsplit(desktop.next_page()).query)["redirect_uri"][0]
    assert desktop.load(f"{returning}?code=forged", **{"Sec-Fetch-Mode": "no-cors"})[0] == 410
    assert not answer.done()
    desktop.load(f"{returning}?code=c1", **{"Sec-Fetch-Mode": "navigate"})
    assert body_of(answer.result(10)) == "code=c1"


def test_an_end_takes_extensions_that_heed_nothing_with_it(device: Device) -> None:
    pid = pid_in(device.ask(f"{BASE}/count"))
    freeze(pid)
    device.program.terminate()
    device.program.wait(15)
    wait_until(lambda: not is_alive(pid), 5, "it is gone")


def test_pages_of_the_web_cannot_reach_the_form(device: Device, desktop: Desktop) -> None:
    asking(device, f"{BASE}/login")
    url = desktop.next()
    parts = urllib.parse.urlsplit(url)
    assert desktop.load(url, Host="evil.test")[0] == 410
    assert desktop.load(url, {"step": "1", "f.user": "x"}, Origin="https://evil.test")[0] == 410
    assert desktop.load(f"http://{parts.netloc}/{'0' * 32}")[0] == 410


def test_a_caller_that_goes_takes_its_page_with_it(device: Device, desktop: Desktop) -> None:
    connection = SocketConnection(device.socket)
    connection.request("POST", "/v1/requests", body=json.dumps({"url": f"{BASE}/login"}))
    url = desktop.next()
    connection.close()

    def is_gone() -> bool:
        try:
            return desktop.load(url)[0] == 410
        except (ConnectionRefusedError, ConnectionResetError):
            return True

    wait_until(is_gone, 10, "the page is gone")
    assert state(device)["openRequests"] == 0


MARKUP = """</title></p>'"><script>alert(1)</script><img src=x onerror=alert(1)>&lt;\u202e"""
# An extension that shows a form in which every word is markup.
SHOWS_MARKUP = f"""#!/usr/bin/python3
import json, os, socket, struct
peer = socket.socket(fileno=int(os.environ["LANYARD_SSO_EXTENSION_SOCKET"]))
def send(message):
    data = json.dumps(message).encode()
    peer.sendall(struct.pack(">I", len(data)) + data)
markup = {MARKUP!r}
send({{"ready": {{"version": 1}}}})
while head := peer.recv(4):
    (name, content), = json.loads(peer.recv(struct.unpack(">I", head)[0], socket.MSG_WAITALL)).items()
    if name == "begin":
        send({{"presentForm": {{"id": content["_0"]["id"], "_1": {{
            "title": markup, "text": markup, "problem": markup, "submit": markup, "fields": [
                {{"name": markup, "label": markup, "kind": "text", "value": markup}},
                {{"name": "c", "label": markup, "kind": "checkbox", "value": "true"}}]}}}}}})
"""


class Elements(HTMLParser):
    """What a browser makes of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text = ""

    def handle_starttag(self, name: str, attributes: list) -> None:
        self.names.append(name)
        self.attributes += attributes

    def handle_data(self, data: str) -> None:
        self.text += data


def test_markup_in_what_an_extension_shows_is_text(device: Device, desktop: Desktop, tmp_path: Path) -> None:
    program = tmp_path / "shows-markup"
    program.write_text(SHOWS_MARKUP)
    program.chmod(0o755)
    device.install_extension(executable=str(program), displayName=MARKUP)
    wait_until(lambda: device.get("/v1/status")["extensions"][0]["name"] != "Acme Sign-In", 10, "it is taken up")
    asking(device, f"{BASE}/login")
    _, page = desktop.load(desktop.next())
    elements = Elements()
    elements.feed(page)
    # The page's own are no script either.
    assert not {"script", "img"} & set(elements.names), page
    assert not [name for name, _ in elements.attributes if name.startswith("on")]
    assert "<script>alert(1)</script>" in elements.text
    assert ("value", MARKUP.replace("\u202e", "")) in [
        (name, (value or "").replace("\u202e", "")) for name, value in elements.attributes]


def test_what_is_not_lanyards_own_cannot_draw_forms_itself(device: Device, desktop: Desktop) -> None:
    for presentation in ["tab", "terminal"]:
        connection = SocketConnection(device.socket)
        connection.request(
            "POST", "/v1/requests",
            body=json.dumps({"url": f"{BASE}/login", "presentation": presentation,
                             "page": {"initiatorOrigin": "https://trusted.test"}}))
        page = desktop.load(desktop.next())[1]
        assert "trusted.test" not in page
        desktop.submit(desktop.next(), page, user="mika", password="secret")
        # Nothing but the end: no form, and no answer to one.
        [line] = connection.getresponse().read().splitlines()
        assert json.loads(line)["outcome"] == "response"
        desktop.list.write_text("")
        (device.state / "extensions" / EXTENSION / "user").unlink()


def test_an_answer_counts_only_if_the_domain_still_agrees_when_it_comes(device: Device, desktop: Desktop) -> None:
    answer = asking(device, f"{BASE}/login")
    url = desktop.next()
    page = desktop.load(url)[1]
    device.domains.apps["id.acme.test"] = ["OTHER.app"]
    assert device.post("/v1/domains/refresh", {})[0] == 200
    desktop.submit(url, page, user="mika", password="secret")
    outcome = answer.result(10)
    assert outcome["outcome"] == "notHandled" and outcome["reason"] == "domainNotApproved", outcome
    assert outcome.get("response") is None
    assert "has answered" in device.get("/v1/log")[-1]["detail"]


def test_an_answer_counts_only_if_the_profile_is_still_there_when_it_comes(device: Device, desktop: Desktop) -> None:
    answer = asking(device, f"{BASE}/login", operation="login")
    url = desktop.next()
    page = desktop.load(url)[1]
    (device.profiles / "acme.mobileconfig").unlink()
    wait_until(lambda: device.get("/v1/status")["urls"] == [], 10, "the profile is gone")
    desktop.submit(url, page, user="mika", password="secret")
    outcome = answer.result(10)
    assert outcome["outcome"] == "notHandled" and outcome["reason"] == "notCovered", outcome
    assert outcome.get("response") is None and outcome["error"]["code"] == 1003


def raw_extension(device: Device, folder: Path, body: str) -> None:
    """An extension without Lanyard's library: `peer` is its socket, `number` that of its first request."""
    program = folder / "raw"
    program.write_text(
        "#!/usr/bin/python3\n"
        "import json, os, signal, socket, struct, sys, time\n"
        "peer = socket.socket(fileno=int(os.environ['LANYARD_SSO_EXTENSION_SOCKET']))\n"
        "def send(report): text = json.dumps(report).encode(); peer.sendall(struct.pack('>I', len(text)) + text)\n"
        "def receive():\n"
        "    length, = struct.unpack('>I', peer.recv(4, socket.MSG_WAITALL))\n"
        "    return json.loads(peer.recv(length, socket.MSG_WAITALL))\n" + body)
    program.chmod(0o755)
    device.install_extension(executable=str(program), displayName="Raw")
    wait_until(lambda: state(device)["name"] == "Raw", 10, "the broker has seen the manifest")
    assert state(device)["state"] == "stopped"


def memory(device: Device) -> int:
    """The most that the broker has had in memory until now, in MiB."""
    status = Path(f"/proc/{device.program.process.pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) // 1024


def test_an_extension_that_asks_and_does_not_listen_fills_no_memory(device: Device, tmp_path: Path) -> None:
    # The signal that comes with the end of the socket must not end it before it has said what it saw.
    raw_extension(device, tmp_path, """
signal.signal(signal.SIGTERM, signal.SIG_IGN)
number = receive()["begin"]["_0"]["id"]
form = {"title": "t", "fields": [], "submit": "s"}
text = json.dumps({"presentForm": {"id": number, "_1": form}}).encode()
batch = (struct.pack('>I', len(text)) + text) * 500
sys.stderr.write("flooding\\n")
while True:
    peer.sendall(batch)
    sys.stderr.write("sent\\n")
""")
    before = memory(device)
    outcome = device.ask(f"{BASE}/page", timeout=60)
    assert outcome["reason"] == "unusableResponse"
    assert "asked 1000 times to show something" in outcome["error"]["message"]
    wait_until(lambda: "Broken pipe" in device.program.log_text, 60, "its socket is closed, in the middle of its flood")
    assert memory(device) - before < 20
    assert device.ask("https://example.org/", timeout=5)["reason"] == "notCovered"


def test_nonsense_is_complained_about_once(device: Device, tmp_path: Path) -> None:
    raw_extension(device, tmp_path, """
receive()
peer.sendall((struct.pack('>I', 2) + b'{}') * 5000)
time.sleep(60)
""")
    assert device.ask(f"{BASE}/page")["reason"] == "unusableResponse"
    assert device.ask(f"{BASE}/page")["reason"] == "extensionBackedOff"
    # There is one line about the extension's failure, and one about the request that failed because of it.
    complaints = [
        line for line in device.program.log_text.splitlines()
        if "none of the protocol" in line and "extensionBackedOff" not in line]
    assert len(complaints) == 2
    assert sum("reason=unusableResponse" in line for line in complaints) == 1


def test_an_end_takes_extensions_with_it_that_were_let_go_and_heed_nothing(device: Device, tmp_path: Path) -> None:
    device.stop()
    device.start("--silent-limit", "1")
    device.wait_for_domains()
    raw_extension(device, tmp_path, """
signal.signal(signal.SIGTERM, signal.SIG_IGN)
while True:
    time.sleep(60)
""")
    asked = asking(device, f"{BASE}/page", presentation="none")
    pid = wait_until(lambda: state(device).get("processIdentifier"), 10, "it is started")
    assert asked.result(10)["reason"] == "timedOut"
    assert is_alive(pid)
    device.program.terminate()
    device.program.wait(15)
    wait_until(lambda: not is_alive(pid), 3, "it is gone")


def test_what_an_extension_asked_for_after_its_answer_is_drawn_by_no_caller(device: Device) -> None:
    device.stop()
    device.start("--terminal-program", os.path.realpath("/proc/self/exe"))
    device.wait_for_domains()
    connection = SocketConnection(device.socket)
    for _ in range(300):
        connection.request("POST", "/v1/requests", body=json.dumps(
            {"url": f"{BASE}/show-and-answer", "presentation": "terminal"}))
        lines = [json.loads(line) for line in connection.getresponse().read().splitlines()]
        assert [line["event"] for line in lines][-1] == "finished" and len(lines) <= 2, lines
        assert body_of(lines[-1]) == "<p>answered</p>"
    assert state(device)["openRequests"] == 0


def test_what_is_open_goes_on_when_the_extension_is_another(device: Device) -> None:
    pid = pid_in(device.ask(f"{BASE}/count"))
    waiting = SocketConnection(device.socket)
    waiting.request("POST", "/v1/requests", body=json.dumps({"url": f"{BASE}/never", "presentation": "none"}))
    wait_until(lambda: state(device)["openRequests"] == 1, 10, "one waits")
    device.install_extension(displayName="Acme Sign-In 2")
    wait_until(lambda: state(device)["name"] == "Acme Sign-In 2", 10, "the change is seen")
    assert pid_in(device.ask(f"{BASE}/count")) != pid
    assert is_alive(pid) and state(device)["openRequests"] == 1
    waiting.close()
    wait_until(lambda: not is_alive(pid), 10, "the first one has nothing left to do")
