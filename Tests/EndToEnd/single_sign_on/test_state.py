"""What `lanyard sso` tells of profiles, extensions and domains that do not do what somebody expects of them."""

import json
import os
import re
import subprocess
import threading
from pathlib import Path

import pytest
from broker import APP, EXTENSION, LANYARD, TEAM, Device, managed_domains, payload, profile, strings
from processes import LANYARD_SSO, run, wait_until

URL = "https://id.acme.test/realms/staff/page"

# Sentences that several views show.
NOT_INSTALLED = f"{EXTENSION} of team {TEAM} is not installed"
FAULTY_MANIFESTS = "These manifests of extensions do not count:"
LIST_OF_DOMAINS = "(see `lanyard-sso domains`):"
ASKS_NOW = "asks now"
NO_REALM_OR_HOST = "no profile has this realm or host"
BY_THE_REALM = "by the realm or the host."


def asked_at(device: Device, verb: str) -> str:
    return f"The broker at {device.socket} {verb}"


def looked_up_without_a_broker(device: Device, shown: str) -> bool:
    return f"broker at {device.socket} cannot be asked" in shown and "looked up in /etc/lanyard/sso/profiles" in shown


def sso(device: Device, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [LANYARD_SSO, *arguments], env=os.environ | {"LANYARD_SSO_SOCKET": str(device.socket)},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)


def text(device: Device, *arguments: str, code: int = 0) -> str:
    done = sso(device, *arguments)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def wait_for_problem(device: Device) -> str:
    wait_until(lambda: device.get("/v1/status")["profiles"][0].get("problem"), 10, "the profile has a problem")
    return device.get("/v1/status")["profiles"][0]["problem"]


def test_what_is_in_order_has_no_problem(device: Device) -> None:
    status = device.get("/v1/status")
    assert "problem" not in status["profiles"][0]
    assert status["faultyManifests"] == [] and status["hostsNotAgreed"] == []
    shown = text(device, "status")
    assert "not running (starts when asked)" in shown and "stopped" not in shown
    assert "do not count" not in shown and "agreed" not in shown and "\n  https://saml.acme.test" in shown
    assert "OPEN" in text(device, "extension", "list")


@pytest.mark.parametrize("executable, words", [
    ("/nowhere/at/all", "/nowhere/at/all cannot be started"), ("bin/acme", "write the whole path"),
    ("/etc/passwd", "make it one with chmod +x"),
])
def test_a_manifest_that_does_not_count_is_shown_with_its_file(device: Device, executable: str, words: str) -> None:
    device.install_extension(executable=executable)
    problem = wait_for_problem(device)
    manifest = str(device.extensions / f"{EXTENSION}.json")
    assert NOT_INSTALLED in problem and words in problem and manifest in problem
    [faulty] = device.get("/v1/status")["faultyManifests"]
    assert faulty["source"] == manifest and words in faulty["problem"]
    for command in (["status"], ["extension", "list"]):
        shown = text(device, *command)
        assert f"{FAULTY_MANIFESTS}\n  {manifest}\n    " in shown and words in shown
    assert words in text(device, "status").split("EXTENSION")[0].split(FAULTY_MANIFESTS)[0]
    assert words in text(device, "domains")
    assert words in text(device, "request", URL, code=4)
    assert words in text(device, "match", URL, code=4)
    assert words in device.get("/v1/log")[-1]["detail"]


def test_a_manifest_that_cannot_be_read_may_be_the_one(device: Device) -> None:
    manifest = device.extensions / f"{EXTENSION}.json"
    manifest.write_text("{")
    assert f"may be that of {manifest}, which does not count: It is no manifest" in wait_for_problem(device)


def test_another_team_is_named(device: Device) -> None:
    device.install_extension(teamIdentifier="ACME12345")
    words = f"{EXTENSION} is here, but of team ACME12345; the profile says {TEAM}."
    assert wait_for_problem(device) == words
    for command in (["status"], ["domains"]):
        assert words in text(device, *command), command
    assert words in text(device, "match", URL, code=4)
    assert words in text(device, "request", URL, code=4)


