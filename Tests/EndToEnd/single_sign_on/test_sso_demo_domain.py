"""The second scene of `make demo-sso`: a domain, one password, and nobody is asked again."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kerberos import places
from processes import LANYARD_SSO, PROGRAMS, ROOT, run
from selenium import webdriver
from single_sign_on.test_sso_demo import Browser, Demo
from terminal import TerminalProgram, in_terminal

OTHER = "another-horse-2"


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    if reason := places.why_not():
        pytest.skip(reason)
    done = run(ROOT / "scripts" / "build-ticket-chooser", PROGRAMS / "lanyard-tickets.so")
    assert done.returncode == 0, done.stderr
    demo = Demo(tmp_path_factory.mktemp("domain") / "sso")
    try:
        yield demo.start()
    finally:
        demo.stop()


def domain(demo: Demo) -> dict[str, Any]:
    assert demo.program
    assert "domain" in demo.facts, demo.program.log_text
    return demo.facts["domain"]


def in_domain(demo: Demo, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("KRB5", "XDG_RUNTIME"))}
    return subprocess.run(
        [domain(demo)["environment"], *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
        env=environment)


def kerberos(demo: Demo, *words: str) -> Any:
    environment = os.environ | {"LANYARD_SSO_SOCKET": demo.facts["socket"], "LANGUAGE": "en"}
    return in_terminal(LANYARD_SSO, "kerberos", *words, environment=environment)


def answer(program: TerminalProgram, *answers: tuple[str, str]) -> None:
    for label, text in answers:
        program.expect(f"{label}.*: ")
        program.type(f"{text}\n")
    assert program.end() == 0, program.output


def read_page(demo: Demo) -> str:
    done = in_domain(demo, "curl", "--silent", "--show-error", "--negotiate", "--user", ":", domain(demo)["page"])
    return done.stdout + done.stderr


def shell(demo: Demo) -> subprocess.CompletedProcess[str]:
    facts = domain(demo)
    return in_domain(demo, "ssh", "-o", "BatchMode=yes", "-F", facts["shellSettings"], facts["shell"], "echo", "in")


class DomainBrowser(Browser):
    """As the demo's command opens it."""

    def _start(self, options: webdriver.ChromeOptions, service: webdriver.ChromeService) -> None:
        variables = dict(line.split("=", 1) for line in in_domain(self.demo, "env").stdout.splitlines() if "=" in line)
        service.env = service.env | {"KRB5_CONFIG": variables["KRB5_CONFIG"]}
        super()._start(options, service)

    def reads(self, url: str, text: str) -> None:
        """A new profile of Chromium shows the first page without a ticket: it begins its network anew, and then can."""

        def shows() -> bool:
            self.open(url)
            return text in self.driver.find_element("tag name", "body").text

        self.wait(shows, f"{url} says {text}", 60)


def test_one_password_opens_page_repository_shell_and_lanyard_until_it_expires_and_after(
    demo: Demo, tmp_path: Path
) -> None:
    facts = domain(demo)
    person = f"{facts['userName']}@{facts['realm']}"
    assert "401" in read_page(demo)
    assert shell(demo).returncode != 0
    with kerberos(demo, "sign-in") as program:
        answer(program, ("Password", demo.password), ("Save the password", ""))

    assert f"Hello {person}" in read_page(demo)
    done = in_domain(demo, "git", "clone", facts["repository"], str(tmp_path / "work"))
    assert done.returncode == 0, done.stderr
    assert run("git", "-C", tmp_path / "work", "log", "--format=%s").stdout == "Begin\n"
    assert shell(demo).stdout == "in\n", shell(demo).stderr
    browser = DomainBrowser(demo)
    try:
        browser.reads(facts["page"], f"Hello {person}")
        browser.reads(f"{demo.facts['server']}/account", demo.facts["account"]["name"])
        assert demo.pages_shown() == []
    finally:
        browser.stop()

    assert run(facts["expirePassword"]).returncode == 0
    with kerberos(demo, "sign-in", "--force") as program:
        answer(
            program, ("Password", demo.password), ("Save the password", ""), ("New password", OTHER),
            ("New password again", OTHER))
        assert "Your password has expired" in program.output
    assert f"Hello {person}" in read_page(demo)
    assert shell(demo).stdout == "in\n"


def test_the_next_start_finds_the_domain_and_sets_the_password_back(demo: Demo) -> None:
    first = demo.program
    assert first and "The second scene is a domain" in first.log_text and "left out" not in first.log_text
    demo.stop()
    # Each of its servers has heard that it is to end.
    assert "is killed" not in first.log_text
    demo.start()
    with kerberos(demo, "sign-in", "--force") as program:
        answer(program, ("Password", demo.password), ("Save the password", ""))
    assert "Hello" in read_page(demo)


def test_where_packages_are_missing_the_demo_says_which(tmp_path: Path) -> None:
    """A web server without its module for tickets, as on a machine where nobody has installed it."""
    hide = 'mount -t tmpfs none /usr/lib/apache2/modules && exec "$@"'
    demo = Demo(tmp_path / "sso", wrapper=("unshare", "--mount", "sh", "-c", hide, "sh")).start()
    try:
        assert demo.program
        assert "The second scene, a domain, is left out. It needs packages that are missing: " \
            "apt-get install libapache2-mod-auth-gssapi\n" in demo.program.log_text
        assert "domain" not in json.loads((demo.folder / "demo.json").read_text())
        assert demo.order("sign-out").returncode == 0
    finally:
        demo.stop()
