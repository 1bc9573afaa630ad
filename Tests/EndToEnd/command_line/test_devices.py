"""`lanyard device`, the profile among it, and a device that signs its person in."""

import base64
import hashlib
import json
import plistlib
import subprocess
import time
import uuid
from pathlib import Path
from typing import Any

import pytest
import requests
from command_line.conftest import District
from lanyard_tool import Tool
from processes import LANYARD, LANYARD_SSO, run


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Key:
    """A P-256 key that OpenSSL's command line made, and signs with."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / f"{uuid.uuid4()}.pem"
        self.openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", str(self.file))
        point = self.openssl("pkey", "-in", str(self.file), "-pubout", "-outform", "DER")[-64:]
        self.jwk = {"crv": "P-256", "kty": "EC", "x": base64url(point[:32]), "y": base64url(point[32:])}

    @staticmethod
    def openssl(*arguments: str, data: bytes = b"") -> bytes:
        return subprocess.run(["openssl", *arguments], input=data, capture_output=True, check=True).stdout

    @property
    def request(self) -> str:
        return self.openssl("req", "-new", "-key", str(self.file), "-subj", "/CN=laptop").decode()

    @property
    def thumbprint(self) -> str:
        members = json.dumps(self.jwk, separators=(",", ":"), sort_keys=True)
        return base64url(hashlib.sha256(members.encode()).digest())

    def sign(self, claims: dict[str, Any]) -> str:
        header = {"alg": "ES256", "typ": "device-session+jwt", "kid": self.thumbprint}
        content = ".".join(base64url(json.dumps(part).encode()) for part in (header, claims))
        der = self.openssl("dgst", "-sha256", "-sign", str(self.file), data=content.encode())
        return f"{content}.{base64url(self._raw(der))}"

    @staticmethod
    def _raw(der: bytes) -> bytes:
        # SEQUENCE { INTEGER r, INTEGER s }, each shorter than 128 bytes.
        r_end = 4 + der[3]
        numbers = der[4:r_end], der[r_end + 2:]
        return b"".join(int.from_bytes(number, "big").to_bytes(32, "big") for number in numbers)

    def assertion(self, device: str, audience: str) -> str:
        now = int(time.time())
        return self.sign(
            {"iss": device, "aud": audience, "iat": now, "exp": now + 120, "jti": str(uuid.uuid4())})


@pytest.fixture
def ana(maple: District) -> str:
    maple.tool.json("person", "add", "--first-name", "Nadia", "--last-name", "Berg", "--role", "administrator")
    person = maple.tool.json("person", "add", "--first-name", "Ana", "--last-name", "Ruiz", "--role", "staff")
    return person["userName"]


def register(url: str, key: Key, code: str, name: str = "ana-laptop") -> str:
    answer = requests.post(f"{url}/device-registration", json={
        "code": code, "publicKey": key.jwk, "csr": key.request, "name": name,
        "facts": {"os": "Debian 12", "diskEncrypted": True},
    })
    assert answer.status_code == 201, answer.text
    return answer.json()["device"]


def test_a_device_is_registered_with_a_code_signs_its_person_in_and_is_removed(
        maple: District, ana: str, tmp_path: Path) -> None:
    tool, key = maple.tool, Key(tmp_path)
    with tool.serving() as url:
        code = tool.json("device", "code", "--user", ana)
        assert code["userName"] == ana and code["name"] == "Ana Ruiz"
        device = register(url, key, code["code"])
        [listed] = tool.json("device", "list", "--user", ana)["devices"]
        assert listed.pop("registeredAt") and listed == {
            "id": device, "name": "ana-laptop", "userName": ana, "fullName": "Ana Ruiz", "thumbprint": key.thumbprint,
            "facts": {"os": "Debian 12", "diskEncrypted": True},
        }
        assert [one["id"] for one in tool.json("device", "list")["devices"]] == [device]
        with requests.Session() as client:
            def is_signed_in() -> bool:
                return client.get(f"{url}/account", allow_redirects=False).status_code == 200

            assert not is_signed_in()
            signed_in = client.post(f"{url}/device-session", data={"assertion": key.assertion(device, url)})
            assert signed_in.status_code == 204, signed_in.text
            assert is_signed_in() and "Ana Ruiz" in client.get(f"{url}/account").text
            assert "diskEncrypted=yes os=Debian 12" in tool.text("device", "list")
            assert "Removed the device “ana-laptop” of Ana Ruiz" in tool.text("device", "remove", device)
            assert not is_signed_in()
            refused = client.post(f"{url}/device-session", data={"assertion": key.assertion(device, url)})
            assert refused.status_code == 401 and refused.json()["error"] == "invalid_assertion"
        assert tool.json("device", "list")["devices"] == []
        assert "There is no device" in tool.failure("device", "remove", device)


def test_what_a_device_says_of_itself_begins_no_line(maple: District, ana: str, tmp_path: Path) -> None:
    """Nor does it steer the administrator's terminal."""
    with maple.tool.serving() as url:
        answer = requests.post(f"{url}/device-registration", json={
            "code": maple.tool.json("device", "code", "--user", ana)["code"], "publicKey": Key(tmp_path).jwk, "name": "tablet",
            "facts": {"os": "Debian\n0c1f2d34-0000-0000-0000-000000000000  principal's\x1b[2J"}})
        assert answer.status_code == 201, answer.text
    listed = maple.tool.text("device", "list")
    assert len(listed.splitlines()) == 2 and "\x1b" not in listed, listed


