"""`lanyard login`, `logout`, and commands with `--server`."""

import json
import os
import re
import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import requests
from command_line.test_imports import PUPILS
from command_line.test_imports import write as write_roster
from plain_browser import PlainBrowser
from processes import LANYARD, Program
from sample_png import write_png
from scene import Account
from school import OpenSchool, open_school_in


@dataclass(frozen=True)
class Terminal:
    """Another machine, on which somebody administrates a server."""

    home: Path
    server: str

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("LANYARD_", "XDG_"))}
        return kept | {"HOME": str(self.home)}

    @property
    def file(self) -> Path:
        return self.home / ".config" / "lanyard" / "servers.json"

    def run(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        server = () if "LANYARD_SERVER" in environment else ("--server", self.server)
        return subprocess.run(
            [str(LANYARD), *arguments, *server], env=self.environment | environment, cwd=self.home,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)

    def text(self, *arguments: str, **environment: str) -> str:
        result = self.run(*arguments, **environment)
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout

    def json(self, *arguments: str) -> Any:
        return json.loads(self.text(*arguments, "--json"))

    def failure(self, *arguments: str, **environment: str) -> str:
        result = self.run(*arguments, **environment)
        assert (result.returncode, result.stdout) == (1, ""), result.stdout + result.stderr
        return result.stderr

    def log_in(self, account: Account, button: str = "Allow", *options: str) -> Program:
        """Runs `lanyard login` until somebody has decided in a browser, as the server's page asks them."""
        login = Program(
            "/usr/bin/env", "-i", *(f"{name}={value}" for name, value in self.environment.items()), LANYARD, "login",
            "--server", self.server, *options, log=self.home / "login.log")
        try:
            shown = login.wait_until(
                lambda: re.search(r"(http\S+/device\?user_code=\S+)[\s\S]+shows the code (\S+)\.", login.log_text), 30,
                "the terminal shows a code")
            browser = PlainBrowser()
            page = browser.open(shown[1])
            assert page.form("Continue").fields["user_code"] == shown[2]
            page = browser.sign_in(browser.follow(browser.press("Continue", page)), account)
            whose = "your teams of app developers" if account.kind == "personal" else "Maple School"
            assert page.plain_heading == f"Let a terminal manage {whose}?"
            browser.press(button, page)
            login.wait(30)
            return login
        finally:
            login.stop()


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenSchool]:
    with open_school_in(tmp_path_factory.mktemp("remote")) as opened:
        yield opened


@pytest.fixture(scope="module")
def administrator(school: OpenSchool) -> Account:
    return school.school.add(
        school.base_url, "managed", "Chen Wei", "chen.wei@maple.example", "--role", "administrator").account


@pytest.fixture
def terminal(school: OpenSchool, tmp_path: Path) -> Terminal:
    return Terminal(tmp_path, school.base_url)


@contextmanager
def signed_in(terminal: Terminal, account: Account) -> Iterator[Terminal]:
    login = terminal.log_in(account)
    assert login.process.returncode == 0, login.log_text
    yield terminal
    assert "Signed out" in terminal.text("logout")


def test_commands_do_the_same_on_a_server_as_on_its_data(
    school: OpenSchool, administrator: Account, terminal: Terminal
) -> None:
    here = school.school.tool
    with signed_in(terminal, administrator):
        made = terminal.json(
            "person", "add", "--first-name", "Zoë", "--last-name", "O’Neill 김", "--role", "student", "--grade", "4")
        user_name = made["userName"]
        for command in (
            ("person", "list"), ("person", "list", "--role", "student", "--text", "zoë"),
            ("person", "show", user_name), ("change", "list"), ("api-client", "list"),
            ("consent", "list"), ("calendar",),
        ):
            assert terminal.text(*command) == here.text(*command), command
            assert terminal.json(*command) == here.json(*command), command
        for command in (("person", "show", "nobody@maple.example"), ("person", "reactivate", user_name)):
            named = (*command, "--org", "Maple School")
            assert terminal.failure(*named) == here.failure(*named), command

        assert terminal.text("person", "deactivate", user_name) == f"Zoë O’Neill 김 ({user_name}) is deactivated.\n"
        change = here.json("change", "list")["changes"][0]
        assert (change["operation"], change["actor"][:7]) == ("person.deactivate", "person:")
        assert "is taken back" in terminal.text("change", "undo", str(change["change"]))
        assert here.json("person", "show", user_name)["state"] == "new"
        assert "is undone already" in terminal.failure("change", "undo", str(change["change"]))
        password = terminal.json("person", "password", user_name)["password"]
        assert password
        issued = [entry for entry in here.json("audit", "list")["entries"] if entry["action"] == "password.issued"]
        assert issued[0]["actor"].startswith("person:")


