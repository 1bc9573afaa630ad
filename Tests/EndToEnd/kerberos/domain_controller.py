"""An Active Directory domain of Samba, with one domain controller in a network of its own.

Programs get there with `domain.entering`, where its name server is the system's, and every port is the usual one. So
clients find it by SRV records, as in a school or a company. Making the domain takes some seconds: tests share one, and
add people of their own.
"""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kerberos.certificates import CertificateAuthority
from kerberos.kdc import Person
from kerberos.places import PrivateNetwork
from processes import Program, run

ADMINISTRATOR_PASSWORD = "Administrator-1"
PASSWORD = "Correct-horse-1"
HOST = "dc1"
# Programs in the network speak to the first address, and from it; so they are at the site of its subnet.
ADDRESS = "192.0.2.10"
ADDRESSES = [f"{ADDRESS}/24", "198.51.100.10/24", "203.0.113.10/24"]
SITES = {"Main-Building": "192.0.2.0/24", "Branch": "198.51.100.0/24"}

CONFIGURATION = """\
[global]
    netbios name = {host}
    realm = {realm}
    workgroup = {workgroup}
    server role = active directory domain controller
    server services = s3fs, rpc, ldap, cldap, kdc, winbindd, dns
    prefork children = 1
    bind interfaces only = yes
    interfaces = 127.0.0.1/8 {address}/24
    lock directory = {folder}
    private dir = {folder}/private
    state directory = {folder}/state
    cache directory = {folder}/cache
    pid directory = {folder}/pid
    ncalrpc dir = {folder}/ncalrpc
    ntp signd socket directory = {folder}/ntp
    logging = file
    log file = {folder}/samba.log
    idmap_ldb:use rfc2307 = yes
    tls keyfile = {leaf.key}
    tls certfile = {leaf.certificate}
    tls cafile = {authority.certificate}
    # As Active Directory does it: a ticket is enough where TLS encrypts.
    ldap server require strong auth = allow_sasl_over_tls
    load printers = no
    disable spoolss = yes
    dns forwarder =
[sysvol]
    path = {folder}/state/sysvol
    read only = no
[netlogon]
    path = {folder}/state/sysvol/{domain}/scripts
    read only = no
"""

# A computer that has joined the domain has such settings: the name, and the rest comes from the name server.
CLIENT = """\
[libdefaults]
    default_realm = {realm}
    dns_lookup_kdc = true
    dns_canonicalize_hostname = false
    rdns = false
    qualify_shortname = ""
[domain_realm]
    .{domain} = {realm}
    {domain} = {realm}
"""


