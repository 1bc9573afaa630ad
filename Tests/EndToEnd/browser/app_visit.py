"""What a person does in Chromium on the way from another company's app through signing in and back."""

import json

from chromium import Chromium
from school import Member, OpenSchool
from selenium.webdriver.common.by import By
from sign_in.web_app import WebApp
from visit import words

LANGUAGES = {"en": "English", "ja": "日本語", "ko": "한국어"}


class AppVisit:
    def __init__(self, browser: Chromium, app: WebApp, school: OpenSchool, language: str = "en"):
        self.browser = browser
        self.app = app
        self.school = school
        self.language = language

    def words(self, key: str, **values: str) -> str:
        return words(self.language, key, **values)

    @property
    def app_name(self) -> str:
        return self.app.registration.name

    def begin(self) -> None:
        """From the app to the sign-in page, in the person's language."""
        self.browser.open(self.app.login_url)
        if self.browser.language != self.language:
            self.browser.press(LANGUAGES[self.language])

    def sign_in(self, member: Member) -> None:
        self.browser.fill("username", member.account.username)
        self.browser.fill("password", member.account.password)
        self.browser.press(self.words("signIn.button"))

    def go(self, member: Member) -> None:
        """As far as the first page behind the sign-in."""
        self.begin()
        self.sign_in(member)

    def share(self) -> None:
        """Where the person has the choice."""
        for choice in self.browser.driver.find_elements(By.CSS_SELECTOR, "input[type=radio][value=share]"):
            choice.click()

    def press(self, key: str, **values: str) -> None:
        """A button by its words."""
        self.browser.press(self.words(key, **values))

    def leave_for_app(self, key: str, **values: str) -> dict:
        """Presses a button that leads back to the app. Returns what the app says."""
        label = self.words(key, **values)
        self.browser.button(label).click()
        return self.app_says()

    def app_says(self) -> dict:
        """The page on the way posts the answer by itself."""
        self.browser.wait(lambda _: self.browser.url == self.app.url + self.app.kind.callback, "the app has answered")
        return json.loads(self.browser.driver.find_element(By.TAG_NAME, "pre").text)

    @property
    def shared(self) -> dict[str, str]:
        """What the page says that the app gets."""
        return dict(zip(self.browser.texts(".shared-with dt"), self.browser.texts(".shared-with dd"), strict=True))

    @property
    def fields(self) -> set[str]:
        """What there is to write and to choose."""
        return {
            field.get_attribute("name")
            for field in self.browser.driver.find_elements(By.CSS_SELECTOR, "main input:not([type=hidden])")}
