"""Debian's Chromium with Lanyard's extension, as `lanyard-sso browser-policy` writes it for one user."""

import json
import os
import urllib.request
from pathlib import Path

from device import APP, PROVIDER, Device
from processes import LANYARD_SSO, PATIENCE, run, wait_until
from selenium import webdriver
from selenium.common.exceptions import TimeoutException, WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

from chromium import UNUSED, Chromium, chromium_options

RESOURCES = Path(__file__).resolve().parents[4] / "Sources" / "Device" / "BrowserExtension" / "Resources"


def words(language: str) -> dict[str, str]:
    """What the extension for browsers says, by its names for it."""
    catalogue = json.loads((RESOURCES / f"{language}.json").read_text())
    return {name: entry["message"] for name, entry in catalogue.items()}


class BridgedChromium(Chromium):
    """A profile of its own in the device's folder; ends with `stop`."""

    def __init__(
        self, device: Device, language: str = "en-US", host_script: str | None = None, name: str = "chromium",
        installs_by_policy: bool = False, allowed_host: str = PROVIDER, switches: tuple[str, ...] = (),
        is_exact: bool = False,
    ) -> None:
        """Loads the unpacked extension, or has the packed one installed by a policy, which takes root. Unless a test is
        about the time, the unpacked one waits longer for the broker's first word beside other tests."""
        self.device = device
        self.allowed_host = allowed_host
        self.folder = device.folder / name
        written = self.folder / "written"
        updates = written / "usr/share/lanyard/browser/updates.xml"
        result = run(
            LANYARD_SSO, "browser-policy", "--out", written, "--browser", "chromium", "--json",
            "--update-url", updates.as_uri(), "--allowed-host", allowed_host)
        assert result.returncode == 0, result.stderr
        self.extension = written / "usr/share/lanyard/browser/chromium"
        if not is_exact:
            self._wait_longer()
        self.profile = self.folder / "profile"
        self._install_host(written, host_script)

        loading = [] if installs_by_policy else [f"load-extension={self.extension}"]
        options = chromium_options(language, [*UNUSED, *(["DisableLoadExtensionCommandLineSwitch"] if loading else [])])
        for switch in (
            f"user-data-dir={self.profile}", *loading, *switches,
            f"host-resolver-rules=MAP {PROVIDER} 127.0.0.1,MAP {APP} 127.0.0.1,MAP * ~NOTFOUND,EXCLUDE 127.0.0.1",
        ):
            options.add_argument(f"--{switch}")
        excluded = ["disable-extensions"]
        if installs_by_policy:
            # Otherwise the browser does not look at the file either. The resolver keeps its requests on this machine.
            excluded.append("disable-background-networking")
            options.arguments.remove("--disable-background-networking")
        options.add_experimental_option("excludeSwitches", excluded)
        options.add_experimental_option("prefs", {"intl.accept_languages": language})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        # Decides the language of Chromium and its extensions.
        environment = os.environ | {"LANGUAGE": language.replace("-", "_")}
        program = self._driver_with_policies(written) if installs_by_policy else "/usr/bin/chromedriver"
        self.driver = self._start(options, str(program), environment)

    def _wait_longer(self) -> None:
        """A page without an answer goes on to the web after a second, in which a busy machine may not come to the broker."""
        page = self.extension / "page.js"
        before, name, after = page.read_text().partition("const ANSWER_MILLISECONDS = 1000;")
        assert name
        page.write_text(f"{before}const ANSWER_MILLISECONDS = {1000 * PATIENCE};{after}")

    def _start(self, options: webdriver.ChromeOptions, program: str, environment: dict[str, str]) -> webdriver.Chrome:
        """A browser whose extension runs. On a busy machine a tab that is opened while extensions are being loaded can
        hang for good; then it is started anew. A tab that does not hang shows an empty page at once, so that the first
        attempts are soon given up."""
        attempts = (5, 10, 20, 30)
        for seconds in attempts:
            driver = webdriver.Chrome(options, webdriver.ChromeService(program, env=environment))
            driver.set_page_load_timeout(seconds)
            self.driver = driver
            try:
                wait_until(lambda: self.worker() is not None, 30, "the extension runs", is_exact=True)
                driver.get("about:blank")
                driver.set_page_load_timeout(30 * PATIENCE)
                return driver
            except Exception:
                driver.quit()
                if seconds == attempts[-1]:
                    raise
        raise AssertionError("unreachable")

    def _driver_with_policies(self, written: Path) -> Path:
        """A driver whose browser sees these policies, and nobody else does."""
        # Policies that install extensions keep everybody out of the extensions' pages, also WebDriver.
        open_up = written / "etc/chromium/policies/managed/test.json"
        open_up.write_text('{"DeveloperToolsAvailability": 1}')
        program = self.folder / "driver"
        program.write_text(
            "#!/bin/sh\n"
            f"exec unshare --mount sh -c 'mount --bind {written}/etc/chromium /etc/chromium &&"
            " exec /usr/bin/chromedriver \"$@\"' sh \"$@\"\n")
        program.chmod(0o755)
        return program

    def worker(self) -> str | None:
        """The id of the background's target, if it runs. The browser is asked itself: a command of the driver would go
        through a tab, which can hang."""
        address = self.driver.capabilities["goog:chromeOptions"]["debuggerAddress"]
        with urllib.request.urlopen(f"http://{address}/json/list", timeout=60) as answer:
            targets = json.load(answer)
        found = [t["id"] for t in targets if t["type"] == "service_worker" and self.extension_id in t["url"]]
        return found[0] if found else None

    def _install_host(self, written: Path, script: str | None) -> None:
        """Where this profile looks for native hosts, and with the device's socket."""
        manifest = json.loads((written / "etc/chromium/native-messaging-hosts/lanyard.sso.json").read_text())
        self.extension_id = manifest["allowed_origins"][0].removeprefix("chrome-extension://").rstrip("/")
        manifest["path"] = str(self.device.host_program(f"{self.folder.name}-host", script))
        folder = self.profile / "NativeMessagingHosts"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "lanyard.sso.json").write_text(json.dumps(manifest))

    # Going about.

    def open(self, url: str) -> None:
        self.driver.get(url)

    def wait(self, condition, what: str, timeout: float = 20):
        timeout *= PATIENCE
        try:
            return WebDriverWait(self.driver, timeout, poll_frequency=0.05, ignored_exceptions=[Exception]).until(
                lambda _: condition())
        except Exception:
            body = self.driver.execute_script("return document.body ? document.body.innerText : ''")
            raise AssertionError(f"not within {timeout} s: {what}; at {self.url}:\n{body}") from None

    def wait_for_title(self, title: str) -> None:
        self.wait(lambda: self.driver.title == title, f"the page “{title}”")

    def wait_for_heading(self, heading: str) -> None:
        self.wait(lambda: self.heading == heading, f"the heading “{heading}”")

    def switch_to_other_tab(self) -> str:
        """Waits for the one other tab, which the browser may report a moment after the page that opened it.
        :return: the tab that was shown before"""
        first = self.driver.current_window_handle
        self.wait(lambda: len(self.driver.window_handles) == 2, "another tab")
        other, = set(self.driver.window_handles) - {first}
        self.driver.switch_to.window(other)
        return first

    def open_tab(self, url: str) -> str:
        """Opens a tab as a page does, and switches to it. A page that has just come back from the history may be shown, and
        still lose what a script does in it; then the script runs again.
        :return: the tab that was shown before"""
        def has_opened() -> bool:
            self.driver.execute_script("window.open(arguments[0])", url)
            try:
                return WebDriverWait(self.driver, 4).until(lambda driver: len(driver.window_handles) == 2)
            except TimeoutException:
                return False
        self.wait(has_opened, "a tab that a script opens")
        return self.switch_to_other_tab()

    def press(self, label: str) -> None:
        self.click(self.button(label))

    def button(self, label: str) -> WebElement:
        if found := self.find("button", lambda words: words == label):
            return found
        raise LookupError(f"no button “{label}”:\n{self.text}")

    def fill(self, name: str, value: str) -> None:
        self.driver.find_element(By.NAME, name).send_keys(value)

    # Reading.

    @property
    def url(self) -> str:
        return self.driver.current_url

    @property
    def text(self) -> str:
        # Without the marks that keep names apart from the sentences around them.
        return super().text.replace("\u2068", "").replace("\u2069", "")

    @property
    def focused(self) -> str:
        return self.driver.switch_to.active_element.get_attribute("name") or ""

    def rules(self) -> list[dict]:
        """Those for covered URLs, as the browser has them."""
        return self.in_extension("return chrome.declarativeNetRequest.getDynamicRules()")

    def in_extension(self, script: str):
        """Runs a script in the extension's name, in the tab, which is on no page afterwards."""
        self.driver.get(f"chrome-extension://{self.extension_id}/page.html")
        try:
            return self.driver.execute_script(script)
        finally:
            self.driver.get("about:blank")

    def wait_for_rules(self, count: int) -> None:
        def are_there() -> bool:
            try:
                return len(self.rules()) == count
            except WebDriverException:
                return False  # The extension is just being loaded.

        wait_until(are_there, 60, f"{count} rules")

    def stop(self) -> None:
        self.driver.quit()
