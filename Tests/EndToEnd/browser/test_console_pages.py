"""Every page of the console and of the developer portal, in a school in which everything is under way, with names that are
hard to show: it fits, everyone can use it, a screen reader gets what it needs, it is light, and no link leads to a refusal.
Pages of one kind, such as those of two people, are looked at once, and each is opened once for all that is asked of it."""

import html
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin

import pytest
from busy_school import NAMES, BusySchool, begin_work, in_school, prepare
from chromium import Chromium
from console import enter
from lanyard_tool import Tool
from looks import OF_THE_LOOK, complaints, with_axe
from page_routes import Routes, console_routes, portal_routes
from plain_browser import PlainBrowser
from stage import connected_stage, running
from tree import Node, flaws, tree
from visit import Visit

# Links at which a file is made, or which leave the console.
DOWNLOADS = re.compile(r"\.(csv|json|pdf|zip|html|mobileconfig|tsr|jsonl)(\?|$)|/(csv|json|html|download|file)(\?|$)")

# Pages to which no link of the console leads, or which cannot be opened by themselves.
NO_PAGES = {
    "/manager/find": "it answers the search field with JSON",
    "/manager/people/{person}/data/html": "a file",
    "/manager/people/{person}/data/csv": "a file",
    "/manager/people/{person}/data/json": "a file",
    "/manager/imports/jobs/{job}/defects.csv": "a file",
    "/manager/imports/{import}/defects.csv": "a file",
    "/manager/imports/ids/{job}/map.csv": "a file",
    "/manager/imports/pick-ups/{pickUp}/defects.csv": "a file",
    "/manager/devices/profile/file": "a file",
    "/manager/people/{person}/reset-factors": "nobody here has a passkey or codes; tests of factors open it",
    "/developer/return": "the answer to a trial, which a test of the portal plays",
    "/developer/teams/{team}/apps/{app}/try/request": "the request of a trial, which a test of the portal plays",
}

SMALL_TARGETS = """
    return Array.from(document.querySelectorAll("main a, main button, nav a"))
        .filter(e => e.checkVisibility() && e.getBoundingClientRect().height < 24)
        .map(e => e.outerHTML.slice(0, 300))
"""

# Running text whose lines are so long that the eye loses the way back, with the number of characters. How many stand in a line
# is known from its share of the width of all.
LONG_LINES = """
    const found = []
    const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const text = node.textContent.trim()
        const characters = [...new Intl.Segmenter().segment(text)].length
        if (characters <= 95 || node.parentElement.closest("pre, table, .verbatim, noscript")) continue
        const range = document.createRange()
        range.selectNodeContents(node)
        const lines = new Map()
        for (const box of range.getClientRects()) lines.set(box.top, (lines.get(box.top) ?? 0) + box.width)
        const widths = [...lines.values()]
        const most = Math.round(characters * Math.max(...widths) / widths.reduce((sum, each) => sum + each, 0))
        if (most > 95) found.push(`${most} characters: ${[...text].slice(0, 60).join("")}`)
    }
    return found
"""

# What pages say in words of their own, and not in those of files and of the trail, and their language.
READ = """
    const done = arguments[1]
    const read = async (url) => {
        const page = new DOMParser().parseFromString(await (await fetch(url)).text(), "text/html")
        for (const each of page.querySelectorAll(".verbatim, script")) each.remove()
        return [page.documentElement.lang, page.body.textContent]
    }
    Promise.all(arguments[0].map(read)).then(done, (error) => done(String(error)))
"""

WEIGHT = """
    return performance.getEntriesByType("resource").filter(each => !each.name.includes("/find"))
        .reduce((sum, each) => sum + each.decodedBodySize, performance.getEntriesByType("navigation")[0].decodedBodySize)
"""


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BusySchool]:
    folder = tmp_path_factory.mktemp("busy")
    stage = connected_stage(tmp_path_factory.getbasetemp())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LANYARD_PICK_UP_FOLDER", str(folder / "drop"))
        with running(stage.copy(folder / "demo")) as scene:
            yield prepare(scene)


