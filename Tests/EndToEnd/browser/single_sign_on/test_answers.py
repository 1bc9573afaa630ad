"""A page load that a profile covers, from the browser to the extension and back: with the real broker, the real native host
and Chromium."""

import pytest
from bridged_chromium import BridgedChromium
from device import CANCELS, DECLINES, Device, form, redirection, response
from local_site import Document
from processes import wait_until


def test_one_form_then_cookies_and_the_page(browser: BridgedChromium, device: Device) -> None:
    """Loading a page that wants to know who one is starts it; the extension asks once, and the page shows the name."""
    device.will(form(), redirection(f"{device.app.origin}/welcome?code=1", "session=of-nadia; Path=/; HttpOnly"))
    device.app.show("/start", f'<!doctype html><title>start</title><a href="{device.provider.origin}/realms/acme/auth?x=1">in</a>')
    browser.open(f"{device.app.origin}/start")
    browser.driver.find_element("tag name", "a").click()
    browser.wait_for_heading("Sign in to Acme")

    assert "Acme Sign-In" in browser.text
    assert "Signs you in with Acme Sign-In" in browser.text
    assert f"You are signing in at {device.provider.origin.removeprefix('http://')}." in browser.text
    assert f"You came from {device.app.origin.removeprefix('http://')}." in browser.text
    assert browser.focused == "user"
    browser.fill("user", "nadia")
    browser.fill("password", "correct horse\n")
    browser.wait_for_title("welcome")

    assert browser.url == f"{device.app.origin}/welcome?code=1"
    assert device.noted("presented") == [{"submitted": {"_0": {"user": "nadia", "password": "correct horse"}}}]
    browser.open(f"{device.provider.origin}/other")
    (cookie,) = browser.driver.get_cookies()
    assert (cookie["name"], cookie["value"], cookie["httpOnly"]) == ("session", "of-nadia", True)


def test_the_login_page_is_not_loaded(browser: BridgedChromium, device: Device) -> None:
    asked = []
    device.provider.paths["/realms/acme/auth"] = lambda parameters: asked.append(parameters)
    device.will(redirection(f"{device.app.origin}/welcome"))
    browser.open(f"{device.provider.origin}/realms/acme/auth?y=2")
    browser.wait_for_title("welcome")
    assert asked == []


def test_the_extension_gets_the_whole_url_and_who_asks(browser: BridgedChromium, device: Device) -> None:
    url = f"{device.provider.origin}/realms/acme/auth?scope=a%20b&state=%26%3D&x=%E3%81%82#part"
    device.app.show("/start", f'<!doctype html><title>start</title><a href="{url}">in</a>')
    device.will(redirection(f"{device.app.origin}/welcome"))
    browser.open(f"{device.app.origin}/start")
    browser.driver.find_element("tag name", "a").click()
    browser.wait_for_title("welcome")

    (request,) = device.noted("begin")
    assert request["url"] == url
    assert request["options"]["initiatorOrigin"] == device.app.origin
    assert request["options"]["initiatingAction"] == 0
    # The browser is the caller, not the program in between.
    assert "chromium" in request["caller"]["bundleIdentifier"]
    # The fragment stays, as with a redirection in a browser whose target has none.
    assert browser.url == f"{device.app.origin}/welcome#part"


def test_a_small_form_reaches_the_site_by_post(browser: BridgedChromium, device: Device) -> None:
    page = f"""<html><body onload="document.forms[0].submit()"><form method="post" action="{device.app.origin}/acs">
        <input type="hidden" name="SAMLResponse" value="PHNhbWw+&amp;&quot;"><input type="hidden" name="submit" value="1">
        <textarea name="lines">one\ntwo</textarea><input type="checkbox" name="unticked"></form>
        <script>document.title = "ran"</script></body></html>"""
    device.will(response(200, [("Content-Type", "text/html"), ("Set-Cookie", "seen=1")], page))
    browser.open(f"{device.provider.origin}/realms/acme/auth?saml")
    browser.wait(lambda: "/acs" in device.app.posted, "the form has arrived")
    assert device.app.posted["/acs"] == {"SAMLResponse": 'PHNhbWw+&"', "submit": "1", "lines": "one\r\ntwo"}
    browser.wait_for_title("App")


