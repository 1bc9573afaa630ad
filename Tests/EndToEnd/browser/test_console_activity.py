"""Activity and devices in the console: the trail is narrowed and exported with proof, a change is taken back from the list, and
a device gets its code; others may do none of it."""

from pathlib import Path

import requests
from console import enter, shoot
from lanyard_tool import Tool
from visit import Visit


def test_the_trail_is_narrowed_and_a_change_in_it_taken_back(visit: Visit) -> None:
    base_url = visit.scene.base_url
    browser = enter(visit, "administrator", "/manager/activity")
    assert browser.texts("tbody tr")
    shoot(browser, "activity")
    account = visit.scene.account("administrator")
    browser.open(f"{base_url}/manager/activity?action=sign-in&person={account.username}")
    rows = browser.texts("tbody tr")
    assert rows and all("Signed in" in row for row in rows)
    browser.press("Who has read this person’s data")
    assert browser.heading.startswith("Who has read data of")
    shoot(browser, "activity-readers")
    browser.open(f"{base_url}/manager/activity?person=nobody.like.this")
    assert "nobody.like.this" in browser.text and not browser.texts("tbody tr")
    browser.open(f"{base_url}/manager/activity?from=yesterday")
    assert browser.heading == "This was not done"

    # Something to take back.
    browser.open(f"{base_url}/manager/people?text=silva")
    browser.leave(lambda: browser.driver.find_element("css selector", "tbody th a").click())
    name = browser.heading
    browser.press("Edit")
    browser.fill("lastName", "Silva Moura")
    browser.press("Save")
    browser.open(f"{base_url}/manager/activity/changes")
    shoot(browser, "activity-changes")
    first = browser.texts("tbody tr")[0]
    assert "Silva Moura" in first and "Person changed" in first
    browser.press("Undo")
    assert browser.heading == "Taken back"
    browser.press("Go on")
    assert name in browser.texts("tbody tr")[1] or name in browser.texts("tbody tr")[0]


def test_the_trail_is_exported_and_anybody_can_verify_it(visit: Visit, tmp_path: Path) -> None:
    browser = enter(visit, "administrator", "/manager/activity/export")
    shoot(browser, "activity-export")
    make_folder, verify = browser.texts("main pre")[0].splitlines()
    assert make_folder == "mkdir -p stamps" and verify == "lanyard audit verify trail.jsonl --replies stamps"
    token = browser.driver.find_element("css selector", "main input[name=csrf_token]").get_attribute("value")
    cookies = {cookie["name"]: cookie["value"] for cookie in browser.driver.get_cookies()}
    answer = requests.post(
        f"{visit.scene.base_url}/manager/activity/export/file", data={"csrf_token": token}, cookies=cookies, timeout=60)
    assert answer.headers["Content-Disposition"] == 'attachment; filename="trail.jsonl"'
    file = tmp_path / "trail.jsonl"
    file.write_bytes(answer.content)
    tool = Tool(visit.scene.folder)
    (tmp_path / "stamps").mkdir()
    assert tool.run("audit", "verify", file, "--replies", tmp_path / "stamps").returncode == 0
    lines = file.read_text().splitlines()
    file.write_text("\n".join(lines[:3] + [lines[3].replace('"outcome":"done"', '"outcome":"none"')] + lines[4:]) + "\n")
    assert tool.run("audit", "verify", file).returncode != 0
    browser.driver.execute_script("document.getElementById('from').value = '2031-01-01'")
    browser.press("Download")
    assert "no entry of that time" in browser.text


def test_a_device_gets_a_code_which_is_shown_once(visit: Visit) -> None:
    base_url = visit.scene.base_url
    browser = enter(visit, "administrator", "/manager/devices")
    shoot(browser, "devices")
    browser.press("Code for a device")
    browser.fill("person", "nobody.like.this")
    browser.press("Make the code")
    assert "nobody.like.this" in browser.text
    browser.fill("person", visit.scene.account("student").username)
    browser.press("Make the code")
    assert browser.heading.startswith("Code for a device of")
    shoot(browser, "device-code")
    code = browser.texts("main pre")[0]
    browser.open(f"{base_url}/manager/devices/code")
    assert code not in browser.text
    browser.open(f"{base_url}/manager/devices/profile")
    # The demo's server is this machine alone, which no other device reaches.
    assert "no other device reaches" in browser.text
    shoot(browser, "device-profile")
    for path in ("/garbage", "/00000000-0000-4000-8000-000000000000/remove"):
        browser.open(f"{base_url}/manager/devices{path}")
        assert browser.heading == "Not found"


def test_others_see_neither_trail_nor_devices(visit: Visit) -> None:
    browser = enter(visit, "instructor")
    for path in (
        "activity", "activity/changes", "activity/export", "people/PE-1/readers", "devices", "devices/code",
        "devices/profile", "devices/profile/file", "imports/pick-ups", "imports/pick-ups/1",
    ):
        browser.open(f"{visit.scene.base_url}/manager/{path}")
        assert browser.heading in ("You may not do this", "Not found"), path
