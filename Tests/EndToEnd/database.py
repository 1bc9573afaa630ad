"""Reads and changes a database directly, without the server."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg


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


def run_sql(location: str, sql: str) -> str | None:
    """Runs SQL on PostgreSQL, outside of a transaction; returns the first value of the answer as it is printed, if there is one."""
    with psycopg.connect(location, autocommit=True) as connection:
        cursor = connection.execute(sql)
        return str(cursor.fetchone()[0]) if cursor.description else None


def query_postgres(location: str, sql: str, *values: str | int) -> list[tuple]:
    """As `query`, on PostgreSQL."""
    rows = run_sql(
        location,
        f"WITH found AS ({_with_literals(sql, values)}) SELECT COALESCE(json_agg(found), '[]')::text FROM found")
    return json.loads(rows, object_pairs_hook=lambda pairs: tuple(value for _, value in pairs))


def execute_postgres(location: str, sql: str, *values: str | int) -> None:
    """As `execute`, on PostgreSQL."""
    run_sql(location, _with_literals(sql, values))


def _with_literals(sql: str, values: tuple[str | int, ...]) -> str:
    first, *others = sql.split("?")
    assert len(others) == len(values)
    literals = (str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'" for value in values)
    return first + "".join(literal + part for literal, part in zip(literals, others))
