"""Mail that a real Postfix refuses because Lanyard says so."""

import smtplib
from collections.abc import Iterator
from email.utils import parseaddr

import pytest
from relay.stage import DOMAIN, HOME_IP, QUIZZLER_IP, RELAY_IP, STRANGER_IP, Account, Relay

UNAUTHORIZED = "Unauthorized sender"


@pytest.fixture(scope="module")
def maria(relay: Relay) -> Account:
    return relay.add_account("maria")


def stand_in(relay: Relay, account: Account) -> str:
    """The address that stands for Quizzler's."""
    arrived = len(relay.home.letters)
    mail = relay.letter("news@quizzler.example", account.hidden)
    assert relay.send(mail, "news@quizzler.example", account.hidden)[0] == 250
    return parseaddr(relay.home.wait_for(arrived + 1).message["From"])[1]


@pytest.fixture(scope="module")
def clara(relay: Relay) -> tuple[Account, str]:
    """A person, and the address that stands for Quizzler's to her."""
    account = relay.add_account("clara")
    return account, stand_in(relay, account)


@pytest.fixture(scope="module")
def paula(relay: Relay) -> str:
    """The address that stands for Quizzler's to paula@home.example."""
    return stand_in(relay, relay.add_account("paula"))


def assert_refused(relay: Relay, answer: tuple[int, str], code: int, *words: str) -> None:
    assert answer[0] == code, answer
    assert all(word in answer[1] for word in words), answer
    assert "home.example" not in answer[1]


@pytest.mark.parametrize(
    ("author", "sender", "signature", "source"),
    [
        # Proven, but registered by another team, or by nobody.
        ("news@rival.example", "news@rival.example", "rival.example", STRANGER_IP),
        ("news@mail.quizzler.example", "news@mail.quizzler.example", "mail.quizzler.example", QUIZZLER_IP),
        # Registered, but not proven.
        ("news@quizzler.example", "news@quizzler.example", None, STRANGER_IP),
        ("news@quizzler.example", "news@rival.example", "rival.example", STRANGER_IP),
        ("news@quizzler.example", "7@bounces.esp.example", None, STRANGER_IP),
        ("news@quizzler.example", "news@mail.quizzler.example", "mail.quizzler.example", QUIZZLER_IP),
        ("robin@unsigned.example", "robin@unsigned.example", None, QUIZZLER_IP),
        # One address is registered, not its domain.
        ("rowan@unsigned.example", "rowan@unsigned.example", None, QUIZZLER_IP),
        # The envelope is proven, the author is not registered.
        ("boss@bank.example", "news@quizzler.example", None, QUIZZLER_IP),
        ("news@quizzler.example.evil.example", "news@quizzler.example", None, QUIZZLER_IP),
        # No envelope sender: only the signature could prove it.
        ("news@quizzler.example", "", None, QUIZZLER_IP),
    ])
def test_an_unproven_or_unregistered_sender_gets_550(
    relay: Relay, maria: Account, author: str, sender: str, signature: str | None, source: str
) -> None:
    before = len(relay.home.letters)
    mail = relay.letter(author, maria.hidden)
    content = relay.signed(mail, signature) if signature else mail
    assert_refused(relay, relay.send(content, sender, maria.hidden, source=source), 550, "5.1.1", UNAUTHORIZED)
    assert relay.queue() == []
    assert len(relay.home.letters) == before


@pytest.mark.parametrize("authority", ["spf", "dkim"])
def test_results_that_the_sender_wrote_are_not_believed(relay: Relay, maria: Account, authority: str) -> None:
    forged = (
        f"Authentication-Results: {authority}.{DOMAIN}; {authority}=pass smtp.mailfrom=quizzler.example "
        "header.d=quizzler.example\r\n").encode()
    mail = relay.letter("news@quizzler.example", maria.hidden)
    content = forged + mail.as_bytes(policy=mail.policy.clone(linesep="\r\n"))
    answer = relay.send(content, "news@quizzler.example", maria.hidden, source=STRANGER_IP)
    assert_refused(relay, answer, 550, UNAUTHORIZED)


# For these OpenDKIM accepts the message without adding a result, and leaves a header with its own name in place.
UNREADABLE_SIGNATURES = (
    b"DKIM-Signature: garbage\r\n",
    b"DKIM-Signature: v=1; a=rsa-sha256; d=quizzler.example; s=app\r\n",
    b"DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/simple; d=quizzler.example; s=app; h=From; bh=!; b=!\r\n",
)


@pytest.fixture(params=["as documented", "headers pass"])
def checks(request: pytest.FixtureRequest, relay: Relay) -> Iterator[None]:
    """Postfix takes foreign results out, and Lanyard believes none of them where it does not."""
    if request.param == "as documented":
        yield
        return
    with relay.without("header_checks"):
        yield


@pytest.mark.parametrize("signature", UNREADABLE_SIGNATURES)
@pytest.mark.parametrize(
    "spelling", ["Authentication-Results:", "AUTHENTICATION-RESULTS :", "Authentication-Results:\r\n"])
