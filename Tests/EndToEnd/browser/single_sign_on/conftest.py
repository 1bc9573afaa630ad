from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from bridged_chromium import BridgedChromium
from device import Device

# What the profile covers: a path without a slash at its end, and one with it.
COVERED = ["/realms/acme", "/open/"]


@pytest.fixture(scope="module")
def shared_device(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Device]:
    device = Device(tmp_path_factory.mktemp("device"), COVERED)
    try:
        device.start_broker()
        yield device
    finally:
        device.stop()


@pytest.fixture(scope="module")
def shared_browser(shared_device: Device) -> Iterator[BridgedChromium]:
    browser = BridgedChromium(shared_device)
    try:
        browser.wait_for_rules(len(COVERED))
        yield browser
    finally:
        browser.stop()


@pytest.fixture
def device(shared_device: Device) -> Device:
    """A running device, on which no request is open, with sites that say where one is."""
    provider, app = shared_device.provider, shared_device.app
    provider.paths = {path: answer for path, answer in provider.paths.items() if path == "/favicon.ico"}
    provider.posted.clear()
    app.posted.clear()
    for path in ("/realms/acme", "/realms/acme/auth", "/realms/acme-test", "/other", "/open/door"):
        provider.show(path, f"<!doctype html><title>provider {path}</title><main>{path} on the web</main>")
    app.show("/welcome", "<!doctype html><title>welcome</title><main>Welcome</main>")
    shared_device.will()
    return shared_device


@pytest.fixture
def browser(shared_browser: BridgedChromium, device: Device) -> Iterator[BridgedChromium]:
    """One tab, without cookies and on no page, and with nothing left of the test before."""
    driver = shared_browser.driver
    first, *others = driver.window_handles
    for window in others:
        driver.switch_to.window(window)
        driver.close()
    driver.switch_to.window(first)
    driver.get("about:blank")
    driver.execute_cdp_cmd("Network.clearBrowserCookies", {})
    shared_browser.in_extension("sessionStorage.clear()")
    driver.get_log("browser")
    yield shared_browser
    # Scripts in an extension's answer must not run; the browser reports each that it has blocked.
    complaints = [
        entry["message"] for entry in driver.get_log("browser")
        if "chrome-extension://" in entry["message"] and "has been blocked" not in entry["message"]
    ]
    assert complaints == []


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., tuple[Device, BridgedChromium]]]:
    """Starts a device and a browser of their own, in a language, where an extension and an organization have these names."""
    started: list = []

    def start(language: str = "en-US", names: tuple[str, str] = ("Acme Sign-In", "Acme"), is_exact: bool = False):
        device = Device(tmp_path / f"device-{len(started)}", ["/realms/acme"], names)
        started.append(device)
        device.start_broker()
        browser = BridgedChromium(device, language, is_exact=is_exact)
        started.append(browser)
        browser.wait_for_rules(1)
        device.app.show("/start", f'<!doctype html><a href="{device.provider.origin}/realms/acme">in</a>')
        return device, browser

    yield start
    for thing in reversed(started):
        thing.stop()
