"""SAML in the web: the extension signs in with the identity provider, and the service provider gets the form."""

import base64
import zlib
from collections.abc import Iterator
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
import requests
from plain_browser import Form, Page
from single_sign_on.openid.extension import NOT_INTERACTIVE, Answer, Extension
from single_sign_on.openid.saml.federation import Federation, federation


@pytest.fixture(scope="module")
def saml(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Federation]:
    with federation(tmp_path_factory.mktemp("saml")) as pair:
        yield pair


def ana(form: dict) -> dict[str, str]:
    return {"User": "ana", "Password": "correct-horse-7"}


def form_of(answer: Answer, url: str) -> Form:
    reply = requests.Response()
    reply._content, reply.url, reply.status_code = answer.body.encode(), url, 200
    form, = Page(reply).forms
    return form


def sign_in_address(browser: requests.Session, saml: Federation) -> str:
    """Where the service provider sends a visitor."""
    url = f"{saml.site}/members/"
    while url.startswith(saml.site):
        url = browser.get(url, allow_redirects=False, timeout=60).headers["Location"]
    assert url.startswith(f"{saml.identity_provider}/sso?SAMLRequest=")
    return url


def visit(extension: Extension, saml: Federation, person=None) -> tuple[Answer, str]:
    """As a browser with the extension: to the members' page, whose sign-in the extension takes."""
    browser = requests.Session()
    start = sign_in_address(browser, saml)
    answer = extension.ask(start, person=person, data={"identityProviderHosts": [saml.sign_in_host]})
    if answer.kind != "response":
        return answer, ""
    form = form_of(answer, start)
    assert form.action == f"{saml.site}/mellon/postResponse"
    # As the browser's side does it: from a page without an origin.
    page = browser.post(form.action, data=form.fields, headers={"Origin": "null"}, timeout=60)
    return answer, page.text


def test_a_service_provider_of_saml_lets_the_person_in(extension: Extension, saml: Federation) -> None:
    answer, page = visit(extension, saml, ana)
    assert "Hello Ana Ruiz" in page
    assert [form["title"] for form in answer.forms] == ["Sign in to Acme"]
    answer, page = visit(extension, saml)
    assert "Hello Ana Ruiz" in page


def test_the_form_is_small(extension: Extension, saml: Federation) -> None:
    answer, _ = visit(extension, saml, ana)
    assert (answer.status, len(answer.body) < 20_000) == (200, True)
    assert dict(answer.response["headers"])["Content-Type"] == "text/html; charset=utf-8"


def test_the_way_goes_on_after_a_wrong_password(extension: Extension, saml: Federation) -> None:
    passwords = iter(["wrong", "correct-horse-7"])
    answer, page = visit(extension, saml, lambda form: ana(form) | {"Password": next(passwords)})
    assert [form.get("problem") for form in answer.forms] == [None, "Wrong user name or password"]
    assert "Hello Ana Ruiz" in page


def test_nobody_is_asked_where_nothing_may_be_shown(extension: Extension, saml: Federation) -> None:
    answer, _ = visit(extension, saml)
    assert answer.error["code"] == NOT_INTERACTIVE


def test_links_of_a_federation_are_followed_only_where_the_profile_says_so(
    extension: Extension, saml: Federation
) -> None:
    answer = extension.ask(sign_in_address(requests.Session(), saml), person=ana)
    assert answer.location.startswith(f"http://{saml.sign_in_host}/sign-in?")
    assert answer.forms == []


def test_a_request_that_is_posted_is_carried_on(extension: Extension, saml: Federation) -> None:
    """The POST binding, as a browser hands it over: the address and the body."""
    visit(extension, saml, ana)
    redirected = dict(parse_qsl(urlsplit(sign_in_address(requests.Session(), saml)).query))
    message = zlib.decompress(base64.b64decode(redirected["SAMLRequest"]), -15)
    body = urlencode({"SAMLRequest": base64.b64encode(message).decode(), "RelayState": redirected["RelayState"]})
    answer = extension.ask(
        f"{saml.identity_provider}/sso", headers={"Content-Type": "application/x-www-form-urlencoded"},
        body=body.encode())
    form = form_of(answer, saml.identity_provider)
    assert form.action == f"{saml.site}/mellon/postResponse"
    assert form.fields["RelayState"] == redirected["RelayState"]
