"""Providers that lead astray: nothing hangs, nothing is sent where it should not go."""

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from processes import run
from single_sign_on.openid.extension import Answer, Extension

PASSWORD = '<input name="user"><input type="password" name="password"><button>Sign in</button>'


class Provider:
    """Answers each path with what a test has put there, and keeps what it was sent."""

    def __init__(self, certificate: Path | None = None) -> None:
        self.answers: dict[str, tuple[int, dict[str, str], bytes]] = {}
        self.posted: list[tuple[str, str]] = []
        # The cookies that came along, by path.
        self.cookies_at: dict[str, str] = {}
        # The cookies of each request, in order.
        self.cookies: list[str] = []
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                provider.cookies_at[self.path] = self.headers.get("Cookie", "")
                provider.cookies.append(self.headers["Cookie"] or "")
                status, headers, body = provider.answers.get(self.path.partition("?")[0], (404, {}, b""))
                self.send_response(status)
                for name, value in ({"Content-Type": "text/html", "Content-Length": str(len(body))} | headers).items():
                    self.send_header(name, value)
                self.end_headers()
                try:
                    self.wfile.write(body)
                except OSError:
                    pass

            def do_POST(self) -> None:
                provider.posted.append((self.path, self.rfile.read(int(self.headers["Content-Length"])).decode()))
                self.do_GET()

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.base = f"http{'s' if certificate else ''}://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def page(self, path: str, html: str) -> str:
        self.answers[path] = (200, {}, html.encode())
        return self.base + path

    def redirect(self, path: str, location: str) -> str:
        self.answers[path] = (302, {"Location": location}, b"")
        return self.base + path

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def provider() -> Iterator[Provider]:
    provider = Provider()
    yield provider
    provider.stop()


@pytest.fixture
def other() -> Iterator[Provider]:
    provider = Provider()
    yield provider
    provider.stop()


def signs_in(form: dict) -> dict[str, str]:
    return {"user": "ana", "password": "secret"}


def test_a_circle_ends(extension: Extension, provider: Provider) -> None:
    assert extension.ask(provider.redirect("/", "/"), person=signs_in).kind == "doNotHandle"
    assert "leads in a circle" in extension.log.read_text()


def test_a_form_that_comes_again_is_sent_once(extension: Extension, provider: Provider) -> None:
    field = '<input type="hidden" name="a" value="b">'
    url = provider.page("/", f'<form method="post">{field}</form><script>document.forms[0].submit()</script>')
    assert extension.ask(url).kind == "doNotHandle"
    assert provider.posted == [("/", "a=b")]


def test_nothing_is_pressed_for_anybody(extension: Extension, provider: Provider) -> None:
    field = '<input type="hidden" name="csrf" value="1">'
    url = provider.page("/", f'<form method="post">{field}<button>Allow</button></form><script>f.submit()</script>')
    assert "nobody may be asked" in extension.ask(url).error["message"]
    assert provider.posted == []


def test_a_form_of_another_site_is_not_posted(extension: Extension, provider: Provider) -> None:
    url = provider.page("/", "<h1>Deleted</h1>")
    for options in [{"initiatorOrigin": "https://evil.example"}, {}]:
        for body in [b"decision=delete", b"SAMLRequest=x&decision=delete"]:
            assert extension.ask(url, body=body, options=options).kind == "doNotHandle"
    assert provider.posted == []
    extension.ask(url, body=b"decision=delete", options={"initiatorOrigin": provider.base})
    assert provider.posted == [("/", "decision=delete")]


def test_a_page_that_asks_for_ever_ends(extension: Extension, provider: Provider) -> None:
    url = provider.page("/", f'<form method="post">{PASSWORD}</form>')
    answer = extension.ask(url, person=signs_in)
    assert (answer.kind, len(answer.forms)) == ("doNotHandle", 10)
    assert answer.forms[0].get("problem") is None
    assert answer.forms[1]["problem"]


def led_to(place: str, extension: Extension, provider: Provider) -> Answer:
    return extension.ask(provider.page("/", f'<meta http-equiv="refresh" content="0;url={place}">'))


@pytest.mark.parametrize("target", [
    "javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "http://169.254.1.1\r\nX: y",
])
def test_nobody_is_led_to_an_address_that_is_none(extension: Extension, provider: Provider, target: str) -> None:
    assert led_to("https://sp.example/", extension, provider).location == "https://sp.example/"
    assert led_to(target, extension, provider).kind == "doNotHandle"


def test_a_large_page_is_not_read(extension: Extension, provider: Provider) -> None:
    assert "larger than" in extension.ask(provider.page("/", "x" * 10_000_000)).error["message"]


def test_a_large_form_is_not_handed_back(extension: Extension, provider: Provider) -> None:
    field = f'<input type="hidden" name="a" value="{"x" * 140_000}">'
    url = provider.page("/", f'<form method="post" action="https://sp.example/">{field}</form>')
    assert "larger than 128 KiB" in extension.ask(url).error["message"]


