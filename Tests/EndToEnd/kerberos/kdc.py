"""A realm of MIT Kerberos: `krb5kdc` and `kadmind` on free ports of this machine.

    with Realm(folder, "SCHOOL.TEST") as realm:
        realm.add("ana", PASSWORD)
        ana = realm.person("ana")
        assert ana.kinit(PASSWORD).returncode == 0

Programs of a person use the realm with `ana.environment`, which names a krb5.conf and their own ticket cache.
"""

import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kerberos.certificates import CertificateAuthority, Leaf
from processes import ROOT, Program, free_port, run

# Everybody has this password, where a test does not say another.
PASSWORD = "correct-horse-1"
MASTER_PASSWORD = "master-of-the-tests"

CLIENT = """\
[libdefaults]
    default_realm = {realm}
    dns_lookup_kdc = false
    dns_lookup_realm = false
    dns_canonicalize_hostname = false
    rdns = false
    # Otherwise the machine's search domain is put behind names without a dot.
    qualify_shortname = ""
    forwardable = true
{defaults}
[realms]
    {realm} = {{
{places}
        pkinit_anchors = FILE:{anchor}
        http_anchors = FILE:{anchor}
{mapping}
    }}
{others}
[domain_realm]
    .{domain} = {realm}
    {domain} = {realm}
{hosts}
"""

SERVER = """\
[kdcdefaults]
    kdc_listen = 127.0.0.1:{kdc}
    kdc_tcp_listen = 127.0.0.1:{kdc}
[realms]
    {realm} = {{
        database_name = {folder}/principal
        acl_file = {folder}/acl
        key_stash_file = {folder}/stash
        kadmind_listen = 127.0.0.1:{kadmin}
        kpasswd_listen = 127.0.0.1:{kpasswd}
        max_life = 10h
        max_renewable_life = 7d
        default_principal_flags = +preauth
        pkinit_identity = FILE:{certificate},{key}
        pkinit_anchors = FILE:{anchor}
    }}
[logging]
    kdc = FILE:{folder}/kdc.log
    admin_server = FILE:{folder}/kadmin.log
"""


