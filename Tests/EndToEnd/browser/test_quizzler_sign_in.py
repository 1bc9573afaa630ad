"""People sign in to Quizzler, each kind of them, and see what is theirs and nothing else."""

import json
from collections.abc import Callable, Iterator
from urllib.parse import quote

import pytest
from chromium import Chromium
from district import District, DistrictClass
from lanyard_tool import Tool
from looks import problems
from scene import Account, Scene
from stage import connected_stage
from test_connecting import expected_class, name, shown_class
from visit import Visit, plain, words


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """A demo with Quizzler connected, in which everybody may sign in."""
    base = tmp_path_factory.getbasetemp()
    scene = connected_stage(base).copy(tmp_path_factory.mktemp("sign-in") / "demo")
    try:
        yield scene.start()
    finally:
        scene.stop()


@pytest.fixture
def at_school(browser: Chromium, school: Scene) -> Visit:
    return Visit(browser, school)


def classes_of(scene: Scene, account: Account) -> list[DistrictClass]:
    """Those in which the person teaches or learns, as the files of the school have them."""
    district = scene.district()
    [id] = [
        id for id, person in district.people.items() if f"{person.given_name} {person.family_name}" == account.name]
    return [one for one in district.classes.values() if id in one.instructor_ids | one.student_ids]


def facts(visit: Visit) -> dict[str, str]:
    browser = visit.browser
    return dict(zip(browser.texts(".facts dt"), map(plain, browser.texts(".facts dd")), strict=True))


def open_own(visit: Visit, path: str) -> str:
    """The heading of a page of Quizzler's."""
    visit.browser.open(visit.scene.quizzler_url + path)
    return visit.browser.heading


def test_a_parent_is_greeted_and_practises_without_a_school(at_school: Visit) -> None:
    visit, browser = at_school, at_school.browser
    visit.continue_with_lanyard(visit.scene.account("parent"))
    assert plain(browser.heading) == "Hello, Nadia"
    shown = facts(visit)
    assert (shown["Name"], shown["Account"]) == ("Nadia Haddad", "Personal account")
    # Her own address, or the one that hides it.
    assert "@" in shown["Email"]
    assert visit.scene.organization_name not in browser.text

    browser.press("Take the practice quiz")
    for choice in browser.driver.find_elements("css selector", "input[type=radio][value='1']"):
        choice.click()
    browser.press("See how well you did")
    assert browser.heading == "1 of 3 are right"
    browser.press("Your page")
    assert "Your best so far: 1 of 3." in browser.text

    assert open_own(visit, f"/organizations/{visit.scene.organization_id}") == "There is nothing here"


def test_a_parent_hides_the_address_in_the_demo_too(new_visit: Visit) -> None:
    visit, browser = new_visit, new_visit.browser
    visit.continue_with_lanyard(visit.scene.account("parent"), email_choice="hide")
    hidden = facts(visit)["Email"].split()[0]
    assert hidden.endswith("@relay.maple.example")
    browser.open(f"{visit.scene.base_url}/account")
    # In parts that are folded. In the source, the address has places where it may break.
    assert hidden in browser.texts("details bdi")
    assert "For Quizzler Inc." in browser.driver.page_source


def test_a_teacher_finds_the_own_classes_by_the_roster_s_id(at_school: Visit) -> None:
    visit, browser, scene = at_school, at_school.browser, at_school.scene
    teacher = scene.account("instructor")
    visit.continue_with_lanyard(teacher)
    assert plain(browser.heading) == "Hello, Ana"
    assert facts(visit) == {
        "Name": teacher.name, "Account": f"Teacher · {scene.organization_name}", "Email": teacher.email}
    expected = classes_of(scene, teacher)
    assert sorted(browser.texts(".card h2")) == sorted(one.name for one in expected)

    # The subject of the identity token is the id of the person in the Roster API.
    roster = json.loads(scene.quizzler_file.read_text())["connections"][scene.organization_id]["roster"]
    [roster_id] = [id for id, person in roster["people"].items() if person.get("email") == teacher.email]
    assert roster_id in json.loads(scene.quizzler_people_file.read_text())

    for link in browser.links(".card a"):
        browser.open(link)
        assert shown_class(visit) in {expected_class(scene.district(), one) for one in expected}
        browser.press("Your page")
    assert open_own(visit, f"/organizations/{scene.organization_id}") == "There is nothing here"


def test_a_pupil_without_e_mail_sees_classmates_first_names(at_school: Visit) -> None:
    visit, browser, scene = at_school, at_school.browser, at_school.scene
    pupil = scene.account("student")
    assert pupil.email is None
    visit.continue_with_lanyard(pupil)
    assert plain(browser.heading) == "Hello, Fatima"
    assert facts(visit) == {"Name": "Fatima Silva", "Account": f"Pupil · {scene.organization_name}"}
    own = classes_of(scene, pupil)
    assert sorted(browser.texts(".card h2")) == sorted(one.name for one in own)

    district = scene.district()
    for link in browser.links(".card a"):
        browser.open(link)
        assert shown_class(visit) in {as_classmates_see_it(district, one) for one in own}

    # The pages of others, by their addresses.
    roster = json.loads(scene.quizzler_file.read_text())["connections"][scene.organization_id]["roster"]
    people = json.loads(scene.quizzler_people_file.read_text())
    [fatima] = [id for id in people if roster["people"].get(id, {}).get("familyName") == "Silva"
                and roster["people"][id]["givenName"] == "Fatima"]
    others = [id for id, one in roster["classes"].items() if fatima not in one["pupilIDs"]]
    organization = f"/organizations/{scene.organization_id}"
    for path in ["", "/disconnect", *(f"/classes/{quote(id, safe='')}" for id in others[:3])]:
        assert open_own(visit, organization + path) == "There is nothing here"


