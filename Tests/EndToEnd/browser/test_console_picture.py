"""The picture of an organization, sent with the form of the settings; what is no picture changes nothing and is told."""

from pathlib import Path

import pytest
import requests
from chromium import Chromium
from console import enter, shoot
from lanyard_tool import Tool
from sample_png import write_png
from visit import Visit

PAGE = "/manager/settings/picture"
GREEN, BLUE = b"\x0a\x80\x40", b"\x10\x40\xc0"


def send(browser: Chromium, file: Path) -> None:
    browser.driver.find_element("id", "picture").send_keys(str(file))
    browser.press("Save")


def picture(visit: Visit) -> str | None:
    return Tool(visit.scene.folder).json("org", "show", "--org", visit.scene.organization_id).get("pictureID")


@pytest.fixture
def settings(visit: Visit) -> Chromium:
    return enter(visit, "administrator", PAGE)


def test_a_picture_is_shown_on_the_badge_and_taken_away_again(visit: Visit, settings: Chromium, tmp_path: Path) -> None:
    browser = settings
    assert picture(visit) is None
    send(browser, write_png(tmp_path / "green.png", colour=GREEN))
    assert browser.heading == "Settings"
    green = picture(visit)
    badge = browser.driver.find_element("css selector", "img.badge")
    browser.wait(lambda driver: driver.execute_script("return arguments[0].naturalWidth", badge) > 0, "it is shown")
    shoot(browser, "settings-picture")
    answer = requests.get(badge.get_attribute("src"), timeout=30)
    assert answer.status_code == 200 and answer.headers["Content-Type"] == "image/png"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    browser.open(f"{visit.scene.base_url}{PAGE}")
    send(browser, write_png(tmp_path / "blue.png", colour=BLUE))
    assert green and picture(visit) not in (None, green)
    browser.open(f"{visit.scene.base_url}{PAGE}")
    browser.press("Take it away")
    assert picture(visit) is None
    assert not browser.driver.find_elements("css selector", "img.badge")


def test_what_is_no_picture_is_refused_and_changes_nothing(visit: Visit, settings: Chromium, tmp_path: Path) -> None:
    browser, base_url = settings, visit.scene.base_url
    send(browser, write_png(tmp_path / "green.png", colour=GREEN))
    before = picture(visit)
    assert before
    text = tmp_path / "letter.txt"
    text.write_text("Dear school,\n")
    drawing = tmp_path / "script.svg"
    drawing.write_text("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'><script>alert(1)</script></svg>")
    renamed = tmp_path / "script.png"
    renamed.write_bytes(drawing.read_bytes())
    cut = tmp_path / "cut.png"
    cut.write_bytes((tmp_path / "green.png").read_bytes()[:60])
    empty = tmp_path / "empty.png"
    empty.write_bytes(b"")
    large = write_png(tmp_path / "large.png", side=1500)
    # The form is refused as a whole, before its file is read.
    larger = write_png(tmp_path / "larger.png", side=1900)
    assert large.stat().st_size < 8 << 20 < larger.stat().st_size
    for file, reason in {
        text: "is not a PNG file", drawing: "is not a PNG file", renamed: "is not a PNG file", empty: "is not a PNG file",
        cut: "cannot be read: the file is damaged", large: "larger than 1 MB", larger: "larger than 8 MB",
    }.items():
        browser.open(f"{base_url}{PAGE}")
        send(browser, file)
        message = browser.texts(".message.danger")[0]
        assert browser.heading == "Picture" and reason in message, f"{file.name}: {message}"
        # Only a roster can come as an archive.
        assert "ZIP" not in message
        assert picture(visit) == before, file.name
    browser.open(f"{base_url}{PAGE}")
    browser.press("Take it away")
    assert picture(visit) is None
