"""Who may come in, and who may allow."""

from selenium.webdriver.common.by import By
from visit import Visit, plain, words


def test_a_wrong_password_keeps_the_user_name(visit: Visit) -> None:
    browser, administrator = visit.browser, visit.scene.account("administrator")
    visit.begin_connecting()
    browser.fill("username", administrator.username)
    browser.fill("password", "not-my-password-1")
    browser.press("Sign in")

    assert words("en", "signIn.wrongPassword") in browser.text
    assert browser.driver.find_element(By.NAME, "username").get_attribute("value") == administrator.username
    assert browser.driver.find_element(By.NAME, "password").get_attribute("value") == ""

    browser.fill("password", administrator.password)
    browser.press("Sign in")
    assert plain(browser.heading) == f"Connect Quizzler to {visit.scene.organization_name}"


def test_a_form_whose_sending_was_stopped_can_be_sent_again(visit: Visit) -> None:
    browser, administrator = visit.browser, visit.scene.account("administrator")
    visit.begin_connecting()
    browser.fill("username", administrator.username)
    browser.fill("password", administrator.password)
    # As with the browser's Stop button, the first sending leads nowhere.
    browser.driver.execute_script(
        "document.querySelector('main form').addEventListener('submit', event => event.preventDefault(), {once: true})")
    browser.button("Sign in").click()
    assert browser.texts("[aria-busy]") == ["Sign in"]
    browser.wait(lambda _: not browser.texts("[aria-busy]"), "the form can be sent again", timeout=60)

    browser.press("Sign in")
    assert plain(browser.heading) == f"Connect Quizzler to {visit.scene.organization_name}"


def test_an_instructor_cannot_allow_but_can_hand_over_to_the_administrator(visit: Visit) -> None:
    browser, scene = visit.browser, visit.scene
    visit.go_to_consent_page("instructor")
    assert plain(browser.heading) == "Only an Administrator or Site Manager can connect Quizzler"
    assert scene.account("instructor").name in plain(browser.text)
    assert not [button for button in browser.texts("button") if button == "Allow"]

    browser.press("Use another account")
    assert plain(browser.heading) == "Sign in to connect Quizzler"
    visit.sign_in(scene.account("administrator"))
    browser.press("Allow")
    assert browser.heading == scene.organization_name


def test_an_instructor_who_cancels_goes_back_to_the_app(visit: Visit) -> None:
    visit.go_to_consent_page("instructor")
    visit.browser.press("Cancel")
    assert visit.browser.heading == "Your school is not connected"


def test_a_site_manager_can_allow(visit: Visit) -> None:
    visit.go_to_consent_page("site_manager")
    visit.browser.press("Allow")
    assert visit.browser.heading == visit.scene.organization_name


def test_the_consent_page_speaks_the_language_that_is_chosen(visit: Visit) -> None:
    browser, scene = visit.browser, visit.scene
    visit.go_to_consent_page()
    for name, language in (("日本語", "ja"), ("한국어", "ko")):
        browser.press(name)
        heading = words(language, "consent.heading", app="Quizzler", organization=scene.organization_name)
        assert plain(browser.heading) == plain(heading)
        assert browser.language == language
        assert browser.texts(".decision button") == [words(language, f"consent.{name}") for name in ("deny", "allow")]

    browser.press(words("ko", "consent.allow"))
    assert browser.heading == scene.organization_name
