"""An extension is asked without a caller, at a time and for networks that it has named.
docs/specifications/extensible-single-sign-on.md, 19.9."""

import json
import os
import time
from collections.abc import Iterator
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


def test_a_network_wakes_those_who_wait_for_one(tmp_path: Path) -> None:
    if reason := why_not():
        pytest.skip(reason)
    network = PrivateNetwork(tmp_path / "network", ["192.0.2.10/24"], "192.0.2.10")
    try:
        authority = Authority(tmp_path / "authority")
        # The network alone: the broker has to see who asks.
        entering = ["nsenter", f"--net={network.path}"]
        device = Device(tmp_path / "device", authority, Domains(authority, HOST), entering=entering)
        device.install_extension()
        # A credential extension needs no domain, which could not be reached from there.
        device.install_profile(profile([payload(
            "Credential", strings("Hosts", [HOST]) + "<key>Realm</key><string>ACME.TEST</string>")]))
        device.start()
        try:
            outcome = device.ask(f"https://{HOST}/wake?900,network", responseCode=0, operation="login")
            assert outcome["outcome"] == "response", outcome
            assert "woken" not in log(device)
            for address in ("192.0.2.11/24", "192.0.2.12/24"):
                before = log(device).count("woken by network, realm ACME.TEST")
                network.ip("address", "add", address, "dev", "lo")
                device.program.wait_until(
                    lambda: log(device).count("woken by network, realm ACME.TEST") > before, 20, "it is woken")
            assert TIME not in log(device)
        finally:
            device.stop()
            device.domains.close()
    finally:
        network.stop()
    assert os.path.exists(device.state / "wakes.json")
