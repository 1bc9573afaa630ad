"""The commands that the console prints for OpenSSH's server, typed as they stand: a school's information system sends its files
with its key, they are imported in the night and the administrators are told by mail; and another school's key gets nowhere.

The commands make accounts and files of the system, so all of it happens above `/etc` and `/var/lib` of a machine that is left
as it was: in a mount namespace, in which the servers run too. Two programs stand in there: a `sudo` for whoever is root
already, and of `systemctl` the one command that is printed.
"""

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from email import message_from_bytes, policy
from pathlib import Path

import pytest
from chromium import Chromium
from command_line.test_imports import PUPILS, write
from database import execute
from kerberos.places import why_not
from lanyard_tool import Tool
from mail.test_pick_up_letters import pack
from processes import LANYARD, PATIENCE, Program, free_port, wait_until
from relay.post_office import Letter, PostOffice
from school import School

pytestmark = pytest.mark.skipif(why_not() is not None, reason=why_not() or "")

# Everything that is mounted is gone with the last process. `lanyard` is the account that the package makes for the server.
START = """
set -e
mount --make-rprivate /
mount -t tmpfs none /mnt
for folder in etc var/lib; do
    mkdir -p /mnt/above/$folder /mnt/work/$folder
    mount -t overlay -o lowerdir=/$folder,upperdir=/mnt/above/$folder,workdir=/mnt/work/$folder none /$folder
done
for folder in /run /var/log; do mount -t tmpfs -o mode=755 none $folder; done
mkdir /run/sshd
rm -rf /var/lib/lanyard-drop
mkdir -m 755 /var/lib/lanyard-drop
getent passwd lanyard > /dev/null || useradd --system --user-group --shell /usr/sbin/nologin lanyard
ssh-keygen -A > /dev/null
touch "$FOLDER/ready"
exec sleep infinity
"""
DROP = "/var/lib/lanyard-drop"
ADMINISTRATOR = "ada@maple.example"
COMMANDS = {
    "sudo": 'exec "$@"',
    "systemctl": '[ "$*" = "reload ssh" ] && exec kill -HUP "$(cat /run/sshd.pid)"',
}


@dataclass
class Machine:
    """What runs in the namespace."""

    folder: Path
    entering: tuple[str, ...]
    port: int

    def shell(self, commands: str, **options) -> subprocess.CompletedProcess[str]:
        """Types commands as an administrator does, of whom each is asked for nothing."""
        return subprocess.run(
            [*self.entering, "env", f"PATH={self.folder}/bin:{os.environ['PATH']}", "bash", "-e"], input=commands, text=True,
            capture_output=True, timeout=60 * PATIENCE, **options)

    def send(self, account: str, key: Path, batch: str, program: str = "sftp") -> subprocess.CompletedProcess[str]:
        """What an information system does with its key."""
        port = ("-P" if program == "sftp" else "-p", str(self.port))
        return subprocess.run(
            [program, *port, *(("-b", "-") if program == "sftp" else ()), "-i", key, "-F", "none",
             *(part for option in (
                 "BatchMode=yes", "IdentitiesOnly=yes", "StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null",
                 "LogLevel=ERROR") for part in ("-o", option)),
             f"{account}@127.0.0.1", *(() if program == "sftp" else (batch,))],
            input=batch, text=True, capture_output=True, timeout=60 * PATIENCE, cwd=self.folder)


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    folder = tmp_path / "machine"
    (folder / "bin").mkdir(parents=True)
    for name, script in COMMANDS.items():
        (folder / "bin" / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / "bin" / name).chmod(0o755)
    holder = Program(
        "env", f"FOLDER={folder}", "unshare", "--mount", "sh", "-c", START, log=folder / "machine.log")
    sshd = None
    try:
        holder.wait_until((folder / "ready").exists, 20, "the machine is there")
        entering = ("nsenter", f"--target={holder.process.pid}", "--mount", f"--wdns={os.getcwd()}")
        machine = Machine(folder, entering, free_port())
        sshd = Program(
            *entering, "/usr/sbin/sshd", "-D", "-e", "-o", f"Port={machine.port}", "-o", "ListenAddress=127.0.0.1",
            "-o", "PidFile=/run/sshd.pid", log=folder / "sshd.log")
        sshd.wait_until(lambda: "Server listening" in sshd.log_text, 20, "OpenSSH listens")
        yield machine
        print(sshd.log_text)
    finally:
        if sshd:
            sshd.stop()
        holder.stop()


@pytest.fixture
def office() -> Iterator[PostOffice]:
    with PostOffice("127.0.0.1", free_port()) as office:
        yield office


@pytest.fixture
def school(tmp_path: Path, office: PostOffice) -> School:
    school = School(Tool(tmp_path / "data"))
    for place in ("High", "Low"):
        school.tool.json("org", "location", "add", f"Maple {place}", "--location-id", place.lower())
    (school.tool.data / "lanyard.json").write_text(json.dumps({
        "pickUpFolder": DROP,
        "mail": {"from": "id@maple.example", "smtp": {"url": f"smtp://127.0.0.1:{office.port}"}}}))
    return school


