"""A provider that knows everybody at once, and whose tokens say what a test wants."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from urllib.parse import parse_qsl, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import ECKey

CLIENT = "burgers"


class LyingProvider:
    def __init__(self) -> None:
        self.key = ECKey.generate_key("P-256", {"kid": "1"})
        # Claims that the next tokens have in place of the true ones; None leaves a claim out.
        self.claims: dict[str, object] = {}
        self.signing_key = self.key
        self.header: dict[str, object] = {"alg": "ES256", "kid": "1"}
        self.token_type = "Bearer"
        # Seconds until the token endpoint answers.
        self.delay = 0.0
        # The nonce that proofs of possession must have; the first requests wait for each other.
        self.dpop_nonce: str | None = None
        self.waiting: threading.Barrier | None = None
        # The authorization requests and the requests for tokens that have arrived.
        self.asked: list[dict[str, str]] = []
        self.redeemed: list[dict[str, str]] = []
        self._numbers = count(1)
        self._nonces: dict[str, str | None] = {}
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                address = urlsplit(self.path)
                match address.path:
                    case "/.well-known/openid-configuration":
                        self.answer(200, provider.description)
                    case "/keys":
                        self.answer(200, {"keys": [provider.key.as_dict(private=False)]})
                    case "/authorize":
                        self.send_response(302)
                        self.send_header("Location", provider.authorize(dict(parse_qsl(address.query))))
                        self.send_header("Content-Length", "0")
                        self.end_headers()
                    case _:
                        self.answer(404, {})

            def do_POST(self) -> None:
                fields = dict(parse_qsl(self.rfile.read(int(self.headers["Content-Length"])).decode()))
                nonce = provider.dpop_nonce
                if nonce and f'"nonce":"{nonce}"' not in provider.claims_of(self.headers["DPoP"]):
                    if provider.waiting:
                        provider.waiting.wait(10)
                    self.answer(400, {"error": "use_dpop_nonce"}, {"DPoP-Nonce": nonce})
                    return
                self.answer(200, provider.tokens(fields))

            def answer(self, status: int, content: dict, headers: dict[str, str] = {}) -> None:
                body = json.dumps(content).encode()
                self.send_response(status)
                for name, value in ({
                    "Content-Type": "application/json", "Content-Length": str(len(body))} | headers).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.issuer = f"http://127.0.0.1:{self.server.server_port}"
        self._thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05})
        self._thread.start()

    @property
    def description(self) -> dict[str, str]:
        return {"issuer": self.issuer, "authorization_endpoint": f"{self.issuer}/authorize",
                "token_endpoint": f"{self.issuer}/token", "jwks_uri": f"{self.issuer}/keys"}

    @staticmethod
    def claims_of(proof: str) -> str:
        """As they were written."""
        from joserfc.util import urlsafe_b64decode
        return urlsafe_b64decode(proof.split(".")[1].encode()).decode()

    def authorize(self, asked: dict[str, str]) -> str:
        self.asked.append(asked)
        code = f"code-{next(self._numbers)}"
        self._nonces[code] = asked.get("nonce")
        return f"{asked['redirect_uri']}?" + urlencode({"code": code, "state": asked["state"]})

    def tokens(self, fields: dict[str, str]) -> dict[str, object]:
        self.redeemed.append(fields)
        time.sleep(self.delay)
        number = next(self._numbers)
        before = fields.get("code") or fields.get("refresh_token") or ""
        refresh_token = f"refresh-{number}"
        nonce = self._nonces[refresh_token] = self._nonces.get(before)
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": CLIENT, "sub": "ana", "iat": now, "exp": now + 300, "nonce": nonce}
        told = {name: value for name, value in (claims | self.claims).items() if value is not None}
        return {
            "access_token": f"access-{number}", "token_type": self.token_type, "expires_in": 3600,
            "refresh_token": refresh_token,
            "id_token": jwt.encode(self.header, told, self.signing_key, algorithms=["ES256", "HS256", "none"])}

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self._thread.join()


@contextmanager
def lying_provider() -> Iterator[LyingProvider]:
    provider = LyingProvider()
    try:
        yield provider
    finally:
        provider.stop()
