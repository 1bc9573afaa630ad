"""The school changes its mind."""

from administration import revoke_consent
from database import query
from processes import wait_until
from visit import Visit, plain


def test_revoking_the_consent_empties_quizzler_within_seconds(connected_visit: Visit) -> None:
    visit, browser, scene = connected_visit, connected_visit.browser, connected_visit.scene
    # The notice is for whoever has connected the school.
    visit.go_to_consent_page()
    browser.press("Allow")
    visit.wait_for_classes()
    browser.open(scene.quizzler_url)
    assert scene.organization_name in browser.text

    revoke_consent(scene)

    def is_disconnected(_) -> bool:
        browser.reload()
        return "has disconnected" in browser.text

    browser.wait(is_disconnected, "Quizzler has heard of it", timeout=10)
    assert plain(browser.text).startswith(
        f"{scene.organization_name} has disconnected. "
        "Everything Quizzler had stored about its people and classes is deleted.")
    assert browser.texts(".card") == []
    assert scene.connections() == {}
    stored = scene.quizzler_file.read_text()
    assert not [person.email for person in scene.district().people.values() if person.email and person.email in stored]


def test_the_school_can_connect_again_afterwards(connected_visit: Visit) -> None:
    visit, browser, scene = connected_visit, connected_visit.browser, connected_visit.scene
    revoke_consent(scene)
    visit.go_to_consent_page()
    browser.press("Allow")

    assert browser.heading == scene.organization_name
    visit.wait_for_classes()
    # The notice about the end of the earlier consent may come late; it must not end the new one.
    waiting = "SELECT id FROM notification WHERE next_attempt_at IS NOT NULL"
    wait_until(lambda: not query(scene.database, waiting), 10, "Quizzler has heard of it")
    browser.open(scene.quizzler_url)
    assert scene.organization_name in browser.texts(".card h3")
