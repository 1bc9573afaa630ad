"""Servers that take tickets of Kerberos: Apache with mod_auth_gssapi, with git behind it, and OpenSSH.

Apache's site has `/members/`, which wants Negotiate, `/passwords/`, which wants a password that it tries with the KDC,
`/either/`, which takes both, `/legs/`, which keeps a negotiation of several requests on one connection, and `/git/`, where
`git http-backend` stands behind Negotiate. Each page for members says who somebody is.
"""

import getpass
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from apache_site import apache_site, site_folder
from kerberos.kdc import Realm, wait_for_port
from processes import Program, free_port, run

INTRANET = "intranet.school.test"
SHELL = "shell.school.test"

MODULES = ["auth_basic", "alias", "cgid", "env", "setenvif"]

CONFIGURATION = """
KeepAlive On
ScriptSock {folder}/cgi.sock
# Tickets of people with many groups are long.
LimitRequestFieldSize 262144
Alias /passwords {folder}/pages/members
Alias /either {folder}/pages/members
Alias /legs {folder}/pages/members
SetEnv GIT_PROJECT_ROOT {folder}/repositories
SetEnv GIT_HTTP_EXPORT_ALL 1
ScriptAlias /git/ /usr/lib/git-core/git-http-backend/
<Directory /usr/lib/git-core>
    Require all granted
</Directory>
{parts}
SetEnvIf Request_URI "^/passwords/" gssapi-no-negotiate
"""

# The module does not add up the directives of several blocks.
PART = """
<LocationMatch "^/({places})/">
    AuthType GSSAPI
    AuthName "Intranet"
    GssapiCredStore keytab:{keytab}
    GssapiAllowedMech krb5
    {directives}
    Require valid-user
</LocationMatch>
"""
PARTS = {
    "members|git": "",
    "passwords|either": "GssapiBasicAuth On\n    GssapiBasicAuthMech krb5",
    "legs": "GssapiConnectionBound On",
}

MEMBERS_PAGE = """<!doctype html>
<h1>Hello <!--#echo var="REMOTE_USER" --></h1>
"""

SSHD = """\
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host_key
PidFile none
UsePAM no
PermitRootLogin yes
PubkeyAuthentication no
PasswordAuthentication no
KbdInteractiveAuthentication no
GSSAPIAuthentication yes
GSSAPIStrictAcceptorCheck no
LogLevel VERBOSE
"""


@dataclass(frozen=True)
class NegotiateSite:
    host: str
    port: int
    folder: Path

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}"

    @property
    def repository(self) -> str:
        return f"{self.url}/git/work.git"


@contextmanager
def negotiate_site(folder: Path, settings: Path, host: str, keytab: Path) -> Iterator[NegotiateSite]:
    """Runs Apache while the block runs. `settings`: a krb5.conf. `folder`: for its log. The name leads to it only for
    programs that find it with `with_hosts`, or are told its address."""
    port = free_port()
    with site_folder() as place:
        # www-data reads them.
        for file in (keytab, settings):
            Path(shutil.copy(file, place)).chmod(0o644)
        (place / "replays").mkdir()
        (place / "replays").chmod(0o777)
        _make_repository(place / "repositories" / "work.git", place / "draft")
        modules = "\n".join(f"LoadModule {one}_module /usr/lib/apache2/modules/mod_{one}.so" for one in MODULES)
        environment = {
            "KRB5_CONFIG": place / settings.name, "KRB5RCACHENAME": f"file2:{place}/replays/seen",
            # Apache's own user is not the owner of the repositories.
            "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*",
        }
        passed_on = "\n".join(f"PassEnv {name}" for name in environment if name.startswith("GIT_"))
        parts = "".join(
            PART.format(places=places, keytab=place / keytab.name, directives=directives)
            for places, directives in PARTS.items())
        with apache_site(
            place, port, module="auth_gssapi", members_page=MEMBERS_PAGE, log=folder / f"apache-{port}.log",
            environment=environment,
            configuration=f"{modules}\n{passed_on}\n"
            + CONFIGURATION.format(folder=place, parts=parts),
        ):
            yield NegotiateSite(host, port, place)


def _make_repository(bare: Path, draft: Path) -> None:
    author = ("-c", "user.name=Ana", "-c", "user.email=ana@school.test")
    for command in (
        ("git", "init", "--quiet", "--initial-branch=main", draft),
        ("git", "-C", draft, *author, "commit", "--quiet", "--allow-empty", "--message=Begin"),
        ("git", "clone", "--quiet", "--bare", draft, bare),
        ("git", "-C", bare, "config", "http.receivepack", "true"),
        ("chmod", "--recursive", "a+rwX", bare),
    ):
        done = run(*command)
        assert done.returncode == 0, done.stderr


@dataclass(frozen=True)
class SecureShell:
    host: str
    port: int
    program: Program

    def login(self, *options: str) -> list[str]:
        """A command that signs in to the account of whoever runs the tests, with a ticket and nothing else."""
        return [
            "ssh", "-F", "none", "-p", str(self.port), "-o", "BatchMode=yes", "-o", "GSSAPIAuthentication=yes",
            "-o", "PreferredAuthentications=gssapi-with-mic", "-o", "StrictHostKeyChecking=no",
            "-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR", *options, f"{getpass.getuser()}@{self.host}"]


@contextmanager
def secure_shell(folder: Path, realm: Realm, host: str, keytab: Path, *people: str) -> Iterator[SecureShell]:
    """Runs OpenSSH's server, which lets `people` of the realm into the account of whoever runs the tests."""
    folder.mkdir(parents=True, exist_ok=True)
    port = free_port()
    done = run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / "host_key")
    assert done.returncode == 0, done.stderr
    (folder / "sshd_config").write_text(SSHD.format(port=port, folder=folder))
    names = "".join(f"            {person} = {getpass.getuser()}\n" for person in people)
    settings = realm.client_settings("sshd-krb5.conf", mapping=f"        auth_to_local_names = {{\n{names}        }}")
    # It wants a folder that its service makes below /run.
    program = Program(
        "unshare", "--mount", "sh", "-ec", 'mount -t tmpfs none /run; mkdir --mode=755 /run/sshd; exec "$@"', "sshd",
        "env", f"KRB5_CONFIG={settings}", f"KRB5_KTNAME={keytab}", f"KRB5RCACHENAME=file2:{folder}/replays",
        "/usr/sbin/sshd", "-D", "-e", "-f", folder / "sshd_config", log=folder / "sshd.log")
    try:
        wait_for_port(program, port, "OpenSSH listens")
        yield SecureShell(host, port, program)
    finally:
        print(program.log_text)
        program.stop()
