"""People on the console, as an administrator uses it: adding somebody, user name, roles, merging, what is known about a
person, erasing; and passwords, which are shown once."""

import re

from busy_school import NAMES
from console import enter, follow, shoot, wait_for
from database import execute
from one_time_codes import set_up_codes
from plain_browser import PlainBrowser
from selenium.webdriver.support.ui import Select
from visit import Visit, plain


def open_person(browser, visit: Visit, text: str) -> str:
    """Opens the first person whom the search finds, and says where."""
    browser.open(f"{visit.scene.base_url}/manager/people?text={text}")
    browser.leave(lambda: browser.driver.find_element("css selector", "tbody th a").click())
    return browser.url.split("?")[0]


def add(browser, visit: Visit, first: str, last: str, role: str | None = None, at: str | None = None) -> str:
    """Adds somebody, who has the role everywhere or at one location, and says where the page is."""
    browser.open(f"{visit.scene.base_url}/manager/people/add")
    browser.fill("firstName", first)
    browser.fill("lastName", last)
    browser.fill("userName", f"{first}.{last}".lower())
    if role:
        browser.driver.find_element("css selector", f"#role option[value={role}]").click()
    if at:
        Select(browser.driver.find_element("id", "at")).select_by_visible_text(at)
    browser.press("Add")
    assert browser.heading == f"{first} {last}", browser.text
    return browser.url.split("?")[0]


def test_somebody_is_added_renamed_and_gets_a_role(visit: Visit) -> None:
    browser = enter(visit, "administrator", "/manager/people/add")
    shoot(browser, "person-add")
    add(browser, visit, "Vera", "Neumann", "staff")
    browser.press("Change the user name")
    browser.fill("userName", "vera.new@nowhere example")
    browser.press("Change the user name")
    assert browser.texts(".message.danger") and "Change the user name of" in browser.heading
    browser.fill("userName", "vera.renamed")
    shoot(browser, "person-rename")
    browser.press("Change the user name")
    assert "vera.renamed" in browser.text
    browser.press("Change roles")
    browser.driver.find_element("css selector", "#role option[value=instructor]").click()
    browser.press("Give the role")
    assert browser.texts("tbody th") == ["Instructor", "Staff"]
    shoot(browser, "person-roles")
    browser.press("Take away")
    assert browser.texts("tbody th") == ["Staff"]
    browser.press("Undo")
    browser.press("Go on")
    assert browser.texts("tbody th") == ["Instructor", "Staff"]


def test_names_that_are_hard_to_show_are_kept_as_they_were_typed(visit: Visit) -> None:
    browser = enter(visit, "administrator")
    for key, name in NAMES.items():
        browser.open(f"{visit.scene.base_url}/manager/people/add")
        browser.fill("firstName", name)
        browser.fill("lastName", name)
        browser.fill("userName", f"typed.{key}")
        browser.press("Add")
        # A page cuts what is longer than 80 characters; the form has all of it.
        shown = f"{name[:79]}…" if key == "long" else f"{name} {name}"
        assert plain(browser.heading) == shown and not browser.overflows
        browser.press("Edit")
        assert browser.driver.find_element("id", "lastName").get_attribute("value") == name
    # Each of these takes four bytes.
    camels = 500 * "🐪"
    browser.fill("middleName", camels)
    browser.press("Save")
    assert "The middle name is longer than 1024 bytes." in browser.texts(".message.danger")[0]
    assert browser.driver.find_element("id", "middleName").get_attribute("value") == camels
    browser.fill("middleName", camels[:256])
    browser.press("Save")
    assert "The change is in effect" in browser.text


def test_two_records_become_one_and_two_again(visit: Visit) -> None:
    browser = enter(visit, "administrator")
    second = add(browser, visit, "Double", "Twinning", "student")
    first = add(browser, visit, "Doubles", "Twinning", "student")
    browser.press("Merge with another record")
    browser.fill("text", "Twinning")
    browser.press("Search")
    shoot(browser, "merge-search")
    browser.press("Look at merging this one")
    shoot(browser, "merge-confirm")
    browser.press("Merge")
    assert "The change is in effect" in browser.text
    browser.open(second)
    assert "merged into another one" in browser.text
    browser.open(first)
    browser.back()
    browser.back()
    browser.press("Undo")
    assert browser.heading == "Taken back"
    browser.open(second)
    assert "merged into another one" not in browser.text


