"""The server is started anew behind a reverse proxy that keeps its connections for further requests: nothing that people do is lost.

A proxy asks once more where a question got no answer, but never what may have changed something. So a connection must not end under a
request that the proxy has just sent.
"""

import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path

import pytest
from holding_manager import HoldingManager
from processes import Program, free_port, listens, wait_until

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="proxies write where only root may")

# Whichever server has the whole of it refuses it, because it names no client.
BODY = "grant_type=authorization_code&code=" + "x" * 4_000
FORM = {"Content-Type": "application/x-www-form-urlencoded", "Content-Length": str(len(BODY))}
TOKEN = "/oidc/token"


def nginx(folder: Path, here: int, server: int) -> list[str | Path]:
    """It keeps connections, which the page about proxies does not tell it, and many administrators do."""
    places = "".join(f"{name}_temp_path {folder}/{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    (folder / "nginx.conf").write_text(
        f"daemon off;\npid {folder}/nginx.pid;\nerror_log stderr;\nevents {{}}\nhttp {{\naccess_log off;\n{places}"
        f"upstream lanyard {{\nserver 127.0.0.1:{server};\nkeepalive 16;\n}}\nserver {{\nlisten 127.0.0.1:{here};\n"
        'location / {\nproxy_pass http://lanyard;\nproxy_http_version 1.1;\nproxy_set_header Connection "";\n'
        "proxy_set_header Host $host;\nproxy_set_header X-Forwarded-For $remote_addr;\n}\n}\n}\n")
    return ["nginx", "-c", folder / "nginx.conf"]


def caddy(folder: Path, here: int, server: int) -> list[str | Path]:
    """It keeps connections by itself, and passes on what has come of a body before the rest is there."""
    (folder / "Caddyfile").write_text(f"{{\n\tadmin off\n}}\nhttp://127.0.0.1:{here} {{\n\treverse_proxy 127.0.0.1:{server}\n}}\n")
    return ["env", f"HOME={folder}", "caddy", "run", "--config", folder / "Caddyfile", "--adapter", "caddyfile"]


def apache(folder: Path, here: int, server: int) -> list[str | Path]:
    """It keeps connections by itself too."""
    modules = "".join(
        f"LoadModule {one}_module /usr/lib/apache2/modules/mod_{one}.so\n" for one in ("mpm_event", "authz_core", "proxy", "proxy_http"))
    (folder / "apache.conf").write_text(
        f"{modules}ServerName 127.0.0.1\nServerRoot {folder}\nDefaultRuntimeDir {folder}\nPidFile {folder}/apache.pid\n"
        f"ErrorLog /dev/stderr\nMutex pthread\nUser www-data\nGroup www-data\nListen 127.0.0.1:{here}\nProxyPreserveHost On\n"
        f"ProxyPass / http://127.0.0.1:{server}/\n")
    return ["apache2", "-f", folder / "apache.conf", "-D", "FOREGROUND"]


class Site:
    """A server and a proxy in front of it."""

    def __init__(self, folder: Path, proxy: Callable[[Path, int, int], list[str | Path]]):
        self._port, self.address = free_port(), ("127.0.0.1", free_port())
        self._manager = HoldingManager(folder)
        self._programs = [self._manager.start(self._port)]
        try:
            self._programs.append(Program(*proxy(folder, self.address[1], self._port), log=folder / "proxy.log"))
            self._programs[1].wait_until(lambda: listens(self.address[1]), 20, "the proxy listens")
        except BaseException:
            self.stop()
            raise

    @property
    def server(self) -> Program:
        return self._programs[0]

    def start_anew(self) -> None:
        assert self.server.wait(30) == 0, self.server.log_text
        self._programs[0] = self._manager.start(self._port)

    def stop(self) -> None:
        for program in reversed(self._programs):
            program.stop()
        self._manager.close()


@pytest.fixture(params=[nginx, caddy, apache], ids=lambda proxy: proxy.__name__)
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    site = Site(tmp_path, request.param)
    yield site
    site.stop()


@contextmanager
def asked_all_the_time(site: Site) -> Iterator[Counter[tuple[str, int | str]]]:
    """The site is asked again and again while the block runs, and told things. How often each was answered with what."""
    answers: Counter[tuple[str, int | str]] = Counter()
    lock, is_over = threading.Lock(), threading.Event()

    def ask(method: str) -> None:
        connection = HTTPConnection(*site.address, timeout=60)
        while not is_over.is_set():
            answer: int | str
            try:
                if method == "POST":
                    connection.request(method, TOKEN, BODY, FORM)
                else:
                    connection.request(method, "/healthz")
                response = connection.getresponse()
                response.read()
                answer = response.status
            except (OSError, HTTPException) as error:
                connection.close()
                answer = repr(error)
            with lock:
                answers[method, answer] += 1
        connection.close()

    askers = [threading.Thread(target=ask, args=(method,)) for method in ("GET", "POST") for _ in range(4)]
    for asker in askers:
        asker.start()
    try:
        yield answers
    finally:
        is_over.set()
        for asker in askers:
            asker.join()


def test_no_request_on_a_kept_connection_is_lost_while_the_server_is_started_anew(site: Site) -> None:
    with asked_all_the_time(site) as answers:
        for _ in range(5):
            before = answers.total()
            # Each of the eight has a connection behind the proxy that was used before.
            wait_until(lambda: answers.total() > before + 100, 60, "the site answers")
            site.server.terminate()
            site.start_anew()
    assert set(answers) == {("GET", 200), ("POST", 401)}, answers


def test_what_is_still_uploaded_when_the_server_ends_is_answered(site: Site) -> None:
    connection = HTTPConnection(*site.address, timeout=60)
    connection.putrequest("POST", TOKEN)
    for name, value in FORM.items():
        connection.putheader(name, value)
    half = len(BODY) // 2
    connection.endheaders(BODY[:half].encode())
    # Something later on another connection has an answer, so the proxy has the beginning of this one.
    other = HTTPConnection(*site.address, timeout=60)
    other.request("GET", "/healthz")
    assert other.getresponse().status == 200
    other.close()

    site.server.terminate()
    answers: list[int] = []
    # A proxy that passes on what it has keeps the former server from its end, and one that waits for all of it asks the next one.
    upload = threading.Thread(target=lambda: (connection.send(BODY[half:].encode()), answers.append(connection.getresponse().status)))
    upload.start()
    try:
        site.start_anew()
    finally:
        upload.join()
        connection.close()
    assert answers == [401]
