"""Devices on the console: one is paired, is found there, and is removed; from then on it signs nobody in, and the trail says who
removed it."""

from pathlib import Path

import requests
from command_line.test_devices import Key, register
from console import enter, follow, shoot
from lanyard_tool import Tool
from visit import Visit


def sign_in(base_url: str, key: Key, device: str) -> requests.Response:
    """As the device does, each time that its person needs a session."""
    return requests.post(f"{base_url}/device-session", data={"assertion": key.assertion(device, base_url)}, timeout=30)


def test_a_device_is_removed_and_signs_nobody_in_any_more(visit: Visit, tmp_path: Path) -> None:
    base_url, person = visit.scene.base_url, visit.scene.account("instructor")
    browser = enter(visit, "administrator", "/manager/devices/code")
    browser.fill("person", person.username)
    browser.leave(browser.driver.find_element("css selector", "main form .send button").click)
    code = browser.texts("main pre, main code")[0]
    keys = Key(tmp_path), Key(tmp_path)
    removed = register(base_url, keys[0], code, "lost-laptop")
    other_code = Tool(visit.scene.folder).json("device", "code", "--user", person.username)["code"]
    kept = register(base_url, keys[1], other_code, "kept-laptop")
    session = sign_in(base_url, keys[0], removed)
    assert session.status_code == 204
    own = session.cookies

    def account_status() -> int:
        return requests.get(f"{base_url}/account", cookies=own, allow_redirects=False, timeout=30).status_code

    assert account_status() == 200

    browser.open(f"{base_url}/manager/devices?person={person.username}")
    assert {"lost-laptop", "kept-laptop"} <= {name.split("\n")[0] for name in browser.texts("tbody th")}
    follow(browser, "lost-laptop")
    assert "Debian 12" in browser.text and person.name in browser.text
    browser.press("Remove")
    assert "lost-laptop" in browser.heading
    shoot(browser, "device-remove")
    # So far nothing has happened.
    assert sign_in(base_url, keys[0], removed).status_code == 204
    browser.press("Remove")
    assert browser.heading == "Devices" and "lost-laptop" not in browser.texts("tbody th")

    refused = sign_in(base_url, keys[0], removed)
    assert refused.status_code == 401 and refused.json()["error"] == "invalid_assertion"
    assert account_status() == 303, "the sessions of the device end with it"
    assert sign_in(base_url, keys[1], kept).status_code == 204

    follow(browser, "Activity")
    rows = [row for row in browser.texts("tbody tr") if "lost-laptop" in row or removed in row]
    assert rows and visit.scene.account("administrator").name in rows[0], browser.text
    Tool(visit.scene.folder).json("device", "remove", kept)
    browser.open(f"{base_url}/manager/devices/{removed}")
    assert browser.heading == "Not found"
