"""The guide for administrators of devices, followed letter by letter on a machine on which nothing is installed."""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from machine import Machine, machine, why_not
from processes import LANYARD, ROOT

pytestmark = pytest.mark.skipif(bool(why_not()), reason=str(why_not()))

GUIDE = (ROOT / "docs" / "single-sign-on.md").read_text()
COVERED = "https://id.maple.example/oidc/authorize"


def section(title: str) -> str:
    return re.search(rf"^## {title}\n(.*?)^## ", GUIDE, re.MULTILINE | re.DOTALL)[1]


def lines(title: str) -> list[str]:
    """Every command of the section, in its order."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", section(title), re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.replace("\\\n", " ").splitlines() if line]


@pytest.fixture
def device(tmp_path: Path) -> Iterator[Machine]:
    """Somebody is logged in, has cloned the repository, built it, and has a server's data at hand."""
    with machine(tmp_path) as device:
        device.start_session(tmp_path / "manager.log")
        folder = device.clone()
        data = folder / "lanyard-data"
        device.person(LANYARD, "init", "--data", data, "--name", "Maple District", "--domain", "maple.example")
        settings = json.dumps({"baseURL": "https://id.maple.example"})
        device.person("sh", "-c", f"echo '{settings}' > {data}/lanyard.json")
        yield device


def follow(device: Machine, command: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    """As the person, or as root where the guide says `sudo`."""
    do = device.root if command.startswith("sudo ") else device.person
    return do("sh", "-c", f"cd /run/home/lanyard && {command.removeprefix('sudo ')}", check=check)


def test_42_73_whoever_follows_the_guide_has_a_device_with_single_sign_on(device: Machine) -> None:
    commands = lines("Set a device up")
    built = [command.split()[-1] for command in commands if command.startswith("swift build")]
    assert built == ["lanyard", "lanyard-broker", "lanyard-openid"]
    for command in commands:
        if not command.startswith("swift build"):
            follow(device, command)
    [browsers] = re.findall(r"`(sudo lanyard sso browser-policy \S+)`", section("Set a device up"))
    follow(device, browsers)
    policy = json.loads(device.root("cat", "/etc/chromium/policies/managed/lanyard-sso.json").stdout)
    assert policy["ExtensionSettings"]

    # What the guide says where something does not work: each step says what is wrong.
    steps = dict.fromkeys(
        command.replace("URL", COVERED) for command in re.findall(r"`(lanyard sso [^`]+)`", section("When it does not work")))
    shown = {
        command: follow(device, command, check=False)
        for command in steps if "--follow" not in command and "logout" not in command}
    assert len(shown) == 5
    status = shown["lanyard sso status"].stdout
    assert "Maple District" in status and "org.lanyard.openid.extension" in status
    matched = shown[f"lanyard sso match {COVERED}"]
    assert matched.returncode == 0 and "org.lanyard.openid.extension" in matched.stdout
    for command in ("lanyard sso domains", "lanyard sso domains refresh"):
        # Nobody is there under that name.
        assert shown[command].returncode == 0 and "id.maple.example" in shown[command].stdout
        assert "unreachable" in shown[command].stdout, shown[command].stdout
    asked = shown[f"lanyard sso request {COVERED} --operation login"]
    assert asked.returncode == 4 and "domainNotApproved" in asked.stdout, asked
    assert "domainNotApproved" in follow(device, "lanyard sso log").stdout


def test_the_reasons_of_the_guide_are_reasons_of_the_broker() -> None:
    table = re.findall(r"^\| (`[^|]+) \|", section("When it does not work"), re.MULTILINE)
    reasons = {name for row in table for name in re.findall(r"`([a-z]+[A-Z][A-Za-z]+)`", row)}
    wire = "".join(path.read_text() for path in (ROOT / "Sources" / "SingleSignOnWire").rglob("*.swift"))
    [known] = re.findall(r"enum BrokerReason\b[^{]*{(.*?)^}", wire, re.MULTILINE | re.DOTALL)
    assert len(reasons) >= 7
    assert reasons <= set(re.findall(r"case (\w+)", known)), reasons
