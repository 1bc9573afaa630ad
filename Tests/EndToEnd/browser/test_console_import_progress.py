"""How far a large import has come is shown while its files are looked at and while it is applied: in the page as it stands where
scripts run, and by a page that loads anew where they do not."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from administration import sample
from chromium import Chromium
from console import heading
from lanyard_tool import Tool
from processes import wait_until
from school import School
from selenium.common.exceptions import JavascriptException
from test_console_imports import pack, upload

# The number of the bar, -1 while the import waits for its turn; its words; and whether the page is still the one that was marked.
LOOK = """
    const bar = document.querySelector("main progress")
    const words = document.querySelector("main [role=status]")
    return [bar && (bar.hasAttribute("value") ? bar.value : -1), bar && words?.innerText, !!window.isMarked]
"""
PHASES = ["Reading the files", "Checking each row", "Comparing with your records", "Changing the records"]
WITH_SCRIPTS, WITHOUT = "with scripts", "without scripts"


@pytest.fixture(params=[WITH_SCRIPTS, WITHOUT])
def scripts(request: pytest.FixtureRequest, browser: Chromium) -> Iterator[str]:
    is_disabled = request.param == WITHOUT
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": is_disabled})
    yield request.param
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def watch(browser: Chromium, scripts: str, beginning: str) -> list[int]:
    """Waits for the page whose heading begins so; returns the numbers that the bar had until then, each once."""
    numbers: list[int] = []

    def is_there() -> bool:
        try:
            number, words, is_marked = browser.driver.execute_script(LOOK)
            title = heading(browser)
        except JavascriptException:
            return False  # between two pages
        if number is not None and numbers[-1:] != [number]:
            phase = "Waiting for its turn" if number < 0 else PHASES[min(int(number) // 100, 3)]
            assert words == phase, (number, words)
            assert is_marked or scripts == WITHOUT, "a page with scripts goes on without being loaded"
            numbers.append(number)
        return title.startswith(beginning)

    browser.driver.execute_script("window.isMarked = true")
    wait_until(is_there, 120, f"the page “{beginning}”", pause=0.1)
    return numbers


def test_progress_is_shown_until_the_plan_and_until_all_is_applied(
        browser: Chromium, scripts: str, tmp_path: Path) -> None:
    files = pack(sample(tmp_path / "files", people=24_000, classes=1_200, members=100))  # it takes some seconds
    tool = Tool(tmp_path / "data")
    school = School(tool)
    with tool.serving() as base_url:
        account = school.add(base_url, "managed", "Ada Hall", "ada@maple.example", "--role", "administrator").account
        browser.open(f"{base_url}/manager")
        browser.fill("username", account.username)
        browser.fill("password", account.password)
        browser.press("Sign in")
        upload(browser, base_url, files)
        looked = watch(browser, scripts, "What this import would change")
        assert "24,000" in browser.text or "120,000" in browser.text
        browser.press("Apply this import")
        applied = watch(browser, scripts, "Import ")
    for numbers in (looked, applied):
        assert numbers and numbers == sorted(numbers) and numbers[-1] <= 400, numbers
        # A page that loads anew does so every three seconds, in which much is done.
        assert scripts == WITHOUT or len(numbers) >= 2, numbers
    assert len(looked + applied) >= 3
    # What is only looked at changes nothing.
    assert looked[-1] < 300
    assert tool.json("import", "--history")["imports"][0]["number"] == 1
