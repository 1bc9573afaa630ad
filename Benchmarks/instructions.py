"""Counts the instructions that a request costs the server. Other programs on the machine change nothing about that number, so a
change of three per cent shows, which it does not in times. `LANYARD_CALLGRIND` names a folder for the profiles, which
`callgrind_annotate --inclusive=yes` reads.

Callgrind counts, as the kernel counts no instructions in most virtual machines. It runs the server about fifty times slower, on a
processor of its own making that has AVX2 and nothing newer, so the numbers are alike on all machines that have AVX2.
"""

import http.client
import math
import os
import re
import shutil
import subprocess
from collections import Counter
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import requests

from installation import CLIENT, LANYARD, Installation
from report import Report

# What each request cost when it was measured last, in thousands of instructions (2026-11-30). One may cost 5 % more. Whoever makes one
# cheaper, or measures one that is not here yet, writes it down.
RECORDED = {
    "a code exchange": 1_150, "/healthz": 45, "keys": 54, "keys that the client has already": 103, "discovery": 47,
    "association file": 46, "style sheet": 69, "sign-in page": 723, "a refresh": 602, "a roster page of 100 people": 3_560,
}
TOLERANCE = 1.05
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def bench_instructions(report: Report, folder: Path):
    """Instructions of the server for a request, without those of libcrypto, in which a signature is the same for everybody."""
    here = Installation(folder / "instructions")
    here.folder.mkdir()
    here.set_up()
    here.lanyard("import", str(here.sample("files", 2_000, 100, 20)))
    here.serve()
    browser = here.sign_in()
    secret = here.client_secret()
    tokens = here.exchange(requests.Session(), secret, here.code(browser))
    codes = [here.code(browser) for _ in range(60)]
    page = requests.get(here.base + "/sign-in")
    style = re.search(r'href="(/[^"]+\.css)"', page.text).group(1)
    keys_tag = requests.get(here.base + "/oidc/keys").headers["ETag"]
    here.stop()

    refresh = here.token_form(secret, grant_type="refresh_token", refresh_token=tokens["refresh_token"])
    roster = {"Authorization": f"Bearer {tokens['access_token']}"}
    token_path = "/auth/oauth2/v2/token"
    thousands = {}
    with Counted(here) as server:
        for name, count, requested in (
            # First, because codes expire.
            ("a code exchange", 30, lambda: ("POST", token_path, here.exchange_form(secret, codes.pop()), FORM)),
            ("/healthz", 200, lambda: ("GET", "/healthz")),
            ("keys", 200, lambda: ("GET", "/oidc/keys")),
            ("keys that the client has already", 200, lambda: ("GET", "/oidc/keys", None, {"If-None-Match": keys_tag})),
            ("discovery", 200, lambda: ("GET", "/.well-known/openid-configuration")),
            ("association file", 200, lambda: ("GET", "/.well-known/apple-app-site-association")),
            ("style sheet", 200, lambda: ("GET", style)),
            ("sign-in page", 60, lambda: ("GET", "/sign-in")),
            ("a refresh", 60, lambda: ("POST", token_path, refresh, FORM)),
            ("a roster page of 100 people", 30, lambda: ("GET", "/rosterapi/v1/users?limit=100", None, roster)),
        ):
            thousands[name] = server.instructions(requested, count) / 1_000
            recorded = RECORDED.get(name)
            report.add(f"{name}, instructions", thousands[name], "thousand", TOLERANCE if recorded else math.inf, recorded)
        # Nobody pays for those who are silent.
        with server.silent_connections(800):
            beside = server.instructions(lambda: ("POST", token_path, refresh, FORM), 60) / 1_000
        report.add(
            "a refresh beside 800 silent connections, instructions; yardstick: alone", beside, "thousand", TOLERANCE,
            thousands["a refresh"])


class Counted:
    """A server under callgrind, and one connection to it."""

    def __init__(self, here: Installation):
        self.here = here
        self.profiles = here.folder / "profiles"

    def __enter__(self):
        self.profiles.mkdir()
        # Valgrind 3.19 cannot read the debug information of Swift.
        program = self.here.folder / "lanyard"
        subprocess.run(["objcopy", "--strip-debug", LANYARD, str(program)], check=True)
        self.here.serve(program=(
            "env", f"LD_PRELOAD={self.writable_mask()}", "valgrind", "--tool=callgrind", "-q",
            f"--callgrind-out-file={self.profiles}/%p", str(program)))
        self.connection = http.client.HTTPConnection("127.0.0.1", urlsplit(self.here.base).port)
        return self

    def __exit__(self, *_):
        self.connection.close()
        self.here.stop()
        if folder := os.environ.get("LANYARD_CALLGRIND"):
            shutil.copytree(self.profiles, folder, dirs_exist_ok=True)

    def writable_mask(self) -> Path:
        """A library with another `sigsuspend`: Valgrind writes into the mask that it is given, and that of libdispatch is constant."""
        library = self.here.folder / "sigsuspend.so"
        source = b"""
            #define _GNU_SOURCE
            #include <signal.h>
            #include <sys/syscall.h>
            #include <unistd.h>
            int sigsuspend(const sigset_t *mask) {
                sigset_t copy = *mask;
                return syscall(SYS_rt_sigsuspend, &copy, 8);
            }
            """
        subprocess.run(["clang", "-shared", "-fPIC", "-x", "c", "-o", str(library), "-"], input=source, check=True)
        return library

    def instructions(self, requested, count: int) -> float:
        """Of one request, the mean of `count` after a third as many that are not counted.

        `requested`: makes the method and the path, and perhaps the body and the headers.
        """
        for _ in range(count // 3):
            self.send(*requested())
        self.dump()
        for _ in range(count):
            self.send(*requested())
        return sum(
            cost for library, cost in self_costs(self.dump()).items() if not library.startswith("libcrypto")) / count

    @contextmanager
    def silent_connections(self, count: int):
        """Each has asked for something once."""
        port = urlsplit(self.here.base).port
        with ExitStack() as stack:
            for _ in range(count):
                connection = stack.enter_context(closing(http.client.HTTPConnection("127.0.0.1", port)))
                connection.request("GET", "/healthz")
                connection.getresponse().read()
            yield

    def send(self, method: str, path: str, body: str | None = None, headers: dict | None = None):
        self.connection.request(method, path, body, headers or {})
        answer = self.connection.getresponse()
        content = answer.read()
        if answer.status not in (200, 304):
            raise RuntimeError(f"{method} {path}: {answer.status} {content}")

    def dump(self) -> Path:
        """Has the counts written into a file, and begins again at zero."""
        subprocess.run(["vgdb", f"--pid={self.here.pid}", "dump"], check=True, capture_output=True)
        return max(self.profiles.iterdir(), key=lambda path: int(path.suffix[1:] or 0))


def self_costs(profile: Path) -> Counter:
    """The instructions of each library or program. The format is that of “Callgrind Format Specification” in Valgrind's manual."""
    names, costs = {}, Counter()
    library, is_call = "", False
    for line in profile.open():
        if found := re.match(r"ob=\((\d+)\)(?: (.*))?", line):
            number, path = found.groups()
            if path:
                names[number] = Path(path).name
            library = names[number]
        elif found := re.match(r"cob=\((\d+)\) (.*)", line):
            names[found.group(1)] = Path(found.group(2)).name
        elif line.startswith("calls="):
            is_call = True  # The next line is what the function called costs, which is counted there.
        elif re.match(r"[\d+*-]", line):
            if not is_call:
                costs[library] += int(line.split()[1])
            is_call = False
    return costs
