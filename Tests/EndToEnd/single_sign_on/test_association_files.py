"""Who may vouch for a domain: the public authorities alone, whatever else this machine trusts."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from broker import Authority, Domains
from processes import LANYARD_SSO


def fetched(domains: Domains, *options: object, before: tuple[object, ...] = (), **environment: str) -> dict:
    done = subprocess.run(
        [str(word) for word in (
            *before, LANYARD_SSO, "fetch-association-file", "authsrv:id.acme.test", "--domain-port", domains.port,
            "--domain-address", "id.acme.test=127.0.0.1", *options)],
        env={**os.environ, **environment}, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def domains(authority: Authority):
    domains = Domains(authority, "id.acme.test")
    yield domains
    domains.close()


def assert_unknown(answer: dict) -> None:
    assert "it is not made by an authority that the public knows" in answer["unreachable"]["_0"]


def test_the_environment_adds_no_authority_and_no_proxy(domains: Domains, authority: Authority, tmp_path: Path) -> None:
    trusted = {name: str(authority.certificate) for name in ("SSL_CERT_FILE", "CURL_CA_BUNDLE")}
    assert_unknown(fetched(domains, **trusted, SSL_CERT_DIR=str(authority.folder), https_proxy="http://127.0.0.1:1"))
    assert domains.asked == []
    answer = fetched(domains, "--extra-roots", authority.certificate, https_proxy="http://127.0.0.1:1")
    assert answer == {"apps": {"_0": domains.apps["id.acme.test"]}}
    nothing = tmp_path / "nothing.pem"
    nothing.write_text("nothing")
    done = subprocess.run(
        [LANYARD_SSO, "fetch-association-file", "authsrv:id.acme.test", "--extra-roots", nothing], capture_output=True, text=True,
        timeout=60)
    assert done.returncode == 1 and done.stderr == "Error: The file with roots holds no certificates in PEM.\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can put another folder in the place of the system's")
def test_an_authority_that_the_system_trusts_does_not_count(domains: Domains, authority: Authority, tmp_path: Path) -> None:
    certificates = tmp_path / "certs"
    certificates.mkdir()
    for name in ("ca-certificates.crt", "test.pem"):
        shutil.copy(authority.certificate, certificates / name)
    subprocess.run(["openssl", "rehash", certificates], check=True, capture_output=True)
    place = ("unshare", "--mount", "sh", "-c", 'mount --bind "$1" /etc/ssl/certs && shift && exec "$@"', "system", certificates)
    # Any other program believes it.
    curl = ["curl", "--silent", "--connect-to", f"id.acme.test:{domains.port}:127.0.0.1:", f"https://id.acme.test:{domains.port}/"]
    assert subprocess.run([*place, *curl], capture_output=True, timeout=60).returncode == 0
    assert_unknown(fetched(domains, before=place))
