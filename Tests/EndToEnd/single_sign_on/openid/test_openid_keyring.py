"""Where the key of what is saved is: in the desktop's keyring, if there is one."""

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from processes import Program, wait_until
from school import Member
from single_sign_on.openid.person import types
from single_sign_on.openid.extension import EXTENSION, Extension

# Without services that the bus starts itself.
CONFIGURATION = """
<busconfig>
<type>session</type>
<listen>{address}</listen>
<auth>EXTERNAL</auth>
<policy context="default">
<allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
</policy>
</busconfig>
"""

Start = Callable[..., Extension]


class Keyring:
    """A session bus of its own with GNOME's keyring on it."""

    def __init__(self, folder: Path):
        self.folder = folder
        socket_file = folder / "bus"
        self.address = f"unix:path={socket_file}"
        configuration = folder / "bus.conf"
        configuration.write_text(CONFIGURATION.format(address=self.address))
        self.bus = Program("dbus-daemon", "--nofork", f"--config-file={configuration}", log=folder / "bus.log")
        self.bus.wait_until(socket_file.exists, 10, "the bus is ready")
        self.daemon: subprocess.Popen | None = None

    @property
    def environment(self) -> dict[str, str]:
        return {"DBUS_SESSION_BUS_ADDRESS": self.address}

    def start(self, password: str | None = "of-the-login") -> None:
        """Unlocked, as a login does it; with None it stays locked."""
        unlock = ["--unlock"] if password else []
        self.daemon = subprocess.Popen(
            ["gnome-keyring-daemon", "--foreground", "--components=secrets", *unlock], stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
            env=os.environ | self.environment | {
                "HOME": str(self.folder), "XDG_DATA_HOME": str(self.folder), "XDG_RUNTIME_DIR": str(self.folder),
                "XDG_CACHE_HOME": str(self.folder)})
        self.daemon.stdin.write((password or "").encode())
        self.daemon.stdin.close()
        wait_until(self.is_there, 10, "the keyring is on the bus")

    def is_there(self) -> bool:
        reply = subprocess.run(
            ["dbus-send", f"--bus={self.address}", "--dest=org.freedesktop.DBus", "--print-reply", "/",
             "org.freedesktop.DBus.NameHasOwner", "string:org.freedesktop.secrets"], capture_output=True, text=True)
        return "boolean true" in reply.stdout

    def stop(self) -> None:
        if self.daemon:
            self.daemon.send_signal(signal.SIGTERM)
            self.daemon.wait(timeout=60)
            self.daemon = None
            wait_until(lambda: not self.is_there(), 10, "the keyring is gone")


@pytest.fixture
def keyring(tmp_path: Path) -> Iterator[Keyring]:
    folder = tmp_path / "desktop"
    folder.mkdir(mode=0o700)
    keyring = Keyring(folder)
    try:
        yield keyring
    finally:
        try:
            keyring.stop()
        finally:
            keyring.bus.stop()


def test_the_key_is_in_the_keyring_and_not_on_the_disk(
    start_extension: Start, keyring: Keyring, issuer: str, options: dict, member: Member
) -> None:
    keyring.start()
    first = start_extension(**keyring.environment)
    token = first.ask(issuer, "login", person=types(member), options=options).json["access_token"]
    first.kill()
    assert not (first.data / "key").exists()
    assert "no Secret Service" not in first.log.read_text()
    again = start_extension(**keyring.environment)
    assert again.ask(issuer, "refresh", options=options).json["access_token"] == token
    status = subprocess.run(
        [EXTENSION, "status", "--data", first.data], env=os.environ | keyring.environment, capture_output=True,
        text=True)
    assert "in the desktop's keyring" in status.stdout
    assert "A web session is saved." in status.stdout


def test_while_the_keyring_is_gone_people_sign_in_and_nothing_saved_is_lost(
    start_extension: Start, keyring: Keyring, issuer: str, options: dict, member: Member
) -> None:
    keyring.start()
    first = start_extension(**keyring.environment)
    token = first.ask(issuer, "login", person=types(member), options=options).json["access_token"]
    first.stop()
    keyring.stop()

    without = start_extension(**keyring.environment)
    assert without.ask(issuer, "refresh", options=options).kind == "failed"
    assert without.ask(issuer, "login", person=types(member), options=options).status == 200
    assert "locked or not running" in without.log.read_text()
    without.stop()

    keyring.start()
    later = start_extension(**keyring.environment)
    assert later.ask(issuer, "refresh", options=options).json["access_token"] == token


def test_a_keyring_that_does_not_answer_is_not_waited_for(
    start_extension: Start, keyring: Keyring, issuer: str, options: dict, member: Member
) -> None:
    keyring.start()
    os.kill(keyring.daemon.pid, signal.SIGSTOP)
    try:
        extension = start_extension(**keyring.environment)
        # D-Bus waits for 25 seconds where nobody sets a limit.
        answer = extension.ask(issuer, "login", person=types(member), options=options, timeout=20)
        assert answer.status == 200
        assert "no Secret Service is open here" in extension.log.read_text()
    finally:
        os.kill(keyring.daemon.pid, signal.SIGCONT)
