"""The whole way of somebody new, as README.md tells it and in the browser alone: a school is set up and filled, a class gets its
passwords on paper, an app is registered, allowed and connected, sees less, is found in the activity, and is shut out again. It is
gone in each of the languages, with the English words that the catalogues translate."""

import re
from pathlib import Path

import pytest
import requests
from console import follow, heading, shoot
from processes import wait_until
from scene import Scene
from spoken import Spoken
from visit import Visit, plain

PASSWORD = "seven herons by 1 brook"


def set_up(spoken: Spoken, link: str) -> None:
    """From the one-time link to the console."""
    browser = spoken.browser
    browser.open(link)
    spoken.choose_language()
    assert spoken.has_heading("Set up {organization}", organization="Oak Academy")
    for name, value in {
        "given_name": "Mira", "family_name": "Eichler", "username": "mira@oak.example", "password": PASSWORD,
    }.items():
        browser.fill(name, value)
    spoken.press("Create account")
    assert spoken.has_heading("{organization} is set up", organization="Oak Academy"), browser.text
    shoot(browser, f"journey-set-up-{spoken.language}")
    spoken.press("Go to the console")


def asks_to_set_up(spoken: Spoken, base_url: str, what: str) -> bool:
    """Whether that is still on the list on Home."""
    spoken.browser.open(f"{base_url}/manager")
    return any(words in " ".join(spoken.browser.texts(".tasks li")) for words in spoken.words(what))


def import_roster(spoken: Spoken, file: str) -> None:
    browser = spoken.browser
    spoken.follow("Imports")
    spoken.press("Upload files")
    browser.driver.find_element("id", "files").send_keys(file)
    spoken.press("Upload and look")
    spoken.wait_for("What this import would change")
    shoot(browser, f"journey-plan-{spoken.language}")
    spoken.press("Apply this import")
    names = [re.escape(words).replace(r"\{number\}", "[0-9]+") for words in spoken.words("Import {number}")]
    browser.wait(lambda _: re.fullmatch("|".join(names), plain(heading(browser))), "the import is applied")


def make_a_second_administrator(spoken: Spoken) -> None:
    browser = spoken.browser
    spoken.follow("People")
    # The list follows the choice by itself.
    browser.leave(browser.driver.find_element("css selector", "#role option[value=instructor]").click)
    browser.leave(lambda: browser.driver.find_element("css selector", "tbody th a").click())
    spoken.press("Change roles")
    browser.driver.find_element("css selector", "#role option[value=administrator]").click()
    spoken.press("Give the role")
    assert spoken.words("Administrator") & set(browser.texts("tbody th"))
    # Somebody who cannot sign in yet does not count.
    browser.open(browser.url.partition("/roles")[0])
    spoken.press("Give a new password")
    spoken.press("Give a new password")
    assert browser.texts(".slip code")


def print_slips(spoken: Spoken, folder: Path) -> Path:
    """The slips of the first class, as the browser saves them."""
    browser = spoken.browser
    spoken.follow("Classes")
    assert len(browser.texts("tbody tr")) == 6
    browser.leave(lambda: browser.driver.find_element("css selector", "tbody th a").click())
    spoken.press("Give passwords")
    spoken.press("See how many")
    assert re.search(r"\b(1[89]|2[0-3])\D", browser.heading), browser.heading
    browser.leave(lambda: browser.driver.find_element("css selector", ".send button").click())
    spoken.wait_for("Fetch the passwords", timeout=120)
    shoot(browser, f"journey-passwords-{spoken.language}")
    spoken.button("Save the file").click()
    slips = saved(folder, "passwords.pdf")
    spoken.press("Delete them here")
    assert spoken.has_heading("These passwords are not kept any more")
    return slips


def saved(folder: Path, name: str) -> Path:
    """The file, once the browser has saved all of it under its name."""
    file = folder / name
    wait_until(lambda: file.exists() and file.stat().st_size, 30, f"{name} is saved")
    return file


def register_app(spoken: Spoken, base_url: str, folder: Path) -> tuple[str, Path]:
    """Begins a team, registers an app and makes a key in the browser. The address of the app's page, and the private key."""
    browser = spoken.browser
    browser.open(f"{base_url}/developer")
    spoken.press("Begin a team")
    browser.fill("name", "Acorn Apps")
    spoken.press("Begin a team")
    spoken.press("Set up a configuration")
    browser.fill("name", "Reading Log")
    browser.fill("clientIDs", "example.acorn.reading")
    for scope in ("edu.users.read", "edu.classes.read"):
        browser.driver.find_element("css selector", f"input[value='{scope}']").click()
    spoken.press("Review")
    spoken.press("Register")
    assert browser.heading == "Reading Log"
    page = browser.url.partition("?")[0]
    spoken.follow("Keys")
    browser.fill("name", "Server")
    spoken.button("Make a key in this browser").click()
    key = saved(folder, "key.p8")
    spoken.press("Register a key")
    assert browser.texts("tbody tr")
    shoot(browser, f"journey-key-{spoken.language}")
    return page, key


def restrict_access(spoken: Spoken, base_url: str) -> None:
    """Nobody signs in to apps that are not listed. The new one is, and may ask for the roster."""
    browser = spoken.browser
    browser.open(f"{base_url}/manager")
    spoken.follow("Access Management")
    spoken.follow_part("Sign in with Lanyard at Work & School")
    browser.driver.find_element("css selector", "input[value=listed]").click()
    spoken.press("See what follows")
    spoken.press("Allow only certain apps")
    assert spoken.says("Done. The change is in effect.")
    add_app(spoken)
    spoken.follow("Access Management")
    spoken.follow_part("Organizational Data Sharing")
    assert browser.driver.find_element("css selector", "input[value=listed]").is_selected()
    add_app(spoken)
    shoot(browser, f"journey-access-{spoken.language}")


