"""The script for web pages of apps, as the real server serves it, on pages of another origin."""

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from app_page import COMPATIBLE, LISTEN, AppPage, meta, script
from chromium import Chromium, start_chromium
from foreign_client import PRODUCTION_SCOPES
from local_site import Document, LocalSite, first_values
from provider import Provider
from scene import Scene
from visit import Visit

VERSION_4 = r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
BUTTON = '<div id="appleid-signin"></div>'
SUCCESS = {
    "authorization": {"code": "c-1", "id_token": "h.p.s", "state": "st"},
    "user": {"email": "maria@example.org", "name": {"firstName": "Maria", "lastName": "Ruiz"}},
}


@pytest.fixture
def provider(app_page: AppPage) -> Iterator[Provider]:
    """A stand-in to which the page's meta tags lead."""
    with LocalSite() as site:
        yield Provider(site)


def open_with_provider(app_page: AppPage, provider: Provider, body: str = "", **options: Any) -> None:
    tags = meta(dev_env="dev", dev_uri=provider.site.origin)
    app_page.open(tags + LISTEN + script(app_page.server + COMPATIBLE.format(locale="en_US")), body)
    app_page.init(usePopup=True, **options)


# Loading.


def test_the_compatible_path_defines_the_known_global(app_page: AppPage) -> None:
    app_page.open()
    assert app_page.run("return Object.keys(AppleID.auth).sort()") == ["init", "renderButton", "signIn"]
    assert app_page.run("return typeof Lanyard") == "undefined"


def test_the_plain_path_defines_both_globals(app_page: AppPage) -> None:
    app_page.open(LISTEN + script(f"{app_page.server}/lanyard.js"))
    assert app_page.run("return window.Lanyard === window.AppleID")
    app_page.run("Lanyard.auth.init(arguments[0]); Lanyard.auth.signIn()", app_page.options)
    app_page.browser.wait(lambda driver: driver.current_url.startswith(app_page.server), "the server is asked")


def test_beside_another_script_of_that_name_it_keeps_to_its_own(app_page: AppPage) -> None:
    other = "<script>window.AppleID = {auth: {init() {}}}; window.other = AppleID</script>"
    app_page.open(
        meta(client_id="of.another", redirect_uri="https://another.example") + LISTEN + other
        + script(f"{app_page.server}/lanyard.js"),
        BUTTON + '<div id="lanyard-signin"></div>')
    assert app_page.run("return AppleID === other && Lanyard !== AppleID")
    assert app_page.error_of("Lanyard.auth.signIn()") == 'The "init" function must be called first.'
    app_page.run("Lanyard.auth.init(arguments[0])", app_page.options)
    assert app_page.browser.texts("#lanyard-signin") == ["Sign in with Lanyard"]
    assert app_page.browser.texts("#appleid-signin") == [""]


def test_module_loaders_get_the_api_and_no_global(app_page: AppPage) -> None:
    address = f"{app_page.server}/lanyard.js"
    app_page.open("<script>window.module = {exports: {}}</script>" + script(address))
    assert app_page.run("return typeof module.exports.auth.signIn") == "function"
    assert app_page.run("return typeof AppleID + typeof Lanyard") == "undefinedundefined"

    app_page.open(
        "<script>window.define = (needs, build) => { window.built = build(...needs) }; define.amd = {}</script>"
        + script(address))
    assert app_page.run("return typeof built.auth.signIn") == "function"
    assert app_page.run("return typeof AppleID + typeof Lanyard") == "undefinedundefined"


def test_in_a_bundle_the_server_must_be_named(app_page: AppPage) -> None:
    app_page.open("<script>window.module = {exports: {}}</script>")
    source = "fetch(arguments[0]).then((answer) => answer.text()).then((text) => { (0, eval)(text); done() })"
    app_page.browser.driver.execute_async_script(
        f"const done = arguments[arguments.length - 1]; {source}", f"{app_page.server}/lanyard.js")
    app_page.run("module.exports.auth.init(arguments[0])", app_page.options)
    assert "dev-uri" in app_page.error_of("module.exports.auth.signIn()")
    app_page.run(
        "const tag = document.createElement('meta'); tag.name = 'appleid-signin-dev-uri'; tag.content = arguments[0]"
        "; document.head.append(tag); module.exports.auth.signIn()", app_page.server)
    app_page.browser.wait(lambda driver: driver.current_url.startswith(app_page.server), "the server is asked")


