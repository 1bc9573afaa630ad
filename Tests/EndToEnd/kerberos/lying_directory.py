"""Directories of a domain (LDAP, RFC 4511) that sign somebody in by a ticket and then say what no honest one says, each at a port of
its own; and one that is honest. It runs with Debian's Python, which has GSSAPI.

Usage: lying_directory.py KEYTAB FILE: writes the names and ports of all as JSON when they listen.
"""

import json
import os
import random
import socket
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import gssapi

PERSON = {"userPrincipalName": "ana@school.test", "homeDirectory": r"\\files\home\ana", "pwdLastSet": "132000000000000000"}
# What a directory says, and how it is damaged.
Damage = Callable[[bytes], bytes]


def element(tag: int, content: bytes) -> bytes:
    count = len(content)
    if count < 0x80:
        return bytes([tag, count]) + content
    return bytes([tag, 0x84]) + count.to_bytes(4, "big") + content


def read(data: bytes) -> tuple[int, bytes, bytes]:
    """The tag and the content of the first element, and what follows it."""
    length, start = data[1], 2
    if length & 0x80:
        start += length & 0x7F
        length = int.from_bytes(data[2:start], "big")
    return data[0], data[start:start + length], data[start + length:]


def message(number: bytes, operation: bytes) -> bytes:
    return element(0x30, element(0x02, number) + operation)


def result(tag: int, code: int, more: bytes = b"") -> bytes:
    return element(tag, element(0x0A, bytes([code])) + element(0x04, b"") + element(0x04, b"") + more)


def entry(attributes: dict[str, str]) -> bytes:
    return element(0x64, element(0x04, b"CN=Ana") + element(0x30, b"".join(
        element(0x30, element(0x04, name.encode()) + element(0x31, element(0x04, value.encode())))
        for name, value in attributes.items())))


def mutated(seed: int) -> Damage:
    """Changes, cuts off, and repeats bytes anywhere."""
    def damage(said: bytes) -> bytes:
        chance = random.Random(seed)
        data = bytearray(said)
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(data))
            match chance.randrange(4):
                case 0: data[at] ^= 1 << chance.randrange(8)
                case 1: data[at] = chance.choice((0x00, 0x7F, 0x80, 0x84, 0x88, 0xFF))
                case 2: del data[at:]
                case _: data[at:at] = data[at:at + chance.randrange(1, 40)]
            if not data:
                data = bytearray(b"\x30")
        # Whether what is left means anything is not for chance to decide.
        return bytes(data) if bytes(data) != said else said[:-1]
    return damage


DAMAGES: dict[str, Damage] = {
    "nothing": lambda _: b"", "no-message": lambda _: b"HTTP/1.1 400 Bad Request\r\n\r\n",
    "empty": lambda _: b"\x30\x00", "cut-off": lambda said: said[:-3], "other-tag": lambda said: b"\x31" + said[1:],
    "other-operation": lambda said: said.replace(b"\x61", b"\x62", 1).replace(b"\x64", b"\x62", 1),
    "other-number": lambda said: said.replace(b"\x02\x01", b"\x02\x01\x7f", 1)[:len(said)],
    "negative-length": lambda said: b"\x30\x84\xff\xff\xff\xff" + said[2:] + bytes(3 << 20),
    "endless": lambda said: b"\x30\x84\x7f\xff\xff\xff" + bytes(3 << 20),
    "length-of-eight": lambda said: b"\x30\x88" + bytes(7) + b"\x10" + said[2:], "indefinite": lambda said: b"\x30\x80" + said[2:],
    "deep": lambda _: b"".join(element(0x30, bytes(1)) for _ in range(20_000)),
    **{f"chance-{seed}": mutated(seed) for seed in range(5)},
}
SEARCHES: dict[str, Callable[[bytes], bytes]] = {
    "no-values": lambda number: message(number, element(0x64, element(0x04, b"CN=Ana") + element(0x30, element(
        0x30, element(0x04, b"homeDirectory"))))),
    "no-text": lambda number: message(number, entry({"homeDirectory": "x"}).replace(b"x", b"\xff")),
    "no-end": lambda number: message(number, entry(PERSON)),
    "refused": lambda number: message(number, result(0x65, 50)),
    "many-entries": lambda number: message(number, entry(PERSON)) * 5_000 + message(number, result(0x65, 0)),
    "elsewhere": lambda number: message(number, element(0x73, element(0x04, b"ldap://elsewhere"))) * 5_000,
}


