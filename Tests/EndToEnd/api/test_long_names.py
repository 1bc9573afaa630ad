"""Names of 500 characters, given to everything that has a name."""

from typing import Any

import pytest
import requests
from administration_api import API

# Three bytes each: longer than any name may be.
LONG = "ก" * 500
DAYS = {"firstDay": "2026-08-17", "lastDay": "2027-01-29"}


@pytest.mark.parametrize(("path", "list_", "body"), [
    ("people", "people?limit=1000", {"firstName": LONG, "lastName": "Fox", "userName": "long.fox@maple.example"}),
    ("classes", "classes", {"name": LONG}),
    ("locations", "locations", {"name": LONG}),
    ("terms", "terms", {"name": LONG} | DAYS),
    ("settings", "settings", {"name": LONG}),
    ("api-clients", "api-clients", {"name": LONG, "privileges": ["people.read"]}),
    ("holds", "holds", {"reason": LONG, "until": "2990-12-31"}),
])
def test_a_name_that_is_too_long_is_refused_and_changes_nothing(
    api: API, path: str, list_: str, body: dict[str, Any]
) -> None:
    before = api.send("GET", list_)
    assert before.status_code == 200, before.text
    refused = api.send("POST", path, json=body)
    assert refused.status_code == 422, refused.text
    problem = refused.json()
    assert LONG not in refused.text and problem["field"] and "long" in problem["detail"], problem
    assert api.send("GET", list_).json() == before.json()


def test_a_team_and_an_app_with_a_name_that_is_too_long_are_refused(api: API) -> None:
    api.school.school.tool.json("app", "team", "create", "Long Names Inc.")
    token = api.token_of_developer("Long Names Inc.")

    def send(method: str, path: str, **options: Any) -> requests.Response:
        return requests.request(
            method, f"{api.base_url}/api/v1/{path}", timeout=30, headers={"Authorization": f"Bearer {token}"}, **options)

    before = [send("GET", path).json() for path in ("teams", "apps")]
    app = {"name": LONG, "clientIDs": ["com.example.long"], "scopes": ["name"], "returnURLs": ["https://long.example/back"]}
    for path, body in (("teams/Long Names Inc.", {"name": LONG}), ("teams/Long Names Inc./apps", app)):
        refused = send("POST", path, json=body)
        assert refused.status_code == 422 and "long" in refused.json()["detail"], (path, refused.text[:500])
        assert refused.json()["field"] and LONG not in refused.text
    assert [send("GET", path).json() for path in ("teams", "apps")] == before
