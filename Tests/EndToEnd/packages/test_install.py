"""Packages are installed, used, removed and purged, by apt and dpkg themselves.

This happens on the machine of the tests, in a layer above /usr, /etc and /var that is gone afterwards. So dependencies are there
already, and no systemd runs: what it would start is started by its command. `make test-packages` does the same with programs for release
on a bare Debian (LANYARD_BARE_ROOT), to which apt brings the dependencies.
"""

import json
import os
import re
import shutil
import signal
from pathlib import Path

import pytest
from answers import write_answers
from layer import Layer
from name_server import NameServer
from processes import LANYARD_SSO, ROOT, Program, free_port, run
from terminal import in_terminal

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can install packages")


@pytest.fixture(autouse=True)
def asks_it(layer: Layer, name_server: NameServer) -> None:
    """Commands get it with their environment, so that the settings stay as the package has them."""
    layer.environment["LANYARD_NAME_SERVERS"] = name_server.address


class Server:
    """The server as the unit starts it, without systemd."""

    def __init__(self, layer: Layer):
        self.layer = layer
        self.port = free_port()

    def start(self) -> None:
        self.program = Program(
            *self.layer.enter("env", f"LANYARD_PORT={self.port}", "lanyardctl", "serve"), log=self.layer.folder / "serve.log")
        self.program.wait_until(lambda: "Lanyard is ready at " in self.program.log_text, 30, "the server is ready")

    def is_well(self) -> bool:
        return run("curl", "--fail", "--silent", f"http://127.0.0.1:{self.port}/readyz").returncode == 0

    def kill(self) -> None:
        for member in self.program.session_members():
            os.kill(member, signal.SIGKILL)
        self.program.process.wait(timeout=30)


def test_a_server_is_installed_started_and_removed_without_its_data(layer: Layer, lanyard: Path) -> None:
    told = layer.install(lanyard)
    assert all(step in told for step in ("lanyardctl setup", "systemctl enable --now lanyard", "open the link"))
    assert layer.stat("/var/lib/lanyard") == "700 lanyard lanyard"
    assert layer.stat("/etc/lanyard/lanyard.json") == "640 root lanyard"
    # It is started by whoever has written its settings; its daily examination waits for that.
    assert not layer.has("/etc/systemd/system/multi-user.target.wants/lanyard.service")
    assert layer.has("/etc/systemd/system/timers.target.wants/lanyard-doctor.timer")
    assert layer.has("/etc/systemd/system/timers.target.wants/lanyard-backup.timer")
    assert layer.stat("/var/lib/lanyard-backup") == "700 lanyard lanyard"

    answers = write_answers(layer)
    begun = layer.do("lanyardctl", "setup", "--from", answers)
    assert re.search(r"https://id\.maple\.example/invitation/\S+", begun), begun
    assert "systemctl enable --now lanyard" in begun and "geheim" not in begun
    assert layer.stat("/etc/lanyard/lanyard.json") == "640 root lanyard"
    assert layer.stat("/etc/lanyard/smtp-password") == "640 root lanyard"
    for name in ("master.key", "lanyard.sqlite"):
        assert layer.stat(f"/var/lib/lanyard/{name}") == "600 lanyard lanyard"
    # Nothing in the data is root's, which the server could not write then.
    assert layer.do("find", "/var/lib/lanyard", "-not", "-user", "lanyard") == ""
    assert "nothing was changed" in layer.do("lanyardctl", "setup", "--from", answers)
    assert layer.do("find", "/var/lib/lanyard", "-not", "-user", "lanyard") == ""

    server = Server(layer)
    try:
        server.start()
        assert server.is_well()
        server.kill()
        server.start()
        assert server.is_well()
    finally:
        server.kill()
    assert "Maple District" in layer.do("lanyardctl", "org", "list")
    # Messages name the command that is typed here.
    assert "Usage: lanyardctl org show" in layer.do("lanyardctl", "org", "show", "--no-such-option", status=64)
    assert "  lanyardctl setup --from" in layer.do("lanyardctl", "setup", "--help")
    refused = layer.do("runuser", "-u", "nobody", "--", "lanyardctl", "org", "list", status=1)
    assert "run this as root" in refused

    # As on an upgrade: settings stay, and nobody is told the first steps again.
    assert "lanyardctl setup" not in layer.install(lanyard)
    assert "maple.example" in layer.do("cat", "/etc/lanyard/lanyard.json")
    assert layer.stat("/etc/lanyard/lanyard.json") == "640 root lanyard"

    layer.do("apt-get", "remove", "--yes", "lanyard")
    assert not layer.has("/usr/bin/lanyard") and layer.has("/etc/lanyard/lanyard.json")
    assert layer.has("/var/lib/lanyard/lanyard.sqlite") and layer.has("/var/lib/lanyard/master.key")
    layer.install(lanyard)
    assert "Maple District" in layer.do("lanyardctl", "org", "list")