def test_a_domain_that_has_not_agreed_is_named(device: Device) -> None:
    device.domains.apps["id.acme.test"] = []
    device.post("/v1/domains/refresh", {})
    assert device.get("/v1/status")["hostsNotAgreed"] == ["id.acme.test"]
    shown = text(device, "status")
    assert f"have not agreed {LIST_OF_DOMAINS}\n  id.acme.test\n" in shown
    assert "Covered now:\n  https://saml.acme.test" in shown
    # The reason stands below, not at the end of a line that is long already.
    shown = text(device, "domains")
    address = f"https://id.acme.test:{device.domains.port}/.well-known/apple-app-site-association"
    assert "\n  the association file names neither" in shown and f"\n  {address}\n" in shown
    assert shown.count(address) == 1 and "saml.acme.test:" not in shown
    assert f"`lanyard-sso domains refresh` {ASKS_NOW}." in shown
    assert ASKS_NOW not in text(device, "domains", "refresh")
    shown = text(device, "match", URL, code=4)
    assert "would be asked" in shown and "has not agreed" in shown
    matched = json.loads(text(device, "match", URL, "--json", code=4))
    assert (matched["matches"], matched["asksNow"]) == (True, False)
    asked = json.loads(text(device, "request", URL, "--json", code=4))
    assert asked["reason"] == "domainNotApproved" and "its domain has not agreed" in asked["why"]


