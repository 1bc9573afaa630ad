"""`lanyard mail`: what goes out, read by others' programs."""

import json
import ssl
import subprocess
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

import pytest
from aiosmtpd.smtp import AuthResult, LoginPassword
from lanyard_tool import Tool
from processes import LANYARD, free_port, run
from relay import network
from relay.post_office import PostOffice


@pytest.fixture
def mail(tool: Tool) -> Tool:
    tool.json("init", "--name", "Maple District", "--domain", "maple.example")
    return tool


def configure(tool: Tool, **mail) -> None:
    (tool.data / "lanyard.json").write_text(json.dumps({"mail": {"from": "Ahorn-Kreis „Süd“ <id@maple.example>"} | mail}))


def read(content: bytes) -> EmailMessage:
    message = message_from_bytes(content, policy=policy.default)
    assert message.defects == [] and all(not header.defects for header in message.values())
    return message


def test_a_mail_lies_in_the_folder_and_every_program_can_read_it(mail: Tool, tmp_path: Path) -> None:
    configure(mail, maildir=str(tmp_path / "mail"))
    sent = mail.json("mail", "test", "maria@home.example")
    [file] = (tmp_path / "mail" / "new").iterdir()
    message = read(file.read_bytes())
    assert message["To"] == "maria@home.example"
    assert message["From"].addresses[0].display_name == "Ahorn-Kreis „Süd“"
    assert message["From"].addresses[0].addr_spec == "id@maple.example"
    assert message["Message-ID"] == f"<{sent['messageID']}>"
    assert message["Auto-Submitted"] == "auto-generated"
    assert message["Date"].datetime is not None
    assert message.get_content().startswith("This is a test")


def make_certificate(folder: Path, name: str) -> tuple[Path, Path]:
    key, certificate = folder / f"{name}.key", folder / f"{name}.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-subj",
         f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}"], check=True, capture_output=True)
    return key, certificate


@pytest.mark.parametrize("password", ["maple-leaf", "wrong"])
def test_a_server_gets_it_with_tls_and_a_password(mail: Tool, tmp_path: Path, password: str) -> None:
    key, certificate = make_certificate(tmp_path, "localhost")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)

    def check(server, session, envelope, mechanism, data) -> AuthResult:
        fits = isinstance(data, LoginPassword) and data == LoginPassword(b"lanyard", b"maple-leaf")
        # Otherwise nobody would answer a wrong one.
        return AuthResult(success=fits, handled=False)

    office = PostOffice(
        "127.0.0.1", free_port(),
        settings={"tls_context": context, "require_starttls": True, "auth_required": True, "authenticator": check})
    (tmp_path / "password").write_text(f"{password}\n")
    with office:
        configure(mail, smtp={
            "url": f"smtp://localhost:{office.port}", "userName": "lanyard",
            "passwordFile": str(tmp_path / "password"), "caFile": str(certificate)})
        if password == "wrong":
            failure = mail.failure("mail", "test", "maria@home.example")
            assert "not taken" in failure and "535" in failure
            assert office.letters == []
            return
        mail.json("mail", "test", "maria@home.example")
        letter = office.wait_for(1)
        assert (letter.sender, letter.recipients) == ("id@maple.example", ["maria@home.example"])
        assert read(letter.content)["Subject"] == "A test of Lanyard"
        # A certificate that another authority has signed is refused.
        _, other = make_certificate(tmp_path, "mail.example")
        configure(mail, smtp={
            "url": f"smtp://localhost:{office.port}", "userName": "lanyard",
            "passwordFile": str(tmp_path / "password"), "caFile": str(other)})
        assert "certificate" in mail.failure("mail", "test", "maria@home.example").lower()
        assert len(office.letters) == 1


@pytest.mark.parametrize("requires_tls", [False, True])
def test_a_server_on_this_machine_needs_no_certificate_that_fits(
    mail: Tool, tmp_path: Path, requires_tls: bool
) -> None:
    """As Debian sets Postfix up: STARTTLS with a certificate that it has signed itself."""
    key, certificate = make_certificate(tmp_path, "mail.maple.example")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    settings = {"tls_context": context, "require_starttls": requires_tls}
    with PostOffice("127.0.0.1", free_port(), settings=settings) as office:
        for count, host in enumerate(("127.0.0.1", "localhost"), 1):
            configure(mail, smtp={"url": f"smtp://{host}:{office.port}"})
            mail.json("mail", "test", "maria@home.example")
            office.wait_for(count)
        configure(mail, smtp={"url": f"smtp://127.0.0.1:{office.port}", "caFile": str(certificate)})
        assert "certificate" in mail.failure("mail", "test", "maria@home.example").lower()