class Realm:
    """Runs while the block does. Principals may be added before, while and after."""

    def __init__(
        self, folder: Path, name: str, *, authority: CertificateAuthority | None = None, certified_as: str | None = None
    ):
        """`certified_as`: the host in the KDC's certificate, which is one without the mark for Kerberos then."""
        self.folder = folder
        self.folder.mkdir(parents=True, exist_ok=True)
        self.name = name
        self.domain = name.lower()
        self.authority = authority or CertificateAuthority(folder / "authority")
        self.kdc_port, self.kadmin_port, self.kpasswd_port = free_port(), free_port(), free_port()
        certificate = (
            self.authority.for_center(certified_as) if certified_as
            else self.authority.for_principal(f"krbtgt/{name}@{name}", is_kdc=True))
        self._server_settings = folder / "kdc.conf"
        self._server_settings.write_text(SERVER.format(
            realm=name, folder=folder, kdc=self.kdc_port, kadmin=self.kadmin_port, kpasswd=self.kpasswd_port,
            certificate=certificate.certificate, key=certificate.key, anchor=self.authority.certificate))
        (folder / "acl").write_text("")
        self.settings = self.client_settings("krb5.conf")
        self._kdc: Program | None = None
        self._kadmind: Program | None = None
        self._create()

    def client_settings(
        self, file: str, *, kdc: str | None = None, kpasswd: str | None = None, defaults: str = "", others: str = "", hosts: str = "",
        mapping: str = "",
    ) -> Path:
        """Writes another krb5.conf into the realm's folder.

        `kdc`: where clients think that the KDC is, as `127.0.0.1:88` or `https://localhost:443/KdcProxy`; through a proxy
        passwords are changed, too. `kpasswd`: where they think that passwords are changed. `defaults`: lines of `[libdefaults]`. `others`: lines of `[realms]`. `hosts`: lines
        of `[domain_realm]`. `mapping`: lines of the realm's own part, such as `auth_to_local_names`.
        """
        if kpasswd is None:
            kpasswd = kdc if kdc and kdc.startswith("https:") else f"127.0.0.1:{self.kpasswd_port}"
        places = (
            f"        kdc = {kdc or f'127.0.0.1:{self.kdc_port}'}\n"
            f"        admin_server = 127.0.0.1:{self.kadmin_port}\n"
            f"        kpasswd_server = {kpasswd}")
        path = self.folder / file
        path.write_text(CLIENT.format(
            realm=self.name, domain=self.domain, places=places, anchor=self.authority.certificate, defaults=defaults,
            others=others, hosts=hosts, mapping=mapping))
        return path

    def as_other_realm(self) -> str:
        """Lines of `[realms]` with which clients of another realm find this one."""
        return (
            f"    {self.name} = {{\n        kdc = 127.0.0.1:{self.kdc_port}\n"
            f"        kpasswd_server = 127.0.0.1:{self.kpasswd_port}\n    }}\n")

    @property
    def environment(self) -> dict[str, str]:
        return {"KRB5_CONFIG": str(self.settings)}

    def __enter__(self) -> "Realm":
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self, *, clock: str | None = None) -> None:
        """`clock`: as `faketime` takes it, such as `+1h`: how far the KDC's clock is off."""
        self.start_kdc(clock=clock)
        self._kadmind = self._run("/usr/sbin/kadmind", "-nofork", log="kadmind")
        wait_for_port(self._kadmind, self.kpasswd_port, "passwords can be changed")

    def start_kdc(self, *, clock: str | None = None) -> None:
        wrapper = ("faketime", "-f", clock) if clock else ()
        self._kdc = self._run(*wrapper, "/usr/sbin/krb5kdc", "-n", log="krb5kdc")
        wait_for_port(self._kdc, self.kdc_port, "the KDC answers")

    def stop(self) -> None:
        self.stop_kdc()
        if self._kadmind:
            self._kadmind.stop()
            self._kadmind = None

    def stop_kdc(self) -> None:
        if self._kdc:
            self.go_on()
            self._kdc.stop()
            # What `faketime` shares with the program it starts, it leaves behind when it is stopped.
            for left in Path("/dev/shm").glob(f"*faketime_s*_{self._kdc.process.pid}"):
                left.unlink()
            self._kdc = None

    def pause(self) -> None:
        """The KDC takes connections and datagrams, and says nothing."""
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self._signal(signal.SIGCONT)

    def _signal(self, number: int) -> None:
        assert self._kdc
        for process in self._kdc.session_members():
            os.kill(process, number)

    @property
    def log(self) -> str:
        """What the KDC has noted in all its runs."""
        return (self.folder / "kdc.log").read_text()

    def _run(self, *arguments: str, log: str) -> Program:
        return Program(
            "env", f"KRB5_CONFIG={self.settings}", f"KRB5_KDC_PROFILE={self._server_settings}", *arguments,
            log=self.folder / f"{log}.out")

    def _create(self) -> None:
        done = self._administer("kdb5_util", "create", "-s", "-r", self.name, "-P", MASTER_PASSWORD)
        assert done.returncode == 0, done.stderr

    def _administer(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return run(
            "env", f"KRB5_CONFIG={self.settings}", f"KRB5_KDC_PROFILE={self._server_settings}", *arguments)

    def kadmin(self, *query: str | Path) -> str:
        """What `kadmin.local` answers to a query, such as `getprinc`, `ana`."""
        words = " ".join('"' + str(word).replace('"', '""') + '"' for word in query)
        done = self._administer("kadmin.local", "-r", self.name, "-q", words)
        # A query that fails has status 0, too, and says why.
        failures = [line for line in done.stderr.splitlines() if not line.startswith(("No policy specified", "WARNING"))]
        assert done.returncode == 0 and not failures, done.stdout + done.stderr
        return done.stdout

    def add(self, principal: str, password: str | None = None, *options: str) -> str:
        """Adds a principal and returns its name with the realm. Without a password it has a random key.

        `options` are those of `addprinc`, such as `+needchange`, `-allow_tix` (locked), `-expire`, `1 day ago` (the person),
        `-pwexpire`, `1 hour ago` (the password), `-policy`, `strict`.
        """
        secret = ["-pw", password] if password is not None else ["-randkey"]
        self.kadmin("addprinc", *options, *secret, principal)
        return f"{principal}@{self.name}"

    def add_policy(self, name: str, *options: str) -> None:
        """`options` are those of `addpol`, such as `-maxfailure`, `3`, `-history`, `3`, `-minlength`, `8`, `-minclasses`, `3`."""
        self.kadmin("addpol", *options, name)

    def change(self, principal: str, *options: str) -> None:
        """`options` are those of `modprinc`, such as `-unlock`."""
        self.kadmin("modprinc", *options, principal)

    def set_password(self, principal: str, password: str) -> None:
        self.kadmin("cpw", "-pw", password, principal)

    def delete(self, principal: str) -> None:
        self.kadmin("delprinc", "-force", principal)

    def keytab(self, *principals: str, file: str = "service.keytab") -> Path:
        """Adds services with random keys, such as `HTTP/intranet.school.test`, and writes their keys."""
        path = self.folder / file
        for principal in principals:
            self.add(principal)
            self.kadmin("ktadd", "-k", path, principal)
        return path

    def trust(self, other: "Realm") -> None:
        """Each realm's people can get tickets for services of the other. Both realms need the same keys for it."""
        for ticket in (f"krbtgt/{self.name}@{other.name}", f"krbtgt/{other.name}@{self.name}"):
            for realm in (self, other):
                realm.kadmin("addprinc", "-pw", "between-the-realms-1", ticket)

    def certificate(self, name: str) -> Leaf:
        return self.authority.for_principal(f"{name}@{self.name}")

    def person(self, name: str) -> "Person":
        return Person(self, name)


def long_tickets(addresses: int = 4000) -> str:
    """Lines of `[libdefaults]` with which `kinit -a` gets tickets as long as those of people with very many groups: each
    ticket names these addresses, about 15 bytes each, and is good from 127.0.0.1."""
    others = [f"10.0.{number // 250}.{number % 250 + 1}" for number in range(addresses)]
    return "    noaddresses = false\n" + "".join(
        f"    extra_addresses = {address}\n" for address in ("127.0.0.1", *others))


class Person:
    """Somebody with a ticket cache of their own, and the commands that they give."""

    # What stands before their commands, as what `with_hosts` returns.
    wrapper: tuple[str, ...] = ()

    def __init__(self, realm: Realm, name: str, settings: Path | None = None, cache: str | None = None):
        self.realm = realm
        self.name = name
        self.settings = settings or realm.settings
        self.cache = cache or f"FILE:{realm.folder}/{name.replace('/', '-')}.ccache"

    @property
    def principal(self) -> str:
        return self.name if "@" in self.name else f"{self.name}@{self.realm.name}"

    @property
    def environment(self) -> dict[str, str]:
        return {"KRB5_CONFIG": str(self.settings), "KRB5CCNAME": self.cache}

    def run(self, *arguments: str | Path, typed: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
        """Runs a command that is not ours. `typed`: lines for its standard input."""
        return subprocess.run(
            [str(argument) for argument in (*self.wrapper, *arguments)], cwd=ROOT, input=typed, capture_output=True,
            text=True, timeout=60, env=os.environ | self.environment | {"LC_ALL": "C.UTF-8"} | environment)

    def kinit(self, *passwords: str, options: tuple[str | Path, ...] = ()) -> subprocess.CompletedProcess[str]:
        """`passwords`: what they type, one after the other: a new password follows twice if it must be changed."""
        return self.run("kinit", *options, self.principal, typed="".join(f"{password}\n" for password in passwords))

    def kpasswd(self, old: str, new: str) -> subprocess.CompletedProcess[str]:
        return self.run("kpasswd", self.principal, typed=f"{old}\n{new}\n{new}\n")

    def tickets(self) -> list[str]:
        """The services for which there are tickets that are good now."""
        done = self.run("klist")
        return [line.split()[-1] for line in done.stdout.splitlines() if line[:2].isdigit()]

    @property
    def cache_size(self) -> int:
        """Bytes in the file with the tickets."""
        return Path(self.cache.removeprefix("FILE:")).stat().st_size

    def kdestroy(self) -> None:
        self.run("kdestroy", "-q")


@contextmanager
def proxy(realm: Realm) -> Iterator[str]:
    """Red Hat's proxy, which speaks to the KDC for clients that speak HTTPS (MS-KKDCP); its address."""
    folder = realm.folder / "proxy"
    folder.mkdir(exist_ok=True)
    port = free_port()
    settings = folder / "kdcproxy.conf"
    settings.write_text(f"""\
[global]
use_dns = false
[{realm.name}]
kerberos = kerberos+tcp://127.0.0.1:{realm.kdc_port}
kpasswd = kpasswd+tcp://127.0.0.1:{realm.kpasswd_port}
""")
    leaf = realm.authority.for_host("localhost")
    program = Program(
        "env", f"KDCPROXY_CONFIG={settings}", f"KRB5_CONFIG={realm.settings}", "/usr/bin/python3",
        Path(__file__).with_name("kdc_proxy_server.py"), str(port), leaf.certificate, leaf.key, log=folder / "log")
    try:
        program.wait_until(lambda: is_open(port), 20, "the proxy listens")
        yield f"https://localhost:{port}/KdcProxy"
    finally:
        print(program.log_text)
        program.stop()


def is_open(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False


def wait_for_port(program: Program, port: int, what: str) -> None:
    program.wait_until(lambda: is_open(port), 20, what)
