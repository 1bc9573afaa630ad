"""Measures answers that are the same for everybody beside nginx, which gives the same bytes from files."""

import re
import statistics
from contextlib import contextmanager
from pathlib import Path

import requests

import load
from installation import Installation
from measure import cpu_seconds
from nginx import nginx_command
from providers import free_port, start, stop
from report import Report


def bench_standing(report: Report, folder: Path):
    """CPU of an answer, with client and server on one processor each; yardstick: nginx on the same one, by turns."""
    here = Installation(folder / "standing")
    here.folder.mkdir()
    here.set_up()
    here.serve(cpu=0)
    page = requests.get(here.base + "/sign-in").text
    paths = {
        "/healthz": "/healthz", "keys": "/oidc/keys", "discovery": "/.well-known/openid-configuration",
        "style sheet": re.search(r'href="(/[^"]+\.css)"', page).group(1),
    }
    for path in paths.values():
        file = here.folder / "files" / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(requests.get(here.base + path, headers={"Accept-Encoding": "identity"}).content)
    with nginx(here.folder) as (pid, base):
        for name, path in paths.items():
            rounds = [(cost(here.folder, here.pid, here.base + path), cost(here.folder, pid, base + path)) for _ in range(3)]
            own, others = (statistics.median(costs) for costs in zip(*rounds))
            report.add(f"{name}, CPU; yardstick: nginx", own * 1e6, "µs", 2, others * 1e6, f"{1 / own:.0f} a second")
    here.stop()


def cost(folder: Path, pid: int, url: str) -> float:
    """Seconds of CPU that an answer takes."""
    before = cpu_seconds(pid)
    sent = load.get_again(folder, url, cpu=1)
    return (cpu_seconds(pid) - before) / sent.requests


@contextmanager
def nginx(folder: Path):
    """Gives the files of the folder on the first processor; its process id and base URL."""
    port = free_port()
    server = f"""listen 127.0.0.1:{port}; root {folder}/files; location = /healthz {{ return 200 "ok\\n"; }}"""
    process = start(nginx_command(folder, server), 0, port)
    try:
        yield process.pid, f"http://127.0.0.1:{port}"
    finally:
        stop(process)
