"""With `--server`, commands that read and previews of changes print what they print on the server itself."""

import json
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from command_line.test_id_maps import other_system
from command_line.test_imports import of_school, write
from command_line.test_remote_servers import Terminal, signed_in
from database import execute
from lanyard_tool import Tool
from processes import LANYARD, run
from scene import Account
from school import OpenSchool, open_school_in

# People made by hand; the others come with files.
MINA, TIM, TOM = (f"{name}.fox@maple.example" for name in ("mina", "tim", "tom"))

# What an Administrator reads.
READINGS = [
    ("org", "list"), ("org", "show"), ("org", "domain", "list"), ("org", "realm", "list"), ("org", "role", "list"), ("org", "location", "list"),
    ("org", "location", "show", "north"), ("org", "location", "list", "--removed"),
    ("person", "list"), ("person", "list", "--role", "student", "--at", "north"), ("person", "list", "--class", "K-1"),
    ("person", "show", MINA), ("class", "list"), ("class", "list", "--archived"), ("class", "list", "--person", MINA),
    ("class", "show", "Chess club"), ("term", "list"), ("calendar",), ("findings",), ("activity", "--days", "2"),
    ("device", "list"), ("access", "show"), ("access", "show", "--for", "sign-in"), ("access", "search", "atl"),
    ("why", MINA, "Atlas"), ("why", TOM, "Atlas"), ("consent", "list"), ("consent", "list", "--alive"),
    ("consent", "show", "Atlas"), ("sharing", "show", "Atlas"), ("sharing", "view-as", "Atlas", "users?limit=200"),
    ("audit", "list"), ("audit", "list", "--person", MINA), ("audit", "readers", MINA), ("change", "list"),
    ("api-client", "list"), ("hold", "list"), ("retention", "list"), ("retention", "due", "left-people", "--days", "1"),
    ("erasure", "list"), ("import", "--history"), ("import", "--report", "1"), ("import", "--compare", "1", "2"),
    ("pick-up", "list"), ("pick-up", "show", "1"), ("mail", "show"),
]

# What would be changed.
PREVIEWS = [
    ("person", "merge", MINA, TIM, "--dry-run"), ("person", "erase", TIM, "--dry-run"),
    ("person", "passwords", "--role", "student", "--preview"), ("class", "remove", "Old club", "--dry-run"),
    ("org", "location", "remove", "Old barn", "--dry-run"),
    ("term", "close", "2026/27", "--dry-run"), ("access", "mode", "allow-all-apps", "--dry-run"),
    ("access", "mode", "allow-only-listed-apps", "--for", "sign-in", "--dry-run"),
    ("access", "remove", "Atlas", "--dry-run"), ("consent", "revoke", "Atlas", "--dry-run"),
    ("sharing", "set", "Atlas", "--role", "Student", "--without", "email", "--dry-run"),
    ("sharing", "leave-out", "Atlas", MINA, "--dry-run"), ("sharing", "put-back", "Atlas", TOM, "--dry-run"),
    ("org", "close", "--dry-run"), ("id-map", "apply", "map.csv", "--dry-run"),
]

# What a member of a team reads.
READINGS_OF_TEAMS = [
    ("app", "list"), ("app", "show", "Atlas"), ("app", "notifications", "Atlas"), ("app", "team", "list"),
    ("app", "team", "show"), ("app", "team", "changes"), ("app", "sender", "list"), ("key", "list"),
]
PREVIEWS_OF_TEAMS = [("app", "team", "remove", "Atlas Inc.", "--dry-run")]

# Compared elsewhere or not at all, with the reason.
ELSEWHERE = {
    ("org", "realm", "set"): "an administrator needs a domain that is proved, and the operator does not",
    ("device", "show"): "it needs a device that is registered",
    ("signing-key", "list"): "it is the operator's",
    ("restore",): "it puts a file in the place of the database, on the server's machine",
    ("app", "team", "sandbox", "show"): "a team makes its sandbox first: see test_sandboxes.py",
    ("app", "team", "sandbox", "remove"): "a team makes its sandbox first: see test_sandboxes.py",
}

WORDS_OF_READING = {
    "activity", "calendar", "changes", "due", "findings", "list", "notifications", "readers", "search", "show", "why",
    "view-as"}


