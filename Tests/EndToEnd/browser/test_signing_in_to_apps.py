"""People sign in to another company's app, in each of the three languages."""

import json
import secrets
import time
from collections.abc import Callable, Iterator

import pytest
import requests
from app_visit import LANGUAGES, AppVisit
from chromium import Chromium
from joserfc import jwt
from joserfc.jwk import ECKey
from looks import LOOKS, problems
from school import OpenSchool, open_school_in
from sign_in.web_app import AUTHLIB, WebApp, running
from visit import plain


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenSchool]:
    """With an administrator whom people can ask."""
    with open_school_in(tmp_path_factory.mktemp("apps")) as school:
        school.school.add(
            school.base_url, "managed", "Priya Raman", "priya.raman@maple.example", "--role", "administrator")
        yield school


@pytest.fixture(scope="module")
def app(school: OpenSchool) -> Iterator[WebApp]:
    with running(AUTHLIB, school.school, school.base_url) as app:
        yield app


@pytest.fixture(params=LANGUAGES)
def visit(request: pytest.FixtureRequest, browser: Chromium, app: WebApp, school: OpenSchool) -> AppVisit:
    return AppVisit(browser, app, school, request.param)


@pytest.fixture
def only_listed_apps(school: OpenSchool) -> Iterator[None]:
    """The school allows only apps on its list, on which there are none."""
    tool = school.school.tool
    tool.json("access", "mode", "allow-only-listed-apps", "--for", "sign-in", "--yes")
    try:
        yield
    finally:
        tool.json("access", "mode", "allow-all-apps", "--for", "sign-in")


def test_a_parent_edits_the_name_and_is_welcomed_on_return(visit: AppVisit) -> None:
    browser, parent = visit.browser, visit.school.newcomer()
    visit.begin()
    assert plain(browser.heading) == plain(visit.words("signIn.headingForApp", app=visit.app_name))
    visit.sign_in(parent)

    assert plain(browser.heading) == plain(visit.words("creation.heading", app=visit.app_name))
    assert visit.fields >= {"given_name", "family_name"}
    browser.fill("given_name", "Noortje")
    visit.share()
    answer = visit.leave_for_app("form.continue")
    assert json.loads(answer["user"]) == {
        "name": {"firstName": "Noortje", "lastName": "de Vries"}, "email": parent.email}
    # The operator typed it in.
    assert answer["claims"]["email_verified"] is False

    browser.open(visit.app.login_url)
    assert plain(browser.heading) == plain(visit.words("welcome.heading", app=visit.app_name))
    assert {name: plain(text) for name, text in visit.shared.items()} == {
        visit.words("shared.name"): "Noortje de Vries", visit.words("shared.email"): parent.email}
    again = visit.leave_for_app("form.continue")
    assert (again["id"], again["user"]) == (answer["id"], None)


def test_a_name_that_was_emptied_is_asked_for_in_place(visit: AppVisit) -> None:
    browser = visit.browser
    visit.go(visit.school.newcomer())
    browser.fill("given_name", "")
    visit.share()
    press_unchecked(visit)
    assert visit.words("form.givenNameMissing") in browser.text
    focused = browser.driver.switch_to.active_element
    assert (focused.get_attribute("name"), focused.get_attribute("value")) == ("given_name", "")
    browser.fill("given_name", "Noor")
    visit.share()
    assert json.loads(visit.leave_for_app("form.continue")["user"])["name"]["firstName"] == "Noor"


def press_unchecked(visit: AppVisit) -> None:
    """Continue, without the browser's own help: what the server says is looked at."""
    visit.browser.driver.execute_script(
        "document.querySelectorAll('main form').forEach(form => form.noValidate = true)")
    visit.press("form.continue")


def test_a_teacher_sees_whose_account_it_is_and_has_nothing_to_edit(visit: AppVisit) -> None:
    browser, teacher = visit.browser, visit.school.newcomer("managed")
    visit.go(teacher)
    assert plain(browser.heading) == plain(visit.words("creation.heading", app=visit.app_name))
    assert visit.words("welcome.atWorkAndSchool") in browser.text
    assert plain(visit.words("welcome.belongs", organization="Maple School")) in plain(browser.text)
    assert visit.fields == set()
    assert visit.shared == {
        visit.words("shared.name"): teacher.account.name, visit.words("shared.email"): teacher.email}
    answer = visit.leave_for_app("form.continue")
    assert answer["claims"]["org_id"] == teacher.organization_id
    # In the school's own domain.
    assert answer["claims"]["email_verified"] is True


def test_a_pupil_without_email_sees_the_name_alone(visit: AppVisit) -> None:
    visit.go(visit.school.newcomer("managed without e-mail"))
    assert visit.shared == {visit.words("shared.name"): "Noor de Vries"}
    answer = visit.leave_for_app("form.continue")
    assert json.loads(answer["user"]) == {"name": {"firstName": "Noor", "lastName": "de Vries"}}
    assert answer["email"] is None


def test_the_school_keeps_an_app_out_and_says_whom_to_ask(visit: AppVisit, only_listed_apps: None) -> None:
    browser = visit.browser
    visit.go(visit.school.school.people["managed"])
    heading = visit.words("blocked.heading", organization="Maple School", app=visit.app_name)
    assert plain(browser.heading) == plain(heading)
    assert "Priya Raman" in browser.text
    assert browser.links("main a[href^=mailto]") == ["mailto:priya.raman@maple.example"]
    answer = visit.leave_for_app("notShared.back", app=visit.app_name)
    assert answer == {"error": "user_cancelled_authorize"}


