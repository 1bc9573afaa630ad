#!/usr/bin/env python3
"""An extension for tests: a program that the broker starts, and that does what a file says.

The file has a JSON array of steps for the next request: {"present": form}, {"page": url} or {"answer": …}, which may be a
broken one. `$URL` stands for the request's URL, `$RETURN` for the return URL. Each request, and each thing that a person
did, is noted in a second file, one JSON object a line.
"""

import json
import os
import socket
import struct
import sys
import threading
from pathlib import Path

steps_file, notes_file = Path(sys.argv[1]), Path(sys.argv[2])
connection = socket.socket(fileno=int(os.environ["LANYARD_SSO_EXTENSION_SOCKET"]))
waiting: dict[int, list] = {}
writing = threading.Lock()


def receive() -> dict | None:
    head = read(4)
    return json.loads(read(struct.unpack(">I", head)[0])) if head else None


def read(count: int) -> bytes:
    data = b""
    while len(data) < count:
        piece = connection.recv(count - len(data))
        if not piece:
            return b""
        data += piece
    return data


def send(message: dict) -> None:
    data = json.dumps(message).encode()
    with writing:
        connection.sendall(struct.pack(">I", len(data)) + data)


def note(what: dict) -> None:
    with notes_file.open("a") as notes:
        notes.write(json.dumps(what) + "\n")


def filled(value, words: dict):
    text = json.dumps(value)
    for name, word in words.items():
        text = text.replace(name, json.dumps(word)[1:-1])
    return json.loads(text)


def advance(number: int) -> None:
    request, steps = waiting[number]
    step = steps.pop(0)
    words = {"$URL": request["url"]}
    if "present" in step:
        send({"presentForm": {"id": number, "_1": filled(step["present"], words)}})
    elif "page" in step:
        steps.insert(0, {"open": step["page"]})
        send({"prepareWebPage": {"id": number}})
    elif "open" in step:
        send({"presentWebPage": {"id": number, "_1": filled(step["open"], words | {"$RETURN": step["return"]})}})
    elif "silence" in step:
        pass
    elif "exit" in step:
        os._exit(1)
    else:
        send({"completed": {"id": number, "_1": filled(step["answer"], words)}})


send({"ready": {"version": 1}})
while command := receive():
    (name, content), = command.items()
    if name == "begin":
        request = content["_0"]
        if request["operation"] == "configurationRemoved":
            send({"completed": {"id": request["id"], "_1": {"empty": {}}}})
            continue
        note({"begin": request})
        waiting[request["id"]] = (request, json.loads(steps_file.read_text()))
        advance(request["id"])
    elif name == "returnURL":
        waiting[content["id"]][1][0]["return"] = content["_1"]
        advance(content["id"])
    elif name == "presented":
        note({"presented": content["_1"]})
        if "canceled" in content["_1"]:
            send({"completed": {"id": content["id"], "_1": {"canceled": {}}}})
        else:
            advance(content["id"])
    elif name == "cancel":
        note({"cancel": content["id"]})