@dataclass(frozen=True)
class Both:
    """A server, and terminals elsewhere at which an Administrator and a member of a team have signed in to it."""

    here: Tool
    there: Terminal
    team: Terminal

    def assert_same(self, terminal: Terminal, *command: str) -> None:
        # A reading of somebody else than the operator leaves an entry in the trail, which the next one may show.
        for options in ((), ("--json",)):
            expected, told = self.here.run(*command, *options), terminal.run(*command, *options)
            assert (expected.returncode, told.returncode) == (0, 0), expected.stderr + told.stderr
            # The server counts what has happened once a minute, which can be in between.
            assert told.stdout == expected.stdout or told.stdout == self.here.text(*command, *options), command


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    folder = tmp_path_factory.mktemp("readings")
    with open_school_in(folder, pickUpFolder=str(folder / "drop")) as school:
        head = school.school.add(
            school.base_url, "managed", "Chen Wei", "chen.wei@maple.example", "--role", "administrator").account
        developer = school.newcomer().account
        furnish(school, head, developer, folder)
        there, team = (Terminal(tmp_path_factory.mktemp(name), school.base_url) for name in ("there", "team"))
        (there.home / "map.csv").write_text("type,old_id,new_id\nperson,S-0,S-900\n")
        with signed_in(there, head), signed_in(team, developer):
            yield Both(school.school.tool, there, team)


def furnish(school: OpenSchool, head: Account, developer: Account, folder: Path) -> None:
    """Makes something of each kind that is read."""
    tool = school.school.tool
    for name in ("north", "south"):
        tool.json("org", "location", "add", f"{name.title()} School", "--location-id", name)
    for name in ("Old barn", "Sold barn"):
        tool.json("org", "location", "add", name)
    tool.text("org", "location", "remove", "Sold barn", "--yes")
    for name in ("Gone", "Mina", "Tim", "Tom"):
        tool.json(
            "person", "add", "--first-name", name, "--last-name", "Fox", "--role", "student", "--at", "north",
            "--grade", "4", "--user-name", f"{name.lower()}.fox@maple.example")
    # Before the imports: their files would go with somebody who is erased after them.
    tool.json("person", "erase", "gone.fox@maple.example", "--yes")
    tool.json("import", write(folder / "north"), "--school", "north")
    tool.json("import", of_school(folder / "south", "south"), "--school", "south")
    tool.json("term", "add", "2026/27", "--first-day", "2026-08-17", "--last-day", "2027-07-02")
    tool.json(
        "class", "add", "Chess club", "--at", "north", "--instructor", "ana.ruiz@maple.example", "--student", MINA)
    tool.json("class", "set", "Chess club", "--term", "2026/27")
    tool.json("class", "add", "Old club", "--at", "north")
    tool.text("class", "archive", "Old club")
    tool.json("hold", "add", "--person", MINA, "--reason", "An insurance asks", "--until", "2990-12-31")
    tool.json("retention", "set", "left-people", "--days", "730")
    tool.json("api-client", "add", "Timetable", "--privilege", "people.read")
    tool.json("pick-up", "set", "--hour", "2", "--school", "south")
    execute(tool.file, "UPDATE person SET state = 'locked' WHERE user_name = ?", TOM)

    school.connect("Atlas", "com.example.atlas", head)
    tool.json("app", "team", "add-member", "Atlas Inc.", developer.username)
    tool.json("app", "sender", "add", "atlas.example")
    tool.json("sharing", "leave-out", "Atlas", TOM, "--yes")


@pytest.mark.parametrize("command", READINGS, ids=" ".join)
def test_what_is_read_is_the_same(both: Both, command: tuple[str, ...]) -> None:
    both.assert_same(both.there, *command)


@pytest.mark.parametrize("command", PREVIEWS, ids=" ".join)
def test_what_would_be_changed_is_the_same(both: Both, command: tuple[str, ...]) -> None:
    before = both.here.json("change", "list")
    both.assert_same(
        both.there, *(str(both.there.home / word) if word == "map.csv" else word for word in command))
    assert both.here.json("change", "list") == before


@pytest.mark.parametrize("command", READINGS_OF_TEAMS, ids=" ".join)
def test_what_a_team_reads_is_the_same(both: Both, command: tuple[str, ...]) -> None:
    both.assert_same(both.team, *command)


def leaves(command: dict[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], set[str]]]:
    """The commands that do something, with their options, of what the program says of itself."""
    below = [one for one in command.get("subcommands", []) if one["commandName"] != "help"]
    for one in below:
        yield from leaves(one, (*path, one["commandName"]))
    if not below:
        yield path, {name["name"] for argument in command.get("arguments", []) for name in argument.get("names", [])}


