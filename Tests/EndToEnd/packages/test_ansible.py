"""The role of Examples/ansible, as Ansible plays it on a system that is thrown away."""

import json
import os
import re
import shutil
from pathlib import Path

import pytest
from layer import ROOT_FOLDER, Layer
from processes import ROOT, run

EXAMPLE = ROOT / "Examples" / "ansible"

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0 or bool(ROOT_FOLDER) or not shutil.which("ansible-playbook"),
    reason="only root can install packages, and Ansible runs beside them")


class Play:
    """The example in a copy, with a package and other variables."""

    def __init__(self, layer: Layer, package: Path):
        self.layer = layer
        self.folder = layer.folder / "ansible"
        shutil.copytree(EXAMPLE, self.folder)
        shutil.copy(package, self.folder / "lanyard.deb")
        (self.folder / "hosts.ini").write_text("[lanyard]\nlocalhost ansible_connection=local\n")

    def run(self, status: int = 0, **variables: object) -> str:
        # Ansible takes what it is called with for more than what stands in the play.
        return self.layer.do(
            "env", f"ANSIBLE_CONFIG={self.folder}/none", "LC_ALL=C.UTF-8", "ANSIBLE_NOCOLOR=1", "ansible-playbook", "--inventory",
            self.folder / "hosts.ini", "--extra-vars", json.dumps(variables), self.folder / "server.yml", status=status)


def changes(told: str) -> int:
    found = re.search(r"^localhost .*changed=(\d+) .*unreachable=0 +failed=0", told, re.MULTILINE)
    assert found, told
    return int(found[1])


def test_the_role_sets_a_server_up_and_changes_nothing_the_second_time(layer: Layer, lanyard: Path) -> None:
    play = Play(layer, lanyard)
    mail = {"from": "id@maple.example", "server": "smtp://127.0.0.1:1", "userName": "lanyard", "password": "geheim"}
    told = play.run(lanyard_mail=mail)
    assert changes(told) > 0
    assert re.search(r"https://id\.maple\.example/invitation/\S+", told) and "would take no mail" in told
    assert "geheim" not in told
    assert layer.stat("/etc/lanyard/answers.json") == "600 root root"
    assert layer.stat("/etc/lanyard/lanyard.json") == "640 root lanyard"
    assert layer.do("cat", "/etc/lanyard/smtp-password") == "geheim\n"
    assert "Maple District" in layer.do("lanyardctl", "org", "list")
    for wanted in ("multi-user.target.wants/lanyard.service", "timers.target.wants/lanyard-backup.timer"):
        assert layer.has(f"/etc/systemd/system/{wanted}"), wanted

    again = play.run(lanyard_mail=mail)
    assert changes(again) == 0, again
    assert "/invitation/" not in again

    # Another mail server is a change of the settings; another address is more than that, and is refused.
    assert changes(play.run(lanyard_mail=mail | {"server": "smtp://127.0.0.1:2"})) == 2
    refused = play.run(2, lanyard_address="https://other.maple.example")
    assert "set up at https://id.maple.example already" in refused
    assert "id.maple.example" in layer.do("cat", "/etc/lanyard/lanyard.json")


def test_mistakes_in_the_variables_stop_the_play(layer: Layer, lanyard: Path) -> None:
    play = Play(layer, lanyard)
    assert "Set lanyard_name and lanyard_domain" in play.run(2, lanyard_name="")
    refused = play.run(2, lanyard_address="http://id.maple.example")
    assert "is not https" in refused
    assert not layer.has("/var/lib/lanyard/master.key")


@pytest.mark.skipif(not shutil.which("ansible-lint"), reason="ansible-lint is not installed")
def test_the_role_is_written_as_ansible_wants_it(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "ansible")
    done = run("env", "--chdir", tmp_path / "ansible", f"HOME={tmp_path}", "ansible-lint", "--offline", "--nocolor", "--strict")
    assert done.returncode == 0, done.stdout + done.stderr
