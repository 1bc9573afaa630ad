from collections.abc import Iterator
from pathlib import Path

import pytest
from broker import Authority, Device, Domains, payload, profile, strings

REDIRECT = payload(
    "Redirect",
    strings("URLs", ["https://id.acme.test/realms/staff/", "https://saml.acme.test"])
    + "<key>ExtensionData</key><dict><key>username</key><string>mika</string><key>level</key><integer>3</integer>"
    "<key>when</key><date>2026-01-02T03:04:05Z</date><key>key</key><data>AAEC</data></dict>")
CREDENTIAL = payload(
    "Credential",
    strings("Hosts", [".corp.acme.test", "intranet.acme.test"]) + "<key>Realm</key><string>CORP.ACME.TEST</string>",
    identifier="test.acme.sso.credential")


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def device(tmp_path: Path, authority: Authority) -> Iterator[Device]:
    """A device with one extension for two domains and two kinds of hosts; its broker runs."""
    domains = Domains(authority, "id.acme.test", "saml.acme.test")
    device = Device(tmp_path / "device", authority, domains)
    device.install_extension()
    device.install_profile(profile([REDIRECT, CREDENTIAL]))
    with device.running():
        yield device