def test_an_organization_and_its_devices_are_managed_on_a_server_as_on_its_data(
    school: OpenSchool, administrator: Account, terminal: Terminal
) -> None:
    here = school.school.tool
    user = here.json("person", "add", "--first-name", "Ida", "--last-name", "Berg", "--role", "student")["userName"]
    with signed_in(terminal, administrator):
        for command in (
            ("org", "list"), ("org", "show"), ("org", "domain", "list"), ("device", "list"),
            ("device", "list", "--user", user),
        ):
            assert terminal.text(*command) == here.text(*command), command
            assert terminal.json(*command) == here.json(*command), command
        assert terminal.json("org", "set", "--colour", "plum")["colour"] == "plum"
        assert "colour" not in terminal.json("org", "set", "--clear", "colour")
        added = terminal.text("org", "domain", "add", "pupils.maple.example")
        assert "`lanyard org domain list` says how to show that it is yours" in added
        [record] = [
            line for line in terminal.text("org", "domain", "list").splitlines()
            if line.startswith("_lanyard-verify.pupils.maple.example. IN TXT ")
        ]
        assert record in here.text("org", "domain", "list")
        assert "it needs the privilege server.operate" in terminal.failure(
            "org", "domain", "verify", "pupils.maple.example")
        assert "Verified pupils.maple.example." in here.text("org", "domain", "verify", "pupils.maple.example")
        assert terminal.json("org", "domain", "remove", "pupils.maple.example") == {"removed": "pupils.maple.example"}
        assert terminal.json("device", "code", "--user", user)["userName"] == user
        assert "`lanyard device list` shows the devices" in terminal.failure("device", "remove", "nothing")
        # The server makes the profile, and this one is reached by its own machine alone.
        assert "which no other device reaches" in terminal.failure("device", "profile")
        assert "only --org and --out" in terminal.failure("device", "profile", "--client-id", "org.maple.device")
        # One that ends is closed from here too, and handed over only there.
        assert terminal.json("org", "close", "--dry-run")["counts"]["organization.closed"] == 1
        assert "only on the server itself" in terminal.failure("org", "hand-over", "folder")


def test_an_id_map_is_applied_and_refused_on_a_server_as_on_its_data(
    school: OpenSchool, administrator: Account, terminal: Terminal, tmp_path: Path
) -> None:
    here = school.school.tool
    for name in ("one", "two"):
        here.json(
            "person", "add", "--first-name", name, "--last-name", "Mapped", "--role", "student", "--person-id",
            f"old-{name}")
    file = tmp_path / "map.csv"
    with signed_in(terminal, administrator):
        file.write_text("type,old_id,new_id\nperson,old-one,new\nperson,old-two,new\n")
        results = [run("id-map", "apply", str(file)) for run in (terminal.run, here.run)]
        assert [result.returncode for result in results] == [2, 2]
        assert results[0].stdout == results[1].stdout and "map.csv:3:" in results[0].stdout
        file.write_text("type,old_id,new_id\nperson,old-one,old-two\nperson,old-two,old-one\n")
        done = terminal.json("id-map", "apply", str(file))
        assert done["result"]["people"] == 2
        assert here.json("person", "show", "old-two")["firstName"] == "one"
        assert "is taken back" in terminal.text("change", "undo", str(done["change"]))
        assert here.json("person", "show", "old-one")["firstName"] == "one"


def test_files_are_imported_and_taken_back_on_a_server(
    school: OpenSchool, administrator: Account, terminal: Terminal, tmp_path: Path
) -> None:
    here = school.school.tool
    files = write_roster(tmp_path / "roster")
    with signed_in(terminal, administrator):
        plan = terminal.json("import", str(files), "--plan", "--show", "coming")
        assert plan["outcome"] == "planned" and len(plan["listing"]["people"]) == PUPILS + 1
        assert terminal.text("import", str(files), "--plan") == here.text("import", str(files), "--plan")
        done = terminal.json("import", str(files))
        assert (done["outcome"], done["counts"]["students"]["added"]) == ("applied", PUPILS)
        assert terminal.text("import", "--history") == here.text("import", "--history")
        assert terminal.json("import", "--undo")["importID"] == done["importID"]
        again = terminal.json("import", "--files-of", str(done["importID"]))
        assert again["counts"]["students"]["reactivated"] == PUPILS
        (files / "rosters.csv").write_text("roster_id,class_id,student_id\nR-1,K-9,S-0\n")
        result = terminal.run("import", str(files))
        assert result.returncode == 2 and "rosters.csv:2 class_id" in result.stdout
        assert "There is no /nowhere" in terminal.failure("import", "/nowhere")
        terminal.json("import", "--undo")


