from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

import pytest
from lanyard_tool import Tool
from school import Member, School
from sign_in.web_app import KINDS, Kind, WebApp, running


@dataclass(frozen=True)
class OpenSchool:
    """A school whose server is running."""

    school: School
    base_url: str
    numbers: Iterator[int] = field(default_factory=count)

    def newcomer(self, is_managed: bool = False) -> Member:
        """Somebody whom no app has seen."""
        number = next(self.numbers)
        if is_managed:
            return self.school.add(
                self.base_url, "managed", "Noor de Vries", f"noor{number}@maple.example", "--role", "student")
        return self.school.add(
            self.base_url, "personal", "Noor de Vries", f"noor{number}@mail.example", "--personal")


@pytest.fixture(scope="session")
def open_school(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenSchool]:
    tool = Tool(tmp_path_factory.mktemp("sign-in") / "data")
    school = School(tool)
    with tool.serving() as base_url:
        school.admit(base_url)
        yield OpenSchool(school, base_url)


@pytest.fixture(scope="module", params=KINDS, ids=lambda kind: kind.file.removesuffix(".py"))
def web_app(request: pytest.FixtureRequest, open_school: OpenSchool) -> Iterator[WebApp]:
    """Each of the foreign clients in an app of its own."""
    kind: Kind = request.param
    with running(kind, open_school.school, open_school.base_url) as app:
        yield app
