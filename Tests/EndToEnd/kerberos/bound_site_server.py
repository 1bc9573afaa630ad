"""A site with TLS that wants tickets and looks whether they are bound to its certificate. Debian's own Python runs it.

Arguments: port, certificate, key, the hash of the certificate's signature or `none`. KRB5_KTNAME names its keys. The page says who somebody is, and whether the token was bound.
"""

import base64
import hashlib
import ssl
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import gssapi
from gssapi.raw import ChannelBindings, RequirementFlag

port, certificate, key, hash_name = sys.argv[1:]
# RFC 5929, 4.1: the hash of the signature, but SHA-256 in the place of MD5 and SHA-1. Ed25519 has none.
BINDINGS = None
if hash_name != "none":
    name = "sha256" if hash_name in ("md5", "sha1") else hash_name
    digest = hashlib.new(name, ssl.PEM_cert_to_DER_cert(open(certificate).read())).digest()
    BINDINGS = ChannelBindings(application_data=b"tls-server-end-point:" + digest)


# Otherwise an error is told at the next step only, which there is none of.
gssapi.SecurityContext.__DEFER_STEP_ERRORS__ = False


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        scheme, _, token = self.headers.get("Authorization", "").partition(" ")
        if scheme != "Negotiate":
            return self.answer(401, "Who are you?")
        context = gssapi.SecurityContext(creds=gssapi.Credentials(usage="accept"), channel_bindings=BINDINGS)
        try:
            context.step(base64.b64decode(token))
            bound = bool(context.actual_flags & RequirementFlag.channel_bound)
            text = f"Hello {context.initiator_name}, {'bound' if bound else 'not bound'}"
        except gssapi.exceptions.GSSError as error:
            return self.answer(403, type(error).__name__)
        self.answer(200, text)

    def answer(self, status: int, text: str) -> None:
        self.send_response(status)
        if status == 401:
            self.send_header("WWW-Authenticate", "Negotiate")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())


server = ThreadingHTTPServer(("127.0.0.1", int(port)), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