def test_what_a_server_refuses_is_said(mail: Tool) -> None:
    with PostOffice("127.0.0.1", free_port(), refusal="550 5.1.1 no such user") as office:
        configure(mail, smtp={"url": f"smtp://127.0.0.1:{office.port}"})
        assert "550" in mail.failure("mail", "test", "maria@home.example")
    assert "127.0.0.1" in mail.failure("mail", "test", "maria@home.example")


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({}, "neither mail.smtp.url nor mail.maildir"),
        ({"maildir": "/tmp/x", "smtp": {"url": "smtp://localhost"}}, "both set"),
        ({"smtp": {"url": "http://localhost"}}, "no mail server"),
        ({"smtp": {"url": "smtp://a:b@localhost"}}, "mail.smtp.userName"),
        ({"smtp": {"url": "smtp://localhost", "userName": "x"}}, "belong together"),
        ({"smtp": {"url": "smtp://localhost", "userName": "x", "passwordFile": "/nowhere"}}, "cannot be read"),
        ({"maildir": "/tmp/x", "from": "nobody"}, "no email address"),
        ({"maildir": "/tmp/x", "from": ""}, "mail.from is missing"),
    ])
def test_settings_that_do_not_fit_are_refused(mail: Tool, settings: dict, complaint: str) -> None:
    configure(mail, **settings)
    assert complaint in mail.failure("mail", "test", "maria@home.example")
    if settings:
        assert complaint in mail.failure("serve", "--port", "0")


def test_the_doctor_says_what_is_set(mail: Tool, tmp_path: Path) -> None:
    def findings() -> dict[str, tuple[str, str]]:
        report = json.loads(mail.run("doctor", "--json").stdout)
        return {finding["check"]: (finding["status"], finding["message"]) for finding in report["findings"]}

    assert findings()["mail"][1].startswith("Off") and findings()["hidden addresses"][1].startswith("Off")
    (mail.data / "lanyard.json").write_text(json.dumps({
        "mail": {"from": "id@maple.example", "maildir": str(tmp_path / "mail")},
        "relay": {"domain": "relay.maple.example"}}))
    found = findings()
    assert found["mail"][0] == "warning" and "to nobody" in found["mail"][1]
    assert found["hidden addresses"][0] == "warning" and "no mail server" in found["hidden addresses"][1]
    assert found["mail queue"] == ("ok", "0 waiting, none given up.")
    (mail.data / "lanyard.json").write_text(json.dumps({
        "mail": {"from": "id@maple.example", "smtp": {"url": "smtp://mail.maple.example:587"}},
        "relay": {"domain": "relay.maple.example", "listen": {
            "socketmap": "127.0.0.1:9031", "policy": "/run/x/policy", "milter": "127.0.0.1:9033"}}}))
    found = findings()
    assert found["mail"] == (
        "ok", "From id@maple.example through smtp://mail.maple.example:587, with STARTTLS. "
        "Nobody gets a mail if something is wrong here: set mail.operator.")
    assert found["hidden addresses"][0] == "ok" and "/run/x/policy" in found["hidden addresses"][1]
    assert "configuration" not in found


def test_the_doctor_looks_for_the_library_of_the_verifier(mail: Tool, tmp_path: Path) -> None:
    if reason := network.why_not():
        pytest.skip(reason)
    (mail.data / "lanyard.json").write_text(json.dumps({
        "relay": {"domain": "relay.maple.example", "listen": {
            "socketmap": "127.0.0.1:9031", "policy": "127.0.0.1:9032", "milter": "127.0.0.1:9033"}}}))
    (tmp_path / "nothing").mkdir()
    hide = f"mount --bind {tmp_path}/nothing /usr/lib/python3/dist-packages/dns && exec \"$@\""
    report = run("unshare", "--mount", "bash", "-c", hide, "bash", LANYARD, "doctor", "--json", *mail.place())
    assert report.returncode == 1, report.stderr
    [finding] = [each for each in json.loads(report.stdout)["findings"] if each["check"] == "hidden addresses"]
    assert finding == {
        "check": "hidden addresses", "status": "problem",
        "message": "At relay.maple.example, but pyspf-milter treats a failing name server as a missing record: mail "
        "without SPF or DKIM is deferred again and again, and never refused.",
        "remedy": "Run `apt install python3-dnspython`, and `systemctl restart pyspf-milter`."}


@pytest.mark.parametrize(
    ("relay", "complaint"),
    [
        ({"domain": "not a domain"}, "no domain of a relay"),
        ({"listen": {"socketmap": "127.0.0.1:1", "policy": "127.0.0.1:2", "milter": "127.0.0.1:3"}}, "relay.domain"),
        ({"domain": "r.example", "listen": {"socketmap": "127.0.0.1:1"}}, "belong together"),
        ({"domain": "r.example", "listen": {
            "socketmap": "0.0.0.0:1", "policy": "127.0.0.1:2", "milter": "127.0.0.1:3"}}, "Other machines"),
    ])
def test_a_relay_that_cannot_work_does_not_start(mail: Tool, relay: dict, complaint: str) -> None:
    (mail.data / "lanyard.json").write_text(json.dumps({"relay": relay}))
    assert complaint in mail.failure("serve", "--port", "0")