@pytest.fixture
def visit(browser: Chromium, school: BusySchool) -> Visit:
    return Visit(browser, school.scene)


def status(browser: Chromium) -> int:
    return browser.driver.execute_script("return performance.getEntriesByType('navigation')[0].responseStatus")


def walk(browser: Chromium, base: str, routes: Routes, first: list[str], section: str) -> Iterator[str]:
    """Opens the first pages, and then one page of each kind to which links lead. It gives the kind of the page that the
    browser shows; whoever walks may look at it, and leaves it there."""
    found = set()
    waiting = [base + path if path.startswith("/") else path for path in first]
    certain = len(waiting)
    while waiting:
        url = waiting.pop(0)
        kind = routes.kind(url)
        certain -= 1
        if certain < 0 and kind in found:
            continue
        browser.open(url)
        found.add(kind)
        found.add(routes.kind(browser.url))
        links = [urljoin(url, link).split("#")[0] for link in browser.links("a[href]")]
        yield routes.kind(browser.url)
        known = found | {routes.kind(each) for each in waiting}
        for link in links:
            if link.startswith(f"{base}{section}") and not DOWNLOADS.search(link) and routes.kind(link) not in known:
                known.add(routes.kind(link))
                waiting.append(link)


def glance(browser: Chromium) -> Iterator[str]:
    """Whether the page that the browser shows is none."""
    if status(browser) != 200:
        yield f"is refused with {status(browser)}: {browser.heading}"


def look_closely(browser: Chromium) -> Iterator[str]:
    """What is wrong with the page that the browser shows, on a desk, on a wide one, and in a hand."""
    yield from glance(browser)
    yield from look_at_answer(browser)


def look_at_answer(browser: Chromium) -> Iterator[str]:
    """The same of a page that may be a refusal."""
    browser.look(1280, 900, "light")
    yield from flaws(tree(browser))
    if (weight := browser.driver.execute_script(WEIGHT)) > 100_000:
        yield f"weighs {weight} bytes"
    if browser.overflows:
        yield "is wider than a desk"
    yield from complaints(browser)
    # Where tables have the least room: before their rows become boxes, and beside the sidebar.
    for width in (860, 1200):
        browser.look(width, 800)
        if browser.overflows:
            yield f"is wider than a window of {width} pixels"
    browser.look(1920, 1080)
    for long in browser.driver.execute_script(LONG_LINES):
        yield f"has a line that is too long to read in a wide window: {long}"
    browser.look(360, 780, "dark")
    if browser.overflows:
        yield "is wider than a phone"
    for small in browser.driver.execute_script(SMALL_TARGETS):
        yield f"is too small for a finger: {small}"
    yield from complaints(browser, OF_THE_LOOK)


def look_in_other_languages(browser: Chromium, pages: dict[str, str]) -> Iterator[str]:
    for language in ("ja", "ko"):
        browser.driver.add_cookie({"name": "lanyard-language", "value": language})
        read = browser.driver.execute_async_script(READ, list(pages.values()))
        assert isinstance(read, list), read
        for kind, (spoken, text) in zip(pages, read, strict=True):
            if spoken != language:
                yield f"{kind}: is in {spoken}, not {language}"
            if found := re.search(r"\b(console|audit|portal)[A-Z]?\w*\.\w+|\{\w+\}", text):
                yield f"{kind} {language}: {found.group()} is no sentence"
    # Korean does not break its words.
    browser.look(320, 640, "light")
    for kind, url in one_of_each_route(pages).items():
        browser.open(url)
        if browser.overflows:
            yield f"{kind}: is wider than a narrow window in Korean"


def one_of_each_route(pages: dict[str, str]) -> dict[str, str]:
    """The first page of each route, whatever its query."""
    first: dict[str, str] = {}
    for kind, url in pages.items():
        first.setdefault(kind.split("?")[0], url)
    return first


