"""Requests of the web: one prompt, then silence. docs/specifications/extensible-single-sign-on.md, 16."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
import requests
from plain_browser import Page
from school import Member, OpenSchool
from sign_in.apache import apache
from single_sign_on.openid.person import types
from single_sign_on.openid.extension import NOT_INTERACTIVE, Answer, Extension

RETURN_URL = "https://menu.burgers.example/callback"
CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"


@pytest.fixture(scope="module")
def client(open_school: OpenSchool) -> str:
    name = "com.example.burgers"
    open_school.school.register("Burgers", name, "--return-url", RETURN_URL)
    return name


@pytest.fixture(scope="module")
def other_client(open_school: OpenSchool) -> str:
    name = "com.example.tacos"
    open_school.school.register("Tacos", name, "--return-url", RETURN_URL)
    return name


def address(school: OpenSchool, client: str, **further: str) -> str:
    return f"{school.base_url}/oidc/authorize?" + urlencode({
        "client_id": client, "redirect_uri": RETURN_URL, "response_type": "code", "scope": "openid profile",
        "state": "of-the-app", "nonce": "n", "code_challenge": CHALLENGE, "code_challenge_method": "S256"} | further)


def is_signed_in(answer: Answer) -> bool:
    return answer.location.startswith(f"{RETURN_URL}?code=") and not answer.forms


def test_one_prompt_and_then_the_provider_answers(
    extension: Extension, open_school: OpenSchool, client: str, member: Member
) -> None:
    answer = extension.ask(address(open_school, client), person=types(member))
    assert answer.location.startswith(f"{RETURN_URL}?")
    assert parse_qs(urlsplit(answer.location).query)["state"] == ["of-the-app"]
    # Signing in, and agreeing to what this app gets.
    assert [form["fields"] != [] for form in answer.forms] == [True, False]
    assert answer.forms[0]["title"].startswith("Sign in")
    assert is_signed_in(extension.ask(address(open_school, client)))


def test_another_app_is_not_asked_for_the_password_again(
    extension: Extension, open_school: OpenSchool, client: str, other_client: str, member: Member
) -> None:
    extension.ask(address(open_school, client), person=types(member), caller="org.example.browser")
    answer = extension.ask(
        address(open_school, other_client), person=types(member), caller="org.example.other-browser")
    assert [form["title"] for form in answer.forms] != []
    assert not any(field["kind"] == "password" for form in answer.forms for field in form["fields"])


def test_headers_of_the_caller_reach_the_provider(
    extension: Extension, open_school: OpenSchool, client: str, member: Member
) -> None:
    """The page speaks the language of the caller."""
    answer = extension.ask(
        address(open_school, client), person=lambda form: None, headers={"Accept-Language": "ja"})
    assert answer.kind == "canceled"
    assert "サインイン" in answer.forms[0]["title"]


def test_the_answer_has_the_origin_of_the_request(
    extension: Extension, open_school: OpenSchool, client: str, member: Member
) -> None:
    url = address(open_school, client)
    assert extension.ask(url, person=types(member)).response["url"] == url


def test_a_form_that_posts_itself_is_handed_back_small(
    extension: Extension, open_school: OpenSchool, client: str, member: Member
) -> None:
    url = address(open_school, client, response_mode="form_post")
    for person in (types(member), None):
        answer = extension.ask(url, person=person)
        assert answer.status == 200
        assert len(answer.body) < 2000
        reply = requests.Response()
        reply._content, reply.url, reply.status_code = answer.body.encode(), RETURN_URL, 200
        form, = Page(reply).forms
        assert form.action == RETURN_URL
        assert set(form.fields) == {"code", "state", "iss"}
        assert form.fields["state"] == "of-the-app"


def test_a_wrong_password_is_asked_for_again_with_the_pages_words(
    extension: Extension, open_school: OpenSchool, client: str, member: Member
) -> None:
    passwords = iter(["wrong", member.account.password])

    def person(form: dict) -> dict[str, str]:
        typed = types(member)(form)
        return typed and typed | {"Password": next(passwords)}

    answer = extension.ask(address(open_school, client), person=person)
    assert answer.location.startswith(f"{RETURN_URL}?code=")
    assert [form.get("problem") is not None for form in answer.forms] == [False, True, False]


def test_the_profile_fills_in_the_user_name(
    extension: Extension, open_school: OpenSchool, client: str, member: Member
) -> None:
    answer = extension.ask(
        address(open_school, client), person=lambda form: None, data={"username": member.account.username})
    assert answer.forms[0]["fields"][0]["value"] == member.account.username


def test_where_nothing_may_be_shown_nobody_is_asked(
    extension: Extension, open_school: OpenSchool, client: str
) -> None:
    assert extension.ask(address(open_school, client)).error["code"] == NOT_INTERACTIVE


def test_who_cancels_is_not_asked_again(extension: Extension, open_school: OpenSchool, client: str) -> None:
    answer = extension.ask(address(open_school, client), person=lambda form: None)
    assert (answer.kind, len(answer.forms)) == ("canceled", 1)


def test_a_canceled_request_gets_no_answer_and_harms_no_other(
    extension: Extension, open_school: OpenSchool, client: str, member: Member
) -> None:
    number = extension.begin(address(open_school, client), isUserInterfaceEnabled=True)
    assert "presentForm" in extension.report(number)
    extension.cancel(number)
    assert extension.ask(address(open_school, client), person=types(member)).status == 302
    assert extension._queues[number].empty()


@pytest.mark.parametrize("path", ["/", "/no-such-page", "/healthz"])
def test_what_is_no_form_is_left_to_the_browser(extension: Extension, open_school: OpenSchool, path: str) -> None:
    """The person's own page of the provider asks for a sign-in; others lead nowhere."""
    answer = extension.ask(f"{open_school.base_url}{path}", person=lambda form: None)
    assert answer.kind == ("canceled" if path == "/" else "doNotHandle")


