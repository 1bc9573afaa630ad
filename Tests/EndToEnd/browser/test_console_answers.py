"""The pages with which console and portal answer forms, which no link leads to: refusals with a message beside a field, what
would follow, what is done, secrets that are shown once. And the pages of those who are no administrators. Everyone can use them,
as the pages that `test_console_pages` looks at."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin

import pytest
from busy_school import LONG, BusySchool, prepare
from chromium import Chromium
from console import enter, wait_for
from looks import with_axe
from stage import connected_stage, running
from test_console_imports import district, pack, rewrite, upload
from test_console_pages import DEVELOPER, look_at_answer, look_closely, status, visitor
from test_console_settings import tick
from visit import Visit

MANAGER = "/manager"
ALERT = "[role=alert]"


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BusySchool]:
    stage = connected_stage(tmp_path_factory.getbasetemp())
    with running(stage.copy(tmp_path_factory.mktemp("answers") / "demo")) as scene:
        yield prepare(scene)


class Answers:
    """Sends forms, and looks at what comes."""

    def __init__(self, browser: Chromium, base_url: str):
        self.browser = browser
        self.base_url = base_url
        self.problems: list[str] = []

    def open(self, path: str) -> None:
        self.browser.open(urljoin(self.base_url, path))
        assert status(self.browser) == 200, f"{path} is refused: {self.browser.heading}"

    def send(self, form: str = "main form.stack", **fields: str) -> None:
        """Fills the first such form, and presses its button."""
        browser = self.browser
        for name, value in fields.items():
            field = browser.driver.find_element("css selector", f"{form} [name='{name}']")
            # What somebody cannot type into a field, another program may send.
            browser.driver.execute_script(
                "arguments[0].type === 'date' && (arguments[0].type = 'text'); arguments[0].value = arguments[1]", field, value)
        browser.driver.execute_script("for (const form of document.forms) form.noValidate = true")
        browser.leave(browser.driver.find_element("css selector", f"{form} button:not([type=button])").click)

    def is_refused(self) -> None:
        assert status(self.browser) == 422 and self.browser.texts(ALERT), f"no refusal, but {self.browser.text}"
        self.look("refusal")

    def is_done(self) -> None:
        assert "The change is in effect" in self.browser.text, f"not done, but {self.browser.text}"
        self.look("done")

    def asks(self, heading: str) -> None:
        assert self.browser.heading.startswith(heading) and not self.browser.texts(ALERT), f"no question, but {self.browser.text}"
        self.look("question")

    def shows(self, selector: str) -> None:
        assert self.browser.texts(selector) and not self.browser.texts(ALERT), f"nothing is shown, but {self.browser.text}"
        self.look("shown once")

    def is_taken_back(self) -> None:
        self.browser.press("Undo")
        assert self.browser.heading == "Taken back"
        self.look("taken back")

    def look(self, kind: str) -> None:
        name = f"{kind} at “{self.browser.heading[:60]}”, {self.browser.url.removeprefix(self.base_url)}"
        self.problems += [f"{name}: {flaw}" for flaw in look_at_answer(self.browser)]
        self.browser.look(1280, 900)


@pytest.fixture
def answers(browser: Chromium, school: BusySchool) -> Iterator[Answers]:
    """Those that an administrator gets, who is a member of a team too. The test fails with what is wrong with any of them."""
    enter(Visit(browser, school.scene), "administrator")
    answers = Answers(browser, school.scene.base_url)
    with with_axe(browser):
        yield answers
    assert not answers.problems, "\n".join(answers.problems)


def long_person(school: BusySchool) -> str:
    return next(page for page in school.pages if page.startswith(f"{MANAGER}/people/PE-"))


def test_answers_about_people(answers: Answers, school: BusySchool) -> None:
    browser, person = answers.browser, long_person(school)
    answers.open(f"{MANAGER}/people/add")
    answers.send(firstName=LONG, lastName="Answer", userName="no user name")
    answers.is_refused()
    answers.send(firstName=LONG, lastName="Answer", userName="ada.answer@maple.example")
    answers.is_done()
    for action, fields in {
        "rename": {"userName": "not a user name"}, "erase": {"name": "Somebody Else"}, "roles": {"from": "yesterday"},
    }.items():
        answers.open(f"{person}/{action}")
        answers.send(**fields)
        answers.is_refused()
    answers.open(f"{person}/edit")
    answers.send(lastName=f"{LONG[:-1]}x")
    answers.is_done()
    answers.is_taken_back()
    answers.open(f"{person}/edit")
    answers.send(lastName=LONG, version="0")
    assert browser.heading == "Somebody else has changed this"
    answers.look("overtaken")
    answers.open(f"{person}/password")
    answers.send("main form")
    answers.shows(".slip code")

    answers.open(f"{MANAGER}/people?text=hard")
    for box in browser.driver.find_elements("css selector", "tbody input[name=choice]")[:2]:
        box.click()
    browser.press("Sign out everywhere")
    answers.asks("Sign these people out")
    answers.send("main form:has(.send)")
    answers.look("done")


def test_answers_about_classes_and_locations(answers: Answers, school: BusySchool) -> None:
    browser = answers.browser
    answers.open(f"{MANAGER}/classes/add")
    answers.send(name=LONG, students="nobody-of-this-name")
    answers.is_refused()
    answers.send(name=LONG, students="")
    answers.is_done()
    answers.open(f"{MANAGER}/classes/{school.long_class}/archive")
    answers.asks("Archive")
    answers.send("main form:has(.send)")
    answers.is_done()
    answers.is_taken_back()
    answers.open(f"{MANAGER}/classes/terms/add")
    answers.send(name=LONG[:100], firstDay="2040-02-02", lastDay="2040-01-01")
    answers.is_refused()

    answers.open(f"{MANAGER}/locations/add")
    answers.send(name=LONG, timeZone="Atlantis/City")
    answers.is_refused()
    answers.send(name=LONG, timeZone="")
    answers.is_done()
    browser.press("Remove")
    answers.asks("Remove")
    answers.send("main form:has(.send)")
    answers.is_done()
    answers.is_taken_back()


def test_answers_about_imports(answers: Answers, school: BusySchool, tmp_path: Path) -> None:
    browser, base_url, visit = answers.browser, answers.base_url, Visit(answers.browser, school.scene)
    stranger = tmp_path / f"{LONG[:200]}.csv"
    stranger.write_text("a,b\n")
    for page, field, button in (("upload", "files", "Upload and look"), ("ids", "files", "Compare"), ("ids", "map", "Look it through")):
        upload(browser, base_url, stranger, page=f"{MANAGER}/imports/{page}", field=field, button=button)
        answers.is_refused()
    folder = district(visit, tmp_path / "few")
    rewrite(folder / "rosters.csv", lambda rows: rows[: len(rows) // 2])
    upload(browser, base_url, pack(folder))
    wait_for(browser, "What this import would change")
    answers.send("main form[action$=approve]", name="Another District")
    answers.is_refused()
    answers.send("main form[action$=discard]")
    assert browser.heading == "Imports"
    answers.look("discarded")


def test_answers_about_settings(answers: Answers) -> None:
    browser, settings = answers.browser, f"{MANAGER}/settings"
    for page, fields in {
        "user-names": {"userNameFormat": "{first_name}@nowhere@twice"}, "sign-in": {"factorGraceDays": "91"},
        "language": {"termsURL": "javascript:alert(1)"}, "locations": {"locationTimeZone": "Atlantis/City"},
        "imports": {"removedPercent": "101"}, "domains": {"domain": "https://pupils.example/"},
        "close": {"name": "Another District"}, "holds": {"person": "nobody@nowhere.example", "reason": LONG},
        "api-clients/add": {"name": LONG}, "retention/unused-accounts": {"days": "0"},
        "realms": {"realm": "no realm"},
    }.items():
        answers.open(f"{settings}/{page}")
        answers.send(**fields)
        answers.is_refused()
    answers.open(f"{settings}/imports")
    answers.send(removedPercent="9")
    answers.is_done()
    answers.is_taken_back()
    answers.open(f"{settings}/retention/unused-accounts")
    answers.send(days="400")
    answers.asks("Unused accounts")
    answers.open(f"{settings}/roles/instructor")
    tick(browser, "privileges", "passwords.issue")
    answers.send()
    answers.asks("What “Instructor” may do")
    answers.open(f"{settings}/api-clients/add")
    tick(browser, "privileges", "people.read")
    answers.send(name=LONG[:200])
    answers.shows("main pre")


def test_answers_about_apps_and_access(answers: Answers, school: BusySchool) -> None:
    browser = answers.browser
    for topic, verb in {"sign-in": "add", "data-sharing": "remove"}.items():
        answers.open(f"{MANAGER}/access/{topic}")
        mode, = {"all", "listed"} - {browser.driver.find_element("css selector", "[name=mode]:checked").get_attribute("value")}
        tick(browser, "mode", mode)
        answers.send()
        answers.asks("Allow")
        answers.open(f"{MANAGER}/access/{topic}{'/add' if verb == 'add' else ''}")
        browser.leave(browser.driver.find_element("css selector", f"tbody a[href$='/{verb}']").click)
        answers.asks(verb.capitalize())
        answers.send("main form:has(.send)")
        answers.is_done()
        answers.is_taken_back()

    answers.open(f"{MANAGER}/apps")
    browser.leave(browser.driver.find_element("partial link text", "Quizzler").click)
    app = browser.url
    answers.open(f"{app}/sharing")
    tick(browser, "roles", "Student")
    answers.send()
    answers.asks("Change what")
    answers.send("main form:has(.send)")
    answers.is_done()
    answers.is_taken_back()
    answers.open(f"{app}/sharing")
    answers.send("main form[action$=leave-out]", people=f"nobody@nowhere.example\n{LONG}")
    answers.is_refused()
    answers.open(f"{app}/limit")
    answers.send(lastDay="2001-01-01")
    answers.is_refused()
    answers.open(f"{MANAGER}/apps/term")
    tick(browser, "kind", "day")
    answers.send(day="13-99")
    answers.is_refused()


def test_answers_of_the_portal(answers: Answers, school: BusySchool, tmp_path: Path) -> None:
    browser, team = answers.browser, f"/developer/teams/{school.team}"
    app = f"{team}/apps/example.hard0"
    answers.open("/developer/join")
    answers.send(code="nonsense")
    answers.is_refused()
    answers.open(f"{team}/apps/add")
    answers.send(name=LONG, clientIDs="no id", returnURLs="http://nowhere.example/callback", domains="no domain")
    answers.is_refused()
    tick(browser, "scopes", "edu.users.read")
    answers.send(name=LONG, clientIDs="example.answer", returnURLs="https://app.example/callback", domains="app.example")
    answers.asks("Register")
    answers.send("main form:has(.send)")
    answers.is_done()
    for page, fields in {
        f"{app}/edit": {"returnURLs": "nonsense"}, f"{app}/offer": {"team": "nonsense"}, f"{team}/senders": {"sender": "no address"},
        f"{team}/keys": {"name": LONG, "publicKey": "nonsense"},
    }.items():
        answers.open(page)
        answers.send(**fields)
        answers.is_refused()
    script = tmp_path / "script.png"
    script.write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    answers.open(f"{app}/icon")
    browser.driver.find_element("id", "picture").send_keys(str(script))
    answers.send()
    answers.is_refused()
    answers.open(f"{team}/members")
    answers.send("main form[action$=rename]", name="")
    answers.is_refused()
    answers.open(f"{team}/members")
    answers.send("main form[action$=invite]")
    answers.shows("main pre")
    answers.open(f"{app}/clients/example.hard0/secret")
    answers.send("main form:has(.send)")
    answers.shows("main pre")
    answers.open(f"{team}/sandbox")
    answers.send("main form[action$=password]")
    answers.shows("main pre, main dd")


@pytest.mark.parametrize(
    ("role", "place"),
    [("site-manager", "HARD-0"), ("people-manager", None), ("people-manager", "HARD-0"), ("instructor", None), (DEVELOPER, None)])
def test_others_can_use_the_pages_to_which_they_are_led(
    browser: Chromium, school: BusySchool, role: str, place: str | None
) -> None:
    base_url = school.scene.base_url
    cookies = visitor(school, role, place, ".looks").session.cookies
    browser.open(f"{base_url}/sign-in")
    for cookie in cookies:
        browser.driver.add_cookie({"name": cookie.name, "value": cookie.value, "path": cookie.path})
    home = f"{base_url}/{'developer' if role == DEVELOPER else 'manager'}"
    browser.open(home)
    pages = list(dict.fromkeys([home, *browser.links(".side nav a")]))
    assert len(pages) > 1 or role == "instructor"
    # Of each list the first of what it lists, and what can be done with it.
    problems, looked = [], set()
    with with_axe(browser):
        while pages:
            url = pages.pop(0)
            browser.open(url)
            looked.add(url)
            problems += [f"{url.removeprefix(base_url)}: {flaw}" for flaw in look_closely(browser)]
            browser.look(1280, 900)
            if len(looked) < 12:
                further = [*browser.links("main tbody th a")[:1], *browser.links("main .actions a")]
                pages += [each for each in further if each.startswith(home) and each not in looked and each not in pages]
    assert not problems, "\n".join(problems)
