"""The single sign-on profile that a server makes and signs: at the console, over the API, with `lanyard device profile`."""

import base64
import plistlib
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import requests
from command_line.conftest import District
from command_line.test_devices import configure
from command_line.test_sso_profile_stores import Device, Signer
from lanyard_tool import Tool
from plain_browser import PlainBrowser
from processes import LANYARD, LANYARD_SSO, free_port, run
from requests.adapters import HTTPAdapter
from scene import Account
from school import School

BASE_URL = "https://id.maple.example"


def signing(signer: Signer) -> dict[str, Any]:
    signer.key.chmod(0o600)
    return {"profileSigning": {"certificateFile": str(signer.certificate), "keyFile": str(signer.key)}}


def opened(file: Path, signer: Signer) -> bytes:
    """The content, as OpenSSL's own command reads it."""
    return subprocess.run(
        ["openssl", "cms", "-verify", "-binary", "-inform", "DER", "-in", file, "-CAfile", signer.certificate,
         "-purpose", "any"],
        capture_output=True, check=True).stdout


def installs(device: Device, file: Path, signer: Signer) -> None:
    """A device whose policy wants this signer, and no other, takes the file."""
    (device.folder / "policy.json").write_text(f'{{"requireSignature": true, "signers": ["{signer.certificate}"]}}')
    assert run(LANYARD_SSO, "profile", "validate", file, "--signer", signer.certificate).returncode == 0
    assert device.json("profile", "install", file)["installed"]
    assert device.installed() == ["example.maple.id.sso"]


class Proxy(HTTPAdapter):
    """What stands in front of a server: the browser speaks with `BASE_URL`, and the server is asked over plain HTTP."""

    def __init__(self, port: int) -> None:
        super().__init__()
        self.port = port

    def send(self, request: requests.PreparedRequest, *arguments: Any, **options: Any) -> requests.Response:
        asked = request.copy()
        asked.url = f"http://127.0.0.1:{self.port}{request.path_url}"
        response = super().send(asked, *arguments, **options)
        response.url, response.request = str(request.url), request
        return response


def console_of(port: int, account: Account) -> PlainBrowser:
    browser = PlainBrowser()
    browser.session.mount(BASE_URL, Proxy(port))
    browser.sign_in(browser.open(f"{BASE_URL}/sign-in"), account)
    return browser


@pytest.mark.parametrize("is_signed", [True, False])
def test_an_administrator_gets_the_profile_and_a_device_takes_it(
        tool: Tool, tmp_path: Path, is_signed: bool) -> None:
    school = School(tool)
    with tool.serving() as url:
        head = school.add(url, "managed", "Chen Wei", "chen@maple.example", "--role", "administrator").account
        teacher = school.add(url, "managed", "Ana Ruiz", "ana@maple.example", "--role", "instructor").account
    client = tool.json("api-client", "add", "Devices", "--privilege", "devices.manage")
    signer, port = Signer.make(tmp_path, "Maple signing"), free_port()
    configure(tool, baseURL=BASE_URL, **(signing(signer) if is_signed else {}))
    device, url = Device(tmp_path), f"http://127.0.0.1:{port}"
    with tool.serving(port=port) as base_url:
        assert base_url == BASE_URL
        browser = console_of(port, head)
        page = browser.session.get(f"{BASE_URL}/manager/devices/profile").text
        assert ("Maple signing" in page) == is_signed and ("The profile is not signed" in page) == (not is_signed)
        answer = browser.session.get(f"{BASE_URL}/manager/devices/profile/file")
        assert answer.status_code == 200, answer.text
        assert answer.headers["Content-Type"] == "application/x-apple-aspen-config"
        assert answer.headers["Content-Disposition"] == 'attachment; filename="organization.mobileconfig"'
        refused = console_of(port, teacher).session.get(f"{BASE_URL}/manager/devices/profile/file")
        assert refused.status_code == 403 and b"PayloadContent" not in refused.content

        token = requests.post(
            f"{url}/api/v1/token", auth=(client["client"]["clientID"], client["secret"]),
            data={"grant_type": "client_credentials"}, timeout=60).json()
        told = requests.get(
            f"{url}/api/v1/organizations/{token['organization']}/sign-on-profile", timeout=60,
            headers={"Authorization": f"Bearer {token['access_token']}"}).json()
        assert told.get("signer") == ("Maple signing" if is_signed else None)
        assert ("signerValidUntil" in told) == is_signed

    here = tmp_path / "here.mobileconfig"
    assert run(LANYARD, "device", "profile", *tool.place(), "--out", here).returncode == 0
    downloaded = {"console": answer.content, "api": base64.b64decode(told["profile"]), "here": here.read_bytes()}
    contents = set()
    for name, content in downloaded.items():
        file = tmp_path / f"{name}.mobileconfig"
        file.write_bytes(content)
        contents.add(opened(file, signer) if is_signed else content)
        assert run(LANYARD_SSO, "profile", "validate", file).returncode == 0
    # All three ways give the same, but for the time that is in a signature.
    [content] = contents
    redirect, _ = plistlib.loads(content)["PayloadContent"]
    assert redirect["PayloadType"] == "com.apple.extensiblesso" and redirect["Type"] == "Redirect"
    assert redirect["ExtensionIdentifier"] == "org.lanyard.openid.extension"
    assert redirect["URLs"] == [f"{BASE_URL}{path}" for path in (
        "/auth/authorize", "/oidc/authorize", "/auth/oauth2/v2/authorize")]
    file = tmp_path / "console.mobileconfig"
    if is_signed:
        installs(device, file, signer)
        # One byte of the content is another.
        file.write_bytes(downloaded["console"].replace(b"id.maple.example", b"id.naple.example", 1))
        assert run(LANYARD_SSO, "profile", "validate", file).returncode == 2
    else:
        assert device.json("profile", "install", file)["installed"]
        (device.folder / "policy.json").write_text(
            f'{{"requireSignature": true, "signers": ["{signer.certificate}"]}}')
        assert device.installed() == []

    # What was handed out is in the trail, with who got it; what was refused too.
    entries = [
        entry for entry in tool.json("audit", "list", "--limit", "100")["entries"]
        if "device.profile" in entry.get("detail", "")]
    assert len(entries) == 3, entries
    assert sorted(entry["outcome"] for entry in entries) == ["done", "done", "refused"]


