"""Measures what the extension for Kerberos costs beside MIT Kerberos alone: the answer to a challenge, and a new ticket."""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from report import Report

HERE = Path(__file__).parent
os.environ.setdefault("LANYARD_PROGRAMS", str(HERE.parent / ".build/release"))
# Use the realm and the device of the tests.
sys.path.append(str(HERE.parent / "Tests/EndToEnd"))

REALM, HOST, COUNT = "BENCH.TEST", "intranet.bench.test", 500


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


def answers(report: Report, device, folder: Path) -> None:
    program = folder / "negotiate"
    subprocess.run(
        ["cc", "-O2", "-o", program, HERE / "Negotiate" / "negotiate.c", "-lgssapi_krb5"], check=True)
    plain = subprocess.Popen(
        [program, f"HTTP@{HOST}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env=os.environ | device.environment)

    def by_library() -> None:
        plain.stdin.write("go\n")
        plain.stdin.flush()
        assert len(plain.stdout.readline()) > 1000

    def by_extension() -> None:
        answer = device.broker.ask(
            f"http://{HOST}/", responseCode=401, headers=[["WWW-Authenticate", "Negotiate"]])
        assert answer["outcome"] == "headers", answer

    try:
        own, library = in_turns(by_extension, by_library, COUNT)
    finally:
        plain.stdin.close()
        plain.wait(timeout=10)
    report.add("an answer to Negotiate, beside GSSAPI in C", own * 1e3, "ms", 10, library * 1e3)


def new_tickets(report: Report, device, keytab: Path) -> None:
    environment = os.environ | device.environment | {"KRB5CCNAME": f"FILE:{device.folder}/kinit"}

    def by_kinit() -> None:
        subprocess.run(["kinit", "-k", "-t", keytab, f"device@{REALM}"], env=environment, check=True)

    def by_command() -> None:
        done = device.kerberos("refresh")
        assert done.returncode == 0, done.stderr

    own, kinit = in_turns(by_command, by_kinit, 30)
    report.add("`lanyard-sso kerberos refresh`, beside `kinit -k`", own * 1e3, "ms", 10, kinit * 1e3)


def in_turns(first: Callable[[], None], second: Callable[[], None], count: int) -> tuple[float, float]:
    """The median of each in seconds, by turns, so that other work of the machine meets both."""
    spent: tuple[list[float], list[float]] = ([], [])
    for _ in range(count):
        for work, times in zip((first, second), spent, strict=True):
            start = time.perf_counter()
            work()
            times.append(time.perf_counter() - start)
    return statistics.median(spent[0]), statistics.median(spent[1])
