"""`lanyard-sso profile install`, `list` and `remove`: what is installed, for the device and for a user, and who has signed it."""

import json
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from processes import LANYARD_SSO, run

only_root = pytest.mark.skipif(os.geteuid() != 0, reason="the device's store is root's")


@dataclass(frozen=True)
class Device:
    """Places of a device that is not this one."""

    folder: Path
    allows_user: bool = False

    @property
    def places(self) -> list[str | Path]:
        places: list[str | Path] = [
            "--device-profiles", self.folder / "device", "--user-profiles", self.folder / "user", "--policy",
            self.folder / "policy.json"]
        return [*places, "--allow-user-profiles"] if self.allows_user else places

    def run(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return run(LANYARD_SSO, *arguments, *self.places)

    def json(self, *arguments: str | Path, code: int = 0) -> Any:
        done = self.run(*arguments, "--json")
        assert done.returncode == code, done.stdout + done.stderr
        return json.loads(done.stdout)

    def installed(self) -> list[str]:
        return [profile["identifier"] for profile in self.json("profile", "list")["profiles"]]

    def file(self, identifier: str, *urls: str) -> Path:
        """A profile, not installed yet."""
        file = self.folder / f"{identifier}.file"
        options = [option for url in urls for option in ("--url", url)]
        done = run(
            LANYARD_SSO, "profile", "build", "--identifier", identifier, "--extension", f"{identifier}.extension",
            "--team", "ACME123456", "--app", identifier, *options, "--out", file)
        assert done.returncode == 0, done.stderr
        return file


@pytest.fixture
def device(tmp_path: Path) -> Device:
    """Somebody tries an extension: the user's profiles count because he says so."""
    return Device(tmp_path, allows_user=True)


@dataclass(frozen=True)
class Signer:
    certificate: Path
    key: Path

    @classmethod
    def make(cls, folder: Path, name: str, days: int = 30) -> "Signer":
        signer = cls(folder / f"{name}.pem", folder / f"{name}.key")
        done = run(
            "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", signer.key, "-out",
            signer.certificate, "-subj", f"/CN={name}", "-days", str(days))
        assert done.returncode == 0, done.stderr
        return signer

    def sign(self, file: Path, *options: str) -> Path:
        signed = file.with_suffix(".signed")
        done = run(
            "openssl", "cms", "-sign", "-binary", "-in", file, "-out", signed, "-outform", "DER", "-signer",
            self.certificate, "-inkey", self.key, *(options or ("-nodetach",)))
        assert done.returncode == 0, done.stderr
        return signed


def test_a_profile_is_installed_listed_matched_replaced_and_removed(device: Device) -> None:
    assert device.run("profile", "list").stdout == "No profile is installed.\n"
    report = device.json("profile", "install", device.file("test.acme.sso", "https://id.acme.test/"), "--user")
    assert report["installed"] and not report["replaced"]
    assert report["profile"]["file"] == str(device.folder / "user" / "test.acme.sso.mobileconfig")
    assert report["profile"]["matches"] == ["https://id.acme.test/"]

    (profile,) = device.json("profile", "list")["profiles"]
    assert (profile["identifier"], profile["store"]) == ("test.acme.sso", "user")
    text = device.run("profile", "list").stdout
    assert "IDENTIFIER" in text and "test.acme.sso  user" in text
    match = device.json("match", "https://id.acme.test/login")
    assert match["extension"] == "test.acme.sso.extension"
    device.json("match", "https://elsewhere.test/", code=4)

    again = device.run("profile", "install", device.file("test.acme.sso", "https://other.acme.test/"), "--user")
    assert again.stdout.startswith("Replaced “test.acme.sso”")
    device.json("match", "https://id.acme.test/login", code=4)
    removed = device.json("profile", "remove", "test.acme.sso", "--user")
    assert removed["removed"] == [str(device.folder / "user" / "test.acme.sso.mobileconfig")]
    assert device.installed() == []
    gone = device.run("profile", "remove", "test.acme.sso", "--user")
    assert gone.returncode == 1 and "no profile “test.acme.sso”" in gone.stderr


def test_what_clashes_or_has_errors_is_refused_and_changes_nothing(device: Device) -> None:
    device.json("profile", "install", device.file("test.acme.sso", "https://id.acme.test/"), "--user")
    before = {file: file.read_bytes() for file in (device.folder / "user").iterdir()}
    report = device.json(
        "profile", "install", device.file("test.other", "https://ID.acme.test:443/"), "--user", code=2)
    assert not report["installed"]
    assert "test.acme.sso" in report["findings"][0]["problem"]
    assert "https://ID.acme.test:443/" in report["findings"][0]["problem"]
    none = device.folder / "none"
    none.write_bytes(b"<html></html>")
    done = device.run("profile", "install", none, "--user")
    assert done.returncode == 2 and done.stdout.startswith("Nothing was installed:")
    missing = device.run("profile", "install", device.folder / "missing", "--user")
    assert missing.returncode == 1 and "cannot be read" in missing.stderr
    assert {file: file.read_bytes() for file in (device.folder / "user").iterdir()} == before


def test_a_file_that_does_not_count_is_listed_with_the_reason(device: Device) -> None:
    device.json("profile", "install", device.file("test.acme.sso", "https://id.acme.test/"), "--user")
    clash = device.folder / "user" / "later.mobileconfig"
    clash.write_bytes(device.file("test.later", "https://id.acme.test/").read_bytes())
    clash.chmod(0o644)
    (device.folder / "user" / "link.mobileconfig").symlink_to(clash)
    faulty = {Path(line["file"]).name: line for line in device.json("profile", "list")["faulty"]}
    assert sorted(faulty) == ["later.mobileconfig", "link.mobileconfig"]
    assert faulty["later.mobileconfig"]["identifier"] == "test.later"
    assert "“test.acme.sso”" in faulty["later.mobileconfig"]["problem"]
    assert "links are not followed" in faulty["link.mobileconfig"]["problem"]
    assert "These do not count:" in device.run("profile", "list").stdout
    assert device.json("profile", "remove", "test.later", "--user")["removed"] == [str(clash)]


def test_users_have_profiles_only_where_the_administrator_says_so(device: Device) -> None:
    closed = Device(device.folder)
    file = device.file("test.acme.sso", "https://id.acme.test/")
    done = closed.run("profile", "install", file, "--user")
    assert done.returncode == 1 and '{"allowUserProfiles": true}' in done.stderr
    device.json("profile", "install", file, "--user")
    assert closed.installed() == []
    assert "do not count" in closed.run("profile", "list").stdout
    # They can always be taken away.
    assert closed.json("profile", "remove", "test.acme.sso", "--user")["removed"]


@only_root
def test_root_installs_for_the_device_and_nobody_else_does(device: Device) -> None:
    closed = Device(device.folder)
    file = device.file("test.acme.sso", "https://id.acme.test/")
    assert closed.json("profile", "install", file)["profile"]["store"] == "device"
    assert closed.installed() == ["test.acme.sso"]
    hint = closed.run("profile", "remove", "test.acme.sso", "--user")
    assert hint.returncode == 1 and "leave --user out" in hint.stderr

    (device.folder / "policy.json").write_text('{"allowUserProfiles": true}')
    mine = device.file("test.mine", "https://mine.test/")
    assert closed.json("profile", "install", mine, "--user")["installed"]
    assert closed.installed() == ["test.acme.sso", "test.mine"]

    # A user without root's rights, in a folder that only root may write.
    stranger = subprocess.run(
        [LANYARD_SSO, "profile", "install", "/proc/self/status", "--device-profiles", "/nowhere", "--policy", "/nowhere"],
        capture_output=True, text=True, user=65_534, group=65_534, extra_groups=[], check=False, cwd="/")
    assert stranger.returncode == 1 and "sudo" in stranger.stderr

    # A policy that others can write to is not trusted. It might have required signatures, so no profile counts.
    (device.folder / "policy.json").chmod(0o666)
    assert closed.installed() == []
    assert "chmod go-w" in closed.run("profile", "list").stdout
    assert "chmod go-w" in closed.run("profile", "remove", "test.acme.sso").stderr


def test_a_signature_is_checked_against_the_certificate_that_is_given(device: Device) -> None:
    acme, other = Signer.make(device.folder, "acme"), Signer.make(device.folder, "other")
    file = device.file("test.acme.sso", "https://id.acme.test/")
    signed = acme.sign(file)

    def validate(path: Path, *options: str | Path, code: int) -> Any:
        done = run(LANYARD_SSO, "profile", "validate", path, *options, "--json")
        assert done.returncode == code, done.stdout + done.stderr
        return json.loads(done.stdout)

    report = validate(signed, "--signer", acme.certificate, code=0)
    assert report["signer"] == "acme" and report["findings"] == []
    assert validate(signed, "--signer", other.certificate, "--signer", acme.certificate, code=0)["signer"] == "acme"
    assert "nobody vouches" in validate(signed, "--signer", other.certificate, code=2)["findings"][0]["problem"]
    assert "not signed" in validate(file, "--signer", acme.certificate, code=2)["findings"][0]["problem"]
    # Without a trusted certificate the profile can be read, but its signature does not count.
    unknown = validate(signed, code=0)
    assert unknown.get("signer") is None and unknown["findings"][0]["severity"] == "warning"
    detached = acme.sign(file, "-md", "sha256")
    assert "without the profile" in validate(detached, "--signer", acme.certificate, code=2)["findings"][0]["problem"]
    signed = acme.sign(file)
    changed = signed.read_bytes().replace(b"id.acme.test", b"id.evil.test")
    assert changed != signed.read_bytes()
    signed.write_bytes(changed)
    assert "changed after it was signed" in validate(signed, code=2)["findings"][0]["problem"]
    done = run(LANYARD_SSO, "profile", "validate", file, "--signer", file)
    assert done.returncode == 1 and "no certificate" in done.stderr


@only_root
def test_a_device_that_asks_for_signatures_takes_only_signed_profiles(device: Device) -> None:
    closed = Device(device.folder)
    acme, other = Signer.make(device.folder, "acme"), Signer.make(device.folder, "other")
    file = device.file("test.acme.sso", "https://id.acme.test/")
    closed.json("profile", "install", file)
    (device.folder / "policy.json").write_text(
        json.dumps({"signers": [str(acme.certificate)], "requireSignature": True}))
    assert closed.installed() == []
    assert "not signed" in closed.json("profile", "list")["faulty"][0]["problem"]
    closed.json("profile", "install", file, code=2)
    closed.json("profile", "install", other.sign(file), code=2)
    assert closed.json("profile", "install", acme.sign(file))["profile"]["signer"] == "acme"
    (profile,) = closed.json("profile", "list")["profiles"]
    assert profile["signer"] == "acme"
    # The file that was there has the same identifier and place: there is only one.
    assert len(list((device.folder / "device").glob("*.mobileconfig"))) == 1


@only_root
def test_a_file_that_only_root_can_read_is_listed_with_that() -> None:
    # Users come to none of the folders that pytest makes.
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        device = Device(Path(folder))
        device.json("profile", "install", device.file("test.acme.sso", "https://id.acme.test/"))
        (listed,) = device.json("profile", "list")["profiles"]
        assert "problem" not in listed
        file = Path(listed["file"])
        for place, mode in ((file, 0o600), (file.parent, 0o700)):
            before = place.stat().st_mode
            place.chmod(mode)
            (listed,) = device.json("profile", "list")["profiles"]
            assert "chmod go+r" in listed["problem"]
            shown = device.run("profile", "list").stdout
            assert f"\n  Only root counts it: the brokers of users cannot read {file}." in shown
            place.chmod(before)


def test_building_says_which_file_it_has_written(tmp_path: Path) -> None:
    file = tmp_path / "acme.mobileconfig"
    done = run(
        LANYARD_SSO, "profile", "build", "--identifier", "a.b", "--extension", "a.b.c", "--team", "T", "--host",
        "intranet.acme.test", "--out", file)
    assert (done.returncode, done.stdout) == (0, f"Wrote {file}.\n"), done.stderr
