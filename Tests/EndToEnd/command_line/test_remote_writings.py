"""With `--server`, every command that changes something changes it on the server."""

import ast
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from command_line.test_audit_export import Authority
from command_line.test_devices import Key, register
from command_line.test_imports import write
from command_line.test_remote_readings import (
    READINGS, READINGS_OF_TEAMS, WORDS_OF_READING, leaves)
from command_line.test_remote_servers import Terminal, signed_in
from foreign_client import ForeignClient
from lanyard_tool import Tool
from name_server import NameServer
from one_time_codes import set_up_codes
from plain_browser import PlainBrowser
from processes import LANYARD, run
from sample_png import write_png
from scene import Account, RegisteredApp
from school import OpenSchool, open_school_in

MINA, TIM, TOM, GUS, ANA = (f"{name}@maple.example" for name in ("mina.fox", "tim.fox", "tom.fox", "gus.fox", "ana.ruiz"))
SOON = (datetime.now(UTC) + timedelta(days=30)).date().isoformat()
FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Writing:
    """A command at a terminal elsewhere, and what the server's own data says of it, which it did not say before."""

    command: tuple[str, ...]
    reading: tuple[str, ...]
    # What is printed afterwards only, and what before only: regular expressions.
    comes: str = ""
    goes: str = ""


