from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TypeVar

import pytest
from lanyard_tool import Tool, tool_on

Value = TypeVar("Value")


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


@pytest.fixture(scope="session")
def new_tool(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Tool], Tool]]:
    """Gives the command line on another empty data folder, on a database of the same kind, until all tests are over."""
    with ExitStack() as until_the_end:
        yield lambda like: until_the_end.enter_context(
            tool_on(like.server, tmp_path_factory.mktemp("original") / "data"))


@pytest.fixture(scope="session")
def original_maple(new_tool: Callable[[Tool], Tool]) -> Callable[[Tool], District]:
    """Gives the district for a kind of database. It is made once, and tests work on copies."""

    def make(like: Tool) -> District:
        tool = new_tool(like)
        result = tool.json("init", "--name", "Maple District", "--domain", "maple.example")
        tool.json("org", "location", "add", "Maple High", "--location-id", "high")
        return District(tool, result["organization"])

    return once_for_each_kind(make)


@pytest.fixture(scope="session")
def original_quizzler(
        new_tool: Callable[[Tool], Tool], original_maple: Callable[[Tool], District]) -> Callable[[Tool], tuple[Tool, Quizzler]]:
    """Gives the district in which the app is registered, as `original_maple` does without."""

    def make(like: Tool) -> tuple[Tool, Quizzler]:
        tool = new_tool(like)
        tool.copy(original_maple(like).tool)
        team = tool.json("app", "team", "create", "Quizzler Inc.")
        app = tool.json(
            "app", "create", "Quizzler", "--client-id", "com.example.quizzler", "--scope", "edu.users.read",
            "--scope", "edu.classes.read", "--return-url", "https://quizzler.example/callback",
            "--notification-url", "https://quizzler.example/notifications")
        return tool, Quizzler(app["clientIDs"][0], team["id"], app["returnURLs"][0])

    return once_for_each_kind(make)


def once_for_each_kind(make: Callable[[Tool], Value]) -> Callable[[Tool], Value]:
    """What `make` gives for the first tool with a kind of database is for all others with it too."""
    made: dict[str | None, Value] = {}

    def given(like: Tool) -> Value:
        if like.server not in made:
            made[like.server] = make(like)
        return made[like.server]

    return given


@pytest.fixture
def maple(tool: Tool, original_maple: Callable[[Tool], District]) -> District:
    district = original_maple(tool)
    tool.copy(district.tool)
    return replace(district, tool=tool)


@pytest.fixture
def quizzler(maple: District, original_quizzler: Callable[[Tool], tuple[Tool, Quizzler]]) -> Quizzler:
    original, app = original_quizzler(maple.tool)
    maple.tool.copy(original)
    return app
