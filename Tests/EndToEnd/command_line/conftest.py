from dataclasses import dataclass

import pytest
from lanyard_tool import Tool


@dataclass(frozen=True)
class District:
    """A school district with one school and nobody in it."""

    tool: Tool
    id: str


@dataclass(frozen=True)
class Quizzler:
    """An app of another company, registered and on no list yet."""

    client_id: str
    team_id: str
    return_url: str


@pytest.fixture
def maple(tool: Tool) -> District:
    result = tool.json("init", "--name", "Maple District", "--domain", "maple.example")
    tool.json("org", "location", "add", "Maple High", "--location-id", "high")
    return District(tool, result["organization"])


@pytest.fixture
def quizzler(maple: District) -> Quizzler:
    tool = maple.tool
    team = tool.json("app", "team", "create", "Quizzler Inc.")
    app = tool.json(
        "app", "create", "Quizzler", "--client-id", "com.example.quizzler", "--scope", "edu.users.read",
        "--scope", "edu.classes.read", "--return-url", "https://quizzler.example/callback",
        "--notification-url", "https://quizzler.example/notifications")
    return Quizzler(app["clientIDs"][0], team["id"], app["returnURLs"][0])
