from collections.abc import Iterator
from pathlib import Path

import pytest
from app_page import AppPage
from chromium import SHELL, Chromium, start_chromium
from local_site import LocalSite
from scene import Scene
from selenium.webdriver import Chrome
from stage import connected_stage, new_stage, running
from visit import Visit


@pytest.fixture(scope="session")
def driver() -> Iterator[Chrome]:
    """Where a test needs more of the browser than pages, its file has a fixture of this name with the whole one."""
    driver = start_chromium(SHELL)
    yield driver
    driver.quit()


@pytest.fixture(scope="session")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """A running demo that many tests share: they leave it running, and connected or not."""
    stage = new_stage(tmp_path_factory.getbasetemp())
    with running(stage.copy(tmp_path_factory.mktemp("shared") / "demo")) as scene:
        yield scene


@pytest.fixture
def new_scene(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Iterator[Scene]:
    """A running demo of the test's own, in which nothing is connected yet."""
    with running(new_stage(tmp_path_factory.getbasetemp()).copy(tmp_path / "demo")) as scene:
        yield scene


@pytest.fixture
def connected_scene(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Iterator[Scene]:
    """A running demo of the test's own, in which Quizzler has the roster."""
    with running(connected_stage(tmp_path_factory.getbasetemp()).copy(tmp_path / "demo")) as scene:
        yield scene


@pytest.fixture
def own_scene(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Iterator[Scene]:
    """A running demo of the test's own, with a second organization that is still empty."""
    stage = new_stage(tmp_path_factory.getbasetemp())
    with running(stage.copy(tmp_path / "demo", has_own_school=True)) as scene:
        yield scene


@pytest.fixture
def downloads(driver: Chrome, tmp_path: Path) -> Iterator[Path]:
    """The folder into which the browser saves files during the test."""
    folder = tmp_path / "downloads"
    folder.mkdir()
    driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(folder)})
    yield folder
    driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "default"})


@pytest.fixture
def browser(driver: Chrome) -> Iterator[Chromium]:
    """A browser in which nobody is signed in. Wherever it goes, it must not leave this machine, and no page may
    ask for what its own policy forbids."""
    browser = Chromium(driver)
    yield browser
    strangers = [url for url in browser.requests if not url.startswith(("http://127.0.0.1:", "data:", "about:"))]
    assert strangers == []
    assert browser.complaints == []


@pytest.fixture
def visit(browser: Chromium, scene: Scene) -> Visit:
    return Visit(browser, scene)


@pytest.fixture
def new_visit(browser: Chromium, new_scene: Scene) -> Visit:
    return Visit(browser, new_scene)


@pytest.fixture
def own_school_visit(browser: Chromium, own_scene: Scene) -> Visit:
    return Visit(browser, own_scene)


@pytest.fixture
def connected_visit(browser: Chromium, connected_scene: Scene) -> Visit:
    return Visit(browser, connected_scene)


@pytest.fixture
def app_page(browser: Chromium, scene: Scene) -> Iterator[AppPage]:
    """A page of an app that uses the script of a running server."""
    with LocalSite() as site:
        page = AppPage(browser, site, scene)
        yield page
        for handle in page.popups:
            browser.driver.switch_to.window(handle)
            browser.driver.close()
        browser.driver.switch_to.window(browser.window)
