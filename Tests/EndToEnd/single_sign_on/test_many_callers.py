"""Load and two users: bounded in time, on sockets of the test's own."""

import json
import os
import shutil
import socket
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest
from broker import BROKER, EXTENSION, TEST_EXTENSION, Device, SocketConnection, body_of, payload, profile, strings
from processes import LANYARD_SSO, Program, wait_until

BASE = "https://id.acme.test/realms/staff"

CALLER = textwrap.dedent(
    """
    import base64, json, socket, sys, http.client

    class Connection(http.client.HTTPConnection):
        def connect(self):
            self.sock = socket.socket(socket.AF_UNIX)
            self.sock.settimeout(60)
            self.sock.connect(sys.argv[1])

    def say(word):
        print(word, flush=True)
        sys.stdin.readline()

    urls = [f"{sys.argv[2]}/echo?{sys.argv[3]}-{number}" for number in range(20)]
    connections = [Connection("localhost") for _ in urls]
    for connection in connections:
        connection.connect()
    say("connected")
    for connection, url in zip(connections, urls):
        connection.request("POST", "/v1/requests", body=json.dumps({"url": url, "presentation": "none"}))
    say("asked")
    outcomes = [json.loads(connection.getresponse().read()) for connection in connections]
    echoes = [json.loads(base64.b64decode(outcome["response"]["body"]))["url"] for outcome in outcomes]
    print(echoes == urls)
    """)


def test_1000_requests_of_50_callers_at_once(device: Device) -> None:
    device.ask(f"{BASE}/page")
    callers = [
        subprocess.Popen([sys.executable, "-c", CALLER, device.socket, BASE, str(number)], stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE, text=True)
        for number in range(50)
    ]
    try:
        # All are connected before the first one asks, and all have asked before the first one reads.
        for word in ("connected", "asked"):
            assert [caller.stdout.readline().strip() for caller in callers] == [word] * 50
            for caller in callers:
                caller.stdin.write("\n")
                caller.stdin.flush()
        assert [caller.communicate(timeout=120)[0].strip() for caller in callers] == ["True"] * 50
    finally:
        for caller in callers:
            caller.kill()
            caller.communicate()
    assert device.get("/v1/status")["extensions"][0]["openRequests"] == 0


def test_a_caller_that_floods_is_turned_away_and_others_are_not(device: Device) -> None:
    waiting = []
    for _ in range(140):
        connection = SocketConnection(device.socket)
        connection.request("POST", "/v1/requests", body=json.dumps({"url": f"{BASE}/never", "presentation": "none"}))
        waiting.append(connection)
    wait_until(
        lambda: device.get("/v1/status")["extensions"][0]["openRequests"] == 128, 20, "as many as one caller may have")
    assert device.ask(f"{BASE}/page")["reason"] == "tooManyRequests"
    answer = subprocess.run(
        ["curl", "-s", "--unix-socket", device.socket, "http://localhost/v1/requests", "-d",
         json.dumps({"url": f"{BASE}/page", "presentation": "none"})], capture_output=True, check=True).stdout
    assert json.loads(answer)["outcome"] == "response"
    for connection in waiting:
        connection.close()
    wait_until(lambda: device.get("/v1/status")["extensions"][0]["openRequests"] == 0, 20, "all are canceled")
    assert device.ask(f"{BASE}/page")["outcome"] == "response"


def test_connections_that_say_nothing_do_not_keep_others_out(device: Device) -> None:
    idle = []
    for _ in range(200):
        connection = SocketConnection(device.socket)
        connection.connect()
        idle.append(connection)
    assert device.ask("https://example.org/", timeout=5)["reason"] == "notCovered"
    for connection in idle:
        connection.close()


def deaf(device: Device, request: bytes) -> socket.socket:
    """A caller that asks, and never reads what it is told."""
    caller = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    caller.connect(str(device.socket))
    caller.sendall(request)
    return caller


