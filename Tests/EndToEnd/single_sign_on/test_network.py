"""Domains that could not be asked are asked again as soon as there is a network, in a network of the test's own."""

import ctypes
import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from broker import Authority, Device, Domains, payload, profile, strings
from processes import Program, wait_until

CLONE_NEWNET = 0x40000000


class Network:
    """A network of its own, with nothing but a loopback."""

    def __init__(self, folder: Path):
        self._holder = Program("unshare", "--net", "sleep", "600", log=folder / "network.log")
        own = os.readlink("/proc/self/ns/net")
        self.path = f"/proc/{self._holder.process.pid}/ns/net"
        self._holder.wait_until(lambda: os.readlink(self.path) != own, 10, "there is a network")

    @property
    def entering(self) -> list[str]:
        return ["nsenter", f"--net={self.path}"]

    def ip(self, *arguments: str) -> None:
        subprocess.run([*self.entering, "ip", *arguments], check=True, capture_output=True, text=True)

    def make(self, something: Any) -> Any:
        """What a thread makes that is in this network."""
        made: list[Any] = []

        def enter() -> None:
            descriptor = os.open(self.path, os.O_RDONLY)
            try:
                if ctypes.CDLL(None, use_errno=True).setns(descriptor, CLONE_NEWNET) == 0:
                    made.append(something())
            finally:
                os.close(descriptor)

        thread = threading.Thread(target=enter)
        thread.start()
        thread.join()
        return made[0]

    def close(self) -> None:
        self._holder.stop()


@pytest.fixture
def network(tmp_path: Path) -> Iterator[Network]:
    with closing(Network(tmp_path)) as network:
        yield network


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a network")
def test_a_domain_is_asked_again_when_there_is_a_network(
    tmp_path: Path, authority: Authority, network: Network
) -> None:
    network.ip("link", "set", "lo", "up")
    domains = network.make(lambda: Domains(authority, "id.acme.test"))
    network.ip("link", "set", "lo", "down")
    device = Device(tmp_path / "device", authority, domains, entering=network.entering)
    device.install_extension()
    device.install_profile(profile([payload("Redirect", strings("URLs", ["https://id.acme.test/"]))]))
    try:
        device.start()
        wait_until(lambda: device.get("/v1/domains")[0]["state"] == "unreachable", 20, "it was asked in vain")
        assert domains.asked == []
        network.ip("link", "set", "lo", "up")
        network.ip("address", "add", "192.0.2.1/32", "dev", "lo")
        # By itself it would be asked again a minute later.
        wait_until(lambda: device.get("/v1/domains")[0]["state"] == "approved", 20, "it is asked again", is_exact=True)
    finally:
        device.stop()
        domains.close()
