"""Settings on the console: what is decided about the organization, whose a domain is, what goes and what stays."""

import urllib.error
import urllib.request
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from chromium import Chromium
from console import enter, follow, shoot
from lanyard_tool import Tool
from name_server import NameServer
from scene import Scene, Server
from selenium.webdriver.support.ui import Select
from visit import Visit

SETTINGS = "/manager/settings"


@pytest.fixture
def name_server(tmp_path: Path) -> Iterator[NameServer]:
    server = NameServer(tmp_path / "names", "pupils.example").start()
    yield server
    server.stop()


@pytest.fixture
def proving(
    browser: Chromium, new_scene: Scene, name_server: NameServer, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Visit]:
    """A visit to a server that asks that name server."""
    new_scene.stop()
    monkeypatch.setenv("LANYARD_NAME_SERVERS", name_server.address)
    server = Server(new_scene.folder).start()
    new_scene.base_url = server.base_url
    yield Visit(browser, new_scene)
    server.stop()


def facts(browser: Chromium) -> dict[str, str]:
    return dict(zip(browser.texts("main dt"), browser.texts("main dd"), strict=True))


def change(browser: Chromium, topic: str) -> None:
    """Opens the form of a topic from the overview."""
    browser.leave(browser.driver.find_element("css selector", f"main a[href='{SETTINGS}/{topic}']").click)


def tick(browser: Chromium, name: str, value: str) -> None:
    browser.driver.find_element("css selector", f"input[name='{name}'][value='{value}']").click()


def test_each_topic_is_changed_and_changed_back(visit: Visit) -> None:
    browser = enter(visit, "administrator", SETTINGS)
    base = visit.scene.base_url
    before = facts(browser)
    shoot(browser, "settings")

    change(browser, "name")
    tick(browser, "colour", "plum")
    shoot(browser, "settings-name")
    browser.press("Save")
    assert facts(browser)["Colour"] == "Plum"

    change(browser, "user-names")
    browser.fill("userNameFormat", "{first_name}@nowhere@twice")
    browser.press("Save")
    assert browser.heading == "User names" and browser.texts(".message.danger")
    assert browser.driver.find_element("id", "userNameFormat").get_attribute("value") == "{first_name}@nowhere@twice"
    browser.fill("userNameFormat", "{first_initial}.{last_name}@maple.example")
    browser.press("Save")
    assert "{first_initial}" in facts(browser)["Format of user names"]

    change(browser, "sign-in")
    tick(browser, "asksEveryTime", "yes")
    tick(browser, "factorHolders", "people_manager")
    browser.fill("factorGraceDays", "91")
    browser.press("Save")
    assert browser.texts(".message.danger")
    # What was chosen is chosen still.
    assert browser.driver.find_element("css selector", "input[value='people_manager']").is_selected()
    browser.fill("factorGraceDays", "30")
    browser.fill("sessionHours", "8")
    browser.fill("idleMinutes", "15")
    shoot(browser, "settings-sign-in")
    browser.press("Save")
    now = facts(browser)
    assert now["Hours until everyone signs in again"] == "8"
    assert now["Minutes without use until a browser is signed out"] == "15"
    assert now["Confirm each sign-in to an app"] == "Yes" and "People Managers" in now["Who needs a second factor"]

    browser.open(f"{base}/account")
    assert not browser.texts("footer a")
    browser.open(f"{base}{SETTINGS}")
    change(browser, "language")
    Select(browser.driver.find_element("id", "language")).select_by_value("ja")
    browser.fill("termsURL", "javascript:alert(1)")
    browser.press("Save")
    assert browser.texts(".message.danger")
    browser.fill("termsURL", "https://maple.example/terms")
    browser.press("Save")
    now = facts(browser)
    assert now["Language"] == "日本語" and now["Address of the terms"] == "https://maple.example/terms"
    browser.open(f"{base}/account")
    assert browser.links("footer a") == ["https://maple.example/terms"]
    shoot(browser, "account-terms")
    browser.open(f"{base}{SETTINGS}")

    change(browser, "imports")
    browser.fill("removedPercent", "7")
    browser.press("Save")
    assert facts(browser)["Removed records"] == "7%"

    change(browser, "locations")
    browser.fill("locationTimeZone", "Atlantis/City")
    browser.press("Save")
    assert browser.texts(".message.danger")
    browser.fill("locationTimeZone", "Europe/Berlin")
    browser.press("Save")
    assert facts(browser)["Time zone"] == "Europe/Berlin"
    browser.press("Undo")
    browser.press("Go on")
    assert facts(browser)["Time zone"] == before["Time zone"]
    change(browser, "name")
    browser.leave(browser.driver.find_element("css selector", "main .links a, main form a").click)