# What an Administrator changes. A word in braces is one that only the data knows, see `Both.words`.
OF_ADMINISTRATORS = [
    Writing(("org", "set", "--colour", "plum"), ("org", "show"), "plum"),
    Writing(("org", "picture", "{icon}"), ("org", "show"), "Badge +picture", "Badge +initials"),
    Writing(("org", "domain", "add", "pupils.maple.example"), ("org", "domain", "list"), r"pupils\.maple"),
    Writing(
        ("org", "domain", "prove", "{claimed}"), ("org", "domain", "list"), r"pupils\.maple\.example +\d", "IN TXT"),
    Writing(("org", "domain", "remove", "pupils.maple.example"), ("org", "domain", "list"), goes=r"pupils\.maple"),
    Writing(
        ("org", "realm", "set", "MAPLE.EXAMPLE", "--matching", "user-name"), ("org", "realm", "list"), "MAPLE.EXAMPLE"),
    Writing(
        ("org", "role", "set", "manager", "--give", "audit.read", "--take", "classes.manage"), ("org", "role", "list"),
        r"^manager .*audit\.read.*  classes\.manage "),
    Writing(("org", "realm", "remove", "MAPLE.EXAMPLE"), ("org", "realm", "list"), goes="MAPLE.EXAMPLE"),
    Writing(
        ("org", "location", "add", "East School", "--location-id", "east"), ("org", "location", "list"), "East School"),
    Writing(
        ("org", "location", "set", "east", "--name", "Far School"), ("org", "location", "list"), "Far School",
        "East School"),
    Writing(("org", "location", "remove", "east", "--yes"), ("org", "location", "list"), goes="Far School"),
    Writing(("org", "location", "restore", "east"), ("org", "location", "list"), "Far School"),
    Writing(
        ("term", "add", "2026/27", "--first-day", "2026-08-17", "--last-day", "2027-07-02"), ("term", "list"), "2026/27"),
    Writing(("term", "edit", "2026/27", "--name", "This year"), ("term", "list"), "This year", "2026/27"),
    Writing(("term", "close", "This year", "--yes"), ("term", "list"), r"\d\d:\d\d$"),
    Writing(("term", "reopen", "This year"), ("term", "list"), goes=r"\d\d:\d\d$"),
    Writing(
        ("person", "add", "--first-name", "Zoë", "--last-name", "Fox", "--role", "student", "--user-name",
         "zoe.fox@maple.example"),
        ("person", "list"), "Zoë"),
    Writing(("person", "set", MINA, "--grade", "6"), ("person", "show", MINA), "Grade +6"),
    Writing(("change", "undo", "{change}"), ("person", "show", MINA), goes="Grade +6"),
    Writing(
        ("person", "rename", "zoe.fox@maple.example", "zoe@maple.example"), ("person", "list"), "zoe@", r"zoe\.fox@"),
    Writing(
        ("person", "role", "add", TIM, "student", "--at", "south"), ("person", "show", TIM), "South School"),
    Writing(
        ("person", "role", "remove", TIM, "student", "--at", "south"), ("person", "show", TIM), goes="South School"),
    Writing(("person", "deactivate", TIM), ("person", "show", TIM), "deactivated"),
    Writing(("person", "reactivate", TIM), ("person", "show", TIM), goes="deactivated"),
    Writing(("person", "merge", TIM, "zoe@maple.example"), ("person", "show", "zoe@maple.example"), "deactivated"),
    Writing(("person", "password", TIM), ("audit", "list", "--action", "password.issued", "--person", TIM), "issued"),
    Writing(
        ("person", "passwords", "--role", "student", "--csv", "{new}"),
        ("audit", "list", "--action", "password.issued", "--person", MINA), "issued"),
    Writing(("person", "unlock", GUS), ("person", "show", GUS), goes="can sign in again from"),
    Writing(("person", "reset-factors", ANA), ("person", "sign-ins", ANA), "codes +no", "codes +yes"),
    Writing(("person", "sign-out", ANA), ("audit", "list", "--action", "sign-out", "--person", ANA), "sign-out"),
    Writing(
        ("person", "data", MINA, "--out", "{new}.json"), ("audit", "list", "--action", "person.exported"), "exported"),
    Writing(("device", "remove", "{device}"), ("device", "list"), goes="laptop"),
    Writing(
        ("class", "add", "Chess club", "--at", "north", "--student", MINA), ("class", "list"), "Chess club"),
    Writing(("class", "set", "Chess club", "--room", "R 17"), ("class", "show", "Chess club"), "R 17"),
    Writing(("class", "archive", "Chess club"), ("class", "list", "--archived"), "Chess club"),
    Writing(("class", "restore", "Chess club"), ("class", "list", "--archived"), goes="Chess club"),
    Writing(("class", "archive", "Old club"), ("class", "list"), goes="Old club"),
    Writing(("class", "remove", "Old club", "--yes"), ("class", "list", "--archived"), goes="Old club"),
    Writing(
        ("hold", "add", "--person", MINA, "--reason", "An insurance asks", "--until", "2990-12-31"), ("hold", "list"),
        "insurance"),
    Writing(("hold", "end", "1"), ("hold", "list"), r"ended \d"),
    Writing(("retention", "set", "left-people", "--days", "730"), ("retention", "list"), "730"),
    Writing(("person", "erase", TOM, "--yes"), ("erasure", "list"), "Atlas"),
    Writing(("erasure", "acknowledge", "{erased}", "com.example.atlas"), ("erasure", "list", "--unacknowledged"), goes="Atlas"),
    Writing(("import", "{roster}"), ("import", "--history"), goes="No import"),
    Writing(("id-map", "apply", "{map}"), ("person", "list", "--text", "S-900"), "S-900"),
    Writing(("id-map", "undo", "1"), ("person", "list", "--text", "S-900"), goes="S-900"),
    Writing(("pick-up", "set", "--hour", "2"), ("pick-up", "list"), "^1 "),
    Writing(
        ("pick-up", "read", "1"), ("audit", "list", "--action", "organization.changed"), "pick-up 1 read by hand"),
    Writing(("pick-up", "remove", "1"), ("pick-up", "list"), goes="^1 "),
    Writing(("access", "allow", "com.example.rival"), ("access", "show"), "Rival"),
    Writing(("access", "remove", "com.example.rival", "--yes"), ("access", "show"), goes="Rival"),
    Writing(("access", "mode", "allow-all-apps", "--yes"), ("access", "show"), "all apps", "only listed apps"),
    Writing(
        ("sharing", "set", "Atlas", "--role", "Student", "--yes"), ("sharing", "show", "Atlas"), "Roles +Student"),
    Writing(("sharing", "leave-out", "Atlas", MINA, "--yes"), ("sharing", "show", "Atlas"), MINA),
    Writing(("sharing", "put-back", "Atlas", MINA, "--yes"), ("sharing", "show", "Atlas"), goes=MINA),
    Writing(("consent", "limit", "Atlas", "--last-day", SOON), ("consent", "show", "Atlas"), SOON),
    Writing(("consent", "renew", "Atlas"), ("consent", "show", "Atlas"), goes=SOON),
    Writing(("consent", "term", "07-31"), ("consent", "list"), "until the next 07-31"),
    Writing(("consent", "revoke", "Atlas", "--yes"), ("consent", "list", "--alive"), goes="Atlas"),
    Writing(("api-client", "add", "Timetable", "--privilege", "people.read"), ("api-client", "list"), "Timetable"),
    Writing(("api-client", "revoke", "{client}"), ("audit", "list", "--action", "api-client"), "revoked"),
    Writing(("audit", "anchor", "--reply", "{reply}"), ("audit", "list", "--action", "audit"), "anchor"),
    Writing(("org", "close", "--yes"), ("org", "show"), "[Cc]losed"),
]

