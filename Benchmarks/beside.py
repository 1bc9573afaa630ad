"""Measures token responses per second of Lanyard, glewlwyd and Django OAuth Toolkit, each on one processor."""

import base64
from pathlib import Path
from urllib.parse import urlencode

import load
from providers import CLIENT, RETURN_URL, DjangoOAuthToolkit, Glewlwyd, Lanyard
from report import Report


def bench_beside(report: Report, folder: Path):
    ours = answers_a_second(Lanyard, folder / "beside-lanyard", 4_000)
    for name, provider, count in (
        ("glewlwyd", Glewlwyd, 1_000), ("Django OAuth Toolkit", DjangoOAuthToolkit, 1_000),
    ):
        theirs = answers_a_second(provider, folder / f"beside-{provider.__name__}", count)
        note = f"{ours:.0f} and {theirs:.0f} a second"
        report.add(f"a token answer on one processor, beside {name}", 1_000 / ours, "ms", 1 / 3, 1_000 / theirs, note)


def answers_a_second(provider, folder: Path, count: int) -> float:
    """Codes redeemed per second by wrk, which runs on the other processor and uses eight connections."""
    service = provider(folder, cpu=0)
    try:
        forms = [
            urlencode({"grant_type": "authorization_code", "code": code, "redirect_uri": RETURN_URL})
            for code in service.codes(count)
        ]
        basic = base64.b64encode(f"{CLIENT}:{service.secret}".encode()).decode()
        sent = load.post_once(
            folder, service.token_url, forms, headers={"Authorization": f"Basic {basic}"}, cpu=1)
        return sent.requests / sent.seconds
    finally:
        service.stop()
