"""Settings that make no sense are refused by name, not replaced by their defaults."""

import json
import socket

import pytest
from lanyard_tool import Tool


@pytest.mark.parametrize(
    ("setting", "value"),
    [("PORT", "eighty"), ("RATE_LIMIT_BURST", "abc"), ("RATE_LIMIT_REQUESTS_PER_SECOND", "0"), ("DEVELOPMENT", "maybe"),
     ("REQUEST_TIMEOUT", "0"), ("CONNECTIONS_MAX", "many"), ("FLAGS_AS_TEXT", "maybe"), ("LOG_LEVEL", "loud"), ("LOG_FORMAT", "xml")],
)
def test_in_the_environment(tool: Tool, monkeypatch: pytest.MonkeyPatch, setting: str, value: str) -> None:
    tool.json("init", "--name", "Maple District")
    monkeypatch.setenv(f"LANYARD_{setting}", value)
    told = tool.failure("serve").lower()
    assert setting.lower().replace("_", "") in told.replace(".", "")


def test_in_the_file(tool: Tool) -> None:
    tool.json("init", "--name", "Maple District")
    (tool.data / "lanyard.json").write_text(json.dumps({"rateLimit": {"burst": "plenty"}}))
    assert "rateLimit.burst" in tool.failure("serve")


def test_the_doctor_names_what_is_no_setting(tool: Tool) -> None:
    tool.json("init", "--name", "Maple District")
    (tool.data / "lanyard.json").write_text(json.dumps({"prot": 1, "rateLimit": {"burst": 5, "brust": 5}}))
    messages = [finding["message"] for finding in tool.json("doctor")["findings"]]
    assert [name for name in ("prot", "rateLimit.burst", "rateLimit.brust") if any(f"“{name}”" in m for m in messages)] == [
        "prot", "rateLimit.brust"]


def test_a_file_that_is_not_json_is_named(tool: Tool) -> None:
    tool.json("init", "--name", "Maple District")
    (tool.data / "lanyard.json").write_text("{")
    assert f"{tool.data}/lanyard.json cannot be read, or is not JSON" in tool.failure("org", "list")


def test_a_port_in_use_is_said_to_be_so(tool: Tool) -> None:
    tool.json("init", "--name", "Maple District")
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        told = tool.failure("serve", "--development", "--port", str(port))
    assert f"127.0.0.1:{port}" in told and "--port" in told
    assert "errno" not in told
