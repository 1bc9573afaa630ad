"""Measures the broker of single sign-on: round trips, the start of an extension, and its costs while it is idle."""

import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path

from nginx import nginx_command
from report import Report

HERE = Path(__file__).parent
os.environ.setdefault("LANYARD_PROGRAMS", str(HERE.parent / ".build/release"))
# Use the simulated device of the tests.
for folder in ["Tests/EndToEnd", "Tests/EndToEnd/single_sign_on"]:
    sys.path.append(str(HERE.parent / folder))

COVERED = "https://id.acme.test/realms/staff/page"


def bench_broker(report: Report, folder: Path):
    from broker import Authority, Device, Domains, payload, profile, strings

    authority = Authority(folder / "authority")
    domains = Domains(authority, "id.acme.test")
    device = Device(folder / "device", authority, domains)
    device.install_extension()
    device.install_profile(
        profile([payload("Redirect", strings("URLs", ["https://id.acme.test/realms/staff/"]))]))
    device.start("--idle", "1")
    try:
        device.wait_for_domains()
        own, resident, switches = idle(device.program.process.pid)
        report.add("idle broker, memory of its own", own, "MiB", 25)
        report.add("idle broker, resident, pages of its program included", resident, "MiB", 25)
        report.add("idle broker, wake-ups in 10 s", switches, "", 0)
        report.add("the first request after that", round_trips(device.socket, question("https://example.org/"), 1) / 1e3, "ms", 50)
        uncovered = question("https://example.org/a/page")
        report.add("a request that no profile covers, p50", round_trips(device.socket, uncovered), "µs", 150)
        own, others = beside(device, uncovered, nginx(folder), b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        report.add("the same on one processor, beside nginx answering 204", own, "µs", 5, others)
        own, others = beside(device, uncovered, hummingbird(folder), uncovered)
        report.add("the same, beside Hummingbird answering that request", own, "µs", 1, others)
        device.ask(COVERED)
        report.add("a silent answer of a running extension, p50", round_trips(device.socket, question(COVERED)), "µs", 1_000)
        report.add("the same, the extension started first", cold_start(device), "ms", 50)
        command = HERE.parent / ".build/device/lanyard-sso"
        report.add("lanyard-sso as it is installed, size", command.stat().st_size / 1e6, "MB", 25)
        report.add("`lanyard-sso status`, from its start to its end, p50", runs(command, device.socket), "ms", 20)
    finally:
        device.stop()
        domains.close()


def beside(device, request: bytes, other, others_request: bytes) -> tuple[float, float]:
    """Round trips to the broker and to another server, in turns on one processor, in microseconds. Ends the other one."""
    try:
        with one_cpu(device.program.process.pid, other.pid):
            rounds = [
                (round_trips(device.socket, request), round_trips(other.socket, others_request)) for _ in range(5)]
    finally:
        other.stop()
    return statistics.median(own for own, _ in rounds), statistics.median(others for _, others in rounds)


def runs(command: Path, broker: Path) -> float:
    """Milliseconds of `status`, the median of 40 runs."""
    times = []
    for _ in range(40):
        start = time.perf_counter()
        subprocess.run(
            [command, "status"], env=os.environ | {"LANYARD_SSO_SOCKET": str(broker)}, stdout=subprocess.DEVNULL, check=True)
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


@contextmanager
def one_cpu(*pids: int):
    """Keeps this process and others on one processor: their placement would have more effect than what they do."""
    threads = [int(thread.name) for pid in (os.getpid(), *pids) for thread in Path(f"/proc/{pid}/task").iterdir()]
    before = {thread: os.sched_getaffinity(thread) for thread in threads}
    for thread in threads:
        os.sched_setaffinity(thread, {min(before[thread])})
    try:
        yield
    finally:
        for thread, cpus in before.items():
            with suppress(ProcessLookupError):
                os.sched_setaffinity(thread, cpus)


def question(url: str) -> bytes:
    body = json.dumps({"url": url, "presentation": "none"}).encode()
    return b"POST /v1/requests HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body) + body


def round_trips(path, request: bytes, count: int = 5_000) -> float:
    """The median of a round trip over one connection, in microseconds."""
    with socket.socket(socket.AF_UNIX) as peer:
        peer.connect(str(path))
        spent = []
        for _ in range(count):
            start = time.perf_counter()
            peer.sendall(request)
            answer = peer.recv(65_536)
            while not is_whole(answer):
                answer += peer.recv(65_536)
            spent.append(time.perf_counter() - start)
    return sorted(spent)[count // 2] * 1e6


def is_whole(answer: bytes) -> bool:
    head, separator, body = answer.partition(b"\r\n\r\n")
    if not separator:
        return False
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return len(body) >= int(line.split(b":")[1])
    return True


def cold_start(device) -> float:
    """The median of requests for which the extension has to be started, in milliseconds."""
    spent = []
    for _ in range(9):
        # Wait until the extension is unloaded, after a second without a request.
        while device.get("/v1/status")["extensions"][0].get("processIdentifier"):
            time.sleep(0.05)
        time.sleep(0.2)
        start = time.perf_counter()
        outcome = device.ask(COVERED)
        spent.append(time.perf_counter() - start)
        assert outcome["outcome"] == "response", outcome
    return sorted(spent)[len(spent) // 2] * 1e3


def idle(pid: int) -> tuple[float, float, int]:
    """Private and resident memory of the process in MiB, and how often its threads woke up in ten seconds."""
    # Twenty seconds after the last request the process returns unused memory to the system.
    time.sleep(30)
    before = wake_ups(pid)
    time.sleep(10)
    after = wake_ups(pid)
    switches = sum(after[thread] - before.get(thread, 0) for thread in after)
    status = dict(
        line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":" in line)
    return (int(status["RssAnon"].split()[0]) / 1024, int(status["VmRSS"].split()[0]) / 1024, switches)


def wake_ups(pid: int) -> dict[str, int]:
    counts = {}
    for thread in Path(f"/proc/{pid}/task").iterdir():
        for line in (thread / "status").read_text().splitlines():
            if line.startswith("voluntary_ctxt_switches"):
                counts[thread.name] = int(line.split()[1])
    return counts


class Neighbour:
    """Another server on a Unix socket, as the yardstick."""

    def __init__(self, socket: Path, command: list[str | Path]):
        self.socket = socket
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.pid = self._process.pid
        deadline = time.monotonic() + 10
        while not self.socket.exists():
            if time.monotonic() > deadline:
                raise RuntimeError(f"{command[0]} did not start")
            time.sleep(0.02)

    def stop(self) -> None:
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(timeout=10)


def nginx(folder: Path) -> Neighbour:
    """A server that only answers requests."""
    listening = folder / "nginx.sock"
    return Neighbour(listening, nginx_command(folder, f"listen unix:{listening}; return 204;"))


def hummingbird(folder: Path) -> Neighbour:
    """A server on the library that the server uses, which reads the broker's request."""
    listening = folder / "hummingbird.sock"
    return Neighbour(listening, [Path(os.environ["LANYARD_PROGRAMS"]) / "hummingbird-benchmark", listening])
