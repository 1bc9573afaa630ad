"""Measures the operations that have to scale, each compared with a yardstick from another project.

Prints a table for docs/performance.md. Exit code 1 if a bound is exceeded. `run.py crawl import` runs parts only.
"""

import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

import requests

from administration import bench_administration
from beside import bench_beside
from console import bench_console, bench_console_on_postgresql
from device import bench_broker
from burst import bench_burst
from installation import LANYARD, Installation
from instructions import bench_instructions
from tickets import bench_kerberos
from measure import cpu_seconds, resident, run
from neighbours import bench_neighbours
from pages import bench_pages
from report import Report
from standing import bench_standing
from storage import bench_storage
from answers import bench_tokens
from trail import bench_trail

HERE = Path(__file__).parent


def header_columns(path: Path) -> int:
    return len(path.open().readline().split(","))


# Import


def bench_import(report: Report, folder: Path):
    """Imports 100 000 people and 1 000 000 memberships; yardstick: `sqlite3 .import` of the same files."""
    here = Installation(folder / "import")
    here.folder.mkdir()
    files = here.sample("files", 100_000, 40_000, 25)
    here.lanyard("init", "--name", "Bench", "--user-name-format", "{sis_username}@bench.example", "--json")
    yardstick = import_by_sqlite(folder, files)
    first = run([LANYARD, "import", str(files), "--data", str(here.data)])
    again = run([LANYARD, "import", str(files), "--data", str(here.data)])
    report.add("import of 1 100 000 rows, wall", first.wall, "s", 4, yardstick.wall)
    report.add("import, memory", first.peak, "MiB", 250)
    report.add("import that changes nothing, wall", again.wall, "s", 2, yardstick.wall)
    report.add("import that changes nothing, memory", again.peak, "MiB", 250)


def import_by_sqlite(folder: Path, files: Path):
    script = (HERE / "import.sql").read_text()
    tables = {
        "locations": ("location", 2), "students": ("student", 10), "staff": ("staff", 8), "courses": ("course", 4),
        "classes": ("class", 7), "rosters": ("roster", 3),
    }
    for name, (table, columns) in tables.items():
        # The shell imports columns by position, so further ones are removed before, which is not timed.
        source = files / f"{name}.csv"
        if header_columns(source) > columns:
            cut = folder / f"{name}.cut.csv"
            subprocess.run(f"cut -d, -f1-{columns} '{source}' > '{cut}'", shell=True, check=True)
            source = cut
        script += f".import --skip 1 '{source}' {table}\n"
    return run(["sqlite3", str(folder / "yardstick.sqlite")], stdin=script, check=False)


# Crawl


def bench_crawl(report: Report, folder: Path):
    """Crawls 100 000 people and 5 000 classes of 30; yardstick: the sqlite3 shell printing the same JSON."""
    here = Installation(folder / "crawl")
    here.folder.mkdir()
    here.set_up()
    here.lanyard("import", str(here.sample("files", 100_000, 5_000, 30)))
    here.serve()
    session = requests.Session()
    secret = here.client_secret()
    access = here.exchange(session, secret, here.code(here.sign_in()))["access_token"]
    session.headers["Authorization"] = f"Bearer {access}"
    spent, counts = crawl_all(session, here)
    memory = resident(here.pid, peak=True)
    # Rules that ask for place, role and grade of each person, and keep nearly everybody, so that both crawls have the same to
    # write.
    somebody = json.loads(here.lanyard("person", "list", "--json"))["people"][-1]["userName"]
    with closing(sqlite3.connect(here.data / "lanyard.sqlite")) as database:
        places = database.execute("SELECT source_id FROM location WHERE organization_id = 1").fetchall()
        grades = database.execute("SELECT DISTINCT grade FROM person WHERE grade IS NOT NULL").fetchall()
    limits = {
        "--role": ["Student", "Instructor", "Staff"], "--location": [place for [place] in places],
        "--grade": [grade for [grade] in grades],
    }
    options = [part for option, values in limits.items() for value in values for part in (option, value)]
    # By turns, so that other work of the machine meets both.
    rounds = []
    for _ in range(7):
        unlimited, _ = crawl_all(session, here)
        here.lanyard("sharing", "leave-out", "Bench", somebody, "--yes")
        here.lanyard("sharing", "set", "Bench", *options, "--organization-itself", "--yes")
        limited, _ = crawl_all(session, here)
        here.lanyard("sharing", "set", "Bench", "--yes")
        here.lanyard("sharing", "put-back", "Bench", somebody, "--yes")
        rounds.append((unlimited, limited))
    unlimited, limited = (statistics.median(costs) for costs in zip(*rounds))
    here.stop()
    sql = (HERE / "crawl.sql").read_text().replace(":organization", "1")
    yardstick = statistics.median(run(["sqlite3", str(here.data / "lanyard.sqlite")], stdin=sql).cpu for _ in range(3))
    report.add(
        "full crawl, CPU of the server", spent, "s", 4, yardstick,
        f"{counts['users']} people, {counts['classes']} classes",
    )
    report.add("full crawl, memory of the server", memory, "MiB", 150)
    report.add("full crawl through rules for sharing, CPU; yardstick: without rules", limited, "s", 1.15, unlimited)


