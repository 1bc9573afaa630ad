"""The main ways through console and portal by keyboard alone: at each step the focus is seen, the link past the sidebar works,
and after a form the focus is at the start of the page that follows, or in the field that is wrong."""

from collections.abc import Iterator

import pytest
from chromium import Chromium
from console import wait_for
from keyboard import Keyboard
from lanyard_tool import Tool
from scene import Scene
from selenium.webdriver.common.keys import Keys
from stage import connected_stage, running


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
    if (keyboard.place or {}).get("name") != "username":
        keyboard.go_to("username")
    keyboard.press(account.username)
    keyboard.go_to("password")
    keyboard.press("a wrong one")
    keyboard.enter()
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
    keyboard.choose(first)
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


def test_an_app_is_registered(keyboard: Keyboard, scene: Scene) -> None:
    browser, tool = keyboard.browser, Tool(scene.folder)
    tool.run("app", "team", "create", "Keyboard Team")
    tool.run("app", "team", "add-member", "Keyboard Team", scene.account("administrator").username)
    browser.open(f"{scene.base_url}/developer")
    keyboard.skip()
    keyboard.choose("Set up a configuration")
    keyboard.skip()
    for field, typed in {"name": "Quill", "clientIDs": "example.keyboard"}.items():
        keyboard.go_to(field)
        keyboard.press(typed)
    keyboard.tick("scopes", value="edu.users.read")
    keyboard.go_to("returnURLs")
    keyboard.press("https://app.example/callback")
    keyboard.choose("Review")
    assert browser.heading == "Register Quill"
    keyboard.skip()
    keyboard.choose("Register")
    assert browser.heading == "Quill"


def test_a_consent_is_revoked(keyboard: Keyboard) -> None:
    browser = keyboard.browser
    keyboard.call("Apps")
    keyboard.skip()
    keyboard.choose("Quizzler")
    keyboard.skip()
    keyboard.choose("Revoke the consent")
    keyboard.skip()
    keyboard.choose("Revoke the consent")
    assert "there is no consent in force" in browser.text
