"""Clients as their makers publish them, with nothing set but credentials: our server is where they believe it to be."""

import os
import socket
from collections.abc import Iterator

import pytest
from lanyard_tool import Tool
from plain_browser import PlainBrowser
from processes import free_port
from school import School
from sign_in.original_address import ADDRESS, NAME, URL, OriginalAddress, original_address
from sign_in.web_app import ALLAUTH, FASTAPI_SSO, SOCIAL_AUTH, Kind, Visitor, running

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a name another meaning")


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> School:
    tool = Tool(tmp_path_factory.mktemp("unmodified") / "data")
    school = School(tool)
    with tool.serving() as base_url:
        school.admit(base_url)
    return school


@pytest.fixture(scope="module")
def address(school: School) -> Iterator[OriginalAddress]:
    port = free_port()
    with (
        original_address(school.tool.data, port) as address,
        school.tool.serving("--base-url", URL, port=port) as base_url,
    ):
        assert base_url == URL
        yield address


@pytest.fixture
def browser(address: OriginalAddress, monkeypatch: pytest.MonkeyPatch) -> PlainBrowser:
    """A browser of the same machine: it finds the same server under the name."""
    look_up = socket.getaddrinfo
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda host, *rest, **more: look_up(ADDRESS if host == NAME else host, *rest, **more))
    browser = PlainBrowser()
    # Neither proxies nor authorities of whoever runs the tests.
    browser.session.trust_env = False
    browser.session.verify = str(address.authority_file)
    return browser


@pytest.mark.parametrize(
    "kind", [SOCIAL_AUTH, ALLAUTH, FASTAPI_SSO], ids=lambda kind: kind.file.removesuffix(".py"))
def test_people_of_each_kind_sign_in(
    kind: Kind, school: School, address: OriginalAddress, browser: PlainBrowser
) -> None:
    surroundings = {
        "REQUESTS_CA_BUNDLE": address.authority_file, "SSL_CERT_FILE": address.authority_file, "NO_PROXY": NAME,
    }
    with running(kind, school, URL, wrapper=address.wrapper, **surroundings) as app:
        for member in school.people.values():
            browser.session.cookies.clear()
            answer = Visitor(member, browser).sign_in(app)
            assert answer["claims"]["iss"] == URL
            assert (answer["email"] or None) == member.email
            assert answer["claims"].get("org_id") == member.organization_id