def test_who_has_a_temporary_password_chooses_another_before_a_device_signs_in(
        maple: District, ana: str, tmp_path: Path) -> None:
    tool, key = maple.tool, Key(tmp_path)
    with tool.serving() as url:
        device = register(url, key, tool.json("device", "code", "--user", ana)["code"])
        tool.json("person", "password", ana)
        refused = requests.post(f"{url}/device-session", data={"assertion": key.assertion(device, url)})
        assert refused.status_code == 403 and refused.json()["error"] == "password_change_required"


def test_codes_are_for_people_of_organizations(maple: District, ana: str) -> None:
    tool = maple.tool
    tool.json("person", "add", "--personal", "--first-name", "M", "--last-name", "R", "--user-name", "m@home.example")
    assert "personal account" in tool.failure("device", "code", "--user", "m@home.example")
    assert "no person “nobody”" in tool.failure("device", "code", "--user", "nobody")
    assert "--user" in tool.usage_error("device", "code")
    tool.text("person", "deactivate", ana)
    assert "lanyard person reactivate" in tool.failure("device", "code", "--user", ana)
    assert "There is no device yet" in tool.text("device", "list")


def configure(tool: Tool, **settings: Any) -> None:
    (tool.data / "lanyard.json").write_text(json.dumps(settings))


