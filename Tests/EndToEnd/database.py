"""Reads and changes a database directly, without the server."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from processes import run


def query(file: Path, sql: str, *values: Any) -> list[tuple]:
    with closing(sqlite3.connect(file, timeout=60)) as connection:
        return connection.execute(sql, values).fetchall()


def execute(file: Path, sql: str, *values: Any) -> None:
    with closing(sqlite3.connect(file, timeout=60)) as connection, connection:
        connection.execute(sql, values)


def assert_sound(file: Path) -> None:
    """Checks that the file is undamaged and that no foreign key is broken."""
    assert query(file, "PRAGMA integrity_check") == [("ok",)]
    assert query(file, "PRAGMA foreign_key_check") == []


def psql(location: str, sql: str) -> str:
    """Runs SQL on PostgreSQL; returns what it prints, without headings."""
    result = run(
        "psql", "--quiet", "--no-psqlrc", "--no-align", "--tuples-only", "--set", "ON_ERROR_STOP=1", "--dbname",
        location, "--command", sql)
    assert result.returncode == 0, result.stderr
    return result.stdout


def query_postgres(location: str, sql: str, *values: str | int) -> list[tuple]:
    """As `query`, on PostgreSQL."""
    rows = psql(
        location, f"WITH found AS ({_with_literals(sql, values)}) SELECT COALESCE(json_agg(found), '[]') FROM found")
    return json.loads(rows, object_pairs_hook=lambda pairs: tuple(value for _, value in pairs))


def execute_postgres(location: str, sql: str, *values: str | int) -> None:
    """As `execute`, on PostgreSQL."""
    psql(location, _with_literals(sql, values))


def _with_literals(sql: str, values: tuple[str | int, ...]) -> str:
    first, *others = sql.split("?")
    assert len(others) == len(values)
    literals = (str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'" for value in values)
    return first + "".join(literal + part for literal, part in zip(literals, others))
