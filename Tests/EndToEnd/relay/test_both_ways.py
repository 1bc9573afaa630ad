"""Mail through a real Postfix, from an app to a person and back."""

import re
import smtplib
from email.utils import parseaddr

import dkim
import pytest
from processes import wait_until
from relay.post_office import Letter
from relay.stage import DOMAIN, HOME_IP, QUIZZLER_IP, RELAY_IP, STRANGER_IP, Account, Relay

TRACES = {
    "Reply-To": "maria@home.example",
    "Sender": "maria@home.example",
    "Cc": "maria@home.example, robin@home.example",
    "Message-ID": "<77@macbook.home.example>",
    "References": "<quiz-1@quizzler.example> <76@macbook.home.example>",
    "In-Reply-To": "<quiz-1@quizzler.example>",
    "Return-Receipt-To": "maria@home.example",
    "Disposition-Notification-To": "maria@home.example",
    "X-Originating-Email": "maria@home.example",
    "X-Mailer": "Home",
    "User-Agent": "Home 1.0 (maria's laptop)",
    "Received": "from laptop.home.example by mx.home.example for maria@home.example; Tue, 01 Sep 2026 08:00:00 +0000",
    "DKIM-Signature": "v=1; d=home.example; s=x; i=maria@home.example; b=x",
    "ARC-Seal": "i=1; d=home.example",
    "List-Unsubscribe": "<mailto:maria@home.example>, <https://home.example/u>",
    "Resent-From": "maria@home.example",
    "Bcc": "maria@home.example",
    "Autocrypt": "addr=maria@home.example",
}


def deliver(relay: Relay, account: Account, **headers: str) -> Letter:
    """A mail of Quizzler's that has arrived at the person's own mail server."""
    arrived = len(relay.home.letters)
    mail = relay.letter("Quizzler <news@quizzler.example>", account.hidden, **headers)
    code, words = relay.send(relay.signed(mail, "quizzler.example"), "bounce@quizzler.example", account.hidden)
    assert code == 250, words
    return relay.home.wait_for(arrived + 1)


def stand_in(letter: Letter) -> str:
    """The address that stands for the app's."""
    return parseaddr(letter.message["From"])[1]


def test_a_mail_reaches_the_person_and_shows_an_address_of_the_relay(relay: Relay) -> None:
    maria = relay.add_account("maria")
    letter = deliver(relay, maria)
    assert letter.recipients == [maria.email]
    assert letter.sender == f"bounces@{DOMAIN}"
    name, address = parseaddr(letter.message["From"])
    assert name == "Quizzler"
    assert re.fullmatch(rf"news_at_quizzler-example_[a-z0-9]{{16}}@{re.escape(DOMAIN)}", address)
    assert letter.message["To"] == f"<{maria.hidden}>"
    assert letter.message["Subject"] == "Your quiz"
    assert letter.message.get_payload() == "Well done.\r\n"
    assert dkim.verify(letter.content, dnsfunc=relay.resolve_txt), "the relay's own signature"
    # Another mail of the same sender has the same address, so that address books and threads work.
    assert stand_in(deliver(relay, maria)) == address
    # To somebody else it has another one.
    assert stand_in(deliver(relay, relay.add_account("ana"))) != address


def test_nothing_in_an_apps_mail_makes_the_person_answer_past_the_relay(relay: Relay) -> None:
    olga = relay.add_account("olga")
    letter = deliver(
        relay, olga, Reply_To="Help <help@quizzler.example>", Sender="news@quizzler.example",
        Cc="all@quizzler.example", Return_Receipt_To="news@quizzler.example",
        Disposition_Notification_To="news@quizzler.example", Errors_To="news@quizzler.example",
        Mail_Followup_To="news@quizzler.example", List_Post="<mailto:news@quizzler.example>",
        List_Unsubscribe="<mailto:out@quizzler.example>, <https://quizzler.example/out>")
    head = letter.content.partition(b"\r\n\r\n")[0].decode()
    assert not re.search(r"@quizzler\.example(?!>?\r\n)", head)
    assert "@quizzler.example" not in head.replace("<quiz-1@quizzler.example>", "")
    assert letter.message["List-Unsubscribe"] == "<https://quizzler.example/out>"
    # The answer goes to another address of the app, which is registered too.
    reply_to = parseaddr(letter.message["Reply-To"])[1]
    assert reply_to.startswith("help_at_quizzler-example_") and reply_to.endswith(f"@{DOMAIN}")
    assert "Reply-To" not in deliver(relay, olga, Reply_To="trap@elsewhere.example").message