@pytest.mark.parametrize("path", ["/v1/log?follow=1", "/v1/events"])
def test_a_follower_that_never_reads_ends_nothing_but_itself(device: Device, path: str) -> None:
    followers = [deaf(device, f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode()) for _ in range(3)]
    # These requests are covered and refused at once, and each is sent to the followers of the log.
    device.domains.apps["saml.acme.test"] = []
    device.post("/v1/domains/refresh", {})
    connection = SocketConnection(device.socket)
    body = json.dumps({"url": "https://saml.acme.test/" + "a" * 200, "presentation": "none"})
    for _ in range(1_500):
        connection.request("POST", "/v1/requests", body=body)
        assert json.loads(connection.getresponse().read())["reason"] == "domainNotApproved"
    if path == "/v1/events":
        for number in range(40):
            identifier = f"test.other.{number % 2}"
            device.install_profile(profile([], identifier), "other")
            # Changes that come too soon after each other are told in one event.
            wait_until(
                lambda: identifier in [entry["identifier"] for entry in device.get("/v1/status")["profiles"]], 20,
                "the change is seen", pause=0.01)
    assert device.program and device.program.process.poll() is None
    assert body_of(device.ask(f"{BASE}/page")) == "<p>hello</p>"
    for follower in followers:
        follower.close()


def resident(device: Device) -> int:
    """The broker's resident memory in kB."""
    assert device.program
    status = Path(f"/proc/{device.program.process.pid}/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:")))


def test_a_caller_that_does_not_read_its_answers_is_not_read(device: Device) -> None:
    device.get("/v1/status")
    before = resident(device)
    caller = deaf(device, b"")
    flood = b"GET /v1/status HTTP/1.1\r\nHost: x\r\n\r\n" * 60_000

    def send() -> None:
        try:
            caller.sendall(flood)
        except OSError:
            pass

    sender = threading.Thread(target=send, daemon=True)
    sender.start()
    for _ in range(500):
        assert device.match("https://example.org/")["isCovered"] is False
        assert sender.is_alive(), "others are answered meanwhile"
    assert resident(device) - before < 20_000
    # A caller that reads late still gets every answer.
    caller.settimeout(30)
    assert caller.recv(1 << 16).startswith(b"HTTP/1.1 200 OK")
    caller.close()
    sender.join(10)


def test_one_caller_s_requests_in_a_row_do_not_hold_up_another_s(device: Device) -> None:
    """They are all read, and answered one a turn."""
    caller = deaf(device, b"GET /v1/status HTTP/1.1\r\nHost: x\r\n\r\n" * 3_000)
    caller.settimeout(60)
    answers = b""
    while (count := answers.count(b"HTTP/1.1 200 OK")) < 3_000:
        # Nobody reads on until the other one has its answer.
        assert device.match("https://example.org/")["isCovered"] is False
        part = caller.recv(1 << 16)
        assert part, f"it ended after {count}"
        answers += part
    assert count == 3_000
    caller.close()


def test_ten_thousand_prefixes_are_loaded_and_found(device: Device) -> None:
    urls = [f"https://id.acme.test/realms/r{number}/" for number in range(10_000)]
    device.install_profile(profile([payload("Redirect", strings("URLs", urls), identifier="test.many.payload")], "test.many"), "many")
    wait_until(lambda: len(device.get("/v1/status")["urls"]) == 10_002, 20, "all are there")
    assert body_of(device.ask("https://id.acme.test/realms/r9999/page")) == "<p>hello</p>"
    assert device.ask("https://id.acme.test/realms/r10000/page")["reason"] == "notCovered"


def test_two_profiles_that_claim_the_same_url(device: Device) -> None:
    device.install_profile(
        profile([payload("Redirect", strings("URLs", ["https://ID.acme.test:443/realms/staff/"]), extension="other.ext",
                         identifier="test.later.payload")], "test.later"), "zz-later")
    faulty = wait_until(
        lambda: [entry for entry in device.get("/v1/status")["profiles"] if entry.get("problem")], 10, "it is refused")
    assert "test.acme.sso" in faulty[0]["problem"] and "realms/staff" in faulty[0]["problem"]
    assert device.ask(f"{BASE}/page")["extension"] == EXTENSION


