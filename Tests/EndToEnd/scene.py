"""The demo for tests: a server, a district, an app of another company, and accounts to sign in with."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import requests

from district import District
from processes import LANYARD, Program, free_port


@dataclass(frozen=True)
class Account:
    kind: str
    role: str
    name: str
    username: str
    password: str
    email: str | None = None


@dataclass(frozen=True)
class RegisteredApp:
    name: str
    client_id: str
    team_id: str
    key_id: str
    key_pem: str
    return_url: str
    scopes: tuple[str, ...]


class Scene:
    """The folder of a demo, with the contents of its `demo.json`."""

    def __init__(self, folder: Path, has_own_school: bool = False):
        """With the school of one's own there are two organizations, so that commands have to name one."""
        self.folder = folder
        self.has_own_school = has_own_school
        self.program: Program | None = None
        if self.file.exists():
            self._read()

    @property
    def file(self) -> Path:
        return self.folder / "demo.json"

    def start(self) -> "Scene":
        """Starts `lanyard demo` on free ports, and waits for `demo.json`, which is written when all is ready."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.file.unlink(missing_ok=True)
        self.program = Program(
            LANYARD, "demo", "--folder", self.folder, "--port", free_port(), "--quizzler-port", free_port(),
            *([] if self.has_own_school else ["--no-own-school"]), log=self.folder / "demo.log",
        )
        self.program.wait_until(self.file.exists, 60, "the demo is ready")
        self._read()
        return self

    def stop(self) -> None:
        if self.program:
            self.program.stop()
            self.program = None

    def copy(self, folder: Path, has_own_school: bool = False) -> "Scene":
        """A copy of the data in another folder, not started."""
        shutil.copytree(self.folder, folder)
        return Scene(folder, has_own_school)

    def _read(self) -> None:
        contents = json.loads(self.file.read_text())
        self.base_url: str = contents["server"]["baseURL"]
        self.issuer: str = contents["server"]["issuer"]
        self.quizzler_url: str = contents["quizzler"]["baseURL"]
        self.organization_id: str = contents["organization"]["id"]
        self.organization_name: str = contents["organization"]["name"]
        own_school = contents.get("ownSchool", {})
        # The one-time link for its administrator, as long as nobody has taken it, and the files to import.
        self.own_school_link: str | None = own_school.get("link")
        self.own_school_roster: str | None = own_school.get("roster")
        self.accounts = [Account(**account) for account in contents["accounts"]]
        app = contents["apps"][0]
        self.app = RegisteredApp(
            name=app["name"],
            client_id=app["clientID"],
            team_id=app["teamID"],
            key_id=app["keyID"],
            key_pem=(self.folder / Path(app["keyFile"]).name).read_text(),
            return_url=app["returnURLs"][0],
            scopes=tuple(app["scopes"]),
        )

    def account(self, role: str) -> Account:
        """The first account with the role, such as `administrator`."""
        return next(account for account in self.accounts if account.role == role)

    @property
    def database(self) -> Path:
        return self.folder / "lanyard.sqlite"

    def district(self) -> District:
        return District.read(self.folder / "district")

    @property
    def quizzler_file(self) -> Path:
        """All that Quizzler has stored."""
        return self.folder / "quizzler" / "quizzler.json"

    @property
    def quizzler_people_file(self) -> Path:
        """What Quizzler has stored about the people who have signed in, by id."""
        return self.folder / "quizzler" / "people.json"

    def connections(self) -> dict[str, str]:
        """The ids of the organizations that are connected to Quizzler, each with the id of its connection."""
        if not self.quizzler_file.exists():
            return {}
        connections = json.loads(self.quizzler_file.read_text())["connections"]
        return {organization: connection["id"] for organization, connection in connections.items()}

    def quizzler_has_roster(self) -> bool:
        connections = json.loads(self.quizzler_file.read_text())["connections"]
        return "roster" in connections[self.organization_id]


class Server:
    """`lanyard serve` on the data of a scene, without Quizzler. It has the same port each time it is started."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.port = free_port()
        self.base_url = f"http://127.0.0.1:{self.port}"
        self.program: Program | None = None

    def start(self) -> "Server":
        self.program = Program(
            LANYARD, "serve", "--data", self.folder, "--port", self.port, "--development", "--log-level", "warning",
            log=self.folder / "serve.log",
        )
        self.program.wait_until(self.is_ready, 30, "the server is ready")
        return self

    def is_ready(self) -> bool:
        try:
            return requests.get(f"{self.base_url}/readyz", timeout=2).ok
        except requests.RequestException:
            return False

    def kill(self) -> None:
        """Kills the server without any clean-up."""
        if self.program:
            self.program.kill()

    def stop(self) -> None:
        if self.program:
            self.program.stop()
            self.program = None
