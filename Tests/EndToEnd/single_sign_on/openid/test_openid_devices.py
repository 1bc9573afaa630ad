"""The device's key: on the command line, and signing its person in with a Lanyard server.

docs/specifications/sign-in.md, 13.7."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

import pytest
from school import Member, OpenSchool
from single_sign_on.openid.extension import EXTENSION, NOT_INTERACTIVE, Extension

RETURN_URL = "https://menu.burgers.example/callback"

Start = Callable[..., Extension]


@pytest.fixture(scope="module")
def client(open_school: OpenSchool) -> str:
    name = "com.example.canteen"
    open_school.school.register("Canteen", name, "--return-url", RETURN_URL)
    return name


def command(data: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "DBUS_SESSION_BUS_ADDRESS"}
    return subprocess.run(
        [EXTENSION, *arguments, "--data", data], env=environment, capture_output=True, text=True, timeout=30)


def pair(data: Path, school: OpenSchool, member: Member) -> str:
    """Pairs the device as its person does, and returns what that printed."""
    code = school.school.tool.json("device", "code", "--user", member.account.username)["code"]
    paired = command(data, "pair", f"{school.base_url}/device-registration", "--code", code, "--name", "ana-laptop")
    assert paired.returncode == 0, paired.stderr
    return paired.stdout


def address(school: OpenSchool, client: str, **further: str) -> str:
    return f"{school.base_url}/oidc/authorize?" + urlencode({
        "client_id": client, "redirect_uri": RETURN_URL, "response_type": "code", "scope": "openid",
        "state": "s", "nonce": "n"} | further)


def agrees(form: dict) -> dict[str, str]:
    assert not any(field["kind"] == "password" for field in form["fields"]), form
    return {}


def test_a_paired_device_signs_its_person_in_without_a_password(
    start_extension: Start, open_school: OpenSchool, client: str, member: Member, tmp_path: Path
) -> None:
    data = tmp_path / "extension"
    assert "is paired with" in pair(data, open_school, member)
    listed, = open_school.school.tool.json("device", "list", "--user", member.account.username)["devices"]
    assert listed["name"] == "ana-laptop"
    # The facts that the device reports about itself.
    assert listed["facts"]["os"] in Path("/etc/os-release").read_text()
    first = start_extension()
    # The person agrees once that this app may know them, without typing a password.
    assert first.ask(address(open_school, client), person=agrees).location.startswith(f"{RETURN_URL}?code=")
    first.kill()
    # The session is gone, the device is not.
    (data / "cookies").unlink()
    assert start_extension().ask(address(open_school, client)).location.startswith(f"{RETURN_URL}?code=")


def test_who_listens_on_the_device_gets_no_code_unseen(
    start_extension: Start, open_school: OpenSchool, member: Member, tmp_path: Path
) -> None:
    """RFC 8252 section 8.6: any program could ask in the name of the app, and listen there."""
    client, listener = "com.example.kitchen", "http://127.0.0.1:6666/callback"
    open_school.school.register("Kitchen", client, "--native-return-url", "http://127.0.0.1/callback")
    open_school.school.tool.json("app", "client", client, "--public")
    pair(tmp_path / "extension", open_school, member)
    url = address(
        open_school, client, redirect_uri=listener, code_challenge_method="S256",
        code_challenge="E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    extension = start_extension()
    for _ in range(2):
        assert extension.ask(url).error["code"] == NOT_INTERACTIVE
        assert extension.ask(url, person=agrees).location.startswith(f"{listener}?code=")


def test_a_native_app_is_signed_in_by_the_device(
    start_extension: Start, open_school: OpenSchool, issuer: str, options: dict, member: Member, tmp_path: Path
) -> None:
    data = tmp_path / "extension"
    pair(data, open_school, member)
    first = start_extension()
    first.ask(issuer, "login", person=agrees, options=options)
    first.stop()
    (data / "cookies").unlink()
    answer = start_extension().ask(issuer, "refresh", options=options, caller="org.example.another")
    assert answer.json["id_token"]


def test_a_removed_device_asks_its_person(
    start_extension: Start, open_school: OpenSchool, client: str, member: Member, tmp_path: Path
) -> None:
    pair(tmp_path / "extension", open_school, member)
    tool = open_school.school.tool
    device, = tool.json("device", "list", "--user", member.account.username)["devices"]
    tool.text("device", "remove", device["id"])
    assert start_extension().ask(address(open_school, client)).error["code"] == NOT_INTERACTIVE


def test_a_code_counts_once(open_school: OpenSchool, member: Member, tmp_path: Path) -> None:
    code = open_school.school.tool.json("device", "code", "--user", member.account.username)["code"]
    url = f"{open_school.base_url}/device-registration"
    assert command(tmp_path / "one", "pair", url, "--code", code).returncode == 0
    second = command(tmp_path / "two", "pair", url, "--code", code)
    assert second.returncode == 1
    assert "does not take this device (status 403)" in second.stderr


def test_the_key_stays_the_same_and_openssl_accepts_its_request(tmp_path: Path) -> None:
    jwk = json.loads(command(tmp_path, "device-key").stdout)
    assert jwk == json.loads(command(tmp_path, "device-key").stdout)
    assert set(jwk) == {"kty", "crv", "x", "y", "kid", "alg", "use"}
    request = command(tmp_path, "csr", "--subject", "Ana's laptop").stdout
    checked = subprocess.run(
        ["openssl", "req", "-verify", "-noout", "-subject"], input=request, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr
    assert "CN = Ana's laptop" in checked.stdout


@pytest.mark.parametrize("arguments, said", [
    (["dance"], "“dance” is no command"), (["csr", "--subject"], "--subject needs a value"),
    (["device-key", "--code", "1"], "device-key knows no --code"), (["pair"], "pair needs one URL"),
    (["pair", "https://id.example/", "--code", "1"], "ends in /device-registration"),
    (["pair", "https://id.example/device-registration"], "pair needs --code"),
    (["status", "now"], "status takes no “now”"),
])
def test_wrong_usage_is_explained(tmp_path: Path, arguments: list[str], said: str) -> None:
    result = command(tmp_path, *arguments)
    assert (result.returncode, result.stdout) == (64, "")
    assert said in result.stderr and "Usage:" in result.stderr


def test_secrets_are_not_sent_in_the_clear(tmp_path: Path) -> None:
    result = command(tmp_path, "pair", "http://id.example/device-registration", "--code", "1")
    assert result.returncode == 1
    assert "is no https URL" in result.stderr
