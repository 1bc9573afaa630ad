"""A school in which everything is under way that makes a page appear: an app has the roster, an import waits, a device is
paired, a term is over. Its people, places, classes, apps and teams have names that are hard to show."""

import sqlite3
from base64 import urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import requests
from chromium import Chromium
from console import enter, heading, wait_for
from cryptography.hazmat.primitives.asymmetric import ec
from lanyard_tool import Tool
from scene import Scene
from test_console_imports import district, pack, rename_first, rewrite, upload
from visit import Visit

# One word without a place to break it, words of the other direction, and pictures made of several characters each.
LONG = "Wolkenkuckucksheim" * 27 + "Wolkenkuckucks"
RIGHT_TO_LEFT = "مدرسة النخيل (أ) 12"
EMOJI = "👩🏽‍🚀🏳️‍🌈 " * 12 + "🐪"
NAMES = {"long": LONG, "arabic": RIGHT_TO_LEFT, "emoji": EMOJI}


@dataclass
class BusySchool:
    scene: Scene
    team: str = ""
    # What the console calls the class with the long name.
    long_class: str = ""
    # The pages at which a look begins, because a link to them is not always on the first page of a list, or they stand only
    # behind a form.
    pages: list[str] = field(default_factory=list)


def in_school(scene: Scene) -> Callable[..., Any]:
    """Runs commands about the school of the demo, which has other organizations too."""
    return lambda *arguments: Tool(scene.folder).json(*arguments, "--org", scene.organization_id)


def prepare(scene: Scene) -> BusySchool:
    """Does what an operator can do on the command line, while the server runs."""
    school, do = BusySchool(scene), in_school(scene)
    assert len(LONG) == 500
    pupils = []
    for number, (key, name) in enumerate(NAMES.items()):
        place = do("org", "location", "add", name, "--location-id", f"HARD-{number}")
        person = do(
            "person", "add", "--first-name", name, "--last-name", name, "--user-name", f"hard.{key}@maple.example",
            "--role", "student", "--at", f"HARD-{number}")
        pupils.append(person["userName"])
        school.pages.append(f"/manager/people?text=hard.{key}")
        school.pages.append(f"/manager/people/PE-{person['number']}")
        added = do("class", "add", name, "--at", f"HARD-{number}", "--room", name[:100], "--student", person["userName"])
        school.pages.append(f"/manager/classes/CL-{added['number']}")
        school.long_class = school.long_class or f"CL-{added['number']}"
    former = do("class", "add", "Former", "--student", pupils[0])
    school.pages.append(f"/manager/classes/CL-{former['number']}")
    do("class", "archive", "Former")
    gone = do("org", "location", "add", "Former Hall", "--location-id", "HARD-GONE")
    do("org", "location", "remove", "HARD-GONE", "--yes")
    school.pages += [f"/manager/locations/{each['id'].removeprefix('LO:')}" for each in (place, gone)]
    do("term", "add", LONG[:200], "--first-day", "2026-08-17", "--last-day", "2027-07-02")
    do("term", "add", "2019/20", "--first-day", "2019-08-17", "--last-day", "2020-07-02")
    do("term", "close", "2019/20", "--yes")
    do("hold", "add", "--person", pupils[1], "--reason", LONG, "--until", "2099-12-31")
    do("api-client", "add", LONG, "--privilege", "people.read")
    do("org", "domain", "add", f"{'long-' * 12}.{'long-' * 12}.example".replace("-.", "."))
    do("org", "realm", "set", "MAPLE.EXAMPLE", "--matching", "user-name", "--domain", "maple.example")
    do("consent", "limit", scene.app.client_id, "--last-day", (date.today() + timedelta(days=30)).isoformat())
    do("person", "deactivate", pupils[2])
    lock(scene, pupils[1])
    pair_device(scene, pupils[0])
    prepare_team(school)
    return school


def lock(scene: Scene, user_name: str) -> None:
    """As wrong passwords do."""
    in_school(scene)("person", "password", user_name)
    with sqlite3.connect(scene.database, timeout=20) as connection:
        connection.execute("UPDATE person SET state = 'locked' WHERE user_name = ?", (user_name,))
        connection.execute(
            """
            UPDATE credential SET failures = 9, paused_until = strftime('%s', 'now') + 600
            WHERE person_id = (SELECT id FROM person WHERE user_name = ?)
            """, (user_name,))


