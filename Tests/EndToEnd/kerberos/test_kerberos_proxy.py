"""A device outside the organization's network: its KDC is reached over HTTPS alone (MS-KKDCP), as the payload says.
docs/specifications/extensible-single-sign-on.md, 22.7. The proxy is Red Hat's kdcproxy."""

import shutil
from collections.abc import Callable
from pathlib import Path

from kerberos.device import KerberosDevice, headers, signs_in, types
from kerberos.kdc import PASSWORD, Person, Realm, proxy

OTHER = "another-horse-2"


def test_signing_in_and_changing_passwords_over_a_proxy(
    realm: Realm, new_person: Callable[..., Person], tmp_path: Path
) -> None:
    person = new_person()
    # The machine knows no server of the realm, and no name server has one.
    (tmp_path / "krb5.conf").write_text("[libdefaults]\n    dns_lookup_kdc = false\n")
    device = KerberosDevice(tmp_path / "device", realm.name, tmp_path / "krb5.conf")
    with proxy(realm) as address, device.start() as extension:
        data = {"preferredKDCs": [f"kkdcp{address.removeprefix('https')}"]}
        # Nobody knows the proxy's authority yet.
        answer = extension.operation("login", data=data, person=signs_in(person.name))
        assert "No server of SCHOOL.TEST answers." in answer.error["message"], device.log
        shutil.copy(realm.authority.certificate, device.files / f"{realm.name}.authorities.pem")
        told = headers(extension.operation("login", data=data, person=signs_in(person.name)))
        assert told["Principal"] == person.principal, device.log
        assert headers(extension.operation("refresh", data=data))["Signed-In"] == "true", device.log
        changed = extension.operation("changePassword", data=data, person=types({
            "User name": person.name, "Current password": PASSWORD, "New password": OTHER, "New password again": OTHER}))
        assert changed.kind == "empty", (changed, device.log)
        extension.operation("logout", data=data)
        told = headers(extension.operation("login", data=data, person=signs_in(person.name, OTHER)))
        assert told["Principal"] == person.principal, device.log
    # Without the proxy there is no way to the realm.
    with device.start() as extension:
        extension.operation("logout", data=data)
        answer = extension.operation("login", data=data, person=signs_in(person.name, OTHER))
        assert "No server of SCHOOL.TEST answers." in answer.error["message"], device.log