def test_a_form_of_the_same_site_is_not_asked_about_again(browser: BridgedChromium, device: Device) -> None:
    """Single sign-on keeps out of the one navigation that follows.

    docs/specifications/extensible-single-sign-on.md, 16.6."""
    page = f'<form method="get" action="/realms/acme/auth"><input name="ticket" value="7"></form>'
    device.will(response(200, [], page))
    browser.open(f"{device.provider.origin}/open/door?first")
    browser.wait_for_title("provider /realms/acme/auth")
    assert browser.url == f"{device.provider.origin}/realms/acme/auth?ticket=7"
    assert len(device.noted("begin")) == 1


@pytest.mark.parametrize(
    ("name", "answer", "reason"),
    [
        ("declined", DECLINES, "extensionDeclined"),
        ("another origin", response(302, [("Location", "http://127.0.0.1/")], url="http://evil.test/"),
         "unusableResponse"),
        ("another status", response(401), "unusableResponse"),
        # The browser decides whether it can use a body.
        ("no form", response(200, [], "<p>Hello</p>"), "answered"),
        ("a form for a script", response(200, [], '<form action="javascript:alert(1)"></form>'), "answered"),
        ("a script as location", redirection("javascript:alert(1)"), "unusableResponse"),
        ("a crash", {"exit": 1}, "extensionCrashed"),
        ("the wrong completion", {"answer": {"headers": {"_0": [["Authorization", "x"]]}}}, "wrongCompletion"),
        ("an error", {"answer": {"failed": {"_0": {
            "domain": "test", "code": 1, "message": "no", "userInfo": {}}}}}, "extensionFailed"),
    ],
)
def test_what_is_no_answer_leads_to_the_web(
    browser: BridgedChromium, device: Device, name: str, answer: dict, reason: str
) -> None:
    """Once, and not in a circle.

    docs/specifications/extensible-single-sign-on.md, 16.10, and 11.7 for the wrong completion."""
    if name == "a crash":
        # A crashed extension is not started for a while. Stop the broker, so that the next test does not wait.
        device.stop_broker()
        device.start_broker()
    device.will(answer)
    known = len(device.log())
    browser.open(f"{device.provider.origin}/realms/acme/auth?why={name.replace(' ', '-')}")
    browser.wait_for_title("provider /realms/acme/auth")
    assert browser.url == f"{device.provider.origin}/realms/acme/auth?why={name.replace(' ', '-')}"
    assert [entry["reason"] for entry in device.log()[known:]] == [reason]
    # The next visit is asked about again.
    if name == "declined":
        before = len(device.log())
        browser.open(f"{device.provider.origin}/realms/acme/auth?again")
        browser.wait_for_title("provider /realms/acme/auth")
        wait_until(lambda: len(device.log()) == before + 1, 10, "the second visit was asked about")
    if name == "a crash":
        device.stop_broker()
        device.start_broker()


@pytest.mark.parametrize(
    ("path", "is_covered"),
    [
        ("/realms/acme", True), ("/realms/acme?q=1", True), ("/realms/acme/auth", True), ("/realms/acme-test", False),
        ("/other", False), ("/open/door", True), ("/realms/ACME", False), ("/other?u=/realms/acme", False),
        ("/other/../realms/acme", True),
    ],
)
def test_prefixes_end_at_segments(browser: BridgedChromium, device: Device, path: str, is_covered: bool) -> None:
    """docs/specifications/extensible-single-sign-on.md, 2.9."""
    device.provider.show("/realms/ACME", "<!doctype html><title>capitals</title>")
    device.will(redirection(f"{device.app.origin}/welcome"))
    browser.open(device.provider.origin + path)
    if is_covered:
        browser.wait_for_title("welcome")
    else:
        browser.wait(lambda: browser.driver.title not in ("", "welcome"), "a page of the provider")
    assert len(device.noted("begin")) == (1 if is_covered else 0)


def test_a_post_goes_to_the_web(browser: BridgedChromium, device: Device) -> None:
    """Chromium would lose its body on the way."""
    device.app.show("/start", f'<!doctype html><form method="post" action="{device.provider.origin}/realms/acme/auth"><input name="a" value="b"></form>')
    browser.open(f"{device.app.origin}/start")
    browser.driver.execute_script("document.forms[0].submit()")
    browser.wait(lambda: "/realms/acme/auth" in device.provider.posted, "the form has arrived")
    assert device.provider.posted["/realms/acme/auth"] == {"a": "b"}
    assert device.noted("begin") == []


