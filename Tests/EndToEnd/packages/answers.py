"""What `lanyardctl setup --from` is told."""

import json
from pathlib import Path

from layer import System


def write_answers(system: System, address: str = "https://id.maple.example", **further: str) -> Path:
    """With a password, and perhaps with further answers. The mail server does not answer, which is said and no obstacle."""
    file = system.folder / "answers.json"
    file.write_text(json.dumps({
        "name": "Maple District", "domain": "maple.example", "address": address,
        "mail": {"from": "id@maple.example", "server": "smtp://127.0.0.1:1", "userName": "lanyard", "password": "geheim"},
        **further}))
    file.chmod(0o600)
    return file
