"""`lanyard-sso native-host` by itself: frames of 32 bits in the machine's byte order and JSON, and nothing else."""

import json
import os
import socket
import struct
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from processes import LANYARD_SSO

HELLO = {"id": 1, "type": "hello", "version": 1}


class Host:
    def __init__(self, socket_path: Path) -> None:
        self.process = subprocess.Popen(
            [LANYARD_SSO, "native-host", "chrome-extension://abc/", "--parent-window=0"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=os.environ | {"LANYARD_SSO_SOCKET": str(socket_path)})

    def send(self, message: Any) -> None:
        self.send_bytes(json.dumps(message).encode())

    def send_bytes(self, data: bytes) -> None:
        self.process.stdin.write(struct.pack("=I", len(data)) + data)
        self.process.stdin.flush()

    def receive(self) -> dict:
        (length,) = struct.unpack("=I", self.process.stdout.read(4))
        assert length <= 1 << 20
        return json.loads(self.process.stdout.read(length))

    def ask(self, message: Any) -> dict:
        self.send(message)
        return self.receive()

    def stop(self) -> None:
        self.process.stdin.close()
        assert self.process.wait(timeout=60) == 0
        assert self.process.stdout.read() == b""


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    """Where no broker is."""
    host = Host(tmp_path / "none.sock")
    yield host
    host.stop()


def test_without_a_broker_it_says_so_at_once(host: Host) -> None:
    hello = host.ask(HELLO)
    assert (hello["type"], hello["id"], hello["version"]) == ("hello", 1, 1)
    answer = host.ask({"id": 2, "type": "request", "url": "https://id.acme.test/"})
    assert (answer["id"], answer["type"], answer["reason"]) == (2, "unavailable", "noBroker")
    # The first attempt decides, and no time that is over.
    assert "nothing listens there" in answer["detail"]
    assert host.ask({"id": 3, "type": "rules"})["reason"] == "noBroker"
    assert host.ask({"id": 4, "type": "answer", "presentation": "x", "action": "cancel"})["reason"] == "noBroker"


def test_another_version_gets_nothing_but_that(host: Host) -> None:
    assert host.ask(HELLO | {"version": 2})["version"] == 1
    assert host.ask({"id": 2, "type": "rules"})["reason"] == "versionMismatch"


def test_hello_comes_first(host: Host) -> None:
    assert host.ask({"id": 2, "type": "rules"})["reason"] == "versionMismatch"


def test_nonsense_is_answered_and_survived(host: Host) -> None:
    host.ask(HELLO)
    for nonsense in (b"", b"{", b"[]", b"\xff\xfe", b'{"type": "rules"}', b'{"id": "a", "type": "rules"}'):
        host.send_bytes(nonsense)
        assert host.receive()["reason"] == "badMessage"
    assert host.ask({"id": 7, "type": "launch"}) | {"detail": ""} == {
        "id": 7, "type": "unavailable", "reason": "badMessage", "detail": ""}
    assert host.ask({"id": 8, "type": "answer", "presentation": "x", "action": "explode"})["reason"] == "badMessage"
    host.send_bytes(b" " * (2 << 20))
    assert host.receive()["reason"] == "tooLarge"
    assert host.ask({"id": 9, "type": "rules"})["reason"] == "noBroker"


def test_a_length_that_is_none_ends_it(tmp_path: Path) -> None:
    host = Host(tmp_path / "none.sock")
    host.process.stdin.write(b"GET / HTTP/1.1\r\n\r\n")
    host.stop()


def test_many_at_once_are_told_apart_and_bounded(tmp_path: Path) -> None:
    """A broker that accepts and says nothing: after a second those that wait are given up, and all together."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(tmp_path / "mute.sock"))
    listener.listen(200)
    kept: list[socket.socket] = []

    def accept() -> None:
        while True:
            try:
                kept.append(listener.accept()[0])
            except OSError:
                return

    thread = threading.Thread(target=accept)
    thread.start()
    host = Host(tmp_path / "mute.sock")
    try:
        host.ask(HELLO)
        for number in range(2, 102):
            host.send({"id": number, "type": "request", "url": f"https://id.acme.test/{number}"})
        answers = [host.receive() for _ in range(100)]
        assert sorted(answer["id"] for answer in answers) == list(range(2, 102))
        # Nobody is refused but while 64 wait. The last refusal came before the first was given up: all had waited at once.
        assert [answer["reason"] for answer in answers] == ["tooManyRequests"] * (100 - 64) + ["noBroker"] * 64
    finally:
        host.stop()
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()
        for connection in kept:
            connection.close()
