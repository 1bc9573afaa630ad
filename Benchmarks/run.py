"""Measures the paths that have to scale, each beside a yardstick that nobody here wrote, in one run.

Prints a table for docs/performance.md. Exit code 1 if a bound is exceeded. `run.py crawl import` runs parts only.
"""

import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import requests

from burst import bench_burst
from installation import LANYARD, Installation
from measure import cpu_seconds, resident, run
from report import Report

HERE = Path(__file__).parent


def header_columns(path: Path) -> int:
    return len(path.open().readline().split(","))


# Import


def bench_import(report: Report, folder: Path):
    """100 000 people and 1 000 000 memberships, beside `sqlite3 .import` of the same files."""
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
        # The shell takes the columns by position; what a file has beyond them is cut beforehand, and not timed.
        source = files / f"{name}.csv"
        if header_columns(source) > columns:
            cut = folder / f"{name}.cut.csv"
            subprocess.run(f"cut -d, -f1-{columns} '{source}' > '{cut}'", shell=True, check=True)
            source = cut
        script += f".import --skip 1 '{source}' {table}\n"
    return run(["sqlite3", str(folder / "yardstick.sqlite")], stdin=script, check=False)


# Crawl


def bench_crawl(report: Report, folder: Path):
    """A full crawl of 100 000 people and 5 000 classes of 30, beside the sqlite3 shell printing the same JSON."""
    here = Installation(folder / "crawl")
    here.folder.mkdir()
    here.set_up()
    here.lanyard("import", str(here.sample("files", 100_000, 5_000, 30)))
    here.serve()
    session = requests.Session()
    secret = here.client_secret()
    access = here.exchange(session, secret, here.code(here.sign_in()))["access_token"]
    session.headers["Authorization"] = f"Bearer {access}"
    before = cpu_seconds(here.pid)
    counts = {kind: crawl(session, here.base, kind) for kind in ("users", "classes", "locations")}
    spent = cpu_seconds(here.pid) - before
    memory = resident(here.pid, peak=True)
    here.stop()
    sql = (HERE / "crawl.sql").read_text().replace(":organization", "1")
    yardstick = statistics.median(run(["sqlite3", str(here.data / "lanyard.sqlite")], stdin=sql).cpu for _ in range(3))
    report.add(
        "full crawl, CPU of the server", spent, "s", 4, yardstick,
        f"{counts['users']} people, {counts['classes']} classes",
    )
    report.add("full crawl, memory of the server", memory, "MiB", 150)


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


# Tokens


def bench_tokens(report: Report, folder: Path):
    """CPU of an exchange and of a refresh under load, beside one P-256 verification and one RSA-2048 signature."""
    here = Installation(folder / "tokens")
    here.folder.mkdir()
    here.set_up()
    here.serve()
    browser = here.sign_in()
    secret = here.client_secret()
    codes = [here.code(browser) for _ in range(2_000)]
    refresh_token = here.exchange(requests.Session(), secret, codes.pop())["refresh_token"]
    yardstick = openssl_seconds()
    exchange = [here.exchange_form(secret, code) for code in codes]
    refresh = [here.token_form(secret, grant_type="refresh_token", refresh_token=refresh_token)]
    for name, forms, repeats in (("code exchange", exchange, False), ("refresh", refresh, True)):
        cost = cost_of_posts(here, forms, repeats)
        report.add(f"{name}, CPU", cost * 1_000, "ms", 1.3, yardstick * 1_000)
    here.stop()


def cost_of_posts(here, forms, repeats: bool) -> float:
    """Seconds of the server's CPU for a request, as wrk sends them over eight connections: each form once, or for six
    seconds again and again."""
    script = here.folder / "post.lua"
    script.write_text(
        "forms = {" + ",".join(f'"{form}"' for form in forms) + "}\n"
        'wrk.method = "POST"\n'
        'wrk.headers["Content-Type"] = "application/x-www-form-urlencoded"\n'
        "local sent, got = 0, 0\n"
        f"local last = {'math.huge' if repeats else len(forms)}\n"
        "function request()\n"
        "    sent = sent + 1\n"
        "    return wrk.format(nil, nil, nil, forms[(sent - 1) % #forms + 1])\n"
        "end\n"
        "function response()\n"
        "    got = got + 1\n"
        "    if got >= last - 8 then wrk.thread:stop() end\n"
        "end\n"
    )
    before = cpu_seconds(here.pid)
    text = subprocess.run(
        ["wrk", "-t1", "-c8", "-d6s" if repeats else "-d60s", "-s", str(script), here.base + "/auth/oauth2/v2/token"],
        capture_output=True, text=True, check=True,
    ).stdout
    spent = cpu_seconds(here.pid) - before
    if "Non-2xx" in text or "Socket errors" in text:
        raise RuntimeError(f"the token endpoint refused:\n{text}")
    return spent / int(re.search(r"(\d+) requests in", text).group(1))


def openssl_seconds() -> float:
    """CPU of one P-256 verification and one RSA-2048 signature. On all cores at once, as they are busy under load:
    cores that share a unit are slower together than alone."""
    cores = os.cpu_count()
    text = subprocess.run(
        ["openssl", "speed", "-seconds", "3", "-multi", str(cores), "rsa2048", "ecdsap256"],
        capture_output=True, text=True, check=True,
    ).stdout
    sign = float(re.search(r"^rsa\s+2048 bits\s+\S+\s+\S+\s+([\d.]+)", text, re.M).group(1))
    verify = float(re.search(r"256 bits ecdsa.*?\s([\d.]+)\s*$", text, re.M).group(1))
    return cores / sign + cores / verify


# Growth and start


def bench_growth(report: Report, folder: Path):
    """The cost of one page at 1 000, 100 000 and 1 000 000 people; start and idle memory on the largest."""
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
    """Seconds of CPU for the second page of 100."""
    url = f"{here.base}/rosterapi/v1/users"
    token = session.get(url, params={"limit": 100}).json()["nextPageToken"]
    rounds = []
    for _ in range(3):
        before = cpu_seconds(here.pid)
        for _ in range(count // 3):
            session.get(url, params={"limit": 100, "pageToken": token})
        rounds.append((cpu_seconds(here.pid) - before) / (count // 3))
    return statistics.median(rounds)


PARTS = {"import": bench_import, "crawl": bench_crawl, "tokens": bench_tokens, "growth": bench_growth,
         "burst": bench_burst}


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
