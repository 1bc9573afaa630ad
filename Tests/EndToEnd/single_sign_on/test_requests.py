"""A request's way through the broker: covered or not, asked, answered."""

import json

from broker import Device, body_of

BASE = "https://id.acme.test/realms/staff"


def test_49_50_the_extension_gets_url_headers_and_body_in_place_of_the_server(device: Device) -> None:
    outcome = device.ask(
        f"{BASE}/echo?a=1&b=%20#f", headers=[["Accept", "text/html"], ["X-Two", "1"], ["X-Two", "2"]], body="aGVsbG8=")
    assert outcome["outcome"] == "response" and outcome["reason"] == "answered"
    echo = json.loads(body_of(outcome))
    assert echo["url"] == f"{BASE}/echo?a=1&b=%20#f"
    assert echo["headers"] == [["Accept", "text/html"], ["X-Two", "1"], ["X-Two", "2"]]
    assert echo["body"] == "aGVsbG8="
    assert echo["operation"] == "" and not echo["isChallenge"]


def test_uncovered(device: Device) -> None:
    assert device.ask("https://example.org/")["reason"] == "notCovered"