def crawl_all(session, here) -> tuple[float, dict[str, int]]:
    """What a crawl costs the server, and how much it read."""
    before = cpu_seconds(here.pid)
    counts = {kind: crawl(session, here.base, kind) for kind in ("users", "classes", "locations")}
    return cpu_seconds(here.pid) - before, counts


def crawl(session, base, kind, limit=200) -> int:
    count, token = 0, None
    while True:
        page = session.get(f"{base}/rosterapi/v1/{kind}", params={"limit": limit, "pageToken": token})
        page.raise_for_status()
        body = page.json()
        count += len(body[kind])
        if not body["moreToFollow"]:
            return count
        token = body["nextPageToken"]


# Growth and start


def bench_growth(report: Report, folder: Path):
    """The cost of one page with 1 000, 100 000 and 1 000 000 people; the start and idle memory with the largest."""
    costs = {}
    for people in (1_000, 100_000, 1_000_000):
        here = Installation(folder / f"growth-{people}")
        here.folder.mkdir()
        here.set_up()
        here.lanyard("import", str(here.sample("files", people, people // 25, 20)))
        here.serve()
        ready, idle = here.ready_after, resident(here.pid)
        session = requests.Session()
        access = here.exchange(session, here.client_secret(), here.code(here.sign_in()))["access_token"]
        session.headers["Authorization"] = f"Bearer {access}"
        costs[people] = page_cost(session, here)
        here.stop()
    small = costs[1_000]
    for people in (100_000, 1_000_000):
        report.add(f"a page of 100 at {people} people, CPU", costs[people] * 1_000, "ms", 1.3, small * 1_000)
    report.add("start on 1 000 000 people until ready", ready * 1_000, "ms", 150)
    report.add("idle memory", idle, "MiB", 60)


def page_cost(session, here, count=1_500) -> float:
    """CPU time of the second page of 100 people, in seconds."""
    url = f"{here.base}/rosterapi/v1/users"
    token = session.get(url, params={"limit": 100}).json()["nextPageToken"]
    rounds = []
    for _ in range(3):
        before = cpu_seconds(here.pid)
        for _ in range(count // 3):
            session.get(url, params={"limit": 100, "pageToken": token})
        rounds.append((cpu_seconds(here.pid) - before) / (count // 3))
    return statistics.median(rounds)


# Matching


def bench_matching(report: Report, folder: Path):
    """Matches a URL with 10 000 prefixes of single sign-on profiles; yardstick: a lookup of its host in a hash map."""
    program = HERE.parent / ".build/release/match-benchmark"
    text = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    spent = dict(line.split() for line in text.splitlines())
    match, lookup = float(spent["match"]), float(spent["lookup"])
    report.add("match among 10 000 URL prefixes", match, "ns", 5, lookup)
    report.add("the same, alone", match, "ns", 2_000)
    report.add("match among 10 000 prefixes of one host", float(spent["match-one-host"]), "ns", 2_000)


PARTS = {
    "import": bench_import, "crawl": bench_crawl, "tokens": bench_tokens, "beside": bench_beside, "burst": bench_burst,
    "neighbours": bench_neighbours, "instructions": bench_instructions, "standing": bench_standing,
    "growth": bench_growth, "matching": bench_matching, "broker": bench_broker, "kerberos": bench_kerberos,
    "storage": bench_storage, "administration": bench_administration, "trail": bench_trail, "pages": bench_pages,
    "console": bench_console,
    "console-on-postgresql": bench_console_on_postgresql,
}


def main():
    report = Report()
    wanted = sys.argv[1:] or list(PARTS)
    with tempfile.TemporaryDirectory(prefix="lanyard-bench-") as folder:
        for name in wanted:
            start = time.perf_counter()
            PARTS[name](report, Path(folder))
            print(f"      {name} took {time.perf_counter() - start:.0f} s", flush=True)
    print("\n" + report.table())
    print(f"\n{os.cpu_count()} CPUs, {time.strftime('%Y-%m-%d')}")
    sys.exit(any(line[5] != "ok" for line in report.lines))


if __name__ == "__main__":
    main()