def test_what_is_known_about_a_person_is_shown_and_given_out(visit: Visit) -> None:
    browser = enter(visit, "administrator")
    open_person(browser, visit, "silva")
    shoot(browser, "person")
    browser.press("Who has read this data")
    shoot(browser, "readers")
    assert "Somebody who manages accounts has looked" in browser.text
    browser.press(browser.texts(".trail a")[0])
    browser.press("All data about this person")
    assert "Save to read and print" in browser.text and browser.texts("h2")
    assert not browser.overflows
    shoot(browser, "data")


def test_an_app_of_a_person_leads_to_why_it_gets_data(visit: Visit) -> None:
    pupil = visit.scene.account("student").username
    execute(
        visit.scene.database,
        """
        INSERT INTO sign_in_consent (app_id, person_id, scopes, hides_email, request_hash, granted_at)
        SELECT (SELECT MIN(id) FROM app), id, 'name', 0, X'00', 1790000000 FROM person WHERE user_name = ?
        ON CONFLICT DO NOTHING
        """, pupil)
    browser = enter(visit, "administrator")
    open_person(browser, visit, pupil)
    shoot(browser, "person-apps")
    assert not browser.overflows
    name = browser.heading
    follow(browser, "Why?")
    assert browser.heading.startswith("Why does ") and name in browser.text
    shoot(browser, "person-why")


def test_somebody_is_erased_only_after_the_name_was_typed(visit: Visit) -> None:
    browser = enter(visit, "administrator")
    page = add(browser, visit, "Mistaken", "Entry")
    browser.press("Erase")
    assert "Nothing takes this back" in browser.text
    browser.fill("name", "Mistaken")
    browser.press("Erase")
    assert "This is not the name" in browser.text
    shoot(browser, "erase")
    browser.fill("name", "Mistaken Entry")
    browser.press("Erase")
    browser.open(page)
    assert browser.heading == "Not found"


def new_password(browser) -> str:
    """Gives the person on the page a new password, which the slip has in groups."""
    browser.press("Give a new password")
    browser.press("Give a new password")
    return browser.texts(".slip code")[0].replace(" ", "")


def test_a_pupil_gets_the_kind_of_password_that_location_or_record_says(visit: Visit) -> None:
    browser = enter(visit, "administrator", "/manager/locations/add")
    browser.fill("name", "Digit House")
    browser.driver.find_element("css selector", "#studentPasswordPolicy option[value='6']").click()
    browser.press("Add")
    assert "Six digits" in browser.text
    location = browser.url.split("?")[0]
    page = add(browser, visit, "Sixten", "Digit", "student", at="Digit House")
    assert "Six digits" in browser.text
    assert re.fullmatch(r"\d{6}", new_password(browser))
    browser.open(page)
    browser.press("Edit")
    shoot(browser, "person-edit")
    browser.fill("personID", "S-6666")
    browser.driver.find_element("css selector", "#passwordPolicy option[value='4']").click()
    browser.press("Save")
    assert "Four digits" in browser.text and "S-6666" in browser.text
    assert re.fullmatch(r"\d{4}", new_password(browser))
    browser.open(page)
    browser.press("Edit")
    browser.driver.find_element("css selector", "#passwordPolicy option[value='']").click()
    browser.press("Save")
    assert "Four digits" not in browser.text and "Six digits" in browser.text

    # The location gives up its own kind.
    browser.open(f"{location}/edit")
    browser.driver.find_element("css selector", "#studentPasswordPolicy option[value='']").click()
    browser.press("Save")
    assert "Six digits" not in browser.text
    browser.open(page)
    assert len(new_password(browser)) >= 8

    # Somebody who is no pupil has a password, and no code.
    add(browser, visit, "Otto", "Teacher", "instructor")
    browser.press("Edit")
    assert not browser.driver.find_elements("id", "passwordPolicy")


def test_a_password_is_shown_once_as_a_slip(visit: Visit) -> None:
    browser = enter(visit, "administrator")
    page = add(browser, visit, "Slip", "Reader", "student")
    browser.press("Give a new password")
    shoot(browser, "password-confirm")
    browser.press("Give a new password")
    password = browser.texts(".slip code")[0]
    assert len(password) >= 4
    shoot(browser, "password-slip")
    browser.open(page)
    assert password not in browser.driver.page_source
    browser.back()
    browser.wait(lambda driver: password not in driver.page_source, "the password is gone")


