"""Measures what Kerberos costs beside MIT's library and programs alone: the answer to a challenge and a new ticket on a device,
and a sign-in with a ticket at the server."""

import base64
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import quote

import requests
from installation import Installation
from measure import cpu_seconds
from report import Report

HERE = Path(__file__).parent
os.environ.setdefault("LANYARD_PROGRAMS", str(HERE.parent / ".build/release"))
# Use the realm and the device of the tests.
sys.path.append(str(HERE.parent / "Tests/EndToEnd"))

REALM, HOST, COUNT, PASSWORD = "BENCH.TEST", "intranet.bench.test", 500, "correct-horse-1"


def bench_kerberos(report: Report, folder: Path):
    """The yardsticks are a program in C that calls GSSAPI for each line, and `kinit`, with the same tickets and KDC."""
    from kerberos.kdc import Realm
    from kerberos.signed_in_device import RealmDevice

    folder = folder / "kerberos"
    folder.mkdir()
    with ExitStack() as stack:
        realm = stack.enter_context(Realm(folder / "realm", REALM))
        realm.keytab(f"HTTP/{HOST}")
        device = RealmDevice(folder, realm, hosts=(HOST,))
        # A device that signs in by itself: a new ticket takes the extension one question to the KDC, as it does `kinit`.
        keys = folder / "config" / "lanyard" / "sso" / "kerberos"
        keys.mkdir(parents=True)
        realm.keytab("device", file="device.keytab").rename(keys / f"{REALM}.keytab")
        device.set_data("<key>principalName</key><string>device</string>", hosts=(HOST,))
        stack.enter_context(device.running())
        refreshed = device.broker.ask(f"sso-realm:{REALM}", operation="refresh")
        assert refreshed["outcome"] == "response", refreshed
        answers(report, device, folder)
        new_tickets(report, device, keys / f"{REALM}.keytab")
        beginnings(report, device)
        sign_ins(report, realm, folder)


