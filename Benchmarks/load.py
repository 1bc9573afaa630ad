"""Sends requests with wrk over eight connections, faster than they can be answered."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Sent:
    requests: int
    seconds: float


def post_once(folder: Path, url: str, forms: list[str], **options) -> Sent:
    """Posts each form once."""
    return _wrk(folder, url, "POST", forms, last=len(forms), **options)


def post_again(folder: Path, url: str, form: str, **options) -> Sent:
    """Posts the same form again and again for some seconds."""
    return _wrk(folder, url, "POST", [form], **options)


def get_again(folder: Path, url: str, **options) -> Sent:
    """Gets the same URL again and again for some seconds."""
    return _wrk(folder, url, "GET", [""], **options)


def _wrk(folder: Path, url: str, method: str, bodies: list[str], last: int | None = None, headers=None, cpu=None) -> Sent:
    """`last`: the number of responses to expect; `cpu`: the only processor that wrk may use.

    Raises if a response is neither 2xx nor 3xx, or if a connection fails.
    """
    fields = {"Content-Type": "application/x-www-form-urlencoded"} if method == "POST" else {}
    script = folder / "load.lua"
    script.write_text(
        "bodies = {" + ",".join(f'"{body}"' for body in bodies) + "}\n"
        f'wrk.method = "{method}"\n'
        + "".join(f'wrk.headers["{name}"] = "{value}"\n' for name, value in (fields | (headers or {})).items())
        # Measured by the script, because wrk always runs for the time that it was told, and counts all of it.
        + f"local last, seconds = {last or 'math.huge'}, {60 if last else SECONDS}\n" + SCRIPT
    )
    pinned = [] if cpu is None else ["taskset", "-c", str(cpu)]
    text = subprocess.run(
        [*pinned, "wrk", "-t1", "-c8", f"-d{2 * 60}s", "-s", str(script), url],
        capture_output=True, text=True, check=True,
    ).stdout
    found = re.search(r"^answered\s+(\d+)\s+([\d.]+)", text, re.M)
    if not found:
        raise RuntimeError(f"{url} refused:\n{text}")
    return Sent(int(found.group(1)), float(found.group(2)))


SECONDS = 6

SCRIPT = """
local ffi = require("ffi")
ffi.cdef("typedef struct { long seconds, microseconds; } moment; int gettimeofday(moment *now, void *zone);")
local moment = ffi.new("moment")
local function now()
    ffi.C.gettimeofday(moment, nil)
    return tonumber(moment.seconds) + tonumber(moment.microseconds) / 1e6
end

local sent, got, start = 0, 0, nil

function request()
    start = start or now()
    sent = sent + 1
    local body = bodies[(sent - 1) % #bodies + 1]
    -- For an empty one wrk says that its length is 0, which no browser does.
    return wrk.format(nil, nil, nil, body ~= "" and body or nil)
end

-- The last responses arrive together with those of requests that were sent a second time.
function response(status, headers, body)
    if status >= 400 then
        print("status", status, body)
        io.stdout:flush()
        os.exit(0)
    end
    got = got + 1
    local spent = now() - start
    if got >= last - 8 or spent > seconds then
        print("answered", got, spent)
        io.stdout:flush()
        os.exit(0)
    end
end
"""
