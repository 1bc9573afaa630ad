"""The broker as it is installed: by systemd's own user manager, for somebody who is not root."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from broker import APP, EXTENSION, TEAM, TEST_EXTENSION, payload, profile, strings
from machine import Machine, machine, why_not
from processes import wait_until

pytestmark = pytest.mark.skipif(bool(why_not()), reason=str(why_not()))

SERVICE, SOCKET = "lanyard-broker.service", "lanyard-broker.socket"


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Machine]:
    """Installed as the guide says, with an extension and a profile, and somebody who has logged in after that."""
    with machine(tmp_path) as device:
        device.root("sh", "-c", f"cd {device.clone()} && packaging/install-device")
        device.root("systemctl", "--global", "enable", SOCKET, SERVICE)
        device.root("install", "--mode=0755", TEST_EXTENSION, "/usr/libexec/lanyard/sso-test-extension")
        manifest = tmp_path / "extension.json"
        manifest.write_text(json.dumps({
            "extensionIdentifier": EXTENSION, "hostAppIdentifier": APP, "teamIdentifier": TEAM,
            "displayName": "Acme Sign-In", "executable": "/usr/libexec/lanyard/sso-test-extension"}))
        device.root("install", "--mode=0644", manifest, f"/usr/share/lanyard/sso/extensions/{EXTENSION}.json")
        acme = tmp_path / "acme.mobileconfig"
        # A credential payload, because it needs no domain's approval: this machine does not trust the tests' authority.
        acme.write_bytes(profile([payload("Credential", strings("Hosts", ["intranet.acme.test"]))]))
        device.root("lanyard-sso", "profile", "install", acme)
        device.start_session(tmp_path / "manager.log")
        yield device


def count(device: Machine) -> tuple[str, int]:
    """How often the extension was asked, as it remembers, and its process."""
    answer = json.loads(device.person(
        "lanyard-sso", "request", "https://intranet.acme.test/count", "--operation", "refresh", "--json").stdout)
    words = base64.b64decode(answer["response"]["body"]).decode().split(" in ")
    return words[0], int(words[1])


def main_process(device: Machine) -> int:
    return int(device.unit(SERVICE, "MainPID"))


def test_the_broker_starts_when_somebody_asks_first(session: Machine) -> None:
    assert session.unit(SOCKET, "SubState") == "listening"
    assert session.unit(SERVICE, "ActiveState") == "inactive"
    for path, mode in [(session.socket, 0o600), (session.socket.parent, 0o700)]:
        owner, shown = session.root("stat", "--format=%u %a", path).stdout.split()
        assert (int(owner), int(shown, 8)) == (session.user, mode)
    status = json.loads(session.person("lanyard-sso", "status", "--json").stdout)
    assert [entry["identifier"] for entry in status["profiles"]] == ["test.acme.sso"]
    assert session.unit(SERVICE, "SubState") == "running"
    assert count(session)[0] == "1 of 1"
    assert session.unit(SERVICE, "Result") == "success"


def test_the_broker_starts_with_the_desktop_before_anybody_asks(session: Machine) -> None:
    assert session.unit(SERVICE, "ActiveState") == "inactive"
    # As a desktop does, which starts the target by a unit of its own.
    session.person("systemd-run", "--user", "--quiet", "--unit=desktop", "--property=BindsTo=graphical-session.target",
                   "--property=Before=graphical-session.target", "sleep", "1000")
    wait_until(lambda: session.unit(SERVICE, "SubState") == "running", 20, "the broker runs")
    assert session.unit("graphical-session.target", "ActiveState") == "active"
    # With the end of the desktop it stays, for whoever is still there.
    session.systemctl("stop", "desktop")
    assert count(session)[0] == "1 of 1" and session.unit(SERVICE, "SubState") == "running"


def test_a_scope_gives_a_program_no_name(session: Machine) -> None:
    """Any program may have the session's manager make one: it counts for programs of the package that brings the app."""
    asking = ["curl", "--silent", "--unix-socket", session.socket, "http://localhost/v1/requests", "--data",
              json.dumps({"url": "https://intranet.acme.test/count", "operation": "refresh", "presentation": "none"})]
    answers = []
    for unit in ("app-gnome-test.acme.Burgers-4711.scope", "app-gnome-test.acme\\x2dtacos-4712.scope"):
        answers.append(session.person(
            "systemd-run", "--user", "--scope", "--quiet", f"--unit={unit}", *asking).stdout)
    answers.append(session.person(*asking).stdout)
    log = json.loads(session.person("lanyard-sso", "log", "--json").stdout)
    assert [entry["caller"] for entry in log] == ["exe:/usr/bin/curl"] * 3
    counts = [base64.b64decode(json.loads(answer)["response"]["body"]).decode().split(" in ")[0] for answer in answers]
    assert counts == ["1 of 1", "2 of 2", "3 of 3"]


def test_a_broker_that_is_killed_is_back_for_the_next_question(session: Machine) -> None:
    _, extension = count(session)
    for times in (2, 3):
        before = main_process(session)
        session.root("kill", "-KILL", str(before))
        # Callers wait in the socket's queue in the meantime, and nothing that was stored is lost.
        counted, successor = count(session)
        assert counted == f"{times} of {times}"
        assert main_process(session) not in (0, before)
        assert successor != extension and not session.is_alive(extension)
        extension = successor
    # Even if nobody asks.
    before = main_process(session)
    session.root("kill", "-KILL", str(before))
    wait_until(lambda: main_process(session) not in (0, before), 10, "it is back")