def test_who_has_lost_phone_and_codes_is_helped_by_an_administrator(visit: Visit) -> None:
    base_url, chosen = visit.scene.base_url, "lanterns-over-9-hills"
    browser = enter(visit, "administrator")
    page = add(browser, visit, "Lost", "Telephone", "staff")
    assert "Nothing: the password alone" in browser.text
    assert "Remove lost passkeys and codes" not in browser.text
    browser.press("Give a new password")
    browser.press("Give a new password")
    temporary = browser.texts(".slip code")[0]

    theirs = PlainBrowser()
    account = f"{base_url}/account"
    response = theirs.press("Sign in", theirs.open(account), username="lost.telephone", password=temporary)
    theirs.press("Save and continue", theirs.follow(response), new_password=chosen)
    assert theirs.open(account).heading == "Your account"
    set_up_codes(base_url, theirs)

    browser.open(page)
    assert "One-time codes" in browser.text and "10 recovery codes" in browser.text
    shoot(browser, "person-ways")
    browser.press("Remove lost passkeys and codes")
    assert browser.heading == "Remove the passkeys and codes of Lost Telephone"
    assert "Make sure who asks" in browser.text and "Nothing takes this back" in browser.text
    shoot(browser, "person-reset-factors")
    browser.press("Remove all of them")
    assert browser.heading == "Lost Telephone" and "Nothing: the password alone" in browser.text
    browser.open(f"{page}/reset-factors")
    assert browser.heading == "This was not done"

    assert theirs.open(account).heading == "Sign in"
    again = PlainBrowser()
    response = again.press("Sign in", again.open(account), username="lost.telephone", password=chosen)
    assert again.follow(response).heading == "Your account"


def test_passwords_for_a_class_can_be_left_and_found_again(visit: Visit) -> None:
    browser = enter(visit, "administrator", "/manager/classes")
    browser.leave(lambda: browser.driver.find_element("css selector", "tbody th a").click())
    browser.press("Give passwords")
    shoot(browser, "passwords")
    browser.driver.find_element("css selector", "input[name=who][value=all]").click()
    browser.press("See how many")
    assert "void" in browser.text
    shoot(browser, "passwords-confirm")
    browser.leave(lambda: browser.driver.find_element("css selector", ".send button").click())
    assert "are being made" in browser.heading or "wait to be made" in browser.heading or "Fetch" in browser.heading
    browser.open(f"{visit.scene.base_url}/manager/people/passwords")
    browser.press("Open")
    wait_for(browser, "Fetch the passwords", timeout=120)
    shoot(browser, "passwords-done")
    browser.press("Delete them here")
    assert browser.heading == "These passwords are not kept any more"


def test_a_teacher_finds_the_own_classes_and_gives_a_pupil_a_password(visit: Visit) -> None:
    browser = enter(visit, "instructor")
    assert browser.heading == "My classes" and browser.texts("nav a") == ["Home"]
    shoot(browser, "teacher")
    browser.leave(lambda: browser.driver.find_element("css selector", "tbody th a").click())
    shoot(browser, "teacher-class")
    browser.press("Give a new password")
    browser.press("Give a new password")
    assert browser.texts(".slip code")


def test_everybody_of_a_list_is_meant_by_one_box_and_all_of_it_is_taken_back(visit: Visit) -> None:
    browser = enter(visit, "administrator", "/manager/people?role=instructor")
    browser.driver.find_element("css selector", "input[name=scope]").click()
    shoot(browser, "people-everybody")
    browser.press("Deactivate")
    assert re.search(r"And [0-9,]+ more\.", browser.text) and len(browser.texts("tbody tr")) == 50
    browser.leave(lambda: browser.driver.find_element("css selector", ".send button").click())
    assert "The change is in effect" in browser.text
    browser.press("Undo")
    assert browser.heading == "Taken back" and len(browser.texts("tbody tr")) > 50
    assert not browser.texts(".message.danger")


def test_the_pages_speak_japanese_and_nothing_scrolls_sideways_on_a_phone(visit: Visit) -> None:
    browser = enter(visit, "administrator", "/manager/people/passwords")
    browser.press("日本語")
    browser.look(360, 800)
    for page in ["people/add", "people/passwords", "classes", "classes/add", "classes/terms", "classes/terms/add",
                 "locations", "locations/add"]:
        browser.open(f"{visit.scene.base_url}/manager/{page}")
        assert browser.language == "ja" and not browser.overflows, page
    shoot(browser, "location-add-japanese")
