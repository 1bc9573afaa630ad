"""Measures what administrators do with many people."""

import csv
import json
import statistics
from pathlib import Path

import requests

from installation import LANYARD, Installation
from measure import Cost, cpu_seconds, run
from report import Report

# What one password costs the server (docs/decisions/0029-common-passwords.md): two passes over 19 MiB.
ARGON2 = ["argon2", "a salt of bench", "-id", "-t", "2", "-k", "19456", "-p", "1", "-l", "32", "-r"]


def bench_administration(report: Report, folder: Path):
    """Pages of the administration API, slips for passwords, and a map to new ids."""
    read_pages(report, folder)
    print_slips(report, folder)
    move_ids(report, folder)


def read_pages(report: Report, folder: Path):
    """Pages of 100 people; yardstick: the pages that an app reads of the same people."""
    here = Installation(folder / "pages")
    here.folder.mkdir()
    here.set_up()
    here.lanyard("import", str(here.sample("files", 10_000, 500, 20)))
    client = json.loads(here.lanyard("api-client", "add", "Bench", "--privilege", "people.read", "--json"))
    here.serve()
    app = requests.Session()
    access = here.exchange(app, here.client_secret(), here.code(here.sign_in()))["access_token"]
    app.headers["Authorization"] = f"Bearer {access}"
    program = requests.Session()
    token = program.post(
        here.base + "/api/v1/token", data={"grant_type": "client_credentials"},
        auth=(client["result"]["client"]["clientID"], client["result"]["secret"])).json()
    program.headers["Authorization"] = f"Bearer {token['access_token']}"
    people = f"{here.base}/api/v1/organizations/{token['organization']}/people"
    roster = f"{here.base}/rosterapi/v1/users"
    second = app.get(roster, params={"limit": 100}).json()["nextPageToken"]
    ours, yardstick = [], []
    for _ in range(5):
        ours.append(page_cost(here, program, people, {"limit": 100, "after": 200}))
        yardstick.append(page_cost(here, app, roster, {"limit": 100, "pageToken": second}))
    here.stop()
    report.add(
        "a page of 100 people of the administration API, CPU; yardstick: of the Roster API",
        statistics.median(ours) * 1_000, "ms", 2, statistics.median(yardstick) * 1_000)


def page_cost(here: Installation, session: requests.Session, url: str, parameters: dict, count: int = 200) -> float:
    before = cpu_seconds(here.pid)
    for _ in range(count):
        session.get(url, params=parameters).raise_for_status()
    return (cpu_seconds(here.pid) - before) / count


def print_slips(report: Report, folder: Path):
    """Passwords for 2 000 pupils, with a PDF of their slips; yardstick: Debian's argon2 hashing as many."""
    here = Installation(folder / "slips")
    here.folder.mkdir()
    here.set_up()
    here.lanyard("import", str(here.sample("files", 2_300, 100, 25)))
    answer, slips = here.folder / "passwords.csv", here.folder / "slips.pdf"
    spent = run([
        LANYARD, "person", "passwords", "--role", "student", "--csv", str(answer), "--slips", str(slips), "--data",
        str(here.data)])
    with answer.open() as file:
        count = sum(1 for _ in csv.DictReader(file))
    hashed = [run(ARGON2, stdin="correct-horse-1").cpu for _ in range(100)]
    report.add(
        "passwords and slips, CPU; yardstick: argon2 alone", spent.cpu, "s", 1.2, statistics.mean(hashed) * count,
        f"{count} pupils")


def move_ids(report: Report, folder: Path):
    """New ids for 100 000 people; yardstick: an import of the same people, which changes nothing."""
    here = Installation(folder / "ids")
    here.folder.mkdir()
    here.lanyard("init", "--name", "Bench", "--user-name-format", "{sis_username}@bench.example", "--json")
    files = here.sample("files", 100_000, 4_000, 25)
    first = imported(here, files)
    table = here.folder / "map.csv"
    with table.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["type", "old_id", "new_id"])
        for name in ("students", "staff"):
            with (files / f"{name}.csv").open() as source:
                rows.writerows(["person", row["person_id"], f"new-{row['person_id']}"] for row in csv.DictReader(source))
    moved = run([LANYARD, "id-map", "apply", str(table), "--data", str(here.data)])
    report.add("new ids for 100 000 people, wall; yardstick: their import", moved.wall, "s", 1.5, first.wall)


def imported(here: Installation, files: Path) -> Cost:
    return run([LANYARD, "import", str(files), "--data", str(here.data)])
