"""The .rpm packages: what is in them, and what rpm does with them.

They are installed by rpm itself, in the layer above this machine's folders in which packages for Debian are tried too. Whether a distribution
has the libraries that they require is not tried, since this machine's are those of Debian and rpm knows nothing of them (`--nodeps`).
"""

import hashlib
import os
import re
import subprocess
from pathlib import Path

import pytest
from layer import ROOT_FOLDER, Layer
from processes import ROOT, run

NEEDS_LAYER = pytest.mark.skipif(
    os.geteuid() != 0 or bool(ROOT_FOLDER), reason="only root can install packages, and a bare Debian has no rpm")
MOVED = (("/lib/systemd/", "/usr/lib/systemd/"), ("/usr/share/zsh/vendor-completions/", "/usr/share/zsh/site-functions/"))


def build(packages: dict[str, Path], folder: Path) -> dict[str, Path]:
    done = run(
        ROOT / "scripts" / "build-rpms", "--packages", packages["lanyard"].parent, "--out", folder, "--trial", timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return {re.match("[a-z-]+(?=-[0-9])", file.name)[0]: file for file in folder.glob("*.rpm")}


@pytest.fixture(scope="session")
def rpms(packages: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return build(packages, tmp_path_factory.mktemp("rpms"))


def asked(package: Path, *question: str) -> list[str]:
    done = run("rpm", f"--dbpath={package.parent}/database", "--query", "--package", *question, package)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_they_have_the_files_and_the_version_of_the_packages_for_debian(
    packages: dict[str, Path], rpms: dict[str, Path]
) -> None:
    assert set(rpms) == {"lanyard", "lanyard-sso"}
    for name, package in rpms.items():
        assert asked(package, "--queryformat", "%{VERSION}\n") == [run("dpkg-deb", "--field", packages[name], "Version").stdout.strip()]
        wanted = set()
        for line in run("dpkg-deb", "--contents", packages[name]).stdout.splitlines():
            path = re.split(" -> | link to ", line.split(maxsplit=5)[5])[0].removeprefix(".")
            if not path.endswith("/") and not path.startswith(("/usr/share/doc/", "/usr/share/lintian/")):
                for before, after in MOVED:
                    path = re.sub(f"^{before}", after, path)
                wanted.add(path)
        files = {line.split()[0] for line in asked(package, "--dump") if line.split()[4].startswith("010")}
        assert files == wanted | {f"/usr/share/licenses/{name}/copyright"}
        assert not [line for line in asked(package, "--list") if re.match("/(lib|bin|sbin)/", line)]


def test_everything_is_roots_and_nothing_runs_as_root_for_others(rpms: dict[str, Path]) -> None:
    for package in rpms.values():
        for line in asked(package, "--dump"):
            path, _, _, _, mode, owner, group, *_ = line.split()
            assert owner == "root" and group == ("lanyard" if path == "/etc/lanyard/lanyard.json" else "root"), path
            assert not int(mode, 8) & 0o7022, path
    assert asked(rpms["lanyard"], "--configfiles") == ["/etc/lanyard/lanyard.json"]
    assert asked(rpms["lanyard-sso"], "--configfiles") == ["/etc/pam.d/lanyard-local-password", "/etc/xdg/autostart/lanyard-broker.desktop"]


def test_they_require_what_their_programs_load(rpms: dict[str, Path], tmp_path: Path) -> None:
    for name, package in rpms.items():
        folder = tmp_path / name
        folder.mkdir()
        unpacked = subprocess.run(f"rpm2cpio {package} | cpio --extract --make-directories --quiet", shell=True, cwd=folder)
        assert unpacked.returncode == 0
        required = {line.partition("(")[0] for line in asked(package, "--requires")}
        programs = [file for file in (folder / "usr").rglob("*") if file.is_file() and file.read_bytes()[:4] == b"\x7fELF"]
        assert len(programs) == {"lanyard": 1, "lanyard-sso": 6}[name]
        for program in programs:
            loaded = set(re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "--dynamic", program).stdout))
            assert loaded and loaded <= required, loaded - required
        assert "ca-certificates" in required
    assert "libpq.so.5" not in {line.partition("(")[0] for line in asked(rpms["lanyard-sso"], "--requires")}