def test_setup_judges_as_the_server_would(layer: Layer, lanyard: Path) -> None:
    """Root reads every file, and the server does not. What root makes has to be the server's all the same."""
    layer.install(lanyard)
    layer.do("rm", "-r", "/var/lib/lanyard")
    layer.do("sh", "-c", "echo geheim > /etc/lanyard/own && chmod 0640 /etc/lanyard/own && chown root:root /etc/lanyard/own")
    answers = write_answers(layer)
    told = json.loads(answers.read_text())
    del told["mail"]["password"]
    answers.write_text(json.dumps(told | {"mail": told["mail"] | {"passwordFile": "/etc/lanyard/own"}}))
    assert "/etc/lanyard/own" in layer.do("lanyardctl", "setup", "--from", answers, status=1)
    assert layer.do("cat", "/etc/lanyard/lanyard.json") == "{}\n"
    layer.do("chgrp", "lanyard", "/etc/lanyard/own")
    layer.do("lanyardctl", "setup", "--from", answers)
    assert layer.do("find", "/var/lib/lanyard", "-not", "-user", "lanyard") == ""


def test_settings_in_the_environment_file_count_for_commands_too(layer: Layer, lanyard: Path) -> None:
    layer.install(lanyard)
    layer.do("sh", "-c", "printf '%s\\n' '# a comment' 'OTHER=1' \"LANYARD_BASE_URL='https://id.oak.example'\" > /etc/lanyard/environment")
    layer.do("chmod", "0600", "/etc/lanyard/environment")
    assert "https://id.oak.example/" in layer.do("lanyardctl", "init", "--name", "Oak", "--domain", "oak.example")
    # Whoever calls the command has the last word.
    asked = layer.do("env", "LANYARD_BASE_URL=https://id.maple.example", "lanyardctl", "init", "--name", "Oak")
    assert "https://id.maple.example/" in asked and "id.oak.example" not in asked


def test_the_drill_is_as_the_page_says_and_leaves_the_server_alone(layer: Layer, lanyard: Path) -> None:
    page = (ROOT / "docs" / "operate" / "backup.md").read_text().partition("## The drill")[2]
    [drill] = re.findall(r"^```sh\n(.*?)^```$", page.partition("\n## ")[0], re.MULTILINE | re.DOTALL)
    layer.install(lanyard)
    # Where the database is elsewhere, another folder of data alone would not be another database.
    layer.do("install", "-d", "-o", "lanyard", "-m", "0700", "/var/lib/lanyard-records")
    settings = '{"baseURL": "https://id.maple.example", "database": "/var/lib/lanyard-records/records.sqlite"}'
    layer.do("sh", "-c", f"echo '{settings}' > /etc/lanyard/lanyard.json")
    layer.do("lanyardctl", "init", "--name", "Maple District", "--domain", "maple.example")
    layer.do("lanyardctl", "sample", "--people", "120", "--classes", "12", "--members", "10", "--out", "/var/lib/lanyard/files")
    layer.do("lanyardctl", "import", "/var/lib/lanyard/files")
    layer.do("lanyardctl", "backup")
    copy = layer.do("find", "/var/lib/lanyard-backup", "-name", "*.sqlite").strip()
    # After the copy; the drill does not know it.
    layer.do("lanyardctl", "init", "--name", "Oak District", "--domain", "oak.example")
    person = json.loads(layer.do("lanyardctl", "person", "list", "--org", "Maple District", "--json"))["people"][0]["userName"]
    layer.do("cp", "/var/lib/lanyard/master.key", "/root/the-key-from-its-other-place")

    lines = drill.replace("/var/lib/lanyard-backup/lanyard-….sqlite", copy).replace("--text …", f"--text {person}")
    lines = lines.replace("lanyardctl audit verify", "lanyardctl org list $drill\nlanyardctl audit verify")
    assert lines.count(copy) == 1 and "…" not in lines
    told = layer.do("sh", "-eux", "-c", lines)
    assert f"{person}" in told and "whole" in told and "Problems: 0." in told and "Oak District" not in told
    organizations = layer.do("lanyardctl", "org", "list")
    assert "Maple District" in organizations and "Oak District" in organizations
    assert layer.do("find", "/var/lib/lanyard-records", "/var/lib/lanyard", "-name", "*.before-*") == "" and not layer.has("/var/lib/lanyard/drill")


