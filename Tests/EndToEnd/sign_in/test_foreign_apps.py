"""Apps with clients that were written for another service sign each kind of person in."""

import json
import re
from pathlib import Path

import pytest
import requests
from processes import wait_until
from school import Member, OpenSchool, open_school_in
from sign_in.web_app import ALLAUTH, AUTHLIB, KINDS, SOCIAL_AUTH, Kind, Visitor, WebApp, running

PERSONAL_ID = re.compile(r"\d{6}\.[0-9a-f]{32}\.\d{4}")
MANAGED_ID = re.compile(r"\d{6}\.[A-Za-z0-9+/]{40}\.[A-Za-z0-9+/]{4}")


@pytest.fixture(params=["personal", "managed", "managed without e-mail"])
def member(request: pytest.FixtureRequest, open_school: OpenSchool) -> Member:
    return open_school.school.people[request.param]


def test_a_person_signs_in_and_is_known_again(web_app: WebApp, member: Member, open_school: OpenSchool) -> None:
    visitor = Visitor(member)
    page = visitor.begin(web_app)
    assert page.plain_heading == f"Create your {web_app.registration.name} account"
    first = visitor.deliver(visitor.agree(page))

    check_claims(first["claims"], web_app, member, open_school)
    assert first["id"] == first["claims"]["sub"]
    assert shared_name(first, web_app) == (
        (member.given_name, member.family_name) if web_app.kind.asks_for_name else (None, None))
    assert (first["email"] or None) == member.email

    # The browser still knows the person, so one tap is enough. The name is sent only the first time.
    page = visitor.begin(web_app)
    assert page.plain_heading == f"Continue to {web_app.registration.name}"
    second = visitor.deliver(visitor.agree(page))
    assert second["id"] == first["id"]
    assert (second["email"] or None) == member.email
    if web_app.kind is ALLAUTH:
        # It keeps what it got.
        assert shared_name(second, web_app) == (member.given_name, member.family_name)
    else:
        assert shared_name(second, web_app) == (None, None)

    # In another browser the person only has to sign in, because they know the app already.
    third = Visitor(member).sign_in(web_app)
    assert third["id"] == first["id"]


def check_claims(claims: dict, app: WebApp, member: Member, open_school: OpenSchool) -> None:
    """Those of docs/specifications/sign-in.md, 9 that are the person's."""
    assert (MANAGED_ID if member.is_managed else PERSONAL_ID).fullmatch(claims["sub"])
    assert claims["iss"] == open_school.base_url
    assert claims["aud"] == app.registration.client_id
    assert claims["exp"] - claims["iat"] == 86_400
    assert claims["nonce_supported"] is True
    assert claims.get("org_id") == member.organization_id
    assert claims.get("email") == member.email
    # The school's own domain answers for its people; the parent's address was typed in.
    assert claims.get("email_verified") == (None if member.email is None else member.is_managed)
    assert not claims.get("is_private_email")
    # An address on loopback is a native program's, and this is the first token that it gets.
    assert claims.get("real_user_status") == (None if member.is_managed else 1)


def shared_name(answer: dict, app: WebApp) -> tuple[str | None, str | None]:
    """As the app has it: from `user` of its POST, where the client reads that."""
    if "user" not in answer:
        return answer["given_name"], answer["family_name"]
    name = json.loads(answer["user"] or "{}").get("name", {})
    return name.get("firstName"), name.get("lastName")


def test_an_address_in_the_school_s_domain_counts_as_verified_and_one_that_was_typed_in_does_not(
    web_app: WebApp, open_school: OpenSchool
) -> None:
    if web_app.kind is not ALLAUTH:
        pytest.skip("keeps no record of addresses")
    people = open_school.school.people
    assert Visitor(people["personal"]).sign_in(web_app)["verified_addresses"] == []
    assert Visitor(people["managed"]).sign_in(web_app)["verified_addresses"] == [people["managed"].email]


def test_who_presses_cancel_comes_back_to_the_app_signed_out(web_app: WebApp, open_school: OpenSchool) -> None:
    visitor = Visitor(open_school.newcomer())
    page = visitor.cancel(visitor.begin(web_app))
    form = page.form("Continue")
    assert set(form.fields) == {"error", "state"}
    assert form.fields["error"] == "user_cancelled_authorize"

    answer = visitor.deliver(page)
    if web_app.kind is SOCIAL_AUTH:
        # It knows `access_denied` alone as a cancellation.
        assert answer["kind"] == "AuthProviderError"
    elif web_app.kind is ALLAUTH:
        # It knows `access_denied` alone and shows its page for errors.
        assert "Third-Party Login Failure" in answer["page"]
    else:
        assert answer == {"error": "user_cancelled_authorize"}


