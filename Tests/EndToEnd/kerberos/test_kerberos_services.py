"""Tickets open the servers of the tests, for clients that are not ours."""

import re
from pathlib import Path

import pytest
from kerberos.kdc import PASSWORD, Person, Realm
from kerberos.negotiate_site import SHELL, NegotiateSite, SecureShell

CURL = ("curl", "--silent", "--show-error", "--max-time", "20")


def test_curl_is_let_in_with_a_ticket(person: Person, site: NegotiateSite) -> None:
    page = f"{site.url}/members/"
    assert person.run(*CURL, "--write-out", "%{http_code}", "--output", "/dev/null", page).stdout == "401"
    done = person.run(*CURL, "--include", "--negotiate", "--user", ":", page)
    assert f"Hello {person.principal}" in done.stdout, done.stderr
    # The last answer proves who the server is.
    proofs = re.findall(r"(?im)^www-authenticate: negotiate (\S+)", done.stdout)
    assert len(proofs) == 1, done.stdout
    assert f"HTTP/{site.host}@{person.realm.name}" in person.tickets()


def test_apache_takes_passwords_where_it_may(person: Person, site: NegotiateSite) -> None:
    for place, schemes in (("passwords", {"Basic"}), ("either", {"Basic", "Negotiate"}), ("members", {"Negotiate"})):
        head = person.run(*CURL, "--include", f"{site.url}/{place}/").stdout
        found = {line.split()[1] for line in head.splitlines() if line.lower().startswith("www-authenticate:")}
        assert found == schemes, head
    for password, status in ((PASSWORD, "200"), ("not-the-password", "401")):
        done = person.run(
            *CURL, "--user", f"{person.name}:{password}", "--write-out", "%{http_code}", "--output", "/dev/null",
            f"{site.url}/passwords/")
        assert done.stdout == status


def test_git_clones_and_pushes(person: Person, site: NegotiateSite, tmp_path: Path) -> None:
    git = ("git", "-c", "http.emptyAuth=true", "-c", "user.name=Ana", "-c", "user.email=ana@school.test")
    folder = tmp_path / "work"
    done = person.run(*git, "clone", site.repository, folder, GIT_TERMINAL_PROMPT="0")
    assert done.returncode == 0, done.stderr
    person.run(*git, "-C", folder, "commit", "--allow-empty", "--message=From the tests")
    done = person.run(*git, "-C", folder, "push", GIT_TERMINAL_PROMPT="0")
    assert done.returncode == 0, done.stderr
    person.kdestroy()
    assert person.run(*git, "clone", site.repository, tmp_path / "second", GIT_TERMINAL_PROMPT="0").returncode != 0


def test_openssh_lets_in_whoever_has_a_ticket(realm: Realm, shell: SecureShell, person: Person) -> None:
    ana = realm.person("ana")
    ana.wrapper = person.wrapper
    assert ana.run(*shell.login(), "echo", "in").stdout == ""
    ana.kinit(PASSWORD)
    done = ana.run(*shell.login(), "echo", "in")
    assert done.stdout == "in\n", done.stderr + shell.program.log_text
    assert f"host/{SHELL}@{realm.name}" in ana.tickets()
    # Another person of the realm has no account there.
    assert person.run(*shell.login(), "echo", "in").stdout == ""


LEGS = """
import base64, gssapi, http.client, sys
host, port, page, flags = sys.argv[1], int(sys.argv[2]), sys.argv[3], [gssapi.RequirementFlag.mutual_authentication]
if len(sys.argv) > 4:
    flags.append(gssapi.RequirementFlag.dce_style)
context = gssapi.SecurityContext(
    name=gssapi.Name(f"HTTP@{host}", gssapi.NameType.hostbased_service), usage="initiate", flags=flags,
    mech=gssapi.OID.from_int_seq("1.3.6.1.5.5.2"))
connection = http.client.HTTPConnection(host, port)
answer, requests = None, 0
while not context.complete:
    token = context.step(answer)
    if token is None:
        break
    connection.request("GET", page, headers={"Authorization": "Negotiate " + base64.b64encode(token).decode()})
    response = connection.getresponse()
    body, requests = response.read().decode(), requests + 1
    _, _, given = response.getheader("WWW-Authenticate", "").partition("Negotiate ")
    answer = base64.b64decode(given) or None
print(context.complete, requests, response.status, bool(context.actual_flags & gssapi.RequirementFlag.mutual_authentication))
print(body)
"""


@pytest.mark.parametrize(("style", "requests"), [((), 1), (("dce",), 2)], ids=["one-leg", "several-legs"])
def test_a_context_is_complete_on_both_sides(
    person: Person, site: NegotiateSite, style: tuple[str, ...], requests: int
) -> None:
    done = person.run("/usr/bin/python3", "-c", LEGS, site.host, str(site.port), "/legs/", *style)
    assert done.stdout.splitlines()[0] == f"True {requests} 200 True", done.stdout + done.stderr
    assert f"Hello {person.principal}" in done.stdout