def test_the_profile_of_the_server_covers_its_sign_in_and_nothing_else(maple: District, tmp_path: Path) -> None:
    tool, file = maple.tool, tmp_path / "maple.mobileconfig"
    configure(tool, baseURL="https://id.maple.example")
    build = ("device", "profile", *tool.place())
    done = run(LANYARD, *build, "--client-id", "org.example.device", "--out", file)
    # The paths themselves are meant, for nothing lies below them: nobody is told to write a slash.
    assert (done.returncode, done.stderr) == (0, "")
    whole = plistlib.loads(file.read_bytes())
    assert whole["PayloadIdentifier"] == "example.maple.id.sso"
    assert whole["PayloadOrganization"] == whole["PayloadDisplayName"] == "Maple District"
    redirect, domains = whole["PayloadContent"]
    assert redirect["ExtensionIdentifier"] == "org.lanyard.openid.extension"
    assert redirect["TeamIdentifier"] == "LANYARD"
    assert redirect["ExtensionData"] == {
        "issuer": "https://id.maple.example/oidc", "clientID": "org.example.device",
        "deviceRegistration": "https://id.maple.example/device-registration",
        "identityProviderHosts": ["id.maple.example"],
    }
    assert domains["Configuration"] == [{
        "ApplicationIdentifier": "LANYARD.org.lanyard.openid", "AssociatedDomains": ["authsrv:id.maple.example"]}]

    report = json.loads(run(LANYARD_SSO, "profile", "validate", file, "--json").stdout)
    assert report["valid"] and report["findings"] == []

    def is_asked(path: str) -> bool:
        url = f"https://id.maple.example{path}"
        # Programs that name the provider by its address match too, for operations of theirs.
        report = json.loads(run(LANYARD_SSO, "match", url, "--profile", file, "--json").stdout)
        return report.get("when") == "before the request"

    for path in ("/auth/authorize?client_id=a", "/oidc/authorize?client_id=a", "/auth/oauth2/v2/authorize?client_id=a"):
        assert is_asked(path)
    for path in (
            "/", "/auth/token", "/auth/keys", "/auth/oauth2/v2/token", "/oidc/token", "/oidc/userinfo", "/oidc/revoke",
            "/oidc/.well-known/openid-configuration", "/oidc/device_authorization", "/device-session",
            "/device-registration", "/rosterapi/v1/users", "/sign-in", "/account", "/auth/authorizer"):
        assert not is_asked(path), path
    # The same settings give the same file.
    assert run(LANYARD, *build, "--client-id", "org.example.device").stdout == file.read_text()


def test_a_profile_that_no_other_device_could_use_is_not_written(maple: District, tmp_path: Path) -> None:
    file = tmp_path / "maple.mobileconfig"
    build = ("device", "profile", *maple.tool.place(), "--out", file)
    refused = run(LANYARD, *build)
    assert refused.returncode == 1 and "Set LANYARD_BASE_URL" in refused.stderr
    assert not file.exists()
    assert run(LANYARD, *build, "--allow-loopback").returncode == 0
    assert "device-registration" in file.read_text()
    elsewhere = run(LANYARD, "device", "profile", "--data", tmp_path / "nope")
    assert elsewhere.returncode == 1 and "with --data, or begin with `lanyard init`" in elsewhere.stderr


def test_a_profile_that_the_server_would_not_honour_is_not_written(maple: District, tmp_path: Path) -> None:
    tool, file = maple.tool, tmp_path / "maple.mobileconfig"
    build = ("device", "profile", *tool.place(), "--out", file)
    own = ("--extension", "test.acme.sso", "--team", "ACME123456", "--app", "test.acme")
    configure(tool, baseURL="https://id.maple.example", associatedApps=["ACME123456.test.acme"])

    def complaint(*arguments: str | Path, code: int) -> str:
        done = run(LANYARD, *arguments)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stderr

    assert "associatedApps" in complaint(*build, code=1)
    assert not file.exists()
    complaint(*build, *own, code=0)
    assert plistlib.loads(file.read_bytes())["PayloadContent"][0]["ExtensionIdentifier"] == "test.acme.sso"
    assert "no organization “Elm”" in complaint(*build, "--organization", "Elm", code=1)
    tool.json("init", "--name", "Oak District")
    several = complaint(*build, code=1)
    assert "say which with --org" in several
    # Sign-in is where it is: the URLs are nobody's choice.
    assert "--url" in complaint(*build, "--url", "https://elsewhere.example", code=64)


@pytest.mark.parametrize("setting", [["ACME"], ["ACME.a b"], "ACME.app", 7])
def test_associated_apps_that_are_none_stop_the_start(maple: District, setting: Any) -> None:
    configure(maple.tool, associatedApps=setting)
    assert "associatedApps" in maple.tool.failure("serve", "--port", "0")


def test_the_association_file_is_the_setting_s(maple: District) -> None:
    configure(maple.tool, associatedApps=["ACME123456.test.acme"])
    with maple.tool.serving() as url:
        answer = requests.get(f"{url}/.well-known/apple-app-site-association")
        assert answer.status_code == 200 and answer.headers["content-type"] == "application/json"
        assert answer.json() == {"authsrv": {"apps": ["ACME123456.test.acme"]}}