@pytest.mark.parametrize("way", ["in the head", "deferred", "async", "added when the page was complete"])
def test_pages_hear_that_it_is_loaded_once(app_page: AppPage, way: str) -> None:
    address = app_page.server + COMPATIBLE.format(locale="en_US")
    attribute = {"deferred": "defer", "async": "async"}.get(way, "")
    is_added = way.startswith("added")
    app_page.open(LISTEN + ("" if is_added else f'<script {attribute} src="{address}"></script>'))
    if is_added:
        # Listens only when the element says that it has loaded, as loaders do.
        app_page.run(
            """
            const element = document.createElement("script")
            element.src = arguments[0]
            element.onload = () => document.addEventListener("AppleIDSigInLoaded", () => heard.push({name: "late"}))
            document.head.append(element)
            """, address)
        app_page.browser.wait(lambda _: app_page.heard("late"), "a late listener is told")
    app_page.browser.wait(lambda _: app_page.heard("AppleIDSigInLoaded"), "the event")
    assert len(app_page.heard("AppleIDSigInLoaded")) == 1


# Options.


ERRORS = [
    ({"clientId": 1}, 'The "clientId" should be a string.'),
    ({"clientId": None, "redirectURI": None}, 'The "clientId" should be a string.'),
    ({"redirectURI": ["https://app.example"]}, 'The "redirectURI" should be a string.'),
    ({"scope": ["name"]}, 'The "scope" should be a string.'),
    ({"state": 7}, 'The "state" should be a string.'),
    ({"nonce": False}, 'The "nonce" should be a string.'),
    ({"usePopup": "true"}, 'The "usePopup" should be boolean.'),
    ({"codeChallenge": 1}, 'The "codeChallenge" should be a string.'),
    ({"codeChallengeMethod": 1}, 'The "codeChallengeMethod" should be a string.'),
]


@pytest.mark.parametrize(("options", "message"), ERRORS, ids=[message for _, message in ERRORS])
def test_options_of_the_wrong_kind_are_refused(app_page: AppPage, options: dict[str, Any], message: str) -> None:
    app_page.open()
    call = "AppleID.auth.init(arguments[0])"
    assert app_page.error_of(call, app_page.options | options) == message
    assert app_page.error_of("AppleID.auth.signIn()") == 'The "init" function must be called first.'
    app_page.init()
    if "clientId" not in options:
        assert app_page.error_of("AppleID.auth.signIn(arguments[0])", options) == message


def test_what_is_required_must_be_there(app_page: AppPage) -> None:
    app_page.open()
    assert app_page.error_of("AppleID.auth.init()") == 'The "clientId" should be a string.'
    assert app_page.error_of("AppleID.auth.init({clientId: 'a'})") == 'The "redirectURI" should be a string.'
    app_page.init()
    for config in ("'x'", "null", "1"):
        assert app_page.error_of(f"AppleID.auth.signIn({config})") == 'The "signinConfig" must be "object".'


def test_a_popup_needs_promises(app_page: AppPage) -> None:
    app_page.open()
    app_page.init(usePopup=True)
    code = "window.kept = Promise; window.Promise = undefined; try { AppleID.auth.signIn() } finally { Promise = kept }"
    assert app_page.error_of(code) == "Promise is required to use popup, please use polyfill."