# What a member of a team changes.
OF_TEAMS = [
    Writing(("app", "team", "rename", "Atlas Inc.", "Atlas Ltd."), ("app", "team", "list"), "Atlas Ltd", "Atlas Inc"),
    Writing(("app", "team", "invite"), ("app", "team", "show", "--team", "Atlas Ltd."), "Invitations"),
    Writing(("app", "team", "uninvite"), ("app", "team", "show", "--team", "Atlas Ltd."), goes="Invitations"),
    Writing(("app", "team", "sandbox", "create"), ("org", "list"), r"\(sandbox\)"),
    Writing(
        ("app", "team", "sandbox", "password"), ("audit", "list", "--action", "password.issued", "--org", "{sandbox}"),
        # The first one came with the sandbox.
        r"password\.issued[\s\S]+password\.issued"),
    Writing(
        ("app", "team", "sandbox", "remove", "Atlas Ltd.", "--yes"),
        ("app", "team", "sandbox", "show", "--team", "Atlas Ltd."), "has no sandbox"),
    Writing(("app", "set", "Atlas", "--no-notification-url"), ("app", "show", "Atlas"), goes="told"),
    Writing(
        ("app", "create", "Third", "--client-id", "com.example.third", "--scope", "name"), ("app", "list"), "^Third"),
    Writing(("app", "remove", "Third", "--yes"), ("app", "list"), goes="^Third"),
    Writing(("app", "icon", "Atlas", "{icon}"), ("audit", "list", "--of-server", "--action", "app"), "icon"),
    Writing(
        ("app", "client", "com.example.atlas", "--secret"), ("audit", "list", "--of-server", "--action", "app"), "secret"),
    Writing(("app", "offer", "Atlas", "--team", "{rival}"), ("app", "show", "Atlas"), "Rival"),
    Writing(("app", "withdraw", "Atlas"), ("app", "show", "Atlas"), goes="Rival"),
    Writing(
        ("app", "resend", "Atlas", "{notification}"), ("audit", "list", "--of-server", "--action", "notification"),
        r"notification\.resent"),
    Writing(("key", "create", "second", "--out", "{new}.p8"), ("key", "list", "--team", "Atlas Ltd."), "second"),
    Writing(("key", "revoke", "{key}"), ("key", "list", "--team", "Atlas Ltd."), r"second .*\d\d:\d\d .*\d\d:\d\d"),
    Writing(("app", "sender", "add", "atlas.example"), ("app", "sender", "list", "--team", "Atlas Ltd."), r"atlas\.example"),
    Writing(
        ("app", "sender", "remove", "atlas.example"), ("app", "sender", "list", "--team", "Atlas Ltd."),
        goes=r"atlas\.example"),
    Writing(("app", "remove", "Atlas", "--yes"), ("app", "list"), goes="^Atlas"),
    # The team's sandbox is erased within a day, and the team stays until then.
    Writing(
        ("app", "team", "remove", "{spare}", "--yes"), ("audit", "list", "--of-server", "--action", "team.removed"), "1 member"),
]