def test_a_copy_is_made_and_restored_with_a_key_that_root_alone_can_read(layer: Layer, lanyard: Path) -> None:
    layer.install(lanyard)
    layer.do("lanyardctl", "init", "--name", "Maple District", "--domain", "maple.example")
    layer.do("mv", "/var/lib/lanyard/master.key", "/etc/lanyard/master.key")
    layer.do("chown", "root:root", "/etc/lanyard/master.key")
    layer.do("lanyardctl", "backup")
    copy = layer.do("find", "/var/lib/lanyard-backup", "-name", "*.sqlite").strip()
    assert layer.stat(copy) == "600 lanyard lanyard"
    layer.do("lanyardctl", "init", "--name", "Oak District", "--domain", "oak.example")
    layer.do("lanyardctl", "restore", copy, "--yes")
    organizations = layer.do("lanyardctl", "org", "list")
    assert "Maple District" in organizations and "Oak District" not in organizations
    # Nothing of the key stays behind.
    assert layer.do("find", "/run", "-maxdepth", "1", "-name", "lanyardctl.*") == ""


def test_an_upgrade_keeps_everything_and_the_way_back_is_as_the_page_says(layer: Layer, lanyard: Path, older_lanyard: Path) -> None:
    def records() -> list[str]:
        return [layer.do("lanyardctl", *command, "--json") for command in (("person", "list"), ("class", "list"), ("import", "--history"))]

    layer.install(older_lanyard)
    older = layer.do("dpkg-query", "--show", "--showformat=${Version}", "lanyard")
    layer.do("lanyardctl", "setup", "--from", write_answers(layer))
    layer.do("lanyardctl", "sample", "--people", "120", "--classes", "12", "--members", "10", "--out", "/var/lib/lanyard/files")
    layer.do("lanyardctl", "import", "/var/lib/lanyard/files")
    layer.do("lanyardctl", "backup")
    copy = layer.do("find", "/var/lib/lanyard-backup", "-name", "*.sqlite").strip()
    before, trail = records(), json.loads(layer.do("lanyardctl", "audit", "list", "--json"))["entries"]
    settings = layer.do("cat", "/etc/lanyard/lanyard.json")
    assert len(json.loads(before[0])["people"]) >= 100
    server = Server(layer)
    try:
        server.start()
        layer.install(lanyard)
        newer = layer.do("dpkg-query", "--show", "--showformat=${Version}", "lanyard")
        assert layer.do("dpkg", "--compare-versions", newer, "gt", older) == ""
        server.kill()
        server.start()
        assert server.is_well()
        assert records() == before and layer.do("cat", "/etc/lanyard/lanyard.json") == settings
        kept = json.loads(layer.do("lanyardctl", "audit", "list", "--json"))["entries"]
        assert kept[-len(trail):] == trail

        # docs/operate/upgrade.md, “Go back”.
        layer.do("lanyardctl", "backup")
        layer.do("lanyardctl", "init", "--name", "Oak District", "--domain", "oak.example")
        server.kill()
        layer.install(older_lanyard)
        layer.do("lanyardctl", "restore", copy, "--yes")
        server.start()
        assert server.is_well()
    finally:
        server.kill()
    assert records() == before and "Oak District" not in layer.do("lanyardctl", "org", "list")
    assert layer.do("find", "/var/lib/lanyard", "-not", "-user", "lanyard") == ""


