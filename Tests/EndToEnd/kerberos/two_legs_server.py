"""A site that wants two tokens of a caller, because it asks for a proof of the list of mechanisms (RFC 4178, 5). Debian's own
Python runs it.

The library of MIT Kerberos asks for that proof only if its first choice of a mechanism is another one than the caller's, and callers that
offer Kerberos alone give it no choice. So this site takes tokens of SPNEGO apart itself, and leaves to the library what is inside.

Argument: port. KRB5_KTNAME names its keys. Each path is a negotiation of its own. A page says who somebody is once both tokens are right.
"""

import base64
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import gssapi

# Otherwise an error is told at the next step only, which there is none of.
gssapi.SecurityContext.__DEFER_STEP_ERRORS__ = False

KERBEROS = gssapi.OID.from_int_seq("1.2.840.113554.1.2.2")
ACCEPT_INCOMPLETE = b"\x01"

OCTETS, IDENTIFIER, ENUMERATED, SEQUENCE, INIT, FIRST = 0x04, 0x06, 0x0A, 0x30, 0x60, 0xA0
# Tags of the fields of a token, and of a token that is an answer.
MECHANISMS = STATE = FIRST
CHOSEN = ANSWER = FIRST + 1
TOKEN, PROOF = FIRST + 2, FIRST + 3


def parts(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Tags and contents of values of DER that stand one behind the other."""
    while data:
        tag, length, start = data[0], data[1], 2
        if length > 127:
            start += length - 128
            length = int.from_bytes(data[2:start], "big")
        yield tag, data[start:start + length]
        data = data[start + length:]


def inner(data: bytes, tag: int) -> bytes:
    """The content of a value that stands alone."""
    [(found, content)] = parts(data)
    if found != tag:
        raise ValueError(f"{found:x} is not {tag:x}")
    return content


def value(tag: int, content: bytes) -> bytes:
    length = len(content)
    if length > 127:
        digits = length.to_bytes(2, "big")
        return bytes((tag, 128 + len(digits))) + digits + content
    return bytes((tag, length)) + content


class Negotiation:
    """What a caller has begun."""

    def __init__(self, token: bytes):
        _, content = parts(inner(token, INIT))
        fields = dict(parts(inner(inner(value(*content), FIRST), SEQUENCE)))
        # As the caller has written it, because the proof is for these bytes.
        self.mechanisms = fields[MECHANISMS]
        self.context = gssapi.SecurityContext(creds=gssapi.Credentials(usage="accept", mechs=[KERBEROS]), usage="accept")
        reply = self.context.step(inner(fields[TOKEN], OCTETS))
        # Whoever gets such a proof has to send one (RFC 4178, 5, d).
        proof = self.context.get_signature(self.mechanisms)
        self.answer = value(ANSWER, value(SEQUENCE, b"".join((
            value(STATE, value(ENUMERATED, ACCEPT_INCOMPLETE)),
            value(CHOSEN, value(IDENTIFIER, bytes(KERBEROS))),
            value(TOKEN, value(OCTETS, reply)),
            value(PROOF, value(OCTETS, proof))))))

    def finish(self, token: bytes) -> str:
        """Who the caller is, by the proof in their second token."""
        fields = dict(parts(inner(inner(token, ANSWER), SEQUENCE)))
        self.context.verify_signature(self.mechanisms, inner(fields[PROOF], OCTETS))
        return f"Hello {self.context.initiator_name}"


negotiations: dict[str, Negotiation] = {}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        _, _, text = self.headers.get("Authorization", "").partition("Negotiate ")
        token = base64.b64decode(text)
        if not token:
            return self.answer(401, "Who are you?", "Negotiate")
        try:
            if token[0] == INIT:
                negotiation = negotiations[self.path] = Negotiation(token)
                answer = base64.b64encode(negotiation.answer).decode()
                return self.answer(401, "Prove it.", f"Negotiate {answer}")
            self.answer(200, negotiations.pop(self.path).finish(token))
        except (gssapi.exceptions.GSSError, ValueError, KeyError) as error:
            self.answer(403, f"{type(error).__name__}: {error}")

    def answer(self, status: int, text: str, challenge: str | None = None) -> None:
        self.send_response(status)
        if challenge:
            self.send_header("WWW-Authenticate", challenge)
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
