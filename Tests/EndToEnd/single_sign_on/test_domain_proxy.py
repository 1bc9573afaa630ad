"""Domains that a device reaches by a proxy alone."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from broker import Authority, Device, Domains, payload, profile, strings
from processes import Program, free_port, listens

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give the proxy a file of hosts of its own")


class Proxy:
    """Debian's tinyproxy, which alone knows where the domains are."""

    def __init__(self, folder: Path, *lines: str):
        self.port = free_port()
        self.log = folder / "tinyproxy.log"
        hosts, settings = folder / "hosts", folder / "tinyproxy.conf"
        hosts.write_text("127.0.0.1 localhost id.acme.test\n")
        settings.write_text("\n".join([f"Port {self.port}", "Listen 127.0.0.1", "Timeout 60", "LogLevel Connect", *lines, ""]))
        self.program = Program(
            "unshare", "--mount", "sh", "-c", 'mount --bind "$1" /etc/hosts && exec /usr/bin/tinyproxy -d -c "$2"', "proxy", hosts, settings,
            log=self.log)
        self.program.wait_until(lambda: listens(self.port), 20, "the proxy is ready")

    def stop(self) -> None:
        self.program.stop()


@pytest.fixture
def device(tmp_path: Path, authority: Authority) -> Iterator[Device]:
    domains = Domains(authority, "id.acme.test")
    device = Device(tmp_path / "device", authority, domains, knows_addresses=False)
    device.install_extension()
    device.install_profile(profile([payload("Redirect", strings("URLs", ["https://id.acme.test/realms/"]))]))
    yield device
    device.stop()
    domains.close()


def domain(device: Device) -> dict[str, str]:
    [found] = [each for each in device.get("/v1/domains") if each["host"] == "id.acme.test"]
    return found


def reason(device: Device) -> str:
    """Why the domain could not be asked, just now."""
    assert device.program
    device.program.wait_until(lambda: domain(device)["state"] == "unreachable", 20, "the domain was asked")
    return domain(device)["reason"]


def test_a_domain_is_asked_by_the_proxy_of_the_device(device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    proxy = Proxy(tmp_path)
    monkeypatch.setenv("https_proxy", f"http://localhost:{proxy.port}")
    try:
        device.start()
        assert device.program
        device.program.wait_until(lambda: domain(device)["state"] == "approved", 20, "the domain has agreed")
        assert device.domains.asked == ["id.acme.test"]
        assert f"CONNECT id.acme.test:{device.domains.port}" in proxy.program.log_text
    finally:
        proxy.stop()
    # What it has said counts on while nobody can be asked.
    device.post("/v1/domains/refresh", {})
    assert f"the proxy localhost:{proxy.port} is not there" in reason(device) and domain(device)["holds"]


def test_what_is_excepted_is_asked_directly(device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    proxy = Proxy(tmp_path)
    monkeypatch.setenv("https_proxy", f"http://localhost:{proxy.port}")
    monkeypatch.setenv("no_proxy", "other.test,.acme.test")
    try:
        device.start()
        # No name server knows it, and none may be there.
        assert "the proxy" not in reason(device)
        assert "CONNECT id.acme.test" not in proxy.program.log_text
    finally:
        proxy.stop()


def test_a_proxy_that_wants_a_password_gets_it_and_no_log_does(
    device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = Proxy(tmp_path, "BasicAuth mika ticket")
    try:
        monkeypatch.setenv("https_proxy", f"http://localhost:{proxy.port}")
        device.start()
        assert "wants to know who asks" in reason(device)
        device.stop()
        monkeypatch.setenv("https_proxy", f"http://mika:ticket@localhost:{proxy.port}")
        device.start()
        assert device.program
        device.post("/v1/domains/refresh", {})
        device.program.wait_until(lambda: domain(device)["state"] == "approved", 20, "the domain has agreed")
        assert "ticket" not in (device.folder / "broker.log").read_text()
    finally:
        proxy.stop()


def test_a_proxy_that_lets_nobody_out_or_looks_inside_is_named(
    device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It lets nobody ask other ports than 1.
    proxy = Proxy(tmp_path, "ConnectPort 1")
    monkeypatch.setenv("https_proxy", f"http://localhost:{proxy.port}")
    try:
        device.start()
        assert "does not let anybody ask id.acme.test" in reason(device)
    finally:
        proxy.stop()
        device.stop()
    proxy = Proxy(tmp_path)
    monkeypatch.setenv("https_proxy", f"http://localhost:{proxy.port}")
    stranger = Authority(tmp_path / "stranger")
    try:
        device.start(roots=stranger.certificate)
        device.post("/v1/domains/refresh", {})
        assert "has to leave this domain out" in reason(device) and device.domains.asked == []
    finally:
        proxy.stop()
