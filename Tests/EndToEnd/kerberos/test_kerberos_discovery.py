"""A domain controller of Samba says where its clients are: docs/specifications/extensible-single-sign-on.md, 24."""

import plistlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from kerberos.domain_controller import ADDRESS, ADDRESSES, SITES, Domain
from processes import LANYARD_SSO, run


def found(domain: Domain, out: Path) -> str:
    """What is said of the domain, when it is asked for in its own network."""
    done = run(*domain.entering, LANYARD_SSO, "profile", "build", "--from-domain", domain.name, "--out", out)
    assert done.returncode == 0, done.stderr
    return done.stderr


@contextmanager
def asking_from(domain: Domain, address: str) -> Iterator[None]:
    """Until the end of the block, programs in the network reach the controller from another of its addresses."""
    assert domain.network
    route = ("route", "replace", "local", ADDRESS, "dev", "lo", "table", "local", "src")
    domain.network.ip(*route, address)
    try:
        yield
    finally:
        domain.network.ip(*route, ADDRESS)


def test_a_profile_is_made_of_the_domain_s_name_alone(domain: Domain, tmp_path: Path) -> None:
    said = found(domain, tmp_path / "profile")
    site = next(iter(SITES))
    assert f"Site         {site}" in said and f"Forest       {domain.name}" in said, said
    assert f"Kerberos     {domain.host}" in said and f"Controllers  {domain.host}" in said, said
    assert "Missing" not in said
    [payload] = plistlib.loads((tmp_path / "profile").read_bytes())["PayloadContent"]
    assert payload["Realm"] == domain.realm
    assert payload["Hosts"] == [f".{domain.name}", domain.name]
    assert "ExtensionData" not in payload


@pytest.mark.parametrize(("place", "words"), [
    (1, "The servers of the site Branch"), (2, "the domain has none for this computer's address"),
])
def test_what_the_domain_does_not_say_is_named_with_the_reason(
    domain: Domain, tmp_path: Path, place: int, words: str
) -> None:
    with asking_from(domain, ADDRESSES[place].partition("/")[0]):
        said = found(domain, tmp_path / "profile")
    assert words in said, said
    assert domain.host in said
