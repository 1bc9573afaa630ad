"""From the button on an app's page through the real server and back."""

import base64
import json
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from app_page import AppPage
from lanyard_tool import Tool
from local_site import LocalSite
from scene import Account
from visit import Visit, words

BUTTON = '<div id="appleid-signin"></div>'


@dataclass
class App:
    """An app that is registered at the server, and its page in a browser."""

    page: AppPage
    name: str
    client_id: str

    def open(self, **options: Any) -> None:
        self.page.open(body=BUTTON)
        options = {"clientId": self.client_id, "scope": "name email", "state": "the state", "nonce": "n-1"} | options
        self.page.init(**options)

    def press(self) -> None:
        self.page.browser.driver.find_element("css selector", "[role=button]").click()

    def go_on(self, account: Account) -> None:
        """Signs in, in the present window, for the first time, up to the page that tells what the app gets."""
        self.page.browser.wait(lambda _: self.page.browser.texts("[name=username]"), "the sign-in page")
        Visit(self.page.browser, self.page.scene).sign_in(account)
        assert self.page.browser.heading == words("en", "creation.heading", app=self.name)


@pytest.fixture
def app(app_page: AppPage) -> Iterator[App]:
    """Nobody has signed in to it yet."""
    name, client_id = "Reading Room", f"com.example.reading-{secrets.token_hex(4)}"
    tool = Tool(app_page.scene.folder)
    tool.json(
        "app", "create", name, "--client-id", client_id, "--team", "Quizzler Inc.", "--scope", "name", "--scope", "email",
        "--return-url", app_page.options["redirectURI"], "--development")
    yield App(app_page, name, client_id)
    tool.json("app", "remove", client_id)


def claims(token: str) -> dict[str, Any]:
    """What an identity token says; its signature is the business of other tests."""
    payload = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))


def person_of(account: Account) -> dict[str, Any]:
    first, last = account.name.split(" ", 1)
    return {"name": {"firstName": first, "lastName": last}} | ({"email": account.email} if account.email else {})


def sign_in_by_button(app: App, account: Account) -> dict[str, Any]:
    """In a window; what the event brings."""
    app.open(usePopup=True)
    app.press()

    def walk(driver) -> None:
        app.go_on(account)
        app.page.browser.button("Continue").click()

    app.page.in_popup(walk)
    [event] = app.page.wait_for("heard")
    app.page.wait_until_alone()
    assert event["name"] == "AppleIDSignInOnSuccess"
    return json.loads(event["text"])


def test_button_and_window(app: App) -> None:
    account = app.page.scene.account("instructor")
    result = sign_in_by_button(app, account)
    assert sorted(result) == ["authorization", "user"]
    assert result["user"] == person_of(account)
    authorization = result["authorization"]
    assert sorted(authorization) == ["code", "id_token", "state"]
    assert authorization["state"] == "the state"
    token = claims(authorization["id_token"])
    assert (token["aud"], token["nonce"]) == (app.client_id, "n-1")


def test_the_second_time_brings_no_user_and_the_promise_the_same_as_the_event(app: App) -> None:
    account = app.page.scene.account("instructor")
    first = sign_in_by_button(app, account)
    app.open(usePopup=True)
    app.page.begin({"state": "another", "nonce": "n-2"})

    def walk(driver) -> None:
        welcome = words("en", "welcome.heading", app=app.name)
        app.page.browser.wait(lambda _: app.page.browser.texts("h1") == [welcome], "no sign-in again")
        app.page.browser.button("Continue").click()

    app.page.in_popup(walk)
    [[outcome, result]] = app.page.wait_for("settled")
    assert outcome == "resolved"
    assert sorted(result) == ["authorization"]
    assert result["authorization"]["state"] == "another"
    again, before = (claims(r["authorization"]["id_token"]) for r in (result, first))
    assert (again["sub"], again["nonce"]) == (before["sub"], "n-2")
    [event] = app.page.heard()
    assert json.loads(event["text"]) == result


def test_saying_no_in_the_window(app: App) -> None:
    app.open(usePopup=True)
    app.page.begin()

    def walk(driver) -> None:
        app.go_on(app.page.scene.account("instructor"))
        app.page.browser.button("Cancel").click()

    app.page.in_popup(walk)
    assert app.page.wait_for("settled") == [["rejected", {"error": "user_cancelled_authorize"}]]
    app.page.wait_until_alone()


def test_an_app_that_asks_for_nothing_gets_no_user(app: App) -> None:
    app.open(usePopup=True, scope="")
    app.page.begin()

    def walk(driver) -> None:
        app.go_on(app.page.scene.account("instructor"))
        app.page.browser.button("Continue").click()

    app.page.in_popup(walk)
    [[outcome, result]] = app.page.wait_for("settled")
    assert outcome == "resolved" and sorted(result) == ["authorization"]
    assert "email" not in claims(result["authorization"]["id_token"])


def test_a_page_of_another_origin_than_the_return_url_hears_nothing(app: App) -> None:
    """The answer goes to the origin of the return URL alone, whoever opened the window."""
    with LocalSite() as stranger:
        elsewhere = App(AppPage(app.page.browser, stranger, app.page.scene), app.name, app.client_id)
        elsewhere.open(usePopup=True, redirectURI=app.page.options["redirectURI"])
        elsewhere.page.run("window.messages = 0; addEventListener('message', () => { messages += 1 })")
        elsewhere.page.begin()

        def walk(driver) -> str:
            elsewhere.go_on(app.page.scene.account("instructor"))
            app.page.browser.press("Continue")
            return app.page.browser.heading

        assert elsewhere.page.in_popup(walk) == words("en", "webMessage.heading", app=app.name)
        elsewhere.page.in_popup(lambda driver: driver.close())
        assert elsewhere.page.wait_for("settled") == [["rejected", {"error": "popup_closed_by_user"}]]
        assert elsewhere.page.run("return messages") == 0


def test_without_a_window_the_app_gets_a_form(app: App) -> None:
    app.open()
    app.press()
    browser = app.page.browser
    account = app.page.scene.account("instructor")
    app.go_on(account)
    browser.button("Continue").click()
    browser.wait(lambda driver: driver.current_url == app.page.options["redirectURI"], "the app's page")
    posted = app.page.site.posted["/callback"]
    assert sorted(posted) == ["code", "id_token", "state", "user"]
    assert posted["state"] == "the state"
    assert json.loads(posted["user"]) == person_of(account)
    assert claims(posted["id_token"])["nonce"] == "n-1"


@pytest.mark.parametrize("problem", [{"clientId": "com.example.nobody"}, {"redirectURI": "https://elsewhere.example/"}])
def test_a_mistake_of_the_app_stays_in_the_window(app: App, problem: dict[str, str]) -> None:
    app.open(usePopup=True, **problem)
    app.page.begin()
    heading = app.page.in_popup(
        lambda _: app.page.browser.wait(lambda _: app.page.browser.texts("h1"), "a page") and app.page.browser.heading)
    cause = "unknownApp" if "clientId" in problem else "unregisteredReturnURL"
    assert heading == words("en", f"error.{cause}")
    assert app.page.settled() == [None]
    app.page.in_popup(lambda driver: driver.close())
    assert app.page.wait_for("settled") == [["rejected", {"error": "popup_closed_by_user"}]]