@pytest.mark.skipif(os.geteuid() != 0, reason="takes two users")
def test_two_users_reach_neither_each_others_broker_nor_data(tmp_path: Path, authority, device: Device) -> None:
    """Both users' brokers run at once, with programs and profiles of the device; each keeps its own count."""
    shared = Path("/tmp") / f"lanyard-two-users-{os.getpid()}"
    shared.mkdir(mode=0o755)
    programs: list[Program] = []
    try:
        for program in [BROKER, LANYARD_SSO, TEST_EXTENSION]:
            shutil.copy(program, shared / program.name)
            (shared / program.name).chmod(0o755)
        shutil.copy(authority.certificate, shared / "ca.pem")
        (shared / "ca.pem").chmod(0o644)
        (shared / "profiles").mkdir(mode=0o755)
        shutil.copy(device.profiles / "acme.mobileconfig", shared / "profiles")
        (shared / "extensions").mkdir(mode=0o755)
        manifest = json.loads((device.extensions / f"{EXTENSION}.json").read_text())
        manifest["executable"] = str(shared / TEST_EXTENSION.name)
        (shared / "extensions" / "acme.json").write_text(json.dumps(manifest))
        for path in shared.rglob("*"):
            path.chmod(0o755 if path.is_dir() or path.parent == shared and path.suffix == "" else 0o644)

        sockets = {}
        groups = {"nobody": "nogroup", "games": "games"}
        for user, group in groups.items():
            home = shared / user
            home.mkdir(mode=0o700)
            shutil.chown(home, user, group)
            sockets[user] = home / "run" / "sso.sock"
            program = Program(
                "setpriv", f"--reuid={user}", f"--regid={group}", "--clear-groups", "--reset-env",
                shared / BROKER.name, "--socket", sockets[user], "--state", home / "state", "--device-profiles",
                shared / "profiles", "--user-profiles", home / "none", "--extensions", shared / "extensions",
                "--extra-roots", shared / "ca.pem", "--domain-port", str(device.domains.port),
                *[f"--domain-address={name}=127.0.0.1" for name in device.domains.apps],
                log=tmp_path / f"{user}.log")
            programs.append(program)
            program.wait_until(lambda: "ready" in program.log_text, 20, f"the broker of {user} is ready")

        def ask(user: str, socket: Path, path: str) -> subprocess.CompletedProcess:
            return subprocess.run(
                ["setpriv", f"--reuid={user}", f"--regid={groups[user]}", "--clear-groups", "curl", "-sS", "--unix-socket", socket,
                 "http://localhost/v1/requests", "-d", json.dumps({"url": f"{BASE}/{path}", "presentation": "none"})],
                capture_output=True, text=True)

        for user in sockets:
            wait_until(
                lambda: json.loads(ask(user, sockets[user], "page").stdout)["outcome"] == "response", 20,
                f"the extension of {user} answers")
        for _ in range(2):
            counts = [body_of(json.loads(ask(user, sockets[user], "count").stdout)) for user in sockets]
        assert [count.split(" in ")[0] for count in counts] == ["2 of 2", "2 of 2"]

        for user, other in [("nobody", "games"), ("games", "nobody")]:
            refused = ask(user, sockets[other], "count")
            assert refused.returncode != 0 and refused.stdout == ""
            listing = subprocess.run(
                ["setpriv", f"--reuid={user}", "--clear-groups", "ls", "-R", shared / other / "state"],
                capture_output=True, text=True)
            assert listing.returncode != 0 and "Permission denied" in listing.stderr
            kept = [path for path in (shared / other / "state").rglob("*") if path.is_file()]
            assert kept and all(path.stat().st_mode & 0o077 == 0 for path in kept), kept
            # The socket between broker and extension is in no folder: there is nothing else to connect to.
    finally:
        for program in programs:
            program.stop()
        shutil.rmtree(shared)