def test_results_beside_a_signature_that_nobody_can_read_are_not_believed(
    relay: Relay, maria: Account, checks: None, signature: bytes, spelling: str
) -> None:
    before = len(relay.home.letters)
    mail = relay.letter("news@quizzler.example", maria.hidden)
    mail = mail.as_bytes(policy=mail.policy.clone(linesep="\r\n"))
    forged = f"{spelling} dkim.{DOMAIN}; dkim=pass header.d=quizzler.example\r\n".encode()
    for content in (forged + signature + mail, signature + forged + mail):
        code, words = relay.send(content, "news@quizzler.example", maria.hidden, source=STRANGER_IP)
        assert 400 <= code < 600, words
    assert relay.queue() == []
    assert len(relay.home.letters) == before


@pytest.mark.parametrize("signature", UNREADABLE_SIGNATURES)
def test_an_answer_with_forged_results_does_not_reach_the_app(
    relay: Relay, clara: tuple[Account, str], checks: None, signature: bytes
) -> None:
    account, address = clara
    before = len(relay.quizzler.letters)
    forged = f"Authentication-Results: dkim.{DOMAIN}; dkim=pass header.d=home.example\r\n".encode()
    mail = relay.letter(account.email, address)
    content = forged + signature + mail.as_bytes(policy=mail.policy.clone(linesep="\r\n"))
    code, words = relay.send(content, account.email, address, source=STRANGER_IP)
    assert 400 <= code < 600, words
    assert len(relay.quizzler.letters) == before


def test_a_signer_cannot_write_another_domain_into_the_results(relay: Relay, maria: Account) -> None:
    mail = relay.letter("news@quizzler.example", maria.hidden)
    identity = b"x=3B=20dkim=3Dpass=20header.d=3Dquizzler.example=20x=3D@rival.example"
    content = relay.signed(mail, "rival.example", identity)
    code, words = relay.send(content, "news@rival.example", maria.hidden, source=STRANGER_IP)
    assert 400 <= code < 600, words
    assert relay.queue() == []


def test_what_was_signed_passes_beside_foreign_results(relay: Relay, maria: Account, checks: None) -> None:
    arrived = len(relay.home.letters)
    mail = relay.signed(relay.letter("news@quizzler.example", maria.hidden), "quizzler.example")
    foreign = b"Authentication-Results: mx.elsewhere.example; spf=fail smtp.mailfrom=quizzler.example\r\n"
    assert relay.send(foreign + mail, "7@bounces.esp.example", maria.hidden, source=STRANGER_IP)[0] == 250
    relay.home.wait_for(arrived + 1)


@pytest.mark.parametrize(
    "headers",
    [
        b"",
        b"From: news@quizzler.example\r\nFrom: news@quizzler.example\r\n",
        b"From: news@quizzler.example, boss@bank.example\r\n",
        b"From: team: news@quizzler.example;\r\n",
        b"From: <boss@bank.example> <news@quizzler.example>\r\n",
        b"From: news@quizzler.example <boss@bank.example>, x\r\n",
        b"From:\r\n",
        b"From: \"news@quizzler.example\r\n",
    ])
def test_without_one_readable_author_nothing_passes(relay: Relay, maria: Account, headers: bytes) -> None:
    content = headers + b"Subject: x\r\nTo: y@z.example\r\n\r\nText\r\n"
    answer = relay.send(content, "news@quizzler.example", maria.hidden)
    assert_refused(relay, answer, 550, "5.6.0")


def test_addresses_that_were_never_given_out_do_not_exist(relay: Relay, maria: Account) -> None:
    mail = relay.letter("news@quizzler.example", maria.hidden)
    for recipient in (
        f"nobody0000@{DOMAIN}", f"maria00000+x@{DOMAIN}", f"news_at_quizzler-example_aaaaaaaaaaaaaaaa@{DOMAIN}",
        "maria@home.example", f"maria00000%{DOMAIN}@{DOMAIN}", f"@x.example:{maria.hidden}",
    ):
        code, words = relay.send(mail, "news@quizzler.example", recipient)
        assert code >= 500, (recipient, code, words)
        assert "home.example" not in words.replace(recipient, "")
    # Postfix takes other spellings of an address for it. They come through the same checks, or not at all.
    for recipient in (maria.hidden.upper(), f'"maria00000"@{DOMAIN}', f"{maria.hidden}."):
        code, words = relay.send(mail, "news@quizzler.example", recipient, source=STRANGER_IP)
        assert code >= 500, (recipient, code, words)


def test_without_forwarding_mail_stops_both_ways_at_once(relay: Relay) -> None:
    off = relay.add_account("off")
    address = stand_in(relay, off)
    relay.set_forwarding(off, False)
    mail = relay.letter("news@quizzler.example", off.hidden)
    assert_refused(relay, relay.send(mail, "news@quizzler.example", off.hidden), 550, "5.1.1")
    answer = relay.send(relay.letter(off.email, address), off.email, address, source=HOME_IP)
    assert_refused(relay, answer, 550, "5.1.1")
    relay.set_forwarding(off, True)
    assert stand_in(relay, off) == address


