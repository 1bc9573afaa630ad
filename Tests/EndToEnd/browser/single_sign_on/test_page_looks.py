"""What people see, in light and dark, on a desk and in a hand, in three languages, with short names and long ones."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from bridged_chromium import RESOURCES, BridgedChromium, words
from device import Device
from looks import problems

LONG = "Vereinigte Stadtwerke und Verkehrsbetriebe der Metropolregion Oberhausen-Duisburg " * 6
RIGHT_TO_LEFT = "مدرسة القمر الدولية \u202e evil"
EVERYTHING = {"present": {
    "title": "Sign in to Acme", "text": "Use the account that Acme gave you.",
    "problem": "The user name or password is not right.", "submit": "Sign in",
    "fields": [
        {"name": "user", "label": "User name", "kind": "text", "value": "nadia.haddad"},
        {"name": "password", "label": "Password", "kind": "password"},
        {"name": "code", "label": "Verification code", "kind": "oneTimeCode"},
        {"name": "keep", "label": "Keep me signed in on this device", "kind": "checkbox", "value": "true"},
    ]}}
LOCAL = {
    "ja": {"title": "Acmeにサインイン", "text": "Acmeから受け取ったアカウントを使ってください。", "submit": "サインイン"},
    "ko": {"title": "Acme에 로그인", "text": "Acme에서 받은 계정을 사용하세요.", "submit": "로그인"},
}


def come(device: Device, browser: BridgedChromium, shows: str = "main button") -> None:
    browser.open(f"{device.app.origin}/start")
    browser.driver.find_element("tag name", "a").click()
    browser.wait(lambda: browser.driver.find_elements("css selector", shows), "the card")


def test_a_form_of_the_covered_site_fits_into_a_window(start: Callable) -> None:
    """With an error too, and the host is there once. Another host, to which the provider led on, is said."""
    device, browser = start()
    site = device.provider.origin.partition("://")[2]
    form = EVERYTHING["present"] | {"fields": EVERYTHING["present"]["fields"][:2], "text": site}
    device.will({"present": form})
    come(device, browser, "form")
    # The height that a window of 900 pixels leaves to a page.
    browser.look(1280, 800)
    last = browser.button("Continue on the web")
    assert last.rect["y"] + last.rect["height"] <= 800
    assert browser.driver.find_element("tag name", "main").text.count(site) == 1
    rows = {browser.button(label).rect["y"] for label in ("Sign in", "Cancel")}
    assert len(rows) == 1, "side by side"
    browser.press("Cancel")
    browser.wait_for_heading("Sign-in was cancelled")
    device.will({"present": form | {"text": "login.elsewhere.test", "submit": "Sign in at the school's own server"}})
    come(device, browser, "form")
    assert "login.elsewhere.test" in browser.driver.find_element("css selector", ".lead").text
    # Buttons that do not fit side by side stand below each other.
    rows = {browser.button(label).rect["y"] for label in ("Sign in at the school's own server", "Cancel")}
    assert len(rows) == 2
    assert not browser.overflows


@pytest.mark.parametrize(("since", "pause"), [(0, 250), (100, 150), (250, 0), (400, 0)])
def test_a_tab_is_empty_for_a_quarter_of_a_second_at_most(start: Callable, since: int, pause: int) -> None:
    """Counted since the tab came here, in milliseconds of a clock that stands still. The second after which the tab goes on
    to the web does not pass either, as this machine may take longer than that for the broker's first word."""
    device, browser = start(is_exact=True)
    browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": f"""
        const original = setTimeout;
        window.pauses = [];
        performance.now = () => {since};
        window.setTimeout = (body, pause) => {{
            pauses.push(pause);
            return pause === 1000 ? 0 : original(body, pause);
        }};"""})
    device.will({"silence": 1})
    come(device, browser)
    # The time limits for the first message of the broker, for the card, and for the sentence that it takes long.
    assert browser.driver.execute_script("return pauses") == [1000, pause, 8000]
    # Who answers is said as soon as it is known.
    browser.wait(lambda: "Acme Sign-In" in browser.driver.find_element("tag name", "main").text, "who answers is said")


# Delays the host's messages by half a second.
LATER = """
    const connect = chrome.runtime.connectNative.bind(chrome.runtime);
    chrome.runtime.connectNative = (name) => {
        const port = connect(name);
        const listen = port.onMessage.addListener.bind(port.onMessage);
        port.onMessage.addListener = (hear) => listen((message) => setTimeout(hear, 500, message));
        return port;
    };"""


def test_the_card_that_waits_stays_when_it_becomes_known_who_answers(start: Callable) -> None:
    """A card that is drawn anew takes the button away from under the finger, and the focus from who has gone on to it."""
    device, browser = start()
    device.will({"silence": 1})
    browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": LATER})
    come(device, browser)
    assert "Acme Sign-In" not in browser.text
    button = browser.button("Cancel")
    browser.driver.execute_script("arguments[0].focus()", button)
    browser.wait(lambda: "Acme Sign-In" in browser.text, "who answers is said")
    assert browser.driver.switch_to.active_element == button
    button.click()
    browser.wait_for_heading("Sign-in was cancelled")


# Shortens the eight seconds to some milliseconds.
SOONER = """
    const original = setTimeout;
    window.setTimeout = (body, delay) => original(body, delay >= 8000 ? 50 : delay);"""


@pytest.mark.parametrize("language", ["en-US", "ja", "ko"])
def test_every_card(start: Callable, language: str) -> None:
    device, browser = start(language)
    browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": SOONER})
    said = words(language[:2])
    found = []
    device.will(EVERYTHING)
    come(device, browser, "form")
    found += problems(browser, f"sso-form-{language}")
    browser.press(said["cancel"])
    browser.wait_for_heading(said["canceledTitle"])
    found += problems(browser, f"sso-canceled-{language}")
    device.will({"silence": 1})
    come(device, browser)
    # It says what happens, and what to do when it takes long.
    longer = said["waitingLong"].replace("$1", said["web"])
    browser.wait(lambda: longer in browser.text and "Acme Sign-In" in browser.text, "that it takes longer, and who answers")
    assert {said["web"], said["cancel"]} <= {link.text for link in browser.driver.find_elements("css selector", "button")}
    found += problems(browser, f"sso-waiting-{language}")
    device.provider.show("/login", "<!doctype html><title>login</title>")
    device.will({"page": f"{device.provider.origin}/login?$RETURN"})
    come(device, browser, ".choice")
    browser.driver.switch_to.window(browser.driver.window_handles[0])
    found += problems(browser, f"sso-other-tab-{language}", ["light", "phone-dark"])
    browser.open("about:blank")
    browser.open(f"chrome-extension://{browser.extension_id}/page.html#https://{'long.' * 40}elsewhere.test/")
    end = "\u2068…" + f"{'long.' * 40}elsewhere.test"[-79:] + "\u2069"
    browser.wait_for_heading(said["strangeTitle"].replace("$1", end))
    found += problems(browser, f"sso-strange-long-{language}", ["light", "phone-dark"])
    browser.open("about:blank")
    browser.open(f"chrome-extension://{browser.extension_id}/page.html#https://elsewhere.test/")
    browser.wait_for_heading(said["strangeTitle"].replace("$1", "\u2068elsewhere.test\u2069"))
    found += problems(browser, f"sso-strange-{language}", ["light", "phone-dark"])
    assert found == []


@pytest.mark.parametrize(("name", "names"), [("long", (LONG, LONG)), ("right-to-left", (RIGHT_TO_LEFT, RIGHT_TO_LEFT))])
def test_names_of_all_kinds(start: Callable, name: str, names: tuple[str, str]) -> None:
    device, browser = start(names=names)
    device.will({"present": EVERYTHING["present"] | {"title": f"Sign in to {names[0]}", "text": names[1]}})
    come(device, browser, "form")
    assert problems(browser, f"sso-{name}", ["light", "phone"]) == []
    # The name neither changes the direction of the sentence around it nor fills the page.
    shown = browser.driver.find_element("css selector", ".who").get_attribute("textContent")
    assert "\u202e" not in shown
    assert len(shown) < 600


@pytest.mark.parametrize("language", ["ja", "ko"])
def test_other_languages(start: Callable, language: str) -> None:
    device, browser = start(language)
    device.will({"present": EVERYTHING["present"] | LOCAL[language]})
    come(device, browser, "form")
    said = words(language)
    assert browser.button(said["cancel"]).is_displayed()
    assert browser.button(said["web"]).is_displayed()
    assert browser.language == language
    assert problems(browser, f"sso-form-{language}", ["light", "phone"]) == []


@pytest.mark.parametrize(("language", "names"), [
    ("en-US", ("Acme Sign-In", "Acme")), ("ja", ("Acme Sign-In", "Acme")), ("ko", ("Acme Sign-In", "Acme")),
    ("en-GB", (LONG, LONG)), ("en-AU", (RIGHT_TO_LEFT, RIGHT_TO_LEFT)),
])
def test_the_desktops_own_page(start: Callable, language: str, names: tuple[str, str]) -> None:
    """For programs that have neither a tab nor a terminal: the same card."""
    device, browser = start(language, names)
    form = EVERYTHING["present"] | LOCAL.get(language, {}) | ({"title": names[0]} if names[0] != "Acme Sign-In" else {})
    device.will({"present": form})
    asking = subprocess.Popen(
        ["curl", "--silent", "--unix-socket", device.socket, "--data",
         json.dumps({"url": f"{device.provider.origin}/realms/acme", "presentation": "desktop"}),
         "http://localhost/v1/requests"], stdout=subprocess.PIPE)
    try:
        name = f"sso-desktop-{language}"
        page = device.opened(1)
        browser.open(page)
        found = problems(browser, name, ["light", "phone-dark"] if language == "en-US" else ["light", "phone"])
        who = browser.driver.find_element("css selector", ".who").get_attribute("textContent")
        assert "\u202e" not in who and len(who) < 600
        assert browser.language == language[:2]
        browser.press(words(language[:2])["cancel"])
        browser.wait_for_heading({"ja": "完了しました", "ko": "완료되었습니다"}.get(language, "Done"))
        found += problems(browser, f"{name}-done", ["light"])
        assert json.loads(asking.communicate(timeout=20)[0])["outcome"] == "canceled"
        assert found == []
    finally:
        asking.kill()
        asking.wait()


def test_catalogues_say_the_same() -> None:
    english = words("en")
    for language in ("ja", "ko"):
        other = words(language)
        assert other.keys() == english.keys()
        for name, sentence in english.items():
            assert sorted(w for w in ("$1", "$2") if w in other[name]) == sorted(w for w in ("$1", "$2") if w in sentence)


def test_the_colours_are_those_of_the_servers_pages() -> None:
    def tokens(file: Path) -> set[str]:
        return {line.strip() for line in file.read_text().splitlines() if line.strip().startswith("--") and ": #" in line}

    servers = RESOURCES.parents[2] / "Server" / "ServerPages" / "Resources" / "lanyard.css"
    assert tokens(RESOURCES / "page.css") - tokens(servers) == set()
