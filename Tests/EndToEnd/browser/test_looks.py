"""Every page in light and dark, on a desk and in a hand: nothing sticks out, and axe has nothing to complain about."""

from collections.abc import Callable, Iterator

import pytest
from administration import revoke_consent
from chromium import Chromium
from looks import problems
from scene import Scene
from stage import connected_stage, new_stage
from visit import Visit


def sign_in(visit: Visit) -> None:
    visit.begin_connecting()


def wrong_password(visit: Visit) -> None:
    visit.begin_connecting()
    visit.browser.fill("username", "priya.raman")
    visit.browser.fill("password", "not-my-password-1")
    visit.browser.press("Sign in")


def consent(visit: Visit) -> None:
    visit.go_to_consent_page()


def consent_in(name: str) -> Callable[[Visit], None]:
    def go(visit: Visit) -> None:
        visit.go_to_consent_page()
        visit.browser.press(name)

    return go


def not_entitled(visit: Visit) -> None:
    visit.go_to_consent_page("instructor")


def expired(visit: Visit) -> None:
    visit.go_to_consent_page()
    visit.browser.driver.execute_cdp_cmd("Network.clearBrowserCookies", {})
    visit.browser.press("Allow")


def start_page(visit: Visit) -> None:
    visit.browser.open(f"{visit.scene.base_url}/account")
    visit.sign_in(visit.scene.account("administrator"))


def signed_out(visit: Visit) -> None:
    start_page(visit)
    visit.browser.press("Sign out")


def unknown_app(visit: Visit) -> None:
    visit.browser.open(f"{visit.scene.base_url}/auth/oauth2/v2/authorize?client_id=org.nobody.app")


def quizzler_start(visit: Visit) -> None:
    visit.browser.open(visit.scene.quizzler_url)


def quizzler_declined(visit: Visit) -> None:
    visit.go_to_consent_page()
    visit.browser.press("Don’t Allow")


def quizzler_classes(visit: Visit) -> None:
    visit.continue_with_lanyard(visit.scene.account("administrator"))
    visit.browser.open(f"{visit.scene.quizzler_url}/organizations/{visit.scene.organization_id}")


def quizzler_class(visit: Visit) -> None:
    quizzler_classes(visit)
    visit.browser.open(visit.browser.links(".grid .card a")[0])


def quizzler_disconnect(visit: Visit) -> None:
    quizzler_classes(visit)
    visit.browser.press("Disconnect …")


def quizzler_revoked(visit: Visit) -> None:
    visit.go_to_consent_page()
    visit.browser.press("Allow")
    revoke_consent(visit.scene)
    visit.browser.open(visit.scene.quizzler_url)
    visit.browser.wait(
        lambda _: visit.browser.reload() or "has disconnected" in visit.browser.text, "Quizzler has heard of it")


# Before anything is connected, and afterwards; in this order, as the last one takes the connection away.
NEW = [
    sign_in, wrong_password, consent, not_entitled, expired, start_page, signed_out, unknown_app, quizzler_start,
    quizzler_declined,
]
CONNECTED = [quizzler_start, quizzler_classes, quizzler_class, quizzler_disconnect, consent, quizzler_revoked]
PAGES = (
    [(page.__name__, "new", page) for page in NEW]
    + [(f"consent_{language}", "new", consent_in(name)) for language, name in (("ja", "日本語"), ("ko", "한국어"))]
    + [(f"{page.__name__}_connected", "connected", page) for page in CONNECTED]
)


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Scene]]:
    base = tmp_path_factory.getbasetemp()
    folder = tmp_path_factory.mktemp("looks")
    scenes = {
        "new": new_stage(base).copy(folder / "new"),
        "connected": connected_stage(base).copy(folder / "connected"),
    }
    try:
        for scene in scenes.values():
            scene.start()
        yield scenes
    finally:
        for scene in scenes.values():
            scene.stop()


@pytest.mark.parametrize(("name", "state", "go"), PAGES, ids=[name for name, _, _ in PAGES])
def test_the_page_fits_and_everyone_can_use_it(
    browser: Chromium, scenes: dict[str, Scene], name: str, state: str, go: Callable[[Visit], None]
) -> None:
    go(Visit(browser, scenes[state]))
    assert problems(browser, name) == []