def look_at_all(browser: Chromium, base: str, routes: Routes, first: list[str], section: str) -> list[str]:
    """All that is wrong with the pages of a section, and which of its routes were not met."""
    problems, pages = [], {}
    with with_axe(browser):
        for number, kind in enumerate(walk(browser, base, routes, first, section)):
            # The same list, narrowed in another way, only has to be there.
            is_new = number < len(first) or kind.split("?")[0] not in one_of_each_route(pages)
            pages.setdefault(kind, browser.url)
            problems += [f"{kind}: {flaw}" for flaw in (look_closely if is_new else glance)(browser)]
    problems += look_in_other_languages(browser, pages)
    met = one_of_each_route(pages).keys()
    problems += [f"{route}: no link led there" for route in sorted(routes.paths - met - NO_PAGES.keys())]
    problems += [f"{route}: no such page is listed" for route in met - routes.paths]
    problems += [f"{route}: is a page after all" for route in sorted(met & NO_PAGES.keys())]
    return list(dict.fromkeys(problems))


def test_everyone_can_use_every_page_of_the_console(visit: Visit, school: BusySchool, tmp_path: Path) -> None:
    browser = begin_work(visit, school, tmp_path)
    found = look_at_all(browser, visit.scene.base_url, console_routes(), [*school.pages, "/manager"], "/manager")
    assert not found, "\n".join(found)


def test_everyone_can_use_every_page_of_the_portal(visit: Visit, school: BusySchool) -> None:
    browser = enter(visit, "administrator", "/developer")
    team = f"/developer/teams/{school.team}"
    found = look_at_all(
        browser, visit.scene.base_url, portal_routes(),
        [f"{team}/apps", f"{team}/apps/example.hard0", f"{team}/apps/example.hard2", "/developer"], "/developer")
    assert not found, "\n".join(found)


ROLES = (
    "administrator", "site-manager", "people-manager", "device-enrollment-manager", "content-manager", "manager",
    "instructor", "staff", "student")
# Roles that are held at one place too.
OF_PLACES = {"site-manager", "people-manager", "device-enrollment-manager", "manager", "instructor", "staff", "student"}
DEVELOPER = "developer"
LINK = re.compile(r'<a\b[^>]*?\bhref="([^"]*)"')
# How many links to pages of one kind are followed from one page: the first persons of a list, and not all of them.
ALIKE = 3


def visitor(school: BusySchool, role: str, place: str | None, change: str = "") -> PlainBrowser:
    """Somebody new with that role, or a member of the busy team without any, who is signed in."""
    do = in_school(school.scene)
    user_name = f"walker.{role}.{'one' if place else 'all'}{change}@{'mail' if role == DEVELOPER else 'maple'}.example"
    if role == DEVELOPER:
        tool = Tool(school.scene.folder)
        tool.json("person", "add", "--personal", "--first-name", "Wes", "--last-name", "Walker", "--user-name", user_name)
        password = tool.json("person", "password", user_name)["password"]
        tool.json("app", "team", "add-member", school.team, user_name)
    else:
        do("person", "add", "--first-name", "Wes", "--last-name", "Walker", "--user-name", user_name, "--role", role,
           *(("--at", place) if place else ()))
        password = do("person", "password", user_name)["password"]
        if role == "instructor":
            do("class", "edit", school.long_class, "--instructor", user_name)
    browser = PlainBrowser()
    sent = browser.press("Sign in", browser.open(f"{school.scene.base_url}/sign-in"), username=user_name, password=password)
    browser.follow(browser.press("Save and continue", browser.follow(sent), new_password="correct-horse-7"))
    return browser


@pytest.mark.parametrize(
    ("role", "place"),
    [(role, None) for role in (*ROLES, DEVELOPER)] + [(role, "HARD-0") for role in ROLES if role in OF_PLACES])
def test_no_link_leads_to_a_refusal(school: BusySchool, role: str, place: str | None) -> None:
    refused = refusals(school, visitor(school, role, place))
    assert not refused, "\n".join(refused)


