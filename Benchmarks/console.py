"""Measures the pages of the console in a small and in a large organization: none does work that grows with it."""

import datetime
import os
import statistics
import subprocess
import time
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from installation import CLIENT, Installation
from measure import cpu_seconds
from report import Report

PAGES = [
    "/manager", "/manager/people", "/manager/people?role=staff", "/manager/people?state=locked",
    "/manager/people?text=ixwort", "/manager/find?text=ixwort", "/manager/classes?text=nothing", "/manager/people/{person}",
    "/manager/people/{person}/readers", "/manager/people/passwords", "/manager/classes", "/manager/classes/{class}",
    "/manager/classes/terms", "/manager/locations", "/manager/locations/{location}", "/manager/imports", "/manager/imports/upload",
    "/manager/imports/pick-ups", "/manager/access/sign-in", "/manager/access/data-sharing", "/manager/apps",
    "/manager/apps/{app}", "/manager/apps/{app}/sharing", "/manager/apps/{app}/view",
    "/manager/apps/{app}/why?person={person}", "/account", "/manager/devices", "/manager/activity",
    "/manager/activity/changes", "/manager/settings", "/manager/settings/domains", "/manager/settings/holds", "/manager/settings/roles",
    "/manager/settings/roles/manager",
    "/manager/settings/realms", "/manager/settings/realms/BENCH.EXAMPLE/remove", "/manager/settings/retention",
    "/manager/settings/retention/left-people", "/manager/settings/close", "/manager/people/{person}/roles",
    "/manager/people/{person}/data", "/manager/classes/terms/close?term=Now",
    "/manager/imports/{import}", "/manager/imports/{import}/undo", "/manager/apps/{app}/revoke", "/developer/teams/{team}/apps",
    "/developer/teams/{team}/apps/{client}", "/developer/teams/{team}/apps/{client}/edit",
    "/developer/teams/{team}/apps/{client}/notifications", "/developer/teams/{team}/apps/{client}/remove",
    "/developer/teams/{team}/members",
]

# Forms, files, and questions that say what would follow. A browser draws a form in less time than any list.
FORMS = [
    "/manager/people/add", "/manager/people/{person}/edit", "/manager/people/{person}/rename", "/manager/people/{person}/password",
    "/manager/people/{person}/sign-out", "/manager/people/{person}/deactivate",
    "/manager/people/{person}/merge?text=ixwort", "/manager/people/{person}/data/html", "/manager/people/{person}/data/csv",
    "/manager/people/{person}/data/json", "/manager/classes/add", "/manager/classes/{class}/edit", "/manager/classes/{class}/archive",
    "/manager/classes/terms/add", "/manager/classes/terms/edit?term=Now", "/manager/locations/add",
    "/manager/locations/{location}/edit", "/manager/locations/{location}/remove", "/manager/imports/ids", "/manager/apps/term",
    "/manager/apps/{app}/limit", "/manager/devices/code", "/manager/devices/profile", "/manager/activity/export",
    "/manager/settings/name", "/manager/settings/picture", "/manager/settings/language", "/manager/settings/mail",
    "/manager/settings/sign-in", "/manager/settings/user-names", "/manager/settings/imports", "/manager/settings/locations",
    "/manager/settings/api-clients", "/manager/settings/api-clients/add", "/manager/settings/retention/imports",
    "/manager/settings/retention/sessions", "/manager/settings/retention/unused-accounts",
]


def bench_console(report: Report, folder: Path, small: int = 1_000, large: int = 1_000_000):
    """CPU per page in an organization of a million people; yardstick: the same page in one of a thousand."""
    compare(report, small, large, lambda people: Installation(folder / f"console-{people}"), "")


def bench_console_on_postgresql(report: Report, folder: Path, small: int = 1_000, large: int = 1_000_000):
    """The same where PostgreSQL keeps the records, with its own work."""
    server = os.environ.get("LANYARD_TEST_POSTGRES")
    if not server:
        print("      left out: LANYARD_TEST_POSTGRES names no server; scripts/with-postgres starts one", flush=True)
        return

    def installation(people: int) -> Installation:
        return in_postgresql(server, folder / f"console-postgresql-{people}", str(people))

    compare(report, small, large, installation, " on PostgreSQL")


