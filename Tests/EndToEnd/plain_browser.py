"""A browser without scripts: HTTP requests, a cookie jar, and forms as they are on the page."""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urljoin

import requests

from scene import Account


@dataclass
class Form:
    action: str
    fields: dict[str, str] = field(default_factory=dict)
    # The fields that each button sends, by its text.
    buttons: dict[str, dict[str, str]] = field(default_factory=dict)


class Page(HTMLParser):
    """The heading and the forms of a page."""

    def __init__(self, response: requests.Response):
        super().__init__()
        self.url = response.url
        self.status = response.status_code
        self.heading = ""
        self.forms: list[Form] = []
        self._text: list[str] | None = None
        self._button: dict[str, str] = {}
        self.feed(response.text)

    @property
    def plain_heading(self) -> str:
        """The heading without the invisible characters that isolate the direction of names."""
        return self.heading.translate({0x2068: None, 0x2069: None})

    def form(self, button: str) -> Form:
        """The form with a button with this text."""
        for form in self.forms:
            if button in form.buttons:
                return form
        raise LookupError(f"no button “{button}” on “{self.heading}” ({self.status}): {self.forms}")

    @property
    def way_back(self) -> str:
        """The text of the button that returns to the app without consent: Cancel, or Back on the sign-in page."""
        for form in self.forms:
            for name, sent in form.buttons.items():
                if (form.fields | sent).get("decision") == "deny":
                    return name
        raise LookupError(f"no way back on “{self.heading}” ({self.status}): {self.forms}")

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attributes}
        match tag:
            case "form":
                self.forms.append(Form(urljoin(self.url, values["action"])))
            case "input" if self.forms and "name" in values:
                if values.get("type") not in ("radio", "checkbox") or "checked" in values:
                    self.forms[-1].fields[values["name"]] = values.get("value", "")
            case "button":
                self._text = []
                self._button = {values["name"]: values.get("value", "")} if "name" in values else {}
            case "h1":
                self._text = []

    def handle_data(self, data: str) -> None:
        if self._text is not None:
            self._text.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("button", "h1") or self._text is None:
            return
        text, self._text = "".join(self._text).strip(), None
        if tag == "h1":
            self.heading = text
        elif self.forms:
            self.forms[-1].buttons[text] = self._button


class PlainBrowser:
    def __init__(self) -> None:
        self.session = requests.Session()
        self.session.headers["Accept"] = "text/html"
        self.session.headers["Accept-Language"] = "en"

    def open(self, url: str) -> Page:
        return Page(self.session.get(url, timeout=30))

    def press(self, button: str, page: Page, **fields: str) -> requests.Response:
        """Submits the form of the button. Redirects are not followed, because they may lead to an app."""
        form = page.form(button)
        data = form.fields | fields | form.buttons[button]
        return self.session.post(form.action, data=data, allow_redirects=False, timeout=30)

    def follow(self, response: requests.Response) -> Page:
        return self.open(urljoin(response.url, response.headers["Location"]))

    def sign_in(self, page: Page, account: Account) -> Page:
        """Submits a sign-in page; returns the page after it."""
        response = self.press("Sign in", page, username=account.username, password=account.password)
        assert response.status_code == 303, Page(response).heading
        return self.follow(response)

    def consent(self, authorize_url: str, account: Account, button: str = "Allow") -> str:
        """Goes from an authorization URL through the sign-in page, if there is one, and the consent page.

        Returns the URL of the app to which the server then redirects.
        """
        page = self.open(authorize_url)
        if page.heading.startswith("Sign in"):
            page = self.sign_in(page, account)
        response = self.press(button, page)
        assert response.status_code == 302, Page(response).heading
        return response.headers["Location"]
