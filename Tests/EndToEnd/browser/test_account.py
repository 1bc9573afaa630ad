"""A personal account from its making to its last app: sign-up with a mailed code, a hidden address, the account page."""

import email
import re
from collections.abc import Iterator
from email.policy import default
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from app_visit import LANGUAGES, AppVisit
from chromium import Chromium
from looks import LOOKS, problems
from processes import wait_until
from school import OpenSchool, open_school_in
from selenium.webdriver.common.by import By
from sign_in.web_app import AUTHLIB, WebApp, running
from visit import plain

RELAY = "relay.maple.example"


class Mailbox:
    """The folder into which the server delivers."""

    def __init__(self, folder: Path):
        self.folder = folder / "new"

    def mails(self, recipient: str) -> list[email.message.EmailMessage]:
        """Oldest first."""
        files = sorted(self.folder.glob("*"), key=lambda file: file.stat().st_mtime_ns)
        mails = [email.message_from_bytes(file.read_bytes(), policy=default) for file in files]
        return [mail for mail in mails if mail["To"].addresses[0].addr_spec == recipient]

    def wait_for_code(self, recipient: str) -> str:
        """The latest code that somebody has got; other mails have none."""
        def code() -> str | None:
            codes = [re.search(r"^(\d{6})\s*$", mail.get_content(), re.MULTILINE) for mail in self.mails(recipient)]
            return next((code[1] for code in reversed(codes) if code), None)

        return wait_until(code, 20, "a code has come")


@pytest.fixture(scope="module")
def mailbox(tmp_path_factory: pytest.TempPathFactory) -> Mailbox:
    return Mailbox(tmp_path_factory.mktemp("mail") / "box")


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory, mailbox: Mailbox) -> Iterator[OpenSchool]:
    settings = {
        "mail": {"from": "Maple <id@maple.example>", "maildir": str(mailbox.folder.parent)},
        "relay": {"domain": RELAY},
    }
    with open_school_in(tmp_path_factory.mktemp("accounts"), **settings) as school:
        yield school


@pytest.fixture(scope="module")
def app(school: OpenSchool) -> Iterator[WebApp]:
    with running(AUTHLIB, school.school, school.base_url) as app:
        yield app


@pytest.fixture(params=LANGUAGES)
def visit(request: pytest.FixtureRequest, browser: Chromium, app: WebApp, school: OpenSchool) -> AppVisit:
    return AppVisit(browser, app, school, request.param)


def looks_well(visit: AppVisit, name: str) -> bool:
    """In every size and colour. Afterwards the window is as it was."""
    found = problems(visit.browser, f"{name}-{visit.language}", LOOKS)
    visit.browser.look(1280, 900)
    assert found == []
    return True


def sign_up(visit: AppVisit, mailbox: Mailbox, address: str) -> None:
    """From the app's sign-in page as far as the app's own question."""
    browser = visit.browser
    visit.begin()
    visit.press("signIn.signUp")
    assert browser.heading == visit.words("signUp.heading")
    assert looks_well(visit, "sign-up")
    for field, text in {"given_name": "Nora", "family_name": "Lind", "email": address, "new_password": "maple leaf 7"}.items():
        browser.fill(field, text)
    visit.press("form.continue")
    assert browser.heading == visit.words("verify.heading")
    assert looks_well(visit, "verify-email")
    code = mailbox.wait_for_code(address)
    mail = mailbox.mails(address)[0]
    subject = visit.words("mail.codeSubject", code=code, host=urlsplit(visit.school.base_url).hostname)
    assert (mail["Content-Language"], mail["Subject"]) == (visit.language, subject)
    browser.fill("code", f"{code[:3]} {code[3:]}")
    visit.press("form.continue")


def open_addresses(visit: AppVisit) -> None:
    visit.browser.driver.find_element(By.CSS_SELECTOR, "details.section > summary").click()


