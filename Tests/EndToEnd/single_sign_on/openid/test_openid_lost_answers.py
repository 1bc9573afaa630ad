"""A refresh token is exchanged, and the answer does not arrive: docs/decisions/0018-lost-answers.md."""

from collections.abc import Callable, Iterator

import pytest
from processes import free_port
from school import Member, OpenSchool, open_school_in
from single_sign_on.openid.extension import Answer, Extension
from single_sign_on.openid.lossy_network import LossyNetwork
from single_sign_on.openid.menu import register_menu
from single_sign_on.openid.person import types
from single_sign_on.openid.test_openid_operations import is_accepted


@pytest.fixture(scope="module")
def network() -> Iterator[LossyNetwork]:
    with LossyNetwork(free_port()) as network:
        yield network


@pytest.fixture(scope="module")
def open_school(tmp_path_factory: pytest.TempPathFactory, network: LossyNetwork) -> Iterator[OpenSchool]:
    """A school that is reached through the network alone."""
    folder = tmp_path_factory.mktemp("lost-answers")
    with open_school_in(folder, port=network.port, baseURL=network.base_url) as school:
        assert school.base_url == network.base_url
        yield school


@pytest.fixture(scope="module")
def menu(open_school: OpenSchool) -> str:
    return register_menu(open_school.school)


@pytest.fixture
def token(
    start_extension: Callable[..., Extension], issuer: str, options: dict, member: Member, network: LossyNetwork
) -> Iterator[str]:
    """The access token of somebody who has signed in, and has nothing but a refresh token now."""
    first = start_extension()
    answer = first.ask(issuer, "login", person=types(member), options=options)
    first.stop()
    (first.data / "cookies").unlink()
    yield answer.json["access_token"]
    network.lost = None
    network.hangs_up = False


def renew(extension: Extension, issuer: str, options: dict, token: str) -> Answer:
    """The app says that its token is refused, so that the refresh token is exchanged."""
    return extension.ask(issuer, "refresh", options=options | {"access_token": token})


def test_sigkill_between_an_exchange_and_its_answer_loses_no_token(
    start_extension: Callable[..., Extension], issuer: str, options: dict, token: str, network: LossyNetwork
) -> None:
    network.lost = b"grant_type=refresh_token"
    for _ in range(3):
        extension = start_extension()
        extension.begin(issuer, "refresh", options=options | {"access_token": token})
        assert network.lost_answers.get(timeout=30).startswith(b"HTTP/1.1 200 OK")
        extension.kill()
    network.lost = None
    for _ in range(2):
        extension = start_extension()
        answer = renew(extension, issuer, options, token)
        assert is_accepted(issuer, answer)
        token = answer.json["access_token"]
        extension.kill()


def test_an_answer_that_the_network_loses_is_given_again(
    extension: Extension, issuer: str, options: dict, token: str, network: LossyNetwork
) -> None:
    network.lost = b"grant_type=refresh_token"
    network.hangs_up = True
    assert renew(extension, issuer, options, token).kind == "failed"
    assert network.lost_answers.get(timeout=30).startswith(b"HTTP/1.1 200 OK")
    network.lost = None
    answer = renew(extension, issuer, options, token)
    assert is_accepted(issuer, answer)
    assert is_accepted(issuer, renew(extension, issuer, options, answer.json["access_token"]))