def test_meta_tags_alone_are_enough(app_page: AppPage) -> None:
    tags = meta(
        client_id="com.example.tags", redirect_uri="https://tags.example/cb", scope="name email", state="s t",
        nonce="n", use_popup="true", code_challenge="ch", code_challenge_method="S256")
    app_page.open(tags + LISTEN + script(app_page.server + COMPATIBLE.format(locale="en_US")), BUTTON)
    assert app_page.browser.texts("#appleid-signin") == ["Sign in with Lanyard"]
    app_page.begin()
    url = app_page.in_popup(lambda driver: driver.current_url)
    assert re.fullmatch(
        re.escape(app_page.server) + r"/auth/authorize\?client_id=com\.example\.tags"
        r"&redirect_uri=https%3A%2F%2Ftags\.example%2Fcb&response_type=code%20id_token&state=s%20t"
        r"&scope=name%20email&nonce=n&code_challenge=ch&code_challenge_method=S256&response_mode=web_message"
        rf"&frame_id={VERSION_4}&m=21&v=\d+\.\d+\.\d+", url), url


def test_what_init_says_wins_over_meta_tags(app_page: AppPage) -> None:
    tags = meta(client_id="com.example.tags", redirect_uri="https://tags.example/cb", state="of-tag", use_popup="true")
    app_page.open(tags + LISTEN + script(app_page.server + COMPATIBLE.format(locale="en_US")))
    app_page.init(usePopup=False)
    query = sign_in_by_redirect(app_page)
    assert query["client_id"] == "com.example.app"
    assert query["redirect_uri"] == app_page.options["redirectURI"]
    assert (query["state"], query["response_mode"], query["m"]) == ("of-tag", "form_post", "31")


def sign_in_by_redirect(app_page: AppPage, overrides: dict[str, Any] | None = None) -> dict[str, str]:
    """The parameters with which the page is left."""
    app_page.run("window.returned = AppleID.auth.signIn(arguments[0] || undefined)", overrides)
    app_page.browser.wait(lambda driver: driver.current_url.startswith(app_page.server), "the server is asked")
    path, query = app_page.browser.url.split("?")
    assert path == f"{app_page.server}/auth/authorize"
    return first_values(query)


# The request.


def test_without_a_popup_the_page_is_left(app_page: AppPage) -> None:
    app_page.open()
    app_page.init(scope="name email", state="a&b=c#d é", nonce="")
    assert app_page.run("return AppleID.auth.signIn() === undefined")
    app_page.browser.wait(lambda driver: driver.current_url.startswith(app_page.server), "the server is asked")
    callback = app_page.options["redirectURI"].replace(":", "%3A").replace("/", "%2F")
    assert re.fullmatch(
        re.escape(app_page.server) + rf"/auth/authorize\?client_id=com\.example\.app&redirect_uri={callback}"
        r"&response_type=code%20id_token&state=a%26b%3Dc%23d%20%C3%A9&scope=name%20email&response_mode=form_post"
        rf"&frame_id={VERSION_4}&m=11&v=\d+\.\d+\.\d+", app_page.browser.url), app_page.browser.url


def test_a_sign_in_may_ask_for_something_else_but_not_as_another_app(app_page: AppPage) -> None:
    app_page.open()
    app_page.init(scope="name", state="1", usePopup=True)
    query = sign_in_by_redirect(
        app_page,
        {"clientId": "com.other", "scope": "email", "state": "2", "nonce": "n", "redirectURI": "https://x.example/",
         "usePopup": False, "codeChallenge": "c", "codeChallengeMethod": "S256"})
    expected = {
        "client_id": "com.example.app", "scope": "email", "state": "2", "nonce": "n",
        "redirect_uri": "https://x.example/", "response_mode": "form_post", "code_challenge": "c",
        "code_challenge_method": "S256",
    }
    assert {name: query[name] for name in expected} == expected


def test_an_override_lasts_for_one_sign_in(app_page: AppPage, provider: Provider) -> None:
    open_with_provider(app_page, provider, state="1")
    provider.will_answer(SUCCESS)
    app_page.begin({"state": "2"})
    app_page.wait_for("settled")
    app_page.begin()
    app_page.wait_for("settled", count=2)
    assert [request["state"] for request in provider.requests] == ["2", "1"]
    assert len({request["frame_id"] for request in provider.requests}) == 2


