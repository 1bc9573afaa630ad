"""Tickets that a process keeps are as good as those in files, for programs of MIT and curl."""

from collections.abc import Callable
from pathlib import Path

from kerberos.kcm import ticket_keeper
from kerberos.kdc import PASSWORD, Person, Realm
from kerberos.negotiate_site import NegotiateSite


def test_a_process_keeps_tickets(
    realm: Realm, new_person: Callable[..., Person], site: NegotiateSite, tmp_path: Path
) -> None:
    person, other = new_person(), new_person()
    with ticket_keeper(tmp_path / "kcm") as keeper:
        settings = realm.client_settings("kcm.conf", defaults=keeper.defaults)
        for somebody in (person, other):
            somebody.settings, somebody.cache = settings, "KCM:"
            assert somebody.kinit(PASSWORD).returncode == 0
        done = other.run("curl", "--silent", "--show-error", "--negotiate", "--user", ":", f"{site.url}/members/")
        assert f"Hello {other.principal}" in done.stdout, done.stderr
        # One cache for each principal; the last one is the default.
        both = person.run("klist", "-l").stdout
        assert person.principal in both and other.principal in both
        assert "kswitch" not in person.run("kswitch", "-p", person.principal).stderr
        assert person.principal in person.run("klist").stdout
        keeper.stop()
        assert person.run("klist").returncode != 0
        keeper.start()
        assert person.tickets() == []
