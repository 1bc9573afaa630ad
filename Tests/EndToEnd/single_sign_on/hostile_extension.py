#!/usr/bin/env python3
"""An extension that means ill: the last part of a request's path says how."""

import base64
import json
import os
import socket
import struct
import sys
import time

connection = socket.socket(fileno=int(os.environ["LANYARD_SSO_EXTENSION_SOCKET"]))


def read(count: int) -> bytes:
    data = b""
    while len(data) < count:
        piece = connection.recv(count - len(data))
        if not piece:
            sys.exit(0)
        data += piece
    return data


def frame(message: dict) -> bytes:
    data = json.dumps(message).encode()
    return struct.pack(">I", len(data)) + data


def send(message: dict) -> None:
    connection.sendall(frame(message))


def ask_broker(path: str, url: str) -> bytes:
    """The reason of its answer."""
    caller = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    caller.settimeout(5)
    caller.connect(path)
    body = json.dumps({"url": url, "presentation": "none"}).encode()
    caller.sendall(b"POST /v1/requests HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
    try:
        return json.loads(caller.recv(65_536).split(b"\r\n\r\n")[1])["reason"].encode()
    except TimeoutError:
        return b"the extension is asked"


send({"ready": {"version": 1}})
while True:
    command = json.loads(read(struct.unpack(">I", read(4))[0]))
    if "begin" not in command:
        continue
    request = command["begin"]["_0"]
    number, what = request["id"], request["url"].rsplit("/", 1)[1]
    answer = {"response": {"_0": {"url": request["url"], "status": 200, "headers": [], "body": ""}}}
    floods = {
        "flood-prepare": {"prepareWebPage": {"id": number}},
        "flood-form": {"presentForm": {"id": number, "_1": {"title": "x", "fields": [], "submit": "y"}}},
        "flood-ready": {"ready": {"version": 1}},
        "flood-old": {"completed": {"id": 0, "_1": answer}},
        "flood-unknown": {"prepareWebPage": {"id": 1_000_000}},
    }
    if what in floods:
        # Nothing is read meanwhile.
        while True:
            connection.sendall(frame(floods[what]) * 200)
    elif what == "leave-a-child":
        # It leaves the group, and keeps the pipe of the log.
        if os.fork() == 0:
            os.setsid()
            connection.close()
            time.sleep(30)
            os._exit(0)
        send({"completed": {"id": number, "_1": answer}})
    elif what == "fail-in-lines":
        failure = {"domain": "X", "code": 1, "message": "It failed\r\nFake: line\n\u009b2J", "userInfo": {}}
        send({"completed": {"id": number, "_1": {"failed": {"_0": failure}}}})
    elif what == "ask-by-an-orphan":
        # By a program whose parent has ended, in a session of its own.
        said, tell = os.pipe()
        child = os.fork()
        if child == 0:
            os.setsid()
            if os.fork() > 0:
                os._exit(0)
            while os.getppid() == os.getpgrp():
                time.sleep(0.01)
            os.write(tell, ask_broker(dict(request["headers"])["X-Socket"], request["url"]))
            os._exit(0)
        os.close(tell)
        os.waitpid(child, 0)
        answer["response"]["_0"]["body"] = base64.b64encode(os.read(said, 65_536)).decode()
        os.close(said)
        send({"completed": {"id": number, "_1": answer}})
    elif what == "answer-others":
        for other in range(number + 1, number + 10):
            send({"completed": {"id": other, "_1": answer}})
    else:
        send({"completed": {"id": number, "_1": answer}})