@contextmanager
def tokens(folder: Path, host: str, environment: dict[str, str]):
    """A program in C that answers each line with a token for the host, in hexadecimal digits; a call returns one."""
    program = folder / "negotiate"
    subprocess.run(
        ["cc", "-O2", "-o", program, HERE / "Negotiate" / "negotiate.c", "-lgssapi_krb5"], check=True)
    plain = subprocess.Popen(
        [program, f"HTTP@{host}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=os.environ | environment)

    def token() -> str:
        plain.stdin.write("go\n")
        plain.stdin.flush()
        digits = plain.stdout.readline().strip()
        assert len(digits) > 1000
        return digits

    try:
        yield plain.pid, token
    finally:
        plain.stdin.close()
        plain.wait(timeout=10)


def answers(report: Report, device, folder: Path) -> None:
    """By turns: the difference of two medians, and the CPU of broker and extension together beside that of the program in C."""

    question = json.dumps(
        {"url": f"http://{HOST}/", "presentation": "none", "responseCode": 401, "headers": [["WWW-Authenticate", "Negotiate"]]})
    # Sent as bytes: Python's HTTP and JSON would be a quarter of what is measured.
    request = (
        "POST /v1/requests HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        f"Content-Length: {len(question)}\r\n\r\n{question}").encode()

    def by_extension() -> None:
        with socket.socket(socket.AF_UNIX) as caller:
            caller.connect(str(device.broker.socket))
            caller.sendall(request)
            answer = b""
            while part := caller.recv(65_536):
                answer += part
        assert b'"outcome":"headers"' in answer, answer

    with tokens(folder, HOST, device.environment) as (library_pid, by_library):
        by_extension()
        by_library()
        pids = [device.broker.program.process.pid, extension_of(device)]
        before = sum(map(cpu_seconds, pids)), cpu_seconds(library_pid)
        own, library = in_turns(by_extension, by_library, COUNT)
        after = sum(map(cpu_seconds, pids)), cpu_seconds(library_pid)
    report.add("an answer to Negotiate, above GSSAPI in C", (own - library) * 1e3, "ms", 1)
    spent, plain = ((end - start) / COUNT for start, end in zip(before, after))
    report.add("an answer to Negotiate, CPU of broker and extension, beside GSSAPI in C", spent * 1e3, "ms", 1.3, plain * 1e3)


def extension_of(device) -> int:
    """The process of the extension, which runs now."""
    [extension] = device.broker.get("/v1/status")["extensions"]
    return extension["processIdentifier"]


def new_tickets(report: Report, device, keytab: Path) -> None:
    environment = os.environ | device.environment | {"KRB5CCNAME": f"FILE:{device.folder}/kinit"}

    def by_kinit() -> None:
        subprocess.run(["kinit", "-k", "-t", keytab, f"device@{REALM}"], env=environment, check=True)

    def by_command() -> None:
        done = device.kerberos("refresh")
        assert done.returncode == 0, done.stderr

    own, kinit = in_turns(by_command, by_kinit, 30)
    report.add("`lanyard-sso kerberos refresh`, beside `kinit -k`", own * 1e3, "ms", 10, kinit * 1e3)


def beginnings(report: Report, device) -> None:
    """An answer for which the extension has to be started, beside one of an extension that runs."""

    def ask() -> float:
        start = time.perf_counter()
        assert device.broker.ask(f"sso-realm:{REALM}", operation="status")["outcome"] == "response"
        return time.perf_counter() - start

    first, later = [], []
    for _ in range(9):
        # Killed, so that nothing of it is left that would make the next start shorter.
        os.kill(extension_of(device), signal.SIGKILL)
        while device.broker.get("/v1/status")["extensions"][0].get("processIdentifier"):
            time.sleep(0.02)
        first.append(ask())
        later.append(ask())
    report.add(
        "a start of the extension", (statistics.median(first) - statistics.median(later)) * 1e3, "ms", 50)


def sign_ins(report: Report, realm, folder: Path) -> None:
    """A sign-in with a ticket at the server, above one of a browser that has signed in before."""
    from processes import free_port

    keytab = realm.keytab("HTTP/localhost", file="web.keytab")
    here = Installation(folder / "server")
    here.folder.mkdir()
    here.set_up()
    # Nobody may sign in by tickets as often as this measures.
    people = [realm.person(f"person{number}") for number in range(20)]
    for person in people:
        realm.add(person.name, PASSWORD)
        assert person.kinit(PASSWORD).returncode == 0
        here.lanyard(
            "person", "add", "--first-name", "Ana", "--last-name", "Ruiz", "--role", "instructor", "--user-name",
            f"{person.name}@bench.example")
    here.lanyard("org", "realm", "set", REALM, "--matching", "user-name", "--domain", "bench.example")
    here.environment = here.environment | {
        "KRB5_CONFIG": str(realm.settings), "LANYARD_KERBEROS_KEYTAB": str(keytab)}
    port = free_port()
    here.serve(port=port, base_url=f"http://localhost:{port}")
    try:
        here.base = f"http://localhost:{port}"
        known = here.sign_in()
        # Browsers on Linux are asked for a ticket.
        agent = {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"}
        browser = requests.Session()
        browser.headers.update(agent)
        url = f"{here.base}/sign-in?continue={quote('/account')}"
        door = browser.get(url, allow_redirects=False).headers["Location"]
        cookie = browser.cookies["lanyard-browser"]
        # Made before, so that only the server's work counts; each is taken once.
        ready = []
        for person in people:
            with tokens(folder, "localhost", person.environment) as (_, token):
                ready += [token() for _ in range(3)]
        with requests.Session() as client:
            client.headers.update(agent)

            def by_ticket() -> None:
                header = "Negotiate " + base64.b64encode(bytes.fromhex(ready.pop())).decode()
                client.cookies.clear()
                answer = client.get(
                    door, headers={"Authorization": header, "Cookie": f"lanyard-browser={cookie}"}, allow_redirects=False)
                assert answer.status_code == 303 and "lanyard-session" in answer.headers["Set-Cookie"], answer.text

            def by_session() -> None:
                answer = known.get(url, allow_redirects=False)
                assert answer.status_code == 303, answer.text

            ticket, session = in_turns(by_ticket, by_session, len(ready))
        report.add("a sign-in with a ticket, above one with a session", (ticket - session) * 1e3, "ms", 2)
    finally:
        here.stop()


def in_turns(first: Callable[[], None], second: Callable[[], None], count: int) -> tuple[float, float]:
    """The median of each in seconds, by turns, so that other work of the machine meets both."""
    spent: tuple[list[float], list[float]] = ([], [])
    for _ in range(count):
        for work, times in zip((first, second), spent, strict=True):
            start = time.perf_counter()
            work()
            times.append(time.perf_counter() - start)
    return statistics.median(spent[0]), statistics.median(spent[1])
