"""Profiles that an administrator, a tool or another package puts into the folder for that (`/etc/lanyard/sso.d`)."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from broker import Authority, Device, Domains, payload, profile, strings
from processes import wait_until

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only files of root count for the device")

STAFF = "https://id.acme.test/realms/staff/login"
SCHOOL = "https://saml.acme.test/login"


def sign_on(identifier: str, url: str) -> bytes:
    return profile([payload("Redirect", strings("URLs", [url]), identifier=f"{identifier}.payload")], identifier)


class Folder:
    def __init__(self, path: Path):
        self.path = path
        path.mkdir(mode=0o755)

    def put(self, name: str, content: bytes, mode: int = 0o644) -> Path:
        draft = self.path / f".{name}"
        draft.write_bytes(content)
        draft.chmod(mode)
        return draft.rename(self.path / f"{name}.mobileconfig")


@pytest.fixture
def device(tmp_path: Path, authority: Authority) -> Iterator[Device]:
    """Its user has no profiles; its folder for drop-ins has one before the broker starts."""
    device = Device(tmp_path / "device", authority, Domains(authority, "id.acme.test", "saml.acme.test"))
    device.options = ["--drop-ins", str(tmp_path / "sso.d")]
    device.install_extension()
    Folder(tmp_path / "sso.d").put("10-staff", sign_on("test.acme.staff", "https://id.acme.test/realms/staff/"))
    with device.running():
        yield device


@pytest.fixture
def folder(device: Device) -> Folder:
    folder = Folder.__new__(Folder)
    folder.path = device.folder.parent / "sso.d"
    return folder


def profiles(device: Device) -> dict[str, dict[str, str]]:
    return {Path(each["source"]).name: each for each in device.get("/v1/status")["profiles"]}


def test_a_file_counts_from_the_start_when_it_comes_and_no_longer_when_it_goes(device: Device, folder: Folder) -> None:
    assert device.match(STAFF)["isCovered"] and not device.match(SCHOOL)["isCovered"]
    listed = profiles(device)["10-staff.mobileconfig"]
    assert listed["store"] == "device" and "problem" not in listed

    school = folder.put("20-school", sign_on("test.acme.school", "https://saml.acme.test/"))
    wait_until(lambda: device.match(SCHOOL)["isCovered"], 10, "the new file counts")
    assert device.match(STAFF)["isCovered"]
    school.unlink()
    wait_until(lambda: not device.match(SCHOOL)["isCovered"], 10, "the file that went no longer counts")
    assert device.match(STAFF)["isCovered"]


def test_the_folder_may_be_made_after_the_broker_has_started(device: Device, folder: Folder) -> None:
    (folder.path / "10-staff.mobileconfig").unlink()
    folder.path.rmdir()
    wait_until(lambda: not profiles(device), 10, "nothing is there")
    Folder(folder.path).put("staff", sign_on("test.acme.staff", "https://id.acme.test/realms/staff/"))
    wait_until(lambda: device.match(STAFF)["isCovered"], 10, "the file counts")


def test_a_defective_file_is_named_with_a_remedy_and_hinders_no_other(device: Device, folder: Folder) -> None:
    folder.put("00-broken", b"<html></html>")
    folder.put("05-open", sign_on("test.acme.open", "https://saml.acme.test/"), mode=0o666)
    os.chown(folder.put("06-foreign", sign_on("test.acme.foreign", "https://saml.acme.test/x/")), 65_534, 0)
    folder.put("20-again", sign_on("test.acme.staff", "https://saml.acme.test/y/"))
    wait_until(lambda: len(profiles(device)) == 5, 10, "the files are seen")
    listed = profiles(device)
    assert listed["00-broken.mobileconfig"]["problem"]
    assert "chmod go-w" in listed["05-open.mobileconfig"]["problem"]
    assert "chown" in listed["06-foreign.mobileconfig"]["problem"]
    again = listed["20-again.mobileconfig"]["problem"]
    assert str(folder.path / "10-staff.mobileconfig") in again and "Remove one of them" in again
    assert device.match(STAFF)["isCovered"] and not device.match(SCHOOL)["isCovered"]


def test_in_a_folder_that_others_can_write_to_nothing_counts(device: Device, folder: Folder) -> None:
    folder.path.chmod(0o777)
    wait_until(lambda: not device.match(STAFF)["isCovered"], 10, "nothing counts")
    [listed] = device.get("/v1/status")["profiles"]
    assert listed["source"] == str(folder.path) and "chmod go-w" in listed["problem"]
