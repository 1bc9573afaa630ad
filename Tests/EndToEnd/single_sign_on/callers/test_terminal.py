"""Forms of extensions in the terminal of `lanyard sso`."""

import os
import re
import signal

import pytest
from account import PROVIDER, CommandLine
from broker import Device
from processes import LANYARD_SSO
from terminal import TerminalProgram, in_terminal
from test_extensions import BASE, Desktop


def terminal(sso: CommandLine, *words: str):
    return in_terminal(LANYARD_SSO, *words, environment=sso.environment())


def answer(program: TerminalProgram, user: str, password: str, remember: str = "") -> None:
    program.expect(r"User name \[mika\]: ")
    program.type(f"{user}\n")
    program.expect("Password: ")
    program.wait_until_input_is_hidden()
    program.type(f"{password}\n")
    program.expect(r"Keep me signed in \[Y/n\]: ")
    assert program.shows_input
    program.type(f"{remember}\n")


def test_a_form_is_filled_in_in_the_terminal(signed_out: CommandLine) -> None:
    with terminal(signed_out, "token", PROVIDER) as program:
        shown = program.expect("wants to know who you are")
        assert "Sign in to Acme" in shown
        # A person who types a password has to know who gets it.
        assert "Asked by Acme Sign-In, the sign-on extension of this device." in shown
        answer(program, "", "wrong")
        program.expect("! That password is wrong.")
        answer(program, "ada", "secret", "y")
        program.expect("access-of-ada")
        assert program.end() == 0
    assert "wrong\r\n" not in program.output and "secret" not in program.output
    # It was asked once.
    assert signed_out.text("token", PROVIDER, "--no-ui") == "access-of-ada\n"


@pytest.mark.parametrize(("language", "sentence"), [
    ("ja_JP.UTF-8", "このデバイスのサインオン機能拡張「Acme Sign-In」からの要求です。"),
    ("ko:en", "이 기기의 로그인 확장 프로그램 ‘Acme Sign-In’의 요청입니다."),
    ("de:en", "Asked by Acme Sign-In, the sign-on extension of this device."),
], ids=["ja", "ko", "another"])
def test_who_asks_is_said_in_the_language_of_the_session(signed_out: CommandLine, language: str, sentence: str) -> None:
    environment = signed_out.environment(LANGUAGE=language)
    with in_terminal(LANYARD_SSO, "token", PROVIDER, environment=environment) as program:
        assert sentence in program.expect("wants to know who you are")
        program.type("\x03")
        assert program.end() != 0


def test_who_waits_behind_another_form_is_told(signed_out: CommandLine) -> None:
    with terminal(signed_out, "token", PROVIDER) as first:
        first.expect(r"User name \[mika\]: ")
        with terminal(signed_out, "token", PROVIDER) as second:
            second.expect("Waiting for an answer")
            first.type("ada\n")
            first.expect("Password: ")
            first.wait_until_input_is_hidden()
            first.type("secret\n")
            first.expect(r"Keep me signed in \[Y/n\]: ")
            first.type("y\n")
            first.expect("access-of-ada")
            second.expect("access-of-ada")
            assert second.end() == 0
        assert first.end() == 0


def test_a_terminal_too_is_given_an_address_that_others_may_see(device: Device) -> None:
    with terminal(CommandLine(device), "request", f"{BASE}/web?https://id.acme.test/authorize") as program:
        program.expect("Go on in a browser on this computer: ")
        [address] = re.findall(r"http://127\.0\.0\.1:\d+/\w+", program.expect(r"/[0-9a-f]{32}\b"))
        page = Desktop.page_of(address)
        assert page.startswith("https://id.acme.test/authorize?redirect_uri=http://127.0.0.1")
        Desktop.load(f"{address.rpartition('/')[0]}/callback?code=c1")
        program.expect("code=c1")
        assert program.end() == 0
    assert "redirect_uri" not in program.output


def test_a_box_that_is_not_ticked_is_not_kept(signed_out: CommandLine) -> None:
    with terminal(signed_out, "token", PROVIDER) as program:
        answer(program, "", "secret", "n")
        program.expect("access-of-mika")
    signed_out.failure("token", PROVIDER, "--no-ui", exit_code=7)


@pytest.mark.parametrize("key", ["\x03", "\x04"])
@pytest.mark.parametrize("place", ["User name", "Password"])
def test_ctrl_c_and_ctrl_d_cancel(signed_out: CommandLine, key: str, place: str) -> None:
    with terminal(signed_out, "token", PROVIDER) as program:
        program.expect("User name .*: ")
        if place == "Password":
            program.type("mika\n")
            program.expect("Password: ")
            program.wait_until_input_is_hidden()
        program.type(key)
        program.expect("by the person who was asked")
        assert program.end() == 5
        assert program.shows_input
    assert signed_out.json("log")[-1]["reason"] == "canceledByExtension"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_a_signal_leaves_the_terminal_as_it_was(signed_out: CommandLine, number: signal.Signals) -> None:
    with terminal(signed_out, "token", PROVIDER) as program:
        program.expect("User name .*: ")
        program.type("mika\n")
        program.expect("Password: ")
        program.wait_until_input_is_hidden()
        os.kill(program.process, number)
        assert program.end() == 128 + number
        assert program.shows_input


@pytest.mark.parametrize(("ended", "exit_code"), [("broker", 6), ("extension", 1)])
def test_a_request_that_ends_takes_its_question_back(signed_out: CommandLine, ended: str, exit_code: int) -> None:
    """Killed, because a broker that is told to stop ends its extension too, and either may be noticed first."""
    device = signed_out.device
    with terminal(signed_out, "token", PROVIDER) as program:
        program.expect("User name .*: ")
        program.type("mika\n")
        program.expect("Password: ")
        program.wait_until_input_is_hidden()
        if ended == "broker":
            device.program.kill()
        else:
            os.kill(device.get("/v1/status")["extensions"][0]["processIdentifier"], signal.SIGKILL)
        assert program.end() == exit_code
        assert program.shows_input


def test_an_extension_cannot_steer_the_terminal(sso: CommandLine) -> None:
    with terminal(sso, "request", PROVIDER, "--operation", "malicious") as program:
        program.expect("User .*: ")
        program.type("\n")
        program.expect("Password: ")
        program.type("\x03")
        program.end()
    shown = program.output
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f\u202e]", shown.replace("^C", "")), shown
    # No line begins with what only pretends to be one.
    assert not re.search(r"^root@host", shown, re.MULTILINE)
    assert not re.search(r"^Password for root", shown, re.MULTILINE)


def test_git_and_scripts_without_a_terminal_are_not_asked_in_one(signed_out: CommandLine) -> None:
    assert signed_out.run("token", PROVIDER).returncode == 7
