"""Debian's Firefox without a window, driven by WebDriver BiDi, which it speaks without another program."""

import json
import re
from pathlib import Path
from typing import Any

import websocket
from processes import Program

PROGRAM = Path("/usr/bin/firefox-esr")


def make_profile(home: Path, **settings: object) -> tuple[str, ...]:
    """Makes a profile in which nothing is asked of the outside. The command that starts Firefox with it."""
    profile = home / "profile"
    profile.mkdir(parents=True)
    settings = {
        "network.proxy.type": 0,
        "dom.security.https_first": False,
        "datareporting.policy.dataSubmissionEnabled": False,
        "browser.shell.checkDefaultBrowser": False,
        "app.update.auto": False,
        "extensions.update.enabled": False,
        "network.captive-portal-service.enabled": False,
        "network.connectivity-service.enabled": False,
    } | settings
    (profile / "user.js").write_text("".join(
        f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in settings.items()))
    return (
        "env", f"HOME={home}", f"XDG_RUNTIME_DIR={home}", "MOZ_HEADLESS=1", str(PROGRAM), "--remote-debugging-port=0",
        "--profile", str(profile), "--no-remote", "about:blank")


class Refused(AssertionError):
    """What Firefox says to a command that it does not carry out."""


class FirefoxSession:
    """With the first tab of a Firefox that is starting. Ends with `close`."""

    def __init__(self, program: Program, capabilities: dict) -> None:
        address = program.wait_until(
            lambda: re.search(r"WebDriver BiDi listening on (ws://\S+)", program.log_text), 60, "Firefox listens")[1]
        self.socket = websocket.create_connection(f"{address}/session", suppress_origin=True, timeout=60)
        self.last = 0
        self.call("session.new", capabilities=capabilities)
        self.tab = self.call("browsingContext.getTree")["contexts"][0]["context"]

    def call(self, method: str, **parameters: Any) -> Any:
        self.last += 1
        self.socket.send(json.dumps({"id": self.last, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("id") == self.last:
                if message["type"] != "success":
                    raise Refused(message["message"])
                return message["result"]

    def close(self) -> None:
        self.socket.close()
