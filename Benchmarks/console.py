"""Measures the pages of the console in a small and in a large organization: none does work that grows with it."""

import sqlite3
import statistics
import time
from contextlib import closing
from pathlib import Path

from installation import Installation
from measure import cpu_seconds
from report import Report

PAGES = [
    "/manager", "/manager/people", "/manager/people?role=staff", "/manager/people?state=locked",
    "/manager/people?text=ixwort", "/manager/find?text=ixwort", "/manager/people/{person}",
    "/manager/people/{person}/readers", "/manager/people/passwords", "/manager/classes", "/manager/classes/{class}",
    "/manager/classes/terms", "/manager/locations", "/manager/imports", "/manager/imports/upload",
    "/manager/imports/pick-ups", "/manager/access/sign-in", "/manager/access/data-sharing", "/manager/apps",
    "/manager/devices", "/manager/activity", "/manager/activity/changes", "/manager/settings",
    "/manager/settings/domains", "/manager/settings/holds", "/manager/settings/roles",
]


def bench_console(report: Report, folder: Path, small: int = 1_000, large: int = 1_000_000):
    """CPU per page in an organization of a million people; yardstick: the same page in one of a thousand."""
    schools = [School(folder / f"console-{people}", people, large // 1_000) for people in (small, large)]
    for page in PAGES:
        # In turns, so that both have the same machine.
        rounds = [[school.cost(page) for school in schools] for _ in range(5)]
        few, many = (statistics.median(costs) for costs in zip(*rounds))
        report.add(f"{page} at {large} people, CPU; yardstick: at {small}", many, "ms", 1.5, few)
    for school in schools:
        school.here.stop()


class School:
    """A school that serves its console. All have as many locations, of which forms list up to a hundred."""

    def __init__(self, folder: Path, people: int, locations: int):
        self.here = here = Installation(folder)
        here.folder.mkdir()
        here.set_up()
        here.lanyard("import", str(here.sample("files", people, max(people // 25, 40), 20)))
        add_locations(here, locations)
        add_staff(here)
        self.names = {
            "{person}": one_of(here, "student", "person_id", "PE-"), "{class}": one_of(here, "class", "id", "CL-")}
        here.serve()
        wait_until_quiet(here)
        self.browser = here.sign_in()

    def cost(self, page: str, count: int = 40) -> float:
        """What the page costs the server, in milliseconds of CPU."""
        url = self.here.base + page
        for name, value in self.names.items():
            url = url.replace(name, value)
        self.browser.get(url).raise_for_status()
        before = cpu_seconds(self.here.pid)
        for _ in range(count):
            self.browser.get(url)
        return (cpu_seconds(self.here.pid) - before) / count * 1_000


def add_locations(here: Installation, count: int):
    with closing(sqlite3.connect(here.data / "lanyard.sqlite")) as database:
        columns = [row[1] for row in database.execute("SELECT * FROM pragma_table_info('location')") if row[1] != "id"]
        values = ", ".join({"name": "'Site ' || ?1", "source_id": "'site-' || ?1"}.get(name, name) for name in columns)
        first = database.execute("SELECT COUNT(*) FROM location WHERE organization_id = 1").fetchone()[0]
        for number in range(first, count):
            database.execute(
                f"INSERT INTO location ({', '.join(columns)}) SELECT {values} FROM location "
                "WHERE organization_id = 1 ORDER BY id LIMIT 1", [number])
        # The people of a page belong to as many places: each is noted in the trail.
        places = [row[0] for row in database.execute("SELECT id FROM location WHERE organization_id = 1 ORDER BY id")]
        people = database.execute("SELECT DISTINCT person_id FROM role_assignment WHERE location_id > 0").fetchall()
        database.executemany(
            "UPDATE OR IGNORE role_assignment SET location_id = ? WHERE person_id = ? AND location_id > 0",
            [(places[index % len(places)], person) for index, [person] in enumerate(people)])
        database.commit()


def add_staff(here: Installation, count: int = 100):
    """A list shows fifty, and a thousand people have fewer members of staff than that: so some pupils help in the office."""
    with closing(sqlite3.connect(here.data / "lanyard.sqlite")) as database:
        database.execute(
            """
            INSERT OR IGNORE INTO role_assignment (person_id, location_id, role, roster_role, organization_id, source)
            SELECT person_id, location_id, 'staff', 'Staff', organization_id, source FROM role_assignment
            WHERE role = 'student' LIMIT ?
            """, [count])
        database.commit()


def one_of(here: Installation, kind: str, column: str, prefix: str) -> str:
    """The reference of a student or class in the middle of all."""
    table = {"student": "role_assignment WHERE role = 'student'", "class": "class WHERE organization_id = 1"}[kind]
    with closing(sqlite3.connect(here.data / "lanyard.sqlite")) as database:
        count = database.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0]
        [number] = database.execute(f"SELECT {column} FROM {table} LIMIT 1 OFFSET ?", [count // 2]).fetchone()
        if kind == "class":
            return f"{prefix}{number}"
        # The name that the searches look for, at one person in each organization.
        database.execute("UPDATE person SET family_name = 'Quixworthy' WHERE id = ?", [number])
        database.commit()
        return f"{prefix}{number}"


def wait_until_quiet(here: Installation):
    """The server brings the index up to date after its start, and counts."""
    with closing(sqlite3.connect(here.data / "lanyard.sqlite")) as database:
        while database.execute("SELECT EXISTS (SELECT 1 FROM person_unindexed)").fetchone()[0]:
            time.sleep(0.2)
    before = cpu_seconds(here.pid)
    while True:
        time.sleep(1)
        now = cpu_seconds(here.pid)
        if now - before < 0.02:
            return
        before = now
