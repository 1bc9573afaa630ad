"""`lanyard-sso browser-policy`: what it writes is what browsers take, and nobody else's files are touched."""

import json
import os
import re
import stat
import subprocess
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest
from bridged_chromium import BridgedChromium
from device import PROVIDER, Device, redirection
from processes import LANYARD_SSO, run

HOST = "etc/chromium/native-messaging-hosts/lanyard.sso.json"
POLICY = "etc/chromium/policies/managed/lanyard-sso.json"
FIREFOX = "etc/firefox/policies/policies.json"
HELD = "usr/share/mozilla/extensions/{ec8030f7-c20a-464f-9b0e-13a3a9e97384}/sso@lanyard.example.xpi"


MANIFEST = "usr/share/lanyard/browser/chromium/manifest.json"


def policy(*arguments: str | Path, hosts: tuple[str, ...] = (PROVIDER,), exit_code: int = 0) -> subprocess.CompletedProcess[str]:
    named = [argument for host in hosts for argument in ("--allowed-host", host)]
    result = run(LANYARD_SSO, "browser-policy", *arguments, *named)
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


@pytest.mark.parametrize(("browser", "host", "policy_file"), [
    # developer.chrome.com, Native messaging; chromium.org, Linux quick start; learn.microsoft.com, Edge, Native messaging.
    ("chromium", "etc/chromium/native-messaging-hosts", "etc/chromium/policies/managed"),
    ("chrome", "etc/opt/chrome/native-messaging-hosts", "etc/opt/chrome/policies/managed"),
    ("edge", "etc/opt/edge/native-messaging-hosts", "etc/opt/edge/policies/managed"),
    # MDN, Native manifests; mozilla.github.io/policy-templates.
    ("firefox", "usr/lib/mozilla/native-messaging-hosts", "etc/firefox/policies"),
])
def test_each_browser_gets_its_files_where_its_maker_says(
    tmp_path: Path, browser: str, host: str, policy_file: str
) -> None:
    policy("--out", tmp_path, "--browser", browser)
    places = {str(Path(name).parent) for name in files(tmp_path) if not name.startswith("usr/share/lanyard/")}
    held = {str(Path(HELD).parent)} if browser == "firefox" else set()
    assert places - {"etc/lanyard"} == {host, policy_file} | held
    [manifest] = (tmp_path / host).iterdir()
    described = json.loads(manifest.read_text())
    who = {"firefox": "allowed_extensions"}.get(browser, "allowed_origins")
    assert described.keys() == {"name", "description", "path", "type", who}
    # The file's name is the host's, the path is whole, and there is one type.
    assert (manifest.stem, described["type"]) == (described["name"], "stdio")
    assert re.fullmatch(r"[a-z0-9_]+(\.[a-z0-9_]+)*", described["name"]) and described["path"].startswith("/")
    [settings] = (tmp_path / policy_file).iterdir()
    settings = json.loads(settings.read_text())
    [(identifier, entry)] = settings.get("policies", settings)["ExtensionSettings"].items()
    if browser == "firefox":
        # Debian's finds it where extensions for all users are, and nobody turns it off.
        assert entry == {"installation_mode": "allowed"}
        assert settings["policies"]["Extensions"] == {"Locked": [identifier]}
        packed = tmp_path / "usr/share/lanyard/browser/lanyard-sso.xpi"
        assert (tmp_path / HELD).read_bytes() == packed.read_bytes()
        with zipfile.ZipFile(packed) as extension:
            assert json.loads(extension.read("manifest.json"))["action"]["default_area"] == "navbar"
        return
    # The button has a mark if something is missing. support.google.com/chrome/a/answer/9867568; learn.microsoft.com, Edge,
    # ExtensionSettings; MDN, action.
    button = {"edge": {"toolbar_state": "force_shown"}}.get(browser, {"toolbar_pin": "force_pinned"})
    assert entry == {"installation_mode": "force_installed", "update_url": entry["update_url"], **button}
    package = tmp_path / entry["update_url"].removeprefix("file:///")
    # The update manifest names the same extension, and a package that is there.
    update = ElementTree.parse(package).getroot()
    names = {"g": "http://www.google.com/update2/response"}
    assert (update.tag, update.get("protocol")) == (f"{{{names['g']}}}gupdate", "2.0")
    assert update.find("g:app", names).get("appid") == identifier
    codebase = update.find("g:app/g:updatecheck", names).get("codebase")
    assert (tmp_path / codebase.removeprefix("file:///")).read_bytes()[:4] == b"Cr24"


