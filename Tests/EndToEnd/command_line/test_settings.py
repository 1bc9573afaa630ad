"""Settings that make no sense are refused by name, not replaced by their defaults."""

import json

import pytest
from lanyard_tool import Tool


@pytest.mark.parametrize(
    ("setting", "value"),
    [("PORT", "eighty"), ("RATE_LIMIT_BURST", "abc"), ("RATE_LIMIT_REQUESTS_PER_SECOND", "0"), ("DEVELOPMENT", "maybe"),
     ("REQUEST_TIMEOUT", "0"), ("CONNECTIONS_MAX", "many"), ("LOG_LEVEL", "loud"), ("LOG_FORMAT", "xml")],
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