def test_a_server_that_was_never_set_up_leaves_nothing_after_purge(layer: Layer, lanyard: Path) -> None:
    before = layer.files()
    layer.install(lanyard)
    assert "lanyard:" in layer.do("getent", "passwd")
    # Nobody is asked about data, for there is none.
    layer.do("apt-get", "purge", "--yes", "lanyard")
    assert layer.files() - before == set() and "lanyard:" not in layer.do("getent", "passwd")


@pytest.mark.parametrize("is_wanted", [False, True])
def test_purge_deletes_data_only_after_asking(layer: Layer, lanyard: Path, is_wanted: bool) -> None:
    before = layer.files()
    layer.install(lanyard)
    layer.do("lanyardctl", "setup", "--from", write_answers(layer))
    if is_wanted:
        purge = layer.enter("env", "DEBIAN_FRONTEND=readline", "TERM=xterm", "apt-get", "purge", "-o", "Dpkg::Use-Pty=0", "lanyard")
        with in_terminal(*purge, environment=dict(os.environ)) as program:
            program.expect(r"Do you want to continue\?")
            program.type("y\n")
            question = program.expect(r"Delete all data of Lanyard\? \[yes/no\]", timeout=60)
            assert "/var/lib/lanyard-backup" in question and "cannot be brought back" in question
            program.type("yes\n")
            assert program.end(timeout=60) == 0, program.output
    else:
        # Nobody is there who could be asked.
        layer.do("apt-get", "purge", "--yes", "lanyard")
    assert not layer.has("/etc/lanyard")
    assert layer.has("/var/lib/lanyard/master.key") != is_wanted
    # Data that stays belongs to somebody.
    assert ("lanyard:" in layer.do("getent", "passwd")) != is_wanted
    if is_wanted:
        assert layer.files() - before == set()


def test_a_device_has_single_sign_on_from_the_next_login_on_and_nothing_after_purge(layer: Layer, lanyard_sso: Path) -> None:
    before = layer.files()
    told = layer.install(lanyard_sso)
    assert "/etc/lanyard/sso.d" in told and "lanyard-sso browser-policy --install" in told
    for wanted in ("sockets.target.wants/lanyard-broker.socket", "graphical-session.target.wants/lanyard-broker.service"):
        assert layer.has(f"/etc/systemd/user/{wanted}"), wanted
    assert layer.stat("/usr/libexec/lanyard/lanyard-local-password") == "755 root root"
    assert layer.has("/usr/share/lanyard/sso/extensions/org.lanyard.openid.json")

    # Without a profile nothing says which hosts the extension may touch, and no browser is changed.
    policies = (
        "/etc/chromium/policies/managed/lanyard-sso.json", "/etc/firefox/policies/policies.json",
        "/usr/share/mozilla/extensions/{ec8030f7-c20a-464f-9b0e-13a3a9e97384}/sso@lanyard.example.xpi")
    assert not any(layer.has(policy) for policy in policies)
    profile = layer.folder / "acme.mobileconfig"
    layer.do(
        "lanyard-sso", "profile", "build", "--identifier", "test.acme.sso", "--name", "Acme", "--organization", "Acme",
        "--extension", "org.lanyard.openid.extension", "--team", "LANYARD", "--app", "org.lanyard.openid",
        "--url", "https://id.acme.test/oidc/", "--data", "issuer=https://id.acme.test", "--out", profile)
    layer.do("install", "--mode=0644", profile, "/etc/lanyard/sso.d")
    assert "test.acme.sso" in layer.do("lanyard-sso", "profile", "list")
    layer.install(lanyard_sso)
    assert all(layer.has(policy) for policy in policies)

    layer.do("apt-get", "remove", "--yes", "lanyard-sso")
    assert not any(layer.has(policy) for policy in policies)
    assert not layer.has("/usr/bin/lanyard-sso") and layer.has("/etc/lanyard/sso.d/acme.mobileconfig")
    layer.do("apt-get", "purge", "--yes", "lanyard-sso")
    assert layer.files() - before == set()