def test_a_newcomer_hides_the_address_and_ends_it_all(visit: AppVisit, mailbox: Mailbox) -> None:
    browser, address = visit.browser, f"nora-{visit.language}@home.example"
    sign_up(visit, mailbox, address)

    assert plain(browser.heading) == plain(visit.words("creation.heading", app=visit.app_name))
    browser.fill("given_name", "Honora")
    browser.driver.find_element(By.CSS_SELECTOR, "input[type=radio][value=hide]").click()
    answer = visit.leave_for_app("form.continue")
    hidden = answer["claims"]["email"]
    assert re.fullmatch(rf"[a-z0-9]{{10}}@{re.escape(RELAY)}", hidden)
    assert answer["claims"]["is_private_email"] is True
    assert address not in str(answer)

    browser.open(f"{visit.school.base_url}/account")
    assert looks_well(visit, "account")
    visit.press("account.editName")
    assert looks_well(visit, "edit-name")
    browser.fill("family_name", "Berg")
    visit.press("form.save")
    assert visit.words("account.nameChanged") in browser.text
    # The app keeps the name that was entered for it.
    browser.driver.find_element(By.CSS_SELECTOR, "summary").click()
    shared = [plain(text) for text in browser.texts("details dd")]
    assert hidden in shared and address not in shared
    assert any("Honora" in text for text in shared)

    open_addresses(visit)
    visit.press("account.stopForwarding")
    open_addresses(visit)
    assert visit.words("account.forwardingOff") in browser.text
    visit.press("account.startForwarding")
    browser.driver.find_element(By.CSS_SELECTOR, "summary").click()
    browser.leave(browser.driver.find_element(By.CSS_SELECTOR, "details a[href$='/stop']").click)
    assert plain(browser.heading) == plain(visit.words("stopUsing.heading", app=visit.app_name))
    assert hidden in browser.text
    assert looks_well(visit, "stop-using")
    browser.leave(browser.driver.find_element(By.CSS_SELECTOR, "main form button").click)
    assert plain(visit.words("account.stoppedUsing", app=visit.app_name)) in plain(browser.text)
    assert visit.words("account.noApps") in browser.text

    visit.press("account.delete")
    assert looks_well(visit, "delete-account")
    browser.fill("confirmation", address)
    browser.fill("current_password", "maple leaf 7")
    visit.press("account.delete")
    visit.begin()
    browser.fill("username", address)
    browser.fill("password", "maple leaf 7")
    visit.press("signIn.button")
    assert visit.words("signIn.wrongPassword") in browser.text


def test_a_forgotten_password_and_another_address(browser: Chromium, app: WebApp, school: OpenSchool, mailbox: Mailbox) -> None:
    visit = AppVisit(browser, app, school)
    nora = school.newcomer()

    def subjects() -> list[str]:
        return [mail["Subject"] for mail in mailbox.mails(nora.email)]

    host = urlsplit(school.base_url).hostname
    replaced = visit.words("mail.replacedSubject", host=host)
    # Replacing the temporary password is reported too, because somebody else may have done it.
    wait_until(lambda: subjects() == [replaced], 20, "the owner is told of the first own password")
    visit.begin()
    visit.press("signIn.forgotPassword")
    assert looks_well(visit, "forgot-password")
    browser.fill("email", nora.email)
    visit.press("form.continue")
    code = mailbox.wait_for_code(nora.email)
    browser.fill("code", code)
    visit.press("form.continue")
    assert looks_well(visit, "new-password")
    browser.fill("new_password", "oak leaf 99")
    visit.press("password.button")
    assert plain(browser.heading) == plain(visit.words("creation.heading", app=visit.app_name))

    browser.open(f"{school.base_url}/account")
    visit.press("account.changeEmail")
    assert looks_well(visit, "change-email")
    browser.fill("email", "elsewhere@home.example")
    browser.fill("current_password", "oak leaf 99")
    visit.press("form.continue")
    browser.fill("code", mailbox.wait_for_code("elsewhere@home.example"))
    visit.press("form.continue")
    assert visit.words("account.emailChanged") in browser.text
    assert "elsewhere@home.example" in browser.text
    # The old address was told of all changes.
    said = [
        replaced, visit.words("mail.codeSubject", code=code, host=host), replaced,
        visit.words("mail.changedSubject", host=host)]
    wait_until(lambda: subjects() == said, 20, "the old address is told")

    visit.press("password.buttonChosen")
    assert looks_well(visit, "change-password")
    browser.fill("current_password", "oak leaf 99")
    browser.fill("new_password", "elm leaf 11")
    visit.press("password.buttonChosen")
    assert visit.words("account.passwordChanged") in browser.text
    wait_until(
        lambda: [mail["Subject"] for mail in mailbox.mails("elsewhere@home.example")][1:] == [replaced], 20,
        "the new address is told")
