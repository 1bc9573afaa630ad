"""`lanyard sso` on a device with a real broker and extension, without a terminal."""

import json
import os
import re
import shlex
import stat
import subprocess
from pathlib import Path

import pytest
from account import COVERED, NATIVE_APP, PROVIDER, SECRETS, CommandLine, Site
from broker import EXTENSION
from processes import LANYARD_SSO, run, wait_until


def test_status_says_what_is_installed_and_covered(sso: CommandLine) -> None:
    status = sso.json("status")
    assert [profile["identifier"] for profile in status["profiles"]] == ["test.acme.sso"]
    assert status["urls"] == ["https://id.acme.test/realms/staff/"]
    assert [extension["identifier"] for extension in status["extensions"]] == [EXTENSION]
    assert PROVIDER in sso.text("status")
    assert "Acme Sign-In" in sso.text("extension", "list")
    domains = sso.json("domains")
    assert [(domain["host"], domain["state"], domain["holds"]) for domain in domains] == [
        ("id.acme.test", "approved", True)]
    sso.device.domains.apps["id.acme.test"] = []
    assert sso.json("domains", "refresh")[0]["state"] == "denied"
    assert "denied" in sso.text("domains", "list")
    assert sso.failure("token", PROVIDER, exit_code=4) != ""


@pytest.mark.parametrize("words", [
    ("status",), ("domains",), ("domains", "refresh"), ("extension", "list"), ("extension", "debug", EXTENSION),
    ("log",), ("log", "--follow"), ("request", COVERED), ("token", PROVIDER), ("header", PROVIDER), ("cookies", COVERED),
    ("curl", "--token", PROVIDER, "--", "http://127.0.0.1:1/"),
])
def test_without_a_broker_every_command_says_so_at_once(sso: CommandLine, words: tuple[str, ...]) -> None:
    sso.device.stop()
    said = sso.failure(*words, exit_code=6)
    assert "start the lanyard-broker of that socket" in said
    # The first attempt decides, and no time that is over.
    assert "nothing listens there" in said


@pytest.mark.parametrize("words", [
    ("request", "ftp://a.test/"), ("request", "nothing"), ("request", COVERED, "--header", "x"),
    ("request", COVERED, "--option", "x"), ("request", COVERED, "--response-code", "200"), ("curl", "--", "-v"),
    ("git-credential", "give"), ("curl", "--", "https://a.test/", "https://b.test/"),
    ("curl", "--token", PROVIDER, "--", "http://a.test/"),
])
def test_wrong_usage(sso: CommandLine, words: tuple[str, ...]) -> None:
    sso.failure(*words, exit_code=64)


@pytest.mark.parametrize("words", [
    ("b.test/",), ("-s", "b.test"), ("-so", "file", "b.test"), ("--", "b.test"), ("--url", "b.test"), ("--url=b.test",),
    ("--ur", "b.test"), ("--expand-url", "b.test"), ("-K", "file"), ("-sK", "file"), ("--config", "file"), ("--conf", "file"),
    ("--next",), ("-:",), ("-s:",), ("--location-trusted",), ("--location-t",), ("--proto-default", "https"),
    ("https://b.test/",), ("https://{b.test}/",), ("https://a.test@b.test/",), ("https://a.test\\@b.test/",),
    ("https:///b.test",), ("--silent", "b.test"), ("--data", "x", "b.test"), ("http://a.test/",), ("https://a.test:444/",),
])
def test_a_token_goes_to_one_host_alone(sso: CommandLine, words: tuple[str, ...]) -> None:
    sso.failure("curl", "--token", PROVIDER, "--", "https://a.test/", *words, exit_code=64)


@pytest.mark.parametrize("words", [
    ("-o", "file"), ("-sSofile",), ("--data", "b.test"), ("-d", "https://b.test/"), ("-XPOST", "-H", "A: b.test"), ("-L",),
    ("--location",), ("--proto", "=https"), ("--url-query", "a=b.test"), ("https://a.test/b",), ("-x", "b.test:3128"),
])
def test_values_of_options_are_no_hosts(sso: CommandLine, words: tuple[str, ...]) -> None:
    sso.device.stop()
    # Only the broker is missing.
    sso.failure("curl", "--token", PROVIDER, "--", *words, "https://a.test/", exit_code=6)


def test_refresh_is_silent_and_login_asks(signed_out: CommandLine) -> None:
    # Nothing is saved, and nobody may be asked.
    signed_out.failure("token", PROVIDER, "--no-ui", exit_code=7)
    refused = signed_out.json("request", PROVIDER, "--operation", "refresh", exit_code=7)
    assert refused["outcome"] == "failed"
    # No terminal and no desktop: the same in other words.
    signed_out.failure("token", PROVIDER, exit_code=7)


