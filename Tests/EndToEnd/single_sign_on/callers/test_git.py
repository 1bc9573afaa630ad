"""git over HTTPS, with the credential helper."""

import base64
import os
import ssl
import subprocess
import threading
import urllib.parse
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from account import PROVIDER, CommandLine, Site
from broker import Authority
from processes import LANYARD


TOKEN = ("--token", PROVIDER, "--host", ".acme.test")


class GitServer:
    """git's own HTTP backend behind TLS, for those who have the password."""

    def __init__(self, folder: Path, certificate: Path, password: str):
        self.asked: list[str] = []
        server = self
        wanted = "Basic " + base64.b64encode(f"oauth2:{password}".encode()).decode()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                given = self.headers.get("Authorization", "")
                server.asked.append(given)
                length = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(length) if length else b""
                if self.headers.get("Transfer-Encoding") == "chunked":
                    body = self.read_chunks()
                if given != wanted:
                    return self.say(401, [("WWW-Authenticate", 'Basic realm="git"')], b"")
                url = urllib.parse.urlsplit(self.path)
                environment = {
                    "PATH": os.environ["PATH"], "GIT_PROJECT_ROOT": str(folder), "GIT_HTTP_EXPORT_ALL": "1",
                    "PATH_INFO": url.path, "QUERY_STRING": url.query, "REQUEST_METHOD": self.command,
                    "CONTENT_TYPE": self.headers.get("Content-Type", ""), "CONTENT_LENGTH": str(len(body)),
                    "REMOTE_USER": "mika", "REMOTE_ADDR": "127.0.0.1",
                    "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                    "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
                }
                done = subprocess.run(
                    ["git", "http-backend"], input=body, env=environment, capture_output=True, timeout=60)
                head, _, content = done.stdout.partition(b"\r\n\r\n")
                headers = [tuple(line.split(": ", 1)) for line in head.decode().split("\r\n")]
                status = next((int(value[:3]) for name, value in headers if name == "Status"), 200)
                self.say(status, [pair for pair in headers if pair[0] != "Status"], content)

            do_POST = do_GET

            def read_chunks(self) -> bytes:
                body = b""
                while size := int(self.rfile.readline(), 16):
                    body += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
                return body

            def say(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
                self.send_response(status)
                for name, value in headers:
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.url = f"https://localhost:{self._server.server_address[1]}/school.git"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def git_server(tmp_path: Path, authority: Authority) -> Iterator[GitServer]:
    folder = tmp_path / "repositories"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", folder / "school.git"], check=True)
    subprocess.run(["git", "-C", folder / "school.git", "config", "http.receivepack", "true"], check=True)
    server = GitServer(folder, authority.issue("localhost"), "access-of-mika")
    try:
        yield server
    finally:
        server.close()


def git(sso: CommandLine, server: GitServer, folder: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    helper = f"!'{LANYARD}' sso git-credential --token {PROVIDER} --host {urllib.parse.urlsplit(server.url).netloc}"
    return sso.program(
        "git", "-C", folder, "-c", "credential.helper=", "-c", f"credential.helper={helper}", "-c", "user.name=Mika",
        "-c", "user.email=mika@acme.test", *words,
        GIT_SSL_CAINFO=str(sso.device.authority.certificate), GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_SYSTEM="/dev/null",
        GIT_TERMINAL_PROMPT="0")


def test_git_clones_and_pushes_over_https_with_no_prompt(
    sso: CommandLine, git_server: GitServer, tmp_path: Path
) -> None:
    done = git(sso, git_server, tmp_path, "clone", "-q", git_server.url, "work")
    assert done.returncode == 0, done.stderr
    work = tmp_path / "work"
    (work / "burger").write_text("bun")
    assert git(sso, git_server, work, "add", "burger").returncode == 0
    assert git(sso, git_server, work, "commit", "-q", "-m", "Make a burger").returncode == 0
    done = git(sso, git_server, work, "push", "-q", "origin", "HEAD:main")
    assert done.returncode == 0, done.stderr
    assert git(sso, git_server, tmp_path, "clone", "-q", git_server.url, "again").returncode == 0
    assert (tmp_path / "again" / "burger").read_text() == "bun"
    assert "" in git_server.asked
    assert "access-of-mika" not in sso.device.program.log_text


def test_git_goes_on_when_nobody_has_signed_in(
    signed_out: CommandLine, git_server: GitServer, tmp_path: Path
) -> None:
    done = git(signed_out, git_server, tmp_path, "clone", "-q", git_server.url, "work")
    assert done.returncode == 128
    assert "terminal prompts disabled" in done.stderr


def ask(sso: CommandLine, *lines: str, action: str = "get", options: tuple[str, ...] = ()) -> list[str]:
    return sso.text("git-credential", *options, action, input="".join(f"{line}\n" for line in lines)).splitlines()


def test_git_gets_user_name_and_password_and_when_it_ends(sso: CommandLine) -> None:
    lines = ask(sso, "protocol=https", "host=git.acme.test", options=TOKEN)
    assert lines[:2] == ["username=oauth2", "password=access-of-mika"]
    assert lines[2].startswith("password_expiry_utc=") and len(lines) == 3
    lines = ask(sso, "protocol=https", "host=git.acme.test", "username=ada", options=TOKEN)
    assert lines[0] == "username=ada"


def test_a_newer_git_gets_the_token_as_a_token(sso: CommandLine) -> None:
    lines = ask(
        sso, "capability[]=authtype", "capability[]=state", "protocol=https", "host=git.acme.test",
        options=TOKEN)
    assert lines[:4] == ["capability[]=authtype", "authtype=Bearer", "credential=access-of-mika", "ephemeral=1"]
    assert ask(sso, action="capability") == ["version 0", "capability authtype"]


def test_the_host_s_own_extension_answers_the_challenge_that_git_has_seen(sso: CommandLine, site: Site) -> None:
    lines = ask(sso, "protocol=https", "host=git.corp.acme.test", 'wwwauth[]=Basic realm="x"')
    assert lines == ["username=mika", "password=ticket"]
    # An older git does not say what it has seen.
    lines = ask(sso, "protocol=http", f"host=localhost:{site.port}", "path=challenge")
    assert lines == ["username=mika", "password=ticket"]
    assert ask(sso, "protocol=https", "host=git.corp.acme.test", "wwwauth[]=Digest realm=x") == []


@pytest.mark.parametrize("lines", [
    ("protocol=https", "host=example.org"), ("protocol=http", "host=git.corp.acme.test"), ("protocol=ssh", "host=a"),
    ("host=a",), (), ("nonsense",),
])
def test_what_nothing_serves_gets_no_answer(sso: CommandLine, lines: tuple[str, ...]) -> None:
    assert ask(sso, *lines) == []


def test_nothing_is_sent_without_tls(sso: CommandLine) -> None:
    assert ask(sso, "protocol=http", "host=git.acme.test", options=TOKEN) == []


def test_a_token_goes_to_the_hosts_that_are_named_and_to_no_other(sso: CommandLine) -> None:
    for host in ("github.com", "acme.test", "evilacme.test", "git.acme.test.evil.test", "git.acme.test@evil.test",
                 "git.acme.test:8443", "evil.test\\.acme.test", "evil.test#.acme.test", "evil.test%2f.acme.test"):
        assert ask(sso, "protocol=https", f"host={host}", options=TOKEN) == []
    assert ask(sso, "protocol=https", "host=git.acme.test:8443", options=(*TOKEN, "--host", ".acme.test:8443"))
    assert ask(sso, "protocol=https", "host=GIT.acme.test", options=TOKEN)[1] == "password=access-of-mika"
    sso.failure("git-credential", "--token", PROVIDER, "get", exit_code=64)


@pytest.mark.parametrize("action", ["store", "erase"])
def test_nothing_is_stored_or_erased(sso: CommandLine, action: str) -> None:
    assert ask(sso, "protocol=https", "host=git.acme.test", "username=a", "password=b", action=action) == []
    assert sso.text("token", PROVIDER, "--no-ui") == "access-of-mika\n"


def test_without_a_broker_git_goes_on(sso: CommandLine) -> None:
    sso.device.stop()
    done = sso.run("git-credential", "get", input="protocol=https\nhost=git.corp.acme.test\n")
    assert done.returncode == 0 and done.stdout == "" and "cannot be asked" in done.stderr