def test_who_presses_cancel_before_signing_in_does_too(web_app: WebApp, open_school: OpenSchool) -> None:
    visitor = Visitor(open_school.school.people["managed"])
    page = visitor.cancel(visitor.browser.open(web_app.login_url))
    assert page.form("Continue").fields["error"] == "user_cancelled_authorize"


def test_the_app_gets_the_name_as_the_person_wrote_it(web_app: WebApp, open_school: OpenSchool) -> None:
    if not web_app.kind.asks_for_name:
        pytest.skip("asks for no name")
    with_scripts = "<script>alert(1)</script>"
    visitor = Visitor(open_school.newcomer())
    page = visitor.begin(web_app)
    form = page.form("Continue")
    assert (form.fields["given_name"], form.fields["family_name"]) == ("Noor", "de Vries")

    # An empty name is asked for again, and what was written stays.
    page = visitor.agree(page, given_name="", family_name=with_scripts)
    assert page.status == 422
    form = page.form("Continue")
    assert (form.fields["given_name"], form.fields["family_name"]) == ("", with_scripts)

    answer = visitor.deliver(visitor.agree(page, given_name="  Ñoor 花 ", family_name=with_scripts))
    assert shared_name(answer, web_app) == ("Ñoor 花", with_scripts)


def test_what_is_posted_for_a_managed_account_is_not_the_person_s_to_change(
    web_app: WebApp, open_school: OpenSchool
) -> None:
    if not web_app.kind.asks_for_name:
        pytest.skip("asks for no name")
    visitor = Visitor(open_school.newcomer("managed"))
    page = visitor.begin(web_app)
    assert not {"given_name", "family_name", "email_choice"} & set(page.form("Continue").fields)
    answer = visitor.deliver(visitor.agree(page, given_name="The", family_name="Headteacher", email_choice="hide"))
    assert shared_name(answer, web_app) == ("Noor", "de Vries")
    assert answer["email"] == visitor.member.email


def test_who_stopped_using_the_app_starts_as_if_for_the_first_time(open_school: OpenSchool) -> None:
    with running(AUTHLIB, open_school.school, open_school.base_url) as app:
        visitor = Visitor(open_school.newcomer())
        first = visitor.sign_in(app)
        assert shared_name(visitor.sign_in(app), app) == (None, None)
        forgotten = visitor.browser.session.get(app.url + "/forget", timeout=30)
        assert forgotten.json() == {"status": 200, "body": ""}

        page = visitor.begin(app)
        assert page.plain_heading == f"Create your {app.registration.name} account"
        again = visitor.deliver(visitor.agree(page))
        assert again["id"] == first["id"]
        assert shared_name(again, app) == ("Noor", "de Vries")


def test_the_answer_arrives_where_browsers_keep_cookies_out_of_the_post(open_school: OpenSchool) -> None:
    with running(ALLAUTH, open_school.school, open_school.base_url) as app:
        visitor = Visitor(open_school.newcomer())
        answer = visitor.deliver(visitor.agree(visitor.begin(app)), without_cookies=True)
        assert answer["email"] == visitor.member.email
        assert shared_name(answer, app) == ("Noor", "de Vries")


def test_a_client_that_knows_the_former_key_finds_the_new_one(open_school: OpenSchool) -> None:
    tool = open_school.school.tool
    with running(AUTHLIB, open_school.school, open_school.base_url) as app:
        visitor = Visitor(open_school.school.people["managed"])
        before = visitor.sign_in(app)
        published = key_ids(open_school.base_url)
        tool.json("signing-key", "rotate", "--now")
        # A server that runs looks at the keys every few seconds (the former ones are gone too).
        wait_until(lambda: not key_ids(open_school.base_url) & published, 30, "only the new key is published")
        after = Visitor(visitor.member).sign_in(app)
        assert after["id"] == before["id"]


def key_ids(base_url: str) -> set[str]:
    return {key["kid"] for key in requests.get(f"{base_url}/auth/keys", timeout=60).json()["keys"]}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.file.removesuffix(".py"))
def test_flags_may_be_text_as_they_were_once(
    kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANYARD_FLAGS_AS_TEXT", "true")
    with open_school_in(tmp_path) as school, running(kind, school.school, school.base_url) as app:
        told = {kind: Visitor(member).sign_in(app) for kind, member in school.school.people.items()}
    assert {kind: answer["claims"].get("email_verified") for kind, answer in told.items()} == {
        "personal": "false", "managed": "true", "managed without e-mail": None}
    if kind is ALLAUTH:
        assert {kind: answer["verified_addresses"] for kind, answer in told.items()} == {
            "personal": [], "managed": ["ana.ruiz@maple.example"], "managed without e-mail": []}
