"""An app whose return URL leads on to another of its addresses, as from `api.…` to `www.…`."""

import secrets
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from chromium import Chromium
from lanyard_tool import Tool
from local_site import Document, LocalSite
from scene import Scene
from visit import Visit


@pytest.fixture
def sites() -> Iterator[tuple[LocalSite, LocalSite]]:
    with LocalSite() as callback, LocalSite() as front:
        there = front.show("/welcome", "<!doctype html><title>App</title><main><h1>Welcome</h1></main>")
        callback.paths["/callback"] = lambda _: Document("", headers={"Location": there}, status=302)
        yield callback, front


@pytest.fixture
def authorize(scene: Scene, sites: tuple[LocalSite, LocalSite]) -> Iterator[str]:
    """The address to which the app sends people, up to its parameters."""
    client_id = f"com.example.two-origins-{secrets.token_hex(4)}"
    tool = Tool(scene.folder)
    tool.json(
        "app", "create", "Two Origins", "--client-id", client_id, "--team", "Quizzler Inc.", "--scope", "name",
        "--return-url", f"{sites[0].origin}/callback", "--development")
    parameters = {"client_id": client_id, "redirect_uri": f"{sites[0].origin}/callback", "response_type": "code"}
    yield f"{scene.base_url}/auth/authorize?{urlencode(parameters)}"
    tool.json("app", "remove", client_id)


def test_the_person_arrives_from_every_form(
    browser: Chromium, scene: Scene, sites: tuple[LocalSite, LocalSite], authorize: str
) -> None:
    visit, account = Visit(browser, scene), scene.account("instructor")
    arrival = f"{sites[1].origin}/welcome"

    def arrive(label: str, by: str) -> None:
        browser.button(label).click()
        browser.wait(lambda _: browser.url == arrival, f"the app's own page, {by}")

    browser.open(f"{authorize}&response_mode=form_post&scope=name")
    visit.sign_in(account)
    arrive("Continue", "by way of a form to the app")
    assert "code" in sites[0].posted["/callback"]

    browser.open(authorize)
    arrive("Continue", "by redirects after the welcome")

    browser.driver.execute_cdp_cmd("Network.clearBrowserCookies", {})
    browser.open(authorize)
    browser.fill("username", account.username)
    browser.fill("password", account.password)
    arrive("Sign in", "by redirects after signing in")