def test_the_same_packages_give_the_same_bytes(packages: dict[str, Path], rpms: dict[str, Path], tmp_path: Path) -> None:
    again = build(packages, tmp_path)
    for name, package in rpms.items():
        assert hashlib.sha256(again[name].read_bytes()).digest() == hashlib.sha256(package.read_bytes()).digest()


def test_without_packages_for_debian_there_are_none(tmp_path: Path) -> None:
    done = run(ROOT / "scripts" / "build-rpms", "--packages", tmp_path, "--out", tmp_path)
    assert done.returncode != 0 and "run scripts/build-packages first" in done.stderr
    assert not list(tmp_path.glob("*.rpm"))


@NEEDS_LAYER
def test_rpm_installs_the_server_replaces_it_and_removes_it_without_its_data(layer: Layer, rpms: dict[str, Path]) -> None:
    told = layer.do("rpm", "--install", "--nodeps", rpms["lanyard"])
    assert "lanyardctl setup" in told
    assert layer.stat("/var/lib/lanyard") == "700 lanyard lanyard"
    assert layer.stat("/etc/lanyard/lanyard.json") == "640 root lanyard"
    layer.do("sh", "-c", """echo '{"baseURL": "https://id.maple.example"}' > /etc/lanyard/lanyard.json""")
    assert "https://id.maple.example/" in layer.do("lanyardctl", "init", "--name", "Maple District", "--domain", "maple.example")
    changed = layer.do("rpm", "--verify", "--nodeps", "lanyard", status=1).splitlines()
    assert len(changed) == 1 and changed[0].endswith("c /etc/lanyard/lanyard.json"), changed

    # As on an upgrade: settings stay, and nobody is told the first steps again.
    assert "lanyardctl setup" not in layer.do("rpm", "--upgrade", "--force", "--nodeps", rpms["lanyard"])
    assert "maple.example" in layer.do("cat", "/etc/lanyard/lanyard.json")
    assert "Maple District" in layer.do("lanyardctl", "org", "list")

    layer.do("rpm", "--erase", "lanyard")
    assert not layer.has("/usr/bin/lanyard") and layer.has("/etc/lanyard/lanyard.json.rpmsave")
    assert layer.has("/var/lib/lanyard/lanyard.sqlite") and layer.has("/var/lib/lanyard/master.key")
    assert layer.do("getent", "passwd", "lanyard")


@NEEDS_LAYER
def test_rpm_installs_single_sign_on_with_the_policies_of_browsers_and_takes_them_away(
    layer: Layer, rpms: dict[str, Path]
) -> None:
    policies = (
        "/etc/chromium/policies/managed/lanyard-sso.json", "/etc/firefox/policies/policies.json",
        "/usr/share/mozilla/extensions/{ec8030f7-c20a-464f-9b0e-13a3a9e97384}/sso@lanyard.example.xpi")
    layer.do("rpm", "--install", "--nodeps", rpms["lanyard-sso"])
    for wanted in ("sockets.target.wants/lanyard-broker.socket", "graphical-session.target.wants/lanyard-broker.service"):
        assert layer.has(f"/etc/systemd/user/{wanted}"), wanted
    assert layer.stat("/etc/lanyard/sso.d") == "755 root root"
    assert not any(layer.has(policy) for policy in policies)

    # A package that brings a profile has browsers told of it.
    layer.do(
        "lanyard-sso", "profile", "build", "--identifier", "example.oak.sso", "--extension", "org.lanyard.openid.extension",
        "--team", "LANYARD", "--app", "org.lanyard.openid", "--url", "https://id.oak.example/oidc/", "--data",
        "issuer=https://id.oak.example", "--out", layer.folder / "oak.mobileconfig")
    (layer.folder / "oak.spec").write_text(f"""Name: oak-sso
Version: 1
Release: 1
Summary: Profile of Oak
License: None
BuildArch: noarch
%description
Profile of Oak.
%install
install -D -m 0644 {layer.folder}/oak.mobileconfig %{{buildroot}}/etc/lanyard/sso.d/oak.mobileconfig
%files
/etc/lanyard/sso.d/oak.mobileconfig
""")
    layer.do("rpmbuild", "-bb", "--quiet", "--define", f"_topdir {layer.folder}/build", layer.folder / "oak.spec")
    [oak] = (layer.folder / "build").rglob("*.rpm")
    layer.do("rpm", "--install", oak)
    assert all(layer.has(policy) for policy in policies)
    assert "id.oak.example" in layer.do("cat", "/usr/share/lanyard/browser/chromium/manifest.json")
    layer.do("rpm", "--erase", "oak-sso")
    assert not any(layer.has(policy) for policy in policies)
    layer.do("rpm", "--install", oak)
    assert all(layer.has(policy) for policy in policies)

    layer.do("rpm", "--erase", "lanyard-sso")
    assert not any(layer.has(policy) for policy in policies)
    assert not layer.has("/usr/bin/lanyard-sso") and not layer.has("/etc/systemd/user/sockets.target.wants/lanyard-broker.socket")


