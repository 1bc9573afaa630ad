"""The project's checks of its sources, tried on packages that are made for it."""

import subprocess
from pathlib import Path

from processes import ROOT


def check_sources(script: str, folder: Path, sources: dict[str, str]) -> subprocess.CompletedProcess:
    """Runs a script of the project on a package of these sources, each with the place of its file."""
    for place, source in sources.items():
        file = folder / "Sources" / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(source)
    return subprocess.run([ROOT / "scripts" / script, folder], capture_output=True, text=True, check=False)