def test_a_wrong_password_is_said_aloud_and_the_name_kept(browser: BridgedChromium, device: Device) -> None:
    device.will(form(), form(problem="The password is not right."), redirection(f"{device.app.origin}/welcome"))
    browser.open(f"{device.provider.origin}/realms/acme/auth")
    browser.wait_for_heading("Sign in to Acme")
    browser.fill("user", "nadia")
    browser.fill("password", "wrong\n")
    browser.wait(lambda: browser.driver.find_element("css selector", "[role=alert]"), "the problem")
    assert "The password is not right." in browser.driver.find_element("css selector", "[role=alert]").text
    assert browser.driver.find_element("name", "user").get_attribute("value") == "nadia"
    assert browser.driver.find_element("name", "password").get_attribute("value") == ""
    assert browser.focused == "password"
    browser.fill("password", "right\n")
    browser.wait_for_title("welcome")


def test_a_further_factor_is_asked_for(browser: BridgedChromium, device: Device) -> None:
    code = {"present": {"title": "One more step", "submit": "Continue", "fields": [
        {"name": "code", "label": "Code from your phone", "kind": "oneTimeCode"}]}}
    device.will(form(), code, redirection(f"{device.app.origin}/welcome"))
    browser.open(f"{device.provider.origin}/realms/acme/auth")
    browser.wait_for_heading("Sign in to Acme")
    browser.fill("user", "nadia")
    browser.fill("password", "correct horse\n")
    browser.wait_for_heading("One more step")
    field = browser.driver.find_element("name", "code")
    assert (field.get_attribute("autocomplete"), browser.focused) == ("one-time-code", "code")
    browser.fill("code", "135790\n")
    browser.wait_for_title("welcome")
    assert device.noted("presented") == [
        {"submitted": {"_0": {"user": "nadia", "password": "correct horse"}}}, {"submitted": {"_0": {"code": "135790"}}}]


def test_cancel_stays_and_the_web_is_offered(browser: BridgedChromium, device: Device) -> None:
    """8.12. What a person chose holds as long as the tab stays at the site."""
    device.will(form())
    browser.open(f"{device.provider.origin}/realms/acme/auth?z")
    browser.wait_for_heading("Sign in to Acme")
    browser.press("Cancel")
    browser.wait_for_heading("Sign-in was cancelled")
    assert device.noted("presented") == [{"canceled": {}}]
    browser.press("Continue on the web")
    browser.wait_for_title("provider /realms/acme/auth")
    assert browser.url == f"{device.provider.origin}/realms/acme/auth?z"

    device.will(redirection(f"{device.app.origin}/welcome"))
    browser.open(f"{device.provider.origin}/realms/acme")
    browser.wait_for_title("provider /realms/acme")
    assert device.noted("begin") == []
    browser.open(f"{device.app.origin}/welcome")
    browser.open(f"{device.provider.origin}/realms/acme")
    browser.wait_for_title("welcome")
    assert len(device.noted("begin")) == 1


def test_an_extension_that_cancels_stays_too(browser: BridgedChromium, device: Device) -> None:
    device.will(CANCELS)
    browser.open(f"{device.provider.origin}/realms/acme/auth")
    browser.wait_for_heading("Sign-in was cancelled")


def test_on_the_web_in_the_middle_of_the_form(browser: BridgedChromium, device: Device) -> None:
    device.will(form())
    browser.open(f"{device.provider.origin}/realms/acme/auth")
    browser.wait_for_heading("Sign in to Acme")
    browser.press("Continue on the web")
    browser.wait_for_title("provider /realms/acme/auth")
    # The extension is told to cancel its request.
    device.wait_for("cancel")


def test_an_extension_that_takes_its_time_can_be_left(browser: BridgedChromium, device: Device) -> None:
    device.will({"silence": 1})
    browser.open(f"{device.provider.origin}/realms/acme/auth")
    browser.wait(lambda: browser.heading.startswith("Signing in to"), "the card that waits")
    # Who answers is put above the buttons as soon as it is known.
    browser.wait(lambda: "Acme Sign-In" in browser.text, "who answers is said")
    browser.press("Cancel")
    browser.wait_for_heading("Sign-in was cancelled")
    device.wait_for("cancel")


def test_closing_the_tab_ends_the_request(browser: BridgedChromium, device: Device) -> None:
    device.will(form())
    first = browser.driver.current_window_handle
    browser.driver.switch_to.new_window("tab")
    browser.open(f"{device.provider.origin}/realms/acme/auth")
    browser.wait_for_heading("Sign in to Acme")
    browser.driver.close()
    browser.driver.switch_to.window(first)
    device.wait_for("cancel")