# Each is refused elsewhere: only the operator may.
OF_THE_OPERATOR = [
    ("there", ("signing-key", "rotate")), ("there", ("signing-key", "retire", "one")),
    ("there", ("org", "domain", "verify", "maple.example")),
    # Nobody is signed in to an organization that is closed, and an open one has nothing to open.
    ("there", ("org", "reopen")), ("there", ("erasure", "replay", "{erasures}")),
    ("team", ("app", "transfer", "Atlas", "--team", "Rival Inc.")), ("team", ("app", "team", "create", "Third Inc.")),
    ("team", ("app", "team", "add-member", "Atlas Inc.", "{member}")),
    ("there", ("app", "team", "remove-member", "Rival Inc.", "{member}")),
]

# Each is refused elsewhere: it works with the data itself.
OF_THE_MACHINE = [
    ("backup",), ("setup",), ("restore", "copy", "--yes"), ("doctor",), ("export", "roster"), ("init", "--name", "Other"), ("serve",),
    ("mail", "test", "ana@maple.example"), ("audit", "verify"), ("org", "hand-over", "folder"),
]

# Tried by functions of other modules or of this one, or by all of them.
ELSEWHERE = {
    ("app", "accept"): "test_remote_servers.test_developers_look_after_their_apps_from_another_machine",
    ("app", "team", "join"): "test_remote_servers.test_developers_look_after_their_apps_from_another_machine",
    ("audit", "export"): "test_remote_readings.test_a_trail_that_a_server_has_sent_is_verified",
    ("device", "code"): "test_remote_servers.test_an_organization_and_its_devices_are_managed_on_a_server_as_on_its_data",
    ("device", "profile"): "test_remote_servers.test_an_organization_and_its_devices_are_managed_on_a_server_as_on_its_data",
    ("id-map", "guess"): "test_remote_readings.test_a_map_is_guessed_by_a_server_as_on_its_data",
    ("login",): "it is the sign-in itself: see test_remote_servers.py",
    ("logout",): "it is the end of the sign-in: see test_remote_servers.py",
    ("app", "decline"): "test_remote_writings.test_a_team_declines_an_app_that_is_offered_to_it",
}


@dataclass
class Both:
    """A server, and terminals elsewhere at which people have signed in to it."""

    here: Tool
    there: Terminal
    team: Terminal
    # Of a member of the team to which Atlas is offered.
    rival: Terminal
    words: dict[str, Callable[[], str]] = field(default_factory=dict)

    def word(self, word: str) -> str:
        return re.sub(r"\{(.+?)\}", lambda found: self.words[found[1]](), word)

    def try_out(self, terminal: Terminal, writing: Writing) -> None:
        def read() -> str:
            return self.here.text(*(self.word(word) for word in writing.reading))

        # What the reading names may be there only afterwards.
        before = read() if not any("{" in word for word in writing.reading) else ""
        terminal.text(*(self.word(word) for word in writing.command))
        after = read()
        for pattern, (never, now) in ((writing.comes, (before, after)), (writing.goes, (after, before))):
            if pattern:
                assert not re.search(pattern, never, re.MULTILINE), (writing, never)
                assert re.search(pattern, now, re.MULTILINE), (writing, now)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    folder = tmp_path_factory.mktemp("writings")
    names = NameServer(folder / "names", "pupils.maple.example").start()
    settings = {"pickUpFolder": str(folder / "drop"), "nameServers": names.address}
    try:
        with open_school_in(folder, **settings) as school, pytest.MonkeyPatch.context() as patch:
            patch.setenv("AUTHLIB_INSECURE_TRANSPORT", "1")
            yield from signed_in_everywhere(school, names, folder, tmp_path_factory)
    finally:
        names.stop()


