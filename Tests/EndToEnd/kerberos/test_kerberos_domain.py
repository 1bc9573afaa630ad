"""The domain of the tests is one for clients that are not ours."""

import pytest
from kerberos.domain_controller import ADDRESSES, PASSWORD, SITES, Domain


def test_its_name_server_says_where_its_services_are(domain: Domain) -> None:
    ana = domain.person("ana")
    site, without_controller = SITES
    for name, port in (
        (f"_ldap._tcp.{domain.name}", 389), (f"_kerberos._udp.{domain.name}", 88), (f"_kpasswd._tcp.{domain.name}", 464),
        (f"_ldap._tcp.dc._msdcs.{domain.name}", 389), (f"_ldap._tcp.{site}._sites.{domain.name}", 389),
        (f"_kerberos._tcp.{site}._sites.{domain.name}", 88),
    ):
        assert f"{port} {domain.host}." in ana.run("host", "-t", "SRV", name).stdout, name
    assert "NXDOMAIN" in ana.run("host", "-t", "SRV", f"_ldap._tcp.{without_controller}._sites.{domain.name}").stdout


def test_somebody_of_the_domain_reaches_directory_and_files(domain: Domain) -> None:
    ana = domain.person("ana")
    assert ana.kinit(PASSWORD).returncode == 0
    done = ana.run(
        "ldapsearch", "-Q", "-N", "-LLL", "-Y", "GSSAPI", "-H", f"ldap://{domain.host}", "-b", domain.base,
        "sAMAccountName=ana", "mail")
    assert f"mail: ana@{domain.name}" in done.stdout, done.stderr
    done = ana.run(
        "smbclient", "--use-kerberos=required", f"--use-krb5-ccache={ana.cache.removeprefix('FILE:')}",
        f"//{domain.host}/sysvol", "--command=ls")
    assert domain.name in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize(("name", "message"), [
    ("must-change", "Password expired"), ("expired", "Password expired"), ("disabled", "revoked"),
    ("departed", "revoked"), ("locked", "revoked"),
])
def test_people_who_may_not_sign_in(domain: Domain, name: str, message: str) -> None:
    done = domain.person(name).kinit(PASSWORD)
    assert done.returncode != 0
    assert message in done.stdout + done.stderr


def test_it_refuses_weak_and_old_passwords(domain: Domain) -> None:
    domain.add("kim")
    kim = domain.person("kim")
    assert "at least 8 characters" in kim.kpasswd(PASSWORD, "Ab-1").stdout
    assert kim.kpasswd(PASSWORD, "only-letters").returncode != 0
    assert kim.kpasswd(PASSWORD, "Another-horse-2").returncode == 0
    assert kim.kpasswd("Another-horse-2", PASSWORD).returncode != 0
    assert kim.kinit("Another-horse-2").returncode == 0


def test_a_web_server_has_a_name_and_keys_in_it(domain: Domain) -> None:
    service = f"HTTP/intranet.{domain.name}"
    keytab = domain.keytab(service, "web")
    ana = domain.person("ana")
    assert "aes256-cts" in ana.run("klist", "-k", "-e", keytab).stdout
    ana.kinit(PASSWORD)
    # With the keys it can read what the ticket says.
    done = ana.run("kvno", "-k", keytab, service)
    assert "keytab entry valid" in done.stdout, done.stdout + done.stderr


def test_it_sees_at_which_site_a_client_is(domain: Domain) -> None:
    ana = domain.person("ana")
    ping = (
        "/usr/bin/python3", "-c",
        "from samba.net import Net; from samba.credentials import Credentials; from samba.param import LoadParm;"
        "from samba.dcerpc import nbt; p = LoadParm(); p.load_default(); c = Credentials(); c.guess(p);"
        f"print(Net(c, p).finddc(domain='{domain.name}', flags=nbt.NBT_SERVER_LDAP).client_site)")
    assert ana.run(*ping).stdout.strip() == "Main-Building"
    with domain.clients_at(ADDRESSES[1].partition("/")[0]):
        assert ana.run(*ping).stdout.strip() == "Branch"
    with domain.clients_at(ADDRESSES[2].partition("/")[0]):
        assert ana.run(*ping).stdout.strip() == ""


def test_it_can_be_stopped_and_started(domain: Domain) -> None:
    ana = domain.person("ana")
    domain.stop()
    try:
        assert "Cannot find KDC" in ana.kinit(PASSWORD).stderr
    finally:
        domain.start()
    assert ana.kinit(PASSWORD).returncode == 0