class FakeSystem:
    """Stands in place of systemd, which does not run in a layer, and of signals to brokers. rpm's scripts find it first."""

    def __init__(self, layer: Layer):
        self._layer, self._asked = layer, layer.folder / "asked"
        layer.do("mkdir", "-p", "/run/systemd/system")
        users = "".join(f"user@{number}.service loaded active running User Manager\n" for number in (1000, 1001))
        for name in ("systemctl", "pkill"):
            program = layer.folder / name
            program.write_text(f"""#!/bin/sh
echo "${{0##*/}} $*" >> {self._asked}
case "$*" in *list-units*) printf '{users}' ;; esac
""")
            layer.do("install", "--mode=0755", program, f"/usr/sbin/{name}")

    def asked_while(self, *command: str | Path) -> list[str]:
        """What scripts of a package ask of it while a command runs."""
        self._asked.write_text("")
        self._layer.do(*command)
        return self._asked.read_text().splitlines()


@NEEDS_LAYER
def test_rpm_starts_a_server_that_runs_anew_and_ends_it_on_removal(layer: Layer, rpms: dict[str, Path]) -> None:
    system = FakeSystem(layer)
    timers = "lanyard-doctor.timer lanyard-backup.timer"
    assert system.asked_while("rpm", "--install", "--nodeps", rpms["lanyard"]) == [
        "systemctl daemon-reload", f"systemctl enable --now {timers}"]
    # What the administrator has switched off stays so. The server starts from the new program, and only if it runs.
    assert system.asked_while("rpm", "--upgrade", "--force", "--nodeps", rpms["lanyard"]) == [
        "systemctl daemon-reload", "systemctl daemon-reload", "systemctl try-restart lanyard.service"]
    assert system.asked_while("rpm", "--erase", "lanyard") == [
        f"systemctl disable --now lanyard.service {timers}", "systemctl daemon-reload"]


@NEEDS_LAYER
def test_rpm_replaces_the_brokers_of_who_is_signed_in_and_ends_them(layer: Layer, rpms: dict[str, Path]) -> None:
    system = FakeSystem(layer)

    def asked_while(*command: str | Path) -> list[str]:
        return [line for line in system.asked_while(*command) if "--machine" in line or line.startswith("pkill")]

    people = ("1000@", "1001@")
    assert asked_while("rpm", "--install", "--nodeps", rpms["lanyard-sso"]) == []
    assert asked_while("rpm", "--upgrade", "--force", "--nodeps", rpms["lanyard-sso"]) == [
        *(f"systemctl --quiet --user --machine {each} daemon-reload" for each in people), "pkill --signal HUP --exact lanyard-broker"]
    assert asked_while("rpm", "--erase", "lanyard-sso") == [
        *(f"systemctl --quiet --user --machine {each} stop lanyard-broker.socket lanyard-broker.service" for each in people),
        "pkill --exact lanyard-broker"]
