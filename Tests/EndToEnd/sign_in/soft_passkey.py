"""A passkey in memory. What it says is written by python-fido2, which is not ours."""

import os
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from fido2.cose import ES256
from fido2.webauthn import AttestationObject, AttestedCredentialData, AuthenticatorData, CollectedClientData

from plain_browser import PlainBrowser

UP, UV, AT = AuthenticatorData.FLAG.UP, AuthenticatorData.FLAG.UV, AuthenticatorData.FLAG.AT


def _text(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")


class SoftPasskey:
    def __init__(self, origin: str, verifies_person: bool = True):
        self.origin = origin
        self.host = re.sub(r"^https?://|:\d+$", "", origin)
        self.flags = UP | UV if verifies_person else UP
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.credential_id = os.urandom(32)
        self.user_handle = b""
        self.count = 0

    def challenge(self, browser: PlainBrowser) -> str:
        return browser.session.get(f"{self.origin}/passkeys/challenge", timeout=30).json()["challenge"]

    def registration(self, browser: PlainBrowser, name: str, page_text: str) -> dict[str, str]:
        """The fields that the page's script would fill in."""
        handle = re.search(r'data-user-handle="([^"]+)"', page_text)[1]
        self.user_handle = urlsafe_b64decode(handle + "=" * (-len(handle) % 4))
        credential = AttestedCredentialData.create(
            bytes(16), self.credential_id, ES256.from_cryptography_key(self.key.public_key()))
        attestation = AttestationObject.create("none", self._data(AT, credential), {})
        client = CollectedClientData.create("webauthn.create", self.challenge(browser), self.origin)
        return {"client_data": _text(client), "attestation": _text(attestation), "passkey_name": name}

    def answer(self, browser: PlainBrowser) -> dict[str, str]:
        self.count += 1
        client = CollectedClientData.create("webauthn.get", self.challenge(browser), self.origin)
        data = self._data(AuthenticatorData.FLAG(0), b"")
        signature = self.key.sign(data + client.hash, ec.ECDSA(hashes.SHA256()))
        return {
            "credential_id": _text(self.credential_id), "client_data": _text(client), "authenticator_data": _text(data),
            "signature": _text(signature), "user_handle": _text(self.user_handle),
        }

    def _data(self, more: AuthenticatorData.FLAG, credential: bytes) -> AuthenticatorData:
        digest = hashes.Hash(hashes.SHA256())
        digest.update(self.host.encode())
        return AuthenticatorData.create(digest.finalize(), self.flags | more, self.count, credential)
