"""One-time codes, which oathtool makes, and how somebody sets them up."""

import re
import subprocess

from plain_browser import Page, PlainBrowser

WAYS = "/account/sign-in-ways"


def code(secret: str, steps: int = 0) -> str:
    """The code of now, or of a step of 30 seconds before or after."""
    return subprocess.run(
        ["oathtool", "--totp", "--base32", "--now", f"now {30 * steps:+d} seconds", secret],
        check=True, capture_output=True, text=True).stdout.strip()


def set_up_codes(base_url: str, browser: PlainBrowser) -> tuple[str, str, list[str]]:
    """:return: the secret, the code with which they were set up, and the recovery codes"""
    response = browser.session.get(f"{base_url}{WAYS}/codes", timeout=30)
    secret = re.search(r"secret=([A-Z2-7]+)", response.text)[1]
    # What people type is the same.
    assert re.search(r'<code id="secret">([A-Z2-7 ]+)</code>', response.text)[1].replace(" ", "") == secret
    first = code(secret)
    done = browser.press("Continue", Page(response), code=first)
    assert Page(done).heading == "Your recovery codes"
    return secret, first, re.findall(r"<li><code>([a-z2-9-]+)</code></li>", done.text)
