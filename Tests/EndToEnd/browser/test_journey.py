"""The whole way of somebody new, as README.md tells it and in the browser alone: a school is set up and filled, a class gets its
passwords on paper, an app is registered, allowed and connected, sees less, is found in the activity, and is shut out again."""

import re
from pathlib import Path

import requests
from chromium import Chromium
from console import follow, heading, shoot, wait_for
from processes import wait_until
from scene import Scene
from visit import Visit, plain

PASSWORD = "seven herons by 1 brook"


def set_up(browser: Chromium, link: str) -> None:
    """From the one-time link to the console."""
    browser.open(link)
    assert plain(browser.heading) == "Set up Oak Academy"
    for name, value in {
        "given_name": "Mira", "family_name": "Eichler", "username": "mira@oak.example", "password": PASSWORD,
    }.items():
        browser.fill(name, value)
    browser.press("Create account")
    assert plain(browser.heading) == "Oak Academy is set up", browser.text
    shoot(browser, "journey-set-up")
    browser.press("Go to the console")


def to_do(browser: Chromium, base_url: str) -> list[str]:
    """The list on Home: what is still to be set up."""
    browser.open(f"{base_url}/manager")
    return browser.texts(".tasks li")


def import_roster(browser: Chromium, file: str) -> None:
    follow(browser, "Imports")
    browser.press("Upload files")
    browser.driver.find_element("id", "files").send_keys(file)
    browser.press("Upload and look")
    wait_for(browser, "What this import would change")
    shoot(browser, "journey-plan")
    browser.press("Apply this import")
    browser.wait(lambda _: heading(browser).startswith("Import "), "the import is applied")


def make_a_second_administrator(browser: Chromium) -> None:
    follow(browser, "People")
    # The list follows the choice by itself.
    browser.leave(browser.driver.find_element("css selector", "#role option[value=instructor]").click)
    browser.leave(lambda: browser.driver.find_element("css selector", "tbody th a").click())
    browser.press("Change roles")
    browser.driver.find_element("css selector", "#role option[value=administrator]").click()
    browser.press("Give the role")
    assert "Administrator" in browser.texts("tbody th")
    # Somebody who cannot sign in yet does not count.
    browser.open(browser.url.partition("/roles")[0])
    browser.press("Give a new password")
    browser.press("Give a new password")
    assert browser.texts(".slip code")


def print_slips(browser: Chromium, folder: Path) -> Path:
    """The slips of the first class, as the browser saves them."""
    follow(browser, "Classes")
    assert len(browser.texts("tbody tr")) == 6
    browser.leave(lambda: browser.driver.find_element("css selector", "tbody th a").click())
    browser.press("Give passwords")
    browser.press("See how many")
    assert re.search(r"Give (1[89]|2[0-3]) people passwords", browser.heading), browser.heading
    browser.leave(lambda: browser.driver.find_element("css selector", ".send button").click())
    wait_for(browser, "Fetch the passwords", timeout=120)
    shoot(browser, "journey-passwords")
    browser.button("Save the file").click()
    slips = saved(folder, "passwords.pdf")
    browser.press("Delete them here")
    assert browser.heading == "These passwords are not kept any more"
    return slips


def saved(folder: Path, name: str) -> Path:
    """The file, once the browser has saved all of it under its name."""
    file = folder / name
    wait_until(lambda: file.exists() and file.stat().st_size, 30, f"{name} is saved")
    return file


def register_app(browser: Chromium, base_url: str, folder: Path) -> tuple[str, Path]:
    """Begins a team, registers an app and makes a key in the browser. The address of the app's page, and the private key."""
    browser.open(f"{base_url}/developer")
    browser.press("Begin a team")
    browser.fill("name", "Acorn Apps")
    browser.press("Begin a team")
    browser.press("Set up a configuration")
    browser.fill("name", "Reading Log")
    browser.fill("clientIDs", "example.acorn.reading")
    for scope in ("edu.users.read", "edu.classes.read"):
        browser.driver.find_element("css selector", f"input[value='{scope}']").click()
    browser.press("Review")
    browser.press("Register")
    assert browser.heading == "Reading Log"
    page = browser.url.partition("?")[0]
    follow(browser, "Keys")
    browser.fill("name", "Server")
    browser.button("Make a key in this browser").click()
    key = saved(folder, "key.p8")
    browser.press("Register a key")
    assert browser.texts("tbody tr")
    shoot(browser, "journey-key")
    return page, key


def restrict_access(browser: Chromium, base_url: str) -> None:
    """Nobody signs in to apps that are not listed. The new one is, and may ask for the roster."""
    browser.open(f"{base_url}/manager")
    follow(browser, "Access Management")
    follow_part(browser, "Sign in with Lanyard")
    browser.driver.find_element("css selector", "input[value=listed]").click()
    browser.press("See what follows")
    browser.press("Allow only certain apps")
    assert "The change is in effect" in browser.text
    add_app(browser)
    follow(browser, "Access Management")
    follow_part(browser, "Organizational Data Sharing")
    assert browser.driver.find_element("css selector", "input[value=listed]").is_selected()
    add_app(browser)
    shoot(browser, "journey-access")