def expired(folder: Path) -> Signer:
    signer = Signer(folder / "old.pem", folder / "old.key")
    subprocess.run(["openssl", "genpkey", "-algorithm", "RSA", "-out", signer.key], check=True, capture_output=True)
    subprocess.run(
        ["openssl", "req", "-new", "-key", signer.key, "-subj", "/CN=Old", "-out", folder / "old.csr"], check=True)
    subprocess.run(
        ["openssl", "x509", "-req", "-in", folder / "old.csr", "-signkey", signer.key, "-out", signer.certificate,
         "-days", "-1"], check=True, capture_output=True)
    return signer


def of_kind(*kind: str) -> Callable[[Path], Signer]:
    def make(folder: Path) -> Signer:
        signer = Signer(folder / "odd.pem", folder / "odd.key")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", *kind, "-nodes", "-keyout", signer.key, "-out", signer.certificate,
             "-subj", "/CN=Odd"], check=True, capture_output=True)
        return signer
    return make


def with_passphrase(folder: Path) -> Signer:
    signer = Signer.make(folder, "locked")
    locked = folder / "locked.pkcs8"
    subprocess.run(
        ["openssl", "pkey", "-in", signer.key, "-aes256", "-passout", "pass:secret", "-out", locked], check=True)
    return Signer(signer.certificate, locked)


@pytest.mark.parametrize(("make", "words"), [
    (expired, "has expired on"),
    (of_kind("rsa:1024"), "RSA with 2048 bits or more"),
    (of_kind("ed25519"), "RSA with 2048 bits or more"),
    (with_passphrase, "has a passphrase"),
    (lambda folder: Signer(Signer.make(folder, "one").certificate, Signer.make(folder, "two").key), "is not the one of"),
    (lambda folder: Signer(folder / "nothing.pem", Signer.make(folder, "one").key), "nothing.pem of profileSigning"),
])
def test_a_key_that_cannot_sign_stops_the_start(
        maple: District, tmp_path: Path, make: Callable[[Path], Signer], words: str) -> None:
    configure(maple.tool, baseURL=BASE_URL, **signing(make(tmp_path)))
    assert words in maple.tool.failure("serve", "--port", "0")
    assert words in maple.tool.failure("device", "profile")
    [finding] = [
        one for one in maple.tool.json("doctor", exit_code=1)["findings"] if one["check"] == "signing of profiles"]
    assert finding["status"] == "problem" and words in finding["message"]


def test_half_a_setting_and_a_key_for_everybody_are_refused(maple: District, tmp_path: Path) -> None:
    signer = Signer.make(tmp_path, "acme")
    settings = signing(signer)
    configure(maple.tool, baseURL=BASE_URL, profileSigning={"certificateFile": str(signer.certificate)})
    assert "belong together" in maple.tool.failure("serve", "--port", "0")
    configure(maple.tool, baseURL=BASE_URL, **settings)
    signer.key.chmod(0o644)
    assert "chmod o=" in maple.tool.failure("serve", "--port", "0")


def test_a_certificate_that_ends_soon_is_spoken_of(maple: District, tmp_path: Path) -> None:
    for days, status in ((10, "warning"), (100, "ok")):
        configure(maple.tool, baseURL=BASE_URL, **signing(Signer.make(tmp_path, f"in {days}", days)))
        [finding] = [
            one for one in maple.tool.json("doctor")["findings"] if one["check"] == "signing of profiles"]
        assert finding["status"] == status and f"in {days}" in finding["message"]