def test_the_server_may_have_a_path_and_a_page_may_name_another(app_page: AppPage, provider: Provider) -> None:
    # The script's own path tells where the server is, below a prefix too.
    source = provider.site
    source.paths["/id/lanyard.js"] = source.paths["/script.js"]
    app_page.open()
    content = app_page.browser.driver.execute_async_script(
        "fetch(arguments[0]).then((a) => a.text()).then(arguments[1])", f"{app_page.server}/lanyard.js")
    source.paths["/id/lanyard.js"] = lambda _: Document(content, "text/javascript; charset=utf-8")
    app_page.open(LISTEN + script(f"{source.origin}/id/lanyard.js?v=2"))
    app_page.run("AppleID.auth.init(arguments[0]); AppleID.auth.signIn()", app_page.options)
    app_page.browser.wait(lambda driver: "/id/auth/authorize?" in driver.current_url, "the prefix is kept")

    app_page.open(
        meta(dev_uri=f"{app_page.server}/", dev_path="/else/where") + LISTEN + script(f"{source.origin}/id/lanyard.js"))
    app_page.run("AppleID.auth.init(arguments[0]); AppleID.auth.signIn()", app_page.options)
    app_page.browser.wait(
        lambda driver: driver.current_url.startswith(f"{app_page.server}/else/where?"), "the meta tags win")


# The window.


def test_a_window_in_the_middle_tells_promise_and_event(app_page: AppPage, provider: Provider) -> None:
    open_with_provider(app_page, provider)
    # The window of a browser without a screen is as large as it likes; what is asked for tells more.
    app_page.run("const own = open; window.open = (...all) => { window.asked = all; return own(...all) }")
    app_page.begin()
    app_page.wait_for_popup()
    url, name, features = app_page.run("return asked")
    assert url.startswith(f"{provider.site.origin}/auth/authorize?")
    assert name == "_blank"
    middle = app_page.run("return [screenX + outerWidth / 2, screenY + outerHeight / 2]")
    left, top = (round(place) - 350 for place in middle)
    assert features == f"popup=yes,width=700,height=700,left={left},top={top}"
    provider.will_answer(SUCCESS)
    app_page.in_popup(lambda driver: driver.refresh())

    assert app_page.wait_for("settled") == [["resolved", SUCCESS]]
    [event] = app_page.heard()
    assert event["name"] == "AppleIDSignInOnSuccess"
    assert event["isSame"], "detail.data is the result too"
    assert json.loads(event["text"]) == SUCCESS
    app_page.wait_until_alone()


@pytest.mark.parametrize("code", ["user_cancelled_authorize", "invalid_request"])
def test_a_refusal_tells_promise_and_event(app_page: AppPage, provider: Provider, code: str) -> None:
    provider.will_answer({"error": code})
    open_with_provider(app_page, provider)
    app_page.begin()
    assert app_page.wait_for("settled") == [["rejected", {"error": code}]]
    [event] = app_page.heard()
    assert (event["name"], json.loads(event["text"]), event["isSame"]) == (
        "AppleIDSignInOnFailure", {"error": code}, True)
    app_page.wait_until_alone()


def test_a_window_that_the_person_closes(app_page: AppPage, provider: Provider) -> None:
    open_with_provider(app_page, provider)
    app_page.begin()
    app_page.in_popup(lambda driver: driver.close())
    assert app_page.wait_for("settled") == [["rejected", {"error": "popup_closed_by_user"}]]
    assert [json.loads(event["text"]) for event in app_page.heard()] == [{"error": "popup_closed_by_user"}]


def test_a_second_sign_in_ends_the_first(app_page: AppPage, provider: Provider) -> None:
    open_with_provider(app_page, provider)
    app_page.begin()
    first = app_page.wait_for_popup()
    provider.will_answer(SUCCESS)
    app_page.begin()
    assert app_page.wait_for("settled", count=2) == [
        ["rejected", {"error": "user_trigger_new_signin_flow"}], ["resolved", SUCCESS]]
    assert first not in app_page.windows
    assert [event["name"] for event in app_page.heard()] == ["AppleIDSignInOnFailure", "AppleIDSignInOnSuccess"]
    app_page.wait_until_alone()