def as_classmates_see_it(
    district: District, one: DistrictClass
) -> tuple[str, frozenset[tuple[str, ...]], frozenset[tuple[str, ...]]]:
    return (
        one.name,
        frozenset((name(district.people[id]), "", "") for id in one.instructor_ids),
        frozenset((district.people[id].given_name, "", "") for id in one.student_ids),
    )


def test_signing_out_leaves_nothing_on_a_shared_computer(at_school: Visit) -> None:
    visit, browser, scene = at_school, at_school.browser, at_school.scene
    visit.continue_with_lanyard(scene.account("instructor"))
    link = browser.links(".card a")[0]
    browser.press("Sign out")
    assert browser.heading == "Quizzes that already know your class"
    browser.open(link)
    assert browser.heading == "Who is there?"

    # At Lanyard the teacher is still signed in: one press, and the page that was asked for.
    browser.press("Continue with Lanyard")
    visit.go_on_to_quizzler()
    assert browser.url == link
    # The name came the first time only.
    browser.press("Your page")
    assert facts(visit)["Name"] == "Ana Ruiz"


def test_who_does_not_want_to_sign_in_is_back_at_quizzler(at_school: Visit) -> None:
    browser = at_school.browser
    browser.open(at_school.scene.quizzler_url)
    browser.press("Continue with Lanyard")
    browser.press("Back to Quizzler")
    at_school.go_on_to_quizzler()
    assert browser.heading == "Quizzes that already know your class"


def test_a_school_that_keeps_quizzler_out_signs_its_people_out(connected_visit: Visit) -> None:
    visit, browser, scene = connected_visit, connected_visit.browser, connected_visit.scene
    visit.continue_with_lanyard(scene.account("parent"))
    browser.press("Sign out")
    browser.driver.execute_cdp_cmd("Network.clearBrowserCookies", {})
    visit.continue_with_lanyard(scene.account("instructor"))
    assert "Ruiz" in scene.quizzler_people_file.read_text()

    Tool(scene.folder).json("access", "mode", "allow-only-listed-apps", "--for", "sign-in", "--yes")

    def is_signed_out(_) -> bool:
        browser.reload()
        return browser.heading == "Quizzes that already know your class"

    browser.wait(is_signed_out, "the session at Quizzler has ended", timeout=20)
    kept = scene.quizzler_people_file.read_text()
    assert "Ruiz" not in kept
    assert "Haddad" in kept

    browser.press("Continue with Lanyard")
    assert plain(browser.heading) == plain(
        words("en", "blocked.heading", organization=scene.organization_name, app="Quizzler"))


def test_people_of_a_school_that_is_not_connected_are_told_so(new_visit: Visit) -> None:
    visit, browser = new_visit, new_visit.browser
    visit.continue_with_lanyard(visit.scene.account("instructor"))
    assert plain(browser.heading) == "Hello, Ana"
    assert "is not connected to Quizzler yet" in browser.text
    assert browser.texts(".card") == []


# How the pages look.


def as_(role: str) -> Callable[[Visit], None]:
    return lambda visit: visit.continue_with_lanyard(visit.scene.account(role))


def class_as(role: str) -> Callable[[Visit], None]:
    def go(visit: Visit) -> None:
        as_(role)(visit)
        visit.browser.open(visit.browser.links(".card a")[0])

    return go


def practice(visit: Visit) -> None:
    as_("parent")(visit)
    visit.browser.press("Take the practice quiz")
    visit.browser.driver.find_element("css selector", "input[type=radio]").click()


def who_is_there(visit: Visit) -> None:
    visit.browser.open(f"{visit.scene.quizzler_url}/organizations/{visit.scene.organization_id}")


PAGES = {
    "quizzler_parent": as_("parent"),
    "quizzler_teacher": as_("instructor"),
    "quizzler_pupil": as_("student"),
    "quizzler_staff": as_("administrator"),
    "quizzler_class_of_teacher": class_as("instructor"),
    "quizzler_class_of_pupil": class_as("student"),
    "quizzler_practice": practice,
    "quizzler_who_is_there": who_is_there,
}


@pytest.mark.parametrize(("page", "go"), PAGES.items(), ids=PAGES)
def test_the_page_fits_and_everyone_can_use_it(at_school: Visit, page: str, go: Callable[[Visit], None]) -> None:
    go(at_school)
    assert problems(at_school.browser, page) == []


def test_the_page_of_a_school_that_is_not_connected_fits(new_visit: Visit) -> None:
    as_("instructor")(new_visit)
    assert problems(new_visit.browser, "quizzler_not_connected") == []