def signed_in_everywhere(
    school: OpenSchool, names: NameServer, folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Both]:
    tool = school.school.tool
    head = school.school.add(
        school.base_url, "managed", "Chen Wei", "chen.wei@maple.example", "--role", "administrator").account
    developer, other = (school.newcomer().account for _ in range(2))
    furnish(school, head, developer, other)
    there, team, rival = (
        Terminal(tmp_path_factory.mktemp(name), school.base_url) for name in ("there", "team", "rival"))
    both = Both(tool, there, team, rival)
    both.words = words(both, developer, other, names, folder)
    with signed_in(there, head), signed_in(team, developer), signed_in(rival, other):
        yield both


def furnish(school: OpenSchool, head: Account, developer: Account, other: Account) -> None:
    """Makes what the writings change, and what only people themselves can make."""
    tool = school.school.tool
    for name in ("north", "south"):
        tool.json("org", "location", "add", f"{name.title()} School", "--location-id", name)
    for name in ("Mina", "Tim", "Tom", "Gus"):
        tool.json(
            "person", "add", "--first-name", name, "--last-name", "Fox", "--role", "student", "--at", "north",
            "--user-name", f"{name.lower()}.fox@maple.example")
    tool.json("class", "add", "Old club", "--at", "north")
    read_roster(school, head)
    school.school.register("Rival", "com.example.rival")
    tool.json("app", "team", "add-member", "Atlas Inc.", developer.username)
    tool.json("app", "team", "add-member", "Rival Inc.", other.username)
    # Gus has guessed passwords, and Ana has a device and one-time codes.
    tool.json("person", "password", GUS)
    for _ in range(5):
        browser = PlainBrowser()
        browser.press("Sign in", browser.open(f"{school.base_url}/sign-in"), username=GUS, password="wrong")
    register(school.base_url, Key(tool.data), tool.json("device", "code", "--user", ANA)["code"], "laptop")
    browser = PlainBrowser()
    browser.sign_in(browser.open(f"{school.base_url}/account"), school.school.people["managed"].account)
    set_up_codes(school.base_url, browser)


def read_roster(school: OpenSchool, head: Account) -> None:
    """An app reads the roster, so that it is told of whom is erased."""
    return_url, scopes = "http://127.0.0.1:1/callback", ("edu.users.read", "edu.classes.read")
    app = school.school.register(
        "Atlas", "com.example.atlas", "--return-url", return_url, "--notification-url", "http://127.0.0.1:1/told",
        scopes=scopes)
    school.school.tool.json("access", "allow", app.client_id)
    client = ForeignClient(
        school.base_url,
        RegisteredApp(app.name, app.client_id, app.team_id, app.key_id, app.key_pem, return_url, scopes))
    client.exchange(PlainBrowser().consent(client.authorize_url(), head))
    assert client.get("users").status_code == 200