NOISE = [
    "no JSON", "null", "1", '"text"', "[]", "{}",
    json.dumps({"method": "other", "data": SUCCESS}), json.dumps({"method": "oauthDone"}),
    json.dumps({"method": "oauthDone", "data": None}), json.dumps({"method": "oauthDone", "data": "text"}),
]


def test_only_the_agreed_message_counts(app_page: AppPage, provider: Provider) -> None:
    provider.messages = [*NOISE, json.dumps({"method": "oauthDone", "data": SUCCESS})]
    open_with_provider(app_page, provider)
    app_page.begin()
    assert app_page.wait_for("settled") == [["resolved", SUCCESS]]
    assert len(app_page.heard()) == 1


def test_messages_of_strangers_do_not_count(app_page: AppPage, provider: Provider) -> None:
    open_with_provider(app_page, provider)
    app_page.begin()
    app_page.wait_for_popup()
    forged = json.dumps({"method": "oauthDone", "data": {"authorization": {"code": "forged", "id_token": "f"}}})
    # The page itself, and a frame of the right origin that is not the window.
    app_page.run("postMessage(arguments[0], '*')", forged)
    provider.site.show(
        "/frame", f"<!doctype html><script>parent.postMessage({json.dumps(forged)}, '*')</script>")
    app_page.browser.driver.execute_async_script(
        """
        const [address, done] = arguments
        addEventListener("message", (event) => { if (event.origin === new URL(address).origin) done() })
        const frame = document.createElement("iframe")
        frame.src = address
        document.body.append(frame)
        """, f"{provider.site.origin}/frame")
    assert app_page.settled() == [None]
    provider.will_answer(SUCCESS)
    app_page.in_popup(lambda driver: driver.refresh())
    assert app_page.wait_for("settled") == [["resolved", SUCCESS]]


def test_a_window_of_another_origin_does_not_count(app_page: AppPage, provider: Provider) -> None:
    """The window itself, but led to another site."""
    open_with_provider(app_page, provider)
    app_page.begin()
    with LocalSite() as stranger:
        forged = json.dumps({"method": "oauthDone", "data": {"authorization": {"code": "f", "id_token": "f"}}})
        address = stranger.show("/", f"<!doctype html><script>opener.postMessage({json.dumps(forged)}, '*')</script>")
        app_page.in_popup(lambda driver: driver.get(address))
        app_page.in_popup(lambda driver: driver.close())
        assert app_page.wait_for("settled") == [["rejected", {"error": "popup_closed_by_user"}]]


def test_a_window_without_the_page_that_opened_it_says_so(app_page: AppPage, provider: Provider) -> None:
    provider.will_answer(SUCCESS)
    query = urlencode({"redirect_uri": "https://app.example/cb"})
    app_page.browser.open(f"{provider.site.origin}/auth/authorize?{query}")
    assert app_page.browser.text == "You can close this window."


def test_the_way_through_the_server_keeps_the_window_in_touch(app_page: AppPage, scene: Scene) -> None:
    """Over a redirect, from page to page, and to an error: the app still sees its window, and the window the app."""
    browser = app_page.browser
    app_page.open()
    query = urlencode({
        "client_id": scene.app.client_id, "redirect_uri": scene.app.return_url, "response_type": "code",
        "scope": PRODUCTION_SCOPES, "state": "s"})
    app_page.run("window.popup = open(arguments[0], '_blank', 'popup')",
                 f"{scene.base_url}/auth/oauth2/v2/authorize?{query}")

    def walk(driver) -> list[tuple[str, bool]]:
        def look() -> tuple[str, bool]:
            return browser.heading, driver.execute_script("return opener !== null")

        browser.wait(lambda _: browser.texts("[name=username]"), "the sign-in page")
        seen = [look()]
        Visit(browser, scene).sign_in(scene.account("instructor"))
        seen.append(look())
        browser.open(f"{scene.base_url}/auth/oauth2/v2/authorize?client_id=org.nobody")
        return [*seen, look()]

    assert app_page.in_popup(walk) == [
        (f"Sign in to connect {scene.app.name}", True),
        (f"Only an Administrator or Site Manager can connect {scene.app.name}", True),
        ("This app’s request is not complete", True)]
    assert app_page.run("return popup.closed") is False