class Directory:
    """Listens, and lies to whoever comes, in the first answer (`bind`), or once it has signed them in (`search`)."""

    def __init__(self, keytab: str, stage: str, damage: Damage | None, searches: Callable[[bytes], bytes] | None = None):
        self.keytab, self.stage, self.damage, self.searches = keytab, stage, damage, searches
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self) -> None:
        while True:
            connection, _ = self.listener.accept()
            connection.settimeout(20)
            try:
                with connection:
                    self.answer(connection)
            except (OSError, gssapi.exceptions.GSSError, IndexError):
                pass  # the other end has seen enough, or has gone

    def answer(self, connection: socket.socket) -> None:
        def receive() -> tuple[bytes, bytes]:
            """The number and the token of a bind request."""
            _, content, _ = read(connection.recv(65_536))
            _, number, operation = read(content)
            _, request, _ = read(operation)
            _, _, rest = read(request)
            _, _, rest = read(rest)
            _, sasl, _ = read(rest)
            _, _, credentials = read(sasl)
            return number, read(credentials)[1] if credentials else b""

        def reply(number: bytes, code: int, token: bytes) -> None:
            said = message(number, result(0x61, code, element(0x87, token)))
            if self.stage == "bind" and self.damage:
                connection.sendall(self.damage(said))
                raise ConnectionAbortedError("nothing more is said")
            connection.sendall(said)

        context = gssapi.SecurityContext(usage="accept", creds=gssapi.Credentials(
            usage="accept", store={"keytab": self.keytab}))
        while not context.complete:
            number, token = receive()
            reply(number, 14, context.step(token) or b"")
        number, _ = receive()
        reply(number, 14, context.wrap(b"\x07\x10\x00\x00", False).message)
        number, choice = receive()
        context.unwrap(choice)
        reply(number, 0, b"")

        request = context.unwrap(connection.recv(65_536)[4:]).message
        number = read(read(request)[1])[1]
        if self.searches:
            said = self.searches(number)
        else:
            said = message(number, entry(PERSON)) + message(number, result(0x65, 0))
        if self.stage == "wrapping" and self.damage:
            wrapped = context.wrap(said, True).message
            connection.sendall(self.damage(len(wrapped).to_bytes(4, "big") + wrapped))
        else:
            said = self.damage(said) if self.stage == "search" and self.damage else said
            for start in range(0, len(said), 32_768):
                wrapped = context.wrap(said[start:start + 32_768], True).message
                connection.sendall(len(wrapped).to_bytes(4, "big") + wrapped)


def main() -> None:
    keytab, file = sys.argv[1:]
    lying = {
        f"{stage}: {name}": Directory(keytab, stage, damage)
        for stage in ("bind", "search", "wrapping") for name, damage in DAMAGES.items()
        # What is encrypted has no numbers to be changed.
        if stage != "wrapping" or name not in ("other-operation", "other-number")}
    lying |= {f"search: {name}": Directory(keytab, "search", None, said) for name, said in SEARCHES.items()}
    everyone = {name: each.port for name, each in lying.items()} | {"honest": Directory(keytab, "none", None).port}
    Path(f"{file}.new").write_text(json.dumps(everyone))
    os.replace(f"{file}.new", file)
    threading.Event().wait()


if __name__ == "__main__":
    main()