def test_the_journal_gets_levels_and_whole_lines(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name of a file may hold line ends; what has to be mended can be told from the rest (sd-daemon(3))."""
    device.stop()
    log = device.folder / "broker.log"
    where = log.stat()
    (device.profiles / "odd\n<0>name.mobileconfig").write_text("no profile")
    monkeypatch.setenv("JOURNAL_STREAM", f"{where.st_dev}:{where.st_ino}")
    device.start()
    assert device.program
    lines = device.program.log_text.splitlines()
    assert all(re.match(r"<[2-7]>\d{4}-", line) for line in lines), lines
    [problem] = [line for line in lines if "odd" in line]
    assert problem.startswith("<3>") and "odd <0>name.mobileconfig" in problem
    [ready] = [line for line in lines if "ready" in line]
    assert ready.startswith("<5>")
    # Elsewhere nobody would know what the numbers mean.
    device.stop()
    monkeypatch.setenv("JOURNAL_STREAM", "1:1")
    device.start()
    assert "<" not in device.program.log_text.split()[0]
    device.wait_for_domains()
    device.post("/v1/domains/refresh", {})
    assert "reason= " not in device.program.log_text and 'reason=""' not in device.program.log_text


def test_a_pipe_into_which_nobody_writes_is_not_waited_for(device: Device, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    done = sso(device, "profile", "validate", str(pipe))
    assert done.returncode == 1 and "nothing has come from it" in done.stderr
    # One that somebody writes into is read, as what a shell puts in place of `<(…)`.
    content = profile([payload("Redirect", strings("URLs", ["https://id.acme.test/x/"]))])
    writing = threading.Thread(target=lambda: pipe.write_bytes(content), daemon=True)
    writing.start()
    assert "https://id.acme.test/x/" in text(device, "profile", "validate", str(pipe))
    writing.join(10)


def test_the_issuer_is_a_url_that_works(device: Device) -> None:
    data = ("<key>ExtensionData</key><dict><key>issuer</key><string>https://id.acme.test/issuer</string></dict>")
    device.install_profile(profile([payload(
        "Redirect", strings("URLs", ["https://id.acme.test/realms/staff/"]) + data)]))
    wait_until(lambda: device.get("/v1/status")["urls"] == ["https://id.acme.test/realms/staff/"], 10, "it counts")
    for url in ("https://id.acme.test", "https://id.acme.test/issuer", "https://id.acme.test/realms/staff"):
        report = json.loads(text(device, "match", url, "--json"))
        assert (report["asksNow"], report["when"]) == (True, "for operations of apps"), url
        assert "when an app names this identity provider" in text(device, "match", url)
        assert device.ask(url)["reason"] == "notCovered", "a page there is loaded as usual"
        assert device.ask(url, operation="login")["reason"] != "notCovered"
    report = json.loads(text(device, "match", "https://id.acme.test/elsewhere", "--json", code=4))
    assert not report["matches"]


def test_match_asks_the_broker_and_looks_into_files_where_there_is_none(device: Device, tmp_path: Path) -> None:
    # No file of this machine's own says anything of the URL.
    assert asked_at(device, "says so.") in text(device, "match", URL)
    matched = json.loads(text(device, "match", URL, "--json"))
    assert matched["extension"] == EXTENSION and matched["broker"] == str(device.socket)
    assert matched["matches"] and matched["asksNow"]
    assert (matched["url"], matched["when"]) == (URL, "before the request")
    assert matched["by"].startswith("https://id.acme.test/realms/staff")
    challenged = json.loads(text(device, "match", "https://intranet.acme.test/", "--json"))
    assert (challenged["when"], challenged["by"]) == ("after a challenge", "intranet.acme.test")
    assert BY_THE_REALM in text(device, "match", "sso-realm:CORP.ACME.TEST")
    assert "other paths" in text(device, "match", "https://id.acme.test/elsewhere", code=4)
    elsewhere = json.loads(text(device, "match", "https://id.acme.test/elsewhere", "--json", code=4))
    assert (elsewhere["matches"], elsewhere["asksNow"]) == (False, False)
    # If places are named on the command line, only these are looked at.
    assert "nobody is asked" in text(device, "match", URL, "--user-profiles", str(tmp_path), code=4)
    device.stop()
    shown = text(device, "match", URL, code=4)
    assert looked_up_without_a_broker(device, shown), shown


def test_the_list_of_profiles_is_the_broker_s(device: Device) -> None:
    [listed] = json.loads(text(device, "profile", "list", "--json"))["profiles"]
    assert (listed["identifier"], listed["file"]) == ("test.acme.sso", device.get("/v1/status")["profiles"][0]["source"])
    shown = text(device, "profile", "list")
    assert "test.acme.sso" in shown and asked_at(device, "looks into ") in shown
    (device.profiles / "acme.mobileconfig").unlink()
    shown = text(device, "profile", "list")
    assert "No profile is installed." in shown and f" and {device.profiles}." in shown
    device.stop()
    report = json.loads(text(device, "profile", "list", "--json"))
    assert "broker" not in report
    shown = text(device, "profile", "list")
    assert looked_up_without_a_broker(device, shown), shown


def test_where_a_missing_extension_was_looked_for_is_said(device: Device) -> None:
    (device.extensions / f"{EXTENSION}.json").unlink()
    words = f"{NOT_INSTALLED}. No manifest in {device.extensions} names it."
    assert wait_for_problem(device) == words
    assert words in text(device, "match", URL, code=4)


def test_the_reason_is_of_the_moment_that_was_asked_about(device: Device) -> None:
    """URLs are asked about before the request alone, and realms are no URLs."""
    shown = text(device, "request", URL, "--response-code", "401", code=4)
    assert "no profile has the host" in shown and "is asked before" not in shown
    # A host of a profile needs no such words: its extension was asked.
    assert "why" not in text(device, "request", "https://intranet.acme.test/", "--response-code", "401", code=4)
    assert NO_REALM_OR_HOST in text(device, "match", "sso-realm:NOWHERE.TEST", code=4)
    (device.extensions / f"{EXTENSION}.json").unlink()
    wait_for_problem(device)
    shown = text(device, "match", "sso-realm:CORP.ACME.TEST", code=4)
    assert f"{EXTENSION} would be asked, {BY_THE_REALM} But {NOT_INSTALLED}." in shown


def test_how_an_extension_crashed_is_told(device: Device) -> None:
    shown = text(device, "request", "https://id.acme.test/realms/staff/exit", code=1)
    assert "ended before it had answered: exit status " in shown
    assert "what it wrote before is in the broker's log" in shown
    for command in (["status"], ["extension", "list"]):
        assert re.search(r"\n  It failed at 20\S+Z: the extension ended .*: exit status ", text(device, *command))


def test_an_extension_that_is_left_alone_is_so_in_every_view(device: Device, tmp_path: Path) -> None:
    ends = tmp_path / "ends"
    ends.write_text("#!/bin/sh\nexit 3\n")
    ends.chmod(0o755)
    device.install_extension(executable=str(ends), displayName="Ends")
    wait_until(lambda: device.get("/v1/status")["extensions"][0]["name"] == "Ends", 10, "the change is seen")

    def fail_again() -> bool:
        # Each time it is left alone for longer: long enough to look at it.
        device.ask(URL)
        return device.get("/v1/status")["extensions"][0]["lastFailure"]["inARow"] == 4

    wait_until(fail_again, 30, "it has failed four times")
    for command in (["status"], ["extension", "list"]):
        assert re.search(r"not running; starts again in [1-8] s\b", text(device, *command))
        assert ", 4 times in a row: " in text(device, *command)
    assert "it is left alone for now: " in text(device, "match", URL)
    shown = text(device, "request", URL, code=1)
    assert "exit status 3; it is started again in " in shown and str(ends) not in shown


@pytest.mark.parametrize("app, accepts, words", [
    (f"{TEAM}.{APP}", False, f"a profile gives authsrv:id.acme.test to {TEAM}.{APP}, which does not count"),
    ("WRONGTEAM1.signin", True, f"a profile gives authsrv:id.acme.test to WRONGTEAM1.signin, and not to {TEAM}.{APP}"),
    (None, True, "neither the extension's app nor a profile has an entry authsrv:id.acme.test"),
])
def test_a_domain_that_is_not_asked_is_told_from_one_that_has_not_agreed(
    device: Device, app: str | None, accepts: bool, words: str) -> None:
    device.install_extension(associatedDomains=[], acceptsManagedDomains=accepts)
    redirect = payload("Redirect", strings("URLs", ["https://id.acme.test/realms/staff/"]))
    given = [managed_domains(app, ["authsrv:id.acme.test"])] if app else []
    device.install_profile(profile([redirect, *given]))
    wait_until(
        lambda: [(domain["host"], domain["state"]) for domain in device.get("/v1/domains")]
        == [("id.acme.test", "unclaimed")], 10, "nobody claims it")
    assert f"\n  {words}" in text(device, "domains")
    status = device.get("/v1/status")
    assert (status["hostsNotAsked"], status["hostsNotAgreed"]) == (["id.acme.test"], [])
    shown = text(device, "status")
    assert f"no domain is asked about these {LIST_OF_DOMAINS}\n  id.acme.test" in shown
    matched = text(device, "match", URL, code=4)
    assert f"But no domain is asked: {words}" in matched and "agreed" not in shown + matched
    assert words in text(device, "request", URL, code=4)
    assert words in device.get("/v1/log")[-1]["detail"]


def test_the_log_has_dates_and_short_lines(device: Device) -> None:
    device.ask(URL)
    first, *rest = text(device, "log").splitlines()
    assert first[4] == "-" and first[10] == "T" and first.split()[0].endswith("Z"), first
    assert "response (answered)" in first and len(first) < 80
    assert rest[0] == f"  {URL}" and rest[1].startswith("  for exe:/") and rest[2] == f"  by {EXTENSION}"


def test_what_the_log_does_not_know_is_left_out(device: Device) -> None:
    device.ask("https://example.org/")
    [entry] = json.loads(text(device, "log", "--json"))
    assert entry["reason"] == "notCovered" and not {"caller", "operation", "extension", "detail"} & entry.keys()


def test_a_file_that_cannot_be_read_is_named_once(device: Device) -> None:
    path = device.profiles / "other.mobileconfig"
    path.mkdir()
    wait_until(lambda: len(device.get("/v1/status")["profiles"]) == 2, 10, "it is seen")
    shown = text(device, "status")
    assert shown.count(str(path)) == 1 and "\n  It is no plain file." in shown
    assert re.search(r"\n–  +–  +user  ", shown), shown
    [faulty] = [profile for profile in device.get("/v1/status")["profiles"] if profile["source"] == str(path)]
    assert faulty.keys() == {"source", "store", "problem"}


def test_a_domain_where_nothing_listens_is_told_so(device: Device) -> None:
    port = device.domains.port
    device.domains.close()
    device.post("/v1/domains/refresh", {})
    reasons = {domain["host"]: domain["reason"] for domain in device.get("/v1/domains")}
    assert reasons["id.acme.test"] == f"nothing listens at id.acme.test, that is at 127.0.0.1:{port}"


def test_what_is_wrong_with_a_file_is_said(tmp_path: Path) -> None:
    missing = run(LANYARD_SSO, "profile", "validate", tmp_path / "nothere.mobileconfig")
    assert missing.returncode == 1 and "cannot be read: No such file or directory." in missing.stderr
    broken = tmp_path / "broken.mobileconfig"
    broken.write_text("<plist>\n<dict>\n")
    found = run(LANYARD_SSO, "profile", "validate", broken)
    assert found.returncode == 2 and "after line 2" in found.stdout
