"""Extensions that mean ill: the broker stays as it is, and so do the others."""

import json
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from broker import Authority, Device, Domains, body_of, payload, profile, strings
from processes import wait_until
from test_extensions import BASE
from test_state import sso

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


def test_what_an_extension_starts_is_the_extension_s_whoever_is_its_parent(hostile: Device) -> None:
    """What an extension loads itself must not come back to it, in a circle."""
    outcome = hostile.ask(f"{BASE}/ask-by-an-orphan", headers=[["X-Socket", str(hostile.socket)]])
    assert body_of(outcome) == "fromExtension"


def test_what_an_extension_says_stays_in_its_line(hostile: Device) -> None:
    def shown(*options: str) -> str:
        done = sso(hostile, "request", f"{BASE}/fail-in-lines", "--no-ui", *options)
        assert done.returncode == 1
        return done.stdout + done.stderr

    for text in (shown(), shown("--json")):
        assert not any(unicodedata.category(character) == "Cc" for character in text.replace("\n", ""))
        assert not any(line.lstrip().startswith("Fake") for line in text.splitlines())
    # A program that reads the JSON gets what the extension said.
    assert json.loads(sso(hostile, "request", f"{BASE}/fail-in-lines", "--no-ui", "--json").stdout)["error"][
        "message"] == "It failed\r\nFake: line\n\u009b2J"


def test_an_extension_answers_for_no_other_request(hostile: Device) -> None:
    assert hostile.ask(f"{BASE}/answer-others")["reason"] == "unusableResponse"
