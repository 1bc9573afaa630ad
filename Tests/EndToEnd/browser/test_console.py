"""The console, as people use it in a browser: an administrator who looks for somebody, corrects a record, takes it back;
a teacher who finds the own pupils and nothing else; a pupil for whom there is no console."""

from base64 import b64decode
from pathlib import Path

from command_line.test_passwords import pages_of
from console import enter, shoot
from visit import Visit


def test_an_administrator_finds_somebody_corrects_the_record_and_takes_it_back(visit: Visit) -> None:
    browser = enter(visit, "administrator")
    shoot(browser, "home")
    browser.leave(lambda: browser.driver.find_element("link text", "People").click())
    shoot(browser, "people")
    field = browser.driver.find_element("id", "text")
    field.send_keys("silva")
    browser.press("Show")
    names = browser.texts("tbody th")
    assert names and all("Silva" in name for name in names)
    browser.leave(lambda: browser.driver.find_element("css selector", "tbody th a").click())
    before = browser.heading
    shoot(browser, "person")
    browser.press("Edit")
    browser.fill("lastName", "Silva Prado")
    shoot(browser, "person-edit")
    browser.press("Save")
    assert browser.heading.endswith("Silva Prado")
    shoot(browser, "person-changed")
    browser.press("Undo")
    browser.press("Go on")
    assert browser.heading == before


def test_accounts_are_deactivated_and_reactivated_after_a_look_at_what_follows(visit: Visit) -> None:
    browser = enter(visit, "administrator", "/manager/people?role=student")
    boxes = browser.driver.find_elements("css selector", "tbody input[name=choice]")
    for box in boxes[3:6]:
        box.click()
    browser.press("Deactivate")
    assert browser.heading == "Deactivate these accounts"
    assert len(browser.texts("tbody tr")) == 3
    shoot(browser, "people-confirm")
    browser.press("Deactivate")
    assert "The change is in effect" in browser.text
    browser.press("Undo")
    assert browser.heading == "Taken back"
    assert len(browser.texts("tbody tr")) == 3


def test_a_list_is_printed_without_what_only_a_screen_needs(visit: Visit, tmp_path: Path) -> None:
    browser = enter(visit, "administrator", "/manager/people?role=instructor")
    listed = browser.texts("tbody [dir=ltr], tbody td:nth-child(3)")
    printed = tmp_path / "people.pdf"
    printed.write_bytes(b64decode(browser.driver.execute_cdp_cmd("Page.printToPDF", {})["data"]))
    text = "".join(pages_of(printed))
    addresses = {word for words in listed for word in ["".join(words.split())] if "@" in word}
    assert len(addresses) == 30 and all(address in text for address in addresses), text
    shown = browser.driver.find_element("tag name", "body").text
    for of_the_screen in ("Sign out", "All whom this list has", "Search", "Deactivate", "Next", "日本語"):
        assert of_the_screen in shown and "".join(of_the_screen.split()) not in text, of_the_screen


def test_a_teacher_sees_the_own_pupils_and_nothing_else(visit: Visit) -> None:
    browser = enter(visit, "instructor")
    assert "Imports" not in browser.texts("nav a")
    browser.open(f"{visit.scene.base_url}/manager/people")
    assert browser.texts("tbody tr")
    administrator = visit.scene.account("administrator").username
    browser.open(f"{visit.scene.base_url}/manager/people/{administrator}")
    assert browser.heading in {"You may not do this", "Not found"}


def test_a_pupil_has_no_console(visit: Visit) -> None:
    browser = enter(visit, "student")
    assert not browser.texts("nav a")


def test_the_search_field_finds_people_as_one_types(visit: Visit) -> None:
    browser = enter(visit, "administrator")
    field = browser.driver.find_element("id", "find")
    field.send_keys("silva")
    found = browser.wait(lambda _: browser.texts(".found a"), "people are found")
    assert all("Silva" in one for one in found)
