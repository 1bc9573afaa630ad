"""The extension as the broker starts it, and a program that asks the broker."""

import json
from pathlib import Path

from broker import Device, body_of
from school import Member
from single_sign_on.openid.extension import DOMAIN_URL, MANIFEST, NOT_INTERACTIVE, Extension
from single_sign_on.openid.person import types

def test_tokens_come_through_the_broker_and_the_session_outlives_the_extension(
    openid_device: Device, issuer: str, options: dict, member: Member, tmp_path: Path
) -> None:
    asked = {"operation": "refresh", "options": list(options.items())}
    refused = openid_device.ask(DOMAIN_URL, **asked)
    assert (refused["outcome"], refused["error"]["code"]) == ("failed", NOT_INTERACTIVE)

    # Somebody signs in; here to the same folder, without a broker.
    data = openid_device.state / "extensions" / MANIFEST["extensionIdentifier"]
    with Extension(data, tmp_path / "extension.log") as extension:
        extension.ask(issuer, "login", person=types(member), options=options)

    # The broker's extension has read its session before that, so restart it.
    openid_device.stop()
    openid_device.start()
    openid_device.wait_for_domains()
    outcome = openid_device.ask(DOMAIN_URL, **asked)
    assert outcome["outcome"] == "response", outcome
    tokens = json.loads(body_of(outcome))
    assert set(tokens) == {"access_token", "token_type", "id_token", "scope", "state", "expires_in"}
    # Saved for this caller now.
    assert json.loads(body_of(openid_device.ask(DOMAIN_URL, **asked)))["access_token"] == tokens["access_token"]
    assert openid_device.ask(DOMAIN_URL, operation="logout", options=list(options.items()))["outcome"] == "empty"
    assert openid_device.ask(DOMAIN_URL, **asked)["error"]["code"] == NOT_INTERACTIVE