def test_the_extension_touches_the_hosts_of_the_profiles_alone(tmp_path: Path) -> None:
    """Chromium takes a navigation of an extension that may touch a site for the site's own, strictest cookies included."""
    profiles, root = tmp_path / "profiles", tmp_path / "root"
    profiles.mkdir()
    places = ["--user-profiles", profiles, "--allow-user-profiles", "--device-profiles", tmp_path / "none"]
    refused = policy("--out", root, *places, hosts=(), exit_code=1)
    assert "--allowed-host id.acme.test" in refused.stderr
    assert not root.exists()
    # Firefox has no such permission for hosts.
    policy("--out", tmp_path / "firefox", "--browser", "firefox", *places, hosts=())

    def install(*urls: str) -> dict:
        named = [argument for url in urls for argument in ("--url", url)]
        built = run(
            LANYARD_SSO, "profile", "build", "--identifier", "test.acme.sso.profile", "--organization", "Acme",
            "--extension", "test.acme.sso.extension", "--team", "ACME123456", *named, "--out", tmp_path / "new")
        assert built.returncode == 0, built.stderr
        (tmp_path / "new").rename(profiles / "acme.mobileconfig")
        policy("--out", root, *places, hosts=())
        manifest = json.loads((root / MANIFEST).read_text())
        with zipfile.ZipFile(root / "usr/share/lanyard/browser/lanyard-sso.crx") as package:
            assert json.loads(package.read("manifest.json")) == manifest
        assert f"version='{manifest['version']}'" in (root / "usr/share/lanyard/browser/updates.xml").read_text()
        return manifest

    first = install("https://id.acme.test/realms/a", "https://ID.acme.test:8443/b")
    assert first["host_permissions"] == ["*://id.acme.test/*"]
    # The policy must not block the rest: then no link from there would be answered either.
    (entry,) = json.loads((root / POLICY).read_text())["ExtensionSettings"].values()
    assert entry.keys() == {"installation_mode", "update_url", "toolbar_pin"}
    # Browsers fetch another package for a higher version only.
    second = install("https://id.acme.test/", "https://login.maple.test/")
    assert second["host_permissions"] == ["*://id.acme.test/*", "*://login.maple.test/*"]
    assert second["version"] == f"{first['version']}.1"
    assert install("https://id.acme.test/other", "https://login.maple.test/") == second
    assert install("https://id.acme.test/")["version"] == f"{first['version']}.2"


def test_hosts_of_kerberos_profiles_get_tickets_until_the_profile_goes(tmp_path: Path) -> None:
    """docs/specifications/extensible-single-sign-on.md, 20.9 and 20.10."""
    profiles, root = tmp_path / "profiles", tmp_path / "root"
    profiles.mkdir()
    places = ["--user-profiles", profiles, "--allow-user-profiles", "--device-profiles", tmp_path / "none"]
    built = run(
        LANYARD_SSO, "profile", "build", "--identifier", "test.corp.kerberos", "--extension",
        "com.apple.AppSSOKerberos.KerberosExtension", "--team", "apple", "--realm", "CORP.TEST", "--host", ".corp.test",
        "--host", "Intranet.acme.test", "--out", profiles / "kerberos.mobileconfig")
    assert built.returncode == 0, built.stderr
    # Such a profile is enough, and gives the browser's extension no host.
    policy("--out", root, *places, hosts=())
    assert json.loads((root / MANIFEST).read_text())["host_permissions"] == []
    for browser in ("chromium", "opt/chrome", "opt/edge"):
        written = json.loads((root / f"etc/{browser}/policies/managed/lanyard-sso.json").read_text())
        assert written["AuthServerAllowlist"] == "*.corp.test,intranet.acme.test"
    written = json.loads((root / FIREFOX).read_text())["policies"]
    assert written["Authentication"] == {"SPNEGO": [".corp.test", "intranet.acme.test"]}

    # Another file with the same policy is told of.
    other = (root / POLICY).with_name("school.json")
    other.write_text('{"AuthServerAllowlist": "*"}')
    warning = policy("--out", root, *places, hosts=()).stderr
    assert "school.json has AuthServerAllowlist too" in warning
    other.unlink()

    (profiles / "kerberos.mobileconfig").unlink()
    policy("--out", root, *places)
    assert "AuthServerAllowlist" not in json.loads((root / POLICY).read_text())
    # The file with both was ours, and is replaced.
    assert json.loads((root / FIREFOX).read_text())["policies"].keys() == {"ExtensionSettings", "Extensions"}
    policy("--out", root, "--remove")
    assert not (root / FIREFOX).exists() and not (root / POLICY).exists()


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


