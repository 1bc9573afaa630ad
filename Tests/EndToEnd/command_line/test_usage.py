"""What all commands have in common: help, exit codes, completions."""

import os
import re
import shlex
import subprocess
import shutil
import zipfile
from pathlib import Path

import pytest
from processes import LANYARD, LANYARD_SSO, run

COMMANDS = [
    "serve", "demo", "init", "import", "export", "sample", "org", "person", "app", "key", "access", "consent", "audit",
    "doctor", "why", "findings", "activity", "pick-up",
]


def test_help_lists_every_command() -> None:
    help_text = run(LANYARD, "--help").stdout
    for command in COMMANDS:
        assert f"\n  {command} " in help_text


# Required arguments, so that the error is not about these.
NEEDED = {"init": ["--name", "X"], "import": ["X"], "export": ["X"], "sample": ["--out", "X"], "why": ["X", "Y"]}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_word_that_is_no_option_is_wrong_usage(command: str) -> None:
    result = run(LANYARD, command, *NEEDED.get(command, []), "--frobnicate")
    assert result.returncode == 64 and "--frobnicate" in result.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_know_commands_and_words(shell: str) -> None:
    script = run(LANYARD, "--generate-completion-script", shell)
    assert script.returncode == 0
    for word in ("allow-only-listed-apps", "device-enrollment-manager", "edu.users.read", "deactivated", "p8"):
        assert word in script.stdout


def test_bash_completes_enumerations(tmp_path: Path) -> None:
    script = tmp_path / "lanyard.bash"
    script.write_text(run(LANYARD, "--generate-completion-script", "bash").stdout)
    program = f"""
        source {script}
        COMP_WORDS=(lanyard access mode allow-a) COMP_CWORD=3 COMP_LINE="lanyard access mode allow-a" COMP_POINT=27
        _lanyard lanyard allow-a mode
        printf '%s\\n' "${{COMPREPLY[@]}}"
        """
    result = subprocess.run(["bash", "-c", program], capture_output=True, text=True, timeout=30)
    assert result.stdout.split() == ["allow-all-apps"], result.stderr


# In an order in which each finds what it needs.
WITH_EXAMPLES = (
    "init", "org domain add", "import", "export", "person list", "person add", "person password", "app create",
    "key create", "access allow",
)


def test_the_examples_of_help_work_as_they_stand(tmp_path: Path) -> None:
    assert run(LANYARD, "sample", "--out", tmp_path / "files").returncode == 0
    with zipfile.ZipFile(tmp_path / "roster.zip", "w") as archive:
        for file in (tmp_path / "files").iterdir():
            archive.write(file, file.name)
    for command in WITH_EXAMPLES:
        help_text = run(LANYARD, *command.split(), "--help").stdout
        shown = re.search(r"^For example:\n((?:  .*\n)+)", help_text, re.MULTILINE)
        assert shown, command
        examples = re.findall(r"^  (lanyard .*)$", shown[1].replace("\\\n", " "), re.MULTILINE)
        assert any(example.startswith(f"lanyard {command}") for example in examples), examples
        for example in examples:
            done = subprocess.run(
                [LANYARD, *shlex.split(example)[1:]], cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True,
                text=True, timeout=120, env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8"})
            assert done.returncode == 0, (example, done.stdout, done.stderr)


def test_an_option_that_is_misspelt_brings_the_one_that_was_meant() -> None:
    result = run(LANYARD, "person", "list", "--tekst", "ruiz")
    assert result.returncode == 64 and "Did you mean '--text'?" in result.stderr


def test_both_names_of_the_organization_option_work_everywhere(tmp_path: Path) -> None:
    data = ("--data", tmp_path / "data")
    for name in ("Maple District", "Elm District"):
        assert run(LANYARD, "init", "--name", name, *data).returncode == 0
    assert "say which with --org" in run(LANYARD, "org", "show", *data).stderr
    build = ("device", "profile", "--allow-loopback", *data)
    for option in ("--org", "--organization"):
        shown = run(LANYARD, "org", "show", option, "Elm District", *data)
        assert shown.returncode == 0 and "Elm District" in shown.stdout
        built = run(LANYARD, *build, option, "Elm District")
        assert built.returncode == 0, built.stderr
        assert "Elm District" in built.stdout


def test_both_names_of_the_person_option_work(tmp_path: Path) -> None:
    data = ("--data", tmp_path / "data")
    assert run(LANYARD, "init", "--name", "Maple District", "--domain", "maple.example", *data).returncode == 0
    assert run(LANYARD, "person", "add", "--first-name", "Ana", "--last-name", "Ruiz", *data).returncode == 0
    for option in ("--user", "--person"):
        code = run(LANYARD, "device", "code", option, "ana.ruiz@maple.example", *data)
        assert code.returncode == 0 and "Ana Ruiz" in code.stdout, code.stderr
        assert run(LANYARD, "device", "list", option, "ana.ruiz@maple.example", *data).returncode == 0


def test_lanyard_sso_is_lanyard_sso_by_another_name(tmp_path: Path) -> None:
    for arguments in (["--help"], ["status", "--help"], ["profile", "validate", tmp_path / "missing"], ["nonsense"]):
        named, own = run(LANYARD, "sso", *arguments), run(LANYARD_SSO, *arguments)
        assert (named.returncode, named.stdout, named.stderr) == (own.returncode, own.stdout, own.stderr)
    assert "Play single sign-on" in run(LANYARD, "sso", "demo", "--help").stdout


def test_a_server_without_the_device_s_program_says_so(tmp_path: Path) -> None:
    alone = tmp_path / "lanyard"
    shutil.copy(LANYARD, alone)
    done = subprocess.run([alone, "sso", "status"], env={"PATH": str(tmp_path)}, capture_output=True, text=True)
    assert done.returncode == 1 and "lanyard-sso, which is not installed here" in done.stderr
