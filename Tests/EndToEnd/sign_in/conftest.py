from collections.abc import Iterator

import pytest
from school import OpenSchool, open_school_in
from sign_in.web_app import KINDS, Kind, WebApp, running


@pytest.fixture(scope="session")
def open_school(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenSchool]:
    with open_school_in(tmp_path_factory.mktemp("sign-in")) as school:
        yield school


@pytest.fixture(scope="module", params=KINDS, ids=lambda kind: kind.file.removesuffix(".py"))
def web_app(request: pytest.FixtureRequest, open_school: OpenSchool) -> Iterator[WebApp]:
    """Each of the foreign clients in an app of its own."""
    kind: Kind = request.param
    with running(kind, open_school.school, open_school.base_url) as app:
        yield app
