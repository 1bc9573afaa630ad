"""Runs the `lanyard` program, as people and scripts do."""

import json
import re
import secrets
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from database import execute, execute_postgres, query, query_postgres, run_sql
from processes import LANYARD, Program, free_port, run


@dataclass(frozen=True)
class PostgresDatabase:
    """A database on a PostgreSQL server, for one test."""

    server: str
    name: str

    @classmethod
    def at(cls, location: str) -> "PostgresDatabase":
        place = urlsplit(location)
        return cls(place._replace(path="/postgres").geturl(), place.path.removeprefix("/"))

    @property
    def location(self) -> str:
        return urlsplit(self.server)._replace(path=f"/{self.name}").geturl()

    def create(self, original: str = "template1") -> None:
        """A copy of that database of the same server, with which nobody is connected; it is empty if none is named."""
        self._administer(f"CREATE DATABASE {self.name} TEMPLATE {original}")

    def drop(self) -> None:
        self._administer(f"DROP DATABASE {self.name} WITH (FORCE)")

    def _administer(self, command: str) -> None:
        run_sql(self.server, command)


@dataclass(frozen=True)
class Tool:
    """The program with a data folder. Each method runs it once."""

    data: Path
    # postgres://…; None for a SQLite file in the data folder.
    database: str | None = None

    @property
    def server(self) -> str | None:
        """The PostgreSQL server of the database, as for `tool_on`."""
        return self.database and PostgresDatabase.at(self.database).server

    @property
    def file(self) -> Path:
        """The SQLite file."""
        return self.data / "lanyard.sqlite"

    def query(self, sql: str, *values: str | int) -> list[tuple]:
        """The rows of a query, read without the server. Each `?` stands for a value."""
        if self.database:
            return query_postgres(self.database, sql, *values)
        return query(self.file, sql, *values)

    def execute(self, sql: str, *values: str | int) -> None:
        """Changes the data without the server. Each `?` stands for a value."""
        if self.database:
            execute_postgres(self.database, sql, *values)
        else:
            execute(self.file, sql, *values)

    def copy(self, original: "Tool") -> None:
        """Has the data of another from now on, on which nothing is running, with the same ids and keys."""
        shutil.rmtree(self.data, ignore_errors=True)
        shutil.copytree(original.data, self.data)
        if self.database:
            own, its = PostgresDatabase.at(self.database), PostgresDatabase.at(original.database)
            own.drop()
            own.create(its.name)

    def run(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return run(LANYARD, *arguments, *self.place())

    def text(self, *arguments: str | Path) -> str:
        """Runs a command that must succeed; returns its text."""
        result = self.run(*arguments)
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout

    def json(self, *arguments: str | Path, exit_code: int = 0) -> Any:
        """Runs a command with --json; returns the parsed JSON."""
        result = self.run(*arguments, "--json")
        assert result.returncode == exit_code, result.stdout + result.stderr
        return json.loads(result.stdout)

    def failure(self, *arguments: str | Path, exit_code: int = 1) -> str:
        """Runs a command that must fail and print nothing to the standard output; returns its standard error."""
        result = self.run(*arguments)
        assert result.returncode == exit_code, result.stdout + result.stderr
        assert result.stdout == ""
        return result.stderr

    def usage_error(self, *arguments: str | Path) -> str:
        """Runs a command with wrong usage; returns its standard error."""
        return self.failure(*arguments, exit_code=64)

    def assert_whole(self) -> None:
        """Checks that the doctor finds no damage in file, records and audit trail. Ignores other findings."""
        if not self.database and not self.file.exists():
            return
        result = self.run("doctor", "--json")
        findings = json.loads(result.stdout)["findings"]
        damage = [
            finding for finding in findings
            if finding["status"] == "problem" and finding["check"] in ("database", "records", "audit trail")]
        assert damage == [], damage

    @contextmanager
    def serving(self, *options: str, port: int | None = None) -> Iterator[str]:
        """Runs a development server while the block runs, on `port` or a free one, and yields its base URL."""
        self.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        server = Program(
            LANYARD, "serve", "--port", port or free_port(), "--development", "--log-level", "warning", *options,
            *self.place(), log=self.data / "serve.log")
        try:
            ready = server.wait_until(
                lambda: re.search(r"^Lanyard is ready at (\S+)$", server.log_text, re.MULTILINE), 30,
                "the server is ready")
            yield ready[1]
        finally:
            server.stop()

    def place(self) -> list[str | Path]:
        return ["--data", self.data] + (["--database", self.database] if self.database else [])


@contextmanager
def tool_on(server: str | None, folder: Path) -> Iterator[Tool]:
    """The command line on an empty data folder, with a SQLite file, or with a database of its own on this PostgreSQL server
    while the block runs."""
    if server is None:
        yield Tool(folder)
        return
    postgres = PostgresDatabase(server, f"test_{secrets.token_hex(16)}")
    postgres.create()
    try:
        yield Tool(folder, postgres.location)
    finally:
        postgres.drop()
