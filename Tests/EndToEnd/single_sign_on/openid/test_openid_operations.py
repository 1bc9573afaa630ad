"""What apps ask for: login, refresh and logout with a real provider.

docs/specifications/extensible-single-sign-on.md, 13 and 17."""

import base64
import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests
from school import Member, OpenSchool
from single_sign_on.openid.person import types
from single_sign_on.openid.extension import NOT_INTERACTIVE, Answer, Extension


def claims(answer: Answer) -> dict:
    payload = answer.json["id_token"].split(".")[1]
    return json.loads(base64.urlsafe_b64decode(payload + "=="))


def is_accepted(issuer: str, answer: Answer) -> bool:
    token = answer.json["access_token"]
    return requests.get(f"{issuer}/userinfo", headers={"Authorization": f"Bearer {token}"}, timeout=60).ok


def test_login_asks_once_and_gives_tokens(
    extension: Extension, issuer: str, menu: str, options: dict, member: Member
) -> None:
    answer = extension.ask(issuer, "login", person=types(member), options=options | {"nonce": "of-the-app-too"})
    assert len(answer.forms) == 2
    assert answer.status == 200
    assert set(answer.json) == {"access_token", "token_type", "id_token", "scope", "state", "expires_in"}
    assert answer.json["state"] == "of-the-app"
    assert claims(answer)["aud"] == menu
    assert claims(answer)["nonce"] == "of-the-app-too"
    assert is_accepted(issuer, answer)


def test_the_refresh_token_stays_inside(
    extension: Extension, issuer: str, options: dict, member: Member
) -> None:
    answer = extension.ask(issuer, "login", person=types(member), options=options)
    assert "refresh" not in json.dumps(answer.json)
    assert "refresh_token" not in json.dumps(answer.content)


def test_login_after_the_web_asks_nothing(
    extension: Extension, issuer: str, options: dict, member: Member
) -> None:
    extension.ask(issuer, "login", person=types(member), options=options, caller="org.example.first")
    answer = extension.ask(issuer, "login", person=types(member), options=options, caller="org.example.second")
    assert (answer.status, answer.forms) == (200, [])


def test_refresh_gives_what_was_saved(
    start_extension: Callable[..., Extension], issuer: str, options: dict, member: Member
) -> None:
    first = start_extension()
    token = first.ask(issuer, "login", person=types(member), options=options).json["access_token"]
    first.kill()
    again = start_extension().ask(issuer, "refresh", options=options)
    assert again.json["access_token"] == token
    assert again.json["state"] == "of-the-app"


def test_refresh_is_silent_where_nobody_has_signed_in(
    extension: Extension, issuer: str, options: dict
) -> None:
    shown: list[dict] = []
    answer = extension.ask(issuer, "refresh", person=shown.append, options=options)
    assert answer.error["code"] == NOT_INTERACTIVE
    assert shown == []


def test_refresh_uses_the_web_session_where_nothing_is_saved(
    extension: Extension, issuer: str, options: dict, member: Member
) -> None:
    extension.ask(issuer, "login", person=types(member), options=options, caller="org.example.first")
    answer = extension.ask(issuer, "refresh", options=options, caller="org.example.second")
    assert is_accepted(issuer, answer)


def test_tokens_of_one_caller_are_not_anothers(
    extension: Extension, issuer: str, options: dict, member: Member
) -> None:
    first = extension.ask(issuer, "login", person=types(member), options=options, caller="org.example.first")
    second = extension.ask(issuer, "refresh", options=options, caller="org.example.second")
    assert first.json["access_token"] != second.json["access_token"]
    saved = [path for path in extension.data.rglob("tokens")]
    assert len(saved) == 2
    # A file that is moved to another place cannot be read there.
    saved[0].write_bytes(saved[1].read_bytes())
    callers = ["org.example.first", "org.example.second"]
    tokens = {extension.ask(issuer, "refresh", options=options, caller=caller).json["access_token"]
              for caller in callers}
    assert len(tokens) == 2


def test_a_new_token_comes_of_the_refresh_token(
    start_extension: Callable[..., Extension], issuer: str, options: dict, member: Member
) -> None:
    """The web session is gone, and the app says that its token was refused."""
    first = start_extension()
    token = first.ask(issuer, "login", person=types(member), options=options).json["access_token"]
    first.stop()
    (first.data / "cookies").unlink()
    for _ in range(2):
        # Each time with the refresh token that the last answer brought.
        extension = start_extension()
        answer = extension.ask(issuer, "refresh", options=options | {"access_token": token})
        assert is_accepted(issuer, answer)
        token = answer.json["access_token"]
        extension.kill()
    other = start_extension().ask(issuer, "refresh", options=options | {"scope": "openid profile"})
    assert other.error["code"] == NOT_INTERACTIVE