def test_a_saved_session_gives_tokens_silently(sso: CommandLine) -> None:
    assert sso.text("token", PROVIDER) == "access-of-mika\n"
    assert sso.text("token", PROVIDER, "--id-token", "--no-ui") == "e30.e30.mika\n"
    report = sso.json("token", PROVIDER, "--scope", "openid", "--scope", "email", "--scope", "admin")
    assert report["scopes"] == ["openid", "email"]
    assert report["expiresAt"]
    outcome = sso.json("request", PROVIDER, "--operation", "refresh", "--state", "s1")
    import base64

    assert json.loads(base64.b64decode(outcome["response"]["body"]))["state"] == "s1"


def test_operations_of_the_extension_s_own(sso: CommandLine) -> None:
    assert sso.json("request", PROVIDER, "--operation", "logout")["outcome"] == "empty"
    sso.failure("token", PROVIDER, "--no-ui", exit_code=7)
    failed = sso.json("request", PROVIDER, "--operation", "fail", "--option", "as=ada", exit_code=1)
    assert failed["error"]["domain"] == "AcmeErrorDomain" and failed["error"]["code"] == -6000
    assert failed["error"]["userInfo"] == {"account": "ada"}
    assert "HTTP 403" in sso.run("request", PROVIDER, "--operation", "fail").stdout
    assert sso.json("request", PROVIDER, "--operation", "dance", exit_code=4)["reason"] == "extensionDeclined"
    assert sso.json("request", "https://example.org/", exit_code=4)["reason"] == "notCovered"


def test_values_of_the_extension_s_own_come_in_headers(sso: CommandLine) -> None:
    assert sso.json("request", PROVIDER, "--operation", "tokensInHeaders")["response"]["headers"] == [
        ["access_token", "from-header"], ["X-Full-Name", "Mika Example"]]


def test_a_challenge_is_answered(sso: CommandLine, site: Site) -> None:
    done = sso.text("header", site.url("/challenge", "localhost"))
    assert done == "Authorization: Basic bWlrYTp0aWNrZXQ=\n"
    assert [headers.get("Authorization") for _, _, headers in site.requests] == [None]
    assert sso.text("curl", "--", "-s", site.url("/challenge", "localhost")) == "In"
    # The first request has no header; the answer to the second one counts.
    assert [headers.get("Authorization") for _, _, headers in site.requests][-2:] == [None, "Basic bWlrYTp0aWNrZXQ="]
    # This server does not challenge.
    assert sso.text("header", site.url("/api", "localhost")) == ""
    # The extension does not know the scheme: curl's own handling goes on.
    assert sso.failure("header", site.url("/digest", "localhost"), exit_code=4) != ""


def test_a_realm_or_a_host_stands_for_the_identity_provider(sso: CommandLine) -> None:
    for name in ("sso-realm:CORP.ACME.TEST", "sso-host:git.corp.acme.test"):
        assert sso.text("token", name, "--no-ui") == "access-of-mika\n"
    sso.failure("token", "sso-realm:corp.acme.test", exit_code=4)
    sso.failure("token", "sso-host:corp.acme.test", exit_code=4)


def test_header_of_an_identity_provider_is_its_token(sso: CommandLine) -> None:
    assert sso.text("header", PROVIDER) == "Authorization: Bearer access-of-mika\n"
    assert sso.json("header", PROVIDER) == [["Authorization", "Bearer access-of-mika"]]
    sso.failure("header", "https://example.org/", exit_code=4)


@pytest.mark.parametrize("way", ["authorize", "saml"])
def test_curl_comes_to_the_page_as_a_browser_would(sso: CommandLine, site: Site, way: str) -> None:
    assert sso.text("curl", "--", "-s", site.url(f"/?way={way}")).startswith("Hello mika")


def test_curl_with_a_token(sso: CommandLine, site: Site) -> None:
    assert sso.text("curl", "--token", PROVIDER, "--", "-sS", site.url("/api")) == "burger"


