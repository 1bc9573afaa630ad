"""`lanyard sso`: profiles of single sign-on, written, checked and matched."""

import json
import plistlib
from pathlib import Path
from typing import Any

import pytest
from processes import LANYARD, LANYARD_SSO, run

BUILD = (
    "--identifier", "test.acme.sso", "--name", "Acme", "--extension", "test.acme.signin.extension", "--team", "ACME123456",
    "--app", "test.acme.signin", "--url", "https://id.acme.test/realms/staff/", "--url", "https://saml.acme.test",
    "--data", "username=mika", "--data", "note=a=b",
)


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    file = tmp_path / "acme.mobileconfig"
    done = run(LANYARD_SSO, "profile", "build", *BUILD, "--out", file)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return file


def validate(*arguments: str | Path, code: int) -> Any:
    done = run(LANYARD_SSO, "profile", "validate", *arguments, "--json")
    assert done.returncode == code, done.stdout + done.stderr
    return json.loads(done.stdout)


def test_a_profile_is_what_apple_s_format_says_and_the_same_each_time(profile: Path) -> None:
    # The reader is Python's own.
    whole = plistlib.loads(profile.read_bytes())
    assert whole["PayloadType"] == "Configuration"
    redirect, domains = whole["PayloadContent"]
    assert redirect["PayloadType"] == "com.apple.extensiblesso"
    assert redirect["Type"] == "Redirect"
    assert redirect["URLs"] == ["https://id.acme.test/realms/staff/", "https://saml.acme.test"]
    assert redirect["ExtensionData"] == {"username": "mika", "note": "a=b"}
    assert domains["Configuration"] == [{
        "ApplicationIdentifier": "ACME123456.test.acme.signin",
        "AssociatedDomains": ["authsrv:id.acme.test", "authsrv:saml.acme.test"],
    }]
    assert len({payload["PayloadUUID"] for payload in (whole, redirect, domains)}) == 3
    again = run(LANYARD_SSO, "profile", "build", *BUILD)
    assert again.stdout == profile.read_text()


def test_a_profile_that_is_right_says_what_will_match(profile: Path) -> None:
    report = validate(profile, code=0)
    assert report["valid"] and report["findings"] == []
    assert [match["matches"] for match in report["matches"]] == [
        "https://id.acme.test/realms/staff/", "https://saml.acme.test/"]
    text = run(LANYARD_SSO, "profile", "validate", profile).stdout
    assert "https://id.acme.test/realms/staff/  test.acme.signin.extension  before the request" in text


@pytest.mark.parametrize("format", [plistlib.FMT_XML, plistlib.FMT_BINARY])
def test_every_defect_is_named_with_its_place(profile: Path, tmp_path: Path, format: Any) -> None:
    whole = plistlib.loads(profile.read_bytes())
    redirect = whole["PayloadContent"][0]
    redirect["URLs"] += ["ftp://id.acme.test", "https://ID.acme.test:443/realms/staff/"]
    redirect["Type"] = "redirect"
    del redirect["TeamIdentifier"]
    file = tmp_path / "broken.mobileconfig"
    file.write_bytes(plistlib.dumps(whole, fmt=format))
    report = validate(file, code=2)
    assert not report["valid"]
    found = [(line["severity"], line["keyPath"]) for line in report["findings"]]
    assert found[0] == ("error", "PayloadContent[0].Type")
    assert ("warning", "PayloadContent[0].TeamIdentifier") in found
    assert report["findings"][0]["remedy"] == "Write Redirect."


def test_what_is_claimed_already_cannot_be_claimed_again(profile: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.mobileconfig"
    done = run(
        LANYARD_SSO, "profile", "build", "--identifier", "test.other", "--extension", "test.other.extension", "--team",
        "T", "--url", "https://saml.ACME.test/", "--out", other)
    assert done.returncode == 0
    assert "authsrv:saml.acme.test" in done.stderr
    report = validate(other, "--beside", profile, code=2)
    assert [line["keyPath"] for line in report["findings"] if line["severity"] == "error"] == ["PayloadContent[0].URLs[0]"]
    assert "test.acme.sso" in report["findings"][0]["problem"]


def test_what_would_be_wrong_is_not_written(tmp_path: Path) -> None:
    out = tmp_path / "none.mobileconfig"
    done = run(
        LANYARD_SSO, "profile", "build", "--identifier", "a.b", "--extension", "a.b.c", "--team", "T", "--url",
        "https://a.test/?x=1", "--out", out)
    assert done.returncode == 1
    assert "has a query" in done.stderr
    assert not out.exists()


@pytest.mark.parametrize(
    ("url", "by"),
    [("https://ID.acme.test:443/realms/staff/login?x=1", "https://id.acme.test/realms/staff/"),
     ("https://saml.acme.test/sso", "https://saml.acme.test"), ("https://id.acme.test/realms/public/", None),
     ("https://elsewhere.test/", None)],
)
def test_a_match_is_explained(profile: Path, url: str, by: str | None) -> None:
    done = run(LANYARD_SSO, "match", url, "--profile", profile, "--json")
    report = json.loads(done.stdout)
    assert report.get("by") == by
    assert done.returncode == (0 if by else 4)
    # No broker was there to say whether somebody is asked now.
    assert report["matches"] == bool(by) and "asksNow" not in report
    assert report["explanation"]


@pytest.mark.parametrize("text", ["nonsense", "", "https://", "mailto:mika@acme.test"])
def test_what_is_no_url_of_a_request_is_wrong_usage(profile: Path, text: str) -> None:
    assert run(LANYARD_SSO, "match", text, "--profile", profile).returncode == 64


def test_an_empty_file_is_said_to_be_empty(tmp_path: Path) -> None:
    file = tmp_path / "x.mobileconfig"
    file.touch()
    assert validate(file, code=2)["findings"][0]["problem"] == "This is empty."


@pytest.mark.parametrize("content", [b"", b"<html></html>", b"bplist00", b"{}", b"<plist>" + b"<array>" * 100_000])
def test_what_is_no_profile_is_said_to_be_none(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "x.mobileconfig"
    file.write_bytes(content)
    assert not validate(file, code=2)["valid"]
    assert run(LANYARD_SSO, "profile", "validate", tmp_path / "missing").returncode == 1


def test_a_file_without_an_end_is_read_as_far_as_a_profile_goes() -> None:
    for file in ("/dev/zero", "/dev/urandom"):
        report = validate(file, code=2)
        assert not report["valid"]
    assert run(LANYARD_SSO, "profile", "validate", "/dev").returncode == 1
    # A pipe is as good as a file.
    done = run("bash", "-c", f"{LANYARD} sso profile validate <(sleep 0.1; echo '<plist><string>x</string></plist>')")
    assert done.returncode == 2 and "not a dictionary" in done.stdout
