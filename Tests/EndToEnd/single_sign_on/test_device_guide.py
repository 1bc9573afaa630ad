"""The guide for administrators of devices, followed letter by letter on a machine on which nothing is installed."""

import json
import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from machine import Machine, machine, why_not
from processes import LANYARD, PROGRAMS, ROOT, run, wait_until

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
    """As the person, or as root where the guide says `sudo`. The server's program is not installed on devices."""
    command = re.sub(r"^lanyard ", f"{LANYARD} ", command)
    do = device.root if command.startswith("sudo ") else device.person
    return do("sh", "-c", f"cd /run/home/lanyard && {command.removeprefix('sudo ')}", check=check)


def test_whoever_follows_the_guide_has_a_device_with_single_sign_on(device: Machine) -> None:
    commands = lines("Set a device up")
    # The commands that build were run before.
    assert commands[:2] == ["scripts/bootstrap", "scripts/build-device"]
    assert all(os.access(ROOT / command, os.X_OK) for command in commands[:2])
    for command in commands[2:]:
        assert "warning" not in follow(device, command).stderr
    [browsers] = re.findall(r"`(sudo lanyard-sso browser-policy \S+)`", section("Set a device up"))
    follow(device, browsers)
    policy = json.loads(device.root("cat", "/etc/chromium/policies/managed/lanyard-sso.json").stdout)
    assert policy["ExtensionSettings"]

    # Pairing goes to the server of the profile, which nobody is under that name.
    [get_code, enter_code] = lines("Pair a device")
    device.person(
        LANYARD, "person", "add", "--data", "/run/home/lanyard/lanyard-data", "--first-name", "Ana", "--last-name", "Ruiz",
        "--role", "staff", "--user-name", "aruiz@maple.example")
    [code] = re.findall(r"^ +([A-Z-]{14})$", follow(device, get_code).stdout, re.MULTILINE)
    paired = follow(device, f"echo {code} | {enter_code}", check=False)
    assert paired.returncode == 1 and "not paired" in paired.stderr and "id.maple.example" in paired.stderr, paired
    for named in re.findall(r"`(/usr/libexec/\S+ \w+)`", section("Pair a device")):
        assert device.person(*named.split()).returncode == 0

    # The broker asks the domain by itself as soon as the profile is there, which takes a while.
    wait_until(
        lambda: "unchecked" not in follow(device, "lanyard-sso domains").stdout, 60, "the domain was asked")
    # What the guide says where something does not work: each step says what is wrong.
    steps = dict.fromkeys(
        command.replace("URL", COVERED) for command in re.findall(r"`(lanyard-sso [^`]+)`", section("When it does not work")))
    shown = {
        command: follow(device, command, check=False)
        for command in steps if "--follow" not in command and "logout" not in command}
    assert len(shown) == 6
    # Nothing is wrong with the device itself, and nobody is there under the server's name.
    doctor = shown["lanyard-sso doctor"]
    assert doctor.returncode == 1
    wrong = [line.split() for line in doctor.stdout.splitlines() if re.match("(problem|warning) ", line)]
    assert {words[1] for words in wrong} == {"domain", "server"} and "id.maple.example" in doctor.stdout, doctor.stdout
    assert re.search("^ok +native host ", doctor.stdout, re.MULTILINE), doctor.stdout
    status = shown["lanyard-sso status"].stdout
    assert "Maple District" in status and "org.lanyard.openid.extension" in status
    matched = shown[f"lanyard-sso match {COVERED}"]
    assert matched.returncode == 4 and "org.lanyard.openid.extension" in matched.stdout
    for command in ("lanyard-sso domains", "lanyard-sso domains refresh"):
        # Nobody is there under that name.
        assert shown[command].returncode == 0 and "id.maple.example" in shown[command].stdout
        assert "unreachable" in shown[command].stdout, shown[command].stdout
    asked = shown[f"lanyard-sso request {COVERED} --operation login"]
    assert asked.returncode == 4 and "domainNotApproved" in asked.stdout, asked
    assert "domainNotApproved" in follow(device, "lanyard-sso log").stdout

    removing = "lanyard-sso browser-policy --remove"
    refused = follow(device, removing, check=False)
    assert refused.returncode == 1 and "takes root" in refused.stderr
    follow(device, f"sudo {removing}")
    assert device.root("ls", "/etc/chromium/policies/managed", check=False).stdout == ""