def words(
    both: Both, developer: Account, member: Account, names: NameServer, folder: Path
) -> dict[str, Callable[[], str]]:
    here, files = both.here, iter(range(100))

    def spare() -> str:
        here.json("app", "team", "create", "Spare Inc.")
        here.json("app", "team", "add-member", "Spare Inc.", developer.username)
        return "Spare Inc."

    def reply() -> str:
        authority = Authority(folder)
        query, answer = folder / "request.tsq", folder / "answer.tsr"
        both.there.text("audit", "anchor", "--query", str(query))
        authority.stamp(query, answer)
        return str(answer)

    def claimed() -> str:
        """A domain whose zone has the record by now."""
        [record] = [
            domain["record"] for domain in here.json("org", "domain", "list")["domains"] if domain.get("record")]
        names.add(record["name"], record["value"])
        return names.domain

    def erasures() -> str:
        file = folder / "erasures.json"
        when = "2026-08-01T00:00:00Z"
        file.write_text(json.dumps({"erasures": [{
            "organization": here.json("org", "show")["id"], "number": 1, "createdAt": when, "erasedAt": when}]}))
        return str(file)

    def id_map() -> str:
        file = folder / "map.csv"
        file.write_text("type,old_id,new_id\nperson,S-0,S-900\n")
        return str(file)

    return {
        "icon": lambda: str(write_png(folder / "icon.png", 540)),
        "new": lambda: str(folder / f"file-{next(files)}"),
        "roster": lambda: str(write(folder / "roster")),
        "map": id_map,
        "claimed": claimed,
        "erasures": erasures,
        "notification": lambda: here.json("app", "notifications", "Atlas")["notifications"][0]["id"],
        "reply": reply,
        "member": lambda: member.username,
        "spare": spare,
        "change": lambda: str(here.json("change", "list")["changes"][0]["change"]),
        "device": lambda: here.json("device", "list")["devices"][0]["id"],
        "erased": lambda: str(here.json("erasure", "list")["erasures"][0]["number"]),
        "client": lambda: here.json("api-client", "list")["clients"][0]["clientID"],
        "rival": lambda: here.json("app", "team", "show", "--team", "Rival Inc.")["id"],
        "key": lambda: next(
            key["keyID"] for key in here.json("key", "list", "--team", "Atlas Ltd.")["keys"] if key["name"] == "second"),
        "sandbox": lambda: here.json("app", "team", "sandbox", "show", "--team", "Atlas Ltd.")["sandbox"]["id"],
    }


def test_what_only_the_operator_may_is_refused(both: Both) -> None:
    for terminal, command in OF_THE_OPERATOR:
        told = getattr(both, terminal).failure(*(both.word(word) for word in command))
        assert "needs the privilege" in told, command
    for command in OF_THE_MACHINE:
        assert "only on the server itself" in both.there.failure(*command), command


def test_what_an_administrator_changes_is_changed_on_the_server(both: Both) -> None:
    for writing in OF_ADMINISTRATORS:
        both.try_out(both.there, writing)


def test_what_a_team_changes_is_changed_on_the_server(both: Both) -> None:
    for writing in OF_TEAMS:
        both.try_out(both.team, writing)


def test_a_team_declines_an_app_that_is_offered_to_it(both: Both) -> None:
    both.here.json("app", "create", "Offered", "--team", "Atlas Ltd.", "--client-id", "com.example.offered", "--scope", "name")
    both.here.json("app", "offer", "Offered", "--team", both.word("{rival}"))
    both.try_out(
        both.rival, Writing(("app", "decline", "com.example.offered"), ("app", "show", "Offered"), goes="Rival"))


def test_no_command_that_changes_something_is_forgotten() -> None:
    told = json.loads(run(LANYARD, "--experimental-dump-help").stdout)
    found = {path for path, options in leaves(told["command"]) if "server" in options}
    read = {
        command[:length] for command in READINGS + READINGS_OF_TEAMS for length in range(1, len(command) + 1)}
    reading = {path for path in found if path[-1] in WORDS_OF_READING} | {("person", "sign-ins")}
    # `import` reads and writes, and stands among the writings.
    tried = [writing.command for writing in OF_ADMINISTRATORS + OF_TEAMS] + [
        command for _, command in OF_THE_OPERATOR] + OF_THE_MACHINE
    written = {command[:length] for command in tried for length in range(1, len(command) + 1)}
    assert len(found) > 120 and ("import",) in found & read & written
    assert found - written - ELSEWHERE.keys() - (reading | (read - {("import",)})) == set()
    assert ELSEWHERE.keys() <= found and not written & ELSEWHERE.keys()


@pytest.mark.parametrize("command", [path for path, place in ELSEWHERE.items() if re.fullmatch(r"\w+\.\w+", place)])
def test_functions_that_try_a_command_have_it(command: tuple[str, ...]) -> None:
    module, name = ELSEWHERE[command].split(".")
    text = (FOLDER / f"{module}.py").read_text()
    [function] = [
        node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef) and node.name == name]
    words = ", ".join(f'"{word}"' for word in command)
    assert words in ast.get_source_segment(text, function)