class Domain:
    """Runs while the block does. It has these people with the password `PASSWORD`:

    `ana`, who may sign in; `expired`, whose password is older than the domain allows; `must-change`, who got theirs from an
    administrator; `disabled`; `departed`, whose account has expired; `locked`, after too many wrong passwords.
    """

    def __init__(self, folder: Path, name: str = "ad.school.test", workgroup: str = "SCHOOL"):
        self.folder = folder
        self.name = name
        self.realm = name.upper()
        self.workgroup = workgroup
        self.host = f"{HOST}.{name}"
        self.base = ",".join(f"DC={label}" for label in name.split("."))
        self.network: PrivateNetwork | None = None
        self._samba: Program | None = None

    def __enter__(self) -> "Domain":
        try:
            self.network = PrivateNetwork(self.folder / "network", ADDRESSES, ADDRESS)
            self._provision()
            self.start()
            # ... and tells the name server where they are.
            self._call("samba_dnsupdate", "--use-samba-tool", "-s", self._configuration)
            self._lock_out("locked")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        if self.network:
            self.network.stop()

    @property
    def entering(self) -> tuple[str, ...]:
        assert self.network
        return self.network.entering

    @property
    def settings(self) -> Path:
        return self.folder / "krb5.conf"

    def _provision(self) -> None:
        data = self.folder / "data"
        data.mkdir()
        self._configuration = self.folder / "smb.conf"
        done = run(
            *self.entering, "samba-tool", "domain", "provision", "--server-role=dc", "--use-rfc2307",
            "--dns-backend=SAMBA_INTERNAL", f"--realm={self.realm}", f"--domain={self.workgroup}", f"--host-name={HOST}",
            f"--host-ip={ADDRESS}", f"--adminpass={ADMINISTRATOR_PASSWORD}", f"--targetdir={data}",
            "--option=interfaces=lo", "--option=bind interfaces only=yes", f"--option=log file={self.folder}/provision.log")
        assert done.returncode == 0, done.stderr[-4000:]
        for folder in ("pid", "cache"):
            (data / folder).mkdir(exist_ok=True)
        self.authority = CertificateAuthority(self.folder / "authority")
        self._configuration.write_text(CONFIGURATION.format(
            folder=data, host=HOST.upper(), address=ADDRESS, realm=self.realm, workgroup=self.workgroup, domain=self.name,
            authority=self.authority, leaf=self.authority.for_host(self.host)))
        self.settings.write_text(CLIENT.format(realm=self.realm, domain=self.name))
        self.tool(
            ["domain", "passwordsettings", "set", "--complexity=on", "--min-pwd-length=8", "--history-length=3",
             "--min-pwd-age=0", "--max-pwd-age=42", "--account-lockout-threshold=3", "--account-lockout-duration=30",
             "--reset-account-lockout-after=30"],
            *(["sites", "create", site] for site in SITES),
            *(["sites", "subnet", "create", subnet, site] for site, subnet in SITES.items()),
            ["move-controller", HOST.upper(), next(iter(SITES))],
            ["user", "create", "ana", PASSWORD, "--given-name=Ana", "--surname=Sato", f"--mail-address=ana@{self.name}"],
            ["user", "create", "must-change", PASSWORD, "--must-change-at-next-login"],
            ["user", "create", "disabled", PASSWORD],
            ["user", "disable", "disabled"],
            ["user", "create", "departed", PASSWORD],
            ["user", "setexpiry", "departed", "--days=-1"],
            ["user", "create", "locked", PASSWORD],
        )
        self.tool(["user", "create", "expired", PASSWORD], clock="-100d")
        # Samba itself does this some time after the start: it gives the controller names for its services, ...
        self._call("samba_spnupdate", "-s", self._configuration)

    def tool(self, *commands: list, clock: str | None = None) -> None:
        """Commands of `samba-tool`, and `["set", account, {attribute: value}]`. `clock`: as `faketime` takes it."""
        wrapper = ("faketime", "-f", clock) if clock else ()
        done = subprocess.run(
            [*self.entering, *wrapper, "/usr/bin/python3", str(Path(__file__).with_name("domain_controller_tool.py")),
             str(self._configuration)],
            input=json.dumps(commands), capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stdout + done.stderr

    def _call(self, *arguments: str | Path) -> None:
        done = run(*self.entering, *arguments)
        assert done.returncode == 0, done.stdout + done.stderr

    def start(self) -> None:
        self._samba = Program(
            # Its services start sessions of their own; they end with the first process of a namespace.
            *self.entering, "unshare", "--pid", "--fork", "--kill-child", "--mount-proc",
            "env", f"KRB5_CONFIG={self.settings}", "samba", "--foreground", "--no-process-group",
            f"--configfile={self._configuration}", log=self.folder / "samba.out")
        administrator = self.person("administrator")
        self._samba.wait_until(
            lambda: administrator.kinit(ADMINISTRATOR_PASSWORD).returncode == 0, 60, "the KDC answers")
        # Its services start one after the other.
        self._samba.wait_until(
            lambda: run(*self.entering, "bash", "-c", "for port in 445 389 636; do : < /dev/tcp/127.0.0.1/$port || exit 1; done"
                        ).returncode == 0, 60, "files and directory answer")

    def stop(self) -> None:
        """Stops the domain controller; its network and its data remain, so that it may be started again."""
        if self._samba:
            self._samba.stop()
            self._samba = None

    def person(self, name: str) -> "DomainPerson":
        return DomainPerson(self, name)

    def add(self, name: str, password: str = PASSWORD, *options: str) -> None:
        """`options` are those of `samba-tool user create`."""
        self.tool(["user", "create", name, password, *options])

    def _lock_out(self, name: str) -> None:
        person = self.person(name)
        for _ in range(3):
            person.kinit("Not-the-password-1")

    def keytab(self, service: str, account: str) -> Path:
        """An account for a service, such as `HTTP/intranet.ad.school.test`, and a file with its keys."""
        path = self.folder / f"{account}.keytab"
        self.tool(
            ["user", "create", account, "Service-of-the-domain-1"],
            ["set", account, {"msDS-SupportedEncryptionTypes": "24"}],
            # The keys are made with the password.
            ["user", "setpassword", account, "--newpassword=Service-of-the-domain-2"],
            ["spn", "add", service, account],
            ["domain", "exportkeytab", str(path), f"--principal={service}"],
        )
        return path

    @contextmanager
    def clients_at(self, address: str) -> Iterator[None]:
        """What programs say to the domain controller comes from this one of `ADDRESSES`, while the block runs."""
        assert self.network
        route = ("route", "replace", "table", "local", "local", ADDRESS, "dev", "lo", "proto", "kernel", "scope", "host")
        self.network.ip(*route, "src", address)
        try:
            yield
        finally:
            self.network.ip(*route, "src", ADDRESS)

    @contextmanager
    def out_of_reach(self) -> Iterator[None]:
        """While the block runs, programs in the network reach neither the domain controller nor its name server."""
        assert self.network
        self.network.ip("address", "del", ADDRESSES[0], "dev", "lo")
        try:
            yield
        finally:
            self.network.ip("address", "add", ADDRESSES[0], "dev", "lo")

    @property
    def log(self) -> str:
        return (self.folder / "data" / "samba.log").read_text(errors="replace")


class DomainPerson(Person):
    """Somebody of the domain, whose commands run in its network."""

    def __init__(self, domain: Domain, name: str):
        self.domain = domain
        self.name = name
        self.settings = domain.settings
        self.cache = f"FILE:{domain.folder}/{name}.ccache"

    @property
    def principal(self) -> str:
        return f"{self.name}@{self.domain.realm}"

    @property
    def wrapper(self) -> tuple[str, ...]:
        return self.domain.entering
