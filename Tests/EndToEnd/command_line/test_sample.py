"""`lanyard sample`, at the bounds of what it makes."""

from pathlib import Path

import pytest
from processes import LANYARD, run


@pytest.mark.parametrize(("people", "members"), [(100, 12), (1_000, 125), (1_999, 125), (5_000, 125)])
def test_the_largest_classes_are_made(tmp_path: Path, people: int, members: int) -> None:
    done = run(LANYARD, "sample", "--people", people, "--classes", 40, "--members", members, "--out", tmp_path / "d")
    assert done.returncode == 0, done.stderr
    assert f"{people} people, 40 classes, {40 * members} memberships" in done.stdout


@pytest.mark.parametrize(
    "arguments",
    [("--people", 99), ("--people", 100, "--members", 13), ("--people", 1_000, "--members", 0),
     ("--people", 1_000, "--classes", 0), ("--people", -1)],
)
def test_what_no_district_can_have_is_refused(tmp_path: Path, arguments: tuple) -> None:
    done = run(LANYARD, "sample", *(f"{argument}" for argument in arguments), "--out", tmp_path / "d")
    assert done.returncode == 64
    assert not (tmp_path / "d").exists()
