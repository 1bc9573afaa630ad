"""Apps of other companies as programs of their own, and what a person does on the way into one."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import urljoin

import requests
from plain_browser import Page, PlainBrowser
from processes import Program, free_port
from school import AppRegistration, Member, School

APPS = Path(__file__).parent / "apps"


@dataclass(frozen=True)
class Kind:
    """One of the programs in `apps`."""

    file: str
    login: str = "/login"
    callback: str = "/callback"
    # Whether the app asks for the name; some apps ask for less than they could.
    asks_for_name: bool = True


SOCIAL_AUTH = Kind("social_auth.py")
ALLAUTH = Kind("allauth_site.py", "/accounts/apple/login/", "/accounts/apple/login/callback/")
AUTHLIB = Kind("authlib_site.py")
FASTAPI_SSO = Kind("fastapi_site.py", asks_for_name=False)
KINDS = [SOCIAL_AUTH, ALLAUTH, AUTHLIB, FASTAPI_SSO]


@dataclass(frozen=True)
class WebApp:
    kind: Kind
    url: str
    registration: AppRegistration

    @property
    def login_url(self) -> str:
        return self.url + self.kind.login


@contextmanager
def running(
    kind: Kind, school: School, base_url: str, issuer: str | None = None, wrapper: tuple[str | Path, ...] = (),
    **environment: str
) -> Iterator[WebApp]:
    """Registers an app and runs it. `wrapper` is a command that runs it in surroundings of its own."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    client_id = f"com.example.{Path(kind.file).stem.replace('_', '-')}.on-{port}"
    registration = school.register(f"Quizzler {port}", client_id, "--return-url", url + kind.callback)
    file = school.tool.data / f"{client_id}.json"
    settings = asdict(registration) | {"port": port, "base_url": base_url, "issuer": issuer or base_url}
    del settings["name"]
    file.write_text(json.dumps(settings))
    variables = {"AUTHLIB_INSECURE_TRANSPORT": "1"} | environment
    program = Program(
        *wrapper, "/usr/bin/env", *(f"{name}={value}" for name, value in variables.items()), sys.executable,
        APPS / kind.file, file, log=school.tool.data / f"{client_id}.log")
    try:
        program.wait_until(lambda: "ready at" in program.log_text, 60, "the app is ready")
        yield WebApp(kind, url, registration)
    finally:
        print(program.log_text)
        program.stop()


class Visitor:
    """A person with a browser that has cookies and no scripts."""

    def __init__(self, member: Member, browser: PlainBrowser | None = None):
        self.member = member
        self.browser = browser or PlainBrowser()

    def begin(self, app: WebApp) -> Page:
        """From the app to the first page of Lanyard that is no sign-in."""
        page = self.browser.open(app.login_url)
        if page.heading.startswith("Sign in to"):
            page = self.browser.sign_in(page, self.member.account)
        return page

    def agree(self, page: Page, **fields: str) -> Page:
        """On the welcome, or on the page that creates the account; the e-mail address is shared there."""
        choice = {} if self.member.is_managed or not self.member.email else {"email_choice": "share"}
        return Page(self.browser.press("Continue", page, **choice | fields))

    def cancel(self, page: Page) -> Page:
        return Page(self.browser.press(page.way_back, page))

    def deliver(self, page: Page, without_cookies: bool = False) -> dict:
        """Posts the answer to the app, as the script of the page does at once. Returns what the app makes of it.

        Where the app is another site, as all are in real life, browsers keep its `SameSite=Lax` cookies out of the post.
        """
        assert page.heading.startswith("Going back to"), page.heading
        if without_cookies:
            response = PlainBrowser().press("Continue", page)
            self.browser.session.cookies.update(response.cookies)
        else:
            response = self.browser.press("Continue", page)
        while response.is_redirect:
            response = self.browser.session.get(
                urljoin(response.url, response.headers["Location"]), allow_redirects=False, timeout=30)
        return as_json(response)

    def sign_in(self, app: WebApp) -> dict:
        """All the way, with everything said yes to."""
        page = self.begin(app)
        if not page.heading.startswith("Going back to"):
            page = self.agree(page)
        return self.deliver(page)


def as_json(response: requests.Response) -> dict:
    try:
        return response.json()
    except requests.JSONDecodeError:
        return {"status": response.status_code, "page": response.text}