# All that the school can take from a role, or give it besides.
@pytest.mark.parametrize(
    ("role", "place", "change"),
    [("site-manager", None, "take"), ("people-manager", None, "take"), ("people-manager", None, "give"),
     ("manager", None, "give"), ("manager", "HARD-0", "give"), ("instructor", None, "take")])
def test_no_link_leads_to_a_refusal_where_the_role_was_changed(
    school: BusySchool, role: str, place: str | None, change: str
) -> None:
    do, browser = in_school(school.scene), visitor(school, role, place, change)
    record, = (one for one in do("org", "role", "list")["roles"] if one["role"] == role.replace("-", "_"))
    changed = [
        privilege for privilege in record["optional"] if (privilege in record["privileges"]) == (change == "take")]
    assert changed

    def change_role(option: str) -> None:
        do("org", "role", "set", role, *(part for privilege in changed for part in (f"--{option}", privilege)))

    change_role(change)
    try:
        refused = refusals(school, browser)
    finally:
        change_role("give" if change == "take" else "take")
    assert not refused, "\n".join(refused)


def refusals(school: BusySchool, browser: PlainBrowser) -> list[str]:
    """The links that lead somebody to a refusal, with the pages on which they stand."""
    base = school.scene.base_url
    routes = Routes(console_routes().paths | portal_routes().paths)
    waiting = {f"{base}{path}": "the beginning" for path in ("/account", "/developer", "/manager")}
    seen, expanded, refused = set(waiting), set(), []
    while waiting:
        url = next(iter(waiting))
        source = waiting.pop(url)
        answer = browser.session.get(url, timeout=60)
        if answer.status_code >= 400 and source != "the beginning":
            refused.append(f"{answer.status_code} {url} from {source}")
        kind = routes.kind(answer.url)
        if not answer.headers["Content-Type"].startswith("text/html") or kind in expanded or answer.status_code >= 400:
            continue
        expanded.add(kind)
        alike: Counter[str] = Counter()
        for link in LINK.findall(answer.text):
            target = urljoin(answer.url, html.unescape(link)).split("#")[0]
            alike[routes.kind(target)] += 1
            if target.startswith(f"{base}/") and target not in seen and alike[routes.kind(target)] <= ALIKE:
                seen.add(target)
                waiting[target] = answer.url
    return refused


def said(page: Node, *roles: str) -> str:
    return " ".join(node.text for node in page.with_role(*roles))


def test_a_hard_name_of_the_organization_fits_at_the_desk(visit: Visit, school: BusySchool) -> None:
    do = in_school(school.scene)
    browser = enter(visit, "administrator")
    name = do("org", "show")["name"]
    try:
        for hard in NAMES.values():
            do("org", "set", "--name", hard)
            for path in ("/manager", "/manager/settings"):
                browser.open(visit.scene.base_url + path)
                for width in (360, 860, 1200):
                    browser.look(width, 800)
                    assert not browser.overflows, (hard, path, width)
                assert not list(flaws(tree(browser))), (hard, path)
    finally:
        do("org", "set", "--name", name)


def test_what_came_of_a_form_is_said_at_once(visit: Visit) -> None:
    base = visit.scene.base_url
    browser = enter(visit, "administrator", "/manager/people/add")
    browser.fill("firstName", "Ada")
    browser.fill("lastName", "Spoken")
    browser.fill("userName", "no user name")
    browser.press("Add")
    page = tree(browser)
    wrong = [node for node in page.with_role("textbox") if node.properties.get("invalid") == "true"]
    assert said(page, "alert") and not flaws(page)
    assert all(node.description for node in wrong)
    browser.fill("userName", "ada.spoken@maple.example")
    browser.press("Add")
    page = tree(browser)
    assert "The change is in effect" in said(page, "status") and not flaws(page)

    browser.open(f"{base}/developer/join")
    browser.fill("code", "nonsense")
    browser.press("Join a team")
    page = tree(browser)
    assert said(page, "alert") and not flaws(page)
