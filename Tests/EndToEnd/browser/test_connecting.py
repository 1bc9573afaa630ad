"""The main scene: a school's administrator connects an app of another company."""

import random
import unicodedata

from district import District, DistrictClass, DistrictPerson
from selenium.webdriver import ActionChains
from visit import Visit, plain, words


def test_the_classes_are_shown_after_the_administrator_allows_it(new_visit: Visit) -> None:
    visit, browser, scene = new_visit, new_visit.browser, new_visit.scene
    district = scene.district()
    administrator = scene.account("administrator")

    visit.begin_connecting()
    assert plain(browser.heading) == "Sign in to connect Quizzler"
    visit.sign_in(administrator)

    assert plain(browser.heading) == f"Connect Quizzler to {scene.organization_name}"
    page = plain(browser.text)
    assert "Quizzler Inc. makes Quizzler." in page
    assert browser.texts(".scopes h3") == ["People", "Classes"]
    assert f"{len(district.people):,} people" in page
    assert f"{len(district.classes):,} classes" in page
    assert administrator.name in page
    assert "Administrator" in page
    assert administrator.username in page

    browser.press("Allow")
    assert browser.url.startswith(scene.quizzler_url)
    assert browser.heading == scene.organization_name
    visit.wait_for_classes()

    assert f"{len(district.classes):,} classes, {len(district.people):,} people" in browser.text
    shown = class_links(visit)
    assert len(shown) == len(district.classes)
    for link in random.Random(2022).sample(shown, 6):
        browser.open(link)
        assert shown_class(visit) in {expected_class(district, one) for one in district.classes.values()}


def class_links(visit: Visit) -> list[str]:
    """The links of all classes, from all pages of the list."""
    links = visit.browser.links(".grid .card a")
    while following := visit.browser.links(".paging a[rel=next]"):
        visit.browser.open(following[0])
        links += visit.browser.links(".grid .card a")
    return links


def shown_class(visit: Visit) -> tuple[str, frozenset[tuple[str, ...]], frozenset[tuple[str, ...]]]:
    """The heading of a class page, its teachers and its pupils, each with all that is shown of them."""
    teachers, pupils = visit.browser.driver.execute_script("""
        return Array.from(document.querySelectorAll(".members"), list => Array.from(list.children, item =>
            ["name", "grade", "email"].map(part => item.querySelector("." + part)?.textContent ?? "")))
        """)
    return (
        visit.browser.heading,
        frozenset(tuple(teacher) for teacher in teachers),
        frozenset(tuple(pupil) for pupil in pupils),
    )


def expected_class(
    district: District, one: DistrictClass
) -> tuple[str, frozenset[tuple[str, ...]], frozenset[tuple[str, ...]]]:
    teachers = (district.people[id] for id in one.instructor_ids)
    pupils = (district.people[id] for id in one.student_ids)
    return (
        one.name,
        frozenset((name(person), "", person.email) for person in teachers),
        frozenset(
            (name(person), f"Grade {person.grade}" if person.grade else "", person.email) for person in pupils),
    )


def name(person: DistrictPerson) -> str:
    """As Quizzler writes it: without middle names, and names in Chinese, Japanese or Korean as they are there."""
    names = (person.given_name, person.family_name)
    is_east_asian = all(
        unicodedata.name(letter).startswith(("CJK", "IDEOGRAPHIC", "HIRAGANA", "HANGUL")) for letter in "".join(names))
    return "".join(reversed(names)) if is_east_asian else " ".join(names)


def test_nothing_is_connected_when_the_administrator_does_not_allow_it(visit: Visit) -> None:
    browser, scene = visit.browser, visit.scene
    before = scene.connections()
    visit.go_to_consent_page()
    browser.press("Don’t Allow")

    assert browser.url.startswith(scene.quizzler_url)
    assert browser.heading == "Your school is not connected"
    browser.press("Back to Quizzler")
    assert scene.connections() == before


def test_a_double_click_on_allow_connects_once(visit: Visit) -> None:
    browser, scene = visit.browser, visit.scene
    visit.go_to_consent_page()
    browser.leave(ActionChains(browser.driver).double_click(browser.button("Allow")).perform)

    browser.wait(lambda _: browser.heading == scene.organization_name, "Quizzler is connected")
    assert list(scene.connections()) == [scene.organization_id]


def test_back_and_reload_after_allow_do_no_harm(visit: Visit) -> None:
    browser, scene = visit.browser, visit.scene
    visit.go_to_consent_page()
    browser.press("Allow")
    assert browser.heading == scene.organization_name

    browser.reload()
    assert browser.heading == scene.organization_name

    # The consent page is still in the history, but its request has been answered.
    browser.back()
    assert plain(browser.heading) == f"Connect Quizzler to {scene.organization_name}"
    browser.press("Allow")
    assert browser.heading == words("en", "error.expired")

    # The address that brought the code, once more: the code is used, and so is the trip.
    callback = next(url for url in browser.requests if "/connect/callback?" in url)
    browser.open(callback)
    assert browser.heading == "Let us start again"

    browser.open(scene.quizzler_url)
    browser.press(scene.organization_name)
    visit.wait_for_classes()


def test_a_page_whose_cookie_is_gone_says_so_and_connects_nothing(visit: Visit) -> None:
    browser, scene = visit.browser, visit.scene
    before = scene.connections()
    visit.go_to_consent_page()
    browser.driver.execute_cdp_cmd("Network.clearBrowserCookies", {})
    browser.press("Allow")

    assert browser.heading == words("en", "error.expired")
    assert browser.url.startswith(scene.base_url)
    assert scene.connections() == before