def test_an_answer_reaches_the_app_and_tells_nothing_of_the_person(relay: Relay) -> None:
    maria = relay.add_account("marta")
    address = stand_in(deliver(relay, maria))
    arrived = len(relay.quizzler.letters)
    answer = relay.letter(f"Marta Ruiz <{maria.email}>", address, **{
        name.replace("-", "_"): value.replace("maria", "marta") for name, value in TRACES.items()})
    code, words = relay.send(relay.signed(answer, "home.example"), maria.email, address, source=HOME_IP)
    assert code == 250, words
    letter = relay.quizzler.wait_for(arrived + 1)
    assert letter.sender == maria.hidden
    assert letter.recipients == ["news@quizzler.example"]
    assert letter.message["From"] == f"<{maria.hidden}>"
    assert letter.message["To"] == "<news@quizzler.example>"
    assert letter.message["In-Reply-To"] == letter.message["References"] == "<quiz-1@quizzler.example>"
    assert letter.message["Message-ID"].endswith(f"@{DOMAIN}>")
    text = letter.content.decode()
    for trace in ("marta", "Ruiz", "home.example", HOME_IP, "laptop", "macbook", "Received"):
        assert trace.lower() not in text.replace(maria.hidden, "").lower(), trace
    assert letter.options == []
    assert dkim.verify(letter.content, dnsfunc=relay.resolve_txt)


def test_an_answer_to_the_answer_comes_back(relay: Relay) -> None:
    nina = relay.add_account("nina")
    address = stand_in(deliver(relay, nina))
    arrived = len(relay.quizzler.letters)
    relay.send(relay.letter(nina.email, address), nina.email, address, source=HOME_IP)
    answer = relay.quizzler.wait_for(arrived + 1)
    again = deliver(relay, nina, In_Reply_To=answer.message["Message-ID"])
    assert stand_in(again) == address
    assert again.message["In-Reply-To"] == answer.message["Message-ID"]


@pytest.mark.parametrize("proof", ["SPF", "DKIM"])
def test_one_proof_is_enough(relay: Relay, proof: str) -> None:
    account = relay.add_account(f"one{proof.lower()}")
    arrived = len(relay.home.letters)
    mail = relay.letter("news@quizzler.example", account.hidden)
    if proof == "SPF":
        code, _ = relay.send(mail, "news@quizzler.example", account.hidden)
    else:
        # As by a service that sends mail for others: only the signature says whose it is.
        code, _ = relay.send(
            relay.signed(mail, "quizzler.example"), "7@bounces.esp.example", account.hidden, source=STRANGER_IP)
    assert code == 250
    letter = relay.home.wait_for(arrived + 1)
    assert parseaddr(letter.message["From"])[0] == "news at quizzler.example"


def test_a_bounce_of_the_persons_server_reaches_nobody(relay: Relay) -> None:
    full = relay.add_account("full")
    before = len(relay.quizzler.letters)
    relay.home.refusal = "550 5.2.2 full@home.example has no room"
    try:
        mail = relay.letter("news@quizzler.example", full.hidden)
        code, _ = relay.send(relay.signed(mail, "quizzler.example"), "news@quizzler.example", full.hidden)
        assert code == 250
        relay.wait_for_log(r"to=<full@home\.example>.*status=bounced")
        relay.wait_for_log(rf"to=<bounces@{re.escape(DOMAIN)}>.*relay=none.*status=sent \({re.escape(DOMAIN)}\)")
    finally:
        relay.home.refusal = None
    # The one that comes later, from outside, ends here as well.
    mail = relay.letter("mailer-daemon@home.example", f"bounces@{DOMAIN}")
    assert relay.send(mail, "", f"bounces@{DOMAIN}", source=HOME_IP)[0] == 250
    wait_until(lambda: relay.queue() == [], 30, "the queue is empty")
    assert len(relay.quizzler.letters) == before


def test_a_person_hears_that_their_answer_was_not_taken(relay: Relay) -> None:
    lost = relay.add_account("lost")
    address = stand_in(deliver(relay, lost))
    arrived = len(relay.home.letters)
    relay.quizzler.refusal = "550 5.1.1 nobody here"
    try:
        code, _ = relay.send(relay.letter(lost.email, address), lost.email, address, source=HOME_IP)
        assert code == 250
        bounce = relay.home.wait_for(arrived + 1)
    finally:
        relay.quizzler.refusal = None
    assert bounce.sender == "<>" and bounce.recipients == [lost.email]


def test_nobody_is_told_where_mail_went(relay: Relay) -> None:
    """Receipts of delivery (RFC 3461) would name the person's address."""
    quiet = relay.add_account("quiet")
    with smtplib.SMTP(RELAY_IP, 25, timeout=60, source_address=(QUIZZLER_IP, 0)) as smtp:
        smtp.ehlo("client.example")
        assert not smtp.has_extn("dsn")
        assert smtp.docmd("VRFY", quiet.hidden)[0] == 502
        smtp.mail("news@quizzler.example")
        assert smtp.rcpt(quiet.hidden, ["NOTIFY=SUCCESS"])[0] >= 500
        assert smtp.docmd("EXPN", quiet.hidden)[0] >= 500
