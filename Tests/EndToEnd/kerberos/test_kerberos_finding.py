"""A profile that names a realm alone: the extension finds the servers and the site of its domain by itself.
docs/specifications/extensible-single-sign-on.md, 24. The domain is one of Samba, whose name server is the system's there."""

import json
import re
import shutil
import stat
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

import pytest
from kerberos.device import KerberosDevice, headers, signs_in, types
from kerberos.domain_controller import ADDRESSES, PASSWORD, SITES, Domain
from kerberos.kdc import Realm
from kerberos.places import PrivateNetwork

# The machine knows of no realm, and would find no server by itself.
NOTHING = "[libdefaults]\n    dns_lookup_kdc = false\n"


@pytest.fixture
def new_device(domain: Domain, tmp_path: Path) -> Callable[..., KerberosDevice]:
    (tmp_path / "krb5.conf").write_text(NOTHING)

    def make(name: str = "device", realm: str = domain.realm) -> KerberosDevice:
        return KerberosDevice(tmp_path / name, realm, tmp_path / "krb5.conf", domain.entering)

    return make


def configuration(device: KerberosDevice) -> str:
    """What the library of Kerberos is told of the realm."""
    return (device.folder / "data" / "krb5.conf.d" / f"{device.name}.conf").read_text()


def centers(device: KerberosDevice) -> list[str]:
    return re.findall(r"(?m)^\s*kdc = (.*)$", configuration(device))


def test_a_realm_alone_is_enough(domain: Domain, new_device: Callable[..., KerberosDevice]) -> None:
    domain.add("rin")
    device = new_device()
    with device.start() as extension:
        told = headers(extension.operation("login", person=signs_in("rin", PASSWORD)))
        assert (told["Principal"], told["UPN"]) == (f"rin@{domain.realm}", f"rin@{domain.name}"), device.log
        assert told["Site"] == next(iter(SITES))
        assert told["Network-Available"] == "true"
        text = configuration(device)
        assert f"kdc = {domain.host}\n" in text and f"kpasswd_server = {domain.host}\n" in text, text
        # Passwords are changed at a server that was found, too.
        extension.operation("logout")
        found = extension.operation("login", person=types(
            {"User name": f"rin@{domain.name}", "Password": "wrong"}, {"Password": PASSWORD}))
        assert headers(found)["UPN"] == f"rin@{domain.name}"


def test_the_site_is_that_of_the_computer_or_of_the_payload(
    domain: Domain, new_device: Callable[..., KerberosDevice]
) -> None:
    domain.add("sora")
    main, branch = SITES
    with domain.clients_at(ADDRESSES[1].partition("/")[0]):
        device = new_device("away")
        with device.start() as extension:
            assert headers(extension.operation("login", person=signs_in("sora", PASSWORD)))["Site"] == branch
            # The payload's counts, and nobody is asked.
            told = headers(extension.operation("refresh", data={"siteCode": main}))
            assert told["Site"] == main
            assert "Site" not in headers(extension.operation("refresh", data={"useSiteAutoDiscovery": False}))
            # What was found here is known to the next run.
            assert headers(extension.operation("refresh"))["Site"] == branch
    # The controllers of the tests are asked again only after an hour, or elsewhere.
    with device.start() as extension:
        assert headers(extension.operation("refresh"))["Site"] == branch
        kept = device.folder / "data" / f"domain-{domain.realm}.json"
        kept.write_text(json.dumps(json.loads(kept.read_text()) | {"network": "elsewhere"}))
        assert headers(extension.operation("refresh"))["Site"] == main


def test_the_site_is_looked_for_anew_on_request(domain: Domain, new_device: Callable[..., KerberosDevice]) -> None:
    domain.add("aoi")
    main, branch = SITES
    device = new_device()
    with device.start() as extension:
        with domain.clients_at(ADDRESSES[1].partition("/")[0]):
            told = headers(extension.operation("login", person=signs_in("aoi", PASSWORD)))
            assert told["Site"] == branch and "Found-Servers" not in told, device.log
        # What was found counts for an hour; the place is the same, because only the datagram's source has changed.
        assert headers(extension.operation("refresh"))["Site"] == branch
        told = headers(extension.operation("site"))
        assert (told["Site"], told["Found-Servers"]) == (main, domain.host), device.log
        assert told["Principal"] == f"aoi@{domain.realm}"
        # Forgetting has the next request look, too.
        kept = [device.folder / "data" / f"{name}-{domain.realm}.json" for name in ("domain", "directory")]
        assert all(file.exists() for file in kept)
        extension.operation("reset")
        assert not any(file.exists() for file in kept)
        assert headers(extension.operation("refresh"))["Site"] == main


def test_preferred_servers_come_first_and_found_ones_after_them(
    domain: Domain, new_device: Callable[..., KerberosDevice]
) -> None:
    domain.add("yui")
    device = new_device()
    data = {"preferredKDCs": [f"closed.{domain.name}:8888"]}
    with device.start() as extension:
        # Nothing listens at the first one.
        answer = extension.operation("login", data=data, person=signs_in("yui", PASSWORD))
        assert headers(answer)["UserName"] == "yui", device.log
        assert centers(device) == [f"closed.{domain.name}:8888", domain.host]


