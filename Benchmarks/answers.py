"""Measures the cost of a response of the token endpoint and of the authorization endpoint."""

import os
import re
import subprocess
from pathlib import Path
from urllib.parse import urlencode

import requests

import load
from installation import Installation
from measure import cpu_seconds
from providers import code_in
from report import Report

APP = "com.example.sign-in"
RETURN_URL = "http://127.0.0.1:9/signed-in"


def bench_tokens(report: Report, folder: Path):
    """CPU time of an exchange and of a refresh under load, compared with one P-256 verification and one RSA-2048
    signature; and of an authorization request of a person who is signed in."""
    here = Installation(folder / "tokens")
    here.folder.mkdir()
    here.set_up()
    app_secret = here.sign_in_app(APP, RETURN_URL)
    here.serve()
    browser = here.sign_in()
    secret = here.client_secret()
    codes = [here.code(browser) for _ in range(4_000)]
    refresh_token = here.exchange(requests.Session(), secret, codes.pop())["refresh_token"]
    url = f"{here.base}/auth/oauth2/v2/token"
    exchanges = [here.exchange_form(secret, code) for code in codes]
    refresh = here.token_form(secret, grant_type="refresh_token", refresh_token=refresh_token)
    yardstick = openssl_seconds()
    exchange = cost(here, lambda: load.post_once(here.folder, url, exchanges))
    again = cost(here, lambda: load.post_again(here.folder, url, refresh))
    report.add("code exchange, CPU", exchange * 1_000, "ms", 1.3, yardstick * 1_000)
    report.add("refresh, CPU", again * 1_000, "ms", 1.3, yardstick * 1_000)
    here.agree(browser, authorize_url(here))
    cookies = {"Cookie": "; ".join(f"{cookie.name}={cookie.value}" for cookie in browser.cookies)}
    for name, options in (
        ("answered with a code", {}), ("answered with the page that asks", {"prompt": "select_account"}),
    ):
        spent = cost(here, lambda: load.get_again(here.folder, authorize_url(here, **options), headers=cookies))
        report.add(f"authorize with a session, {name}, CPU", spent * 1_000, "ms", 1.5)
    bench_algorithms(report, here, browser, app_secret)
    here.stop()


def bench_algorithms(report: Report, here: Installation, browser: requests.Session, secret: str):
    """CPU time of an exchange for an app with ES256, compared with the same app with RS256."""
    spent = {}
    for algorithm in ("RS256", "ES256"):
        here.lanyard("app", "client", APP, "--signing-algorithm", algorithm)
        codes = [
            code_in(browser.get(authorize_url(here, prompt="none"), allow_redirects=False)) for _ in range(2_000)
        ]
        forms = [
            urlencode({
                "grant_type": "authorization_code", "code": code, "redirect_uri": RETURN_URL, "client_id": APP,
                "client_secret": secret,
            })
            for code in codes
        ]
        spent[algorithm] = cost(here, lambda: load.post_once(here.folder, f"{here.base}/oidc/token", forms))
    report.add(
        "code exchange with ES256, CPU", spent["ES256"] * 1_000, "ms", 1, spent["RS256"] * 1_000, "beside it: with RS256")


def authorize_url(here: Installation, **options) -> str:
    return f"{here.base}/oidc/authorize?" + urlencode({
        "client_id": APP, "redirect_uri": RETURN_URL, "response_type": "code", "scope": "openid profile email",
        "state": "s", **options,
    })


def cost(here: Installation, send) -> float:
    """The server's CPU time for a request, in seconds."""
    before = cpu_seconds(here.pid)
    sent = send()
    return (cpu_seconds(here.pid) - before) / sent.requests


def openssl_seconds() -> float:
    """CPU time of one P-256 verification and one RSA-2048 signature. Measured on all cores at once, as under load,
    because cores that share execution units are slower together."""
    cores = os.cpu_count()
    text = subprocess.run(
        ["openssl", "speed", "-seconds", "3", "-multi", str(cores), "rsa2048", "ecdsap256"],
        capture_output=True, text=True, check=True,
    ).stdout
    sign = float(re.search(r"^rsa\s+2048 bits\s+\S+\s+\S+\s+([\d.]+)", text, re.M).group(1))
    verify = float(re.search(r"256 bits ecdsa.*?\s([\d.]+)\s*$", text, re.M).group(1))
    return cores / sign + cores / verify
