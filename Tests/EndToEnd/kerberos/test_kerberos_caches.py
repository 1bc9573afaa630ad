"""Where tickets are on machines that name no cache, and how they are replaced there:
docs/specifications/extensible-single-sign-on.md, 25."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from kerberos.device import KerberosDevice, headers, signs_in
from kerberos.kcm import WatchedKeeper, ticket_keeper
from kerberos.kdc import PASSWORD, Realm
from kerberos.signed_in_device import RealmDevice
from processes import wait_until

# Runs a command for which the kernel keeps no keys, as most containers do it.
WITHOUT_KEYRINGS = r"""
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int count, char **words)
{
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_keyctl, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_add_key, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
    };
    struct sock_fprog filter = {sizeof steps / sizeof *steps, steps};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
        return 1;
    execvp(words[1], words + 1);
    return 1;
}
"""


@pytest.fixture
def own_realm(tmp_path: Path) -> Iterator[Realm]:
    """Its name is in no other run of the tests: the kernel keeps the tickets of a user for all programs of the machine."""
    with Realm(tmp_path / "realm", f"CACHES-{os.getpid()}.TEST") as realm:
        realm.add("ana", PASSWORD)
        yield realm


@pytest.fixture
def without_keyrings(tmp_path: Path) -> list[str]:
    source, program = tmp_path / "without-keyrings.c", tmp_path / "without-keyrings"
    source.write_text(WITHOUT_KEYRINGS)
    subprocess.run(["cc", "-o", program, source], check=True)
    return [str(program)]


def signs_in_to(device: RealmDevice, cache: str, reason: str, said: str) -> None:
    with device.running():
        device.sign_in("ana")
        state = device.status()
        assert (state["cacheUse"], state["cache"], state["cacheReason"]) == ("shared", cache, reason)
        assert f"{cache} (shared; {said})" in device.kerberos("status").stdout
        assert f"Default principal: ana@{device.name}" in device.run("klist", "-c", cache).stdout
        # It is found there by another run of everything.
        device.broker.stop()
        device.broker.start()
        assert (device.status()["signedIn"], device.kerberos("refresh").returncode) == (True, 0)
        assert device.kerberos("sign-out").returncode == 0
        assert device.run("klist", "-c", cache).returncode == 1


def test_the_kernel_keeps_tickets_where_nothing_else_is_named(own_realm: Realm, tmp_path: Path) -> None:
    device = RealmDevice(tmp_path / "device", own_realm, cache="nothing")
    cache = f"KEYRING:persistent:{os.getuid()}:sso-{own_realm.name}"
    try:
        signs_in_to(device, cache, "keyring", "the kernel keeps tickets here")
    finally:
        device.run("kdestroy", "-q", "-c", cache)


SERVICE = "HTTP/legs.school.test"


def key_numbers(server: str) -> set[str]:
    """The numbers of the kernel's keys for tickets for a server. One that was removed stays among them for a moment."""
    lines = [line.split() for line in Path("/proc/keys").read_text().splitlines()]
    return {words[0] for words in lines if words[8] == f"{server}:"}


def test_the_kernel_s_ticket_is_replaced_in_one_step(own_realm: Realm, tmp_path: Path) -> None:
    own_realm.add(SERVICE)
    cache = f"KEYRING:persistent:{os.getuid()}:sso-{own_realm.name}"
    device = KerberosDevice(tmp_path / "device", own_realm.name, own_realm.settings, KRB5CCNAME=cache)
    granting, service = f"krbtgt/{own_realm.name}@{own_realm.name}", f"{SERVICE}@{own_realm.name}"
    try:
        with device.start() as extension:
            assert headers(extension.operation("login", person=signs_in("ana")))["Cache-Name"] == cache
            # Those of another test may be among them for a moment.
            [number] = wait_until(lambda: len(found := key_numbers(granting)) == 1 and found, 20, "there is one key")
            for operation, options in (("refresh", {}), ("login", {"force": "true"})):
                assert device.run("kvno", service).returncode == 0
                assert service in device.tickets()
                answer = extension.operation(operation, options=options, person=signs_in("ana"))
                assert headers(answer)["Cache-Name"] == cache
                # A key that is written anew keeps its number, and nobody finds the cache without it. What was got with the earlier
                # ticket is gone.
                assert key_numbers(granting) == {number}
                assert granting in device.tickets() and service not in device.tickets()
    finally:
        device.run("kdestroy", "-q", "-c", cache)


def test_a_keeper_s_ticket_is_renewed_in_one_step(own_realm: Realm, tmp_path: Path) -> None:
    own_realm.add(SERVICE)
    service = f"{SERVICE}@{own_realm.name}"
    with ticket_keeper(tmp_path / "kcm") as keeper, WatchedKeeper(keeper) as watched:
        settings = own_realm.client_settings("watched.conf", defaults=watched.defaults)
        device = KerberosDevice(tmp_path / "device", own_realm.name, settings, KRB5CCNAME="KCM:")
        with device.start() as extension:
            cache = headers(extension.operation("login", person=signs_in("ana")))["Cache-Name"]
            assert cache.startswith("KCM:")

            def tickets() -> str:
                return device.run("klist", "-c", cache).stdout

            assert watched.INITIALIZE in watched.asked
            assert device.run("kvno", "-c", cache, service).returncode == 0
            watched.asked.clear()
            assert headers(extension.operation("refresh"))["Cache-Name"] == cache
            # Whoever looks finds a ticket at every moment. SSSD removes no single one, so that for the service stays until it ends.
            assert watched.STORE in watched.asked and watched.INITIALIZE not in watched.asked
            assert tickets().count("krbtgt/") == 1 and service in tickets()
            # Another sign-in may find that the person is in other groups, so nothing of the earlier one stays.
            extension.operation("login", options={"force": "true"}, person=signs_in("ana"))
            assert watched.INITIALIZE in watched.asked
            assert tickets().count("krbtgt/") == 1 and service not in tickets()


def test_a_folder_of_the_session_has_them_where_the_kernel_keeps_none(
    own_realm: Realm, without_keyrings: list[str], tmp_path: Path
) -> None:
    device = RealmDevice(tmp_path / "device", own_realm, cache="nothing")
    device.broker.entering += without_keyrings
    cache = f"DIR::{tmp_path}/device/run/krb5cc/tktsso-{own_realm.name}"
    signs_in_to(device, cache, "session", "it ends with the session")


def test_the_extension_s_own_folder_is_what_remains(
    own_realm: Realm, without_keyrings: list[str], tmp_path: Path
) -> None:
    device = RealmDevice(tmp_path / "device", own_realm, cache="nothing")
    device.broker.entering += ["env", "--unset=XDG_RUNTIME_DIR", *without_keyrings]
    own = device.broker.state / "extensions" / "com.apple.AppSSOKerberos.KerberosExtension"
    signs_in_to(device, f"FILE:{own}/sso-{own_realm.name}.tickets", "remaining", "nothing else takes tickets")
