"""`lanyard access` and `lanyard consent`."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from command_line.conftest import District, Quizzler
from database import execute
from receiver import Receiver
from foreign_client import ForeignClient
from lanyard_tool import Tool
from plain_browser import PlainBrowser
from processes import free_port, wait_until
from scene import Account, RegisteredApp


@dataclass
class Connected:
    """An app that an administrator has allowed to read; the server runs."""

    tool: Tool
    client: ForeignClient
    notifications: Receiver


@pytest.fixture
def connected(maple: District, quizzler: Quizzler, tmp_path: Path) -> Iterator[Connected]:
    with connecting(maple, quizzler, tmp_path) as connected:
        yield connected


@contextmanager
def connecting(maple: District, quizzler: Quizzler, tmp_path: Path) -> Iterator[Connected]:
    """Has an administrator allow the app. Afterwards the server stops."""
    tool = maple.tool
    tool.json("access", "allow", "Quizzler")
    key = tool.json("key", "create", "first", "--out", tmp_path / "key.p8")["key"]
    tool.json(
        "person", "add", "--first-name", "Nadia", "--last-name", "Berg", "--role", "administrator",
        "--user-name", "nadia@maple.example")
    password = tool.json("person", "password", "nadia@maple.example")["password"]
    account = Account("managed", "administrator", "Nadia Berg", "nadia@maple.example", password)
    app = RegisteredApp(
        "Quizzler", quizzler.client_id, quizzler.team_id, key["keyID"], (tmp_path / "key.p8").read_text(),
        quizzler.return_url, ("edu.users.read", "edu.classes.read"))
    port = free_port()
    tool.json("app", "set", "Quizzler", "--notification-url", f"http://127.0.0.1:{port}/n", "--development")
    with tool.serving() as url, Receiver(port) as notifications:
        client = ForeignClient(url, app)
        callback = consent(PlainBrowser(), client.authorize_url(), account)
        client.exchange(callback)
        yield Connected(tool, client, notifications)


def consent(browser: PlainBrowser, authorize_url: str, account: Account) -> str:
    """Signs in with the temporary password, chooses another, and presses Allow."""
    page = browser.sign_in(browser.open(authorize_url), account)
    page = browser.follow(browser.press("Save and continue", page, new_password="maple-leaf-2468"))
    return browser.press("Allow", page).headers["Location"]


@pytest.mark.on_each_database
def test_the_list_decides_and_acts_on_the_next_call(connected: Connected) -> None:
    assert connected.client.get("users").status_code == 200
    rule = connected.tool.json("access", "remove", "Quizzler", "--yes")
    assert connected.client.get("users").status_code == 403
    listed = connected.tool.json("consent", "list")["consents"][0]
    assert "not on the organization's list" in listed["refusal"]
    assert "not on the organization's list" in connected.tool.text("doctor")
    assert connected.tool.json("access", "mode", "allow-all-apps")["version"] == rule["version"] + 1
    assert connected.client.get("users").status_code == 200
    assert "refusal" not in connected.tool.json("consent", "list")["consents"][0]


@pytest.mark.on_each_database
def test_a_living_token_reads_no_more_than_its_app_may_ask_for(connected: Connected) -> None:
    def statuses() -> tuple[int, int]:
        return connected.client.get("classes").status_code, connected.client.get("users").status_code

    assert statuses() == (200, 200)
    assert connected.tool.json("app", "set", "Quizzler", "--scope", "edu.classes.read")["scopes"] == [
        "edu.classes.read"]
    assert statuses() == (200, 403)
    (listed,) = connected.tool.json("consent", "list", "--alive")["consents"]
    assert listed["scopes"] == ["edu.classes.read"]
    # What the consent has lost, it does not get back with the app.
    connected.tool.json("app", "set", "Quizzler", "--scope", "edu.classes.read", "--scope", "edu.users.read")
    assert statuses() == (200, 403)


def test_why_says_what_the_app_gets_and_what_would_change_it(connected: Connected) -> None:
    def verdict() -> dict:
        return connected.tool.json("why", "nadia@maple.example", "Quizzler")["roster"]

    read = next(user for user in connected.client.get("users").json()["users"] if user["givenName"] == "Nadia")
    assert verdict()["isAllowed"] and verdict()["reason"] == "connected"
    assert verdict()["fields"] == list(read)
    connected.tool.json("access", "remove", "Quizzler", "--yes")
    assert verdict()["reason"] == "not-listed-for-data-sharing" and verdict()["ruleVersion"] == 2
    text = connected.tool.text("why", "nadia@maple.example", "Quizzler")
    assert "no   roster:" in text and text.endswith("lanyard access allow Quizzler\n")
    connected.tool.text("access", "allow", "Quizzler")
    assert connected.client.get("users").status_code == 200 and verdict()["isAllowed"]
    assert "There is no app “Chess”." in connected.tool.failure("why", "nadia@maple.example", "Chess")


def test_a_consent_is_listed_with_who_and_when(connected: Connected) -> None:
    (listed,) = connected.tool.json("consent", "list", "--alive")["consents"]
    assert listed.pop("grantedAt") and listed.pop("number") and listed.pop("version")
    app = listed.pop("appNumber")
    # Consents last for a year.
    assert listed.pop("renewalLastDay") > datetime.now(UTC).date().isoformat()
    # The app has not read before the first call of a test.
    assert "lastReadAt" not in listed
    assert listed == {
        "app": "Quizzler", "clientID": "com.example.quizzler", "scopes": ["edu.classes.read", "edu.users.read"],
        "grantedBy": "nadia@maple.example", "isGiverDeactivated": False, "isAnnounced": False, "hasRunOut": False,
        "recordsRead": 0,
    }
    assert connected.tool.json("access", "show")["apps"] == [
        {"number": app, "name": "Quizzler", "clientID": "com.example.quizzler", "isConnected": True}]


def test_apps_are_searched_that_can_be_put_on_the_list(connected: Connected) -> None:
    (found,) = connected.tool.json("access", "search", "QUIZ", "--for", "sign-in")["apps"]
    assert found["name"] == "Quizzler" and found["isListed"] is False
    assert connected.tool.json("access", "search", "quizzler")["apps"][0]["isListed"] is True
    assert connected.tool.json("access", "search", "chess")["apps"] == []
    assert "com.example.quizzler" in connected.tool.text("access", "search")


def test_a_consent_says_when_the_app_last_read(connected: Connected) -> None:
    assert connected.client.get("users").status_code == 200
    assert connected.tool.json("consent", "show", "Quizzler")["lastReadAt"]


def test_a_consent_goes_on_without_its_giver_and_says_so(connected: Connected) -> None:
    connected.tool.json("person", "add", "--first-name", "Bo", "--last-name", "Lee", "--role", "administrator")
    connected.tool.json("person", "deactivate", "nadia@maple.example")
    assert connected.tool.json("consent", "list")["consents"][0]["isGiverDeactivated"] is True
    assert "nadia@maple.example (deactivated)" in connected.tool.text("consent", "list")
    assert "Quizzler reads by a consent of Nadia Berg, who is deactivated" in connected.tool.text("doctor")
    assert connected.client.get("users").status_code == 200


def test_revoking_acts_on_the_next_call_and_the_app_is_told(connected: Connected) -> None:
    revoked = connected.tool.json("consent", "revoke", "Quizzler", "--yes")
    assert revoked["isNotified"] and revoked["consent"]["revokedAt"] and "revokedBy" not in revoked["consent"]
    assert connected.client.get("users").status_code == 401
    assert connected.notifications.arrived.wait(20)
    assert connected.tool.json("consent", "list", "--alive")["consents"] == []
    assert "by the operator" in connected.tool.text("consent", "list")
    assert "no consent for the app “Quizzler”" in connected.tool.failure("consent", "revoke", "Quizzler")


@pytest.mark.on_each_database
def test_a_consent_ends_is_announced_and_renewed(connected: Connected) -> None:
    tool = connected.tool
    soon = (datetime.now(UTC) + timedelta(days=20)).date().isoformat()
    assert tool.json("consent", "limit", "Quizzler", "--last-day", soon)["lastDay"] == soon
    doctor = tool.text("doctor")
    assert f"the consent for Quizzler ends on {soon}. Nobody is asked by mail" in doctor
    assert "lanyard consent renew 'Quizzler'" in doctor
    (due,) = tool.json("calendar")["dates"]
    assert (due["kind"], due["on"], due["app"], due["isAnnounced"]) == ("consent-ends", soon, "Quizzler", False)
    assert "lanyard consent renew Quizzler" in tool.text("calendar")
    assert "until the next 07-31: today that is" in tool.text("consent", "term", "07-31")
    renewed = tool.json("consent", "renew", "Quizzler")
    assert renewed["lastDay"].endswith("-07-31") and renewed["lastDay"] > soon
    assert "would not last longer" in tool.failure("consent", "renew", "Quizzler")
    assert renewed["lastDay"] in tool.text("consent", "show", "Quizzler")
    assert "is over already" in tool.failure("consent", "limit", "Quizzler", "--last-day", "2026-01-01")
    assert connected.client.get("users").status_code == 200
    assert "ends on" not in tool.text("doctor")
    assert "lastDay" not in tool.json("consent", "limit", "Quizzler", "--last-day", "none")


def test_a_consent_whose_last_day_is_over_counts_no_more(connected: Connected) -> None:
    tool = connected.tool
    over = (datetime.now(UTC) - timedelta(days=2)).date().isoformat()
    execute(tool.file, "UPDATE consent SET last_day = ?", over)
    # Whatever runs in the background has not seen it yet.
    assert connected.client.get("users").status_code == 401
    assert tool.json("consent", "list", "--alive")["consents"] == []
    assert tool.json("consent", "show", "Quizzler")["hasRunOut"] is True
    assert "no consent for the app “Quizzler”" in tool.failure("consent", "renew", "Quizzler")
    assert tool.json("access", "show")["apps"][0]["isConnected"] is False


@pytest.mark.on_each_database
def test_removing_a_connected_app_asks_revokes_and_tells_the_app(connected: Connected) -> None:
    message = connected.tool.failure("app", "remove", "Quizzler")
    assert "Maple District" in message and "--yes" in message
    assert connected.client.get("users").status_code == 200
    assert connected.tool.json("app", "remove", "Quizzler", "--yes")["revokedConsents"] == 1
    assert connected.client.get("users").status_code == 401
    assert connected.notifications.arrived.wait(20)
    wait_until(
        lambda: "0 waiting, none given up." in connected.tool.text("doctor"), 20, "the notification is delivered")


@pytest.mark.on_each_database
def test_what_ends_for_many_is_said_before_and_wants_yes(connected: Connected) -> None:
    tool = connected.tool
    before = tool.json("access", "show")
    people = tool.json("org", "show")["people"]
    for command in (["access", "remove", "Quizzler"], ["consent", "revoke", "Quizzler"]):
        message = tool.failure(*command)
        assert f"Quizzler: reads nothing about the {people} people" in message
        assert "Nothing was changed." in message and "--yes" in message
        assert f"reads nothing about the {people} people" in tool.text(*command, "--dry-run")
    assert [
        (effect["name"], effect["detail"].split()[0]) for effect in tool.json("access", "remove", "Quizzler", "--dry-run")["effects"]
    ] == [("Quizzler", "removed"), ("Quizzler", "reads")]
    assert tool.json("consent", "revoke", "Quizzler", "--dry-run")["counts"] == {"consent.revoked": 1}
    # Nobody may sign in to an app that is not listed, and such an app reads nothing either.
    message = tool.failure("access", "mode", "allow-only-listed-apps", "--for", "sign-in")
    assert "Quizzler: reads nothing" in message
    assert tool.json("access", "show") == before
    assert tool.json("access", "show", "--for", "sign-in")["mode"] == "allow_all_apps"
    assert connected.client.get("users").status_code == 200
    # A change that ends nothing needs no confirmation.
    assert tool.json("access", "mode", "allow-all-apps")["mode"] == "allow_all_apps"
    assert tool.json("access", "remove", "Quizzler")["apps"] == []
    assert "contradict" in tool.usage_error("access", "remove", "Quizzler", "--yes", "--dry-run")


def test_an_organization_that_has_not_decided_allows_only_listed_apps(maple: District) -> None:
    assert maple.tool.json("access", "show") == {
        "purpose": "data-sharing", "organization": maple.id, "organizationName": "Maple District",
        "mode": "allow_only_listed_apps", "version": 0, "apps": [],
    }
    # The rule for signing in is separate, and begins with another mode.
    assert maple.tool.json("access", "show", "--for", "sign-in") == {
        "purpose": "sign-in", "organization": maple.id, "organizationName": "Maple District",
        "mode": "allow_all_apps", "version": 0, "apps": [],
    }


def test_doing_the_same_again_changes_nothing(maple: District, quizzler: Quizzler) -> None:
    for arguments in (["allow", "Quizzler"], ["mode", "allow-all-apps"]):
        first = maple.tool.json("access", *arguments)
        assert maple.tool.json("access", *arguments) == first
    changes = [
        entry for entry in maple.tool.json("audit", "list")["entries"] if entry["action"] == "access-rule.changed"]
    assert len(changes) == 2


def test_what_cannot_be_allowed_or_removed(maple: District, quizzler: Quizzler) -> None:
    assert "no app “Elm”" in maple.tool.failure("access", "allow", "Elm")
    assert "not on the list" in maple.tool.failure("access", "remove", "Quizzler")
    assert "allow-only-listed-apps" in maple.tool.usage_error("access", "mode", "allow-some-apps")
    maple.tool.json("init", "--name", "Oak Company", "--kind", "business")
    assert "only schools" in maple.tool.failure("access", "mode", "allow-all-apps", "--org", "Oak Company")


def test_no_consent_yet(maple: District, quizzler: Quizzler) -> None:
    assert maple.tool.json("consent", "list") == {"consents": [], "term": "unlimited"}
    assert "no consent for the app “Quizzler”" in maple.tool.failure("consent", "revoke", "Quizzler")


def test_a_rule_is_called_the_same_everywhere(maple: District) -> None:
    tool = maple.tool
    assert "data_sharing" not in tool.text("access", "show", "--help")
    assert tool.json("access", "show", "--for", "data_sharing")["purpose"] == "data-sharing"
    assert tool.json("access", "mode", "allow-all-apps", "--for", "data-sharing")["purpose"] == "data-sharing"
    assert tool.json("audit", "list")["entries"][0]["subject"] == "data-sharing"


def test_without_signing_keys_the_list_says_so(maple: District) -> None:
    assert "There is no signing key yet." in maple.tool.text("signing-key", "list")