def test_what_the_programs_load_is_in_the_guide_and_missed_before_anything_is_installed(device: Machine) -> None:
    [depends] = re.findall(r"^(Depends: .*)$", GUIDE, re.MULTILINE)
    packed = device.person("sh", "-c", "cd /run/home/lanyard && packaging/install-device /run/home/packed").stdout
    assert depends in packed
    named = set(depends.removeprefix("Depends: ").split(", "))
    libraries: set[str] = set()
    for program in ("lanyard-sso", "lanyard-broker", "lanyard-openid", "lanyard-kerberos", "lanyard-local-password"):
        libraries |= set(re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "--dynamic", PROGRAMS / program).stdout))
    # No package has Swift's own libraries, which a release build contains.
    owners: dict[str, str] = {}
    for line in run("dpkg-query", "--search", *(f"*/{library}" for library in libraries)).stdout.splitlines():
        package, _, path = line.partition(": ")
        owners.setdefault(path.rpartition("/")[2], package.split(":")[0])
    # The scripts of a package tell the brokers with procps that there is a new version.
    assert owners and {*owners.values(), "ca-certificates", "procps"} == named
    # Nothing of the server's.
    assert not named & {"libpq5", "libsqlite3-0", "libargon2-1", "libarchive13"}

    device.root("sh", "-c", "rm /usr/lib/x86_64-linux-gnu/libxml2.so.2*")
    refused = device.root("sh", "-c", "cd /run/home/lanyard && packaging/install-device", check=False)
    assert refused.returncode == 1 and "lacks libxml2.so.2" in refused.stderr and "libxml2" in refused.stderr
    assert device.root("ls", "/usr/bin/lanyard-sso", check=False).returncode != 0


@pytest.mark.parametrize(("before", "after"), [
    # Whom root has let use it, and how, stays.
    ("chown root:users FILE && chmod 4750 FILE", "4750 root users"),
    ("chmod u+s FILE", "4755 root root"),
    ("chmod 0700 FILE", "700 root root"),
    # What another account has put there gives nobody root's rights.
    ("chown games FILE && chmod 4755 FILE", "755 root root"),
    ("mv FILE /run/elsewhere && chmod 4755 /run/elsewhere && ln -s /run/elsewhere FILE", "755 root root"),
    ("rm FILE", "755 root root"),
])
def test_a_later_installation_widens_no_rights(device: Machine, before: str, after: str) -> None:
    file = "/usr/libexec/lanyard/lanyard-local-password"
    install = "cd /run/home/lanyard && packaging/install-device"
    device.root("sh", "-c", install)
    assert device.root("stat", "--format=%a %U %G", file).stdout.strip() == "755 root root"
    device.root("sh", "-c", before.replace("FILE", file))
    device.root("sh", "-c", install)
    assert device.root("stat", "--format=%a %U %G", file).stdout.strip() == after
    assert device.root("stat", "--format=%F", file).stdout.strip() == "regular file"


def test_a_package_has_no_program_that_runs_as_root(device: Machine) -> None:
    install = "cd /run/home/lanyard && packaging/install-device /run/home/packed"
    file = "/run/home/packed/usr/libexec/lanyard/lanyard-local-password"
    for _ in range(2):
        device.root("sh", "-c", install)
        assert device.root("stat", "--format=%a", file).stdout.strip() == "755"
        device.root("chmod", "4755", file)


@pytest.mark.parametrize(("arguments", "code"), [("--help", 0), ("--version", 1), ("a b", 1), ("''", 1)])
def test_install_device_takes_no_option_for_a_folder(tmp_path: Path, arguments: str, code: int) -> None:
    done = run(ROOT / "packaging" / "install-device", *shlex.split(arguments))
    assert done.returncode == code
    assert "packaging/install-device [FOLDER]" in done.stdout + done.stderr
    assert not (ROOT / "--help").exists()


def test_the_reasons_of_the_guide_are_reasons_of_the_broker() -> None:
    table = re.findall(r"^\| (`[^|]+) \|", section("When it does not work"), re.MULTILINE)
    reasons = {name for row in table for name in re.findall(r"`([a-z]+[A-Z][A-Za-z]+)`", row)}
    wire = "".join(path.read_text() for path in (ROOT / "Sources" / "Device" / "SingleSignOnWire").rglob("*.swift"))
    [known] = re.findall(r"enum BrokerReason\b[^{]*{(.*?)^}", wire, re.MULTILINE | re.DOTALL)
    assert len(reasons) >= 7
    assert reasons <= set(re.findall(r"case (\w+)", known)), reasons