def test_whoever_has_seen_older_settings_overwrites_nothing(visit: Visit) -> None:
    browser = enter(visit, "administrator", f"{SETTINGS}/imports")
    Tool(visit.scene.folder).json("org", "set", "--changed-percent", "41")
    browser.fill("removedPercent", "8")
    browser.press("Save")
    assert browser.heading == "Somebody else has changed this"
    browser.open(f"{visit.scene.base_url}{SETTINGS}")
    assert facts(browser)["Changed records"] == "41%" and facts(browser)["Removed records"] != "8%"


def test_a_domain_is_proved_by_a_record_in_its_zone(proving: Visit, name_server: NameServer) -> None:
    browser = enter(proving, "administrator", f"{SETTINGS}/domains")
    browser.fill("domain", "https://pupils.example/")
    browser.press("Add a domain")
    assert browser.texts(".message.danger")
    browser.fill("domain", "Pupils.example")
    browser.press("Add a domain")
    assert browser.heading == "pupils.example" and "Not verified yet" in browser.text
    record = facts(browser)
    shoot(browser, "settings-domain")

    browser.press("Verify now")
    assert "_lanyard-verify.pupils.example does not exist" in browser.texts(".message.danger")[0]
    shoot(browser, "settings-domain-refused")
    name_server.add(record["Name"], "lanyard-verify=of-somebody-else")
    browser.press("Verify now")
    assert "not the one that was asked for" in browser.texts(".message.danger")[0]
    name_server.stop()
    browser.press("Verify now")
    assert "No name server has said" in browser.texts(".message.danger")[0]
    name_server.add(record["Name"], record["Value"])
    browser.press("Verify now")
    assert not browser.texts(".message.danger") and facts(browser)["State"] == "Verified"
    shoot(browser, "settings-domain-verified")

    follow(browser, "Remove")
    assert "has to be verified again" in browser.text
    browser.press("Remove")
    assert "pupils.example" not in browser.texts("tbody a")
    browser.press("Undo")
    browser.press("Go on")
    follow(browser, "pupils.example")
    assert facts(browser)["State"] == "Not verified yet"


def test_a_rule_is_looked_at_before_it_counts_and_a_hold_keeps_somebody(visit: Visit) -> None:
    pupil = visit.scene.account("student").username
    browser = enter(visit, "administrator", f"{SETTINGS}/retention")
    follow(browser, "Unused accounts")
    browser.fill("days", "0")
    browser.press("See what would go")
    assert browser.texts(".message.danger") and browser.heading == "Unused accounts"
    browser.fill("days", "400")
    browser.press("See what would go")
    assert "they go after 400 days" in browser.text and "would be deactivated now" in browser.text
    assert "are reactivated one by one" in browser.text and "You can undo this" not in browser.text
    shoot(browser, "settings-retention-look")
    browser.press("Save")
    assert "After 400 days" in browser.text
    shoot(browser, "settings-retention")
    browser.press("Undo")
    browser.press("Go on")
    assert "After 400 days" not in browser.text
    follow(browser, "People who have left")
    browser.fill("days", "730")
    browser.press("See what would go")
    assert "What has gone by then does not come back" in browser.text and "You can undo this" not in browser.text
    shoot(browser, "settings-retention-left")

    browser.open(f"{visit.scene.base_url}{SETTINGS}/holds")
    assert "There is no legal hold" in browser.text
    browser.fill("person", "nobody@nowhere.example")
    browser.fill("reason", "Case 14/2031")
    browser.driver.execute_script("document.getElementById('until').value = '2099-12-31'")
    browser.press("Begin a hold")
    assert browser.texts(".message.danger")
    assert browser.driver.find_element("id", "reason").get_attribute("value") == "Case 14/2031"
    browser.fill("person", pupil)
    browser.driver.execute_script("document.getElementById('until').value = '2027-12-31'")
    browser.press("Begin a hold")
    assert "Case 14/2031" in browser.text and "In force" in browser.text
    shoot(browser, "settings-holds")
    browser.press("End")
    assert "Over" in browser.texts("tbody .state")[0]
    browser.press("Undo")
    browser.press("Go on")
    assert "In force" in browser.text


def test_a_program_gets_what_is_ticked_and_is_turned_away(visit: Visit) -> None:
    browser = enter(visit, "administrator", f"{SETTINGS}/api-clients")
    browser.leave(browser.driver.find_element("css selector", f"main a[href='{SETTINGS}/api-clients/add']").click)
    browser.fill("name", "Time table")
    browser.press("Add a program")
    assert "privileges are missing" in browser.texts(".message.danger")[0]
    tick(browser, "privileges", "people.read")
    shoot(browser, "settings-program-add")
    browser.press("Add a program")
    assert browser.heading == "Time table was added"
    client, secret = browser.texts("main pre")
    assert secret not in browser.url
    assert token(visit.scene.base_url, client, secret) == 200

    browser.open(f"{visit.scene.base_url}{SETTINGS}/api-clients")
    assert secret not in browser.driver.page_source
    shoot(browser, "settings-programs")
    browser.leave(
        browser.driver.find_element("css selector", f"a[href='{SETTINGS}/api-clients/{client}/revoke']").click)
    browser.press("Revoke")
    assert "Revoked" in browser.texts("tbody .state")
    assert token(visit.scene.base_url, client, secret) == 401


