"""What is strange about the servers of the tests is what their makers say, for `kinit` and curl."""

from collections.abc import Callable

import pytest
from kerberos.kdc import PASSWORD, Person, Realm, long_tickets
from kerberos.liars import LIES, LyingKDC, LyingSite
from kerberos.negotiate_site import INTRANET, NegotiateSite

CURL = ("curl", "--silent", "--show-error", "--max-time", "20", "--negotiate", "--user", ":")


@pytest.mark.parametrize("lie", LIES)
def test_a_kdc_that_lies_gives_no_ticket(realm: Realm, new_person: Callable[..., Person], lie: str) -> None:
    person = new_person()
    with LyingKDC(realm, LIES[lie]) as liar:
        person.settings = realm.client_settings("lying.conf", kdc=liar.address)
        done = person.run("timeout", "20", "kinit", person.principal, typed=f"{PASSWORD}\n")
        assert done.returncode not in (0, 124), done.stderr
        assert person.tickets() == []
    # The way without a lie leads to a ticket, so it is the lie that is refused.
    with LyingKDC(realm, LIES[lie], lies_after=9) as honest:
        person.settings = realm.client_settings("honest.conf", kdc=honest.address)
        assert person.kinit(PASSWORD).returncode == 0


def test_a_ticket_of_sixty_kilobytes_is_taken(
    realm: Realm, new_person: Callable[..., Person], site: NegotiateSite
) -> None:
    person = new_person()
    person.settings = realm.client_settings("long.conf", defaults=long_tickets())
    assert person.kinit(PASSWORD, options=("-a",)).returncode == 0
    done = person.run(*CURL, "--trace-ascii", "-", f"{site.url}/members/")
    assert f"Hello {person.principal}" in done.stdout, done.stderr + done.stdout[-2000:]
    # There are two: the one for the realm, and that for the site.
    assert person.cache_size > 2 * 60_000


def test_challenges_that_are_strange(person: Person) -> None:
    with LyingSite(INTRANET) as site:
        for path in LyingSite.CHALLENGES:
            done = person.run(*CURL, "--output", "/dev/null", "--write-out", "%{http_code}", f"{site.url}{path}")
            assert done.stdout in ("401", "000"), path
        assert {path for path, _ in site.asked} == set(LyingSite.CHALLENGES)