def make_key(folder: Path, name: str) -> tuple[Path, str]:
    file = folder / name
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "system@school", "-f", file], check=True)
    return file, file.with_suffix(".pub").read_text().strip()


def set_up(browser: Chromium, base_url: str, public_key: str, school: str | None = None) -> tuple[str, str, str]:
    """Fills the form; returns the commands for the server, and both lines for the information system."""
    browser.open(f"{base_url}/manager/imports/pick-ups")
    if school:
        browser.driver.find_element("xpath", f"//select[@name='school']/option[contains(., '{school}')]").click()
    browser.fill("key", public_key)
    browser.press("Set up")
    commands, sending = browser.texts("main pre")
    command, batch = sending.split("\n")
    return commands, command, batch


def test_the_printed_commands_take_files_by_sftp_and_the_night_imports_them(
    browser: Chromium, machine: Machine, school: School, office: PostOffice, tmp_path: Path
) -> None:
    tool = school.tool
    with tool.serving() as base_url:
        account = school.add(base_url, "managed", "Ada Hall", ADMINISTRATOR, "--role", "administrator").account
        browser.open(f"{base_url}/manager")
        browser.fill("username", account.username)
        browser.fill("password", account.password)
        browser.press("Sign in")
        (key, public), (other_key, other_public) = (make_key(machine.folder, name) for name in ("own", "other"))
        commands, command, batch = set_up(browser, base_url, public)
        other_commands, other_command, _ = set_up(browser, base_url, other_public, "Maple High")

    for text in (commands, other_commands):
        done = machine.shell(text)
        assert done.returncode == 0, done.stdout + done.stderr
    # The server has read its new configuration as soon as it lets somebody in.
    program, target = command.split(" ")
    name, other = target.removesuffix("@SERVER"), other_command.split(" ")[1].removesuffix("@SERVER")
    assert (program, name, other) == ("sftp", "lanyard-drop-1", "lanyard-drop-2")
    wait_until(lambda: machine.send(name, key, "ls files").returncode == 0, 20, "the school is let in")

    # With their keys they get a place for files, each its own, and nothing else.
    for stranger, with_key in ((name, other_key), (other, key)):
        refused = machine.send(stranger, with_key, "ls files")
        assert refused.returncode != 0 and "Permission denied" in refused.stderr, refused.stderr
    (machine.folder / "evil.csv").write_text("evil\n")
    for place in (f"../{name}/files", f"{DROP}/{name}/files", "/", "/etc", "../../../../etc"):
        assert machine.send(other, other_key, f"put evil.csv {place}/evil.csv").returncode != 0, place
    assert machine.send(other, other_key, "ls -1 /").stdout.split() == ["sftp>", "ls", "-1", "/", "/files"]
    assert "uid=" not in machine.send(name, key, "id", program="ssh").stdout
    # Files have come from nobody but the school itself.
    assert machine.shell(f"find {DROP} -type f").stdout == ""

    # The batch as it is printed, for CSV files; and an archive instead of them.
    write(machine.folder / "roster")
    pack(machine.folder / "roster", machine.folder / "roster.zip")
    for file in (machine.folder / "roster").iterdir():
        file.rename(machine.folder / file.name)
    (machine.folder / "evil.csv").unlink()
    assert (done := machine.send(name, key, batch)).returncode == 0, done.stderr
    assert len(machine.shell(f"ls {DROP}/{name}/files").stdout.split()) == 6
    assert machine.send(name, key, "rm files/*\nput roster.zip files/").returncode == 0
    folder = f"{DROP}/{name}/files"
    assert machine.shell(f"ls {folder}").stdout == "roster.zip\n"
    # The group under which the server runs may read it, and other accounts may not.
    as_account = "setpriv --reuid={0} --regid={1} --clear-groups cat {2}/roster.zip > /dev/null"
    assert machine.shell(as_account.format("lanyard", "lanyard", folder)).returncode == 0
    assert machine.shell(as_account.format(other, "lanyard-drop", folder)).returncode != 0
    assert machine.shell(as_account.format("nobody", "nogroup", folder)).returncode != 0

    # The night comes.
    machine.shell(f"touch -d '10 minutes ago' {folder}/roster.zip")
    execute(tool.file, "UPDATE roster_pick_up SET due_at = due_at - 86400 WHERE id = 1")
    server = Program(
        *machine.entering, LANYARD, "serve", "--port", free_port(), "--development", "--log-level", "warning", *tool.place(),
        log=tool.data / "night.log")
    try:
        letter = server.wait_until(lambda: report(office), 60, "the administrator is told")
    finally:
        server.stop()
    assert letter.recipients == [ADMINISTRATOR]
    assert tool.json("pick-up", "show", "1")["pickUp"]["outcome"] == "applied"
    assert len([one for one in tool.json("person", "list")["people"] if one["firstName"] == "Pupil"]) == PUPILS


def report(office: PostOffice) -> Letter | None:
    """The letter on what came of the files, beside one on a changed password."""
    beginning = "The files of Maple School were imported"
    return next((
        one for one in office.letters
        if message_from_bytes(one.content, policy=policy.default)["Subject"].startswith(beginning)), None)
