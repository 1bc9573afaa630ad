"""Firefox holds a navigation and asks, so that the body of a POST arrives too.

docs/specifications/extensible-single-sign-on.md, 20.7."""

import base64
from collections.abc import Iterator

import pytest
from bridged_firefox import BridgedFirefox
from device import DECLINES, Device, form, redirection, response


@pytest.fixture(scope="module")
def shared_firefox(shared_device: Device) -> Iterator[BridgedFirefox]:
    firefox = BridgedFirefox(shared_device)
    yield firefox
    firefox.stop()


@pytest.fixture
def firefox(shared_firefox: BridgedFirefox, device: Device) -> BridgedFirefox:
    """A page of an app with a link and a form that lead to the provider."""
    url = f"{device.provider.origin}/realms/acme/auth"
    device.app.show("/start", f"""<!doctype html><meta charset="utf-8"><title>start</title><a href="{url}?x=1">in</a>
        <form method="post" action="{url}"><input name="SAMLRequest" value="a&amp;ä"></form>""")
    # In a tab of its own, because many visits of one tab to one place count as a circle.
    before, shared_firefox.tab = shared_firefox.tab, shared_firefox.call("browsingContext.create", type="tab")["context"]
    shared_firefox.call("browsingContext.close", context=before)
    shared_firefox.open(f"{device.app.origin}/start")
    shared_firefox.wait_for_title("start")
    # The rules come when the host has started.
    device.will(DECLINES)

    def is_asked() -> bool:
        shared_firefox.open(f"{device.provider.origin}/realms/acme")
        shared_firefox.wait_for_title("provider /realms/acme")
        return bool(device.noted("begin"))

    shared_firefox.wait(is_asked, "the extension asks")
    shared_firefox.open(f"{device.app.origin}/start")
    shared_firefox.wait_for_title("start")
    return shared_firefox


def test_a_redirection_with_cookies(firefox: BridgedFirefox, device: Device) -> None:
    device.will(redirection(f"{device.app.origin}/welcome?code=1", "session=of-nadia; Path=/; HttpOnly"))
    firefox.run("document.querySelector('a').click()")
    firefox.wait_for_title("welcome")
    assert firefox.url == f"{device.app.origin}/welcome?code=1"
    assert firefox.cookies()["session"] == "of-nadia"
    (request,) = device.noted("begin")
    assert request["url"] == f"{device.provider.origin}/realms/acme/auth?x=1"
    assert request["options"]["initiatorOrigin"] == device.app.origin


def test_a_body_that_is_posted_reaches_the_extension(firefox: BridgedFirefox, device: Device) -> None:
    device.will(redirection(f"{device.app.origin}/welcome"))
    firefox.run("document.forms[0].submit()")
    firefox.wait_for_title("welcome")
    (request,) = device.noted("begin")
    assert base64.b64decode(request["body"]) == b"SAMLRequest=a%26%C3%A4"
    # The answer is a redirection: nothing is posted there.
    assert device.app.posted == {}


def test_a_body_that_nobody_wants_goes_on(firefox: BridgedFirefox, device: Device) -> None:
    device.will(DECLINES)
    firefox.run("document.forms[0].submit()")
    firefox.wait(lambda: "/realms/acme/auth" in device.provider.posted, "the form has arrived")
    assert device.provider.posted["/realms/acme/auth"] == {"SAMLRequest": "a&ä"}


def test_a_form_and_the_web_after_it_with_the_body(firefox: BridgedFirefox, device: Device) -> None:
    device.will(form())
    firefox.run("document.forms[0].submit()")
    firefox.wait_for_heading("Sign in to Acme")
    assert "Signs you in with" in firefox.run("document.querySelector('main').textContent")
    firefox.press("Continue on the web")
    firefox.wait(lambda: "/realms/acme/auth" in device.provider.posted, "the form has arrived")
    assert device.provider.posted["/realms/acme/auth"] == {"SAMLRequest": "a&ä"}
    device.wait_for("cancel")


