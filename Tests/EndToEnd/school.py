"""A small school with people who can sign in, and apps of other companies, made on the command line."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from urllib.parse import urlencode

from lanyard_tool import Tool
from plain_browser import PlainBrowser
from scene import Account

PASSWORD = "correct-horse-7"


@dataclass(frozen=True)
class Member:
    """A person who can sign in, with what an app may learn about them."""

    account: Account
    given_name: str
    family_name: str
    # `id` of the organization in the roster; None for a personal account.
    organization_id: str | None = None

    @property
    def is_managed(self) -> bool:
        return self.organization_id is not None

    @property
    def email(self) -> str | None:
        return self.account.email


@dataclass(frozen=True)
class AppRegistration:
    """What the developer of an app gets when the app is registered."""

    name: str
    client_id: str
    team_id: str
    key_id: str
    key_pem: str


class School:
    """Maple School: a teacher, a pupil without e-mail, and a parent with a personal account."""

    def __init__(self, tool: Tool):
        self.tool = tool
        self.organization_id: str = tool.json("init", "--name", "Maple School", "--domain", "maple.example")[
            "organization"]
        self.people: dict[str, Member] = {}

    def admit(self, base_url: str) -> None:
        """Makes the accounts, and signs each in once to choose a password."""
        for kind, (name, email, *options) in {
            "personal": ("Nadia Haddad", "nadia@mail.example", "--personal"),
            "managed": ("Ana Ruiz", "ana.ruiz@maple.example", "--role", "instructor"),
            "managed without e-mail": ("Fatima Silva", None, "--role", "student", "--grade", "1"),
        }.items():
            self.people[kind] = self.add(base_url, kind, name, email, *options)

    def add(self, base_url: str, kind: str, name: str, email: str | None, *options: str) -> Member:
        """Makes a person who can sign in with `PASSWORD`."""
        given_name, _, family_name = name.partition(" ")
        address = ("--email", email) if email else ()
        if kind == "personal":
            address += ("--user-name", email)
        person = self.tool.json(
            "person", "add", "--first-name", given_name, "--last-name", family_name, *address, *options)
        account = Account(
            kind=kind, role="", name=name, username=person["userName"], password=PASSWORD, email=email)
        member = Member(account, given_name, family_name, None if kind == "personal" else self.organization_id)
        self._choose_password(member, base_url)
        return member

    def _choose_password(self, member: Member, base_url: str) -> None:
        username = member.account.username
        temporary = self.tool.json("person", "password", username)["password"]
        browser = PlainBrowser()
        response = browser.press("Sign in", browser.open(base_url), username=username, password=temporary)
        response = browser.press("Save and continue", browser.follow(response), new_password=PASSWORD)
        browser.follow(response)
        assert browser.open(f"{base_url}/account").heading == "Your account"

    def register(
        self, name: str, client_id: str, *options: str | Path, scopes: tuple[str, ...] = ("name", "email")
    ) -> AppRegistration:
        """Makes a team with a key and an app. `options` are those of `lanyard app create`."""
        self.tool.json("app", "team", "create", f"{name} Inc.")
        team = ("--team", f"{name} Inc.")
        app = self.tool.json(
            "app", "create", name, *team, "--client-id", client_id, "--development",
            *(part for scope in scopes for part in ("--scope", scope)), *options)
        key_file = self.tool.data / f"{client_id}.p8"
        key = self.tool.json("key", "create", name, *team, "--out", key_file)["key"]
        return AppRegistration(name, client_id, app["teamID"], key["keyID"], key_file.read_text())


@dataclass(frozen=True)
class OpenSchool:
    """A school whose server is running."""

    school: School
    base_url: str
    numbers: Iterator[int] = field(default_factory=count)

    def newcomer(self, kind: str = "personal") -> Member:
        """Makes a person whom no app knows."""
        number = next(self.numbers)
        email, *options = {
            "personal": (f"noor{number}@mail.example", "--personal"),
            "managed": (f"noor{number}@maple.example", "--role", "instructor"),
            "managed without e-mail": (None, "--role", "student", "--grade", "1"),
        }[kind]
        return self.school.add(self.base_url, kind, "Noor de Vries", email, *options)

    def connect(self, name: str, client_id: str, administrator: Account) -> AppRegistration:
        """Registers an app that reads the roster, and has an Administrator of the school allow it in a browser."""
        return_url = "http://127.0.0.1:1/callback"  # no server is needed there: the redirect is not followed
        scopes = ("edu.users.read", "edu.classes.read")
        app = self.school.register(name, client_id, "--return-url", return_url, scopes=scopes)
        self.school.tool.json("access", "allow", client_id)
        query = urlencode({
            "client_id": client_id, "redirect_uri": return_url, "response_type": "code", "scope": " ".join(scopes)})
        callback = PlainBrowser().consent(f"{self.base_url}/auth/oauth2/v2/authorize?{query}", administrator)
        assert callback.startswith(return_url) and "code=" in callback, callback
        return app


@contextmanager
def open_school_in(folder: Path, *, port: int | None = None, **settings: object) -> Iterator[OpenSchool]:
    """Makes a school with its people, and runs its server while the block runs. Without `port` it takes a free one. The
    settings are written to lanyard.json."""
    tool = Tool(folder / "data")
    school = School(tool)
    if settings:
        (tool.data / "lanyard.json").write_text(json.dumps(settings))
    with tool.serving(port=port) as base_url:
        school.admit(base_url)
        yield OpenSchool(school, base_url)
    tool.assert_whole()