def test_two_tabs_at_once(browser: BridgedChromium, device: Device) -> None:
    """Forms of one extension are shown one after the other, and after the first sign-in the request that waited is asked
    again silently. One form, and both tabs get where they wanted to.

    docs/specifications/extensible-single-sign-on.md, 19.6."""
    device.will(form(), redirection(f"{device.app.origin}/welcome"))
    first = browser.driver.current_window_handle
    browser.open(f"{device.provider.origin}/realms/acme/auth?tab=1")
    browser.wait_for_heading("Sign in to Acme")
    browser.driver.switch_to.new_window("tab")
    second = browser.driver.current_window_handle
    browser.open(f"{device.provider.origin}/realms/acme/auth?tab=2")
    # A request that comes after the first sign-in would be another one, which is asked.
    wait_until(lambda: len(device.noted("begin")) == 2, 20, "the second request has come")
    browser.wait(lambda: browser.heading, "something to see")
    browser.driver.switch_to.window(first)
    browser.fill("password", "x\n")
    browser.wait_for_title("welcome")
    browser.driver.switch_to.window(second)
    browser.wait_for_title("welcome")


def test_a_page_of_the_web_in_another_tab(browser: BridgedChromium, device: Device) -> None:
    """An extension's own page is not asked about, though a profile covers it."""
    device.provider.paths["/realms/acme/login"] = lambda parameters: Document(
        f'<!doctype html><title>login</title><a href="{parameters["back"]}?code=5">done</a>')
    device.will({"page": f"{device.provider.origin}/realms/acme/login?back=$RETURN"},
                redirection(f"{device.app.origin}/welcome"))
    browser.open(f"{device.provider.origin}/realms/acme/auth")
    browser.wait_for_heading("Continue in the other tab")
    first = browser.switch_to_other_tab()
    browser.wait_for_title("login")
    browser.driver.find_element("tag name", "a").click()
    wait_until(lambda: browser.driver.window_handles == [first], 20, "the other tab is closed")
    browser.driver.switch_to.window(first)
    browser.wait_for_title("welcome")
    assert device.noted("presented")[0]["returned"]["_0"].endswith("?code=5")


def test_closing_the_other_tab_cancels(browser: BridgedChromium, device: Device) -> None:
    device.will({"page": f"{device.provider.origin}/realms/acme/auth?back=$RETURN"})
    browser.open(f"{device.provider.origin}/realms/acme/auth")
    browser.wait_for_heading("Continue in the other tab")
    first = browser.switch_to_other_tab()
    browser.driver.close()
    browser.driver.switch_to.window(first)
    browser.wait_for_heading("Sign-in was cancelled")


def test_a_site_that_sends_back_for_ever_is_stopped(browser: BridgedChromium, device: Device) -> None:
    device.app.show("/refuse", f'<!doctype html><meta http-equiv="refresh" content="0;url={device.provider.origin}/realms/acme/auth?state=new">')
    device.will(redirection(f"{device.app.origin}/refuse"))
    browser.open(f"{device.provider.origin}/realms/acme/auth")
    browser.wait(lambda: "asks again and again" in browser.heading, "the circle is seen")
    assert len(device.noted("begin")) == 5
    browser.press("Continue on the web")
    browser.wait_for_title("provider /realms/acme/auth")


def test_an_answer_that_leads_to_itself_is_stopped(browser: BridgedChromium, device: Device) -> None:
    device.will(redirection("$URL"))
    browser.open(f"{device.provider.origin}/realms/acme/auth")
    browser.wait(lambda: "asks again and again" in browser.heading, "the circle is seen")
    device.will(redirection(f"{device.app.origin}/welcome"))
    browser.press("Try again")
    browser.wait_for_title("welcome")


def test_names_with_markup_are_text(browser: BridgedChromium, device: Device) -> None:
    markup = '<img src=x onerror="document.title=\'ran\'"><script>document.title="ran"</script>'
    device.will({"present": {
        "title": f"Sign in {markup}", "text": markup, "problem": markup, "submit": markup,
        "fields": [{"name": "__proto__", "label": markup, "kind": "text", "value": '"><script>'},
                   {"name": "c", "label": markup, "kind": "checkbox", "value": "true"}]}},
        redirection(f"{device.app.origin}/welcome"))
    browser.open(f"{device.provider.origin}/realms/acme/auth")
    browser.wait_for_heading(f"Sign in {markup}")
    assert browser.driver.find_elements("css selector", "main img, main script") == []
    assert "ran" not in (browser.driver.title, "")
    browser.driver.find_element("css selector", "button[type=submit]").click()
    browser.wait_for_title("welcome")
    assert device.noted("presented") == [{"submitted": {"_0": {"__proto__": '"><script>', "c": "true"}}}]