def pair_device(scene: Scene, user_name: str) -> None:
    numbers = ec.generate_private_key(ec.SECP256R1()).public_key().public_numbers()
    x, y = (urlsafe_b64encode(each.to_bytes(32)).rstrip(b"=").decode() for each in (numbers.x, numbers.y))
    code = in_school(scene)("device", "code", "--user", user_name)["code"]
    answer = requests.post(
        f"{scene.base_url}/device-registration", timeout=30,
        json={"code": code, "publicKey": {"kty": "EC", "crv": "P-256", "x": x, "y": y}, "name": LONG[:200], "facts": {}})
    assert answer.status_code == 201, answer.text


def prepare_team(school: BusySchool) -> None:
    """Two teams of the administrator: the first has apps of all kinds, the second offers it one."""
    scene = school.scene
    tool, do = Tool(scene.folder), in_school(scene)
    member = scene.account("administrator").username
    school.team = tool.json("app", "team", "create", LONG)["id"]
    other = tool.json("app", "team", "create", EMOJI)["id"]
    for team in (school.team, other):
        tool.json("app", "team", "add-member", team, member)
    # Only where there are several members can one leave.
    tool.json("app", "team", "add-member", school.team, scene.account("instructor").username)
    for number, name in enumerate(NAMES.values()):
        tool.json(
            "app", "create", name, "--team", school.team, "--client-id", f"example.hard{number}", "--client-id",
            f"example.hard{number}.web", "--scope", "edu.users.read", "--scope", "name", "--return-url",
            f"https://hard.example/{'long' * 60}")
        if number < 2:
            do("access", "allow", f"example.hard{number}")
    do("access", "allow", "example.hard0", "--for", "sign-in")
    tool.json("app", "client", "example.hard0", "--secret")
    tool.json("key", "create", LONG[:200], "--team", school.team, "--out", scene.folder / "hard.p8")
    tool.json("app", "sender", "add", "mail.hard.example", "--team", school.team)
    tool.json("app", "offer", "example.hard2", "--team", other)
    tool.json("app", "create", RIGHT_TO_LEFT, "--team", other, "--client-id", "example.offered", "--scope", "name")
    tool.json("app", "offer", "example.offered", "--team", school.team)
    tool.json("app", "team", "sandbox", "create", "--team", school.team)


def begin_work(visit: Visit, school: BusySchool, folder: Path) -> Chromium:
    """Does what leaves a job behind, in the browser of the administrator, who stays signed in."""
    scene, base_url = visit.scene, visit.scene.base_url
    browser = enter(visit, "administrator", "/manager/imports/pick-ups")
    browser.press("Set up")
    changed = district(visit, folder / "changed")
    # Something to compare the next import with.
    rewrite(changed / "students.csv", rename_first("Izanami"))
    in_school(scene)("import", changed)
    rewrite(changed / "students.csv", rename_first("Amaterasu"))
    upload(browser, base_url, pack(changed))
    wait_for(browser, "What this import would change")
    browser.press("Apply this import")
    browser.wait(lambda _: heading(browser).startswith("Import "), "the import is applied")
    school.pages.append(browser.url)
    browser.press("Compare")
    school.pages.append(browser.url)

    few = district(visit, folder / "few")
    rewrite(few / "rosters.csv", lambda rows: rows[: len(rows) // 2])
    upload(browser, base_url, pack(few))
    wait_for(browser, "What this import would change")
    school.pages.append(browser.url)

    wrong = district(visit, folder / "wrong")
    rewrite(wrong / "students.csv", lambda rows: [rows[0] | {"location_id": LONG[:250]}] + rows[1:])
    upload(browser, base_url, *wrong.glob("*.csv"))
    wait_for(browser, "The files have errors")
    school.pages.append(browser.url)

    moved = district(visit, folder / "moved")
    rewrite(moved / "students.csv", lambda rows: [row | {"person_id": f"N-{row['person_id']}"} for row in rows])
    rewrite(moved / "rosters.csv", lambda rows: [row | {"student_id": f"N-{row['student_id']}"} for row in rows])
    upload(browser, base_url, pack(moved), page="/manager/imports/ids", button="Compare")
    wait_for(browser, "Who is who")
    school.pages.append(browser.url)

    browser.open(f"{base_url}/manager/people/passwords?look=yes&class={school.long_class}&who=all")
    browser.leave(browser.driver.find_element("css selector", ".send button").click)
    wait_for(browser, "Fetch the passwords", timeout=120)
    school.pages.append(browser.url)
    return browser
