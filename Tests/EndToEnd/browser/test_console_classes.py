"""Classes, terms and locations on the console."""

from console import enter, shoot
from visit import Visit


def test_a_class_is_made_edited_archived_restored_and_removed(visit: Visit) -> None:
    browser = enter(visit, "administrator", "/manager/classes")
    shoot(browser, "classes")
    browser.press("Add a class")
    browser.fill("name", "Chess Club")
    browser.fill("students", "nobody-of-this-name")
    browser.press("Add")
    assert "nobody-of-this-name" in browser.text and browser.heading == "Add a class"
    browser.fill("students", visit.scene.account("student").username)
    shoot(browser, "class-add")
    browser.press("Add")
    assert browser.heading == "Chess Club" and len(browser.texts("tbody tr")) == 1
    browser.press("Edit")
    browser.fill("room", "North 14")
    browser.press("Save")
    assert "North 14" in browser.text
    shoot(browser, "class")
    browser.driver.find_element("css selector", "tbody input[name=choice]").click()
    browser.press("Take out of the class")
    assert not browser.texts("tbody tr")
    browser.press("Undo")
    browser.press("Go on")
    assert len(browser.texts("tbody tr")) == 1
    page = browser.url.split("?")[0]
    browser.press("Archive")
    shoot(browser, "class-archive")
    browser.press("Archive")
    assert "Apps do not see this class" in browser.text
    browser.press("Undo")
    browser.press("Go on")
    assert "Apps do not see this class" not in browser.text
    browser.press("Archive")
    browser.press("Archive")
    browser.press("Remove for good")
    assert "Nothing takes this back" in browser.text
    browser.press("Remove for good")
    browser.open(page)
    assert browser.heading == "Not found"


def test_a_term_is_made_and_closed_with_its_classes_and_opened_again(visit: Visit) -> None:
    browser = enter(visit, "administrator", "/manager/classes/terms")
    shoot(browser, "terms-empty")
    browser.press("Add a term")
    browser.fill("name", "2031/32")
    for name, day in [("firstDay", "2031-08-18"), ("lastDay", "2032-07-02")]:
        browser.driver.execute_script(f"document.getElementById('{name}').value = '{day}'")
    browser.press("Add")
    browser.open(f"{visit.scene.base_url}/manager/classes/add")
    browser.fill("name", "Rollover")
    browser.press("Add")
    browser.press("Edit")
    browser.driver.find_element("css selector", "#term option[value='2031/32']").click()
    browser.press("Save")
    browser.open(f"{visit.scene.base_url}/manager/classes/terms")
    shoot(browser, "terms")
    browser.press("Close")
    assert "1 class is archived" in browser.text
    shoot(browser, "term-close")
    browser.press("Close")
    assert "Closed" in browser.text
    browser.press("Undo")
    browser.press("Go on")
    assert "Closed" not in browser.texts("tbody .state")


def test_a_location_is_added_and_edited_and_a_second_administrator_is_told(visit: Visit) -> None:
    browser = enter(visit, "administrator", "/manager/locations")
    shoot(browser, "locations")
    browser.press("Add a location")
    browser.fill("name", "Boat House")
    browser.fill("timeZone", "Atlantis/City")
    browser.press("Add")
    assert browser.texts(".message.danger")
    browser.fill("timeZone", "Europe/Berlin")
    browser.press("Add")
    assert "What belongs to it" in browser.text
    shoot(browser, "location")
    browser.press("Edit")
    address = browser.driver.current_url
    shoot(browser, "location-edit")
    stale = browser.driver.find_element("css selector", "input[name=version]").get_attribute("value")
    browser.fill("name", "Boat House 2")
    browser.press("Save")
    assert "Boat House 2" in browser.text
    browser.press("Undo")
    browser.press("Go on")
    assert "Boat House 2" not in browser.text
    # Somebody saves a page that is older than the last change.
    browser.open(address)
    browser.fill("name", "Boat House 3")
    browser.press("Save")
    browser.open(address)
    browser.driver.execute_script(f"document.querySelector('main input[name=version]').value = '{stale}'")
    browser.fill("name", "Boat House 4")
    browser.press("Save")
    assert browser.heading == "Somebody else has changed this"


def test_a_location_is_removed_and_restored_and_one_in_use_says_what_is_there(visit: Visit) -> None:
    browser = enter(visit, "administrator", "/manager/locations/add")
    browser.fill("name", "Ice Rink")
    browser.press("Add")
    page = browser.url.split("?")[0]
    browser.press("Remove")
    assert browser.heading == "Remove Ice Rink" and "A sharing rule that names a removed location" in browser.text
    shoot(browser, "location-remove")
    browser.press("Remove")
    assert "This location was removed on" in browser.text and "What belongs to it" not in browser.text
    shoot(browser, "location-removed")
    browser.press("Undo")
    browser.press("Go on")
    assert "What belongs to it" in browser.text
    browser.press("Remove")
    browser.press("Remove")
    browser.open(f"{visit.scene.base_url}/manager/locations")
    assert "Ice Rink" not in browser.text
    browser.open(f"{visit.scene.base_url}/manager/locations?state=removed")
    assert browser.texts("tbody th a") == ["Ice Rink"]
    shoot(browser, "locations-removed")
    browser.open(page)
    browser.press("Restore")
    browser.press("Restore")
    assert "What belongs to it" in browser.text
    browser.open(f"{visit.scene.base_url}/manager/locations")
    school = browser.driver.execute_script("return document.querySelector('tbody th a').href")
    browser.open(f"{school}/remove")
    assert "This location cannot be removed yet" in browser.text and "Give these people a role elsewhere" in browser.text
    shoot(browser, "location-in-use")


def test_garbage_in_addresses_is_not_found(visit: Visit) -> None:
    browser = enter(visit, "administrator")
    for path in ["people/PE-0", "people/PE-99999999999999999999", "people/%00", "classes/CL-x", "classes/CL-0",
                 "locations/0", "locations/abc", "classes/terms/close?term=nothing", "classes/terms/edit",
                 "people/passwords/x"]:
        browser.open(f"{visit.scene.base_url}/manager/{path}")
        assert browser.heading in ("Not found", "There is no page here", "This was not done"), path
