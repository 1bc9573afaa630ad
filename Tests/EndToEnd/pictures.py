"""Makes the pictures in docs/images again, from the running demos: `make pictures`.

The same code gives the same pictures, except for the date on the account page.
"""

import base64
import sys
import tempfile
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

HERE = Path(__file__).resolve().parent
DISTRICT_ID = "5d0c1f9a-7e0b-4a54-9d3c-2f6b8a1e4c70"
IMAGES = HERE.parents[1] / "docs" / "images"
sys.path[:0] = [str(HERE), str(HERE / "browser"), str(HERE / "single_sign_on")]

import database  # noqa: E402
from chromium import Chromium, start_chromium  # noqa: E402
from console import enter, follow, wait_for  # noqa: E402
from scene import Scene  # noqa: E402
from selenium.webdriver import Chrome  # noqa: E402
from test_console_imports import district, pack, rewrite, upload  # noqa: E402
from test_sso_demo import Browser, Demo  # noqa: E402
from visit import Visit  # noqa: E402


def take(driver: Chrome, name: str, *, width: int, height: int, scale: float = 2, whole_page: bool = False) -> None:
    """Takes a picture of the window, or of the whole page if that is longer. The blinking caret is hidden."""
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": False})
    driver.execute_script(
        "scrollTo(0, 0); document.documentElement.style.caretColor = 'transparent'; return document.fonts.ready")
    settings = {"format": "png"}
    if whole_page:
        length = driver.execute_script("return document.documentElement.scrollHeight")
        settings |= {"captureBeyondViewport": True, "clip": {
            "x": 0, "y": 0, "width": width, "height": max(length, height), "scale": 1}}
    picture = driver.execute_cdp_cmd("Page.captureScreenshot", settings)
    (IMAGES / name).write_bytes(base64.b64decode(picture["data"]))
    print(f"docs/images/{name}")


def of_sharing(driver: Chrome, scene: Scene) -> None:
    visit = Visit(Chromium(driver), scene)
    visit.go_to_consent_page()
    take(driver, "consent.png", width=440, height=600, scale=1.5, whole_page=True)
    visit.browser.press("Allow")
    visit.wait_for_classes()
    take(driver, "quizzler.png", width=1260, height=886, scale=1)


def of_signing_in(driver: Chrome, scene: Scene) -> None:
    # A pupil without an email address, with an account of the school.
    pupil = next(account for account in scene.accounts if account.role == "student" and not account.email)
    for account, name in ((pupil, "sign-in-school.png"), (scene.account("parent"), "sign-in-personal.png")):
        visit = Visit(Chromium(driver), scene)
        visit.browser.open(scene.quizzler_url)
        visit.browser.press("Continue with Lanyard")
        visit.sign_in(account)
        take(driver, name, width=440, height=900, whole_page=True)
    visit.go_on_to_quizzler("hide")
    visit.browser.open(f"{scene.base_url}/account")
    take(driver, "account.png", width=440, height=680, whole_page=True)


def fill_days(scene: Scene) -> None:
    """Days of a month as a school has them: quiet weekends, and each night an app that reads everybody."""
    for days in range(1, 30):
        is_weekend = (date.today() - timedelta(days=days)).weekday() > 4
        for kind, number in (("sign-in", 40 if is_weekend else 610 + 37 * (days % 5)), ("records-read", 1_982)):
            database.execute(
                scene.database,
                """
                INSERT INTO activity_day (organization_id, kind, app_id, day, number)
                SELECT id, ?, 0, date('now', ?), ? FROM organization WHERE public_id = ?
                """, kind, f"-{days} days", number, DISTRICT_ID)