def test_a_form_then_a_small_form_of_the_answer(firefox: BridgedFirefox, device: Device) -> None:
    body = f'<form method="post" action="{device.app.origin}/acs"><input name="SAMLResponse" value="x&amp;y"></form>'
    device.will(form(), response(200, [], body))
    firefox.run("document.querySelector('a').click()")
    firefox.wait_for_heading("Sign in to Acme")
    firefox.run("document.querySelector('[name=user]').value = 'nadia'; document.forms[0].requestSubmit()")
    firefox.wait(lambda: "/acs" in device.app.posted, "the form has arrived")
    assert device.app.posted["/acs"] == {"SAMLResponse": "x&y"}


def test_a_form_with_a_file_goes_as_it_is(firefox: BridgedFirefox, device: Device) -> None:
    """The browser tells a file's name alone: sent again, the form would have lost it."""
    device.will(redirection(f"{device.app.origin}/welcome"))
    firefox.run(f"""
        document.body.insertAdjacentHTML('beforeend', `<form id=upload method=post enctype=multipart/form-data
            action="{device.provider.origin}/realms/acme/auth"><input name=a value=b><input type=file name=f></form>`);
        const files = new DataTransfer();
        files.items.add(new File(['what is in it'], 'name.txt'));
        document.querySelector('[name=f]').files = files.files;
        document.querySelector('#upload').submit();0""")
    firefox.wait_for_title("provider /realms/acme/auth")
    assert device.noted("begin") == []
    assert "what is in it" in str(device.provider.posted["/realms/acme/auth"])


def test_who_tries_again_is_asked_again(firefox: BridgedFirefox, device: Device) -> None:
    device.will(form())
    for number, start in enumerate(["document.querySelector('a').click()", "document.forms[0].submit()"]):
        firefox.run(start)
        firefox.wait_for_heading("Sign in to Acme")
        firefox.press("Cancel")
        firefox.wait_for_heading("Sign-in was cancelled")
        firefox.press("Try again")
        firefox.wait_for_heading("Sign in to Acme")
        firefox.open(f"{device.app.origin}/start")
        firefox.wait_for_title("start")
    bodies = [base64.b64decode(request.get("body") or "") for request in device.noted("begin")]
    assert bodies == [b"", b"", b"SAMLRequest=a%26%C3%A4", b"SAMLRequest=a%26%C3%A4"]


def test_a_site_that_sends_back_for_ever_is_stopped(firefox: BridgedFirefox, device: Device) -> None:
    """A quick answer shows no page of the extension in between, so its background counts."""
    device.app.show("/refuse", f"""<!doctype html><title>refuse</title>
        <script>location.replace('{device.provider.origin}/realms/acme/auth?state=new')</script>""")
    device.will(redirection(f"{device.app.origin}/refuse"))
    firefox.run("document.querySelector('a').click()")
    firefox.wait(lambda: "asks again and again" in firefox.run("document.querySelector('h1')?.textContent ?? ''"),
                 "the circle is seen")
    assert len(device.noted("begin")) == 5
    firefox.press("Continue on the web")
    firefox.wait_for_title("provider /realms/acme/auth")


def test_canceling_stays(firefox: BridgedFirefox, device: Device) -> None:
    device.will(form())
    firefox.run("document.querySelector('a').click()")
    firefox.wait_for_heading("Sign in to Acme")
    firefox.press("Cancel")
    firefox.wait_for_heading("Sign-in was cancelled")
    firefox.press("Continue on the web")
    firefox.wait_for_title("provider /realms/acme/auth")


