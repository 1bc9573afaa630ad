"""Measures the questions to the audit trail: none does work that grows with the trail."""

import sqlite3
import statistics
import time
from contextlib import closing
from pathlib import Path

import requests

from administration import page_cost, serve_to_program
from console import wait_until_quiet
from installation import CLIENT, Installation
from report import Report

# Both trails are about the same people, apps and days.
SPAN = 3 * 365 * 86_400
PEOPLE = 400
# Nothing fits it, so that a page looks through as many entries as it may, which the small trail does not have.
COMBINED = "by person, app and time"


def bench_trail(report: Report, folder: Path, small: int = 100_000, large: int = 10_000_000):
    """CPU per question to a trail of ten million entries; yardstick: the same question to one of a hundred thousand."""
    few, many = (costs(folder / f"trail-{entries}", entries) for entries in (small, large))
    for question in many:
        row = f"the trail of {large} entries, {question}, CPU"
        if question == COMBINED:
            report.add(row, many[question], "ms", 150)
        else:
            report.add(f"{row}; yardstick: of {small}", many[question], "ms", 1.3, few[question])


def costs(folder: Path, entries: int) -> dict[str, float]:
    """What a page of 50 entries costs the server for each question, in milliseconds of CPU."""
    here = Installation(folder)
    here.folder.mkdir()
    here.set_up()
    here.lanyard("import", str(here.sample("files", PEOPLE, 40, 10)))
    here.serve()
    child = read_and_change(here)
    here.stop()
    repeat_entries(here, entries)
    program, organization = serve_to_program(here, "audit.read")
    wait_until_quiet(here)
    now = int(time.time())
    found = {}
    for question, path, parameters in [
        ("its newest entries", "audit", {}),
        ("by person", "audit", {"person": child}),
        ("by app", "audit", {"app": CLIENT}),
        ("by action", "audit", {"action": "roster.read"}),
        ("by the first word of actions", "audit", {"action": "person"}),
        ("by place", "audit", {"at": here.place}),
        ("by time", "audit", {"from": moment(now - SPAN // 2 - 86_400), "until": moment(now - SPAN // 2)}),
        (COMBINED, "audit", {"person": child, "app": CLIENT, "until": moment(now - SPAN // 2)}),
        ("who read a child's data", f"people/{child}/readers", {}),
    ]:
        url = f"{organization}/{path}"
        limit = 50
        least = {COMBINED: 0, "who read a child's data": 1}.get(question, limit)
        assert len(answer(program, url, parameters | {"limit": limit}, least)) >= least, question
        found[question] = statistics.median(
            page_cost(here, program, url, parameters | {"limit": limit}, 30) for _ in range(3)) * 1_000
    here.stop()
    return found


def answer(program: requests.Session, url: str, parameters: dict, least: int) -> list:
    """What the first page shows, or those after it as well: a page of readings ends where so many entries have been looked at."""
    shown, following = [], {}
    for _ in range(20):
        page = program.get(url, params=parameters | following)
        page.raise_for_status()
        shown += page.json().get("entries") or page.json().get("readings") or []
        if len(shown) >= least or page.json().get("next") is None:
            break
        following = {"before": page.json()["next"]}
    return shown


def read_and_change(here: Installation) -> str:
    """An app reads all people, and the operator changes some of them. Returns the reference of one of those."""
    app = requests.Session()
    access = here.exchange(app, here.client_secret(), here.code(here.sign_in()))["access_token"]
    app.headers["Authorization"] = f"Bearer {access}"
    roster, parameters = f"{here.base}/rosterapi/v1/users", {"limit": 20}
    while True:
        page = app.get(roster, params=parameters).json()
        if "nextPageToken" not in page:
            break
        parameters["pageToken"] = page["nextPageToken"]
    with closing(sqlite3.connect(here.data / "lanyard.sqlite")) as database:
        children = database.execute("SELECT person_id FROM role_assignment WHERE role = 'student' LIMIT 10").fetchall()
        [here.place] = database.execute("SELECT 'LO:' || id FROM location WHERE organization_id = 1 LIMIT 1").fetchone()
    for number, [child] in enumerate(children):
        here.lanyard("person", "set", f"PE-{child}", "--first-name", f"Name {number}")
    return f"PE-{children[0][0]}"


def repeat_entries(here: Installation, entries: int):
    """Repeats the entries that there are until there are so many, over all the days. No question looks at their hashes."""
    with closing(sqlite3.connect(here.data / "lanyard.sqlite")) as database:
        database.execute("PRAGMA cache_size = -400000")
        [count] = database.execute("SELECT COUNT(*) FROM audit_entry WHERE organization_id = 1").fetchone()
        rounds = -(-entries // count)
        place = f"(round.n * {count} + model.number)"
        # One clock for all, because an entry and what it mentions have the same time, and writing takes minutes.
        at = f"({int(time.time())} - {SPAN} + {place} * {SPAN} / {rounds * count})"
        database.executescript(f"""
            CREATE TEMP TABLE model AS
                SELECT *, row_number() OVER (ORDER BY sequence) AS number FROM audit_entry WHERE organization_id = 1;
            CREATE TEMP TABLE mentioned AS
                SELECT mention.term, model.number FROM audit_mention AS mention
                JOIN model USING (organization_id, sequence);
            DELETE FROM audit_mention WHERE organization_id = 1;
            DELETE FROM audit_entry WHERE organization_id = 1;
            CREATE TEMP TABLE round (n INTEGER PRIMARY KEY);
            INSERT INTO round
                WITH RECURSIVE counted (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM counted WHERE n + 1 < {rounds})
                SELECT n FROM counted;
            INSERT INTO audit_entry
                SELECT 1, {place}, {at}, actor, action, subject, outcome, detail, origin, hash
                FROM round CROSS JOIN model;
        """)
        # One term after the other, as the table has them: a b-tree that is written from left to right grows quickly.
        for [term] in database.execute("SELECT DISTINCT term FROM mentioned ORDER BY term").fetchall():
            database.execute(
                f"""
                INSERT INTO audit_mention
                SELECT 1, ?1, {at}, {place}
                FROM round CROSS JOIN (SELECT number FROM mentioned WHERE term = ?1 ORDER BY number) AS model
                """, [term])
        # The numbers of each day are another matter: counting ten million entries once would keep the server busy for minutes.
        database.execute(
            "UPDATE activity_count SET sequence = (SELECT MAX(sequence) FROM audit_entry WHERE organization_id = 1)")
        database.commit()


def moment(seconds: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
