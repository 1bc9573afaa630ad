"""The extension as the broker starts it, and a program that asks the broker."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from broker import Authority, Device, Domains, body_of, payload, profile, strings
from processes import ROOT
from school import Member, OpenSchool
from single_sign_on.openid.extension import EXTENSION, NOT_INTERACTIVE, Extension
from single_sign_on.openid.person import types

# Of the domain that has to agree; who signs people in is named by the profile.
URL = "https://id.acme.test/"
MANIFEST = json.loads((ROOT / "share" / "sso" / "org.lanyard.openid.json").read_text())


@pytest.fixture
def openid_device(tmp_path: Path, authority: Authority, issuer: str) -> Iterator[Device]:
    domains = Domains(authority, "id.acme.test")
    domains.apps["id.acme.test"] = [f"{MANIFEST['teamIdentifier']}.{MANIFEST['hostAppIdentifier']}"]
    device = Device(tmp_path / "device", authority, domains)
    device.install_extension(
        **MANIFEST | {"executable": str(EXTENSION), "associatedDomains": ["authsrv:id.acme.test"]})
    device.install_profile(profile([payload(
        "Redirect",
        strings("URLs", [URL]) + f"<key>ExtensionData</key><dict><key>issuer</key><string>{issuer}</string></dict>",
        extension=MANIFEST["extensionIdentifier"], team=MANIFEST["teamIdentifier"])]))
    with device.running():
        yield device


def test_167_tokens_come_through_the_broker_and_the_session_outlives_the_extension(
    openid_device: Device, issuer: str, options: dict, member: Member, tmp_path: Path
) -> None:
    asked = {"operation": "refresh", "options": list(options.items())}
    refused = openid_device.ask(URL, **asked)
    assert (refused["outcome"], refused["error"]["code"]) == ("failed", NOT_INTERACTIVE)

    # Somebody signs in; here to the same folder, without a broker.
    data = openid_device.state / "extensions" / MANIFEST["extensionIdentifier"]
    with Extension(data, tmp_path / "extension.log") as extension:
        extension.ask(issuer, "login", person=types(member), options=options)

    # The one that the broker runs has read its session before: it is started anew.
    openid_device.stop()
    openid_device.start()
    openid_device.wait_for_domains()
    outcome = openid_device.ask(URL, **asked)
    assert outcome["outcome"] == "response", outcome
    tokens = json.loads(body_of(outcome))
    assert set(tokens) == {"access_token", "token_type", "id_token", "scope", "state", "expires_in"}
    # Saved for this caller now.
    assert json.loads(body_of(openid_device.ask(URL, **asked)))["access_token"] == tokens["access_token"]
    assert openid_device.ask(URL, operation="logout", options=list(options.items()))["outcome"] == "empty"
    assert openid_device.ask(URL, **asked)["error"]["code"] == NOT_INTERACTIVE