def test_what_was_posted_is_for_the_tab_alone_that_posted_it(firefox: BridgedFirefox, device: Device) -> None:
    """A number names the navigation, and any site can open the extension's page with a number in a tab of its own."""
    device.will(form())
    firefox.run("document.forms[0].submit()")
    firefox.wait_for_heading("Sign in to Acme")
    page, _, number = firefox.url.split("#")[0].partition("?navigation=")
    firefox.press("Cancel")
    firefox.wait_for_heading("Sign-in was cancelled")
    firefox.open(f"{device.app.origin}/start")
    firefox.wait_for_title("start")
    first = firefox.tab
    other = firefox.call("browsingContext.create", type="tab", background=True)["context"]
    try:
        firefox.tab = other
        firefox.open(f"{device.app.origin}/start")
        firefox.wait_for_title("start")
        firefox.run(f"location.href = '{page}'")
        firefox.wait(lambda: firefox.run("document.title") == "Lanyard", "the page without a navigation")
        firefox.run(f"""
            globalThis.got = [];
            globalThis.asked = 0;
            setInterval(() => {{
                for (let number = {number}; number < {number} + 200; number += 1) {{
                    const port = browser.runtime.connect({{ name: String(number) }});
                    port.onMessage.addListener((message) => got.push(message));
                }}
                asked += 1;
            }}, 200);0""")
        firefox.wait(lambda: firefox.run("asked") > 0, "the other tab asks")
        device.will({"silence": 1})
        firefox.tab = first
        firefox.run("document.forms[0].submit()")
        firefox.wait(lambda: firefox.run("document.querySelector('h1')?.textContent ?? ''").startswith("Signing in to"),
                     "the card that waits")
        firefox.tab = other
        assert firefox.run("JSON.stringify(got)") == "[]"
        firefox.tab = first
        firefox.press("Cancel")
        firefox.wait_for_heading("Sign-in was cancelled")
    finally:
        firefox.tab = first
        firefox.call("browsingContext.close", context=other)


def test_the_page_goes_nowhere_by_itself(firefox: BridgedFirefox, device: Device) -> None:
    device.will(form())
    # A path of its own, because many visits to one path count as a circle.
    firefox.run(f"location.href = '{device.provider.origin}/realms/acme/first'")
    firefox.wait_for_heading("Sign in to Acme")
    page = firefox.url.split("?")[0]
    for address in (page, f"{page}?navigation=1"):
        firefox.open(f"{device.app.origin}/start")
        firefox.wait_for_title("start")
        firefox.run(f"location.href = '{address}#{device.app.origin}/welcome'")
        firefox.wait(lambda: "Do you want to go to" in firefox.run("document.querySelector('h1')?.textContent ?? ''"),
                     "the question")

    def is_there() -> bool:
        # A press that comes too early is ignored, so press until it works.
        return firefox.run("document.querySelector('button.secondary')?.click(), document.title") == "welcome"

    firefox.wait(is_there, "the page “welcome”")


def test_a_forged_fragment_in_the_tab_of_a_navigation_leads_nowhere_else(
    firefox: BridgedFirefox, device: Device
) -> None:
    """Whoever opened the tab may change the fragment of the extension's page, and what is behind it."""
    stolen = f"{device.app.origin}/stolen"
    device.app.show("/stolen", "<!doctype html><title>stolen</title>")
    device.will(form())
    heading = "document.querySelector('h1')?.textContent ?? ''"
    firefox.run("document.forms[0].submit()")
    firefox.wait_for_heading("Sign in to Acme")
    page, _, number = firefox.url.split("#")[0].partition("?navigation=")
    # Changed while the card is shown, the fragment has no effect: the held navigation continues.
    firefox.run(f"location.hash = '#{stolen}'")
    firefox.press("Continue on the web")
    firefox.wait(lambda: "/realms/acme/auth" in device.provider.posted, "the form has arrived")
    # While a navigation is held, its own tab tries each number that the navigation may have.
    device.will({"silence": 1})
    for further in range(1, 7):
        firefox.open(f"{device.app.origin}/start")
        firefox.wait_for_title("start")
        forged = f"{page}?navigation={int(number) + 2 * further}#{stolen}"
        firefox.run(f"""location.href = '{device.provider.origin}/realms/acme/{further}';
            setTimeout(() => {{ location.href = '{forged}' }}, 50 * {further});0""")
        firefox.wait(lambda: firefox.run(heading), "a card")
        assert firefox.run(heading).startswith(("Do you want to go to", "Signing in to"))
        assert firefox.url.startswith(page)
    # And once more when the navigation is over.
    firefox.run("location.reload()")
    firefox.wait(lambda: firefox.run(heading), "a card")
    assert firefox.url.startswith(page)


def test_without_a_broker(firefox: BridgedFirefox, device: Device) -> None:
    device.stop_broker()
    try:
        firefox.run("document.querySelector('a').click()")
        firefox.wait_for_title("provider /realms/acme/auth")
    finally:
        device.start_broker()
