"""An extension is asked without a caller, at a time and for networks that it has named.
docs/specifications/extensible-single-sign-on.md, 19.9."""

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from kerberos.places import PrivateNetwork, why_not
from broker import Authority, Device, Domains, body_of, payload, profile, strings

HOST = "id.acme.test"
URL = f"https://{HOST}/wake"
TIME = "woken by time"


@pytest.fixture
def device(tmp_path: Path) -> Iterator[Device]:
    authority = Authority(tmp_path / "authority")
    device = Device(tmp_path / "device", authority, Domains(authority, HOST))
    device.install_extension()
    device.install_profile(profile([payload("Redirect", strings("URLs", [f"https://{HOST}/"]))]))
    with device.running():
        yield device


def log(device: Device) -> str:
    assert device.program
    return device.program.log_text


def name(device: Device, words: str) -> None:
    assert body_of(device.ask(f"{URL}?{words}")) == "<p>named</p>"


def test_a_time_that_was_named_comes_once_without_a_caller(device: Device) -> None:
    begun = time.monotonic()
    # Nearer ones are put off.
    name(device, "1")
    device.program.wait_until(lambda: TIME in log(device), 20, "the extension is woken")
    assert 4 < time.monotonic() - begun < 15
    time.sleep(1)
    assert log(device).count("woken by") == 1


def test_the_last_word_counts_and_survives_the_broker(device: Device) -> None:
    name(device, "5")
    name(device, "")
    name(device, "5")
    device.stop()
    time.sleep(6)
    device.start()
    device.program.wait_until(lambda: TIME in log(device), 20, "the extension is woken")
    name(device, "5")
    name(device, "")
    time.sleep(7)
    assert log(device).count("woken by") == 1


def test_without_its_profile_an_extension_is_not_woken(device: Device) -> None:
    name(device, "5")
    (device.profiles / "acme.mobileconfig").unlink()
    device.program.wait_until(lambda: "removed https" in log(device), 20, "the extension was told")
    time.sleep(7)
    assert "woken" not in log(device)
    assert json.loads((device.state / "wakes.json").read_text()) == {"wishes": {}}


def test_a_wish_goes_with_a_profile_that_is_issued_again(device: Device) -> None:
    name(device, "6")
    device.install_profile(profile([payload(
        "Redirect", strings("URLs", [f"https://{HOST}/"]), identifier="test.acme.sso.newer")]))
    device.program.wait_until(lambda: TIME in log(device), 20, "the extension is woken")
    assert "removed https" not in log(device)


def test_an_extension_whose_package_is_being_upgraded_is_woken_after_that(device: Device) -> None:
    name(device, "5")
    manifest, = device.extensions.iterdir()
    kept = manifest.read_text()
    manifest.unlink()
    device.program.wait_until(lambda: not device.match(f"{URL}")["isCovered"], 20, "the broker has noticed")
    time.sleep(6)
    assert "woken" not in log(device) and next(iter(wishes(device)))["at"]
    manifest.write_text(kept)
    device.program.wait_until(lambda: TIME in log(device), 20, "the extension is woken")
    device.program.wait_until(lambda: wishes(device) == [], 20, "the time is used up")


def wishes(device: Device) -> list[dict]:
    return list(json.loads((device.state / "wakes.json").read_text())["wishes"].values())


def test_no_caller_wakes_an_extension(device: Device) -> None:
    status, answer = device.post("/v1/requests", {"url": URL, "operation": "wake"})
    assert status == 400 and "“wake” is no operation" in str(answer), answer


@pytest.fixture
def network(tmp_path: Path) -> Iterator[PrivateNetwork]:
    if reason := why_not():
        pytest.skip(reason)
    network = PrivateNetwork(tmp_path / "network", ["192.0.2.10/24"], "192.0.2.10")
    try:
        yield network
    finally:
        network.stop()


