"""Extensions that mean ill: the broker stays as it is, and so do the others."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from broker import Authority, Device, Domains, payload, profile, strings
from processes import wait_until
from test_extensions import BASE

HOSTILE = Path(__file__).with_name("hostile_extension.py")


@pytest.fixture
def hostile(tmp_path: Path, authority: Authority) -> Iterator[Device]:
    """A device with an extension that means ill."""
    domains = Domains(authority, "id.acme.test")
    device = Device(tmp_path / "device", authority, domains)
    program = tmp_path / "hostile-extension"
    program.write_bytes(HOSTILE.read_bytes())
    program.chmod(0o755)
    device.install_extension(executable=str(program))
    device.install_profile(profile([payload("Redirect", strings("URLs", [f"{BASE}/"]))]))
    with device.running():
        yield device


@pytest.mark.parametrize("what", ["flood-prepare", "flood-form", "flood-ready", "flood-old", "flood-unknown"])
def test_an_extension_that_sends_without_end_is_ended(hostile: Device, what: str) -> None:
    """It reads nothing meanwhile: answers to it would fill the broker's memory."""
    outcome = hostile.ask(f"{BASE}/{what}", timeout=20)
    assert outcome["reason"] == "unusableResponse", outcome


def test_what_an_extension_leaves_running_keeps_nothing_of_the_broker(hostile: Device) -> None:
    hostile.stop()
    hostile.start("--unload")
    hostile.wait_for_domains()
    descriptors = Path(f"/proc/{hostile.program.process.pid}/fd")
    assert hostile.ask(f"{BASE}/answer")["outcome"] == "response"
    before = len(list(descriptors.iterdir()))
    for _ in range(8):  # each in a process of its own
        assert hostile.ask(f"{BASE}/leave-a-child")["outcome"] == "response"
    wait_until(lambda: len(list(descriptors.iterdir())) <= before, 15, "nothing stays open")


def test_an_extension_answers_for_no_other_request(hostile: Device) -> None:
    assert hostile.ask(f"{BASE}/answer-others")["reason"] == "unusableResponse"