def test_sigkill_at_any_moment_while_tokens_are_renewed_asks_nobody(
    start_extension: Callable[..., Extension], issuer: str, options: dict, member: Member
) -> None:
    """What it had saved is whole; where the provider has given tokens that were not saved, it gives others. There is no web
    session to fall back to."""
    first = start_extension()
    token = first.ask(issuer, "login", person=types(member), options=options).json["access_token"]
    first.kill()
    (first.data / "cookies").unlink()
    begun = time.monotonic()
    extension = start_extension()
    token = extension.ask(issuer, "refresh", options=options | {"access_token": token}).json["access_token"]
    whole = time.monotonic() - begun
    extension.kill()
    for moment in range(20):
        extension = start_extension()
        extension.begin(issuer, "refresh", options=options | {"access_token": token})
        # From before it has asked the provider to after it has answered.
        time.sleep(whole * moment / 16)
        extension.kill()
        again = start_extension()
        answer = again.ask(issuer, "refresh", options=options)
        if not is_accepted(issuer, answer):
            # The provider has replaced the token. The app passes it as refused, as it would with any refused token.
            answer = again.ask(issuer, "refresh", options=options | {"access_token": answer.json["access_token"]})
        assert is_accepted(issuer, answer), (moment, answer)
        token = answer.json["access_token"]
        assert "damaged" not in again.log.read_text()
        again.kill()


def test_identical_refreshes_are_made_once(
    extension: Extension, issuer: str, options: dict, member: Member
) -> None:
    extension.ask(issuer, "login", person=types(member), options=options, caller="org.example.first")
    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(
            lambda _: extension.ask(issuer, "refresh", options=options, caller="org.example.second"), range(30)))
    assert len({answer.json["access_token"] for answer in answers}) == 1


def test_logout_forgets_and_revokes(
    extension: Extension, issuer: str, options: dict, member: Member
) -> None:
    before = extension.ask(issuer, "login", person=types(member), options=options)
    assert extension.ask(issuer, "logout", options=options).kind == "empty"
    assert not is_accepted(issuer, before)
    assert extension.ask(issuer, "refresh", options=options).error["code"] == NOT_INTERACTIVE


def test_the_profile_goes_and_everything_with_it(
    start_extension: Callable[..., Extension], issuer: str, options: dict, member: Member
) -> None:
    first = start_extension()
    for caller in ("org.example.first", "org.example.second"):
        first.ask(issuer, "login", person=types(member), options=options, caller=caller)
    assert first.ask(issuer, "configurationRemoved", caller="lanyard-broker").kind == "empty"
    first.stop()
    second = start_extension()
    for caller in ("org.example.first", "org.example.second"):
        assert second.ask(issuer, "refresh", options=options, caller=caller).error["code"] == NOT_INTERACTIVE


def test_an_app_has_to_say_who_it_is(extension: Extension, issuer: str) -> None:
    assert "client_id" in extension.ask(issuer, "login", person=lambda form: {}).error["message"]


def test_an_issuer_that_is_none_is_named(extension: Extension, open_school: OpenSchool, options: dict) -> None:
    answer = extension.ask(f"{open_school.base_url}/nothing", "refresh", options=options)
    assert "publishes no description of itself" in answer.error["message"]


@pytest.mark.parametrize(("wrong", "heading"), [
    ({"redirect_uri": "https://menu.burgers.example/other"}, "This app is not set up correctly"),
    ({"client_id": "com.example.nobody"}, "The app that sent you here is not known")])
def test_what_the_provider_finds_wrong_with_the_request_is_told_and_no_browser_opens(
    extension: Extension, issuer: str, options: dict, wrong: dict, heading: str
) -> None:
    wanted = options | wrong
    for operation in ["login", "refresh"]:
        answer = extension.ask(issuer, operation, person=lambda form: {}, options=wanted)
        assert (answer.forms, answer.pages) == ([], [])
        assert f"shows “{heading}” (status 400)" in answer.error["message"]
        assert f"the client_id “{wanted['client_id']}” with the redirect_uri “{wanted['redirect_uri']}”" in (
            answer.error["message"])


def test_unknown_operations_are_not_handled(extension: Extension, issuer: str) -> None:
    assert extension.ask(issuer, "make-coffee").kind == "doNotHandle"
