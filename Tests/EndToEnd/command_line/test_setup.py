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
from lanyard_tool import Tool
from processes import LANYARD, free_port, run
from relay.post_office import PostOffice
from single_sign_on.callers.terminal import in_terminal

NAME, DOMAIN = "Maple District", "maple.example"
ADDRESS = f"https://id.{DOMAIN}"


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
    ({"mail": {"server": "smtp://x"}}, "sender")])
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
        ({"name": "Oak District", "domain": "oak.example"}, "lanyard init")):
        done = setup(tool, "--from", answers_file(tmp_path, tool, **change))
        assert done.returncode == 1 and word in done.stderr, done.stderr
    assert everything(tool.data) == before
    # A domain of another organization, which is an address of the same server.
    tool.json("init", "--name", "Oak District", "--domain", "oak.example")
    done = setup(tool, "--from", answers_file(tmp_path, tool, domain="oak.example"))
    assert done.returncode == 1 and "belongs to Oak District" in done.stderr


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


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a program a file of hosts of its own")
@pytest.mark.parametrize(("subject", "days", "trusted", "status", "words"), [
    (f"id.{DOMAIN}", 60, True, "ok", "Trusted for id.maple.example, until 20"),
    (f"id.{DOMAIN}", 5, True, "warning", "until 20"),
    (f"id.{DOMAIN}", 60, False, "problem", "is not trusted"),
    ("other.example", 60, True, "problem", "is not trusted")])
def test_name_and_certificate_are_looked_at(
    tool: Tool, tmp_path: Path, subject: str, days: int, trusted: bool, status: str, words: str
) -> None:
    key, pem = certificate(tmp_path, subject, days)
    hosts, authorities = tmp_path / "hosts", tmp_path / "authorities.pem"
    hosts.write_text(f"127.0.0.1 localhost id.{DOMAIN}\n")
    system = Path("/etc/ssl/certs/ca-certificates.crt")
    authorities.write_text(system.read_text() + (pem.read_text() if trusted else ""))
    script = 'mount --bind "$0" /etc/hosts && mount --bind "$1" /etc/ssl/certs/ca-certificates.crt && shift && exec "$@"'
    wrapper = ("unshare", "--mount", "sh", "-c", script, str(hosts), str(authorities))
    with https_site(pem, key) as port:
        file = answers_file(tmp_path, tool, address=f"https://id.{DOMAIN}:{port}")
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
    assert [org["name"] for org in tool.json("org", "list")["organizations"]] == [NAME]


@pytest.mark.parametrize("ends", ["\x03", "\x04", "no"])
@pytest.mark.parametrize("answered", [0, 2, 3, 6, 8])
def test_who_leaves_changes_nothing(tool: Tool, tmp_path: Path, ends: str, answered: int) -> None:
    if ends == "no" and answered != 8:
        pytest.skip("there is a question that can be denied at the end only")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    answers = [NAME, DOMAIN, "", "smtp://127.0.0.1:1", "", "lanyard", "geheim", ""]
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
