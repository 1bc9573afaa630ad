"""`lanyard sso browser-policy`: what it writes is what browsers take, and nobody else's files are touched."""

import json
import os
import stat
import subprocess
import zipfile
from pathlib import Path

import pytest
from bridged_chromium import BridgedChromium
from device import Device, redirection
from processes import LANYARD, run

HOST = "etc/chromium/native-messaging-hosts/lanyard.sso.json"
POLICY = "etc/chromium/policies/managed/lanyard-sso.json"
FIREFOX = "etc/firefox/policies/policies.json"


def policy(*arguments: str | Path, exit_code: int = 0) -> subprocess.CompletedProcess[str]:
    result = run(LANYARD, "sso", "browser-policy", *arguments)
    assert result.returncode == exit_code, result.stdout + result.stderr
    return result


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def extension_id(public_key: bytes) -> str:
    import hashlib

    return "".join(chr(ord("a") + int(digit, 16)) for digit in hashlib.sha256(public_key).hexdigest()[:32])


def test_everything_fits_together(tmp_path: Path) -> None:
    policy("--out", tmp_path)
    host = json.loads((tmp_path / HOST).read_text())
    (origin,) = host["allowed_origins"]
    (identifier,) = json.loads((tmp_path / POLICY).read_text())["ExtensionSettings"]
    assert origin == f"chrome-extension://{identifier}/"
    key = tmp_path / "etc/lanyard/browser-extension.pem"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    public = subprocess.run(
        ["openssl", "pkey", "-in", key, "-pubout", "-outform", "DER"], check=True, capture_output=True).stdout
    assert identifier == extension_id(public)
    share = tmp_path / "usr/share/lanyard/browser"
    assert identifier in (share / "updates.xml").read_text()
    assert (share / "lanyard-sso.crx").read_bytes()[:8] == b"Cr24\x03\x00\x00\x00"
    assert os.access(share / "native-host", os.X_OK)
    # Whatever the umask of root is, everybody's browser can read it.
    assert all((tmp_path / name).stat().st_mode & 0o044 == 0o044 for name in files(tmp_path) if not name.endswith(".pem"))
    for archive in ("lanyard-sso.xpi", "lanyard-sso.crx"):
        names = set(zipfile.ZipFile(share / archive).namelist())
        assert {"manifest.json", "page.html", "_locales/ja/messages.json"} <= names
    # The same key and the same words give the same files.
    before = {name: (tmp_path / name).read_bytes() for name in files(tmp_path)}
    policy("--out", tmp_path)
    assert {name: (tmp_path / name).read_bytes() for name in files(tmp_path)} == before


def test_printing_writes_nothing(tmp_path: Path) -> None:
    entries = json.loads(policy("--json", "--browser", "chromium").stdout)
    assert any(entry["path"] == f"/{POLICY}" for entry in entries)
    assert f"/{POLICY}" in policy().stdout


def test_removing_leaves_what_is_not_ours(tmp_path: Path) -> None:
    (tmp_path / POLICY).parent.mkdir(parents=True)
    other = (tmp_path / POLICY).with_name("school.json")
    other.write_text('{"HomepageLocation": "https://maple.test"}')
    policy("--out", tmp_path)
    policy("--out", tmp_path, "--remove")
    assert files(tmp_path) == {"etc/chromium/policies/managed/school.json", "etc/lanyard/browser-extension.pem"}
    assert "nothing to take away" in policy("--out", tmp_path, "--remove").stdout


def test_firefox_has_one_file_and_others_may_own_it(tmp_path: Path) -> None:
    (tmp_path / FIREFOX).parent.mkdir(parents=True)
    theirs = '{"policies": {"DisableTelemetry": true}}'
    (tmp_path / FIREFOX).write_text(theirs)
    warning = policy("--out", tmp_path, "--browser", "firefox").stderr
    assert "was left alone" in warning and "sso@lanyard.example" in warning
    policy("--out", tmp_path, "--remove")
    assert (tmp_path / FIREFOX).read_text() == theirs


def test_two_files_with_the_same_policy_are_said(tmp_path: Path) -> None:
    (tmp_path / POLICY).parent.mkdir(parents=True)
    (tmp_path / POLICY).with_name("school.json").write_text('{"ExtensionSettings": {}}')
    assert "school.json has ExtensionSettings too" in policy("--out", tmp_path, "--browser", "chromium").stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--remove"], "Say where from"),
        (["--install", "--user"], "Choose one"),
        (["--browser", "netscape"], "netscape"),
        (["--update-url", "javascript:x"], "--update-url is a URL"),
        (["--allowed-host", "a b"], "is none"),
        (["--program", "lanyard"], "whole path"),
    ],
)
def test_wrong_usage_is_said_and_writes_nothing(tmp_path: Path, arguments: list[str], said: str) -> None:
    result = run(LANYARD, "sso", "browser-policy", *arguments)
    assert result.returncode in (1, 64)
    assert said in result.stderr


def test_a_key_that_is_none_is_said(tmp_path: Path) -> None:
    (tmp_path / "key.pem").write_text("no key")
    result = policy("--out", tmp_path / "out", "--signing-key", tmp_path / "key.pem", exit_code=1)
    assert "is no RSA key in PEM" in result.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a browser policies of its own")
def test_the_policy_installs_the_packed_extension(tmp_path: Path) -> None:
    """Chromium with the policy in a mount namespace: no store, no switch, and only the hosts that are allowed."""
    device = Device(tmp_path / "device", ["/realms/acme"])
    browser = None
    try:
        device.app.show("/welcome", "<!doctype html><title>welcome</title>")
        device.start_broker()
        browser = BridgedChromium(device, installs_by_policy=True)
        browser.wait_for_rules(1)
        device.will(redirection(f"{device.app.origin}/welcome", "session=1"))
        browser.open(f"{device.provider.origin}/realms/acme")
        browser.wait_for_title("welcome")
        # From another site too, though the policy closes that one to the extension.
        device.app.show("/start", f'<!doctype html><a href="{device.provider.origin}/realms/acme?linked">in</a>')
        browser.open(f"{device.app.origin}/start")
        browser.driver.find_element("tag name", "a").click()
        browser.wait_for_title("welcome")
        assert len(device.noted("begin")) == 2
    finally:
        if browser:
            browser.stop()
        device.stop()