def in_postgresql(server: str, folder: Path, name: str) -> Installation:
    """An installation with a new database of the server."""
    database = f"bench_{name}_{time.time_ns()}"
    subprocess.run(["psql", "--no-psqlrc", "--quiet", f"--command=CREATE DATABASE {database}", server], check=True)
    return Installation(folder, urlunsplit(urlsplit(server)._replace(path=f"/{database}")))


def compare(report: Report, small: int, large: int, installation, where: str):
    schools = [School(installation(people), people, large // 1_000) for people in (small, large)]
    for page in PAGES + FORMS:
        # In turns, so that both have the same machine.
        rounds = [[school.cost(page) for school in schools] for _ in range(5)]
        few, many = (statistics.median(costs) for costs in zip(*rounds))
        report.add(f"{page}{where} at {large} people, CPU; yardstick: at {small}", many, "ms", 1.5, few)
    for school in schools:
        school.here.stop()


class School:
    """A school that serves its console. All have as many locations, of which forms list up to a hundred."""

    def __init__(self, here: Installation, people: int, locations: int):
        self.here = here
        here.folder.mkdir()
        here.set_up()
        here.lanyard("import", str(here.sample("files", people, max(people // 25, 40), 20)))
        add_locations(here, locations)
        add_staff(here)
        add_burden(here)
        self.names = {
            "{person}": one_of(here, "student", "person_id", "PE-"), "{class}": one_of(here, "class", "id", "CL-"),
            "{app}": here.sql("SELECT app_id FROM client")[0][0], "{location}": here.sql("SELECT MIN(id) FROM location WHERE organization_id = 1")[0][0],
            "{import}": here.sql("SELECT MAX(id) FROM roster_import")[0][0], "{team}": here.team, "{client}": CLIENT,
        }
        if here.database:
            # PostgreSQL does it by itself within minutes of an import.
            here.sql("ANALYZE")
        here.serve()
        self.browser = here.sign_in()
        # An app that reads as the rules of the school say.
        here.code(self.browser)
        here.lanyard("sharing", "set", CLIENT, "--role", "Student", "--without", "email", "--yes")
        wait_until_quiet(here)
        # What the server counts in a large organization, and nobody who looks at a page.
        while people > 2_000 and not (here.sql("SELECT 1 FROM kept_numbers") and here.sql("SELECT 1 FROM sign_in_count")):
            time.sleep(1)

    def open(self, page: str):
        """The address of the page, with the ids of this school, and the answer."""
        url = self.here.base + page
        for name, value in self.names.items():
            url = url.replace(name, value)
        answer = self.browser.get(url)
        if "/confirm" in answer.url:
            # Some pages are shown to those alone who have signed in a moment ago.
            self.browser = self.here.sign_in()
            answer = self.browser.get(url)
        answer.raise_for_status()
        assert not answer.history, f"{url} led to {answer.url}"
        return url, answer

    def cost(self, page: str, count: int = 40) -> float:
        """What the page costs the server and its database, in milliseconds of CPU."""
        url, _ = self.open(page)
        pids = self.here.pids
        before = sum(map(cpu_seconds, pids))
        for _ in range(count):
            self.browser.get(url)
        return (sum(map(cpu_seconds, pids)) - before) / count * 1_000


def add_locations(here: Installation, count: int):
    if here.database:
        listed = here.sql(
            "SELECT column_name FROM information_schema.columns WHERE table_name = 'location' "
            "AND is_generated = 'NEVER' ORDER BY ordinal_position")
    else:
        listed = here.sql("SELECT name FROM pragma_table_info('location')")
    columns = [name for [name] in listed if name != "id"]
    values = ", ".join(
        {"name": "'Site ' || n.number", "source_id": "'site-' || n.number"}.get(name, f"first.{name}")
        for name in columns)
    [[there]] = here.sql("SELECT COUNT(*) FROM location WHERE organization_id = 1")
    here.sql(
        f"""
        WITH RECURSIVE n (number) AS (SELECT {there} UNION ALL SELECT number + 1 FROM n WHERE number + 1 < {count})
        INSERT INTO location ({", ".join(columns)})
        SELECT {values} FROM n, (SELECT * FROM location WHERE organization_id = 1 ORDER BY id LIMIT 1) AS first
        """,
        # The people of a page belong to as many places: each is noted in the trail.
        f"""
        UPDATE role_assignment SET location_id = held.place
        FROM (
            SELECT person_id, place FROM (
                SELECT person_id, ROW_NUMBER() OVER (ORDER BY person_id) % {count} AS number FROM role_assignment
                WHERE location_id > 0 GROUP BY person_id HAVING COUNT(*) = 1
            ) AS holder
            JOIN (
                SELECT id AS place, ROW_NUMBER() OVER (ORDER BY id) - 1 AS number FROM location WHERE organization_id = 1
            ) AS places ON places.number = holder.number
        ) AS held
        WHERE held.person_id = role_assignment.person_id AND role_assignment.location_id > 0
        """)


def add_staff(here: Installation, count: int = 100):
    """A list shows thirty people, and a thousand people have fewer members of staff than that: so some pupils help in the office."""
    here.sql(
        f"""
        INSERT INTO role_assignment (person_id, location_id, role, roster_role, organization_id, source)
        SELECT person_id, location_id, 'staff', 'Staff', organization_id, source FROM role_assignment
        WHERE role = 'student' LIMIT {count} ON CONFLICT DO NOTHING
        """)


def add_burden(here: Installation):
    """What makes pages heavy whose numbers are about everybody: each pupil has a temporary password and a role that ends, and signs in
    to the app; all classes are of one term."""
    now, today = int(time.time()), datetime.date.today()
    later = now + 30 * 86_400
    binary = r"'\x00'::bytea" if here.database else "X'00'"
    here.lanyard(
        "term", "add", "Now", "--first-day", str(today - datetime.timedelta(100)), "--last-day",
        str(today + datetime.timedelta(100)))
    here.sql(
        "UPDATE class SET term_id = (SELECT MIN(id) FROM term) WHERE organization_id = 1",
        f"UPDATE role_assignment SET ends_at = {later} WHERE role = 'student'",
        f"""
        INSERT INTO credential (person_id, password_hash, temporary_until, changed_at)
        SELECT DISTINCT person_id, 'none', {later}, {now} FROM role_assignment WHERE role = 'student' ON CONFLICT DO NOTHING
        """,
        f"""
        INSERT INTO sign_in_consent (app_id, person_id, scopes, hides_email, request_hash, granted_at)
        SELECT DISTINCT (SELECT MIN(app_id) FROM client), person_id, 'name', 0, {binary}, {now}
        FROM role_assignment WHERE role = 'student' ON CONFLICT DO NOTHING
        """)
    for kind in ("left-people", "unused-accounts", "sessions", "imports"):
        here.lanyard("retention", "set", kind, "--days", "3000")
    here.lanyard("org", "realm", "set", "BENCH.EXAMPLE", "--matching", "user-name", "--domain", "bench.example")
    here.lanyard("app", "team", "add-member", here.team, "admin@bench.example")


def one_of(here: Installation, kind: str, column: str, prefix: str) -> str:
    """The reference of a student or class in the middle of all."""
    table = {"student": "role_assignment WHERE role = 'student'", "class": "class WHERE organization_id = 1"}[kind]
    [[count]] = here.sql(f"SELECT COUNT(*) FROM {table}")
    [[number]] = here.sql(f"SELECT {column} FROM {table} LIMIT 1 OFFSET {int(count) // 2}")
    if kind == "student":
        # The name that the searches look for, at one person in each organization.
        here.sql(f"UPDATE person SET family_name = 'Quixworthy' WHERE id = {number}")
    return f"{prefix}{number}"


def wait_until_quiet(here: Installation):
    """The server brings the index up to date after its start, and counts."""
    for kind in ("person", "class", "location"):
        while here.sql(f"SELECT 1 FROM {kind}_unindexed LIMIT 1"):
            time.sleep(0.2)
    before = sum(map(cpu_seconds, here.pids))
    while True:
        time.sleep(1)
        now = sum(map(cpu_seconds, here.pids))
        if now - before < 0.02:
            return
        before = now
