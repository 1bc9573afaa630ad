"""Fixtures of all end-to-end tests. Because of this file pytest adds the folder to the path, so that tests can import
its modules."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from lanyard_tool import Tool, tool_on

SERVER = os.environ.get("LANYARD_TEST_POSTGRES")
POSTGRES = pytest.param(
    "postgres", marks=pytest.mark.skipif(not SERVER, reason="LANYARD_TEST_POSTGRES names no server"))


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "on_each_database: runs on SQLite and on PostgreSQL")
    config.addinivalue_line("markers", "damages: leaves a database in which the doctor must find damage")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Runs tests with the marker `on_each_database` on SQLite and PostgreSQL, all others on SQLite."""
    if "tool" not in metafunc.fixturenames:
        return
    databases: list = ["sqlite"]
    if metafunc.definition.get_closest_marker("on_each_database"):
        databases.append(POSTGRES)
    metafunc.parametrize("tool", databases, indirect=True)


@pytest.fixture
def tool(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Tool]:
    """The command line on an empty data folder. After the test, the doctor must find the data undamaged."""
    with tool_on(SERVER if request.param == "postgres" else None, tmp_path / "data") as tool:
        yield tool
        if not request.node.get_closest_marker("damages"):
            tool.assert_whole()


@pytest.fixture(scope="module", params=["sqlite", POSTGRES])
def tool_of_module(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tool]:
    """As `tool`, for all tests of a module, on each database."""
    folder = tmp_path_factory.mktemp("tool") / "data"
    with tool_on(SERVER if request.param == "postgres" else None, folder) as tool:
        yield tool
        tool.assert_whole()
