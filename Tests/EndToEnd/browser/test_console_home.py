"""The console's start: what is wrong, what happens each day, and the palette."""

import os
import sqlite3
import time
from pathlib import Path

import pytest
from chromium import Chromium
from console import enter, shoot
from lanyard_tool import Tool
from scene import Scene, Server
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from visit import Visit


def tasks(visit: Visit) -> str:
    visit.browser.open(f"{visit.scene.base_url}/manager")
    return " ".join(visit.browser.texts(".tasks li"))


def write(visit: Visit, statement: str, *values: object) -> None:
    """Changes the database as the server's own work in the background would."""
    with sqlite3.connect(visit.scene.database, timeout=20) as connection:
        connection.execute(statement, values)


def test_what_is_wrong_stands_there_until_it_is_mended(visit: Visit) -> None:
    pupil = visit.scene.account("student").username
    browser = enter(visit, "administrator")
    assert "locked" not in tasks(visit)
    write(visit, "UPDATE person SET state = 'locked' WHERE user_name = ?", pupil)
    write(
        visit,
        """
        UPDATE credential SET failures = 9, paused_until = strftime('%s', 'now') + 600
        WHERE person_id = (SELECT id FROM person WHERE user_name = ?)
        """, pupil)
    assert "1 account is locked" in tasks(visit)
    shoot(browser, "home-findings")
    browser.leave(browser.driver.find_element(By.LINK_TEXT, "Show them").click)
    assert len(browser.texts("tbody tr")) == 1
    browser.leave(browser.driver.find_element(By.CSS_SELECTOR, "tbody a").click)
    browser.press("Unlock")
    browser.press("Unlock")
    assert "locked" not in tasks(visit)


def test_an_administrator_is_told_that_the_server_has_no_copy(
    browser: Chromium, new_scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new_scene.stop()
    monkeypatch.setenv("LANYARD_BACKUP_FOLDER", str(tmp_path / "copies"))
    # That is told too, so that it is seen when the server has looked.
    new_scene.folder.chmod(0o755)
    long_ago = time.time() - 3 * 86_400
    os.utime(new_scene.folder / "master.key", (long_ago, long_ago))
    server, visit = Server(new_scene.folder), Visit(browser, new_scene)
    new_scene.base_url = server.base_url
    try:
        server.start()
        enter(visit, "administrator")
        browser.wait(lambda _: "no copy of its data" in tasks(visit), "Home says that a copy is missing")
        assert "Lanyard’s doctor says what is wrong" in tasks(visit)
        shoot(browser, "home-server")
        server.stop()
        Tool(new_scene.folder).run("backup")
        server.start()
        browser.wait(lambda _: "open to other users of its machine" in tasks(visit), "the server has looked")
        assert "no copy of its data" not in tasks(visit)
    finally:
        server.stop()


def test_each_day_is_a_bar_and_its_numbers_are_told_in_words(visit: Visit) -> None:
    browser = enter(visit, "administrator")
    # More than what other tests of the same server have made apps read today.
    for days, number in enumerate([1_000_000, 0, 3_000_000, 700_000]):
        write(
            visit,
            """
            INSERT INTO activity_day (organization_id, kind, app_id, day, number)
            SELECT id, 'records-read', 0, date('now', ?), ? FROM organization WHERE public_id = ?
            """, f"-{days} days", number, visit.scene.organization_id)
    browser.open(f"{visit.scene.base_url}/manager")
    charts = browser.driver.find_elements(By.CSS_SELECTOR, ".chart")
    assert len(charts) == 2
    assert all(len(chart.find_elements(By.CSS_SELECTOR, "rect")) == 30 for chart in charts)
    assert "4,7" in charts[1].text and "in the last 30 days" in charts[1].text and ": 3,000,000." in charts[1].text
    heights = [int(bar.get_attribute("height")) for bar in charts[1].find_elements(By.CSS_SELECTOR, "rect")]
    assert heights[-3] == max(heights) and heights[-2] == 1
    shoot(browser, "home")


def test_the_palette_leads_everywhere_by_the_keyboard_alone(visit: Visit) -> None:
    browser = enter(visit, "administrator")

    def keys(*typed: str) -> None:
        browser.driver.switch_to.active_element.send_keys(*typed)

    def active() -> str:
        field = browser.driver.switch_to.active_element
        chosen = field.get_attribute("aria-activedescendant")
        return browser.driver.find_element(By.ID, chosen).text if chosen else ""

    keys(Keys.CONTROL, "k")
    assert browser.driver.find_element(By.CSS_SELECTOR, "dialog.palette").is_displayed()
    assert active() == "Home"
    keys(Keys.ARROW_DOWN)
    assert active() == "People"
    keys("retent")
    assert active() == "Retention"
    shoot(browser, "palette")
    browser.leave(lambda: keys(Keys.ENTER))
    assert browser.heading == "Retention"

    account = visit.scene.account("student")
    keys(Keys.CONTROL, "k")
    keys(account.username)
    browser.wait(lambda _: account.username in active(), "the person in the palette")
    browser.leave(lambda: keys(Keys.ENTER))
    assert account.username in browser.text and "/manager/people/PE-" in browser.url

    keys(Keys.CONTROL, "k")
    keys("nothing is called so")
    assert "Nothing has that name" in browser.driver.find_element(By.CSS_SELECTOR, "dialog.palette").text
    keys(Keys.ENTER)
    keys(Keys.ESCAPE)
    assert not browser.driver.find_element(By.CSS_SELECTOR, "dialog.palette").is_displayed()


def test_the_palette_offers_what_its_reader_may_do(visit: Visit) -> None:
    browser = enter(visit, "instructor")
    browser.driver.find_element(By.TAG_NAME, "body").send_keys(Keys.CONTROL, "k")
    assert browser.texts("dialog.palette li") == ["Home"]


def test_a_manager_of_one_school_is_told_which_accounts_are_locked_there(visit: Visit) -> None:
    pupil, teacher = (visit.scene.account(role).username for role in ("student", "instructor"))
    write(
        visit,
        """
        INSERT INTO role_assignment (person_id, location_id, role, roster_role, organization_id, source)
        SELECT (SELECT id FROM person WHERE user_name = ?), location_id, 'manager', 'Staff', organization_id, 'manual'
        FROM role_assignment WHERE person_id = (SELECT id FROM person WHERE user_name = ?) AND role = 'student' LIMIT 1
        """, teacher, pupil)
    write(visit, "UPDATE person SET state = 'locked' WHERE user_name = ?", pupil)
    try:
        browser = enter(visit, "instructor")
        assert "1 account is locked" in tasks(visit)
        shoot(browser, "home-of-one-school")
        browser.leave(browser.driver.find_element(By.LINK_TEXT, "Show them").click)
        assert len(browser.texts("tbody tr")) == 1
    finally:
        write(visit, "UPDATE person SET state = 'active' WHERE user_name = ?", pupil)
        write(
            visit, "DELETE FROM role_assignment WHERE role = 'manager' AND person_id = (SELECT id FROM person WHERE user_name = ?)",
            teacher)
