"""`lanyard org`, and how commands find the organization that is meant."""

from pathlib import Path

import pytest
from command_line.conftest import District
from lanyard_tool import Tool
from sample_png import write_png


@pytest.mark.on_each_database
def test_show_tells_everything_of_an_organization(maple: District) -> None:
    shown = maple.tool.json("org", "show")
    assert shown.pop("createdAt") and shown.pop("version")
    assert shown["domains"][0].pop("verifiedAt") and shown["domains"][0].pop("version")
    assert shown == {
        "id": maple.id, "name": "Maple District", "kind": "school", "isTestSchool": False, "isSandbox": False,
        "userNameFormat": "{first_name}.{last_name}@maple.example", "domains": [{"name": "maple.example"}],
        "locations": 1, "people": 0, "classes": 0, "administrators": 0, "accessMode": "allow_only_listed_apps",
        "signInMode": "allow_all_apps", "asksEveryTime": False, "factorHolders": [], "factorGraceDays": 14, "connectedApps": 0, "importThresholds": {
            "removedPercent": 10, "changedPercent": 75, "replacedMax": 0, "renamedPercent": 1},
    }
    assert "Maple District" in maple.tool.text("org", "show")


def test_an_organization_is_named_by_id_or_name_and_left_out_when_it_is_the_only_one(maple: District) -> None:
    for naming in ([], ["--org", maple.id], ["--org", maple.id.upper()], ["--org", "Maple District"]):
        assert maple.tool.json("org", "show", *naming)["id"] == maple.id


def test_of_several_organizations_one_has_to_be_named(maple: District) -> None:
    oak = maple.tool.json("init", "--name", "Oak Company", "--kind", "business")["organization"]
    listed = maple.tool.json("org", "list")["organizations"]
    assert [organization["name"] for organization in listed] == ["Maple District", "Oak Company"]
    message = maple.tool.failure("org", "show")
    assert "--org" in message and maple.id in message and oak in message
    message = maple.tool.failure("org", "show", "--org", "Elm")
    assert "no organization “Elm”" in message and "Oak Company" in message
    assert "There are:" in message


@pytest.mark.on_each_database
def test_an_organization_has_the_colour_that_it_chose(maple: District) -> None:
    assert "colour" not in maple.tool.json("org", "show")
    assert maple.tool.json("org", "set", "--colour", "plum")["colour"] == "plum"
    assert maple.tool.json("org", "show")["colour"] == "plum"
    maple.tool.usage_error("org", "set", "--colour", "pink")
    assert maple.tool.json("audit", "list")["entries"][0]["detail"] == "colour plum"


@pytest.mark.on_each_database
def test_set_changes_name_format_and_thresholds(maple: District) -> None:
    changed = maple.tool.json(
        "org", "set", "--name", "Maple Union", "--user-name-format", "{person_id}@maple.example",
        "--removed-percent", "20", "--changed-percent", "30")
    assert changed["name"] == "Maple Union" and changed["userNameFormat"] == "{person_id}@maple.example"
    assert changed["importThresholds"] == {
        "removedPercent": 20, "changedPercent": 30, "replacedMax": 0, "renamedPercent": 1}
    assert maple.tool.json("org", "show") == changed


def test_sign_ins_language_and_terms_are_set_and_cleared(maple: District) -> None:
    changed = maple.tool.json(
        "org", "set", "--session-hours", "8", "--idle-minutes", "15", "--language", "ja", "--terms",
        "https://maple.example/terms")
    rules = {"sessionHours": 8, "idleMinutes": 15, "language": "ja", "termsURL": "https://maple.example/terms"}
    assert rules.items() <= changed.items()
    shown = maple.tool.text("org", "show")
    assert "for 8 hours, until 15 minutes pass without use" in shown and "https://maple.example/terms" in shown
    problem = maple.tool.failure("org", "set", "--session-hours", "24")
    assert "is not a number from 1 to 12" in problem
    assert maple.tool.json("org", "show") == changed
    cleared = maple.tool.json(
        "org", "set", "--clear", "session-hours", "--clear", "idle-minutes", "--clear", "language", "--clear", "terms")
    assert not rules.keys() & cleared.keys()


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--user-name-format", "{shoe_size}@maple.example"], "shoe_size"),
        (["--name", " "], "organization name is missing"),
        (["--removed-percent", "200"], "between 0 and 100"),
    ])
def test_set_refuses_what_cannot_be_and_changes_nothing(
    maple: District, options: list[str], complaint: str
) -> None:
    before = maple.tool.json("org", "show")
    assert complaint in maple.tool.failure("org", "set", *options)
    assert maple.tool.json("org", "show") == before


def test_set_without_anything_to_change_is_wrong_usage(maple: District) -> None:
    assert "Say what to change" in maple.tool.usage_error("org", "set")


def test_two_organizations_cannot_have_one_name(maple: District) -> None:
    maple.tool.json("init", "--name", "Oak Company", "--kind", "business")
    assert "is called" in maple.tool.failure("org", "set", "--org", "Oak Company", "--name", "Maple District")


@pytest.mark.on_each_database
def test_domains_come_and_go(maple: District) -> None:
    added = maple.tool.json("org", "domain", "add", "Students.Maple.example")
    assert added["name"] == "students.maple.example" and added["verifiedAt"]
    names = [domain["name"] for domain in maple.tool.json("org", "domain", "list")["domains"]]
    assert names == ["maple.example", "students.maple.example"]
    maple.tool.json("org", "domain", "remove", "students.maple.example")
    assert "students" not in maple.tool.text("org", "domain", "list")


