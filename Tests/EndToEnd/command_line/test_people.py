"""`lanyard person`."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from command_line.conftest import District
from lanyard_tool import Tool
from plain_browser import PlainBrowser
from scene import Account


def add(tool: Tool, first: str, last: str, *options: str) -> dict:
    return tool.json("person", "add", "--first-name", first, "--last-name", last, *options)


def administrator(tool: Tool) -> dict:
    return add(tool, "Nadia", "Berg", "--role", "administrator")


def test_a_person_gets_the_user_name_of_the_format_with_a_number_for_the_second(maple: District) -> None:
    first = add(maple.tool, "Ana", "Núñez", "--role", "student", "--at", "high", "--grade", "3", "--person-id", "p-1")
    assert first.pop("createdAt") and first.pop("modifiedAt") and first.pop("version")
    assert first == {
        "number": first["number"], "organization": maple.id, "organizationName": "Maple District",
        "userName": "ana.nunez@maple.example", "firstName": "Ana", "lastName": "Núñez", "grade": "3",
        "personID": "p-1", "source": "manual", "state": "new", "passwordPolicy": "8",
        "wrongPasswords": 0, "knownBrowsers": 0,
        "roles": [{"role": "student", "location": "Maple High", "locationID": first["roles"][0]["locationID"]}],
    }
    assert add(maple.tool, "Ana", "Nunez")["userName"] == "ana.nunez2@maple.example"


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--email", "nowhere"], "no email address"),
        (["--person-id", "a:b"], "letters, digits, spaces"),
        (["--role", "student", "--at", "Elm High"], "no location “Elm High”"),
        (["--user-name", "nadia.berg@maple.example"], "is taken"),
    ])
def test_a_person_that_cannot_be_is_not_made(maple: District, options: list[str], complaint: str) -> None:
    administrator(maple.tool)
    assert complaint in maple.tool.failure("person", "add", "--first-name", "X", "--last-name", "Y", *options)
    assert len(maple.tool.json("person", "list")["people"]) == 1


def test_a_format_that_needs_what_is_missing_says_so(maple: District) -> None:
    maple.tool.json("org", "set", "--user-name-format", "{person_id}@maple.example")
    assert "{person_id}" in maple.tool.failure("person", "add", "--first-name", "X", "--last-name", "Y")


def test_wrong_usage_of_add(maple: District) -> None:
    names = ["person", "add", "--first-name", "X", "--last-name", "Y"]
    assert "principal" in maple.tool.usage_error(*names, "--role", "principal")
    assert "--user-name" in maple.tool.usage_error(*names, "--personal")
    maple.tool.usage_error(*names, "--personal", "--user-name", "x@example.com", "--role", "staff")
    maple.tool.usage_error(*names, "--at", "high")


def test_a_person_is_named_by_user_name_person_id_or_number(maple: District) -> None:
    person = add(maple.tool, "Ana", "Lee", "--person-id", "p-1")
    for naming in ("ana.lee@maple.example", "ANA.LEE@maple.example", "p-1", str(person["number"])):
        assert maple.tool.json("person", "show", naming) == person
    assert "no person “bob”" in maple.tool.failure("person", "show", "bob")


def test_a_number_that_could_mean_two_people_is_not_guessed(maple: District) -> None:
    first = add(maple.tool, "Ana", "Lee")
    add(maple.tool, "Bo", "Lee", "--person-id", str(first["number"]))
    message = maple.tool.failure("person", "deactivate", str(first["number"]))
    assert "ana.lee@maple.example" in message and "bo.lee@maple.example" in message


@pytest.mark.on_each_database
def test_list_filters_by_role_state_and_text(maple: District) -> None:
    administrator(maple.tool)
    add(maple.tool, "Ana", "Núñez", "--role", "student", "--at", "high")
    add(maple.tool, "大輔", "田中", "--role", "instructor", "--at", "high", "--user-name", "daisuke@maple.example")
    maple.tool.json("person", "deactivate", "daisuke@maple.example")

    def names(*options: str) -> list[str]:
        return [person["firstName"] for person in maple.tool.json("person", "list", *options)["people"]]

    assert names() == ["Nadia", "Ana", "大輔"]
    assert names("--role", "student") == ["Ana"]
    assert names("--state", "deactivated") == ["大輔"]
    assert names("--text", "NUNEZ") == ["Ana"]
    assert names("--text", "田中") == ["大輔"]
    assert names("--text", "nobody") == []
    assert names("--role", "student", "--state", "deactivated") == []


@pytest.mark.on_each_database
def test_list_pages_through_what_the_filter_leaves(maple: District) -> None:
    for first in ("Ana", "Bo", "Cy"):
        add(maple.tool, first, "Lee")
    page = maple.tool.json("person", "list", "--limit", "2", "--text", "lee")
    assert [person["firstName"] for person in page["people"]] == ["Ana", "Bo"]
    rest = maple.tool.json("person", "list", "--after", str(page["next"]), "--text", "lee")
    assert [person["firstName"] for person in rest["people"]] == ["Cy"] and "next" not in rest


def test_columns_line_up_beside_wide_characters(maple: District) -> None:
    add(maple.tool, "大輔", "田中", "--user-name", "daisuke@maple.example")
    add(maple.tool, "Ana", "Lee")
    head, first, second = maple.tool.text("person", "list").splitlines()
    column = head.index("USER NAME")
    assert second.index("ana.lee") == column
    assert first.index("daisuke") == column - len("大輔田中")  # each takes two columns of the terminal


@pytest.mark.on_each_database
def test_a_role_has_a_first_and_a_last_day(maple: District) -> None:
    tool, ana = maple.tool, "ana.lee@maple.example"
    add(tool, "Ana", "Lee")
    head = administrator(tool)["userName"]
    today = datetime.now(UTC).date()
    first, last = (today + timedelta(days=10)).isoformat(), (today + timedelta(days=20)).isoformat()
    days = ("--from", first, "--until", last)
    (role,) = tool.json("person", "role", "add", ana, "manager", "--at", "high", *days)["roles"]
    assert (role["role"], role["from"], role["until"]) == ("manager", first, last)
    assert f"Manager, Maple High, from {first} until {last}" in tool.text("person", "show", ana)
    (due,) = tool.json("calendar")["dates"]
    assert (due["kind"], due["on"], due["role"], due["location"]) == ("role-ends", last, "manager", "Maple High")
    assert "1 person is Manager until this day" in tool.text("calendar")
    wrong = tool.failure("person", "role", "add", ana, "manager", "--at", "high", "--from", last, "--until", first)
    assert "The last day comes before the first day." in wrong
    only = tool.failure("person", "role", "add", head, "administrator", "--until", last)
    assert "Make somebody else an Administrator without a last day first." in only
    (role,) = tool.json("person", "role", "add", ana, "manager", "--at", "high")["roles"]
    assert "from" not in role and "until" not in role


@pytest.mark.on_each_database
def test_roles_are_added_and_removed_at_places(maple: District) -> None:
    add(maple.tool, "Ana", "Lee")
    maple.tool.json("person", "role", "add", "ana.lee@maple.example", "instructor", "--at", "Maple High")
    roles = maple.tool.json("person", "role", "add", "ana.lee@maple.example", "site-manager")["roles"]
    assert [(role["role"], role.get("location")) for role in roles] == [
        ("site_manager", None), ("instructor", "Maple High")]
    roles = maple.tool.json("person", "role", "remove", "ana.lee@maple.example", "instructor", "--at", "high")["roles"]
    assert [role["role"] for role in roles] == ["site_manager"]
    message = maple.tool.failure("person", "role", "remove", "ana.lee@maple.example", "instructor")
    assert "is not Instructor at Maple District" in message


def test_a_business_has_no_roles_of_schools(maple: District) -> None:
    maple.tool.json("init", "--name", "Oak Company", "--kind", "business")
    message = maple.tool.failure(
        "person", "add", "--org", "Oak Company", "--first-name", "X", "--last-name", "Y", "--role", "student")
    assert "has no role Student" in message
    assert maple.tool.json("person", "list", "--org", "Oak Company")["people"] == []


@pytest.mark.on_each_database
def test_the_last_administrator_stays(maple: District) -> None:
    nadia = administrator(maple.tool)["userName"]
    for arguments in (["person", "deactivate", nadia], ["person", "role", "remove", nadia, "administrator"]):
        assert "last active Administrator" in maple.tool.failure(*arguments)
    add(maple.tool, "Bo", "Lee", "--role", "administrator")
    maple.tool.json("person", "role", "remove", nadia, "administrator")


def test_deactivated_and_reactivated(maple: District) -> None:
    add(maple.tool, "Ana", "Lee")
    assert maple.tool.json("person", "deactivate", "ana.lee@maple.example")["state"] == "deactivated"
    assert "already" in maple.tool.failure("person", "deactivate", "ana.lee@maple.example")
    assert "reactivate" in maple.tool.failure("person", "password", "ana.lee@maple.example")
    # She has no password yet, and is as new as before.
    assert maple.tool.json("person", "reactivate", "ana.lee@maple.example")["state"] == "new"
    assert "not deactivated" in maple.tool.failure("person", "reactivate", "ana.lee@maple.example")


def test_a_name_stands_in_its_own_order_everywhere(maple: District) -> None:
    add(maple.tool, "민준", "김", "--user-name", "minjun@maple.example")
    for command in (["person", "show", "minjun@maple.example"], ["person", "list"]):
        text = maple.tool.text(*command)
        assert "김민준" in text and "민준 김" not in text


def test_nobody_who_is_deactivated_gets_a_role(maple: District) -> None:
    add(maple.tool, "Ana", "Lee")
    maple.tool.json("person", "deactivate", "ana.lee@maple.example")
    message = maple.tool.failure("person", "role", "add", "ana.lee@maple.example", "administrator")
    assert "is deactivated" in message and "person reactivate ana.lee@maple.example" in message
    assert maple.tool.json("person", "show", "ana.lee@maple.example")["roles"] == []


@pytest.mark.on_each_database
def test_a_person_is_signed_out_of_everything_without_a_new_password(maple: District) -> None:
    administrator(maple.tool)
    name = "nadia.berg@maple.example"
    issued = maple.tool.json("person", "password", name)
    account = Account("managed", "administrator", issued["name"], name, issued["password"])
    with maple.tool.serving() as url:
        browser = PlainBrowser()
        page = browser.sign_in(browser.open(f"{url}/sign-in"), account)
        assert browser.follow(browser.press("Save and continue", page, new_password="maple-leaf-2468")).heading
        assert maple.tool.text("person", "sign-out", name) == (
            "Nadia Berg (nadia.berg@maple.example) is signed out of 1 browser and 0 apps.\n")
        assert browser.open(f"{url}/account").heading.startswith("Sign in")
        again = Account("managed", "administrator", issued["name"], name, "maple-leaf-2468")
        browser.sign_in(browser.open(f"{url}/sign-in"), again)
        ended = maple.tool.json("person", "sign-out", name, "--devices")
        assert ended.pop("person")["userName"] == name
        assert ended == {"sessions": 1, "apps": 0, "devices": 0}
    entries = maple.tool.json("audit", "list")["entries"]
    assert [entry["detail"] for entry in entries if entry["action"] == "sign-out"] == [
        "of everything, devices removed", "of everything"]


def test_a_temporary_password_is_printed_once_and_signs_in(maple: District) -> None:
    administrator(maple.tool)
    issued = maple.tool.json("person", "password", "nadia.berg@maple.example")
    assert sorted(issued) == ["name", "password", "userName", "validUntil"]
    assert issued["password"] not in maple.tool.text("audit", "list")
    account = Account("managed", "administrator", issued["name"], issued["userName"], issued["password"])
    with maple.tool.serving() as url:
        browser = PlainBrowser()
        page = browser.sign_in(browser.open(f"{url}/sign-in"), account)
        assert page.heading == "Choose your password"


@pytest.mark.on_each_database
def test_a_record_is_corrected_and_a_field_cleared(maple: District) -> None:
    add(maple.tool, "Ana", "Nunez", "--grade", "3", "--email", "ana@home.example")
    name = "ana.nunez@maple.example"
    answer = maple.tool.json("person", "set", name, "--last-name", "Núñez", "--clear", "grade", "--clear", "email")
    assert answer["changed"] == ["lastName", "email", "grade"] and "notice" not in answer
    person = maple.tool.json("person", "show", name)
    assert person == answer["person"] and person["lastName"] == "Núñez" and "grade" not in person
    assert maple.tool.text("person", "set", name, "--last-name", "Núñez").startswith("Nothing had to be corrected.")
    change = maple.tool.json("change", "list")["changes"][0]["change"]
    maple.tool.json("change", "undo", str(change))
    person = maple.tool.json("person", "show", name)
    assert (person["lastName"], person["grade"], person["email"]) == ("Nunez", "3", "ana@home.example")


def test_wrong_usage_of_set(maple: District) -> None:
    add(maple.tool, "Ana", "Lee")
    assert "--last-name" in maple.tool.usage_error("person", "set", "ana.lee@maple.example")
    maple.tool.usage_error("person", "set", "ana.lee@maple.example", "--clear", "last-name")
    message = maple.tool.failure("person", "set", "ana.lee@maple.example", "--grade", "3", "--clear", "grade")
    assert "only one can be" in message


@pytest.mark.on_each_database
def test_whoever_signs_in_with_a_former_name_is_told_the_new_one_for_the_password_alone(maple: District) -> None:
    administrator(maple.tool)
    issued = maple.tool.json("person", "password", "nadia.berg@maple.example")
    renamed = maple.tool.json("person", "rename", "nadia.berg@maple.example", "n.okoye@maple.example")
    assert renamed["userName"] == "n.okoye@maple.example"
    assert maple.tool.json("person", "show", "nadia.berg@maple.example") == renamed
    assert "nadia.berg@maple.example, kept until" in maple.tool.text("person", "show", "n.okoye@maple.example")
    assert add(maple.tool, "Nadia", "Berg")["userName"] == "nadia.berg2@maple.example"
    with maple.tool.serving() as url:
        browser = PlainBrowser()

        def answer(name: str, password: str) -> tuple[str, str]:
            """The whole page, and the message on it."""
            page = browser.open(f"{url}/sign-in")
            text = browser.press("Sign in", page, username=name, password=password).text
            return text, re.search(r'<p class="message[^>]*>(.*?)</p>', text, re.DOTALL)[1]

        page, message = answer("nadia.berg@maple.example", "a guess")
        assert "okoye" not in page and message == answer("nobody@maple.example", "a guess")[1]
        message = answer("nadia.berg@maple.example", issued["password"])[1]
        assert "Your user name is" in message and "okoye" in message
        account = Account("managed", "administrator", issued["name"], "n.okoye@maple.example", issued["password"])
        page = browser.sign_in(browser.open(f"{url}/sign-in"), account)
        assert page.heading == "Choose your password"


@pytest.mark.on_each_database
def test_two_records_of_one_person_become_one_and_two_again(maple: District) -> None:
    kept = add(maple.tool, "Ana", "Lee")["userName"]
    other = add(maple.tool, "Ana", "Lee", "--role", "student", "--at", "high", "--person-id", "p-1")["userName"]
    before = maple.tool.json("person", "list")
    planned = maple.tool.text("person", "merge", kept, other, "--dry-run")
    assert planned.startswith("Nothing is changed.") and "role student at location:" in planned
    assert maple.tool.json("person", "list") == before
    answer = maple.tool.json("person", "merge", kept, other)
    assert answer["person"]["personID"] == "p-1" and answer["apps"] == []
    assert answer["other"]["state"] == "deactivated" and answer["other"]["mergedInto"] == answer["person"]["number"]
    assert "PE-" in maple.tool.text("person", "show", other)
    assert "merged into" in maple.tool.failure("person", "reactivate", other)
    assert "already" in maple.tool.failure("person", "merge", other, kept)
    assert "the same record" in maple.tool.failure("person", "merge", kept, "p-1")
    change = maple.tool.json("change", "list")["changes"][0]["change"]
    maple.tool.json("change", "undo", str(change))
    assert [person["version"] for person in maple.tool.json("person", "list")["people"]] == [
        person["version"] for person in before["people"]]


@pytest.mark.on_each_database
def test_too_many_wrong_passwords_pause_the_account_until_unlock(maple: District) -> None:
    administrator(maple.tool)
    name = "nadia.berg@maple.example"
    assert "no wrong passwords" in maple.tool.failure("person", "unlock", name)
    issued = maple.tool.json("person", "password", name)
    with maple.tool.serving() as url:
        browser = PlainBrowser()

        def attempt(password: str) -> int:
            page = browser.open(f"{url}/sign-in")
            return browser.press("Sign in", page, username=name, password=password).status_code

        assert [attempt("wrong") for _ in range(6)] == [422] * 5 + [429]
        assert attempt(issued["password"]) == 429
        shown = maple.tool.json("person", "show", name)
        assert shown["wrongPasswords"] == 5 and shown["pausedUntil"] and shown["state"] == "new"
        assert "can sign in again from" in maple.tool.text("person", "show", name)
        assert maple.tool.json("person", "unlock", name)["wrongPasswords"] == 0
        assert attempt(issued["password"]) == 303
    actions = [entry["action"] for entry in maple.tool.json("audit", "list")["entries"]]
    assert "account.paused" in actions and "account.unlocked" in actions
    maple.tool.json("audit", "verify")


@pytest.mark.on_each_database
def test_a_developer_has_a_personal_account_and_joins_a_team(maple: District) -> None:
    developer = add(maple.tool, "Robin", "Vale", "--personal", "--user-name", "dev@quizzler.example")
    assert "organization" not in developer and developer["roles"] == []
    assert maple.tool.json("person", "list")["people"] == []
    assert maple.tool.json("person", "list", "--personal")["people"] == [developer]
    assert "personal account" in maple.tool.failure("person", "role", "add", "dev@quizzler.example", "staff")
    maple.tool.json("app", "team", "create", "Quizzler Inc.")
    for _ in range(2):  # once more changes nothing
        team = maple.tool.json("app", "team", "add-member", "Quizzler Inc.", "dev@quizzler.example")
        assert team["members"] == ["dev@quizzler.example"]
