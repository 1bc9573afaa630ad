"""`lanyard-sso pair`: a person and a code; where it is handed in, the installed profile says."""

import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from broker import Device
from processes import LANYARD, LANYARD_SSO, run
from school import Member, OpenSchool
from single_sign_on.openid.extension import DOMAIN_URL, EXTENSION, MANIFEST, NOT_INTERACTIVE, Extension
from single_sign_on.openid.person import types

Pair = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def profiles(tmp_path: Path) -> Path:
    folder = tmp_path / "profiles"
    folder.mkdir()
    return folder


@pytest.fixture
def surroundings(tmp_path: Path) -> dict[str, str]:
    """The environment of a person at a terminal, without a keyring and without a broker."""
    left_out = {"DBUS_SESSION_BUS_ADDRESS", "SUDO_USER"}
    environment = {name: value for name, value in os.environ.items() if name not in left_out}
    return environment | {
        "HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state"), "LANYARD_SSO_SOCKET": str(tmp_path / "none")}


@pytest.fixture
def pair(profiles: Path, surroundings: dict[str, str], tmp_path: Path) -> Pair:
    def pair(*arguments: str, typed: str = "", **further: str) -> subprocess.CompletedProcess[str]:
        places = ("--user-profiles", profiles, "--allow-user-profiles", "--device-profiles", tmp_path / "none")
        return subprocess.run(
            [LANYARD_SSO, "pair", *arguments, *places], env=surroundings | further, capture_output=True, text=True,
            input=typed, timeout=30)

    return pair


def install(folder: Path, server: str, name: str = "maple") -> None:
    built = run(
        LANYARD_SSO, "profile", "build", "--identifier", f"test.{name}.sso", "--extension",
        "org.lanyard.openid.extension", "--team", "LANYARD", "--url", f"https://{name}.test/",
        "--data", f"deviceRegistration={server}/device-registration", "--out", folder / f"{name}.mobileconfig")
    assert built.returncode == 0, built.stderr


def test_a_person_pairs_the_device_with_what_the_administrator_s_terminal_says(
    pair: Pair, profiles: Path, surroundings: dict[str, str], open_school: OpenSchool, member: Member
) -> None:
    install(profiles, open_school.base_url)
    tool, user = open_school.school.tool, member.account.username
    printed = tool.text("device", "code", "--user", user)
    [code] = re.findall(r"^ +([A-Z-]{14})$", printed, re.MULTILINE)
    assert re.search("^ +lanyard-sso pair$", printed, re.MULTILINE)
    nothing = pair()
    assert nothing.returncode == 1 and "There is no code" in nothing.stderr
    paired = pair("--name", "ana-laptop", typed=f" {code}\n")
    assert paired.returncode == 0, paired.stderr
    assert f"paired with {open_school.base_url}" in paired.stdout
    # Without a broker, the command does not claim that single sign-on works now.
    assert "No broker answers" in paired.stdout and max(map(len, printed.splitlines())) <= 100
    [device] = tool.json("device", "list", "--user", user)["devices"]
    assert device["name"] == "ana-laptop" and device["id"] in paired.stdout
    # The extension of this user knows it, and the broker starts that one.
    status = subprocess.run([EXTENSION, "status"], env=surroundings, capture_output=True, text=True, timeout=30)
    assert f"paired with {open_school.base_url} as {device['id']}" in status.stdout, status

    again = pair(code)
    assert again.returncode == 1
    assert "was not paired" in again.stderr and "does not take this device (status 403)" in again.stderr


def test_nobody_guesses_where_a_device_is_paired(pair: Pair, profiles: Path) -> None:
    nowhere = pair("WDJB-MJHT-KPQR")
    assert nowhere.returncode == 1 and "No installed profile says where devices are paired" in nowhere.stderr
    install(profiles, "https://id.maple.test")
    install(profiles, "https://id.elm.test", name="elm")
    several = pair("WDJB-MJHT-KPQR")
    assert several.returncode == 1 and "--profile: test.elm.sso, test.maple.sso" in several.stderr
    unknown = pair("WDJB-MJHT-KPQR", "--profile", "test.oak.sso")
    assert unknown.returncode == 1 and "no installed profile “test.oak.sso”" in unknown.stderr


def test_codes_are_not_sent_in_the_clear(pair: Pair, profiles: Path) -> None:
    install(profiles, "http://id.maple.test")
    refused = pair("WDJB-MJHT-KPQR")
    assert refused.returncode == 1 and "is no https URL" in refused.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can have come by sudo")
def test_root_s_device_is_not_the_person_s(pair: Pair, profiles: Path) -> None:
    install(profiles, "https://id.maple.test")
    refused = pair("WDJB-MJHT-KPQR", SUDO_USER="ana")
    assert refused.returncode == 1 and "Run this as ana, without sudo" in refused.stderr


@pytest.fixture
def pair_there(openid_device: Device, surroundings: dict[str, str]) -> Pair:
    """In a shell that knows the broker, and nothing of its places."""

    def pair(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [LANYARD_SSO, "pair", *arguments],
            env=surroundings | {"LANYARD_SSO_SOCKET": str(openid_device.socket)}, capture_output=True, text=True, timeout=30)

    return pair


def code_for(member: Member, school: OpenSchool) -> str:
    return school.school.tool.json("device", "code", "--user", member.account.username)["code"]


def test_the_broker_that_answers_gets_the_pairing_and_nobody_is_asked_any_more(
    pair_there: Pair, openid_device: Device, open_school: OpenSchool, options: dict, issuer: str, member: Member,
    tmp_path: Path
) -> None:
    # On another device the person has let the app know them.
    with Extension(tmp_path / "elsewhere", tmp_path / "elsewhere.log") as elsewhere:
        elsewhere.ask(issuer, "login", person=types(member), options=options)
    asked = {"operation": "refresh", "options": list(options.items())}
    assert openid_device.ask(DOMAIN_URL, **asked)["error"]["code"] == NOT_INTERACTIVE

    paired = pair_there(code_for(member, open_school), "--json")
    assert paired.returncode == 0, paired.stderr
    report = json.loads(paired.stdout)
    assert report["asksNow"]
    assert report["folder"] == str(openid_device.state / "extensions" / MANIFEST["extensionIdentifier"])
    assert not (tmp_path / "state").exists()
    # Also the extension that runs already.
    assert openid_device.ask(DOMAIN_URL, **asked)["outcome"] == "response"
    [device] = open_school.school.tool.json("device", "list", "--user", member.account.username)["devices"]
    assert device["id"] == report["device"] and device["usedAt"]


def test_what_keeps_the_broker_from_asking_is_said(
    pair_there: Pair, openid_device: Device, open_school: OpenSchool, member: Member
) -> None:
    openid_device.domains.apps["id.acme.test"] = []
    openid_device.post("/v1/domains/refresh", {})
    paired = pair_there(code_for(member, open_school))
    assert paired.returncode == 0, paired.stderr
    assert "Nobody is asked to sign you in there yet" in paired.stdout
    assert "its domain has not agreed" in paired.stdout
    (openid_device.profiles / "acme.mobileconfig").unlink()
    nowhere = pair_there("WDJB-MJHT-KPQR")
    assert nowhere.returncode == 1 and f"looks into {openid_device.folder}" in nowhere.stderr