def test_the_school_s_list_is_not_for_personal_accounts(visit: AppVisit, only_listed_apps: None) -> None:
    visit.go(visit.school.newcomer())
    assert plain(visit.browser.heading) == plain(visit.words("creation.heading", app=visit.app_name))


def test_cancel_leads_back_to_the_app(visit: AppVisit) -> None:
    visit.go(visit.school.newcomer())
    assert visit.leave_for_app("form.cancel") == {"error": "user_cancelled_authorize"}


def test_the_way_back_is_open_before_signing_in(visit: AppVisit) -> None:
    visit.begin()
    assert visit.leave_for_app("notShared.back", app=visit.app_name) == {"error": "user_cancelled_authorize"}


def test_another_account_can_be_used_instead(visit: AppVisit) -> None:
    visit.go(visit.school.newcomer())
    visit.press("consent.notYou")
    assert plain(visit.browser.heading) == plain(visit.words("signIn.headingForApp", app=visit.app_name))
    pupil = visit.school.newcomer("managed without e-mail")
    visit.sign_in(pupil)
    assert visit.leave_for_app("form.continue")["claims"]["org_id"] == pupil.organization_id


# How the pages look.


def creation_of(kind: str):
    def go(visit: AppVisit) -> None:
        visit.go(visit.school.newcomer(kind))

    return go


def creation_with_problems(visit: AppVisit) -> None:
    visit.go(visit.school.newcomer())
    for field in ("given_name", "family_name"):
        visit.browser.fill(field, "")
    press_unchecked(visit)
    assert visit.browser.texts(".problem")


def welcome_of(kind: str):
    def go(visit: AppVisit) -> None:
        visit.go(visit.school.newcomer(kind))
        visit.share()
        visit.leave_for_app("form.continue")
        visit.browser.open(visit.app.login_url)

    return go


def blocked(visit: AppVisit) -> None:
    visit.go(visit.school.school.people["managed"])


def device_code(visit: AppVisit) -> None:
    visit.browser.open(begin_device(visit)["verification_uri"])
    choose_language(visit)


def device_code_unknown(visit: AppVisit) -> None:
    device_code(visit)
    visit.browser.fill("user_code", "BCDF-GHJK")
    visit.press("form.continue")


def device_approval(visit: AppVisit) -> None:
    visit.browser.open(begin_device(visit)["verification_uri_complete"])
    choose_language(visit)
    visit.press("form.continue")
    visit.sign_in(visit.school.school.people["managed"])


def device_done(visit: AppVisit) -> None:
    device_approval(visit)
    visit.press("form.continue")


def sign_out(visit: AppVisit) -> None:
    device_approval(visit)
    visit.browser.open(f"{visit.school.base_url}/oidc/logout?client_id={visit.app.registration.client_id}")


def begin_device(visit: AppVisit) -> dict:
    """As a television does, of the app's own makers."""
    app = visit.app.registration
    now = int(time.time())
    assertion = jwt.encode(
        {"alg": "ES256", "kid": app.key_id},
        {
            "iss": app.client_id, "sub": app.client_id, "aud": f"{visit.school.base_url}/oidc/token", "iat": now,
            "exp": now + 60, "jti": secrets.token_hex(16),
        },
        ECKey.import_key(app.key_pem))
    answer = requests.post(
        f"{visit.school.base_url}/oidc/device_authorization", timeout=60,
        data={
            "client_id": app.client_id, "scope": "openid profile email", "client_assertion": assertion,
            "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        })
    assert answer.status_code == 200, answer.text
    return answer.json()


def choose_language(visit: AppVisit) -> None:
    if visit.browser.language != visit.language:
        visit.browser.press(LANGUAGES[visit.language])


PAGES = {
    "app_sign_in": AppVisit.begin,
    "creation_personal": creation_of("personal"),
    "creation_managed": creation_of("managed"),
    "creation_without_email": creation_of("managed without e-mail"),
    "creation_with_problems": creation_with_problems,
    "welcome_personal": welcome_of("personal"),
    "welcome_managed": welcome_of("managed"),
    "welcome_without_email": welcome_of("managed without e-mail"),
    "device_code": device_code,
    "device_code_unknown": device_code_unknown,
    "device_approval": device_approval,
    "device_done": device_done,
    "sign_out": sign_out,
}


@pytest.mark.parametrize(("name", "go"), PAGES.items(), ids=PAGES)
def test_the_page_fits_and_everyone_can_use_it(visit: AppVisit, name: str, go: Callable[[AppVisit], None]) -> None:
    look_at(visit, name, go)


def test_the_blocked_page_fits_and_everyone_can_use_it(visit: AppVisit, only_listed_apps: None) -> None:
    look_at(visit, "blocked", blocked)


def look_at(visit: AppVisit, name: str, go: Callable[[AppVisit], None]) -> None:
    go(visit)
    assert visit.browser.language == visit.language
    # All looks in one language; what other words do to a page shows where there is least room.
    looks = LOOKS if visit.language == "en" else ("phone-dark",)
    assert problems(visit.browser, f"{name}_{visit.language}", looks) == []
