"""`lanyard setup`: five questions at a terminal, or a file, and a server is set up."""

import json
import os
import re
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import requests
from aiosmtpd.smtp import AuthResult, LoginPassword
from database import run_sql
from lanyard_tool import Tool
from name_server import NameServer
from processes import LANYARD, free_port, run
from relay.post_office import PostOffice
from terminal import in_terminal

NAME, DOMAIN = "Maple District", "maple.example"
ADDRESS = f"https://id.{DOMAIN}"
# A name that leads to this machine, which that of ADDRESS does not.
HERE = f"here.{DOMAIN}"


@pytest.fixture(scope="module")
def name_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NameServer]:
    server = NameServer(tmp_path_factory.mktemp("names"), DOMAIN)
    server.records.append("here A 127.0.0.1")
    yield server.start()
    server.stop()


@pytest.fixture(autouse=True)
def asks_it(name_server: NameServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody else's name servers are asked."""
    monkeypatch.setenv("LANYARD_NAME_SERVERS", name_server.address)


def setup(tool: Tool, *arguments: str | Path, wrapper: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    """The database is one of the answers, and no option."""
    return run(*wrapper, LANYARD, "setup", *arguments, "--data", tool.data)


def answers_file(folder: Path, tool: Tool, **more: Any) -> Path:
    answers = {"name": NAME, "domain": DOMAIN, "address": ADDRESS} | ({"database": tool.database} if tool.database else {}) | more
    file = folder / "answers.json"
    file.write_text(json.dumps(answers))
    file.chmod(0o600)
    return file


def everything(folder: Path) -> dict[str, bytes]:
    """What is in a folder, without what SQLite writes in passing."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*") if path.is_file() and not path.name.endswith(("-wal", "-shm"))}


def certificate(folder: Path, name: str, days: int = 60) -> tuple[Path, Path]:
    key, file = folder / f"{name}.key", folder / f"{name}.pem"
    made = run(
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc", "-keyout", key, "-out", file,
        "-days", str(days), "-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}")
    assert made.returncode == 0, made.stderr
    return key, file


@pytest.mark.on_each_database
def test_a_file_sets_a_server_up_and_a_second_run_changes_nothing(tool: Tool, tmp_path: Path) -> None:
    address = f"http://127.0.0.1:{(port := free_port())}"
    file = answers_file(tmp_path, tool, address=address)
    done = setup(tool, "--from", file, "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert set(result["changed"]) == {"baseURL", "organization", "domain"} | ({"database"} if tool.database else set())
    assert result["isWell"] and {finding["check"] for finding in result["findings"]} >= {"database", "base URL", "mail", "time"}
    settings = tool.data / "lanyard.json"
    assert json.loads(settings.read_text())["baseURL"] == address
    assert settings.stat().st_mode & 0o777 == 0o600
    assert [org["name"] for org in tool.json("org", "list")["organizations"]] == [NAME]
    with tool.serving(port=port) as base_url:
        assert result["link"].startswith(f"{base_url}/")
        assert NAME in requests.get(result["link"], timeout=60).text

    before = everything(tool.data)
    again = setup(tool, "--from", file, "--json")
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["changed"] == [] and "link" not in json.loads(again.stdout)
    assert "nothing was changed" in setup(tool, "--from", file).stdout
    assert everything(tool.data) == before


def test_what_is_in_the_settings_stays_and_a_copy_is_kept(tool: Tool, tmp_path: Path) -> None:
    tool.data.mkdir(mode=0o700)
    settings = tool.data / "lanyard.json"
    before = '{\n    "port": 8081,\n    "ours": ["x", "y"],\n    "mail": {"operator": "root@maple.example", "maildir": "/nowhere"}\n}\n'
    settings.write_text(before)
    settings.chmod(0o640)
    with PostOffice("127.0.0.1", free_port()) as office:
        done = setup(tool, "--from", answers_file(
            tmp_path, tool, mail={"from": "Maple <id@maple.example>", "server": f"smtp://127.0.0.1:{office.port}"}))
    assert done.returncode == 0, done.stderr
    after = settings.read_text()
    assert after.startswith('{\n    "port": 8081,\n    "ours": ["x", "y"],\n    "mail": {"operator": "root@maple.example", ')
    assert json.loads(after) == {
        "port": 8081, "ours": ["x", "y"], "baseURL": ADDRESS,
        "mail": {"operator": "root@maple.example", "from": "Maple <id@maple.example>",
                 "smtp": {"url": f"smtp://127.0.0.1:{office.port}"}}}
    assert settings.stat().st_mode & 0o777 == 0o640
    assert (tool.data / "lanyard.json.before-setup").read_text() == before
    assert "“ours”, which is no setting" in done.stdout


@pytest.mark.parametrize("content", ["{", "[]", "// ours\n{}", '{"mail": "yes"}', '{"port": 1, "port": 2}', '{"baseURL": 1, "port": "x"}'])
def test_settings_that_it_does_not_understand_stay(tool: Tool, tmp_path: Path, content: str) -> None:
    tool.data.mkdir(mode=0o700)
    (tool.data / "lanyard.json").write_text(content)
    mail = {"from": "id@maple.example", "server": "smtp://127.0.0.1:1"}
    assert setup(tool, "--from", answers_file(tmp_path, tool, mail=mail)).returncode == 1
    assert everything(tool.data) == {"lanyard.json": content.encode()}


@pytest.mark.parametrize(("change", "word"), [
    ({"address": "http://id.maple.example"}, "https"), ({"address": "https://"}, "base URL"), ({"domain": "maple"}, "domain"),
    ({"name": " "}, "name"), ({"database": "mysql://db/x"}, "sqlite"), ({"colour": "red"}, "colour"),
    ({"mail": {"server": "smtp://x"}}, "sender"), ({"kind": "club"}, "school or business"),
    ({"mail": {"from": "id@maple.example", "server": "smtp://x", "userName": "u", "passwordFile": "smtp-password"}}, "whole path")])
def test_answers_that_cannot_be_are_told_and_change_nothing(tool: Tool, tmp_path: Path, change: dict, word: str) -> None:
    done = setup(tool, "--from", answers_file(tmp_path, tool, **change))
    assert done.returncode == 2 and word in done.stderr and done.stdout == ""
    assert not tool.data.exists()


def test_a_database_that_does_not_answer_changes_nothing_and_no_password_is_told(tool: Tool, tmp_path: Path) -> None:
    done = setup(tool, "--from", answers_file(tmp_path, tool, database=f"postgres://lanyard:geheim@127.0.0.1:{free_port()}/lanyard"))
    assert done.returncode == 1 and "PostgreSQL" in done.stderr
    assert "geheim" not in done.stdout + done.stderr
    assert not tool.data.exists()


def test_what_a_server_is_set_up_with_is_refused_to_change(tool: Tool, tmp_path: Path) -> None:
    assert setup(tool, "--from", answers_file(tmp_path, tool)).returncode == 0
    before = everything(tool.data)
    for change, word in (
        ({"address": "https://other.maple.example"}, ADDRESS), ({"name": "Oak District"}, NAME),
        ({"name": "Oak District", "domain": "oak.example"}, "lanyard init"), ({"kind": "business"}, "is a school")):
        done = setup(tool, "--from", answers_file(tmp_path, tool, **change))
        assert done.returncode == 1 and word in done.stderr, done.stderr
    assert everything(tool.data) == before
    # A domain of another organization, which is an address of the same server.
    tool.json("init", "--name", "Oak District", "--domain", "oak.example")
    done = setup(tool, "--from", answers_file(tmp_path, tool, domain="oak.example"))
    assert done.returncode == 1 and "belongs to Oak District" in done.stderr


@contextmanager
def asks_for_a_password(server: str, role: str) -> Iterator[None]:
    """Has the PostgreSQL of the tests, which trusts everybody otherwise, ask a role for its password."""
    file = Path(run_sql(server, "SHOW hba_file"))
    before = file.read_text()
    file.write_text(f"host all {role} 127.0.0.1/32 scram-sha-256\n{before}")
    run_sql(server, "SELECT pg_reload_conf()")
    try:
        yield
    finally:
        file.write_text(before)
        run_sql(server, "SELECT pg_reload_conf()")


@pytest.fixture
def role() -> Iterator[tuple[str, str, str]]:
    """A role of PostgreSQL with a database that is not its own: the server's address, and the name of both."""
    server = os.environ.get("LANYARD_TEST_POSTGRES")
    if not server or not os.environ.get("LANYARD_TEST_POSTGRES_IS_PRIVATE"):
        pytest.skip("there is no PostgreSQL of these tests alone")
    name = f"setup_{os.getpid()}_{free_port()}"
    run_sql(server, f"CREATE ROLE {name} LOGIN PASSWORD 'geheim'")
    run_sql(server, f"CREATE DATABASE {name}")
    yield server, name, re.sub(r"//.*@(.*)/[^/]*$", rf"//{name}:PASSWORD@\1/{name}", server)
    run_sql(server, f"DROP DATABASE {name} WITH (FORCE)")
    run_sql(server, f"DROP ROLE {name}")


def test_a_role_that_may_make_no_tables_is_told_what_it_lacks(tool: Tool, tmp_path: Path, role: tuple[str, str, str]) -> None:
    server, name, address = role
    file = answers_file(tmp_path, tool, database=address.replace("PASSWORD", "geheim"))
    for options in ([], ["--check"]):
        done = setup(tool, "--from", file, *options)
        assert done.returncode == 1 and "may make no tables" in done.stderr, done.stderr
        assert not tool.data.exists()
    [remedy] = re.findall(r"`(GRANT [^`]*);`", done.stderr)
    run_sql(server.replace("/postgres", f"/{name}"), remedy)
    done = setup(tool, "--from", file)
    assert done.returncode == 0, done.stderr


def test_a_password_of_the_database_that_was_changed_is_taken(tool: Tool, tmp_path: Path, role: tuple[str, str, str]) -> None:
    server, name, address = role
    run_sql(server, f"ALTER DATABASE {name} OWNER TO {name}")

    def run_setup(password: str) -> subprocess.CompletedProcess[str]:
        return setup(tool, "--from", answers_file(tmp_path, tool, database=address.replace("PASSWORD", password)), "--json")

    with asks_for_a_password(server, name):
        done = run_setup("geheim")
        assert done.returncode == 0, done.stderr
        run_sql(server, f"ALTER ROLE {name} PASSWORD 'neu'")
        refused = run_setup("geheim")
        assert refused.returncode == 1 and "password authentication failed" in refused.stderr and "geheim" not in refused.stderr
        done = run_setup("neu")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["changed"] == ["database"]
        settings = json.loads((tool.data / "lanyard.json").read_text())
        assert settings["database"] == address.replace("PASSWORD", "neu")
        assert [org["name"] for org in tool.json("org", "list")["organizations"]] == [NAME]
        assert json.loads(run_setup("neu").stdout)["changed"] == []
        # Another database is still another one.
        other = tmp_path / "other.json"
        other.write_text(json.dumps({
            "name": NAME, "domain": DOMAIN, "address": ADDRESS, "database": server.replace("lanyard@", f"{name}:neu@")}))
        other.chmod(0o600)
        run_sql(server, f"GRANT CREATE ON SCHEMA public TO {name}")
        done = setup(tool, "--from", other)
        run_sql(server, f"REVOKE CREATE ON SCHEMA public FROM {name}")
        assert done.returncode == 1 and "another database already" in done.stderr, done.stderr


def test_paths_are_whole_whatever_the_folder_is(tool: Tool, tmp_path: Path) -> None:
    """Settings are read by the server, which is started in another folder."""
    (tmp_path / "elsewhere").mkdir()
    mail = {"from": "id@maple.example", "server": "smtp://127.0.0.1:1", "userName": "u", "password": "geheim"}
    file = answers_file(tmp_path, tool, mail=mail)
    done = run("sh", "-c", 'cd "$0" && exec "$@"', tmp_path, LANYARD, "setup", "--from", file, "--data", "data")
    assert done.returncode == 0, done.stderr
    settings = tool.data / "lanyard.json"
    told = json.loads(settings.read_text())
    assert told["mail"]["smtp"]["passwordFile"] == str(tool.data / "smtp-password")
    settings.write_text(json.dumps(told | {"backupFolder": "copies"}))
    [finding] = [one for one in tool.json("doctor")["findings"] if one["check"] == "configuration"]
    assert finding["status"] == "warning" and "“backupFolder”" in finding["message"]


def test_a_second_domain_and_another_mail_server_are_taken(tool: Tool, tmp_path: Path) -> None:
    assert setup(tool, "--from", answers_file(tmp_path, tool)).returncode == 0
    file = answers_file(tmp_path, tool, domain="maple-high.example", mail={"from": "id@maple.example", "server": "smtp://127.0.0.1:1"})
    done = json.loads(setup(tool, "--from", file, "--json").stdout)
    assert done["changed"] == ["mail.from", "mail.smtp.url", "domain"] and not done["isWell"]
    assert {domain["name"] for domain in tool.json("org", "domain", "list")["domains"]} == {DOMAIN, "maple-high.example"}
    assert json.loads(setup(tool, "--from", file, "--json").stdout)["changed"] == []
    done = json.loads(setup(tool, "--from", answers_file(tmp_path, tool, mail=None), "--json").stdout)
    assert done["changed"] == ["mail"]


def test_only_looking_changes_nothing(tool: Tool, tmp_path: Path) -> None:
    file = answers_file(tmp_path, tool)
    looked = json.loads(setup(tool, "--from", file, "--check", "--json").stdout)
    assert looked["changed"] == ["baseURL", "organization", "domain"]
    assert not tool.data.exists()
    assert setup(tool, "--check").returncode == 0
    assert not tool.data.exists()
    bad = answers_file(tmp_path, tool, mail={"from": "id@maple.example", "server": f"smtp://127.0.0.1:{free_port()}"})
    looked = setup(tool, "--from", bad, "--check")
    assert looked.returncode == 1 and "would take no mail" in looked.stdout


def test_what_the_environment_says_otherwise_is_told(tool: Tool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANYARD_BASE_URL", "https://other.example")
    done = setup(tool, "--from", answers_file(tmp_path, tool))
    assert done.returncode == 1 and "LANYARD_BASE_URL" in done.stderr
    assert not tool.data.exists()


def test_a_password_is_not_for_every_user_and_goes_into_a_file_of_its_own(tool: Tool, tmp_path: Path) -> None:
    def check(server, session, envelope, mechanism, data) -> AuthResult:
        return AuthResult(success=data == LoginPassword(b"lanyard", b"geheim"), handled=False)

    key, pem = certificate(tmp_path, "localhost")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem, key)
    settings = {"tls_context": context, "require_starttls": True, "auth_required": True, "authenticator": check}
    with PostOffice("127.0.0.1", free_port(), settings=settings) as office:
        mail = {
            "from": "id@maple.example", "server": f"smtp://localhost:{office.port}", "userName": "lanyard", "password": "geheim",
            "caFile": str(pem)}
        file = answers_file(tmp_path, tool, mail=mail)
        file.chmod(0o644)
        done = setup(tool, "--from", file)
        assert done.returncode == 1 and "chmod" in done.stderr and not tool.data.exists()
        file.chmod(0o600)
        looked = setup(tool, "--from", answers_file(tmp_path, tool, mail=mail | {"password": "wrong"}), "--check")
        assert looked.returncode == 1 and "535" in looked.stdout
        done = setup(tool, "--from", answers_file(tmp_path, tool, mail=mail))
        assert done.returncode == 0, done.stderr
        assert "takes the password" in done.stdout and "geheim" not in done.stdout + done.stderr
        assert office.letters == []
        password = tool.data / "smtp-password"
        assert password.read_text() == "geheim\n" and password.stat().st_mode & 0o777 == 0o600
        assert "geheim" not in (tool.data / "lanyard.json").read_text()
        assert "nothing was changed" in setup(tool, "--from", file).stdout
        done = json.loads(setup(tool, "--from", answers_file(tmp_path, tool, mail=mail | {"password": "other"}), "--json").stdout)
        assert done["changed"] == ["mail.smtp.passwordFile"] and password.read_text() == "other\n"


class Well(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/healthz" else 404)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_) -> None:
        pass


@contextmanager
def https_site(pem: Path, key: Path) -> Iterator[int]:
    """Answers as a server behind a proxy would; its port."""
    site = ThreadingHTTPServer(("127.0.0.1", free_port()), Well)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem, key)
    site.socket = context.wrap_socket(site.socket, server_side=True)
    thread = threading.Thread(target=site.serve_forever, daemon=True)
    thread.start()
    try:
        yield site.server_address[1]
    finally:
        site.shutdown()
        site.server_close()
        thread.join(timeout=60)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a program authorities of its own")
@pytest.mark.parametrize(("subject", "days", "trusted", "status", "words"), [
    (HERE, 60, True, "ok", f"Trusted for {HERE}, until 20"),
    (HERE, 5, True, "warning", "until 20"),
    (HERE, 60, False, "problem", "is not trusted"),
    ("other.example", 60, True, "problem", "is not trusted")])
def test_name_and_certificate_are_looked_at(
    tool: Tool, tmp_path: Path, subject: str, days: int, trusted: bool, status: str, words: str
) -> None:
    key, pem = certificate(tmp_path, subject, days)
    authorities = tmp_path / "authorities.pem"
    system = Path("/etc/ssl/certs/ca-certificates.crt")
    authorities.write_text(system.read_text() + (pem.read_text() if trusted else ""))
    script = 'mount --bind "$0" /etc/ssl/certs/ca-certificates.crt && exec "$@"'
    wrapper = ("unshare", "--mount", "sh", "-c", script, str(authorities))
    with https_site(pem, key) as port:
        file = answers_file(tmp_path, tool, address=f"https://{HERE}:{port}")
        done = setup(tool, "--from", file, "--json", wrapper=wrapper)
        doctor = run(*wrapper, LANYARD, "doctor", "--network", "--json", "--data", tool.data)
    assert done.returncode == 0, done.stderr
    found = {finding["check"]: finding for finding in json.loads(done.stdout)["findings"]}
    assert found["name"]["status"] == "ok" and "this machine" in found["name"]["message"]
    assert found["certificate"]["status"] == status and words in found["certificate"]["message"], found["certificate"]
    # The doctor looks in the same way, if it is asked to.
    again = {finding["check"]: finding for finding in json.loads(doctor.stdout)["findings"]}
    assert (again["name"], again["certificate"]) == (found["name"], found["certificate"])
    assert "certificate" not in {finding["check"] for finding in tool.json("doctor")["findings"]}


@pytest.mark.on_each_database
def test_a_person_is_asked_five_questions(tool: Tool) -> None:
    with in_terminal(LANYARD, "setup", "--data", tool.data, environment=dict(os.environ)) as program:
        program.expect(r"Name: ")
        program.type(f"{NAME}\n")
        program.expect(r"Domain: ")
        program.type("maple\n")
        program.expect(r"is no domain name[\s\S]*Domain: ")
        program.type(f"{DOMAIN}\n")
        program.expect(r"Address \[https://id\.maple\.example\]: ")
        program.type("http://id.maple.example\n")
        program.expect(r"not https[\s\S]*Address")
        program.type("\n")
        program.expect(r"Mail server \[none\]: ")
        program.type("smtp://127.0.0.1:1\n")
        program.expect(r"Sender of the mails \[Maple District <id@maple\.example>\]: ")
        program.type("\n")
        program.expect(r"User at the mail server.*: ")
        program.type("lanyard\n")
        program.expect(r"Password.*: ")
        program.wait_until_input_is_hidden()
        program.type("geheim\n")
        program.expect(r"Who gets a mail if something is wrong.* \[none\]: ")
        program.type("it@maple.example\n")
        program.expect(r"Database \[sqlite\]: ")
        program.type(f"postgres://lanyard@127.0.0.1:{free_port()}/x\n")
        program.expect(r"Password.*: ")
        program.wait_until_input_is_hidden()
        program.type("versteckt\n")
        program.expect(r"cannot be used[\s\S]*Database \[sqlite\]: ")
        program.type(f"{tool.database or ''}\n")
        if tool.database:
            program.expect(r"Password.*: ")
            program.wait_until_input_is_hidden()
            program.type("\n")
        program.expect(r"would take no mail[\s\S]*Set it up\? \[Y/n\] ")
        assert not tool.data.exists()
        program.type("\n")
        link = re.search(rf"{ADDRESS}/invitation/\S+", program.expect(r"invitation/\S+\s"))
        assert link and program.end() == 0
    assert "geheim" not in program.output and "versteckt" not in program.output
    assert (tool.data / "smtp-password").read_text() == "geheim\n"
    assert json.loads((tool.data / "lanyard.json").read_text())["mail"]["operator"] == "it@maple.example"
    assert [org["name"] for org in tool.json("org", "list")["organizations"]] == [NAME]


@pytest.mark.on_each_database
def test_what_the_server_would_use_is_offered_with_where_it_is_from(tool: Tool, tmp_path: Path) -> None:
    database = tool.database or str(tmp_path / "own.sqlite")
    environment = os.environ | {"LANYARD_BASE_URL": "https://sso.maple.example", "LANYARD_DATABASE": database}
    tool.data.mkdir(mode=0o700)
    settings = tool.data / "lanyard.json"
    settings.write_text(json.dumps({"mail": {"from": "id@maple.example", "smtp": {"url": "smtp://127.0.0.1:1"}}}))
    with in_terminal(LANYARD, "setup", "--data", tool.data, environment=environment) as program:
        program.expect(r"Name: ")
        program.type(f"{NAME}\n")
        program.expect(r"Domain: ")
        program.type(f"{DOMAIN}\n")
        program.expect(r"So far: https://sso\.maple\.example, from LANYARD_BASE_URL in the environment")
        program.expect(r"Address \[https://sso\.maple\.example\]: ")
        program.type("https://id.maple.example\n")
        program.expect(r"LANYARD_BASE_URL in the environment says otherwise[\s\S]*Address.*: ")
        program.type("\n")
        program.expect(rf"So far: smtp://127\.0\.0\.1:1, from {re.escape(str(settings))}\.")
        program.expect(r"Mail server \[smtp://127\.0\.0\.1:1\]: ")
        program.type("\n")
        program.expect(r"So far: .*, from LANYARD_DATABASE in the environment[\s\S]*Database \[as it is\]: ")
        program.type("sqlite\n")
        program.expect(r"LANYARD_DATABASE in the environment says otherwise[\s\S]*Database.*: ")
        program.type("\n")
        program.expect(r"Set it up\? \[Y/n\] ")
        program.type("\n")
        program.expect(r"https://sso\.maple\.example/invitation/\S+\s")
        assert program.end() == 0
    assert "database" not in json.loads(settings.read_text())
    listed = run(LANYARD, "org", "list", "--json", "--data", tool.data, "--database", database)
    assert [org["name"] for org in json.loads(listed.stdout)["organizations"]] == [NAME]


@pytest.mark.parametrize("ends", ["\x03", "\x04", "no"])
@pytest.mark.parametrize("answered", [0, 2, 3, 6, 9])
def test_who_leaves_changes_nothing(tool: Tool, tmp_path: Path, ends: str, answered: int) -> None:
    if ends == "no" and answered != 9:
        pytest.skip("there is a question that can be denied at the end only")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    answers = [NAME, DOMAIN, "", "smtp://127.0.0.1:1", "", "lanyard", "geheim", "", ""]
    environment = os.environ | {"TMPDIR": str(temporary)}
    with in_terminal(LANYARD, "setup", "--data", tool.data, environment=environment) as program:
        for answer in answers[:answered]:
            program.expect(r": $" if answer != "geheim" else r"not shown: $")
            if answer == "geheim":
                program.wait_until_input_is_hidden()
            program.type(f"{answer}\n")
        program.expect(r"(: |\[Y/n\] )$")
        if answered == 6:
            program.wait_until_input_is_hidden()
        program.type(ends if ends != "no" else "no\n")
        assert program.end() != 0
        assert program.shows_input
    assert not tool.data.exists()
    # Nothing with a password in it either.
    assert list(temporary.iterdir()) == []


def test_without_a_terminal_a_file_is_needed(tool: Tool) -> None:
    done = setup(tool)
    assert done.returncode == 1 and "--from" in done.stderr
    assert tool.run("setup", "--database", "x").returncode == 64
    assert not tool.data.exists()
