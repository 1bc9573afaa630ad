"""Packages of the programs under test."""

from pathlib import Path

from processes import PROGRAMS, ROOT, run


def build(folder: Path) -> dict[str, Path]:
    """Makes the packages in a folder. These programs need Swift's libraries where the compiler was."""
    done = run(ROOT / "scripts" / "build-packages", "--programs", PROGRAMS, "--out", folder, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return found(folder)


def found(folder: Path) -> dict[str, Path]:
    """The packages of a folder, by their names."""
    return {file.name.partition("_")[0]: file.resolve() for file in sorted(folder.glob("*.deb"))}