def token(base_url: str, client: str, secret: str) -> int:
    """What the token endpoint answers to the program."""
    request = urllib.request.Request(
        f"{base_url}/api/v1/token",
        urlencode({"grant_type": "client_credentials", "scope": "people.read"}).encode(),
        {"Authorization": "Basic " + b64encode(f"{client}:{secret}".encode()).decode()})
    try:
        return urllib.request.urlopen(request, timeout=60).status
    except urllib.error.HTTPError as refusal:
        return refusal.code


def test_roles_are_explained_and_lead_to_those_who_hold_them(visit: Visit) -> None:
    browser = enter(visit, "administrator", f"{SETTINGS}/roles")
    shoot(browser, "settings-roles")
    assert "Change settings and domains" in browser.text
    browser.leave(browser.driver.find_element("css selector", "a[href='/manager/people?role=administrator']").click)
    assert browser.heading == "People" and browser.texts("tbody tr")
    browser.open(f"{visit.scene.base_url}{SETTINGS}/roles")
    browser.press("Add an Administrator")
    assert browser.heading == "Add a person"
    assert browser.driver.execute_script("return document.getElementById('role').value") == "administrator"


def test_what_a_role_may_do_is_changed_for_all_who_hold_it_and_changed_back(visit: Visit) -> None:
    base = visit.scene.base_url
    browser = enter(visit, "administrator", f"{SETTINGS}/roles")

    def row(role: str) -> str:
        found, = (words for words in browser.texts("main tbody tr") if words.startswith(role))
        return found

    def change_instructors() -> None:
        browser.open(f"{base}{SETTINGS}/roles")
        browser.leave(browser.driver.find_element("css selector", f"main a[href='{SETTINGS}/roles/instructor']").click)
        tick(browser, "privileges", "passwords.issue")
        browser.press("See what follows")

    assert "Give passwords" in row("Instructor")
    assert not browser.driver.find_elements("css selector", f"main a[href='{SETTINGS}/roles/administrator']")
    change_instructors()
    shoot(browser, "settings-role-confirm")
    assert "They lose “Give passwords”" in browser.text
    assert any(words.endswith("people hold this role.") for words in browser.texts("main li"))
    browser.press("Change the role")
    shoot(browser, "settings-roles-changed")
    assert "Give passwords" not in row("Instructor")

    # Their own classes stay, without passwords.
    browser.driver.delete_all_cookies()
    enter(visit, "instructor")
    assert "Print for the class" not in browser.text and "passwords" not in browser.text
    follow(browser, browser.texts("tbody th")[0])
    assert "Give passwords" not in browser.text
    browser.open(f"{base}/manager/people/passwords")
    assert browser.heading == "You may not do this", browser.heading

    browser.driver.delete_all_cookies()
    enter(visit, "administrator")
    change_instructors()
    assert "They gain “Give passwords”" in browser.text
    browser.press("Change the role")
    browser.press("Undo")
    browser.open(f"{base}{SETTINGS}/roles")
    assert "Give passwords" not in row("Instructor")
    change_instructors()
    browser.press("Change the role")
    assert "Give passwords" in row("Instructor")


def test_an_organization_is_closed_by_its_name_alone(browser: Chromium, new_scene: Scene) -> None:
    visit = Visit(browser, new_scene)
    name = Tool(new_scene.folder).json("org", "show")["name"]
    browser = enter(visit, "administrator", SETTINGS)
    follow(browser, "Close the organization")
    assert "You cannot take this back yourself" in browser.text
    browser.fill("name", name[:-1])
    browser.fill("days", "60")
    browser.press("Close the organization")
    assert "not the name of the organization" in browser.texts(".message.danger")[0]
    assert browser.driver.find_element("id", "days").get_attribute("value") == "60"
    shoot(browser, "settings-close")
    browser.fill("name", name)
    browser.fill("days", "3")
    browser.press("Close the organization")
    assert "7 and 365" in browser.texts(".message.danger")[0]
    browser.fill("name", name)
    browser.fill("days", "60")
    browser.press("Close the organization")
    assert browser.heading == "Sign in" and Tool(new_scene.folder).json("org", "show")["closedAt"]