def of_the_console(driver: Chrome, scene: Scene) -> None:
    visit = Visit(Chromium(driver), scene)
    fill_days(scene)
    browser = enter(visit, "administrator")
    take(driver, "console-home.png", width=1200, height=1130, scale=1)
    with tempfile.TemporaryDirectory() as folder:
        files = district(visit, Path(folder) / "autumn")
        leaving: set[str] = set()

        def without(rows: list[dict[str, str]]) -> list[dict[str, str]]:
            leaving.update(row["person_id"] for row in rows[:220])
            return rows[220:]

        rewrite(files / "students.csv", without)
        rewrite(files / "rosters.csv", lambda rows: [row for row in rows if row["student_id"] not in leaving])
        upload(browser, scene.base_url, pack(files))
        wait_for(browser, "What this import would change")
    take(driver, "console-plan.png", width=1200, height=900, scale=1)
    browser.open(f"{scene.base_url}/manager/access/data-sharing")
    take(driver, "console-access.png", width=1200, height=660, scale=1)
    browser.open(f"{scene.base_url}/manager/apps")
    follow(browser, "Quizzler")
    browser.press("Change what it sees")
    take(driver, "console-app.png", width=1200, height=900, scale=1)
    # What an app has read of a child, in the trail.
    browser.open(f"{scene.base_url}/manager/activity?action=roster.read")
    take(driver, "console-activity.png", width=1200, height=760, scale=1)
    browser.open(f"{scene.base_url}/manager/people?role=student")
    follow(browser, browser.texts("tbody th bdi")[0])
    take(driver, "console-person.png", width=1200, height=900, scale=1)
    browser.open(f"{scene.base_url}/manager/classes")
    take(driver, "console-classes.png", width=1200, height=700, scale=1)
    browser.open(f"{scene.base_url}/manager/settings")
    take(driver, "console-settings.png", width=1200, height=900, scale=1)
    driver.delete_all_cookies()
    browser = enter(Visit(Chromium(driver), scene), "instructor")
    take(driver, "console-teacher.png", width=1200, height=620, scale=1)
    browser.leave(driver.find_element("css selector", "tbody th a").click)
    browser.press("Give a new password")
    browser.leave(driver.find_element("css selector", ".send button").click)
    take(driver, "console-slip.png", width=1200, height=620, scale=1)


def of_the_portal(driver: Chrome, scene: Scene) -> None:
    visit = Visit(Chromium(driver), scene)
    browser = enter(visit, "developer", "/developer")
    follow(browser, "Quizzler")
    take(driver, "portal-app.png", width=1200, height=760, scale=1, whole_page=True)
    page = browser.url
    browser.open(f"{page}/snippets")
    take(driver, "portal-snippets.png", width=1200, height=760, scale=1)
    follow(browser, "Keys")
    take(driver, "portal-keys.png", width=1200, height=760, scale=1)
    follow(browser, "Sandbox")
    page = browser.url
    browser.press("Make a sandbox")
    browser.open(page)
    take(driver, "portal-sandbox.png", width=1200, height=760, scale=1)


def of_a_device(driver: Chrome, demo: Demo, browser: Browser) -> None:
    browser.open(demo.site)
    browser.wait(lambda: browser.heading.startswith("Sign in to"), "the device asks")
    browser.fill("text", demo.user_name)
    take(driver, "single-sign-on.png", width=900, height=760, scale=1.5)
    browser.fill("password", demo.password)
    browser.press("Sign in")
    browser.wait(lambda: browser.heading.startswith("Hello"), "the page says hello")
    browser.sees_pictures()
    take(driver, "burgers-and-tacos.png", width=900, height=760, scale=1.5)


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="lanyard-pictures-") as folder:
        scene, driver = Scene(Path(folder) / "demo"), start_chromium()
        try:
            scene.start()
            # The colour of the district's badge is chosen by its id, so set one that is not random.
            database.execute(
                scene.database, "UPDATE organization SET public_id = ? WHERE name = ?", DISTRICT_ID,
                scene.organization_name)
            pictures: tuple[Callable[[Chrome, Scene], None], ...] = (
                of_sharing, of_signing_in, of_the_console, of_the_portal)
            for pictures_of in pictures:
                pictures_of(driver, scene)
        finally:
            driver.quit()
            scene.stop()
        demo = Demo(Path(folder) / "sso")
        try:
            # The default ports of the demo, because the pictures show them.
            demo.start(ports=(8443, 8082))
            browser = Browser(demo)
            try:
                of_a_device(browser.driver, demo, browser)
            finally:
                browser.stop()
        finally:
            demo.stop()


if __name__ == "__main__":
    main()
