"""The forms of the extension for Kerberos, as a person sees them on the desktop's card, in three languages.

They come from the extension itself, which speaks to a KDC; the extension of the looks shows them."""

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from bridged_chromium import words
from kerberos.device import KerberosDevice
from kerberos.kdc import PASSWORD, Realm
from kerberos.local_account import local_account
from kerberos.places import why_not
from kerberos.smart_card import smart_card
from kerberos.test_kerberos_local_password import AccountDevice
from looks import problems

# A name of a school, as long as schools have them, and what its administrator writes.
REALM = "GESAMTSCHULE-AM-STADTPARK.STADT-OBERHAUSEN.TEST"
DATA = {
    "helpText": "Ask Ms. Vanderbilt-Oyelaran in room 214 if you do not know your user name.\nOr call 020 7946 0018.",
    "customUsernameLabel": "Library card or user name", "pwReqLength": 14, "pwReqComplexity": True, "pwReqHistory": 5,
    "pwReqMinAge": 2,
}


@pytest.fixture(scope="module")
def realm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Realm]:
    with Realm(tmp_path_factory.mktemp("realm"), REALM) as running:
        running.add("mika", PASSWORD)
        running.add("rin", PASSWORD, "+needchange")
        yield running


def typed(*rounds: list[str]) -> Callable[[dict], dict[str, str] | None]:
    """By place, because the labels are in the language."""
    left = list(rounds)

    def person(form: dict) -> dict[str, str] | None:
        if not left:
            return None
        texts = [field["label"] for field in form["fields"] if field["kind"] in ("text", "password")]
        return dict(zip(texts, left.pop(0), strict=True))
    return person


def forms(realm: Realm, folder: Path, language: str) -> dict[str, dict]:
    """What the extension presents: at first, after a wrong password, and to somebody who has to change theirs."""
    device = KerberosDevice(folder / "device", REALM, realm.settings, LANGUAGE=language)
    with device.start() as extension:
        first, wrong = extension.operation("login", data=DATA, person=typed(["mika", "not-the-password"])).forms
        _, expired, again = extension.operation(
            "login", data=DATA, person=typed(["rin", PASSWORD], ["other-horse-22", "another-horse-22"])).forms
    assert wrong["problem"] and again["problem"] and expired["problem"] != again["problem"], "what was wrong is said"
    assert first["title"] != expired["title"]
    return {"first": first, "wrong": wrong, "expired": expired, "change": again}


def card_forms(realm: Realm, folder: Path, language: str) -> dict[str, dict]:
    """What it presents to somebody with a smart card: at first, and after a wrong PIN, of which a card takes a few."""
    card = smart_card(folder / "card", realm.certificate("mika"))
    device = KerberosDevice(folder / "device", REALM, realm.settings, LANGUAGE=language, **card.environment)
    (device.files / "pkcs11-module").write_text(f"{card.module}\n")
    with device.start() as extension:
        first, wrong = extension.operation(
            "login", data=DATA | {"startInSmartCardMode": True}, person=typed(["mika", "000000"])).forms
    assert not first.get("problem") and wrong["problem"]
    assert [field["kind"] for field in first["fields"]] == ["text", "password", "checkbox"]
    return {"card": first, "wrong-pin": wrong}


def local_forms(realm: Realm, language: str) -> dict[str, dict]:
    """What it presents to somebody whose account on the computer has another password: the question for that, once more after a wrong
    one, and why it stays."""
    with (
        local_account("local-horse-9") as account,
        AccountDevice(account, realm, LANGUAGE=language).start() as extension,
    ):
        _, asked, wrong, _, stays = extension.operation(
            "login", data=DATA | {"syncLocalPassword": True},
            person=typed(["mika", PASSWORD], ["wrong-1"], ["wrong-2"], ["wrong-3"], [])).forms
    assert not asked.get("problem") and wrong["problem"] and not stays["fields"]
    return {"local": asked, "local-wrong": wrong, "local-stays": stays}


@pytest.mark.parametrize("language", ["en-US", "ja", "ko"])
@pytest.mark.parametrize("subject", ["password", "card", "computer"])
def test_the_forms_of_kerberos(start: Callable, realm: Realm, tmp_path: Path, language: str, subject: str) -> None:
    if subject == "computer" and (reason := why_not()):
        pytest.skip(reason)
    shown = {
        "password": lambda: forms(realm, tmp_path / "kerberos", language[:2]),
        "card": lambda: card_forms(realm, tmp_path / "kerberos", language[:2]),
        "computer": lambda: local_forms(realm, language[:2]),
    }[subject]()
    device, browser = start(language, ("Kerberos", "Maple District"))
    found = []
    for number, (name, form) in enumerate(shown.items(), start=1):
        device.will({"present": form})
        asking = subprocess.Popen(
            ["curl", "--silent", "--unix-socket", device.socket, "--data",
             json.dumps({"url": f"{device.provider.origin}/realms/acme", "presentation": "desktop"}),
             "http://localhost/v1/requests"], stdout=subprocess.PIPE)
        try:
            browser.open(device.opened(number))
            text = browser.text
            for said in (form["title"], form.get("problem", ""), *(field["label"] for field in form["fields"])):
                assert said in text, (name, said)
            found += problems(browser, f"sso-kerberos-{name}-{language}", ["light", "phone-dark"])
            browser.look(360, 740)
            if browser.overflows:
                found.append(f"{name}: wider than a narrow window")
            browser.press(words(language[:2])["cancel"])
            assert json.loads(asking.communicate(timeout=20)[0])["outcome"] == "canceled"
        finally:
            asking.kill()
            asking.wait()
    assert found == []
