"""What an app of another company is told when it is started: a JSON file, named on its command line."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Settings:
    # The app's own.
    port: int
    # Lanyard's.
    base_url: str
    issuer: str
    client_id: str
    team_id: str
    key_id: str
    key_pem: str

    @property
    def own_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def is_original(self) -> bool:
        """Whether the address is the one that clients have compiled in: then nothing but the credentials is set."""
        return self.base_url == "https://appleid.apple.com"

    @staticmethod
    def read() -> "Settings":
        return Settings(**json.loads(Path(sys.argv[1]).read_text()))


def ready(settings: Settings) -> None:
    print(f"ready at {settings.own_url}", flush=True)
