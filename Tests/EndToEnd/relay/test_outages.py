"""What is away lets nothing pass: the sender is told to try again."""

import sqlite3

from relay.stage import STRANGER_IP, Relay


def test_while_lanyard_is_away_mail_waits_and_passes_afterwards(relay: Relay) -> None:
    maria = relay.add_account("maria")
    mail = relay.letter("news@quizzler.example", maria.hidden)
    relay.stop_lanyard()
    for sender in ("news@quizzler.example", "stranger@rival.example"):
        code, words = relay.send(mail, sender, maria.hidden)
        assert 400 <= code < 500, words
    relay.start_lanyard()
    arrived = len(relay.home.letters)
    assert relay.send(mail, "news@quizzler.example", maria.hidden)[0] == 250
    relay.home.wait_for(arrived + 1)


def test_while_the_database_is_away_mail_waits(relay: Relay) -> None:
    ana = relay.add_account("ana")
    mail = relay.letter("news@quizzler.example", ana.hidden)
    with sqlite3.connect(relay.tool.file) as connection:
        connection.execute("ALTER TABLE hidden_address RENAME TO elsewhere")
    try:
        code, words = relay.send(mail, "news@quizzler.example", ana.hidden)
        assert 400 <= code < 500, words
    finally:
        with sqlite3.connect(relay.tool.file) as connection:
            connection.execute("ALTER TABLE elsewhere RENAME TO hidden_address")
    assert relay.send(mail, "news@quizzler.example", ana.hidden)[0] == 250


def test_while_a_verifier_is_away_mail_waits(relay: Relay) -> None:
    olga = relay.add_account("olga")
    mail = relay.letter("news@quizzler.example", olga.hidden)
    for port in (8893, 8891):
        relay.verifiers[port].kill()
        code, words = relay.send(mail, "news@quizzler.example", olga.hidden)
        assert 400 <= code < 500, words
        relay.start_verifier(port)
    assert relay.send(mail, "news@quizzler.example", olga.hidden)[0] == 250


def test_while_the_senders_names_cannot_be_looked_up_mail_waits(relay: Relay) -> None:
    nina = relay.add_account("nina")
    mail = relay.letter("news@quizzler.example", nina.hidden)
    relay.names.broken.add("quizzler.example")
    try:
        code, words = relay.send(mail, "news@quizzler.example", nina.hidden, source=STRANGER_IP)
        assert 400 <= code < 500, words
    finally:
        relay.names.broken.clear()
    code, _ = relay.send(mail, "news@quizzler.example", nina.hidden, source=STRANGER_IP)
    assert code == 550
