"""An app's page that uses the server's script for browsers, and what a test does on it."""

from typing import Any

from chromium import Chromium
from local_site import LocalSite
from scene import Scene

COMPATIBLE = "/appleauth/static/jsapi/appleid/1/{locale}/appleid.auth.js"

# Listens from the first moment on, as a careful page would.
LISTEN = """
<script>
window.heard = []
for (const name of ["AppleIDSigInLoaded", "AppleIDSignInOnSuccess", "AppleIDSignInOnFailure"]) {
    document.addEventListener(name, (event) => heard.push({
        name, detail: event.detail, text: JSON.stringify(event.detail),
        isSame: event.detail !== null && event.detail.data === event.detail,
    }))
}
</script>
"""


def html(head: str = "", body: str = "", language: str = "en") -> str:
    return f"""<!doctype html>
<html lang="{language}"><head><meta charset="utf-8"><title>App</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
{head}</head>
<body><main><h1>App</h1>{body}</main></body></html>
"""


def script(address: str) -> str:
    return f'<script src="{address}"></script>'


def meta(**contents: str) -> str:
    """Meta tags of the script, such as `client_id`."""
    tags = (
        f'<meta name="appleid-signin-{name.replace("_", "-")}" content="{content}">'
        for name, content in contents.items()
    )
    return "\n".join(tags) + "\n"


class AppPage:
    """A page on the app's site, in a browser."""

    def __init__(self, browser: Chromium, site: LocalSite, scene: Scene):
        self.browser = browser
        self.site = site
        self.scene = scene
        self.server = scene.base_url
        self.options = {"clientId": "com.example.app", "redirectURI": f"{site.origin}/callback"}

    def open(
        self, head: str | None = None, body: str = "", language: str = "en", locale: str = "en_US", **headers: str
    ) -> None:
        """Opens a page with the script at its compatible path, or with another head."""
        if head is None:
            head = LISTEN + script(self.server + COMPATIBLE.format(locale=locale))
        self.browser.open(self.site.show("/", html(head, body, language), **headers))

    def run(self, code: str, *arguments: Any) -> Any:
        return self.browser.driver.execute_script(code, *arguments)

    def init(self, **options: Any) -> None:
        self.run("AppleID.auth.init(arguments[0])", self.options | options)

    def error_of(self, code: str, *arguments: Any) -> str | None:
        """The message of what a call throws; None if it throws nothing."""
        return self.run(
            f"try {{ {code} }} catch (error) {{ return error instanceof Error ? error.message : 'no Error' }}"
            "return null", *arguments)

    def begin(self, overrides: dict[str, Any] | None = None) -> None:
        """Calls `signIn`; what comes of it is in `settled`."""
        self.run(
            """
            const index = (window.settled = window.settled || []).push(null) - 1
            AppleID.auth.signIn(arguments[0] || undefined).then(
                (value) => { settled[index] = ["resolved", value] }, (value) => { settled[index] = ["rejected", value] })
            """, overrides)

    def settled(self) -> list[list[Any] | None]:
        return self.run("return window.settled || []")

    def wait_for(self, what: str, count: int = 1) -> list[Any]:
        """The first so many that have settled, or were heard."""
        if what == "settled":
            return self.browser.wait(lambda _: len(some := [s for s in self.settled() if s]) >= count and some, what)
        return self.browser.wait(lambda _: len(some := self.heard()) >= count and some, what)

    def heard(self, of: str = "AppleIDSignInOn") -> list[dict[str, Any]]:
        """The events of that name, or of names that begin so."""
        return [event for event in self.run("return window.heard") if event["name"].startswith(of)]

    # Windows.

    @property
    def windows(self) -> list[str]:
        return self.browser.driver.window_handles

    @property
    def popups(self) -> list[str]:
        return [handle for handle in self.windows if handle != self.browser.window]

    def wait_for_popup(self) -> str:
        return self.browser.wait(lambda _: self.popups, "a window opens")[-1]

    def wait_until_alone(self) -> None:
        self.browser.wait(lambda _: not self.popups, "the window closes")

    def in_popup(self, action, handle: str | None = None) -> Any:
        """Does something in the window that was opened, and comes back."""
        driver = self.browser.driver
        driver.switch_to.window(handle or self.wait_for_popup())
        try:
            return action(driver)
        finally:
            driver.switch_to.window(self.browser.window)
