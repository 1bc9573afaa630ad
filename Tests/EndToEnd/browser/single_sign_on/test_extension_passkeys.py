"""A provider that wants a passkey: its page is in the person's own browser, where WebAuthn is."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from bridged_chromium import BridgedChromium
from device import Device, redirection
from local_site import Document
from processes import wait_until
from selenium.webdriver.common.virtual_authenticator import VirtualAuthenticatorOptions

# Makes a passkey, asks for it, and goes back with whether the person was verified.
PAGE = """<!doctype html><title>passkey</title><button>Sign in with a passkey</button><script>
document.querySelector("button").onclick = async () => {
    const challenge = new Uint8Array(32)
    const made = await navigator.credentials.create({ publicKey: {
        challenge, rp: { name: "Acme" }, user: { id: new Uint8Array(8), name: "nadia", displayName: "Nadia" },
        pubKeyCredParams: [{ type: "public-key", alg: -7 }], authenticatorSelection: { userVerification: "required" } } })
    const shown = await navigator.credentials.get({ publicKey: {
        challenge, allowCredentials: [{ type: "public-key", id: made.rawId }], userVerification: "required" } })
    const isVerified = new Uint8Array(shown.response.authenticatorData)[32] & 4
    location = "BACK?passkey=" + (shown.id === made.id && isVerified ? "verified" : "no")
}
</script>"""


@pytest.fixture
def passkey_device(tmp_path: Path) -> Iterator[Device]:
    device = Device(tmp_path / "device", ["/realms/acme"])
    try:
        device.app.show("/welcome", "<!doctype html><title>welcome</title>")
        device.start_broker()
        yield device
    finally:
        device.stop()


@pytest.fixture
def browser(passkey_device: Device) -> Iterator[BridgedChromium]:
    # Passkeys are for sites with TLS; this one has a name of its own and none.
    browser = BridgedChromium(
        passkey_device, switches=(f"unsafely-treat-insecure-origin-as-secure={passkey_device.provider.origin}",))
    try:
        browser.wait_for_rules(1)
        yield browser
    finally:
        browser.stop()


def test_a_passkey_signs_in(browser: BridgedChromium, passkey_device: Device) -> None:
    device, driver = passkey_device, browser.driver
    device.provider.paths["/passkey"] = lambda parameters: Document(PAGE.replace("BACK", parameters["back"]))
    device.will({"page": f"{device.provider.origin}/passkey?back=$RETURN"}, redirection(f"{device.app.origin}/welcome"))
    browser.open(f"{device.provider.origin}/realms/acme")
    browser.wait_for_heading("Continue in the other tab")
    first = browser.switch_to_other_tab()
    browser.wait_for_title("passkey")
    driver.add_virtual_authenticator(VirtualAuthenticatorOptions(
        transport="internal", has_user_verification=True, is_user_verified=True))
    driver.find_element("tag name", "button").click()
    wait_until(lambda: driver.window_handles == [first], 20, "the other tab is closed")
    driver.switch_to.window(first)
    browser.wait_for_title("welcome")
    assert device.noted("presented")[0]["returned"]["_0"].endswith("?passkey=verified")
