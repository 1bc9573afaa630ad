"""The teacher's desk: passwords of the own pupils, on slips and in a sheet; nothing of other classes, and no other page."""

import csv
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from busy_school import in_school
from command_line.test_passwords import pages_of
from console import enter, shoot
from page_routes import console_routes
from plain_browser import PlainBrowser
from spoken import Spoken
from test_console_imports import signed_in
from test_journey import saved
from visit import Visit

# What the desk of a teacher is made of: the own classes and pupils. Whether others stand there too is tested below.
DESK = {"/manager", "/manager/find", "/manager/classes", "/manager/people", "/manager/people/passwords"}


@dataclass(frozen=True)
class Classes:
    """A class of the teacher's with pupils, and one at another school, with one of its pupils."""

    own: dict
    other: dict
    stranger: dict


@pytest.fixture
def classes(visit: Visit) -> Classes:
    scene = visit.scene
    ask = in_school(scene)
    own = ask("class", "list", "--person", scene.account("instructor").username)["classes"]
    schools = {one["location"] for one in own}
    elsewhere = next(one for one in ask("org", "location", "list")["locations"] if one["name"] not in schools)
    other = ask("class", "list", "--at", elsewhere["name"])["classes"][0]
    pupils = ask("person", "list", "--class", other["classID"], "--role", "student")["people"]
    return Classes(own[0], other, pupils[0])


@pytest.mark.parametrize("language", ["en", "ja", "ko"])
def test_a_teacher_prints_the_slips_of_a_class_and_fetches_the_sheet(
    visit: Visit, classes: Classes, downloads: Path, language: str
) -> None:
    own = classes.own
    browser = enter(visit, "instructor")
    spoken = Spoken(browser, language)
    spoken.choose_language()
    assert spoken.has_heading("My classes")
    shoot(browser, f"teacher-{language}")
    browser.leave(browser.driver.find_element(
        "css selector", f"tbody a[href*='passwords'][href*='CL-{own['number']}']").click)
    browser.driver.find_element("css selector", "input[name=who][value=all]").click()
    spoken.press("See how many")
    browser.leave(browser.driver.find_element("css selector", ".send button").click)
    spoken.wait_for("Fetch the passwords", timeout=120)
    shoot(browser, f"teacher-passwords-{language}")
    spoken.button("Save the file").click()
    slips = "".join(pages_of(saved(downloads, "passwords.pdf")))
    browser.driver.find_element("css selector", "input[name=file][value=csv]").click()
    spoken.button("Save the file").click()
    with saved(downloads, "passwords.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == own["students"]
    for row in rows:
        # What stands between them is in the language of the school, which other tests change.
        slip = rf"{re.escape(row['User name'])}[^\d@]+{row['Temporary password']}"
        assert len(re.findall(slip, slips)) == 1, (row, slips)
    # They are what opens the accounts.
    base_url, first = visit.scene.base_url, rows[0]
    pupil = PlainBrowser()
    answer = pupil.press(
        "Sign in", pupil.open(f"{base_url}/sign-in"), username=first["User name"],
        password=first["Temporary password"])
    assert answer.status_code == 303 and pupil.follow(answer).form("Save and continue")
    spoken.press("Delete them here")
    assert spoken.has_heading("These passwords are not kept any more")


def test_pupils_of_other_classes_are_refused(visit: Visit, classes: Classes) -> None:
    base_url, teacher = visit.scene.base_url, signed_in(visit, "instructor")
    other, stranger = f"CL-{classes.other['number']}", classes.stranger
    passwords = f"{base_url}/manager/people/passwords"
    page = teacher.open(f"{passwords}?class=CL-{classes.own['number']}&look=yes&who=all")
    fields = next(form.fields for form in page.forms if form.fields.get("class"))
    token = {"csrf_token": fields["csrf_token"], "version": "", "confirmed": "yes"}
    state = in_school(visit.scene)("person", "list", "--class", classes.other["classID"])
    for path in ("", "?look=yes&who=all"):
        address = f"/manager/classes/{other}" if not path else f"/manager/people/passwords{path}&class={other}"
        assert teacher.session.get(f"{base_url}{address}", timeout=30).status_code == 403, address
    answer = teacher.session.post(passwords, data=fields | {"class": other}, timeout=30, allow_redirects=False)
    assert answer.status_code == 403
    for action in ("password", "sign-out", "unlock"):
        address = f"{base_url}/manager/people/PE-{stranger['number']}/{action}"
        assert teacher.session.post(address, data=token, timeout=30, allow_redirects=False).status_code == 403, action
    assert in_school(visit.scene)("person", "list", "--class", classes.other["classID"]) == state
    found = teacher.session.get(f"{base_url}/manager/people?text={stranger['userName']}", timeout=30)
    assert found.status_code == 200 and stranger["lastName"] not in found.text
    assert stranger["lastName"] in signed_in(visit, "administrator").session.get(found.url, timeout=30).text


def test_every_other_page_of_the_console_is_refused(visit: Visit, classes: Classes) -> None:
    base_url = visit.scene.base_url
    teacher, administrator = signed_in(visit, "instructor"), signed_in(visit, "administrator")
    subjects = {
        "{person}": f"PE-{classes.stranger['number']}", "{class}": f"CL-{classes.other['number']}",
        "{app}": visit.scene.app.client_id}
    refused = 0
    for route in sorted(console_routes().paths - DESK):
        path = re.sub(r"\{\w+\}", lambda found: subjects.get(found[0], "1"), route)
        status, known = (
            each.session.get(f"{base_url}{path}", timeout=30).status_code for each in (teacher, administrator))
        # Whether there is such a thing is not said to whoever may not see it.
        assert status == 403 or (status == known == 404), f"{path}: {status}, and {known} for an administrator"
        refused += status == 403
    assert refused > 60, refused
