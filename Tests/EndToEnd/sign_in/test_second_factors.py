"""Second factors, shown by programs that are not ours: oathtool makes the codes, python-fido2 writes what a passkey says."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from one_time_codes import WAYS, code, set_up_codes
from plain_browser import Page, PlainBrowser
from processes import free_port
from school import Member, OpenSchool, open_school_in
from sign_in.soft_passkey import SoftPasskey


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenSchool]:
    """Browsers have passkeys for localhost, and not for 127.0.0.1."""
    port = free_port()
    with open_school_in(
            tmp_path_factory.mktemp("factors"), port=port, baseURL=f"http://localhost:{port}") as school:
        yield school


def signed_in(school: OpenSchool, member: Member) -> PlainBrowser:
    browser = PlainBrowser()
    assert browser.sign_in(browser.open(f"{school.base_url}/account"), member.account).heading == "Your account"
    return browser


def after_password(school: OpenSchool, member: Member) -> tuple[PlainBrowser, Page]:
    browser = PlainBrowser()
    return browser, browser.sign_in(browser.open(f"{school.base_url}/account"), member.account)


def test_codes_of_oathtool_sign_in_once_each(school: OpenSchool) -> None:
    member = school.newcomer("managed")
    secret, first, recovery = set_up_codes(school.base_url, signed_in(school, member))
    assert len(recovery) == 10

    browser, page = after_password(school, member)
    assert page.heading == "Show that it is you"
    # The code with which they were set up is spent; the one after it is good already.
    refused = Page(browser.press("Sign in", page, code=first))
    assert refused.status == 422
    following = code(secret, 1)
    entered = browser.press("Sign in", refused, code=f"{following[:3]} {following[3:]}")
    assert browser.follow(entered).heading == "Your account"
    browser, page = after_password(school, member)
    assert Page(browser.press("Sign in", page, code=following)).status == 422
    for attempt, heading in (recovery[0], "Your account"), (recovery[0], "Show that it is you"):
        browser, page = after_password(school, member)
        response = browser.press("Sign in", page, code=attempt)
        shown = browser.follow(response) if response.status_code == 303 else Page(response)
        assert shown.heading == heading


def test_an_administrator_helps_who_has_lost_it_all(school: OpenSchool) -> None:
    member = school.newcomer("managed")
    browser = signed_in(school, member)
    set_up_codes(school.base_url, browser)
    shown = school.school.tool.json("person", "sign-ins", member.account.username)
    assert shown == {"ways": {"passkeys": 0, "oneTimeCodes": True, "recoveryCodes": 10}, "apps": []}
    report = school.school.tool.json("person", "reset-factors", member.account.username)
    assert report["userName"] == member.account.username
    assert browser.open(f"{school.base_url}/account").heading == "Sign in"
    assert after_password(school, member)[1].heading == "Your account"
    problem = school.school.tool.failure("person", "reset-factors", member.account.username)
    assert "signs in with a password alone" in problem


@pytest.mark.parametrize("verifies_person", [True, False])
def test_a_passkey_that_another_program_writes(school: OpenSchool, verifies_person: bool) -> None:
    member = school.newcomer("personal")
    passkey = SoftPasskey(school.base_url, verifies_person)
    browser = signed_in(school, member)
    response = browser.session.get(f"{school.base_url}{WAYS}", timeout=30)
    added = browser.press(
        "Add a passkey", Page(response), **passkey.registration(browser, "Pocket", response.text))
    assert Page(added).heading == "Your recovery codes"

    # After the password a touch is enough.
    browser, page = after_password(school, member)
    entered = browser.press("Use a passkey", page, **passkey.answer(browser))
    assert browser.follow(entered).heading == "Your account"

    # Alone it has to make sure of the person.
    browser = PlainBrowser()
    page = browser.open(f"{school.base_url}/account")
    response = browser.press("Sign in with a passkey", page, **passkey.answer(browser))
    if verifies_person:
        assert browser.follow(response).heading == "Your account"
        # A copy counts on its own, and is noticed.
        passkey.count = 0
    else:
        assert response.status_code == 422
    browser = PlainBrowser()
    page = browser.open(f"{school.base_url}/account")
    refused = browser.press("Sign in with a passkey", page, **passkey.answer(browser))
    assert refused.status_code == 422 and "This passkey could not be used here" in refused.text


def test_an_organization_requires_a_second_factor(school: OpenSchool) -> None:
    member = school.newcomer("managed")
    tool = school.school.tool
    tool.json("person", "role", "add", member.account.username, "administrator")
    try:
        record = tool.json("org", "set", "--second-factor", "administrator", "--second-factor-days", "5")
        assert (record["factorHolders"], record["factorGraceDays"]) == (["administrator"], 5)
        browser, page = after_password(school, member)
        assert page.heading == "Set up a second way to sign in"
        assert browser.open(f"{school.base_url}/account").heading == "Your account"
        tool.json("org", "set", "--second-factor-days", "0")
        browser, page = after_password(school, member)
        assert page.heading == "Set up a second way to sign in"
        assert browser.open(f"{school.base_url}/account").heading == "Sign in"
    finally:
        assert tool.json("org", "set", "--clear", "second-factor")["factorHolders"] == []
    assert after_password(school, member)[1].heading == "Your account"
