"""The administration API as a program of somebody else sees it."""

import hashlib
import secrets
from dataclasses import dataclass
from typing import Any

import requests
from database import execute
from school import OpenSchool

# All but server.operate, which no program gets.
PRIVILEGES = (
    "people.read", "people.manage", "people.erase", "passwords.issue", "classes.manage", "locations.manage",
    "organization.manage", "roster.import", "sign-in-apps.manage", "data-sharing.manage", "audit.read",
    "devices.manage", "api-clients.manage",
)


@dataclass(frozen=True)
class API:
    """The administration API, with the token of a program that may do everything in its organization."""

    school: OpenSchool
    client_id: str
    secret: str
    organization: str
    token: str

    @property
    def base_url(self) -> str:
        return self.school.base_url

    @property
    def document(self) -> dict[str, Any]:
        answer = requests.get(f"{self.base_url}/api/v1/openapi.json", timeout=60)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def send(self, method: str, path: str, **options: Any) -> requests.Response:
        return requests.request(
            method, f"{self.base_url}/api/v1/organizations/{self.organization}/{path}", timeout=30,
            headers={"Authorization": f"Bearer {self.token}"} | options.pop("headers", {}), **options)

    def token_of_developer(self, team: str) -> str:
        """Of a new person in the team, for what members of teams do."""
        tool = self.school.school.tool
        developer = self.school.newcomer().account.username
        tool.json("app", "team", "add-member", team, developer)
        token = secrets.token_hex(16)
        execute(
            tool.file,
            """
            INSERT INTO api_token (token_hash, person_id, sign_in_version, privileges, expires_at)
            SELECT ?, id, sign_in_version, 'apps.manage teams.join teams.manage', 4102444800 FROM person WHERE user_name = ?
            """, hashlib.sha256(token.encode()).digest(), developer)
        return token
