"""The portal and the page of the own account by keyboard alone, as in `test_console_keyboard`."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from chromium import Chromium
from keyboard import Keyboard
from lanyard_tool import Tool
from one_time_codes import code
from scene import Scene
from selenium.webdriver.common.keys import Keys
from stage import connected_stage, running
from test_journey import saved

TEAM = "Keyboard Team"


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    stage = connected_stage(tmp_path_factory.getbasetemp())
    with running(stage.copy(tmp_path_factory.mktemp("portal-keyboard") / "demo")) as scene:
        tool = Tool(scene.folder)
        tool.run("app", "team", "create", TEAM)
        tool.run("app", "team", "add-member", TEAM, scene.account("administrator").username)
        yield scene


@pytest.fixture
def keyboard(browser: Chromium, scene: Scene) -> Keyboard:
    """Somebody at the portal, who has signed in with the keyboard."""
    keyboard = Keyboard(browser)
    browser.open(f"{scene.base_url}/developer")
    keyboard.sign_in(scene.account("administrator"))
    return keyboard


def test_an_app_is_registered(keyboard: Keyboard) -> None:
    browser = keyboard.browser
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


def test_a_key_is_made_in_the_browser(keyboard: Keyboard, scene: Scene, downloads: Path) -> None:
    browser = keyboard.browser
    keyboard.choose("Keys")
    keyboard.skip()
    keyboard.go_to("Make a key in this browser")
    keyboard.press(Keys.ENTER)
    assert "BEGIN PRIVATE KEY" in saved(downloads, "key.p8").read_text()
    browser.wait(lambda _: "Now register the public half" in browser.text, "the page says what to do next")
    keyboard.go_to("name")
    keyboard.press("Hand")
    keyboard.choose("Register a key", tag="button")
    assert browser.texts("tbody th") == ["Hand"]


def test_a_consent_is_tried(keyboard: Keyboard, scene: Scene, tmp_path: Path) -> None:
    browser, tool, key = keyboard.browser, Tool(scene.folder), tmp_path / "key.p8"
    tool.run(
        "app", "create", "Tried", "--team", TEAM, "--client-id", "example.tried", "--scope", "name", "--scope", "edu.users.read",
        "--scope", "edu.rosterapi.test.read", "--return-url", "https://app.example/callback")
    tool.run("key", "create", "Trial", "--team", TEAM, "--out", key)
    name = tool.json("key", "list", "--team", TEAM)["keys"][-1]["keyID"]
    keyboard.choose("Identifiers")
    keyboard.skip()
    keyboard.choose("Tried")
    keyboard.skip()
    keyboard.choose("Try it")
    keyboard.skip()
    keyboard.choose("Add the address")
    keyboard.skip()
    keyboard.pick("trial", "roster")
    keyboard.choose("Show the request")
    keyboard.skip()
    keyboard.choose("Send it")
    keyboard.choose("Allow")
    assert browser.heading == "The answer"
    keyboard.skip()
    keyboard.go_to("key")
    # A list of choices is gone through by the first letters of a choice.
    keyboard.press("Trial")
    assert keyboard.place["value"] == name
    keyboard.hand_in("file", key)
    keyboard.go_to("Exchange")
    keyboard.press(Keys.ENTER)
    steps = browser.wait(
        lambda driver: len(found := driver.find_elements("css selector", "[data-steps] pre")) == 7 and found, "all answers came")
    # Each of them may be longer than the window is wide, and can be reached.
    for step in steps:
        keyboard.tab()
        assert browser.driver.switch_to.active_element == step
    assert steps[1].text.startswith("200")


def test_one_time_codes_are_set_up(browser: Chromium, scene: Scene) -> None:
    keyboard = Keyboard(browser)
    browser.open(f"{scene.base_url}/account")
    keyboard.sign_in(scene.account("instructor"))
    keyboard.choose("Ways to sign in")
    keyboard.choose("Set up")
    secret = re.sub(r"\s", "", browser.texts("#secret")[0])
    if (keyboard.place or {}).get("name") != "code":
        keyboard.go_to("code")
    keyboard.press(code(secret))
    keyboard.enter()
    assert browser.heading == "Your recovery codes"
    keyboard.choose("Continue")
    assert browser.heading == "Ways to sign in" and "10 codes are left" in browser.text
    keyboard.choose("Remove")
    assert "Verification codes are off" in browser.text
