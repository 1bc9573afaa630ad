"""Debian's Firefox with Lanyard's extension, driven by WebDriver BiDi, which it speaks without another program."""

import json
import re
from pathlib import Path
from typing import Any

import websocket
from device import APP, PROVIDER, Device
from processes import LANYARD_SSO, Program, run, wait_until

FIREFOX = Path("/usr/bin/firefox-esr")


class BridgedFirefox:
    """A home of its own in the device's folder; ends with `stop`."""

    def __init__(self, device: Device) -> None:
        self.home = device.folder / "firefox"
        profile = self.home / "profile"
        profile.mkdir(parents=True)
        # Names are resolved by Firefox itself, and nothing is asked of the outside.
        (profile / "user.js").write_text("".join(
            f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in {
                "network.dns.localDomains": f"{PROVIDER},{APP}",
                "network.proxy.type": 0,
                "dom.security.https_first": False,
                "datareporting.policy.dataSubmissionEnabled": False,
                "browser.shell.checkDefaultBrowser": False,
                "app.update.auto": False,
                "extensions.update.enabled": False,
                "network.captive-portal-service.enabled": False,
                "network.connectivity-service.enabled": False,
                "security.warn_submit_secure_to_insecure": False,
            }.items()))
        written = self.home / "written"
        result = run(LANYARD_SSO, "browser-policy", "--out", written, "--browser", "firefox", "--json")
        assert result.returncode == 0, result.stderr
        manifest = json.loads((written / "usr/lib/mozilla/native-messaging-hosts/lanyard.sso.json").read_text())
        manifest["path"] = str(device.host_program("firefox-host"))
        hosts = self.home / ".mozilla" / "native-messaging-hosts"
        hosts.mkdir(parents=True)
        (hosts / "lanyard.sso.json").write_text(json.dumps(manifest))

        self.program = Program(
            "env", f"HOME={self.home}", f"XDG_RUNTIME_DIR={self.home}", "MOZ_HEADLESS=1", FIREFOX,
            "--remote-debugging-port=0", "--profile", profile, "--no-remote", "about:blank",
            log=device.folder / "firefox.log")
        try:
            address = self.program.wait_until(
                lambda: re.search(r"WebDriver BiDi listening on (ws://\S+)", self.program.log_text), 60,
                "Firefox listens")[1]
            self.socket = websocket.create_connection(f"{address}/session", suppress_origin=True, timeout=60)
            self.last = 0
            self.call("session.new", capabilities={})
            self.tab = self.call("browsingContext.getTree")["contexts"][0]["context"]
            self.call("webExtension.install", extensionData={
                "type": "path", "path": str(written / "usr/share/lanyard/browser/lanyard-sso.xpi")})
        except BaseException:
            self.program.stop()
            raise

    def call(self, method: str, **parameters: Any) -> Any:
        self.last += 1
        self.socket.send(json.dumps({"id": self.last, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("id") == self.last:
                assert message["type"] == "success", message
                return message["result"]

    def open(self, url: str) -> None:
        # A navigation that is redirected is no failure: the tests look at where it leads.
        self.call("browsingContext.navigate", context=self.tab, url=url, wait="none")

    def run(self, script: str) -> Any:
        answer = self.call(
            "script.evaluate", expression=script, target={"context": self.tab}, awaitPromise=False, userActivation=True)
        assert answer["type"] == "success", answer
        return answer["result"].get("value")

    @property
    def url(self) -> str:
        return self.call("browsingContext.getTree", root=self.tab)["contexts"][0]["url"]

    def cookies(self) -> dict[str, str]:
        return {cookie["name"]: cookie["value"]["value"] for cookie in self.call("storage.getCookies")["cookies"]}

    def wait(self, condition, what: str) -> None:
        def checked():
            try:
                return condition()
            except (AssertionError, KeyError):
                return False  # The page is just being changed.

        wait_until(checked, 20, f"{what}; at {self.url}")

    def wait_for_title(self, title: str) -> None:
        self.wait(lambda: self.run("document.title") == title, f"the page “{title}”")

    def wait_for_heading(self, heading: str) -> None:
        self.wait(lambda: self.run("document.querySelector('h1')?.textContent") == heading, f"the heading “{heading}”")

    def press(self, label: str) -> None:
        self.run(f"[...document.querySelectorAll('button')].find((b) => b.textContent === {json.dumps(label)}).click()")

    def stop(self) -> None:
        self.socket.close()
        self.program.stop()