def test_the_sign_in_is_kept_for_its_owner_alone_until_it_ends(
    school: OpenSchool, administrator: Account, terminal: Terminal
) -> None:
    assert f"Run `lanyard login --server {terminal.server}` first" in terminal.failure("person", "list")
    with signed_in(terminal, administrator):
        assert stat.S_IMODE(terminal.file.stat().st_mode) == 0o600
        assert stat.S_IMODE(terminal.file.parent.stat().st_mode) == 0o700
        token = json.loads(terminal.file.read_text())[terminal.server]["accessToken"]
        organization = json.loads(terminal.file.read_text())[terminal.server]["organization"]
        assert terminal.text("person", "list", LANYARD_SERVER=terminal.server) == terminal.text("person", "list")
    answer = requests.get(
        f"{terminal.server}/api/v1/organizations/{organization}/people", timeout=60,
        headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == 401
    assert "You are not signed in" in terminal.failure("person", "list")
    assert "You were not signed in" in terminal.text("logout")


def test_a_terminal_that_is_not_allowed_gets_nothing(administrator: Account, terminal: Terminal) -> None:
    login = terminal.log_in(administrator, "Cancel")
    assert login.process.returncode == 1 and "It was not allowed in the browser" in login.log_text
    assert not terminal.file.exists()


def test_whoever_signs_in_may_do_what_their_role_allows(school: OpenSchool, terminal: Terminal) -> None:
    teacher, pupil = school.school.people["managed"], school.school.people["managed without e-mail"]
    with signed_in(terminal, teacher.account):
        assert "it needs the privilege people.manage" in terminal.failure(
            "person", "deactivate", pupil.account.username)
        # A teacher's pupils are those of the classes; this pupil is in none.
        assert "Nobody" in terminal.text("person", "list", "--role", "student")


def test_developers_look_after_their_apps_from_another_machine(
    school: OpenSchool, terminal: Terminal, tmp_path: Path
) -> None:
    here = school.school.tool
    school.school.register("Quizzler", "com.example.quizzler")
    school.school.register("Rival", "com.example.rival")
    robin, kim = (school.newcomer().account for _ in range(2))
    here.json("app", "team", "add-member", "Quizzler Inc.", robin.username)
    here.json("app", "team", "add-member", "Rival Inc.", kim.username)
    with signed_in(terminal, robin):
        assert terminal.json("app", "team", "list")["teams"] == [here.json("app", "team", "show", "--team", "Quizzler Inc.")]
        assert terminal.json("app", "list")["apps"] == [here.json("app", "show", "Quizzler")]
        assert "needs the privilege apps.manage" in terminal.failure("app", "show", "Rival")
        assert "needs the privilege server.operate" in terminal.failure(
            "app", "set", "Quizzler", "--development", "--name", "Q")
        assert "belongs to no organization" in terminal.failure("person", "list")
        assert "teams.join" in terminal.failure("app", "team", "create", "Third Inc.")
        changed = terminal.json("app", "set", "Quizzler", "--add-return-url", "https://quizzler.example/two")
        assert changed == here.json("app", "show", "Quizzler")
        assert "IP address" in terminal.failure(
            "app", "set", "Quizzler", "--add-return-url", "https://192.0.2.1/callback")
        # A file of almost a megabyte goes along with a request.
        icon = write_png(tmp_path / "icon.png", 540)
        assert terminal.json("app", "icon", "Quizzler", icon) == here.json("app", "show", "Quizzler")
        # The private half stays here.
        key = terminal.json("key", "create", "second", "--out", tmp_path / "second.p8")["key"]
        assert key in here.json("key", "list", "--team", "Quizzler Inc.")["keys"]
        assert (tmp_path / "second.p8").read_text().startswith("-----BEGIN PRIVATE KEY-----")
        assert terminal.json("app", "client", "com.example.quizzler", "--secret")["clientSecret"]
        terminal.json("app", "sender", "add", "quizzler.example")
        rival = here.json("app", "team", "show", "--team", "Rival Inc.")["id"]
        assert terminal.json("app", "offer", "Quizzler", "--team", rival)["offeredTo"] == "Rival Inc."
    with signed_in(terminal, kim):
        assert [offer["app"] for offer in terminal.json("app", "team", "show")["offers"]] == ["Quizzler"]
        accepted = terminal.json("app", "accept", "com.example.quizzler")
        assert (accepted["teamName"], accepted["clientsWithoutSecret"]) == ("Rival Inc.", ["com.example.quizzler"])
        code = terminal.json("app", "team", "invite")["code"]
    with signed_in(terminal, robin):
        assert terminal.json("app", "list") == {"apps": []}
        assert terminal.json("app", "team", "join", code)["members"] == [robin.username, kim.username]
        assert {app["name"] for app in terminal.json("app", "list")["apps"]} == {"Quizzler", "Rival"}
        terminal.json("app", "remove", "Quizzler")
        here.json("app", "team", "remove-member", "Rival Inc.", robin.username)
        assert terminal.json("app", "list") == {"apps": []}
        here.json("app", "team", "remove-member", "Quizzler Inc.", robin.username)
        assert "needs the privilege" in terminal.failure("app", "list")


def test_a_script_signs_in_with_an_api_client(school: OpenSchool, administrator: Account, terminal: Terminal) -> None:
    made = school.school.tool.json("api-client", "add", "Timetable", "--privilege", "people.read")
    client, secret = made["client"]["clientID"], made["secret"]
    assert "knows no API client with this id and secret" in terminal.failure(
        "login", "--client-id", client, LANYARD_CLIENT_SECRET="wrong")
    file = terminal.home / "secret"
    file.write_text(secret + "\n")
    report = terminal.json("login", "--client-id", client, "--secret-file", str(file))
    assert report["privileges"] == ["people.read"]
    assert administrator.username in terminal.text("person", "list")
    assert "it needs the privilege people.manage" in terminal.failure(
        "person", "deactivate", administrator.username)
    assert "does not give what --privilege asks for" in terminal.failure(
        "login", "--client-id", client, "--secret-file", str(file), "--privilege", "audit.read")
    school.school.tool.text("api-client", "revoke", client)
    assert "You are not signed in" in terminal.failure("person", "list")


@pytest.mark.parametrize(
    ("address", "complaint"),
    [
        ("http://id.maple.example", "is not encrypted: use https"),
        ("id.maple.example", "is not the address of a server"),
        ("https://id.maple.example/admin", "is not the address of a server"),
        ("http://127.0.0.1:1", "cannot be reached"),
    ])
def test_what_is_no_server_is_refused(tmp_path: Path, address: str, complaint: str) -> None:
    assert complaint in Terminal(tmp_path, address).failure("login")


def test_commands_that_need_the_data_say_so(terminal: Terminal) -> None:
    for command in (("doctor",), ("export", "roster.zip"), ("audit", "verify")):
        assert "works only on the server itself" in terminal.failure(*command)
        assert "works only on the server itself" in terminal.failure(*command, LANYARD_SERVER=terminal.server)


def test_slips_are_drawn_at_the_terminal_of_passwords_that_the_server_makes(
    school: OpenSchool, administrator: Account, terminal: Terminal
) -> None:
    here = school.school.tool
    names = [f"Newcomer{index}" for index in range(10)]
    for name in names:
        here.json("person", "add", "--first-name", name, "--last-name", "Lee", "--role", "student")
    slips = terminal.home / "slips.pdf"
    with signed_in(terminal, administrator):
        preview = terminal.json("person", "passwords", "--role", "student", "--preview")
        assert {effect["name"] for effect in preview["effects"]} >= {f"{name} Lee" for name in names}
        report = terminal.json("person", "passwords", "--role", "student", "--slips", str(slips))
        assert report["passwords"] == preview["counts"]["password.issued"]
        assert terminal.json("person", "passwords", "--role", "student")["people"] == []
    assert stat.S_IMODE(slips.stat().st_mode) == 0o600
    text = subprocess.run(["pdftotext", "-raw", slips, "-"], capture_output=True, text=True, check=True).stdout
    for name in names:
        assert text.count(f"{name} Lee") == 1
        found = re.search(rf"{name.lower()}\.lee@\S+\nTemporary password\n(\S+)", text)
        assert found, text
    assert text.count(school.base_url) == report["passwords"]