def test_a_managed_account_never_gets_mail_through_a_hidden_address(relay: Relay) -> None:
    """Not even if somebody put one into the database."""
    staff = relay.add_account("staff", managed=True)
    mail = relay.letter("news@quizzler.example", staff.hidden)
    assert_refused(relay, relay.send(mail, "news@quizzler.example", staff.hidden), 550, "5.1.1")


def test_a_team_without_senders_is_refused_before_the_content(relay: Relay) -> None:
    relay.tool.json("app", "team", "create", "New Inc.")
    fresh = relay.add_account("fresh", team="New Inc.")
    with smtplib.SMTP(RELAY_IP, 25, timeout=60, source_address=(QUIZZLER_IP, 0)) as smtp:
        smtp.ehlo("client.example")
        smtp.mail("news@quizzler.example")
        code, words = smtp.rcpt(fresh.hidden)
    assert_refused(relay, (code, words.decode()), 550, "5.1.1", UNAUTHORIZED)


@pytest.mark.parametrize(
    ("author", "sender", "source", "code", "words"),
    [
        # Somebody else, even a neighbour at the same mail server.
        ("news@quizzler.example", "news@quizzler.example", QUIZZLER_IP, 550, UNAUTHORIZED),
        ("paul@home.example", "paul@home.example", HOME_IP, 550, UNAUTHORIZED),
        ("paula@home.example", "paul@home.example", HOME_IP, 550, UNAUTHORIZED),
        # The right address, not proven.
        ("paula@home.example", "paula@home.example", STRANGER_IP, 550, UNAUTHORIZED),
        # A bounce, which would name the address.
        ("mailer-daemon@home.example", "", HOME_IP, 550, UNAUTHORIZED),
    ])
def test_an_address_that_stands_for_an_apps_takes_mail_from_its_person_alone(
    relay: Relay, paula: str, author: str, sender: str, source: str, code: int, words: str
) -> None:
    before = len(relay.quizzler.letters)
    answer = relay.send(relay.letter(author, paula), sender, paula, source=source)
    assert answer[0] == code and words in answer[1]
    assert len(relay.quizzler.letters) == before


def test_absence_notes_do_not_reach_the_app(relay: Relay) -> None:
    away = relay.add_account("away")
    address = stand_in(relay, away)
    note = relay.letter(away.email, address, Auto_Submitted="auto-replied")
    assert_refused(relay, relay.send(note, away.email, address, source=HOME_IP), 550, "Automatic")


def test_mail_does_not_go_round_in_circles(relay: Relay, maria: Account) -> None:
    mail = relay.letter("news@quizzler.example", maria.hidden, X_Lanyard_Relay=DOMAIN)
    assert_refused(relay, relay.send(mail, "news@quizzler.example", maria.hidden), 554, "5.4.6")
    # From the relay to the relay.
    other = relay.add_account("other")
    mail = relay.letter(other.hidden, maria.hidden)
    assert_refused(relay, relay.send(mail, other.hidden, maria.hidden, source=RELAY_IP), 554, "5.4.6")
    assert_refused(relay, relay.send(mail, "news@quizzler.example", maria.hidden), 554, "5.4.6")
    # A person whose own address is a hidden address.
    relay.set_email(other, maria.hidden)
    mail = relay.letter("news@quizzler.example", other.hidden)
    assert_refused(relay, relay.send(mail, "news@quizzler.example", other.hidden), 550, "5.1.1")


def test_a_second_recipient_waits_for_a_message_of_its_own(relay: Relay, maria: Account) -> None:
    second = relay.add_account("second")
    with smtplib.SMTP(RELAY_IP, 25, timeout=60, source_address=(QUIZZLER_IP, 0)) as smtp:
        smtp.ehlo("client.example")
        smtp.mail("news@quizzler.example")
        assert smtp.rcpt(maria.hidden)[0] == 250
        code, words = smtp.rcpt(second.hidden)
        assert code == 452 and b"4.5.3" in words


def test_too_many_headers_are_refused(relay: Relay, maria: Account) -> None:
    flood = b"".join(b"X-%d: x\r\n" % number for number in range(1_200))
    mail = relay.letter("news@quizzler.example", maria.hidden)
    content = flood + mail.as_bytes(policy=mail.policy.clone(linesep="\r\n"))
    assert_refused(relay, relay.send(content, "news@quizzler.example", maria.hidden), 550, "5.6.0")


def test_this_server_relays_for_nobody(relay: Relay) -> None:
    mail = relay.letter("news@quizzler.example", "someone@elsewhere.example")
    assert relay.send(mail, "news@quizzler.example", "someone@elsewhere.example")[0] >= 500


def test_whoever_runs_the_relay_gets_their_mail_as_it_is(relay: Relay) -> None:
    arrived = len(relay.home.letters)
    mail = relay.letter("someone@unsigned.example", f"postmaster@{DOMAIN}", Cc="other@unsigned.example")
    assert relay.send(mail, "someone@unsigned.example", f"postmaster@{DOMAIN}")[0] == 250
    letter = relay.home.wait_for(arrived + 1)
    assert letter.recipients == ["id@maple.example"]
    assert letter.message["From"] == "someone@unsigned.example" and letter.message["Cc"]
