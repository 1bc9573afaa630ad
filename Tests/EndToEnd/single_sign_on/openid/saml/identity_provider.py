"""An identity provider of SAML 2.0, made of pysaml2: no line of it knows Lanyard. People sign in at another address than
the one that gets the requests, as in a federation.

Usage: identity_provider.py FOLDER PORT SIGN_IN_PORT, with key.pem, cert.pem and sp.xml in the folder
"""

import html
import secrets
import sys
import threading
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

from saml2 import BINDING_HTTP_POST, BINDING_HTTP_REDIRECT
from saml2.authn_context import PASSWORDPROTECTEDTRANSPORT
from saml2.config import IdPConfig
from saml2.metadata import entity_descriptor
from saml2.saml import NAMEID_FORMAT_TRANSIENT
from saml2.server import Server

folder, port, sign_in_port = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
BASE = f"http://127.0.0.1:{port}"
SIGN_IN = f"http://127.0.0.1:{sign_in_port}/sign-in"
PEOPLE = {"ana": ("correct-horse-7", "Ana Ruiz")}

configuration = {
    "entityid": f"{BASE}/metadata",
    "service": {"idp": {
        "endpoints": {"single_sign_on_service": [
            (f"{BASE}/sso", binding) for binding in (BINDING_HTTP_REDIRECT, BINDING_HTTP_POST)]},
        "name_id_format": [NAMEID_FORMAT_TRANSIENT],
        "policy": {"default": {"lifetime": {"minutes": 5}, "attribute_restrictions": None}},
    }},
    "key_file": str(folder / "key.pem"), "cert_file": str(folder / "cert.pem"),
    "metadata": {"local": [str(folder / "sp.xml")]}, "xmlsec_binary": "/usr/bin/xmlsec1",
}
settings = IdPConfig().load(configuration)
provider = Server(config=settings)
sessions: dict[str, str] = {}
lock = threading.Lock()


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        url = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        match url.path:
            case "/metadata": self.answer(200, str(entity_descriptor(settings)), "application/xml")
            case "/sso": self.sso(query, BINDING_HTTP_REDIRECT)
            case "/sign-in": self.sign_in(query["next"])
            case _: self.answer(404, "Not Found")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        form = {name: values[0] for name, values in parse_qs(body).items()}
        if self.path == "/sso":
            self.sso(form, BINDING_HTTP_POST)
            return
        password, _ = PEOPLE.get(form.get("user"), (None, None))
        if not password or password != form.get("password"):
            self.sign_in(form["next"], "<p class='error'>Wrong user name or password</p>")
            return
        token = secrets.token_urlsafe()
        sessions[token] = form["user"]
        self.answer(303, headers={"Location": form["next"], "Set-Cookie": f"idp={token}; Path=/; HttpOnly"})

    def sso(self, message: dict[str, str], binding: str) -> None:
        cookie = SimpleCookie(self.headers.get("Cookie", "")).get("idp")
        user = cookie and sessions.get(cookie.value)
        if not user:
            again = f"{BASE}/sso?" + "&".join(f"{name}={quote(value, safe='')}" for name, value in message.items())
            self.answer(302, headers={"Location": f"{SIGN_IN}?next={quote(again, safe='')}"})
            return
        with lock:
            request = provider.parse_authn_request(message["SAMLRequest"], binding)
            arguments = provider.response_args(request.message)
            response = provider.create_authn_response(
                identity={"uid": user, "displayName": PEOPLE[user][1]}, userid=user, sign_response=True,
                authn={"class_ref": PASSWORDPROTECTEDTRANSPORT}, **arguments)
            carried = provider.apply_binding(
                BINDING_HTTP_POST, str(response), arguments["destination"], message.get("RelayState", ""), response=True)
        self.answer(200, carried["data"])

    def sign_in(self, target: str, problem: str = "") -> None:
        self.answer(200, f"""<!doctype html><title>Acme</title><h1>Sign in to Acme</h1>{problem}
            <form method="post"><input type="hidden" name="next" value="{html.escape(target)}">
            <label for="user">User</label><input id="user" name="user">
            <label for="password">Password</label><input id="password" name="password" type="password">
            <button>Sign in</button></form>""")

    def answer(self, status: int, body: str = "", type: str = "text/html; charset=utf-8", headers: dict = {}) -> None:
        data = body.encode()
        self.send_response(status)
        for name, value in ({"Content-Type": type, "Content-Length": str(len(data))} | headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)


servers = [ThreadingHTTPServer(("127.0.0.1", number), Handler) for number in (port, sign_in_port)]
threading.Thread(target=servers[1].serve_forever, daemon=True).start()
print("ready", flush=True)
servers[0].serve_forever()
