"""Whatever is missing, old, slow or ends: the page loads as if there were no single sign-on, and soon."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from bridged_chromium import BridgedChromium
from device import Device, form, redirection
from processes import LANYARD, wait_until

# A host that answers like `lanyard-sso native-host`, but is of another version, or says nothing, or nonsense.
HOST = """#!/usr/bin/env python3
import json, struct, sys, time
def receive():
    head = sys.stdin.buffer.read(4)
    if len(head) < 4: sys.exit()
    return json.loads(sys.stdin.buffer.read(struct.unpack("=I", head)[0]))
def send(message):
    data = json.dumps(message).encode()
    sys.stdout.buffer.write(struct.pack("=I", len(data)) + data)
    sys.stdout.buffer.flush()
while True:
    question = receive()
    {reaction}
"""
RULES = """if question["type"] == "rules": send({"id": question["id"], "type": "rules", "urls": ["URL"], "more": False})
    if question["type"] == "watch": send({"id": 0, "type": "profilesChanged"})
"""
HELLO = """if question["type"] == "hello": send({"id": question["id"], "type": "hello", "version": 1, "program": "0"})
    """


@pytest.fixture
def own_device(tmp_path: Path) -> Iterator[Device]:
    device = Device(tmp_path / "device", ["/realms/acme"])
    device.provider.show("/realms/acme", "<!doctype html><title>provider</title><main>On the web</main>")
    device.app.show("/welcome", "<!doctype html><title>welcome</title>")
    try:
        yield device
    finally:
        device.stop()


@pytest.fixture
def start(own_device: Device) -> Iterator[Callable[..., BridgedChromium]]:
    started: list[BridgedChromium] = []

    def start(reaction: str | None = None, profile: str | None = None) -> BridgedChromium:
        """With a new profile; or with one that has a name, which may have been there before, and in which a policy installs the
        extension, so that it stays."""
        script = None
        if reaction is not None:
            script = HOST.replace("{reaction}", reaction.replace("URL", own_device.provider.origin + "/realms/acme"))
        started.append(BridgedChromium(
            own_device, host_script=script, name=profile or f"chromium-{len(started)}", installs_by_policy=profile is not None))
        return started[-1]

    yield start
    for browser in started:
        browser.stop()


def lands_on_the_web(browser: BridgedChromium, device: Device) -> None:
    """By itself. That a page waits for a second, and not for longer, says `test_page_looks`."""
    browser.open(f"{device.provider.origin}/realms/acme?q=1")
    browser.wait_for_title("provider")
    assert browser.url == f"{device.provider.origin}/realms/acme?q=1"


def badge(browser: BridgedChromium) -> str:
    return browser.in_extension("return chrome.action.getBadgeText({})")


def test_without_a_broker(own_device: Device, start: Callable[..., BridgedChromium]) -> None:
    """And when one comes, it is asked at once."""
    browser = start()
    lands_on_the_web(browser, own_device)
    assert browser.rules() == []
    own_device.will(redirection(f"{own_device.app.origin}/welcome"))
    own_device.start_broker()
    browser.wait_for_rules(1)
    browser.open(f"{own_device.provider.origin}/realms/acme")
    browser.wait_for_title("welcome")


def test_when_the_broker_has_gone_since(own_device: Device, start: Callable[..., BridgedChromium]) -> None:
    own_device.start_broker()
    browser = start()
    browser.wait_for_rules(1)
    own_device.stop_broker()
    lands_on_the_web(browser, own_device)
    lands_on_the_web(browser, own_device)


def test_when_the_broker_is_killed_in_the_middle(own_device: Device, start: Callable[..., BridgedChromium]) -> None:
    own_device.start_broker()
    browser = start()
    browser.wait_for_rules(1)
    own_device.will(form())
    browser.open(f"{own_device.provider.origin}/realms/acme?q=1")
    browser.wait_for_heading("Sign in to Acme")
    own_device.broker.kill()
    browser.wait_for_title("provider")
    assert browser.url == f"{own_device.provider.origin}/realms/acme?q=1"
    own_device.broker.stop()
    # The next one finds the socket of the dead one, and takes its place.
    own_device.will(redirection(f"{own_device.app.origin}/welcome"))
    own_device.start_broker()
    browser.open(f"{own_device.provider.origin}/realms/acme?q=2")
    browser.wait_for_title("welcome")


def test_with_a_host_that_says_nothing(own_device: Device, start: Callable[..., BridgedChromium]) -> None:
    """One second: docs/specifications/extensible-single-sign-on.md, 20.8."""
    browser = start(HELLO + RULES)
    browser.wait_for_rules(1)
    lands_on_the_web(browser, own_device)


def test_with_a_host_of_another_version(own_device: Device, start: Callable[..., BridgedChromium]) -> None:
    """It goes on, and says why."""
    browser = start('send({"id": question["id"], "type": "hello", "version": 2, "program": "9"})')
    lands_on_the_web(browser, own_device)
    wait_until(lambda: badge(browser) == "!", 10, "the mark on the button")
    title = browser.in_extension("return chrome.action.getTitle({})")
    assert "different versions" in title


def test_with_a_host_that_ends_in_the_middle(own_device: Device, start: Callable[..., BridgedChromium]) -> None:
    browser = start(HELLO + RULES + '    if question["type"] == "request": sys.exit(3)')
    browser.wait_for_rules(1)
    lands_on_the_web(browser, own_device)


def test_with_a_host_that_speaks_nonsense(own_device: Device, start: Callable[..., BridgedChromium]) -> None:
    reaction = '    if question["type"] == "request": send({"id": question["id"], "type": "finished", "outcome": {"outcome": "response", "response": {"url": "http://evil.test/", "status": 302, "headers": [["Location", "http://evil.test/"]]}}})'
    browser = start(HELLO + RULES + reaction)
    browser.wait_for_rules(1)
    lands_on_the_web(browser, own_device)


def test_when_the_background_has_been_ended(own_device: Device, start: Callable[..., BridgedChromium]) -> None:
    """Rules live in the browser, and pages need no background."""
    own_device.start_broker()
    browser = start()
    browser.wait_for_rules(1)
    own_device.will(redirection(f"{own_device.app.origin}/welcome"))
    browser.open("about:blank")
    browser.driver.execute_cdp_cmd("Target.closeTarget", {"targetId": browser.worker()})
    wait_until(lambda: browser.worker() is None, 10, "the background has ended")
    browser.open(f"{own_device.provider.origin}/realms/acme")
    browser.wait_for_title("welcome")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a browser policies of its own")
def test_a_browser_that_is_started_anew_knows_what_is_covered_before_anybody_has_told_it(
    own_device: Device, start: Callable[..., BridgedChromium]
) -> None:
    own_device.start_broker()
    browser = start(profile="own")
    browser.wait_for_rules(1)
    browser.stop()
    # Nobody tells it anything now, and it asks all the same.
    own_device.will(redirection(f"{own_device.app.origin}/welcome"))
    asked = own_device.folder / "asked"
    reaction = f'if question["type"] == "request": open("{asked}", "w").write(question["url"])'
    browser = start(HELLO + reaction, profile="own")
    lands_on_the_web(browser, own_device)
    assert asked.read_text() == f"{own_device.provider.origin}/realms/acme?q=1"
    browser.stop()
    browser = start(profile="own")
    browser.open(f"{own_device.provider.origin}/realms/acme")
    browser.wait_for_title("welcome")


def test_rules_follow_the_profiles(own_device: Device, start: Callable[..., BridgedChromium]) -> None:
    own_device.start_broker()
    browser = start()
    browser.wait_for_rules(1)
    own_device.cover(["/realms/acme", "/open/"])
    browser.wait_for_rules(2)
    (own_device.profiles / "acme.mobileconfig").unlink()
    browser.wait_for_rules(0)


def test_a_thousand_prefixes_and_more(own_device: Device, start: Callable[..., BridgedChromium]) -> None:
    """Beyond the browser's limit, whole hosts are led to the page; what is not covered goes on from there."""
    own_device.cover([f"/realms/r{number}/" for number in range(1200)] + ["/realms/acme"])
    own_device.provider.show("/other", "<!doctype html><title>other</title>")
    own_device.start_broker()
    browser = start()
    browser.wait_for_rules(1000)
    own_device.will(redirection(f"{own_device.app.origin}/welcome"))
    browser.open(f"{own_device.provider.origin}/realms/acme")
    browser.wait_for_title("welcome")
    browser.open(f"{own_device.provider.origin}/other?x=1")
    browser.wait_for_title("other")
    assert len(own_device.noted("begin")) == 1


def test_a_host_without_the_program(own_device: Device, start: Callable[..., BridgedChromium]) -> None:
    """Lanyard was removed, and the browser's files stayed."""
    browser = start()
    own_device.host_program("chromium-0-host", "#!/bin/sh\nexec /nowhere/lanyard\n")
    lands_on_the_web(browser, own_device)
    assert LANYARD.exists()
