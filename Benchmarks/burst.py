"""Measures five hundred people who sign in at the same moment, while an app reads a roster."""

import asyncio
import statistics
import threading
import time
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import requests

from installation import Installation, fields
from measure import resident
from report import Report

PEOPLE = 500


def bench_burst(report: Report, folder: Path):
    """The user names are unknown: each costs one password hash, as a known one would, and no passwords need to be set."""
    here = Installation(folder / "burst")
    here.folder.mkdir()
    here.set_up()
    here.lanyard("import", str(here.sample("files", 2_000, 100, 20)))
    here.serve()
    session = requests.Session()
    access = here.exchange(session, here.client_secret(), here.code(here.sign_in()))["access_token"]
    session.headers["Authorization"] = f"Bearer {access}"
    quiet = latencies(session, here.base, until=after(seconds=3))
    memory_before = resident(here.pid)
    statuses: list[int] = []
    start = time.perf_counter()
    burst = threading.Thread(target=lambda: statuses.extend(asyncio.run(sign_in_all(here.base))))
    burst.start()
    busy = latencies(session, here.base, until=lambda: not burst.is_alive())
    burst.join()
    wall = time.perf_counter() - start
    memory = resident(here.pid, peak=True) - memory_before
    here.stop()
    answered = statuses.count(422)
    note = f"{answered} of {PEOPLE} answered in {wall:.1f} s; p99 before: {percentile(quiet):.1f} ms"
    report.add(f"roster request while {PEOPLE} people sign in, p99", percentile(busy), "ms", 50, note=note)
    report.add(f"{PEOPLE} people sign in at once, memory", memory, "MiB", 200)
    report.add(f"{PEOPLE} people sign in at once, turned away", PEOPLE - answered, "people", 0)


def after(seconds: float):
    end = time.perf_counter() + seconds
    return lambda: time.perf_counter() > end


def latencies(session: requests.Session, base: str, until) -> list[float]:
    """Milliseconds of each of several requests, sent one after the other."""
    spent = []
    while not until():
        start = time.perf_counter()
        session.get(f"{base}/rosterapi/v1/users", params={"limit": 20}).raise_for_status()
        spent.append((time.perf_counter() - start) * 1_000)
        time.sleep(0.005)
    return spent


def percentile(values: list[float]) -> float:
    return statistics.quantiles(values, n=100)[98]


async def sign_in_all(base: str) -> list[int]:
    browser = requests.Session()
    form = fields(browser.get(f"{base}/sign-in").text)
    cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in browser.cookies)
    return await asyncio.gather(*(sign_in(base, index, form, cookies) for index in range(PEOPLE)))


async def sign_in(base: str, index: int, form: dict, cookies: str) -> int:
    """Signs one person in on a new connection; returns the status of the response."""
    address = urlsplit(base)
    body = urlencode(form | {"username": f"nobody{index}@bench.example", "password": "not this one"})
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    writer.write(
        f"POST /sign-in HTTP/1.1\r\nHost: {address.netloc}\r\nCookie: {cookies}\r\nConnection: close\r\n"
        f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
    answer = await reader.read()
    writer.close()
    return int(answer.split(maxsplit=2)[1])
