"""A school whose administration API is asked by programs that were made by others."""

from collections.abc import Iterator

import pytest
import requests
from administration_api import API, PRIVILEGES
from school import open_school_in


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[API]:
    folder = tmp_path_factory.mktemp("api")
    rates = {"requestsPerSecond": 10_000, "burst": 10_000}
    with open_school_in(folder, rateLimit=rates, pickUpFolder=str(folder / "drop")) as school:
        tool = school.school.tool
        made = tool.json(
            "api-client", "add", "Everything", *(word for name in PRIVILEGES for word in ("--privilege", name)))
        client_id, secret = made["client"]["clientID"], made["secret"]
        answer = requests.post(
            f"{school.base_url}/api/v1/token", auth=(client_id, secret), timeout=60,
            data={"grant_type": "client_credentials"}).json()
        yield API(school, client_id, secret, answer["organization"], answer["access_token"])