def test_a_stop_takes_the_extensions_with_it_and_the_next_question_starts_all_anew(session: Machine) -> None:
    _, extension = count(session)
    broker = main_process(session)
    session.systemctl("stop", SERVICE)
    assert session.unit(SERVICE, "Result") == "success"
    assert not session.is_alive(broker) and not session.is_alive(extension)
    assert session.unit(SOCKET, "SubState") == "listening"
    assert count(session)[0] == "2 of 2"
    # With the socket stopped too, nothing starts the broker, and callers are told so at once.
    session.systemctl("stop", SOCKET, SERVICE)
    assert session.root("test", "-e", session.socket, check=False).returncode == 1
    assert "lanyard-broker" in session.person("lanyard-sso", "status", check=False).stderr


def test_a_new_broker_takes_the_place_of_the_old_one_between_two_requests(session: Machine, tmp_path: Path) -> None:
    """An upgrade of the package sends the signal."""
    _, extension = count(session)
    broker = main_process(session)

    def upgrade() -> None:
        session.systemctl("kill", "--kill-whom=main", "--signal=HUP", SERVICE)

    def is_open() -> bool:
        status = json.loads(session.person("lanyard-sso", "status", "--json").stdout)
        return any(entry["openRequests"] for entry in status["extensions"])

    # Whoever waits gets the answer, and others are served meanwhile.
    asking = session.start_person(
        "lanyard-sso", "request", "https://intranet.acme.test/wait?3", "--operation", "refresh", "--json",
        log=tmp_path / "asking.log")
    wait_until(is_open, 10, "the request is open")
    upgrade()
    assert count(session) == ("2 of 2", extension) and main_process(session) == broker
    assert asking.wait(timeout=20) == 0, (tmp_path / "asking.log").read_text()
    wait_until(lambda: main_process(session) not in (0, broker), 10, "another broker is there")
    assert not session.is_alive(extension) and count(session)[0] == "3 of 3"
    assert session.unit(SERVICE, "Result") == "success"
    # Where nobody waits it goes at once, and the socket keeps whoever asks then.
    for times in range(4, 9):
        broker = main_process(session)
        upgrade()
        assert count(session)[0] == f"{times} of {times}"
        wait_until(lambda was=broker: main_process(session) not in (0, was), 10, "another broker is there")
    # Whoever tells it to stop while somebody waits is heard, and no other one starts by itself.
    asking = session.start_person(
        "lanyard-sso", "request", "https://intranet.acme.test/wait?30", "--operation", "refresh", "--json",
        log=tmp_path / "asking-again.log")
    wait_until(is_open, 10, "the request is open")
    upgrade()
    session.systemctl("kill", "--kill-whom=main", "--signal=TERM", SERVICE)
    wait_until(lambda: session.unit(SERVICE, "ActiveState") == "inactive", 20, "the broker has ended")
    assert asking.wait(timeout=20) != 0
    assert session.unit(SERVICE, "ActiveState") == "inactive" and session.unit(SERVICE, "Result") == "success"


@pytest.mark.parametrize("is_first", [True, False], ids=["desktop-first", "broker-first"])
def test_a_browser_that_shows_a_page_outlives_the_broker(session: Machine, tmp_path: Path, is_first: bool) -> None:
    opener = tmp_path / "xdg-open"
    opener.write_text('#!/bin/sh\nsleep 1000 &\necho "$1 $! $DISPLAY" > "$XDG_RUNTIME_DIR/page"\n')
    session.root("install", "--mode=0755", opener, "/usr/bin/xdg-open")
    if not is_first:
        # Somebody has asked before there was a desktop: a shell's git, over ssh.
        session.person("lanyard-sso", "status")
        refused = session.person(
            "lanyard-sso", "request", "https://intranet.acme.test/login", "--operation", "login", check=False)
        assert refused.returncode != 0 and "There is no desktop" in refused.stdout + refused.stderr
    # As a desktop tells the session's manager that it is there.
    session.systemctl("set-environment", "DISPLAY=:0")
    asking = session.start_person(
        "lanyard-sso", "request", "https://intranet.acme.test/login", "--operation", "login", log=tmp_path / "asking.log")
    page = wait_until(
        lambda: session.person("cat", session.runtime / "page", check=False).stdout.split(), 20, "a page is opened")
    assert page[0].startswith("http://127.0.0.1:") and session.is_alive(int(page[1])) and page[2] == ":0"
    session.systemctl("stop", SERVICE)
    assert asking.wait(timeout=60) != 0
    assert session.is_alive(int(page[1]))


def test_a_logout_ends_everything(session: Machine) -> None:
    _, extension = count(session)
    broker = main_process(session)
    session.systemctl("exit")
    session.manager.wait(timeout=20)
    wait_until(lambda: not session.is_alive(broker) and not session.is_alive(extension), 5, "all is ended")


def test_whoever_is_not_root_delivers_no_profile(session: Machine) -> None:
    before = session.person("lanyard-sso", "profile", "list", "--json").stdout
    for further in ([], ["--user"]):
        session.person("cp", "/etc/lanyard/sso/profiles/test.acme.sso.mobileconfig", "/run/home/mine.mobileconfig")
        refused = session.person("lanyard-sso", "profile", "install", *further, "/run/home/mine.mobileconfig", check=False)
        assert refused.returncode != 0 and refused.stderr, (further, refused.stdout)
    assert session.person("lanyard-sso", "profile", "list", "--json").stdout == before
    assert session.person("lanyard-sso", "profile", "remove", "test.acme.sso", check=False).returncode != 0
    assert count(session)[0] == "1 of 1"
    session.root("lanyard-sso", "profile", "remove", "test.acme.sso")
    wait_until(
        lambda: json.loads(session.person("lanyard-sso", "status", "--json").stdout)["profiles"] == [], 10,
        "the broker has noticed")