def test_no_command_that_reads_and_no_preview_is_forgotten() -> None:
    told = json.loads(run(LANYARD, "--experimental-dump-help").stdout)
    found = dict(leaves(told["command"]))
    assert ("person", "erase") in found and "dry-run" in found["person", "erase"]
    reading = {path for path in found if path[-1] in WORDS_OF_READING}
    previews = {path for path, options in found.items() if options & {"dry-run", "preview", "plan"}}
    assert len(reading) > 30 and len(previews) > 10
    compared = {
        command[:length] for command in READINGS + PREVIEWS + READINGS_OF_TEAMS + PREVIEWS_OF_TEAMS
        for length in range(1, len(command) + 1)}
    assert (reading | previews) - compared - ELSEWHERE.keys() == set()


def test_what_cannot_be_done_is_refused_in_the_same_words(both: Both) -> None:
    for command in (
        ("person", "show", "nobody@maple.example"), ("person", "erase", MINA, "--dry-run"),
        ("class", "show", "Nothing"), ("class", "remove", "Chess club", "--dry-run"),
        ("org", "location", "remove", "north", "--dry-run"), ("term", "close", "1999", "--dry-run"), ("sharing", "show", "Nothing"), ("why", MINA, "Nothing"),
        ("import", "--report", "99"), ("pick-up", "show", "9"), ("hold", "end", "9"),
        ("activity", "--days", "0"), ("retention", "due", "left-people", "--days", "0"),
    ):
        named = (*command, "--org", "Maple School")
        assert both.there.failure(*named) == both.here.failure(*named), command
    [command] = PREVIEWS_OF_TEAMS
    assert both.team.failure(*command) == both.here.failure(*command)
    assert "it needs the privilege server.operate" in both.there.failure("signing-key", "list")


def test_all_that_is_known_of_a_person_is_the_same(both: Both, tmp_path: Path) -> None:
    # The history and the readers are not: each of these leaves an entry there.
    def sections(data: Any) -> dict[str, Any]:
        return {
            section["name"]: section for section in data["sections"] if section["name"] not in ("history", "readers")}

    told = sections(both.there.json("person", "data", MINA))
    assert told == sections(both.here.json("person", "data", MINA)) and "account" in told
    page = tmp_path / "mina.html"
    both.there.text("person", "data", MINA, "--out", str(page), "--language", "ja")
    assert "保存している情報" in page.read_text("utf-8") and stat.S_IMODE(page.stat().st_mode) == 0o600


def test_a_trail_that_a_server_has_sent_is_verified(both: Both, tmp_path: Path) -> None:
    file = tmp_path / "trail.jsonl"
    report = both.there.json("audit", "export", "--out", str(file))
    assert report["first"] == 1 and len(file.read_text().splitlines()) >= report["last"]
    assert both.here.run("audit", "verify", file).returncode == 0


def test_a_map_is_guessed_by_a_server_as_on_its_data(both: Both, tmp_path: Path) -> None:
    files = other_system(write(tmp_path / "north"), tmp_path / "new")
    guesses = []
    for index, options in enumerate([(), ("--school", "north")]):
        there, here = tmp_path / f"there-{index}.csv", tmp_path / f"here-{index}.csv"
        guesses.append(both.there.json("id-map", "guess", str(files), str(there), *options))
        assert guesses[-1] == both.here.json("id-map", "guess", files, here, *options)
        assert there.read_bytes() == here.read_bytes()
        assert stat.S_IMODE(there.stat().st_mode) == 0o600
    # The other school has nobody in these files.
    assert guesses[1]["sure"] > 0 and guesses[1]["unmatched"] < guesses[0]["unmatched"]
    assert "is there already" in both.there.failure("id-map", "guess", str(files), str(there))
    assert "has no location “west”" in both.there.failure(
        "id-map", "guess", str(files), str(tmp_path / "west.csv"), "--school", "west")
    (files / "rosters.csv").write_text("roster_id,class_id,student_id\nR-1\n")
    result = both.there.run("id-map", "guess", str(files), str(tmp_path / "broken.csv"))
    assert result.returncode == 2 and re.search(r"rosters\.csv:2", result.stdout)
    assert not (tmp_path / "west.csv").exists() and not (tmp_path / "broken.csv").exists()
