#!/usr/bin/env python3
"""Simulates a domain, to try an extension on your own machine: serves an association file for one app over HTTPS.

Usage: association.py TEAM.APP PORT

The certificate is self-signed, so the broker accepts it in developer mode only. Stop it with Ctrl-C.
"""

import json
import ssl
import subprocess
import sys
import tempfile
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path


class Association(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path != "/.well-known/apple-app-site-association":
            self.send_error(404)
            return
        body = json.dumps({"authsrv": {"apps": [sys.argv[1]]}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if len(sys.argv) != 3:
    sys.exit(__doc__)
with tempfile.TemporaryDirectory() as folder:
    file = Path(folder) / "self-signed.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-subj", "/CN=association", "-keyout", file, "-out", f"{file}.certificate"], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{file}.certificate", file)
server = HTTPServer(("127.0.0.1", int(sys.argv[2])), Association)
server.socket = context.wrap_socket(server.socket, server_side=True)
print(f"agrees to {sys.argv[1]} at port {sys.argv[2]}", flush=True)
try:
    server.serve_forever()
except KeyboardInterrupt:
    pass
