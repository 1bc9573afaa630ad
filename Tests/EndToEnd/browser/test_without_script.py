"""Everything that reading and forms need works without scripts: they only add comfort."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from chromium import Chromium
from console import enter, follow, heading, wait_for
from scene import Scene
from stage import connected_stage, running
from test_console_imports import district, pack, rename_first, rewrite, upload
from test_portal import begin_team, register
from visit import Visit


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    stage = connected_stage(tmp_path_factory.getbasetemp())
    with running(stage.copy(tmp_path_factory.mktemp("plain") / "demo")) as scene:
        yield scene


@pytest.fixture
def visit(browser: Chromium, scene: Scene) -> Iterator[Visit]:
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    yield Visit(browser, scene)
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def pick(browser: Chromium, selector: str) -> None:
    browser.driver.find_element("css selector", selector).click()


def test_people_are_found_edited_and_deactivated(visit: Visit) -> None:
    browser = enter(visit, "administrator")
    # Otherwise a script would have shown it.
    assert browser.driver.find_element("css selector", "[data-palette]").get_attribute("hidden")
    browser.driver.find_element("id", "find").send_keys("silva")
    browser.leave(browser.driver.find_element("css selector", "form.find").submit)
    assert browser.heading == "People" and all("Silva" in name for name in browser.texts("tbody th"))
    browser.leave(browser.driver.find_element("css selector", "tbody th a").click)
    name = browser.heading
    browser.press("Edit")
    browser.fill("lastName", "Plain")
    browser.press("Save")
    assert browser.heading.endswith("Plain")
    browser.press("Undo")
    browser.press("Go on")
    assert browser.heading == name

    browser.open(f"{visit.scene.base_url}/manager/people")
    pick(browser, "#role option[value=student]")
    browser.press("Show")
    assert "role=student" in browser.url
    for box in browser.driver.find_elements("css selector", "tbody input[name=choice]")[3:5]:
        box.click()
    browser.press("Deactivate")
    assert browser.heading == "Deactivate these accounts" and len(browser.texts("tbody tr")) == 2
    browser.press("Deactivate")
    assert "The change is in effect" in browser.text
    browser.press("Undo")
    assert browser.heading == "Taken back"


def test_settings_and_access_are_changed(visit: Visit) -> None:
    browser = enter(visit, "administrator", "/manager/settings/name")
    pick(browser, "input[name=colour][value=plum]")
    browser.press("Save")
    assert "Plum" in browser.text
    browser.open(f"{visit.scene.base_url}/manager/access/sign-in")
    pick(browser, "input[value=listed]")
    browser.press("See what follows")
    browser.press("Allow only certain apps")
    assert "The change is in effect" in browser.text
    browser.press("Undo")
    browser.press("Go on")
    assert browser.driver.find_element("css selector", "input[value=all]").is_selected()


def test_files_are_imported_and_the_page_goes_on_by_itself(visit: Visit, tmp_path: Path) -> None:
    browser = enter(visit, "administrator", "/manager/imports")
    folder = district(visit, tmp_path / "changed")
    rewrite(folder / "students.csv", rename_first("Amaterasu"))
    upload(browser, visit.scene.base_url, pack(folder))
    wait_for(browser, "What this import would change")
    browser.press("Apply this import")
    browser.wait(lambda _: heading(browser).startswith("Import "), "the import is applied", timeout=60)
    browser.press("Undo")
    assert browser.heading == "Taken back"


def test_a_class_gets_passwords(visit: Visit) -> None:
    browser = enter(visit, "administrator", "/manager/classes")
    browser.leave(browser.driver.find_element("css selector", "tbody th a").click)
    browser.press("Give passwords")
    pick(browser, "input[name=who][value=all]")
    browser.press("See how many")
    browser.leave(browser.driver.find_element("css selector", ".send button").click)
    wait_for(browser, "Fetch the passwords", timeout=120)
    browser.press("Delete them here")
    assert browser.heading == "These passwords are not kept any more"


def test_a_public_key_is_pasted(visit: Visit, tmp_path: Path) -> None:
    browser = begin_team(visit, "Plain Team")
    register(browser, "Quill", "example.plain")
    browser.press("Register")
    assert browser.heading == "Quill"
    follow(browser, "Keys")
    key = tmp_path / "key.p8"
    subprocess.run(
        f"openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out {key}", shell=True, check=True,
        capture_output=True)
    public = subprocess.run(["openssl", "ec", "-in", key, "-pubout"], check=True, capture_output=True, text=True).stdout
    browser.fill("name", "Server")
    browser.fill("publicKey", "no key")
    browser.press("Register a key")
    assert browser.texts("[role=alert]")
    assert browser.driver.find_element("id", "publicKey").get_attribute("value") == "no key"
    browser.fill("publicKey", public)
    browser.press("Register a key")
    assert "The change is in effect" in browser.text or len(browser.texts("tbody tr")) == 1
