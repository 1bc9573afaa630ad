"""Servers of Kerberos, each started once for all tests that use it. Tests add people of their own."""

import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from kerberos import places
from kerberos.domain_controller import Domain
from kerberos.kdc import PASSWORD, Person, Realm
from kerberos.negotiate_site import INTRANET, SHELL, NegotiateSite, SecureShell, negotiate_site, secure_shell
from processes import PROGRAMS, ROOT, run

_numbers = count(1)


@pytest.fixture(scope="session")
def realm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Realm]:
    """The realm SCHOOL.TEST. Whoever stops it, or changes its clock, makes one of their own."""
    with Realm(tmp_path_factory.mktemp("realm"), "SCHOOL.TEST") as running:
        yield running


@pytest.fixture(scope="session")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    """A wrapper for commands, for which the names of the servers lead to this machine."""
    if reason := places.why_not():
        pytest.skip(reason)
    return places.with_hosts(tmp_path_factory.mktemp("hosts"), INTRANET, SHELL)


@pytest.fixture
def new_person(realm: Realm, hosts: tuple[str, ...]) -> Callable[..., Person]:
    """Makes somebody in the realm, with `PASSWORD` and the options of `addprinc`. They have no ticket yet."""

    def make(*options: str, password: str = PASSWORD) -> Person:
        name = f"person-{next(_numbers)}"
        realm.add(name, password, *options)
        person = realm.person(name)
        person.wrapper = hosts
        return person

    return make


@pytest.fixture
def person(new_person: Callable[..., Person]) -> Person:
    """Somebody with a ticket."""
    somebody = new_person()
    done = somebody.kinit(PASSWORD)
    assert done.returncode == 0, done.stderr
    return somebody


@pytest.fixture(scope="session")
def site(realm: Realm, tmp_path_factory: pytest.TempPathFactory) -> Iterator[NegotiateSite]:
    keytab = realm.keytab(f"HTTP/{INTRANET}", file="intranet.keytab")
    with negotiate_site(tmp_path_factory.mktemp("site"), realm.settings, INTRANET, keytab) as running:
        yield running


@pytest.fixture(scope="session")
def shell(realm: Realm, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecureShell]:
    """OpenSSH's server, which lets `ana` in, who has `PASSWORD`."""
    if reason := places.why_not():
        pytest.skip(reason)
    realm.add("ana", PASSWORD)
    keytab = realm.keytab(f"host/{SHELL}", file="shell.keytab")
    with secure_shell(tmp_path_factory.mktemp("shell"), realm, SHELL, keytab, "ana") as running:
        yield running


@pytest.fixture(scope="session")
def ticket_module() -> None:
    """The module for other programs lies beside ours, as on a device."""
    done = run(ROOT / "scripts" / "build-ticket-chooser", PROGRAMS / "lanyard-tickets.so")
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="session")
def domain() -> Iterator[Domain]:
    """The domain AD.SCHOOL.TEST of Samba."""
    if reason := places.why_not():
        pytest.skip(reason)
    # Not pytest's own folder, which the people who read its files cannot enter.
    with tempfile.TemporaryDirectory(prefix="lanyard-domain-") as folder:
        Path(folder).chmod(0o755)
        with Domain(Path(folder)) as running:
            yield running
