import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from account import ACCOUNT_EXTENSION, PROVIDER, CommandLine, Site
from broker import Authority, Device, Domains, payload, profile, strings
from processes import LANYARD_SSO, Program, free_port, listens
from terminal import in_terminal

PROFILE = profile([
    payload(
        "Redirect",
        strings("URLs", [PROVIDER]) + "<key>ExtensionData</key><dict><key>username</key><string>mika</string></dict>"),
    payload(
        "Credential",
        strings("Hosts", ["localhost", ".corp.acme.test"])
        + "<key>Realm</key><string>CORP.ACME.TEST</string>"
        "<key>ExtensionData</key><dict><key>username</key><string>mika</string></dict>",
        identifier="test.acme.sso.credential"),
])


@pytest.fixture
def signed_out(tmp_path: Path, authority: Authority) -> Iterator[CommandLine]:
    """The command line on a device on which nobody has signed in."""
    domains = Domains(authority, "id.acme.test")
    device = Device(tmp_path / "device", authority, domains)
    device.install_extension(executable=str(ACCOUNT_EXTENSION))
    device.install_profile(PROFILE)
    with device.running():
        yield CommandLine(device)


@pytest.fixture
def sso(signed_out: CommandLine) -> CommandLine:
    """The same after mika has signed in, in a terminal."""
    with in_terminal(LANYARD_SSO, "token", PROVIDER, environment=signed_out.environment()) as program:
        program.expect("User name .*: ")
        program.type("\n")
        program.expect("Password: ")
        program.type("secret\n")
        program.expect("Keep .*: ")
        program.type("\n")
        assert program.end() == 0, program.output
    return signed_out


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    try:
        yield site
    finally:
        site.close()


@pytest.fixture
def tinyproxy(tmp_path: Path) -> Iterator[str]:
    """The address of a proxy that lets in whoever knows mika's password."""
    port = free_port()
    file = tmp_path / "tinyproxy.conf"
    file.write_text(f"Port {port}\nListen 127.0.0.1\nTimeout 60\nBasicAuth mika ticket\n")
    proxy = Program("/usr/bin/tinyproxy", "-d", "-c", file, log=tmp_path / "tinyproxy.log")
    try:
        proxy.wait_until(lambda: listens(port), 20, "the proxy is ready")
        yield f"http://localhost:{port}"
    finally:
        proxy.stop()


BROWSER = '''
import html.parser, sys, urllib.parse, urllib.request

# The broker does not read these errors; a test that fails shows them.
sys.stderr = open(SEEN + ".errors", "a")

class Form(html.parser.HTMLParser):
    fields = {}
    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "input" and "name" in attributes:
            self.fields[attributes["name"]] = attributes.get("value", "")

page = urllib.request.urlopen(sys.argv[1]).read().decode()
open(SEEN, "a").write(page)
form = Form()
form.feed(page)
form.fields["f.password"] = "secret"
urllib.request.urlopen(sys.argv[1], urllib.parse.urlencode(form.fields).encode()).read()
'''


@pytest.fixture
def desktop_browser(tmp_path: Path) -> Path:
    """A browser with a person before it who knows the password. What it shows is in the file `.seen` beside it."""
    program = tmp_path / "browser"
    seen = program.with_suffix(".seen")
    program.write_text(f"#!{sys.executable}\nSEEN = {str(seen)!r}\n{BROWSER}")
    program.chmod(0o755)
    return program
