"""A server whose database has no room, or is held by another program."""

import re
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
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
