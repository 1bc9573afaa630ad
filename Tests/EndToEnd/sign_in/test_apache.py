"""A certified relying party on the standard profile: no line of it knows Lanyard."""

from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
from plain_browser import Page, PlainBrowser
from processes import wait_until
from school import Member, OpenSchool
from sign_in.apache import apache


@pytest.fixture(scope="module")
def site(open_school: OpenSchool) -> Iterator[str]:
    with apache(open_school.school, open_school.base_url) as url:
        yield url


@pytest.fixture(params=["personal", "managed", "managed without e-mail"])
def member(request: pytest.FixtureRequest, open_school: OpenSchool) -> Member:
    return open_school.school.people[request.param]


def enter(browser: PlainBrowser, site: str, member: Member) -> Page:
    """To the part of the site that is for members."""
    page = browser.open(f"{site}/members/")
    if page.heading.startswith("Sign in to"):
        page = browser.sign_in(page, member.account)
    if page.url.startswith(site):
        return page
    choice = {} if member.is_managed else {"email_choice": "share"}
    return browser.follow(browser.press("Continue", page, **choice))


def test_the_members_page_knows_the_name(site: str, member: Member, open_school: OpenSchool) -> None:
    browser = PlainBrowser()
    page = enter(browser, site, member)
    assert page.url == f"{site}/members/"
    assert page.heading == f"Hello {member.account.name}"
    shown = browser.session.get(page.url, timeout=60).text
    assert f"<p>{member.email or '(none)'}</p>" in shown
    assert f"<p>{member.organization_id or '(none)'}</p>" in shown


def test_the_request_is_protected_with_pkce(site: str) -> None:
    response = PlainBrowser().session.get(f"{site}/members/", allow_redirects=False, timeout=60)
    query = parse_qs(urlsplit(response.headers["Location"]).query)
    assert query["code_challenge_method"] == ["S256"]
    assert query["response_type"] == ["code"]
    assert query["scope"] == ["openid profile email organization"]


def test_signing_out_of_the_site_signs_out_here_too(site: str, member: Member, open_school: OpenSchool) -> None:
    browser = PlainBrowser()
    enter(browser, site, member)
    assert browser.open(f"{open_school.base_url}/account").heading == "Your account"

    page = browser.open(f"{site}/members/callback?logout={site}/")
    assert (page.url, page.heading) == (f"{site}/", "For everybody")
    assert browser.open(open_school.base_url).heading == "Sign in"
    assert browser.open(f"{site}/members/").plain_heading.startswith("Sign in to Intranet")


def wait_until_signed_out(browser: PlainBrowser, site: str) -> None:
    """The server tells the site within a second or so."""
    wait_until(
        lambda: not browser.open(f"{site}/members/").heading.startswith("Hello"), 20,
        "the site has heard that the person has signed out", pause=0.1)


def test_signing_out_here_signs_out_of_the_site_too(site: str, member: Member, open_school: OpenSchool) -> None:
    browser, elsewhere = PlainBrowser(), PlainBrowser()
    enter(browser, site, member)
    enter(elsewhere, site, member)
    browser.press("Sign out", browser.open(f"{open_school.base_url}/account"))
    wait_until_signed_out(browser, site)
    # Another browser is another session.
    assert elsewhere.open(f"{site}/members/").heading.startswith("Hello")


def test_who_is_deactivated_is_signed_out_of_the_site(site: str, open_school: OpenSchool) -> None:
    browser, member = PlainBrowser(), open_school.newcomer("managed")
    enter(browser, site, member)
    open_school.school.tool.json("person", "deactivate", member.account.username)
    wait_until_signed_out(browser, site)


def test_a_session_of_the_site_that_is_over_costs_no_click(site: str, member: Member) -> None:
    browser = PlainBrowser()
    enter(browser, site, member)
    for name in [cookie.name for cookie in browser.session.cookies if cookie.name.startswith("session-")]:
        browser.session.cookies.set(name, None)
    assert browser.open(f"{site}/members/").heading == f"Hello {member.account.name}"


def test_who_presses_cancel_does_not_get_in(site: str, open_school: OpenSchool) -> None:
    browser = PlainBrowser()
    page = browser.open(f"{site}/members/")
    response = browser.press(page.way_back, page)
    answer = parse_qs(urlsplit(response.headers["Location"]).query)
    assert set(answer) == {"error", "state", "iss"}
    assert answer["error"] == ["access_denied"]
    assert answer["iss"] == [f"{open_school.base_url}/oidc"]
    # Debian's version of the module knows no `iss` in errors (RFC 9207) and calls this another error than it is.
    assert "<title>Error</title>" in browser.session.get(response.headers["Location"], timeout=60).text
    assert browser.open(f"{site}/members/").heading.startswith("Sign in to")