def add_app(browser: Chromium) -> None:
    browser.press("Add apps")
    browser.driver.find_element("id", "text").send_keys("example.acorn.reading")
    browser.press("Search")
    assert browser.texts("tbody th bdi") == ["Reading Log"]
    follow_part(browser, "Add Reading Log")
    browser.press("Add Reading Log")
    assert browser.texts("tbody th bdi") == ["Reading Log"]


def follow_part(browser: Chromium, label: str) -> None:
    """Follows the link whose words begin so."""
    browser.leave(browser.driver.find_element("partial link text", label).click)


def try_consent(browser: Chromium, page: str, key: Path) -> str:
    """The consent and the first calls, played on the app's page of the portal. The access token, which the page marks."""
    browser.open(page)
    follow(browser, "Try it")
    if "Add the address" in browser.text:
        browser.press("Add the address")
    browser.press("Show the request")
    follow(browser, "Send it")
    assert plain(browser.heading) == "Connect Reading Log to Oak Academy", browser.text
    shoot(browser, "journey-consent")
    browser.press("Allow")
    assert browser.heading == "The answer"
    browser.driver.find_element("id", "file").send_keys(str(key))
    browser.button("Exchange").click()
    browser.wait(lambda _: len(browser.texts("[data-steps] pre")) == 7, "the roster is read")
    steps = browser.texts("[data-steps] pre")
    assert steps[4].startswith("200") and '"givenName"' in steps[4]
    assert steps[6].startswith("200") and '"name": "' in steps[6]
    shoot(browser, "journey-answer")
    return re.search(r"^access_token: (\S+)", steps[1], re.MULTILINE)[1]


def read(scene: Scene, token: str) -> requests.Response:
    """As the app's own server does it."""
    return requests.get(
        f"{scene.base_url}/rosterapi/v1/users?limit=200", headers={"Authorization": f"Bearer {token}"}, timeout=30)


def open_app(browser: Chromium, base_url: str) -> None:
    browser.open(f"{base_url}/manager")
    follow(browser, "Apps")
    follow(browser, "Reading Log")
    assert browser.heading == "Reading Log"


def show_less(browser: Chromium, base_url: str) -> None:
    """Students alone, and nobody's email address."""
    open_app(browser, base_url)
    browser.press("Change what it sees")
    for value in ("Student", "email"):
        browser.driver.find_element("css selector", f"input[value='{value}']").click()
    browser.press("See who appears and disappears")
    assert "disappear for Reading Log" in plain(browser.text)
    browser.press("Save")
    assert "Kept from the app" in browser.text


def test_somebody_new_runs_a_school_and_an_app_in_the_browser_alone(own_school_visit: Visit, downloads: Path) -> None:
    browser, scene = own_school_visit.browser, own_school_visit.scene
    base_url = scene.base_url
    assert scene.own_school_link and scene.own_school_roster
    set_up(browser, scene.own_school_link)
    assert "Bring in people and classes" in " ".join(to_do(browser, base_url))
    import_roster(browser, scene.own_school_roster)
    make_a_second_administrator(browser)
    assert print_slips(browser, downloads).read_bytes().startswith(b"%PDF-")
    assert any("Let an app read the roster" in one for one in to_do(browser, base_url))

    page, key = register_app(browser, base_url, downloads)
    restrict_access(browser, base_url)
    token = try_consent(browser, page, key)
    # All of the list is done, so that it is gone.
    assert not any("Let an app read the roster" in one for one in to_do(browser, base_url)), browser.text
    assert "Set up" not in browser.texts("h2")
    everybody = read(scene, token).json()["users"]
    assert {role for user in everybody for role in user["roles"]} >= {"Student", "Instructor"}

    show_less(browser, base_url)
    fewer = read(scene, token).json()["users"]
    assert 0 < len(fewer) < len(everybody)
    assert not any("email" in user for user in fewer)
    assert all("Student" in user["roles"] for user in fewer)

    # What the app has read is told twice: on its page, and in the activity.
    open_app(browser, base_url)
    read_last = browser.texts("tbody tr")
    assert len(read_last) == 4 and str(len(fewer)) in read_last[0] and str(len(everybody)) in read_last[1], read_last
    shoot(browser, "journey-app")
    follow(browser, "All activity of this app")
    trail = " ".join(browser.texts("tbody tr"))
    assert trail.count("Roster read") == 4 and "Sharing changed" in trail and "Consent given" in trail
    shoot(browser, "journey-activity")

    open_app(browser, base_url)
    follow(browser, "Revoke the consent")
    browser.press("Revoke the consent")
    assert "This app reads nothing" in browser.text
    assert read(scene, token).status_code == 401
