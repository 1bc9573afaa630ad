"""A certificate on a smart card gets a ticket, for `kinit`."""

from collections.abc import Callable
from pathlib import Path

from kerberos.kdc import Person, Realm
from kerberos.smart_card import NUMBER, PIN, smart_card


def test_a_card_and_its_pin_get_a_ticket(
    realm: Realm, new_person: Callable[..., Person], tmp_path: Path
) -> None:
    person = new_person()
    card = smart_card(tmp_path, realm.certificate(person.name))

    def kinit(pin: str) -> int:
        return person.run(
            "kinit", "-X", f"X509_user_identity={card.identity}", person.principal, typed=f"{pin}\n", **card.environment
        ).returncode

    assert kinit("000000") != 0
    assert person.tickets() == []
    assert "user PIN count low" in card.flags
    assert kinit(PIN) == 0
    assert person.tickets() == [f"krbtgt/{realm.name}@{realm.name}"]
    assert "user PIN count low" not in card.flags
    # The cache says with what the ticket was got.
    assert f"certid={NUMBER}" in person.run("klist", "-C").stdout
