"""What all commands have in common: help, exit codes, completions."""

import subprocess
from pathlib import Path

import pytest
from processes import LANYARD, run

COMMANDS = [
    "serve", "demo", "init", "import", "export", "sample", "org", "person", "app", "key", "access", "consent", "audit",
    "doctor",
]


def test_help_lists_every_command() -> None:
    help_text = run(LANYARD, "--help").stdout
    for command in COMMANDS:
        assert f"\n  {command} " in help_text


# What a command cannot do without, lest that be what is said.
NEEDED = {"init": ["--name", "X"], "import": ["X"], "export": ["X"], "sample": ["--out", "X"]}


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