def test_what_the_page_for_laptops_says_is_all_that_is_to_be_done(layer: Layer, lanyard_sso: Path) -> None:
    page = (ROOT / "docs" / "devices.md").read_text().partition("\n## ")[0]
    [block] = re.findall(r"^```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    lines = [line.partition("#")[0].strip() for line in block.splitlines()]
    assert all(line in (ROOT / "README.md").read_text() for line in lines)
    # A page that names another command wants it here too.
    named = re.findall(r"`((?:sudo |lanyard-sso )[^`]+)`", page)
    install, remove, purge, doctor = named
    assert (purge, doctor) == ("sudo apt purge lanyard-sso", "lanyard-sso doctor")

    def follow(line: str, status: int = 0) -> str:
        """As root, and as somebody who says yes."""
        line = line.removeprefix("sudo ").replace("apt ", "apt-get --yes --no-install-recommends -o Dpkg::Use-Pty=0 ")
        return layer.do("sh", "-euc", f"cd {layer.folder} && {line}", status=status)

    def put_profile(*hosts: str) -> None:
        """Made here, where the server's console would make it."""
        urls = [word for host in hosts for word in ("--url", f"https://{host}/oidc/")]
        done = run(
            LANYARD_SSO, "profile", "build", "--identifier", "example.maple.sso", "--extension", "org.lanyard.openid.extension", "--team",
            "LANYARD", "--app", "org.lanyard.openid", *urls, "--data", f"issuer=https://{hosts[0]}", "--out",
            layer.folder / "maple.mobileconfig")
        assert done.returncode == 0, done.stderr
        follow(lines[0])

    before = layer.files()
    shutil.copy(lanyard_sso, layer.folder)
    put_profile("id.maple.example")
    assert layer.stat("/etc/lanyard/sso.d/maple.mobileconfig") == "644 root root"
    follow(lines[1])
    manifest, policy = "/usr/share/lanyard/browser/chromium/manifest.json", "/etc/chromium/policies/managed/lanyard-sso.json"
    assert "id.maple.example" in layer.do("cat", manifest) and layer.has(policy)
    # Nobody runs a broker here, which is one of the links that the doctor goes through.
    assert "maple.mobileconfig" in (told := follow(doctor, status=1)) and "broker" in told

    (layer.folder / "maple.mobileconfig").unlink()
    put_profile("id.maple.example", "id.oak.example")
    follow(install)
    assert "id.oak.example" in layer.do("cat", manifest)
    layer.do("rm", "/etc/lanyard/sso.d/maple.mobileconfig")
    follow(remove)
    assert not layer.has(policy) and layer.has("/usr/bin/lanyard-sso")
    follow(lines[0])
    follow(install)
    assert layer.has(policy)
    follow(purge)
    # The profile too, which lay in a folder of the package.
    assert layer.files() - before == set()


def test_a_package_that_brings_a_profile_has_browsers_told_of_it(layer: Layer, lanyard_sso: Path) -> None:
    layer.install(lanyard_sso)
    tree = layer.folder / "oak-sso"
    layer.do("mkdir", "--parents", tree / "DEBIAN", tree / "etc/lanyard/sso.d")
    (tree / "DEBIAN/control").write_text(
        "Package: oak-sso\nVersion: 1\nArchitecture: all\nMaintainer: Oak <it@oak.example>\nDescription: profile of Oak\n")
    layer.do(
        "lanyard-sso", "profile", "build", "--identifier", "example.oak.sso", "--extension", "org.lanyard.openid.extension",
        "--team", "LANYARD", "--app", "org.lanyard.openid", "--url", "https://id.oak.example/oidc/", "--data",
        "issuer=https://id.oak.example", "--out", tree / "etc/lanyard/sso.d/oak.mobileconfig")
    layer.do("chmod", "--recursive", "u=rwX,go=rX", tree)
    package = layer.folder / "oak-sso.deb"
    layer.do("dpkg-deb", "--root-owner-group", "--build", tree, package)
    manifest = "/usr/share/lanyard/browser/chromium/manifest.json"
    assert not layer.has(manifest)
    layer.do("dpkg", "--install", package)
    assert "id.oak.example" in layer.do("cat", manifest)
    assert layer.has("/etc/chromium/policies/managed/lanyard-sso.json")
    layer.do("dpkg", "--remove", "oak-sso")
    assert not layer.has("/etc/chromium/policies/managed/lanyard-sso.json")
