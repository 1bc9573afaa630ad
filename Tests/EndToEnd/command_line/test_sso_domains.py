"""`lanyard-sso profile build --from-domain`: a profile for Kerberos, made of the name of a domain.

The name server is NSD. Domain controllers of Samba answer in `kerberos/test_kerberos_discovery.py`.
"""

import json
import plistlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from name_server import NameServer
from processes import LANYARD_SSO, run

RECORDS = [
    "_kerberos._tcp SRV 0 0 88 kdc1", "_kerberos._udp SRV 10 0 88 kdc2", "_kpasswd._udp SRV 0 0 464 kdc1",
    "kdc1 A 127.0.0.1", "kdc2 A 127.0.0.1",
]


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NameServer]:
    server = NameServer(tmp_path_factory.mktemp("names"), "corp.test")
    server.records += RECORDS
    yield server.start()
    server.stop()


def build(names: NameServer, *arguments: str | Path, domain: str = "corp.test"):
    return run(LANYARD_SSO, "profile", "build", "--from-domain", domain, "--name-server", names.address, *arguments)


def test_the_name_of_a_domain_is_enough(names: NameServer, tmp_path: Path) -> None:
    out = tmp_path / "corp.mobileconfig"
    done = build(names, "--out", out, domain="Corp.Test.")
    assert done.returncode == 0, done.stderr
    whole = plistlib.loads(out.read_bytes())
    assert whole["PayloadIdentifier"] == "test.corp.kerberos"
    [payload] = whole["PayloadContent"]
    assert payload["ExtensionIdentifier"] == "com.apple.AppSSOKerberos.KerberosExtension"
    assert (payload["TeamIdentifier"], payload["Type"], payload["Realm"]) == ("apple", "Credential", "CORP.TEST")
    assert payload["Hosts"] == [".corp.test", "corp.test"]
    # There is no directory to ask for the expiry of passwords.
    assert payload["ExtensionData"] == {"performKerberosOnly": True}
    for found in ("CORP.TEST", "kdc1.corp.test, kdc2.corp.test", "Passwords", "no domain controllers"):
        assert found in done.stderr
    checked = run(LANYARD_SSO, "profile", "validate", out, "--json")
    assert checked.returncode == 0 and json.loads(checked.stdout)["findings"] == []


def test_what_is_said_counts_before_what_was_found(names: NameServer) -> None:
    done = build(
        names, "--identifier", "test.own", "--host", "www.corp.test", "--data", "isDefaultRealm=true", "--data",
        "pwNotificationDays=3", "--data", "preferredKDCs=tcp/kdc2.corp.test,kdc1.corp.test:88", "--data",
        "performKerberosOnly=false")
    assert done.returncode == 0, done.stderr
    whole = plistlib.loads(done.stdout.encode())
    assert whole["PayloadIdentifier"] == "test.own"
    assert whole["PayloadContent"][0]["Hosts"] == ["www.corp.test"]
    assert whole["PayloadContent"][0]["ExtensionData"] == {
        "isDefaultRealm": True, "pwNotificationDays": 3, "performKerberosOnly": False,
        "preferredKDCs": ["tcp/kdc2.corp.test", "kdc1.corp.test:88"]}


def test_a_domain_without_kerberos_and_silence_are_told_apart(names: NameServer, tmp_path: Path) -> None:
    out = tmp_path / "none.mobileconfig"
    done = build(names, "--out", out, domain="nothing.corp.test")
    assert done.returncode == 1
    assert "no servers for Kerberos" in done.stderr and "_kerberos._tcp.nothing.corp.test" in done.stderr
    # Nothing listens there.
    silent = run(
        LANYARD_SSO, "profile", "build", "--from-domain", "corp.test", "--name-server", "127.0.0.1:1", "--out", out)
    assert silent.returncode == 1 and "No name server has answered for corp.test" in silent.stderr
    wrong = build(names, "--out", out, domain="corp test")
    assert wrong.returncode == 1 and "is no name of a domain" in wrong.stderr
    assert not out.exists()


@pytest.mark.parametrize("arguments", [
    ["--url", "https://a.test/"], ["--extension", "a.b"], ["--team", "T"], ["--app", "a.b"],
])
def test_what_does_not_go_with_it_is_wrong_usage(names: NameServer, arguments: list[str]) -> None:
    assert build(names, *arguments).returncode == 64


def test_without_it_the_rest_has_to_be_said() -> None:
    done = run(LANYARD_SSO, "profile", "build", "--host", "a.test")
    assert done.returncode == 64 and "--identifier" in done.stderr
    done = run(LANYARD_SSO, "profile", "build", "--name-server", "127.0.0.1", "--host", "a.test")
    assert done.returncode == 64 and "--from-domain" in done.stderr


def test_a_value_gets_the_type_of_its_key(names: NameServer) -> None:
    done = build(names, "--data", "allowPassword=perhaps")
    assert done.returncode == 1 and "true or false" in done.stderr
    done = build(names, "--data", "pwReqLength=long")
    assert done.returncode == 1 and "write a number" in done.stderr
    done = build(names, "--data", "domainRealmMapping=A")
    assert done.returncode == 1 and "no place on a line" in done.stderr
    done = build(names, "--data", "siteCode=a b")
    assert done.returncode == 1 and "no site" in done.stderr
