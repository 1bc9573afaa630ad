"""The guide for authors of extensions, followed letter by letter in a fresh folder."""

import os
import pty
import re
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from processes import PROGRAMS, ROOT, free_port, wait_until

GUIDE = ROOT / "docs" / "sign-on-extensions.md"
TEMPLATE = ROOT / "Examples" / "SignOnExtension" / "AcmeSignIn.swift"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", GUIDE.read_text(), re.MULTILINE | re.DOTALL)


def test_the_template_is_the_code_that_is_compiled_and_shorter_than_60_lines() -> None:
    [printed] = blocks("swift")
    assert printed == TEMPLATE.read_text()
    assert len(printed.splitlines()) < 60


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Path]:
    """A folder that looks like a clone in which everything is built; the guide's port is a free one."""
    (tmp_path / ".build").mkdir()
    (tmp_path / ".build" / "debug").symlink_to(PROGRAMS)
    shutil.copytree(ROOT / "Examples", tmp_path / "Examples")
    yield tmp_path


def at_terminal(script: str, folder: Path, answers: list[tuple[str, str]]) -> str:
    """What a shell in a terminal shows, in which questions get answers."""
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(folder)
        os.execv("/bin/bash", ["bash", "--norc", "-e", "-c", script])
    shown, deadline = "", time.monotonic() + 60
    while time.monotonic() < deadline:
        if not select.select([terminal], [], [], 0.2)[0]:
            continue
        try:
            shown += os.read(terminal, 4096).decode(errors="replace")
        except OSError:  # the other end is closed
            break
        if answers and answers[0][0] in shown:
            os.write(terminal, (answers.pop(0)[1] + "\n").encode())
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0, shown
    return shown


def test_whoever_follows_the_guide_has_an_extension_that_answers(fresh: Path) -> None:
    port = str(free_port())
    scripts = [block.replace("8444", port) for block in blocks("sh")]
    build, *preparing = [script for script in scripts if "terminal" not in script and "export" not in script]
    # The programs are there already.
    assert [line.split()[-1] for line in build.splitlines() if line.startswith("swift build")] == [
        "lanyard", "lanyard-broker", "sign-on-extension"]
    building = "\n".join(line for line in build.splitlines() if not line.startswith("swift build"))
    for script in [building, *preparing]:
        subprocess.run(["bash", "-e", "-c", script], cwd=fresh, check=True, capture_output=True, timeout=60)
    others = [script for script in scripts if "terminal" in script]
    assert len(others) == 2
    [asking] = [script for script in scripts if "export" in script]
    programs: list[subprocess.Popen[bytes]] = []
    try:
        for script, log, sign in zip(others, ("domain.log", "broker.log"), ("agrees to", "approved")):
            programs.append(subprocess.Popen(
                ["bash", "-c", script], cwd=fresh, stdin=subprocess.DEVNULL, stdout=(fresh / log).open("wb"),
                stderr=subprocess.STDOUT, start_new_session=True))
            wait_until(lambda: sign in (fresh / log).read_text(), 20, f"{log} says “{sign}”")
        # docs/native-sign-in.md's app beside it: the template answers apps without a token.
        lines = asking.splitlines(keepends=True)
        [last] = [number for number, line in enumerate(lines) if "logout" in line]
        lines.insert(last, ".build/debug/native-sign-in https://id.acme.test/\n")
        shown = at_terminal("".join(lines), fresh, [("User name", "nadia")])
    finally:
        for program in programs:
            os.killpg(program.pid, signal.SIGTERM)
        for program in programs:
            program.wait(timeout=20)
    assert "test.acme.signin.extension" in shown
    assert "User name [mika]" in shown  # from the profile's data
    # The session was written before the answer, so the next process finds it and does not ask.
    assert shown.count('"user":"nadia"') == 2, shown
    assert shown.count("answered") >= 4
    assert "Signed in; no access token came." in shown
