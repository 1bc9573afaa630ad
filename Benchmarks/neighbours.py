"""Measures how long a new connection waits while hundreds of others are served."""

import re
import socket
import statistics
import subprocess
import time
from pathlib import Path
from urllib.parse import urlsplit

from installation import Installation
from report import Report

NEIGHBOURS = 400
REQUEST = b"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"


def bench_neighbours(report: Report, folder: Path):
    """Time from connecting to the response, compared with that of requests on existing connections. The server has one
    processor, all clients share the other one."""
    here = Installation(folder / "neighbours")
    here.folder.mkdir()
    here.set_up()
    here.serve(cpu=0)
    neighbours = subprocess.Popen(
        ["taskset", "-c", "1", "wrk", "-t1", f"-c{NEIGHBOURS}", "-d12s", "--latency", f"{here.base}/healthz"],
        stdout=subprocess.PIPE, text=True)
    time.sleep(4)
    end = time.monotonic() + 7
    waits = []
    while time.monotonic() < end:
        waits.append(newcomer_seconds(urlsplit(here.base).port))
        time.sleep(0.05)
    text = neighbours.communicate()[0]
    here.stop()
    number, unit = re.search(r"50%\s+([\d.]+)(us|ms|s)", text).groups()
    theirs = float(number) * {"us": 0.001, "ms": 1, "s": 1_000}[unit]
    report.add(
        f"a newcomer among {NEIGHBOURS} who ask again and again, p50", statistics.median(waits) * 1_000, "ms", 3, theirs,
        f"longest {max(waits) * 1_000:.0f} ms")


def newcomer_seconds(port: int) -> float:
    start = time.perf_counter()
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(REQUEST)
        if not connection.recv(100).startswith(b"HTTP/1.1 200"):
            raise RuntimeError("a newcomer was refused")
    return time.perf_counter() - start