def test_curl_s_argument_list_holds_no_secret(sso: CommandLine, site: Site, tmp_path: Path) -> None:
    # It writes down what every user of the machine can see, and the files' rights.
    spy = tmp_path / "bin" / "curl"
    spy.parent.mkdir()
    spy.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >> {tmp_path}/seen\ncat /proc/$$/environ | tr "\\0" "\\n" >> {tmp_path}/seen\n'
                   f'stat -L -c %a "$3" >> {tmp_path}/modes\nexec /usr/bin/curl "$@"\n')
    spy.chmod(0o755)
    path = f"{spy.parent}:{os.environ['PATH']}"
    assert sso.text("curl", "--", "-s", site.url(), PATH=path).startswith("Hello mika")
    assert sso.text("curl", "--", "-s", site.url("/challenge", "localhost"), PATH=path) == "In"
    assert sso.text("curl", "--token", PROVIDER, "--", "-s", site.url("/api"), PATH=path) == "burger"
    seen = (tmp_path / "seen").read_text()
    assert "--config" in seen
    for secret in (*SECRETS, "bWlrYTp0aWNrZXQ", "app="):
        assert secret not in seen
    assert set((tmp_path / "modes").read_text().split()) == {"600"}


def test_curl_s_own_settings_lead_no_token_astray(sso: CommandLine, site: Site, tmp_path: Path) -> None:
    (tmp_path / ".curlrc").write_text(f"location-trusted\nurl = {site.url('/elsewhere', 'localhost')}\n")
    words = ("-sL", site.url("/away"))
    sso.run("curl", "--token", PROVIDER, "--", *words, CURL_HOME=str(tmp_path), HOME=str(tmp_path))
    assert [(path, headers.get("Authorization")) for _, path, headers in site.requests] == [
        ("/away", "Bearer access-of-mika"), ("/api", None)]
    # Without secrets curl is as it always is.
    site.requests.clear()
    sso.run("curl", "--", *words, CURL_HOME=str(tmp_path), HOME=str(tmp_path))
    assert "/elsewhere" in [path for _, path, _ in site.requests]


def test_a_proxy_gets_its_answer_by_hand(sso: CommandLine, site: Site, tinyproxy: str, tmp_path: Path) -> None:
    refused = sso.program("curl", "-sI", "--proxy", tinyproxy, site.url("/nothing")).stdout
    [challenge] = [line for line in refused.splitlines() if line.lower().startswith("proxy-authenticate:")]
    # The extension serves the proxy's host, which is what counts, whatever lies behind.
    outcome = sso.json("request", tinyproxy, "--response-code", "407", "--header", challenge)
    [header] = outcome["authorizationHeaders"]
    assert header == ["Proxy-Authorization", "Basic bWlrYTp0aWNrZXQ="]
    (tmp_path / "header").write_text(": ".join(header))
    done = sso.program(
        "curl", "-s", "--proxy", tinyproxy, "--proxy-header", f"@{tmp_path}/header", site.url("/nothing"))
    assert done.stdout == "nothing"
    # As the answer to a server it would be another header.
    assert sso.json("request", tinyproxy, "--response-code", "401", "--header", "WWW-Authenticate: Basic x")[
        "authorizationHeaders"] == [["Authorization", "Basic bWlrYTp0aWNrZXQ="]]
    elsewhere = tinyproxy.replace("localhost", "127.0.0.1")
    assert sso.json(
        "request", elsewhere, "--response-code", "407", "--header", challenge, exit_code=4)["reason"] == "notCovered"


def test_curl_goes_on_without_single_sign_on(sso: CommandLine, site: Site) -> None:
    assert sso.run("curl", "--", "-s", site.url("/nothing")).stdout == "nothing"
    assert sso.run("curl", "--", "-sf", site.url("/nothing")).returncode == 22
    sso.device.stop()
    done = sso.run("curl", "--", "-s", site.url("/nothing"))
    assert done.stdout == "nothing" and "cannot be asked" in done.stderr


def test_cookies_open_the_session_in_another_program(sso: CommandLine, site: Site, tmp_path: Path) -> None:
    assert sso.text("cookies", site.url()) == "app=mika\n"
    file = tmp_path / "cookies.txt"
    file.write_text(sso.text("cookies", site.url(), "--netscape"))
    done = sso.program("curl", "-s", "-b", file, site.url())
    assert done.stdout == "Hello mika"
    assert {cookie["host"] for cookie in json.loads(sso.run("cookies", site.url(), "--netscape", "--json").stdout)} == {
        "127.0.0.1", "id.acme.test"}


def test_a_page_without_cookies_is_said_to_be_one(sso: CommandLine, site: Site) -> None:
    for words in ((), ("--netscape",), ("--json",)):
        assert "No cookie" in sso.failure("cookies", site.url("/nothing"), *words, exit_code=1)