def add_app(spoken: Spoken) -> None:
    browser = spoken.browser
    spoken.press("Add apps")
    browser.driver.find_element("id", "text").send_keys("example.acorn.reading")
    spoken.press("Search")
    assert browser.texts("tbody th bdi") == ["Reading Log"]
    spoken.follow_part("Add {app}", app="Reading Log")
    spoken.press("Add {app}", app="Reading Log")
    assert browser.texts("tbody th bdi") == ["Reading Log"]


def try_consent(spoken: Spoken, page: str, key: Path) -> str:
    """The consent and the first calls, played on the app's page of the portal. The access token, which the page marks."""
    browser = spoken.browser
    browser.open(page)
    spoken.follow("Try it")
    if spoken.says("Add the address"):
        spoken.press("Add the address")
    spoken.press("Show the request")
    spoken.follow("Send it")
    assert spoken.has_heading("Connect {app} to {organization}", app="Reading Log", organization="Oak Academy"), browser.text
    shoot(browser, f"journey-consent-{spoken.language}")
    spoken.press("Allow")
    assert spoken.has_heading("The answer")
    browser.driver.find_element("id", "file").send_keys(str(key))
    spoken.button("Exchange").click()
    browser.wait(lambda _: len(browser.texts("[data-steps] pre")) == 7, "the roster is read")
    steps = browser.texts("[data-steps] pre")
    assert steps[4].startswith("200") and '"givenName"' in steps[4]
    assert steps[6].startswith("200") and '"name": "' in steps[6]
    shoot(browser, f"journey-answer-{spoken.language}")
    return re.search(r"^access_token: (\S+)", steps[1], re.MULTILINE)[1]


def read(scene: Scene, token: str) -> requests.Response:
    """As the app's own server does it."""
    return requests.get(
        f"{scene.base_url}/rosterapi/v1/users?limit=200", headers={"Authorization": f"Bearer {token}"}, timeout=30)


def open_app(spoken: Spoken, base_url: str) -> None:
    spoken.browser.open(f"{base_url}/manager")
    spoken.follow("Apps")
    follow(spoken.browser, "Reading Log")
    assert spoken.browser.heading == "Reading Log"


def show_less(spoken: Spoken, base_url: str) -> None:
    """Students alone, and nobody's email address."""
    open_app(spoken, base_url)
    spoken.press("Change what it sees")
    for value in ("Student", "email"):
        spoken.browser.driver.find_element("css selector", f"input[value='{value}']").click()
    spoken.press("See who appears and disappears")
    assert re.search(r"\d", spoken.browser.text)
    spoken.press("Save")
    assert spoken.says("Kept from the app")


@pytest.mark.parametrize("language", ["en", "ja", "ko"])
def test_somebody_new_runs_a_school_and_an_app_in_the_browser_alone(
    own_school_visit: Visit, downloads: Path, language: str
) -> None:
    spoken, scene = Spoken(own_school_visit.browser, language), own_school_visit.scene
    browser, base_url = spoken.browser, scene.base_url
    assert scene.own_school_link and scene.own_school_roster
    set_up(spoken, scene.own_school_link)
    assert asks_to_set_up(spoken, base_url, "Bring in people and classes")
    import_roster(spoken, scene.own_school_roster)
    make_a_second_administrator(spoken)
    assert print_slips(spoken, downloads).read_bytes().startswith(b"%PDF-")
    assert asks_to_set_up(spoken, base_url, "Let an app read the roster")

    page, key = register_app(spoken, base_url, downloads)
    restrict_access(spoken, base_url)
    token = try_consent(spoken, page, key)
    # All of the list is done, so that it is gone.
    assert not asks_to_set_up(spoken, base_url, "Let an app read the roster"), browser.text
    assert not spoken.words("Set up") & set(browser.texts("h2"))
    everybody = read(scene, token).json()["users"]
    assert {role for user in everybody for role in user["roles"]} >= {"Student", "Instructor"}

    show_less(spoken, base_url)
    fewer = read(scene, token).json()["users"]
    assert 0 < len(fewer) < len(everybody)
    assert not any("email" in user for user in fewer)
    assert all("Student" in user["roles"] for user in fewer)

    # What the app has read is told twice: on its page, and in the activity.
    open_app(spoken, base_url)
    read_last = browser.texts("tbody tr")
    assert len(read_last) == 4 and str(len(fewer)) in read_last[0] and str(len(everybody)) in read_last[1], read_last
    shoot(browser, f"journey-app-{language}")
    spoken.follow("All activity of this app")
    trail = plain(" ".join(browser.texts("tbody tr")))
    assert sum(trail.count(words) for words in spoken.words("Roster read")) == 4
    for action in ("Sharing changed", "Consent given"):
        assert any(words in trail for words in spoken.words(action)), action
    shoot(browser, f"journey-activity-{language}")

    open_app(spoken, base_url)
    spoken.follow("Revoke the consent")
    spoken.press("Revoke the consent")
    assert spoken.says("This app reads nothing: there is no consent in force.")
    assert read(scene, token).status_code == 401