@pytest.mark.parametrize(
    ("policy", "outcome"),
    [("same-origin-allow-popups", ["resolved", SUCCESS]), ("same-origin", ["rejected", {"error": "popup_closed_by_user"}])])
def test_a_page_may_isolate_itself_but_not_from_its_windows(
    app_page: AppPage, provider: Provider, policy: str, outcome: list[Any]
) -> None:
    provider.will_answer(SUCCESS)
    tags = meta(dev_uri=provider.site.origin)
    head = tags + LISTEN + script(app_page.server + COMPATIBLE.format(locale="en_US"))
    app_page.open(head, Cross_Origin_Opener_Policy=policy, Cross_Origin_Embedder_Policy="require-corp")
    app_page.init(usePopup=True)
    app_page.begin()
    assert app_page.wait_for("settled") == [outcome]


@pytest.fixture(scope="module")
def blocking_browser() -> Iterator[Chromium]:
    driver = start_chromium(blocks_popups=True)
    yield Chromium(driver)
    driver.quit()


def test_a_browser_that_blocks_the_window(blocking_browser: Chromium, scene: Scene) -> None:
    # Begun by nobody's click: the page does it on its own.
    begin = """
    <script>
    window.settled = []
    AppleID.auth.signIn().then(() => settled.push("resolved"), (error) => settled.push(["rejected", error]))
    </script>
    """
    with LocalSite() as site:
        page = AppPage(blocking_browser, site, scene)
        tags = meta(client_id="a", redirect_uri=site.origin, use_popup="true")
        address = scene.base_url + COMPATIBLE.format(locale="en_US")
        init = "<script>AppleID.auth.init()</script>"
        page.open(tags + LISTEN + script(address) + init + begin)
        assert page.wait_for("settled") == [["rejected", {"error": "popup_blocked_by_browser"}]]
        assert [json.loads(event["text"]) for event in page.heard()] == [{"error": "popup_blocked_by_browser"}]
        assert page.popups == []


# The button starts a sign-in.


@pytest.mark.parametrize("way", ["click", "Enter", "space"])
def test_the_button_begins_a_sign_in(app_page: AppPage, provider: Provider, way: str) -> None:
    provider.will_answer(SUCCESS)
    open_with_provider(app_page, provider, BUTTON)
    button = app_page.browser.driver.find_element("css selector", "#appleid-signin [role=button]")
    if way == "click":
        button.click()
    else:
        button.send_keys({"Enter": "\ue007", "space": " "}[way])
    app_page.browser.wait(lambda _: app_page.heard(), "the event")
    app_page.wait_until_alone()
    assert [event["name"] for event in app_page.heard()] == ["AppleIDSignInOnSuccess"]
    assert [request["m"] for request in provider.requests] == ["12"]


def test_a_failure_after_the_button_is_no_unhandled_rejection(app_page: AppPage, provider: Provider) -> None:
    provider.will_answer({"error": "user_cancelled_authorize"})
    open_with_provider(app_page, provider, BUTTON)
    app_page.run("window.unhandled = 0; addEventListener('unhandledrejection', () => { unhandled += 1 })")
    app_page.browser.driver.find_element("css selector", "#appleid-signin [role=button]").click()
    app_page.browser.wait(lambda _: app_page.heard(), "the event")
    assert app_page.run("return unhandled") == 0


def test_the_button_leaves_the_page_without_a_popup(app_page: AppPage) -> None:
    app_page.open(body=BUTTON)
    app_page.init()
    app_page.browser.driver.find_element("css selector", "#appleid-signin [role=button]").click()
    app_page.browser.wait(
        lambda driver: driver.current_url.startswith(f"{app_page.server}/auth/authorize?"), "the server is asked")
    assert "&m=12&" in app_page.browser.url
