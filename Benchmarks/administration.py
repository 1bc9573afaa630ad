"""Measures what administrators do with many people."""

import csv
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import requests

from installation import LANYARD, Installation
from measure import Cost, cpu_seconds, run
from report import Report

# What one password costs the server (docs/decisions/0029-common-passwords.md): two passes over 19 MiB. This program of
# argon2-cffi makes a hash, and then verifies a password by it as often as it is told, which is to compute it again.
ARGON2 = [sys.executable, "-m", "argon2", "-t", "2", "-m", "19456", "-p", "1", "-l", "32", "-n"]


def bench_administration(report: Report, folder: Path):
    """Pages of the administration API, searches, slips for passwords, and a map to new ids."""
    read_pages(report, folder)
    search_people(report, folder)
    print_slips(report, folder)
    move_ids(report, folder)


def read_pages(report: Report, folder: Path):
    """Pages of 100 people; yardsticks: the pages of as many bytes that an app reads, and those of as many people."""
    here = Installation(folder / "pages")
    here.folder.mkdir()
    here.set_up()
    here.lanyard("import", str(here.sample("files", 10_000, 500, 20)))
    program, organization = serve_to_program(here, "people.read")
    people, question = f"{organization}/people", {"limit": 100, "after": 200}
    app = requests.Session()
    access = here.exchange(app, here.client_secret(), here.code(here.sign_in()))["access_token"]
    app.headers["Authorization"] = f"Bearer {access}"
    roster = f"{here.base}/rosterapi/v1/users"
    as_many = {"limit": 100, "pageToken": app.get(roster, params={"limit": 100}).json()["nextPageToken"]}
    size = len(program.get(people, params=question).content)
    as_large = as_many | {"limit": round(100 * size / len(app.get(roster, params=as_many).content))}
    # In turns, so that all have the same machine.
    rounds = [
        (
            page_cost(here, program, people, question), page_cost(here, app, roster, as_large),
            page_cost(here, app, roster, as_many),
        )
        for _ in range(5)
    ]
    here.stop()
    ours, large, many = (statistics.median(costs) * 1_000 for costs in zip(*rounds))
    report.add(
        f"a page of 100 people of the administration API, {size // 1_000} kB, CPU; yardstick: as many bytes of the Roster API",
        ours, "ms", 2, large)
    report.add("the same; yardstick: as many people of the Roster API", ours, "ms", 3, many)


def serve_to_program(here: Installation, privilege: str) -> tuple[requests.Session, str]:
    """Starts the server; returns a session with a token that has the privilege, and the address of the organization."""
    client = json.loads(here.lanyard("api-client", "add", "Bench", "--privilege", privilege, "--json"))
    here.serve()
    program = requests.Session()
    token = program.post(
        here.base + "/api/v1/token", data={"grant_type": "client_credentials"},
        auth=(client["client"]["clientID"], client["secret"])).json()
    program.headers["Authorization"] = f"Bearer {token['access_token']}"
    return program, f"{here.base}/api/v1/organizations/{token['organization']}"