@contextmanager
def device_in(network: PrivateNetwork, folder: Path, words: str, data: str = "") -> Iterator[Device]:
    """One whose extension has named these wishes. `data`: keys of `ExtensionData`, as XML."""
    authority = Authority(folder / "authority")
    # The network alone: the broker has to see who asks.
    entering = ["nsenter", f"--net={network.path}"]
    device = Device(folder / "device", authority, Domains(authority, HOST), entering=entering)
    device.install_extension()
    # A credential extension needs no domain, which could not be reached from there.
    device.install_profile(profile([payload(
        "Credential", strings("Hosts", [HOST])
        + f"<key>Realm</key><string>ACME.TEST</string><key>ExtensionData</key><dict>{data}</dict>")]))
    device.start()
    try:
        outcome = device.ask(f"https://{HOST}/wake?{words}", responseCode=0, operation="login")
        assert outcome["outcome"] == "response", outcome
        yield device
    finally:
        device.stop()
        device.domains.close()


def networks_told(device: Device) -> int:
    return log(device).count("woken by network, realm ACME.TEST")


def test_a_network_wakes_those_who_wait_for_one(tmp_path: Path, network: PrivateNetwork) -> None:
    with device_in(network, tmp_path, "900,network") as device:
        assert "woken" not in log(device)
        for address in ("198.51.100.11/24", "203.0.113.12/24"):
            before = networks_told(device)
            network.ip("address", "add", address, "dev", "lo")
            device.program.wait_until(lambda: networks_told(device) > before, 20, "it is woken")
        assert TIME not in log(device)
    assert os.path.exists(device.state / "wakes.json")


def test_the_network_in_which_a_broker_starts_is_told_to_those_who_wait_for_one(
    tmp_path: Path, network: PrivateNetwork
) -> None:
    with device_in(network, tmp_path, "900,network") as device:
        assert networks_told(device) == 0
        device.stop()
        device.start()
        device.program.wait_until(lambda: networks_told(device) == 1, 20, "it is woken")
        assert TIME not in log(device)


def test_another_address_in_the_same_network_wakes_nobody(tmp_path: Path, network: PrivateNetwork) -> None:
    with device_in(network, tmp_path, "900,network") as device:
        # As with a lease that is renewed, and temporary addresses of IPv6. The broker looks two seconds after a change.
        network.ip("address", "add", "192.0.2.11/24", "dev", "lo")
        network.ip("address", "change", "192.0.2.11/24", "dev", "lo", "valid_lft", "900", "preferred_lft", "900")
        time.sleep(4)
        assert networks_told(device) == 0
        network.ip("address", "add", "2001:db8:1::1/64", "dev", "lo")
        device.program.wait_until(lambda: networks_told(device) == 1, 20, "it is woken")
        network.ip("address", "add", "2001:db8:1::2/64", "dev", "lo")
        time.sleep(4)
        assert networks_told(device) == 1
        # Whoever leaves a network and comes back has it anew.
        for address in ("1", "2"):
            network.ip("address", "delete", f"2001:db8:1::{address}/64", "dev", "lo")
        network.ip("address", "add", "2001:db8:1::3/64", "dev", "lo")
        device.program.wait_until(lambda: networks_told(device) == 2, 20, "it is woken again")


def test_a_network_that_comes_while_the_extension_is_woken_is_told_after_that(
    tmp_path: Path, network: PrivateNetwork
) -> None:
    seconds = "<key>wakeSeconds</key><integer>6</integer>"
    with device_in(network, tmp_path, "900,network", seconds) as device:
        network.ip("address", "add", "198.51.100.11/24", "dev", "lo")
        device.program.wait_until(lambda: networks_told(device) == 1, 20, "it is woken")
        begun = time.monotonic()
        network.ip("address", "add", "203.0.113.12/24", "dev", "lo")
        device.program.wait_until(lambda: networks_told(device) == 2, 20, "it is woken again")
        # The first one was not answered before, and after that there is nothing to tell.
        assert time.monotonic() - begun > 5
        assert log(device).count("woken by") == 2