def test_why_a_page_cannot_be_reached_is_said_in_words(sso: CommandLine, site: Site) -> None:
    assert "cannot be reached: its name is not known to DNS\n" in sso.failure(
        "cookies", "https://nobody.invalid/", exit_code=1)
    address = f"https://id.acme.test:{sso.device.domains.port}/"
    assert "its name is not known to DNS" in sso.failure("cookies", address, exit_code=1)
    here = f"https://localhost:{sso.device.domains.port}/"
    assert "cannot be reached: its certificate is not valid today, or not made by an authority that this device knows\n" \
        in sso.failure("cookies", here, exit_code=1)


def test_the_log_says_why_and_holds_no_secret(sso: CommandLine, site: Site) -> None:
    sso.text("token", PROVIDER + "?login_hint=mika&key=secret")
    sso.text("curl", "--", "-s", site.url("/challenge", "localhost"))
    sso.text("cookies", site.url())
    sso.failure("token", "https://example.org/", exit_code=4)
    entries = sso.json("log")
    assert [entry["reason"] for entry in entries if entry.get("operation") == "refresh"][-2:] == ["answered", "notCovered"]
    text = sso.text("log") + json.dumps(entries) + sso.device.program.log_text
    assert "refresh" in text and EXTENSION in text
    for secret in SECRETS:
        assert secret not in text


def test_the_log_can_be_followed(sso: CommandLine) -> None:
    follower = subprocess.Popen(
        [LANYARD_SSO, "log", "--follow", "--json"], env=sso.environment(), stdout=subprocess.PIPE, text=True)
    try:
        sso.text("token", PROVIDER)
        assert json.loads(follower.stdout.readline())["operation"] == "refresh"
    finally:
        follower.kill()
        follower.communicate()


def may_attach() -> bool:
    """Whether a program may look into another of the same user."""
    restriction = Path("/proc/sys/kernel/yama/ptrace_scope")
    return os.geteuid() == 0 or not restriction.exists() or restriction.read_text().strip() == "0"


def test_an_extension_waits_for_a_debugger(sso: CommandLine) -> None:
    assert "nobody" in sso.failure("extension", "debug", "nobody", exit_code=1)
    debug = subprocess.Popen(
        [LANYARD_SSO, "extension", "debug", EXTENSION], env=sso.environment(), stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True)
    request = None
    try:
        assert "Waiting" in debug.stderr.readline()
        request = subprocess.Popen(
            [LANYARD_SSO, "token", PROVIDER], env=sso.environment(), stdout=subprocess.PIPE, text=True)
        assert debug.wait(10) == 0
        said = debug.stdout.read()
        process = int(re.match(r"Process (\d+) has stopped and waits\.\n", said)[1])
        assert "sso-account" in Path(f"/proc/{process}/comm").read_text()
        assert request.poll() is None
        # What it says to type leads on: here to a place behind the stop, and then out of the debugger.
        [gdb] = [line.partition("gdb --pid")[2] for line in said.splitlines() if "gdb --pid" in line]
        if may_attach():
            at_place = run(
                "gdb", "-q", "-batch", "--pid", *shlex.split(gdb), "-ex", "catch syscall write", "-ex", "continue")
            assert "Catchpoint 1 (call to syscall write)" in at_place.stdout, at_place.stdout + at_place.stderr
        [on] = [line.split("let it go")[1] for line in said.splitlines() if "kill -CONT" in line]
        assert run(*shlex.split(on)).returncode == 0
        assert request.wait(20) == 0
    finally:
        for program in (debug, request):
            if program:
                program.kill()
                program.communicate()


def test_a_native_app_asks_if_nobody_has_signed_in(
    signed_out: CommandLine, desktop_browser: Path
) -> None:
    signed_out.device.stop()
    signed_out.device.start("--browser", str(desktop_browser))
    signed_out.device.wait_for_domains()
    done = signed_out.program(NATIVE_APP, PROVIDER)
    assert done.stdout == "Signed in; the access token has 14 bytes.\n", done.stderr
    assert "native-sign-in wants to know who you are" in desktop_browser.with_suffix(".seen").read_text()
    # The same on the command line, and again in the app, without a desktop.
    signed_out.device.stop()
    signed_out.device.start()
    signed_out.device.wait_for_domains()
    assert signed_out.text("token", PROVIDER, "--no-ui") == "access-of-mika\n"
    assert signed_out.program(NATIVE_APP, PROVIDER).returncode == 0


def test_a_native_app_knows_when_there_is_no_single_sign_on(sso: CommandLine) -> None:
    done = sso.program(NATIVE_APP, "https://example.org/")
    assert done.returncode == 4 and "no single sign-on" in done.stdout
    sso.device.stop()
    assert sso.program(NATIVE_APP, PROVIDER).returncode == 4