def test_the_directory_says_who_somebody_is_and_when_their_password_expires(
    domain: Domain, new_device: Callable[..., KerberosDevice]
) -> None:
    home = r"\\files\home\umi"
    domain.add("umi", PASSWORD, f"--home-directory={home}", "--home-drive=H:")
    domain.tool(["set", "umi", {"userPrincipalName": "umi.ito@school.test"}])
    device = new_device()
    with device.start() as extension:
        told = headers(extension.operation("login", person=signs_in("umi", PASSWORD)))
        assert (told["Home-Directory"], told["UPN"]) == (home, "umi.ito@school.test"), device.log
        changed, expires = (datetime.fromisoformat(told[f"Password-{name}"]) for name in ("Changed", "Expires"))
        # By the policy of the domain.
        assert abs((expires - changed).total_seconds() - 42 * 86_400) < 5
        kept = device.folder / "data" / f"directory-{domain.realm}.json"
        assert kept.exists() and stat.S_IMODE(kept.stat().st_mode) == 0o600
        extension.operation("logout")
        assert not kept.exists()
        told = headers(extension.operation(
            "login", data={"performKerberosOnly": True}, person=signs_in("umi", PASSWORD)))
        assert "Home-Directory" not in told and not kept.exists()


def test_with_tls_the_directory_is_read_where_its_authority_is_known_and_else_not_at_all(
    domain: Domain, new_device: Callable[..., KerberosDevice]
) -> None:
    home = r"\\files\home\nao"
    domain.add("nao", PASSWORD, f"--home-directory={home}", "--home-drive=H:")
    device = new_device()
    with device.start() as extension:
        def sign_in() -> dict[str, str]:
            told = headers(extension.operation(
                "login", data={"requireTLSForLDAP": True}, person=signs_in("nao", PASSWORD)))
            assert told["UserName"] == "nao"
            extension.operation("logout")
            return told

        assert "Home-Directory" not in sign_in()
        refused = f"the directory at {domain.host} is not read: {domain.host} does not answer: its certificate"
        assert refused in device.log
        shutil.copy(domain.authority.certificate, device.files / f"{domain.realm}.authorities.pem")
        told = sign_in()
        assert told.get("Home-Directory") == home, device.log
        assert {"Password-Changed", "Password-Expires", "UPN"} <= told.keys()
        assert device.log.count("is not read") == 1


def test_a_ticket_is_known_by_the_name_of_another_suffix(
    domain: Domain, new_device: Callable[..., KerberosDevice]
) -> None:
    domain.add("eri")
    domain.tool(["set", "eri", {"userPrincipalName": "eri.mori@school.test"}])
    device = new_device()
    with device.start() as extension:
        told = headers(extension.operation("login", person=signs_in("eri.mori@school.test", PASSWORD)))
        assert told["Principal"] == f"eri@{domain.realm}", device.log
        for name in ("Eri.Mori@school.test", "eri"):
            again = extension.operation("login", options={"userName": name}, person=types())
            assert (headers(again)["UserName"], again.forms) == ("eri", []), device.log
        other = extension.operation("login", options={"userName": "mori@school.test"}, person=types())
        assert (other.kind, len(other.forms)) == ("canceled", 1)


def test_a_domain_without_servers_is_said_and_nobody_is_asked(
    domain: Domain, new_device: Callable[..., KerberosDevice]
) -> None:
    device = new_device(realm=f"NOBODY.{domain.realm}")
    with device.start() as extension:
        begun = time.monotonic()
        answer = extension.operation("login", person=types())
        assert time.monotonic() - begun < 20
        assert answer.forms == []
        said = f"The domain nobody.{domain.name} has no SRV records for Kerberos"
        assert said in answer.error["message"]
        assert said in extension.operation("site").error["message"]


@pytest.fixture
def network_without_names(tmp_path: Path) -> Iterator[PrivateNetwork]:
    """Nobody answers at the place of its name server."""
    network = PrivateNetwork(tmp_path / "network", ["192.0.2.99/24"], "192.0.2.98")
    try:
        yield network
    finally:
        network.stop()


def test_where_no_name_server_answers_it_is_said_soon(tmp_path: Path, network_without_names: PrivateNetwork) -> None:
    (tmp_path / "krb5.conf").write_text(NOTHING)
    device = KerberosDevice(tmp_path / "device", "FAR.SCHOOL.TEST", tmp_path / "krb5.conf", network_without_names.entering)
    with device.start() as extension:
        begun = time.monotonic()
        answer = extension.operation("login", person=types())
        waited = time.monotonic() - begun
        assert waited < 25
        assert answer.forms == [] and "name server" in answer.error["message"], answer
        # A page does not wait for what has just been in vain.
        begun = time.monotonic()
        assert extension.challenge("http://www.far.school.test/", person=types()).kind == "doNotHandle"
        assert time.monotonic() - begun < waited / 2


def test_servers_that_the_machine_names_are_taken_as_they_are(realm: Realm, tmp_path: Path) -> None:
    realm.add("machine", PASSWORD)
    device = KerberosDevice(tmp_path / "device", realm.name, realm.settings)
    with device.start() as extension:
        told = headers(extension.operation("login", person=signs_in("machine", PASSWORD)))
        assert "Site" not in told and "UPN" not in told
        assert centers(device) == []
        assert not (device.folder / "data" / f"domain-{realm.name}.json").exists()


def test_without_a_network_nobody_is_asked_although_servers_were_found_before(
    domain: Domain, new_device: Callable[..., KerberosDevice]
) -> None:
    domain.add("ren")
    device = new_device()
    with device.start() as extension:
        extension.operation("login", person=signs_in("ren", PASSWORD))
        with domain.out_of_reach():
            device.destroy_tickets()
            told = headers(extension.operation("status", options={"network": "true"}))
            assert told["Network-Available"] == "false"
            answer = extension.operation("login", person=types())
            assert answer.forms == [] and "unreachable" in answer.error["message"], answer
