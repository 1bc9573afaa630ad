"""Fixtures of all end-to-end tests. Because of this file pytest adds the folder to the path, so that tests can import
its modules."""

import os
import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest
from lanyard_tool import PostgresDatabase, Tool

SERVER = os.environ.get("LANYARD_TEST_POSTGRES")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "on_each_database: runs on SQLite and on PostgreSQL")
    config.addinivalue_line("markers", "damages: leaves a database in which the doctor must find damage")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Runs tests with the marker `on_each_database` on SQLite and PostgreSQL, all others on SQLite."""
    if "tool" not in metafunc.fixturenames:
        return
    databases: list = ["sqlite"]
    if metafunc.definition.get_closest_marker("on_each_database"):
        absent = pytest.mark.skipif(not SERVER, reason="LANYARD_TEST_POSTGRES names no server")
        databases.append(pytest.param("postgres", marks=absent))
    metafunc.parametrize("tool", databases, indirect=True)


@pytest.fixture
def tool(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Tool]:
    """The command line on an empty data folder. After the test, the doctor must find the data undamaged."""
    may_damage = request.node.get_closest_marker("damages")
    if request.param == "sqlite":
        tool = Tool(tmp_path / "data")
        yield tool
        if not may_damage:
            tool.assert_whole()
        return
    database = PostgresDatabase(SERVER, f"test_{secrets.token_hex(16)}")
    database.create()
    try:
        tool = Tool(tmp_path / "data", database.location)
        yield tool
        if not may_damage:
            tool.assert_whole()
    finally:
        database.drop()
