"""A browser behind a reverse proxy, run beside it: signs in as an administrator, and uploads more than proxies take by themselves.

Usage: behind_proxy.py BASE_URL USER_NAME TEMPORARY_PASSWORD
"""

import sys

from plain_browser import Page, PlainBrowser


def main(base_url: str, user_name: str, password: str) -> None:
    browser = PlainBrowser()
    # Nobody may say for themselves where they come from.
    browser.session.headers["X-Forwarded-For"] = "198.51.100.9"
    page = browser.open(f"{base_url}/manager/imports/upload")
    page = browser.follow(browser.press("Sign in", page, username=user_name, password=password))
    assert page.heading == "Choose your password", page.heading
    page = browser.follow(browser.press("Save and continue", page, new_password="a rather long pass phrase 7"))
    assert page.heading == "Upload files", page.heading
    form = page.form("Upload and look")
    sent = browser.session.post(
        form.action, data=form.fields, files={"files": ("roster.zip", b"x" * (20 << 20))}, allow_redirects=False, timeout=60)
    assert sent.status_code == 303 and "/manager/imports/" in sent.headers["Location"], (sent.status_code, sent.text[:500])
    # A path with an escaped slash arrives as it is: as the name of an organization that is not there, and not as two parts.
    missing = browser.session.get(f"{base_url}/account/a%2Fb", timeout=30)
    assert missing.status_code == 404 and "X-Request-Id" in missing.headers, missing.text[:500]
    assert Page(missing).heading, missing.text[:500]


main(*sys.argv[1:])
