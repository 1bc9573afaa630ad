"""`lanyard-sso doctor`: each link between a browser and the sign-in, in order and missing."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from broker import APP, TEAM, TEST_EXTENSION, Authority, Device, Domains, payload, profile, strings
from processes import LANYARD_SSO, run, wait_until

OPENID = "org.lanyard.openid.extension"
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="a policy counts only if it is root's")


@dataclass
class Chain:
    """A device on which everything is in order, and the folder below which its browsers look."""

    device: Device
    root: Path
    path: Path

    def run(self, *options: str | Path, before: tuple[str | Path, ...] = (), code: int, **environment: str) -> str:
        done = subprocess.run(
            [*before, LANYARD_SSO, "doctor", "--root", self.root, *options],
            env={"PATH": f"{self.path}", "HOME": str(self.root), "LANYARD_SSO_SOCKET": str(self.device.socket)} | environment,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout

    def findings(self, *, code: int = 1, before: tuple[str | Path, ...] = ()) -> list[dict[str, str]]:
        report = json.loads(self.run("--json", code=code, before=before))
        assert report["isWell"] == (code == 0)
        return report["findings"]

    def wrong(self, **arguments: Any) -> dict[str, list[dict[str, str]]]:
        """What is not in order, by check. Each says what to do."""
        found: dict[str, list[dict[str, str]]] = {}
        for finding in self.findings(**arguments):
            assert (finding["status"] == "ok") == ("remedy" not in finding), finding
            if finding["status"] != "ok":
                found.setdefault(finding["check"], []).append(finding)
        return found

    def only(self, check: str, **arguments: Any) -> dict[str, str]:
        wrong = self.wrong(**arguments)
        assert set(wrong) == {check} and len(wrong[check]) == 1, wrong
        return wrong[check][0]

    @property
    def share(self) -> Path:
        return self.root / "usr/share/lanyard/browser"


def sign_on(domains: Domains, authority: Authority, *more: str) -> bytes:
    data = f"<key>ExtensionData</key><dict>{strings('certificateAuthorities', [authority.certificate.read_text()])}</dict>"
    urls = strings("URLs", [f"https://id.localhost:{domains.port}/realms/staff/"])
    return profile([payload("Redirect", urls + data, extension=OPENID), *more])


@pytest.fixture
def chain(tmp_path: Path, authority: Authority) -> Iterator[Chain]:
    domains = Domains(authority, "id.localhost")
    device = Device(tmp_path / "device", authority, domains)
    device.options = ["--policy", str(tmp_path / "policy.json")]
    device.install_extension(extensionIdentifier=OPENID)
    device.install_profile(sign_on(domains, authority))
    path = tmp_path / "bin"
    path.mkdir()
    for browser in ("chromium", "firefox-esr"):
        (path / browser).symlink_to("/bin/true")
    root = tmp_path / "root"
    done = run(LANYARD_SSO, "browser-policy", "--out", root, "--allowed-host", "id.localhost")
    assert done.returncode == 0, done.stderr
    with device.running():
        yield Chain(device, root, path)


def settled(chain: Chain, matter: Callable[[dict[str, Any]], bool]) -> None:
    wait_until(lambda: matter(chain.device.get("/v1/status")), 10, "the broker has seen the change")


def test_where_everything_is_in_order_each_link_says_so(chain: Chain) -> None:
    findings = chain.findings(code=0)
    checks = {finding["check"] for finding in findings}
    assert checks == {
        "profile", "signature", "socket", "broker", "extension", "domain", "server", "clock", "browser policy", "native host",
        "keyring"}
    assert all(finding["status"] == "ok" for finding in findings), findings
    text = chain.run(code=0)
    assert "All is well." in text and "CHECK" in text


def test_no_profile(chain: Chain) -> None:
    (chain.device.profiles / "acme.mobileconfig").unlink()
    settled(chain, lambda status: not status["profiles"])
    finding = chain.only("profile")
    assert "No profile is installed" in finding["message"] and ".mobileconfig" in finding["remedy"]


def test_a_defective_profile_is_named_and_the_other_counts(chain: Chain) -> None:
    file = chain.device.profiles / "broken.mobileconfig"
    file.write_text("<html></html>")
    file.chmod(0o644)
    finding = chain.only("profile")
    assert str(file) in finding["message"] and f"profile validate {file}" in finding["remedy"]
    assert any(each["check"] == "profile" and each["status"] == "ok" for each in chain.findings())


@needs_root
def test_a_missing_signature(chain: Chain) -> None:
    signer = chain.device.authority.certificate
    policy = chain.root.parent / "policy.json"
    policy.write_text(json.dumps({"requireSignature": True, "signers": [str(signer)]}))
    settled(chain, lambda status: "problem" in status["profiles"][0])
    finding = chain.only("signature")
    assert "not signed" in finding["message"] and str(policy) in finding["remedy"]


@needs_root
def test_a_policy_that_cannot_be_read(chain: Chain) -> None:
    policy = chain.root.parent / "policy.json"
    policy.write_text('{"allowUserProfile": true}')
    settled(chain, lambda status: status["profiles"][0]["source"] == str(policy))
    finding = chain.only("policy")
    assert "allowUserProfiles" in finding["message"] and str(policy) in finding["remedy"]


def test_no_socket_and_no_broker(chain: Chain) -> None:
    # Without the broker these places are not known, so name them.
    places = ["--user-profiles", chain.device.profiles, "--device-profiles", "/none", "--allow-user-profiles", "--policy", "/none"]
    chain.device.stop()
    chain.device.socket.unlink(missing_ok=True)
    findings = json.loads(chain.run("--json", *places, code=1))["findings"]
    [problem] = [finding for finding in findings if finding["status"] != "ok"]
    assert problem["check"] == "socket" and "no socket" in problem["message"]
    assert "systemctl --global enable lanyard-broker.socket" in problem["remedy"]

    # A broker that was killed leaves its socket behind.
    subprocess.run(
        ["/usr/bin/python3", "-c", "import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])", chain.device.socket],
        check=True)
    chain.device.socket.chmod(0o600)
    findings = json.loads(chain.run("--json", *places, code=1))["findings"]
    [problem] = [finding for finding in findings if finding["status"] != "ok"]
    assert problem["check"] == "broker" and "cannot be asked" in problem["message"]


def test_a_socket_that_others_can_open(chain: Chain) -> None:
    chain.device.socket.chmod(0o666)
    assert f"chmod 600 {chain.device.socket}" in chain.only("socket")["remedy"]


def test_no_extension(chain: Chain) -> None:
    (chain.device.extensions / f"{OPENID}.json").unlink()
    settled(chain, lambda status: not status["extensions"])
    finding = chain.only("extension")
    assert f"{OPENID} of team {TEAM} is not installed" in finding["message"] and "Install the package" in finding["remedy"]


def test_the_program_of_an_extension_is_gone(chain: Chain, tmp_path: Path) -> None:
    program = shutil.copy(TEST_EXTENSION, tmp_path / "extension")
    chain.device.install_extension(extensionIdentifier=OPENID, executable=str(program))
    program.unlink()
    chain.device.install_extension(extensionIdentifier=OPENID, executable=str(program))
    settled(chain, lambda status: bool(status["faultyManifests"]))
    assert str(program) in chain.only("extension")["message"]


def test_a_domain_that_does_not_agree(chain: Chain) -> None:
    chain.device.domains.apps["id.localhost"] = []
    chain.device.post("/v1/domains/refresh", {})
    finding = chain.only("domain")
    assert "has not agreed" in finding["message"]
    assert "/.well-known/apple-app-site-association" in finding["remedy"] and "domains refresh" in finding["remedy"]


def test_a_domain_that_nothing_claims(chain: Chain) -> None:
    chain.device.install_extension(extensionIdentifier=OPENID, associatedDomains=[])
    wait_until(lambda: chain.device.get("/v1/domains")[0]["state"] == "unclaimed", 10, "the manifest is seen")
    assert "Nothing claims id.localhost" in chain.only("domain")["message"]


def test_a_server_and_a_domain_that_nobody_reaches(chain: Chain) -> None:
    chain.device.domains.close()
    chain.device.post("/v1/domains/refresh", {})
    wrong = chain.wrong()
    assert "server" in wrong and set(wrong) <= {"server", "domain"}
    assert "does not answer" in wrong["server"][0]["message"] and "https_proxy" in wrong["server"][0]["remedy"]


def test_a_clock_that_is_off(chain: Chain) -> None:
    finding = chain.only("clock", before=("/usr/bin/faketime", "-f", "+1h"))
    assert "ahead of" in finding["message"] and "timedatectl" in finding["remedy"]
    seconds = int(finding["message"].split(" seconds")[0].split()[-1])
    assert 3_590 <= seconds <= 3_610


def test_no_policy_for_the_browsers(chain: Chain) -> None:
    shutil.rmtree(chain.root)
    wrong = chain.wrong()
    assert set(wrong) == {"browser policy"}
    assert {finding["message"].split()[0] for finding in wrong["browser policy"]} == {"chromium", "firefox"}
    assert all("browser-policy --install" in finding["remedy"] for finding in wrong["browser policy"])


def test_a_policy_is_gone_or_is_of_others(chain: Chain) -> None:
    (chain.root / "etc/chromium/policies/managed/lanyard-sso.json").unlink()
    (chain.root / "etc/firefox/policies/policies.json").write_text('{"policies": {"ExtensionSettings": {"a@b": {}}}}')
    first, second = chain.wrong()["browser policy"]
    assert "chromium has no policy" in first["message"]
    assert "policies.json does not have the extension" in second["message"] and "policies of others" in second["remedy"]


def test_an_extension_that_firefox_does_not_find(chain: Chain) -> None:
    [held] = (chain.root / "usr/share/mozilla/extensions").glob("*/sso@lanyard.example.xpi")
    held.unlink()
    finding = chain.only("browser policy")
    assert "firefox does not have the extension" in finding["message"] and held.name in finding["message"]
    # Only Debian's takes an extension that Mozilla has not signed, and this may be another one.
    held.touch()
    (chain.path / "firefox-esr").rename(chain.path / "firefox")
    finding = chain.only("browser policy", code=0)
    assert finding["status"] == "warning" and "signed" in finding["remedy"]


def test_a_host_that_the_extension_may_not_touch(chain: Chain) -> None:
    manifest = chain.share / "chromium/manifest.json"
    manifest.write_text(manifest.read_text().replace("id.localhost", "elsewhere.test"))
    assert "may not touch id.localhost" in chain.only("browser policy")["message"]


def test_a_native_host_that_does_not_answer(chain: Chain) -> None:
    host = chain.share / "native-host"
    for script, reason in ((None, "No such file"), ("#!/bin/sh\nexit 1\n", "it ends"), ("#!/bin/sh\nprintf '\\2\\0\\0\\0{}'\n", "something else")):
        if script is None:
            host.unlink()
        else:
            host.write_text(script)
            host.chmod(0o755)
        finding = chain.only("native host")
        assert str(host) in finding["message"] and reason in finding["message"]


def test_tickets_for_hosts_that_browsers_do_not_know(chain: Chain) -> None:
    kerberos = payload(
        "Credential", strings("Hosts", [".corp.acme.test"]) + "<key>Realm</key><string>CORP.ACME.TEST</string>",
        identifier="test.acme.sso.kerberos", extension="com.apple.AppSSOKerberos.KerberosExtension", team="apple")
    chain.device.install_profile(sign_on(chain.device.domains, chain.device.authority, kerberos))
    chain.device.install_extension(
        extensionIdentifier="com.apple.AppSSOKerberos.KerberosExtension", teamIdentifier="apple", hostAppIdentifier=APP)
    settled(chain, lambda status: len(status["extensions"]) == 2)
    wrong = chain.wrong()
    assert set(wrong) == {"browser policy"} and len(wrong["browser policy"]) == 2
    assert all("tickets at .corp.acme.test" in finding["message"] for finding in wrong["browser policy"])


def test_a_keyring_that_does_not_answer_and_a_key_that_others_can_read(chain: Chain) -> None:
    folder = chain.device.state / "extensions" / OPENID
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "key-in-secret-service").touch()
    assert "no keyring answers" in chain.only("keyring")["message"]
    (folder / "key-in-secret-service").unlink()
    (folder / "key").write_bytes(bytes(32))
    (folder / "key").chmod(0o644)
    assert f"chmod 600 {folder / 'key'}" in chain.only("keyring")["remedy"]


def test_an_extension_that_crashes(chain: Chain, tmp_path: Path) -> None:
    program = tmp_path / "crashing"
    program.write_text("#!/bin/sh\nexit 3\n")
    program.chmod(0o755)
    chain.device.install_extension(extensionIdentifier=OPENID, executable=str(program))
    url = f"https://id.localhost:{chain.device.domains.port}/realms/staff/page"

    def has_failed() -> bool:
        chain.device.ask(url)
        return any("lastFailure" in part for part in chain.device.get("/v1/status")["extensions"])

    wait_until(has_failed, 10, "it has crashed")
    finding = chain.only("extension")
    assert "exit status 3" in finding["message"] and "journalctl --user --unit lanyard-broker" in finding["remedy"]
