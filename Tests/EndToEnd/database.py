"""Reads and changes a SQLite database directly, without the server."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any


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