def test_a_provider_that_does_not_answer_is_a_failure_with_its_name(extension: Extension) -> None:
    assert "127.0.0.1:9 does not answer" in extension.ask("http://127.0.0.1:9/authorize").error["message"]


def test_addresses_without_tls_are_left_alone(extension: Extension) -> None:
    assert extension.ask("http://provider.example/authorize").kind == "doNotHandle"


@pytest.mark.parametrize("data", [
    {"identityProviderHosts": "login.acme.test"}, {"identityProviderHosts": ["https://login.acme.test/"]},
    {"username": ""}, {"dpop": "yes"}, {"clientAuthentication": "magic"}, {"issuer": "http://id.acme.test"},
    {"clientAuthentication": "client_secret_basic"}, {"certificateAuthorities": ["none"]},
])
def test_a_mistake_in_the_profile_is_named(extension: Extension, open_school: OpenSchool, data: dict) -> None:
    message = extension.ask(open_school.base_url, data=data).error["message"]
    assert message.startswith("ExtensionData.")


def test_the_session_is_on_the_disk_before_the_answer(
    start_extension: Callable[..., Extension], open_school: OpenSchool, client: str, member: Member
) -> None:
    first = start_extension()
    first.ask(address(open_school, client), person=types(member))
    first.kill()
    second = start_extension()
    assert is_signed_in(second.ask(address(open_school, client)))
    second.stop()
    assert is_signed_in(start_extension().ask(address(open_school, client)))


def test_nothing_is_readable_on_the_disk(
    extension: Extension, open_school: OpenSchool, client: str, member: Member
) -> None:
    extension.ask(address(open_school, client), person=types(member))
    files = [path for path in extension.data.rglob("*") if path.is_file()]
    assert "cookies" in [path.name for path in files]
    for path in files:
        assert path.stat().st_mode & 0o077 == 0, path
        assert b"127.0.0.1" not in path.read_bytes() and b"session" not in path.read_bytes()
    # Said plainly, for there is no keyring here.
    assert "no Secret Service is open here" in extension.log.read_text()


def test_many_at_once(extension: Extension, open_school: OpenSchool, client: str, member: Member) -> None:
    extension.ask(address(open_school, client), person=types(member))
    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(
            lambda number: extension.ask(address(open_school, client), caller=f"org.example.app{number}"), range(60)))
    assert all(is_signed_in(answer) for answer in answers)


def test_a_certified_relying_party_lets_the_person_in(
    extension: Extension, open_school: OpenSchool, member: Member
) -> None:
    """Apache with mod_auth_openidc; the browser follows what the extension hands back."""
    with apache(open_school.school, open_school.base_url) as site:
        for person in (types(member), None):
            browser = requests.Session()
            start = browser.get(f"{site}/members/", allow_redirects=False, timeout=60).headers["Location"]
            answer = extension.ask(start, person=person)
            page = browser.get(answer.location, timeout=60)
            assert f"<h1>Hello {member.account.name}</h1>" in page.text
