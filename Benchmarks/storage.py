"""Measures the module `Storage` alone; yardstick: Python's sqlite3 module doing the same to a file in the same folder."""

import sqlite3
import subprocess
import time
from pathlib import Path

from report import Report

PROGRAM = Path(__file__).parent.parent / ".build/release/storage-benchmark"
PEOPLE = 100_000
INSERTION = "INSERT INTO person (user_name, given_name, family_name, email, modified_at) VALUES (?, ?, ?, ?, ?)"
COLUMNS = "id, user_name, given_name, family_name, email, modified_at"


def bench_storage(report: Report, folder: Path):
    """Microseconds for a row and for a transaction on SQLite."""
    text = subprocess.run([PROGRAM, folder / "storage.sqlite"], capture_output=True, text=True, check=True).stdout
    own = {name: 1e6 / float(rate) for name, rate in (line.split("\t") for line in text.splitlines())}
    python = measure_python(folder / "yardstick.sqlite")
    single = "durable writes, one after the other"
    for name, bound in [
        ("rows inserted in one transaction", 3), (single, 2), ("people read by name in one transaction", 2),
        ("people read in pages of 1 000", 3),
    ]:
        report.add(name, own[name], "µs", bound, python[name])
    report.add("durable writes, 64 at once", own["durable writes, 64 at once"], "µs", 0.5, python[single])
    name = "people read by name, one after the other"
    report.add(name, own[name], "µs", 200)


def measure_python(file: Path) -> dict[str, float]:
    database = sqlite3.connect(file, isolation_level=None)
    database.executescript(
        """
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = FULL;
        CREATE TABLE person (
            id INTEGER PRIMARY KEY AUTOINCREMENT, user_name TEXT NOT NULL UNIQUE, given_name TEXT NOT NULL,
            family_name TEXT NOT NULL, email TEXT, modified_at INTEGER NOT NULL
        ) STRICT;
        """)

    def insert_all():
        database.execute("BEGIN")
        for number in range(PEOPLE):
            database.execute(INSERTION, (f"p{number}", "Maria", "Lopez", f"p{number}@maple.example", 1_700_000_000))
        database.execute("COMMIT")

    def insert_each(round: int):
        for number in range(100):
            database.execute(INSERTION, (f"single{round}.{number}", "Maria", "Lopez", None, 1_700_000_000))

    def find():
        database.execute("BEGIN")
        for number in range(PEOPLE):
            sql = f"SELECT {COLUMNS} FROM person WHERE user_name = ?"
            database.execute(sql, (f"p{number * 7 % PEOPLE}",)).fetchone()
        database.execute("COMMIT")

    def page():
        last = 0
        while last < PEOPLE:
            sql = f"SELECT {COLUMNS} FROM person WHERE id > ? ORDER BY id LIMIT 1000"
            last = database.execute(sql, (last,)).fetchall()[-1][0]

    def microseconds(body, count: int) -> float:
        start = time.perf_counter()
        body()
        return (time.perf_counter() - start) * 1e6 / count

    return {
        "rows inserted in one transaction": microseconds(insert_all, PEOPLE),
        "durable writes, one after the other": min(
            microseconds(lambda: insert_each(round), 100) for round in range(10)),
        "people read by name in one transaction": microseconds(find, PEOPLE),
        "people read in pages of 1 000": microseconds(page, PEOPLE),
    }
