"""Debian's Firefox with Lanyard's extension."""

import json
from typing import Any

from device import APP, PROVIDER, Device
from firefox import FirefoxSession, make_profile
from processes import LANYARD_SSO, Program, run, wait_until


class BridgedFirefox:
    """A home of its own in the device's folder; ends with `stop`."""

    def __init__(self, device: Device) -> None:
        self.home = device.folder / "firefox"
        # Names are resolved by Firefox itself.
        command = make_profile(self.home, **{
            "network.dns.localDomains": f"{PROVIDER},{APP}",
            "security.warn_submit_secure_to_insecure": False,
        })
        written = self.home / "written"
        result = run(LANYARD_SSO, "browser-policy", "--out", written, "--browser", "firefox", "--json")
        assert result.returncode == 0, result.stderr
        manifest = json.loads((written / "usr/lib/mozilla/native-messaging-hosts/lanyard.sso.json").read_text())
        manifest["path"] = str(device.host_program("firefox-host"))
        hosts = self.home / ".mozilla" / "native-messaging-hosts"
        hosts.mkdir(parents=True)
        (hosts / "lanyard.sso.json").write_text(json.dumps(manifest))

        # In place of the system's folder, from which Debian's Firefox takes extensions.
        in_place = (
            "unshare", "--mount", "sh", "-c", 'mount --bind "$0" "$1" && shift && exec "$@"',
            str(written / "usr/share/mozilla/extensions"), "/usr/share/mozilla/extensions")
        self.program = Program(*in_place, *command, log=device.folder / "firefox.log")
        try:
            self.session = FirefoxSession(self.program, {})
            self.call, self.tab = self.session.call, self.session.tab
        except BaseException:
            self.program.stop()
            raise

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
        self.session.close()
        self.program.stop()
