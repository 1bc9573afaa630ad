"""`lanyard app sender`."""

import json

import pytest
from command_line.conftest import District, Quizzler


@pytest.mark.on_each_database
def test_senders_are_added_listed_and_removed(maple: District, quizzler: Quizzler) -> None:
    tool = maple.tool
    assert tool.json("app", "sender", "list") == {"teamID": quizzler.team_id, "senders": []}
    assert tool.json("app", "sender", "add", "Quizzler.example")["name"] == "quizzler.example"
    first = tool.json("app", "sender", "list")["senders"]
    assert tool.json("app", "sender", "add", "quizzler.example") == first[0]
    tool.json("app", "sender", "add", "news@mail.quizzler.example", "--team", "Quizzler Inc.")
    names = [sender["name"] for sender in tool.json("app", "sender", "list")["senders"]]
    assert names == ["news@mail.quizzler.example", "quizzler.example"]
    assert tool.json("app", "sender", "remove", "Quizzler.Example") == {"removed": "quizzler.example"}
    assert "no sender" in tool.failure("app", "sender", "remove", "quizzler.example")
    details = [entry["detail"] for entry in tool.json("audit", "list", "--of-server")["entries"] if "sender" in entry["detail"]]
    assert sorted(details) == [
        "sender news@mail.quizzler.example added", "sender quizzler.example added", "sender quizzler.example removed"]


@pytest.mark.parametrize("name", ["quizzler", "*.quizzler.example", "a b@quizzler.example", ""])
def test_what_is_no_sender_is_refused(maple: District, quizzler: Quizzler, name: str) -> None:
    assert "sender" in maple.tool.failure("app", "sender", "add", name)


def test_nobody_is_registered_at_the_relay(maple: District, quizzler: Quizzler) -> None:
    (maple.tool.data / "lanyard.json").write_text(json.dumps({"relay": {"domain": "relay.maple.example"}}))
    assert "relay's own domain" in maple.tool.failure("app", "sender", "add", "relay.maple.example")