def test_a_page_in_a_frame_shows_and_asks_nothing(browser: BridgedChromium, device: Device) -> None:
    device.will(form())
    page = f"chrome-extension://{browser.extension_id}/page.html#{device.provider.origin}/realms/acme/auth"
    framed = []
    show = device.provider.paths["/realms/acme/auth"]
    device.provider.paths["/realms/acme/auth"] = lambda parameters: framed.append(parameters) or show(parameters)
    device.app.show("/frames", f'<!doctype html><title>frames</title><iframe src="{page}"></iframe><iframe src="{device.provider.origin}/realms/acme/auth?framed"></iframe>')
    browser.open(f"{device.app.origin}/frames")
    browser.wait_for_title("frames")
    browser.wait(lambda: framed, "the provider's own page is in its frame")
    browser.driver.switch_to.frame(0)
    browser.wait(lambda: browser.driver.execute_script("return location.protocol") == "chrome-error:", "the page is refused")
    browser.driver.switch_to.default_content()
    assert device.noted("begin") == []
    browser.driver.get_log("browser")  # Chromium says there that it refuses to show it.


def test_only_the_web_is_gone_on_to(browser: BridgedChromium, device: Device) -> None:
    browser.open(f"chrome-extension://{browser.extension_id}/page.html#javascript:document.title='ran'")
    browser.wait(lambda: browser.driver.title == "Lanyard", "nothing happens")
    assert browser.driver.find_element("tag name", "body").get_attribute("hidden")


def test_an_exception_holds_for_its_url_letter_by_letter(browser: BridgedChromium, device: Device) -> None:
    """A star in a URL opens no other one."""
    device.will(redirection(f"{device.app.origin}/welcome"))
    browser.open(f"chrome-extension://{browser.extension_id}/page.html")
    browser.driver.execute_script("""return (async ([excepted, opened]) => {
        const { suppress } = await import('/suppression.js');
        await suppress((await chrome.tabs.getCurrent()).id, excepted, 'once');
        location.assign(opened);
    })(arguments)""", f"{device.provider.origin}/realms/a*auth", f"{device.provider.origin}/realms/acme/auth")
    browser.wait_for_title("welcome")


def test_an_exception_for_a_url_with_a_star_holds(browser: BridgedChromium, device: Device) -> None:
    device.provider.show("/realms/acme/a*b%7Cc", "<!doctype html><title>star</title>")
    device.will(DECLINES)
    browser.open(f"{device.provider.origin}/realms/acme/a*b|c")
    browser.wait_for_title("star")
    assert len(device.noted("begin")) == 1


def test_fields_that_are_called_like_methods_are_only_fields(browser: BridgedChromium, device: Device) -> None:
    """A form's fields hide what has their name, and a document's forms do."""
    names = ["method", "enctype", "action", "append", "getAttribute", "submit", "elements", "hidden"]
    inputs = "".join(f'<input name="{name}" value="of {name}">' for name in names)
    device.will(response(
        200, [], f'<form name="querySelector" method="post" action="{device.app.origin}/acs">{inputs}</form>'))
    browser.open(f"{device.provider.origin}/realms/acme/auth")
    browser.wait(lambda: "/acs" in device.app.posted, "the form has arrived")
    assert device.app.posted["/acs"] == {name: f"of {name}" for name in names}


def test_the_last_rules_count(browser: BridgedChromium, device: Device) -> None:
    """Many take longer to be set than few."""
    count = browser.in_extension("""return (async () => {
        const { setRules } = await import('/redirect-rules.chromium.js');
        const before = await chrome.declarativeNetRequest.getDynamicRules();
        const urls = (count) => Array.from({ length: count }, (_, i) => `https://id${i}.acme.test/`);
        await Promise.allSettled([setRules(urls(300)), setRules(urls(2))]);
        const { length } = await chrome.declarativeNetRequest.getDynamicRules();
        await chrome.declarativeNetRequest.updateDynamicRules({
            removeRuleIds: Array.from({ length: 1000 }, (_, i) => i + 1), addRules: before });
        return length;
    })()""")
    assert count == 2
