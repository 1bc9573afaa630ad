"""The main ways through the console by keyboard alone: at each step the focus is seen, the link past the sidebar works,
and after a form the focus is at the start of the page that follows, or in the field that is wrong."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from chromium import Chromium
from console import heading, wait_for
from keyboard import Keyboard
from scene import Scene
from selenium.webdriver.common.keys import Keys
from stage import connected_stage, running
from test_console_imports import district, pack, rename_first, rewrite
from visit import Visit


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    stage = connected_stage(tmp_path_factory.getbasetemp())
    with running(stage.copy(tmp_path_factory.mktemp("keyboard") / "demo")) as scene:
        yield scene


@pytest.fixture
def keyboard(browser: Chromium, scene: Scene) -> Keyboard:
    """Somebody who has signed in with the keyboard."""
    keyboard, account = Keyboard(browser), scene.account("administrator")
    browser.open(f"{scene.base_url}/manager")
    keyboard.sign_in(replace(account, password="a wrong one"))
    # After a refusal one goes on where it was.
    assert keyboard.place and keyboard.place["name"] in ("username", "password"), keyboard.place
    if keyboard.place["name"] == "username":
        keyboard.go_to("password")
    keyboard.press(Keys.CONTROL, "a")
    keyboard.press(account.password)
    keyboard.enter()
    return keyboard


def test_somebody_is_found_corrected_and_corrected_back(keyboard: Keyboard, scene: Scene) -> None:
    browser = keyboard.browser
    keyboard.call(scene.account("student").username)
    name = browser.heading
    keyboard.skip()
    keyboard.choose("Edit")
    keyboard.skip()
    keyboard.go_to("lastName")
    keyboard.press(Keys.CONTROL, "a")
    keyboard.press("Keys")
    keyboard.enter()
    assert browser.heading.endswith("Keys") and "The change is in effect" in browser.text
    keyboard.skip()
    keyboard.choose("Undo")
    assert browser.heading == "Taken back"
    keyboard.skip()
    keyboard.choose("Go on")
    assert browser.heading == name

    # What is refused is corrected in its place.
    keyboard.skip()
    keyboard.choose("Change the user name")
    keyboard.skip()
    keyboard.go_to("userName")
    keyboard.press(Keys.CONTROL, "a")
    keyboard.press("not a user name")
    keyboard.enter()
    assert browser.texts("[role=alert]")
    assert keyboard.place is None or keyboard.place["name"] == "userName"


def test_two_people_are_deactivated_together(keyboard: Keyboard, scene: Scene) -> None:
    browser = keyboard.browser
    browser.open(f"{scene.base_url}/manager/people?role=student")
    keyboard.skip()
    for _ in range(2):
        keyboard.tick("choice")
    assert browser.texts("[data-chosen]") == ["2"]
    keyboard.choose("Deactivate", back=True, tag="button")
    assert browser.heading == "Deactivate these accounts" and len(browser.texts("tbody tr")) == 2
    keyboard.skip()
    keyboard.choose("Deactivate", tag="button")
    assert "The change is in effect" in browser.text
    keyboard.skip()
    keyboard.choose("Undo")
    assert browser.heading == "Taken back"


def test_a_list_waits_until_a_choice_is_made(keyboard: Keyboard) -> None:
    browser = keyboard.browser
    keyboard.call("People")
    keyboard.skip()
    keyboard.go_to("role")
    # Each step chooses something, and none of them leads away.
    for _ in range(3):
        keyboard.press(Keys.ARROW_DOWN)
    place = keyboard.place
    assert place and place["name"] == "role" and place["value"]
    keyboard.choose("Show")
    assert f"role={place['value']}" in browser.url


def test_a_class_gets_passwords(keyboard: Keyboard) -> None:
    browser = keyboard.browser
    keyboard.call("Classes")
    keyboard.skip()
    first = browser.texts("tbody th")[0]
    # Its box, which chooses it for what is done to several, has the same name.
    keyboard.choose(first, tag="a")
    keyboard.skip()
    keyboard.choose("Give passwords")
    keyboard.skip()
    keyboard.go_to("who")
    keyboard.press(Keys.ARROW_DOWN)
    assert keyboard.place["value"] == "all"
    keyboard.choose("See how many")
    keyboard.skip()
    button = browser.texts(".send button")[0]
    keyboard.choose(button, tag="button")
    wait_for(browser, "Fetch the passwords", timeout=120)
    keyboard.skip()
    keyboard.choose("Delete them here")
    assert browser.heading == "These passwords are not kept any more"


def test_an_import_is_looked_at_applied_and_taken_back(keyboard: Keyboard, scene: Scene, tmp_path: Path) -> None:
    browser, folder = keyboard.browser, district(Visit(keyboard.browser, scene), tmp_path / "changed")
    rewrite(folder / "students.csv", rename_first("Uzume"))
    keyboard.call("Imports")
    keyboard.skip()
    keyboard.choose("Upload files")
    keyboard.skip()
    keyboard.hand_in("files", pack(folder))
    keyboard.choose("Upload and look")
    wait_for(browser, "What this import would change")
    assert "Uzume" in browser.text
    keyboard.skip()
    keyboard.choose("Apply this import")
    browser.wait(lambda _: heading(browser).startswith("Import "), "the import is applied")
    keyboard.skip()
    keyboard.choose("Undo")
    assert browser.heading == "Taken back"


@pytest.mark.parametrize(("topic", "is_listed"), [
    ("Sign in with Lanyard at Work & School", False), ("Organizational Data Sharing", True)])
def test_an_app_is_found_added_to_a_list_and_removed(keyboard: Keyboard, topic: str, is_listed: bool) -> None:
    browser = keyboard.browser

    def add() -> None:
        keyboard.skip()
        keyboard.choose("Add apps")
        keyboard.skip()
        keyboard.go_to("text")
        keyboard.press("quiz")
        keyboard.enter()
        assert browser.texts("tbody th bdi") == ["Quizzler"]
        keyboard.skip()
        keyboard.choose("Add Quizzler")
        keyboard.skip()
        keyboard.choose("Add Quizzler", tag="button")
        assert browser.heading == topic and browser.texts("tbody th bdi") == ["Quizzler"]

    def remove() -> None:
        keyboard.skip()
        keyboard.choose("Remove Quizzler")
        keyboard.skip()
        keyboard.choose("Remove Quizzler", tag="button")
        assert browser.heading == topic and not browser.texts("tbody th")

    keyboard.call("Access Management")
    keyboard.skip()
    keyboard.choose(topic)
    # The app of the scene is connected already, and so on the one list and not on the other.
    for act in (remove, add) if is_listed else (add, remove):
        act()


def go_to_quizzler(keyboard: Keyboard) -> None:
    """To what is on the page of the app that the scene has connected."""
    keyboard.call("Apps")
    keyboard.skip()
    keyboard.choose("Quizzler")
    keyboard.skip()


def test_an_app_sees_less_after_a_look_at_who_disappears(keyboard: Keyboard) -> None:
    browser = keyboard.browser
    go_to_quizzler(keyboard)
    keyboard.choose("Change what it sees")
    keyboard.skip()
    keyboard.tick("roles", value="Instructor")
    keyboard.tick("withheld", value="email")
    keyboard.choose("See who appears and disappears")
    assert "disappear for Quizzler" in browser.text
    keyboard.skip()
    keyboard.choose("Save")
    assert "The change is in effect" in browser.text and "Kept from the app" in browser.text
    keyboard.skip()
    keyboard.choose("Undo")
    assert browser.heading == "Taken back"


def test_the_activity_says_what_an_app_has_read(keyboard: Keyboard, scene: Scene) -> None:
    browser = keyboard.browser
    keyboard.call("Activity")
    keyboard.skip()
    keyboard.go_to("app")
    keyboard.press(scene.app.client_id)
    keyboard.enter()
    rows = browser.texts("tbody tr")
    assert rows and all("Quizzler" in row for row in rows) and any("Roster read" in row for row in rows)


def test_a_location_is_added_removed_and_brought_back(keyboard: Keyboard) -> None:
    browser = keyboard.browser
    keyboard.call("Locations")
    keyboard.skip()
    keyboard.choose("Add a location")
    keyboard.skip()
    keyboard.go_to("name")
    keyboard.press("Boat House")
    keyboard.enter()
    assert browser.heading == "Boat House"
    keyboard.call("Locations")
    keyboard.skip()
    # The link to it has the same name.
    keyboard.tick("Boat House", tag="input")
    keyboard.choose("Remove", back=True, tag="button")
    assert browser.heading == "Remove these locations" and browser.texts("tbody th, tbody td")[0] == "Boat House"
    keyboard.skip()
    keyboard.choose("Remove", tag="button")
    assert browser.heading == "Locations" and "Boat House" not in browser.texts("tbody th")
    keyboard.skip()
    keyboard.choose("Undo")
    assert browser.heading == "Taken back"


def test_the_first_administrator_makes_an_account(own_school_visit: Visit) -> None:
    browser, link = own_school_visit.browser, own_school_visit.scene.own_school_link
    keyboard = Keyboard(browser)
    assert link
    browser.open(link)
    for name, value in {
        "given_name": "Mira", "family_name": "Eichler", "username": "mira@oak.example", "password": "seven herons by 1 brook",
    }.items():
        if (keyboard.place or {}).get("name") != name:
            keyboard.go_to(name)
        keyboard.press(value)
    keyboard.enter()
    assert browser.heading == "Oak Academy is set up", browser.text
    keyboard.choose("Go to the console")
    assert "Set up" in browser.texts("h2")
    keyboard.skip()
    keyboard.choose("Import")
    keyboard.skip()
    keyboard.choose("Upload files")
    assert browser.driver.find_elements("id", "files")


def test_a_consent_is_revoked(keyboard: Keyboard) -> None:
    browser = keyboard.browser
    go_to_quizzler(keyboard)
    keyboard.choose("Revoke the consent")
    keyboard.skip()
    keyboard.choose("Revoke the consent")
    assert "there is no consent in force" in browser.text
