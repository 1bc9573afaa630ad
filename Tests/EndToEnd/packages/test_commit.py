"""Which commit a program was built from."""

import re
import shutil
from pathlib import Path

from processes import LANYARD_SSO, ROOT, run


def test_a_program_says_the_commit_of_its_package(tmp_path: Path) -> None:
    program = tmp_path / "lanyard-sso"
    shutil.copy(LANYARD_SSO, program)
    version = run(program, "--version").stdout.strip()
    assert re.fullmatch(r"\d+\.\d+\.\d+", version)
    commit = "0123456789abcdef0123456789abcdef01234567"
    write = ROOT / "scripts" / "set-commit"
    assert run(write, commit, program).returncode == 0
    assert run(program, "--version").stdout.strip() == f"{version} (commit 0123456789ab)"
    before = program.read_bytes()
    again = run(write, commit, program)
    assert again.returncode != 0 and "no empty field" in again.stderr
    assert run(write, "main", program).returncode != 0
    assert program.read_bytes() == before
