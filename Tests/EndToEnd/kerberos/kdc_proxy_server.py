"""Debian's kdcproxy behind TLS. Debian's own Python runs it. Arguments: port, certificate, key."""

import ssl
import sys
from wsgiref.simple_server import make_server

import kdcproxy

port, certificate, key = sys.argv[1:]
server = make_server("127.0.0.1", int(port), kdcproxy.Application())
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