def search_people(report: Report, folder: Path, few: int = 2_000, many: int = 1_000_000):
    """Somebody found by a part of a name; yardsticks: sqlite3 asking the same index, and the server's search among 2 000.

    For the first one a page with the first person alone is taken off, because sqlite3 neither speaks HTTP nor checks who asks, nor
    writes into a trail.

    Pieces of three letters that many names have are longer lists in the index, so that 500 times as many people cost somewhat more.

    Up to 1 000 people are all read. The rare name is that of one person, and the common one that of more than a page has, so that
    the answers have the same size in both. The server also checks the token, and writes into the audit trail who has searched.
    """
    costs = {}
    for count in (few, many):
        here = Installation(folder / f"search-{count}")
        here.folder.mkdir()
        here.set_up()
        here.lanyard("import", str(here.sample("files", count, max(count // 25, 40), 25)))
        with closing(sqlite3.connect(here.data / "lanyard.sqlite")) as database:
            database.execute("UPDATE person SET family_name = 'Quixworthy' WHERE id = (SELECT MAX(id) FROM person)")
            database.execute("UPDATE person SET given_name = 'Maximiliana' WHERE id % 20 = 0")
            database.commit()
        program, organization = serve_to_program(here, "people.read")
        people = f"{organization}/people"
        wait_until_indexed(here)
        for text, expected in (("ixwort", 1), ("ximilian", 50)):
            question = {"text": text, "limit": 50}
            found = program.get(people, params=question).json()["people"]
            assert len(found) == expected, (text, len(found))
            costs[count, text] = statistics.median(page_cost(here, program, people, question) for _ in range(5))
        first = statistics.median(page_cost(here, program, people, {"limit": 1}) for _ in range(5))
        here.stop()
    asked, read = (statistics.median(shell_cost(here, sql, count) for _ in range(5)) for sql, count in (
        (indexed_query("ixwort"), 200), (everybody_named("ixwort"), 2)))
    report.add(
        f"what finding a person by a part of a name among {many} takes beyond a page of one, CPU; yardstick: sqlite3 asking the "
        "same index", (costs[many, "ixwort"] - first) * 1_000, "ms", 2, asked * 1_000,
        f"whole page {costs[many, 'ixwort'] * 1_000:.3g} ms; sqlite3 reading all people for it: {read * 1_000:.3g} ms")
    for text, whom in (("ixwort", "a person found by a part of a name"), ("ximilian", "fifty people found by a part of a name")):
        report.add(
            f"{whom} among {many} people; yardstick: among {few}", costs[many, text] * 1_000, "ms", 3,
            costs[few, text] * 1_000)


def wait_until_indexed(here: Installation):
    """The server brings the index up to date soon after its start, and then once a minute."""
    with closing(sqlite3.connect(here.data / "lanyard.sqlite")) as database:
        while database.execute("SELECT EXISTS (SELECT 1 FROM person_unindexed)").fetchone()[0]:
            time.sleep(0.1)


def indexed_query(text: str) -> str:
    """The server's own query (Directory/People/PersonFilter) for a page of fifty, and one more."""
    return f"""
        SELECT person.* FROM person_search AS found CROSS JOIN person
        WHERE found.rowid > 0 AND person.deleted_at IS NULL AND person.id = found.rowid AND found.words LIKE '%{text}%'
          AND person.organization_id = 1
        ORDER BY found.rowid LIMIT 51;
        """


def everybody_named(text: str) -> str:
    """The same without the index."""
    return f"""
        SELECT * FROM person
        WHERE given_name || ' ' || coalesce(middle_name, '') || ' ' || family_name || ' ' || user_name || ' '
              || coalesce(email, '') || ' ' || coalesce(source_id, '') LIKE '%{text}%'
        ORDER BY id LIMIT 51;
        """


def shell_cost(here: Installation, query: str, count: int) -> float:
    """The seconds of CPU that the sqlite3 shell takes for a query, which has to find one person."""
    shell = ["sqlite3", str(here.data / "lanyard.sqlite")]
    printed = subprocess.run(shell, input=query, capture_output=True, text=True, check=True).stdout
    assert len(printed.splitlines()) == 1, (query, printed)
    once = run(shell, stdin=query).cpu
    return max((run(shell, stdin=query * (count + 1)).cpu - once) / count, 1e-6)


def page_cost(here: Installation, session: requests.Session, url: str, parameters: dict, count: int = 200) -> float:
    before = cpu_seconds(here.pid)
    for _ in range(count):
        session.get(url, params=parameters).raise_for_status()
    return (cpu_seconds(here.pid) - before) / count


def print_slips(report: Report, folder: Path, people: int = 2_300):
    """Passwords for 2 000 pupils, with a PDF of their slips; yardstick: argon2-cffi computing as many hashes."""
    here = Installation(folder / "slips")
    here.folder.mkdir()
    here.set_up()
    here.lanyard("import", str(here.sample("files", people, max(people // 23, 1), 25)))
    answer, slips = here.folder / "passwords.csv", here.folder / "slips.pdf"
    spent = run([
        LANYARD, "person", "passwords", "--role", "student", "--csv", str(answer), "--slips", str(slips), "--data",
        str(here.data)])
    with answer.open() as file:
        count = sum(1 for _ in csv.DictReader(file))
    report.add(
        "passwords and slips, CPU; yardstick: argon2-cffi alone", spent.cpu, "s", 1.2, hash_cost() * count,
        f"{count} pupils")


def hash_cost(count: int = 100) -> float:
    """The seconds of CPU of one hash, with as many at a time as the command computes, which slow each other down."""
    programs = min(8, os.cpu_count())

    def cost(hashes: int) -> float:
        with ThreadPoolExecutor(programs) as pool:
            return statistics.mean(pool.map(lambda _: run([*ARGON2, str(hashes)]).cpu, range(programs)))

    # Without the start of the programs, and the hash that each verifies.
    return (cost(count + 1) - cost(1)) / count


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