def test_a_page_that_is_no_form_is_never_handed_back(extension: Extension, provider: Provider) -> None:
    assert extension.ask(provider.page("/", "<h1>Welcome</h1>" + "<p>text</p>" * 1000)).kind == "doNotHandle"


def test_a_password_goes_to_the_provider_alone(extension: Extension, provider: Provider, other: Provider) -> None:
    url = provider.page("/", f'<form method="post" action="{other.base}/">{PASSWORD}</form>')
    answer = extension.ask(url, person=signs_in)
    assert (answer.kind, answer.forms, other.posted) == ("doNotHandle", [], [])


def test_a_redirection_does_not_carry_the_password_away(
    extension: Extension, provider: Provider, other: Provider
) -> None:
    """307 would have it posted again."""
    url = provider.page("/", f'<form method="post" action="/in">{PASSWORD}</form>')
    provider.answers["/in"] = (307, {"Location": f"{other.base}/steal"}, b"")
    answer = extension.ask(url, person=signs_in)
    assert len(answer.forms) == 1
    assert other.posted == []
    assert answer.kind == "doNotHandle", answer


@pytest.mark.parametrize(("cookie", "own"), [
    ("session=1; Path=/", "session=1"), ("session=1; Domain=127.0.0.1", "session=1"),
    ("session=1; Domain=evil.example", ""), ("session=1; Domain=localhost", ""), ("session=1; Domain=.0.0.1", ""),
    ("session=1; Max-Age=0", ""),
])
def test_cookies_stay_with_their_host(extension: Extension, provider: Provider, cookie: str, own: str) -> None:
    # The same server under another name, which the profile counts as the provider's.
    other = provider.base.replace("127.0.0.1", "localhost")
    provider.answers["/"] = (302, {"Location": "/own", "Set-Cookie": cookie}, b"")
    provider.answers["/own"] = (302, {"Location": f"{other}/other"}, b"")
    provider.answers["/other"] = (302, {"Location": "https://sp.example/"}, b"")
    data = {"identityProviderHosts": [other.removeprefix("http://")]}
    assert extension.ask(provider.base + "/", data=data).location == "https://sp.example/"
    assert provider.cookies_at["/own"] == own
    assert provider.cookies_at["/other"] == ""


def test_what_is_for_this_machine_goes_to_no_proxy(
    start_extension: Callable[..., Extension], provider: Provider, other: Provider
) -> None:
    extension = start_extension(http_proxy=other.base, all_proxy=other.base)
    assert extension.ask(provider.redirect("/", "https://sp.example/")).location == "https://sp.example/"


def test_signing_out_forgets_hosts_with_a_port(extension: Extension, provider: Provider, other: Provider) -> None:
    """Cookies know no ports."""
    login = other.base.replace("127.0.0.1", "localhost")
    data = {"identityProviderHosts": [login.removeprefix("http://")]}
    url = provider.redirect("/", f"{login}/")
    other.answers["/"] = (302, {"Location": "https://sp.example/", "Set-Cookie": "session=1"}, b"")
    for _ in range(2):
        assert extension.ask(url, data=data).kind == "response"
    assert other.cookies == ["", "session=1"]
    extension.ask(url, "logout", data=data)
    extension.ask(url, data=data)
    assert other.cookies[-1] == ""


def test_who_does_not_answer_is_not_waited_for(extension: Extension) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        # Ten seconds, and so six times before the broker would give up the whole request.
        answer = extension.ask(f"http://127.0.0.1:{silent.getsockname()[1]}/", timeout=50)
        assert "does not answer" in answer.error["message"]


@pytest.mark.parametrize("body", [b"", b"\x00\xff" * 500, b"<form" * 10_000, b"{}", b"<?xml version='1.0'?><x/>"])
def test_nonsense_is_left_to_the_browser(extension: Extension, provider: Provider, body: bytes) -> None:
    provider.answers["/"] = (200, {}, body)
    assert extension.ask(provider.base + "/", person=signs_in).kind == "doNotHandle"


def test_a_certificate_counts_if_the_system_or_the_profile_knows_its_authority(
    extension: Extension, tmp_path: Path
) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days", "2",
        "-subj", "/CN=Acme", "-addext", "subjectAltName=IP:127.0.0.1").check_returncode()
    authority = certificate.read_text()
    certificate.write_text(authority + key.read_text())
    provider = Provider(certificate)
    try:
        provider.redirect("/", "https://sp.example/")
        refused = extension.ask(provider.base + "/")
        assert "certificate" in refused.error["message"]
        # Also after a connection was made for somebody with the authority.
        data = {"certificateAuthorities": [authority]}
        assert extension.ask(provider.base + "/", data=data).location == "https://sp.example/"
        assert "certificate" in extension.ask(provider.base + "/").error["message"]
    finally:
        provider.stop()