def test_a_domain_with_personal_accounts_says_so(maple: District) -> None:
    maple.tool.json(
        "person", "add", "--personal", "--user-name", "nadia@mail.example", "--first-name", "Nadia", "--last-name", "Berg")
    assert maple.tool.json("org", "domain", "add", "mail.example")["personalAccounts"] == 1
    text = maple.tool.text("org", "domain", "add", "mail.example")
    assert "Personal accounts with an address of this domain: 1" in text
    assert "Nadia" in maple.tool.text("person", "list", "--personal", "--text", "@mail.example")


@pytest.mark.on_each_database
def test_what_locations_have_without_their_own_is_set_and_cleared(maple: District) -> None:
    changed = maple.tool.json(
        "org", "set", "--location-domain", "maple.example", "--location-time-zone", "Europe/Berlin",
        "--replaced-max", "2", "--renamed-percent", "5")
    assert (changed["locationDomain"], changed["locationTimeZone"]) == ("maple.example", "Europe/Berlin")
    assert changed["importThresholds"] == {
        "removedPercent": 10, "changedPercent": 75, "replacedMax": 2, "renamedPercent": 5}
    cleared = maple.tool.json("org", "set", "--clear", "location-domain")
    assert "locationDomain" not in cleared and cleared["locationTimeZone"] == "Europe/Berlin"
    assert "IANA" in maple.tool.failure("org", "set", "--location-time-zone", "Nowhere")
    assert "negative" in maple.tool.failure("org", "set", "--replaced-max=-1")


def test_domains_that_cannot_be_added_or_removed(maple: District) -> None:
    assert "no domain name" in maple.tool.failure("org", "domain", "add", "maple")
    assert "has no domain" in maple.tool.failure("org", "domain", "remove", "oak.example")
    maple.tool.json("init", "--name", "Oak Company", "--kind", "business")
    message = maple.tool.failure("org", "domain", "add", "maple.example", "--org", "Oak Company")
    assert "Another organization has verified" in message


@pytest.mark.on_each_database
def test_a_location_is_added_listed_and_changed(maple: District) -> None:
    added = maple.tool.json(
        "org", "location", "add", "東京校", "--location-id", "tokyo", "--time-zone", "Asia/Tokyo",
        "--student-password-policy", "4", "--domain", "maple.example")
    assert added.pop("version")
    assert added == {
        "id": added["id"], "locationID": "tokyo", "name": "東京校", "source": "manual", "domain": "maple.example",
        "timeZone": "Asia/Tokyo", "studentPasswordPolicy": "4",
    }
    for naming in ("tokyo", "東京校", added["id"]):
        assert maple.tool.json("org", "location", "set", naming, "--time-zone", "UTC")["timeZone"] == "UTC"
    cleared = maple.tool.json(
        "org", "location", "set", "tokyo", "--clear", "time-zone", "--clear", "student-password-policy")
    assert "timeZone" not in cleared and "studentPasswordPolicy" not in cleared and cleared["domain"]
    listed = maple.tool.json("org", "location", "list")
    assert [location["name"] for location in listed["locations"]] == ["Maple High", "東京校"]
    assert "next" not in listed


def test_long_lists_come_in_pages(maple: District) -> None:
    maple.tool.json("org", "location", "add", "Maple Middle")
    first = maple.tool.json("org", "location", "list", "--limit", "1")
    rest = maple.tool.json("org", "location", "list", "--after", str(first["next"]))
    names = [location["name"] for page in (first, rest) for location in page["locations"]]
    assert names == ["Maple High", "Maple Middle"]
    assert f"--after {first['next']}" in maple.tool.text("org", "location", "list", "--limit", "1")
    maple.tool.usage_error("org", "location", "list", "--limit", "0")


def test_locations_that_cannot_be_made_or_found(maple: District) -> None:
    assert "IANA" in maple.tool.failure("org", "location", "add", "Moon", "--time-zone", "Moon/Base")
    assert "already" in maple.tool.failure("org", "location", "add", "Twin", "--location-id", "high")
    assert "no location" in maple.tool.failure("org", "location", "set", "Elm High", "--name", "X")
    maple.tool.usage_error("org", "location", "set", "high")
    maple.tool.usage_error("org", "location", "set", "high", "--time-zone", "UTC", "--clear", "time-zone")
    assert len(maple.tool.json("org", "location", "list")["locations"]) == 1


def test_the_test_school_can_be_seen_but_not_changed(maple: District) -> None:
    with maple.tool.serving():
        pass
    schools = maple.tool.json("org", "list", "--test-school")["organizations"]
    assert [school["isTestSchool"] for school in schools] == [False, True]
    test_school = schools[1]["id"]
    assert maple.tool.json("person", "list", "--org", test_school, "--limit", "1")["people"]
    assert "belongs to Lanyard" in maple.tool.failure("org", "set", "--org", test_school, "--name", "Mine")


def test_a_mistyped_folder_makes_no_data(tool: Tool) -> None:
    assert "There is no database" in tool.failure("org", "list")
    assert not tool.data.exists()


@pytest.mark.on_each_database
def test_an_organization_has_a_picture(maple: District, tmp_path: Path) -> None:
    crest = write_png(tmp_path / "crest.png", 500)
    assert crest.stat().st_size > 700_000
    shown = maple.tool.json("org", "picture", crest)
    assert len(shown["pictureID"]) == 22
    assert "picture" in maple.tool.text("org", "show")
    script = tmp_path / "crest.svg"
    script.write_text("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>")
    assert "is not a PNG file" in maple.tool.failure("org", "picture", script)
    assert "cannot be read" in maple.tool.failure("org", "picture", tmp_path / "none.png")
    assert "--none" in maple.tool.usage_error("org", "picture")
    assert maple.tool.json("org", "show")["pictureID"] == shown["pictureID"]
    assert "initials" in maple.tool.text("org", "picture", "--none")
    assert "pictureID" not in maple.tool.json("org", "show")
