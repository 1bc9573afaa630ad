"""The administration API as a program of somebody else sees it."""

from dataclasses import dataclass
from typing import Any

import requests
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
