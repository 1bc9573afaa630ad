"""Packages of the programs under test."""

import re
import shutil
from pathlib import Path

from processes import PROGRAMS, ROOT, run


def build(folder: Path) -> dict[str, Path]:
    """Makes the packages in a folder. These programs need Swift's libraries where the compiler was."""
    done = run(ROOT / "scripts" / "build-packages", "--programs", PROGRAMS, "--out", folder, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return found(folder)


def found(folder: Path) -> dict[str, Path]:
    """The packages of a folder, by their names, without those with debug symbols."""
    files = [file.resolve() for file in sorted(folder.glob("*.deb")) if "-dbgsym_" not in file.name]
    return {file.name.partition("_")[0]: file for file in files}


def with_version(version: str, package: Path, folder: Path) -> Path:
    """A copy of a package that has another version, and the same name."""
    contents, copy = folder / "contents", folder / f"{package.name.partition('_')[0]}_{version}.deb"
    unpacked = run("dpkg-deb", "--raw-extract", package, contents)
    assert unpacked.returncode == 0, unpacked.stderr
    control = contents / "DEBIAN" / "control"
    control.write_text(re.sub("(?m)^Version: .*$", f"Version: {version}", control.read_text()))
    packed = run("dpkg-deb", "--root-owner-group", "-Zgzip", "-z1", "--build", contents, copy, timeout=120)
    assert packed.returncode == 0, packed.stderr
    shutil.rmtree(contents)
    return copy
