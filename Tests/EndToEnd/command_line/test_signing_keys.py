"""`lanyard signing-key`."""

import pytest
import requests
from command_line.conftest import District
from processes import wait_until


def states(maple: District) -> dict[str, str]:
    """The state of each key for RS256, by its id; keys for ES256 are rotated separately."""
    return {
        key["keyID"]: key["state"] for key in maple.tool.json("signing-key", "list") if key["algorithm"] == "RS256"}


def rotate(maple: District) -> str:
    made, = maple.tool.json("signing-key", "rotate", "--algorithm", "RS256")["made"]
    return made


@pytest.mark.on_each_database
def test_a_leaked_key_goes_out_of_service(maple: District) -> None:
    with maple.tool.serving() as base_url:
        def published() -> list[set[str]]:
            return [
                {key["kid"] for key in requests.get(f"{base_url}{path}", timeout=60).json()["keys"] if key["kty"] == "RSA"}
                for path in ("/auth/keys", "/oidc/keys")]

        first, = published()[0]
        message = maple.tool.failure("signing-key", "retire", first)
        assert "no key of its algorithm follows it" in message and "signing-key rotate --now" in message
        assert "no signing key “NOSUCHKEY”" in maple.tool.failure("signing-key", "retire", "NOSUCHKEY")

        planned = rotate(maple)
        # The output names the key that was made now, and not the planned one that signs later.
        printed = maple.tool.text("signing-key", "rotate", "--now", "--algorithm", "RS256")
        made, = (key for key, state in states(maple).items() if state == "signing")
        assert f"Made {made} (RS256), which signs from" in printed
        assert f"Retired: {first}, {planned}." in printed
        assert states(maple) == {first: "retired", made: "signing", planned: "retired"}
        wait_until(lambda: published() == [{made}, {made}], 30, "only the new key is published")

        follower = rotate(maple)
        change = maple.tool.json("signing-key", "retire", made)
        assert change["retired"] == [made]
        assert states(maple)[follower] == "signing"
        assert "was retired before" in maple.tool.failure("signing-key", "retire", made)
        wait_until(lambda: published() == [{follower}, {follower}], 30, "the follower signs alone")
    actions = [entry["action"] for entry in maple.tool.json("audit", "list", "--of-server")["entries"]]
    assert actions.count("signing-key.retired") == 3