@pytest.mark.parametrize(("arguments", "address"), [
    (["--install-url", "https://intranet.acme.test/x.xpi"], "https://intranet.acme.test/x.xpi"),
    (["--allow-unsigned"], "file:///usr/share/lanyard/browser/lanyard-sso.xpi"),
])
def test_what_a_policy_installs_is_in_no_other_place(tmp_path: Path, arguments: list[str], address: str) -> None:
    policy("--out", tmp_path, "--browser", "firefox")
    assert (tmp_path / HELD).exists()
    policy("--out", tmp_path, "--browser", "firefox", *arguments)
    assert not (tmp_path / HELD).exists()
    policies = json.loads((tmp_path / FIREFOX).read_text())["policies"]
    assert policies["ExtensionSettings"] == {
        "sso@lanyard.example": {"installation_mode": "force_installed", "install_url": address}}
    assert ("Preferences" in policies) == (arguments == ["--allow-unsigned"]) and "Extensions" not in policies


def test_two_files_with_the_same_policy_are_said(tmp_path: Path) -> None:
    (tmp_path / POLICY).parent.mkdir(parents=True)
    (tmp_path / POLICY).with_name("school.json").write_text('{"ExtensionSettings": {}}')
    assert "school.json has ExtensionSettings too" in policy("--out", tmp_path, "--browser", "chromium").stderr


@pytest.mark.parametrize(
    ("arguments", "said", "exit_code"),
    [
        (["--install", "--user"], "Choose one", 64),
        (["--browser", "netscape"], "netscape", 64),
        (["--update-url", "javascript:x"], "--update-url is a URL", 64),
        (["--install-url", "http://intranet.acme.test/x.xpi"], "--install-url is a URL that begins with https:// or", 64),
        (["--allowed-host", "a b"], "is none", 64),
        (["--allowed-host", "a*b"], "is none", 64),
        (["--program", "lanyard", "--allowed-host", PROVIDER], "whole path", 1),
        (["--program", "/usr/bin/lanyard", "--allowed-host", PROVIDER], "lanyard-sso", 1),
    ],
)
def test_wrong_usage_is_said_and_writes_nothing(
    tmp_path: Path, arguments: list[str], said: str, exit_code: int
) -> None:
    result = run(LANYARD_SSO, "browser-policy", *arguments)
    assert result.returncode == exit_code
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
        # The button is in the toolbar, so that a mark on it can be seen.
        assert browser.in_extension("return chrome.action.getUserSettings()") == {"isOnToolbar": True}
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


def test_a_persons_own_places_are_below_home(tmp_path: Path) -> None:
    done = subprocess.run(
        [LANYARD_SSO, "browser-policy", "--user", "--browser", "chromium", "--allowed-host", "id.acme.test"],
        env=os.environ | {"HOME": str(tmp_path)}, capture_output=True, text=True, check=True)
    written = [line.removeprefix("wrote ") for line in done.stdout.splitlines() if line.startswith("wrote ")]
    assert written and all(path.startswith(f"{tmp_path}/") and Path(path).exists() for path in written)


@pytest.mark.parametrize("own", [True, False])
def test_what_browsers_share_goes_with_the_last_that_was_installed(tmp_path: Path, own: bool) -> None:
    """Those that were never installed need nothing: 23 of 24 files stayed for them."""

    def run_policy(*arguments: str) -> None:
        places = ["--user"] if own else ["--out", str(tmp_path)]
        result = subprocess.run(
            [LANYARD_SSO, "browser-policy", *places, *arguments], env=os.environ | {"HOME": str(tmp_path)},
            capture_output=True, text=True)
        assert result.returncode == 0, result.stdout + result.stderr

    def left() -> set[str]:
        return {name for name in files(tmp_path) if not name.endswith(".pem")}

    def install(*browsers: str) -> set[str]:
        run_policy("--allowed-host", PROVIDER, *(part for browser in browsers for part in ("--browser", browser)))
        return left()

    for browser in ("chromium", "chrome", "edge", "firefox"):
        assert len(install(browser)) > 20
        run_policy("--remove", "--browser", browser)
        assert left() == set()

    alone = install("chrome")
    install("edge", "firefox")
    run_policy("--remove", "--browser", "firefox")
    assert not any("firefox" in name or "mozilla" in name for name in left())
    run_policy("--remove", "--browser", "edge")
    assert left() == alone
    # Removing a browser that was not installed removes nothing of the others.
    run_policy("--remove", "--browser", "chromium")
    assert left() == alone
    run_policy("--remove", "--browser", "chrome")
    assert left() == set()
    assert not list(tmp_path.rglob("lanyard/browser"))
