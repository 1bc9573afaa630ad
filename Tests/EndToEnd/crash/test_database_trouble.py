"""A server whose database has no room, or is held by another program."""

import re
import sqlite3
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
import requests
from lanyard_tool import Tool
from processes import wait_until


def wait_for_readiness(base_url: str, is_ready: bool) -> None:
    """An attempt to write counts for five seconds."""
    wait_until(
        lambda: (requests.get(f"{base_url}/readyz", timeout=20).status_code == 200) == is_ready, 60,
        "it is ready" if is_ready else "it is not ready")


@pytest.mark.parametrize("small_disk", ["8m"], indirect=True)
def test_a_full_disk_is_503_and_not_ready_until_there_is_room(small_disk: Path) -> None:
    tool = Tool(small_disk / "data")
    tool.json("init", "--name", "Maple District")
    with tool.serving() as base_url:
        assert requests.get(f"{base_url}/readyz", timeout=20).text == "ready\n"
        with pytest.raises(OSError), (small_disk / "ballast").open("wb", buffering=0) as ballast:
            while True:
                ballast.write(b"x" * 4096)
        wait_for_readiness(base_url, False)
        assert requests.get(f"{base_url}/healthz", timeout=20).status_code == 200
        (small_disk / "ballast").unlink()
        wait_for_readiness(base_url, True)
    tool.assert_whole()


def sign_in(base_url: str, number: int) -> requests.Response:
    """With a name that nobody has: what was tried is stored."""
    session = requests.Session()
    page = session.get(f"{base_url}/sign-in", timeout=60)
    [form] = re.findall(r'<form[^>]*action="/sign-in[^>]*>.*?</form>', page.text, re.DOTALL)
    fields = dict(re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', form))
    fields |= {"username": f"nobody{number}@maple.example", "password": "wrong-password-1"}
    return session.post(f"{base_url}/sign-in", data=fields, timeout=60, allow_redirects=False)


def test_a_locked_database_holds_requests_for_seconds_and_together(tool: Tool) -> None:
    tool.json("init", "--name", "Maple District")
    with tool.serving() as base_url, closing(sqlite3.connect(tool.file, isolation_level=None)) as other:
        before = sign_in(base_url, 0)
        assert before.status_code < 500
        other.execute("BEGIN IMMEDIATE")
        # They wait for eight seconds. One after the other, the last would wait longer than `sign_in` has patience.
        with ThreadPoolExecutor(12) as pool:
            answers = list(pool.map(lambda number: sign_in(base_url, number), range(1, 13)))
        assert {answer.status_code for answer in answers} == {503}
        assert {answer.headers["Retry-After"] for answer in answers} == {"10"}
        assert all("Try again in a moment" in answer.text for answer in answers)
        other.execute("ROLLBACK")
        assert sign_in(base_url, 20).status_code == before.status_code


@contextmanager
def conversation(*command: str | Path) -> Iterator[subprocess.Popen[str]]:
    """A program that is talked to by lines, and ends when nothing more comes."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as program:
        try:
            yield program
        finally:
            assert program.stdin is not None
            program.stdin.close()
            program.wait(60)


def say(program: subprocess.Popen[str], *lines: str) -> str:
    """The first line of the answer."""
    assert program.stdin is not None and program.stdout is not None
    program.stdin.write("\n".join(lines) + "\n")
    program.stdin.flush()
    return program.stdout.readline().strip()


# Its transaction notes each row that it reads, until there is no room for another one.
FILL = """
BEGIN ISOLATION LEVEL SERIALIZABLE;
SET LOCAL enable_seqscan = off;
SET LOCAL enable_bitmapscan = off;
DO $$ BEGIN
    FOR row IN 1..200000 LOOP
        PERFORM FROM filler WHERE number = row;
    END LOOP;
EXCEPTION WHEN out_of_memory THEN NULL;
END $$;
"""


def test_while_a_long_transaction_takes_all_room_others_wait_and_then_go_on(tmp_path: Path) -> None:
    with_postgres = Path(__file__).parents[3] / "scripts/with-postgres"
    small = ["max_connections=20", "max_pred_locks_per_transaction=10", "max_pred_locks_per_relation=1000000",
             "max_pred_locks_per_page=1000000"]
    options = [word for setting in small for word in ("-c", setting)]
    tell = "echo $LANYARD_TEST_POSTGRES; exec cat"
    with conversation(with_postgres, *options, "sh", "-c", tell) as server:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        tool = Tool(tmp_path / "data", database=address)
        tool.json("init", "--name", "Maple District")
        [finding] = [one for one in tool.json("doctor")["findings"] if one["check"] == "database"]
        assert finding["status"] == "warning" and "max_pred_locks_per_transaction" in finding["remedy"]
        psql = ["psql", "--quiet", "--no-align", "--tuples-only", "--no-psqlrc", "--dbname", address]
        with tool.serving() as base_url, conversation(*psql) as other, ThreadPoolExecutor(1) as pool:
            before = sign_in(base_url, 0)
            assert before.status_code < 500
            made = "CREATE TABLE filler AS SELECT number FROM generate_series(1, 200000) AS number;"
            say(other, made, "CREATE INDEX ON filler (number);", "SELECT 1;")
            noted = "SELECT COUNT(*) FROM pg_locks WHERE mode = 'SIReadLock';"
            assert 200 < int(say(other, FILL, noted)) < 200_000
            waiting = pool.submit(sign_in, base_url, 1)
            with pytest.raises(TimeoutError):
                waiting.result(1)
            say(other, "ROLLBACK;", "SELECT 1;")
            assert waiting.result(60).status_code == before.status_code
