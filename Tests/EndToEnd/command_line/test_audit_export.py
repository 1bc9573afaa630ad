"""`lanyard audit export`, `anchor` and `verify FILE`, with OpenSSL as the authority and as the foreign verifier."""

import base64
import hashlib
import json
import subprocess
from pathlib import Path

import pytest
from command_line.conftest import District

CONFIGURATION = """
[tsa]
default_tsa = maple
[maple]
serial = {folder}/serial
crypto_device = builtin
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
accuracy = secs:1
ess_cert_id_alg = sha256
[req]
distinguished_name = name
x509_extensions = stamping
prompt = no
[name]
CN = Maple Timestamps
[stamping]
basicConstraints = critical, CA:true
extendedKeyUsage = critical, timeStamping
"""


class Authority:
    """A timestamp authority that was made a moment ago."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.configuration = folder / "tsa.conf"
        self.certificate = folder / "authority.pem"
        self.configuration.write_text(CONFIGURATION.format(folder=folder))
        (folder / "serial").write_text("01\n")
        self.openssl(
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "authority.key", "-out", "authority.pem",
            "-days", "2", "-config", "tsa.conf")

    def openssl(self, *arguments: str) -> str:
        result = subprocess.run(
            ["openssl", *arguments], cwd=self.folder, capture_output=True, text=True, timeout=60)
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout

    def stamp(self, query: Path, reply: Path) -> None:
        self.openssl(
            "ts", "-reply", "-config", "tsa.conf", "-queryfile", str(query), "-signer", "authority.pem", "-inkey",
            "authority.key", "-out", str(reply))

    def verifies(self, digest: str, reply: Path) -> bool:
        result = subprocess.run(
            ["openssl", "ts", "-verify", "-digest", digest, "-in", str(reply), "-CAfile", str(self.certificate)],
            capture_output=True, text=True, timeout=60)
        return result.returncode == 0 and "Verification: OK" in result.stdout + result.stderr


def hash_of(entry: dict[str, object], previous: bytes) -> bytes:
    """As the documentation says it, and as another program would write it."""
    digest = hashlib.sha256(previous)
    for name in ("number", "at", "actor", "action", "subject", "outcome", "detail", "origin"):
        field = str(entry[name]).encode()
        digest.update(f"{len(field)}:".encode() + field)
    return digest.digest()


@pytest.mark.on_each_database
def test_an_export_proves_itself_and_others_can_check_it(maple: District, tmp_path: Path) -> None:
    tool, authority = maple.tool, Authority(tmp_path)
    query, reply, file = tmp_path / "request.tsq", tmp_path / "answer.tsr", tmp_path / "trail.jsonl"
    asked = tool.json("audit", "anchor", "--query", str(query))
    text = authority.openssl("ts", "-query", "-in", str(query), "-text")
    assert "Hash Algorithm: sha256" in text and "Certificate required: yes" in text
    authority.stamp(query, reply)
    kept = tool.json("audit", "anchor", "--reply", str(reply))
    assert kept["number"] == asked["number"]
    assert "is kept already" in tool.failure("audit", "anchor", "--reply", str(reply))

    report = tool.json("audit", "export", "--out", str(file))
    assert report["anchors"] == 1 and "is there already" in tool.failure("audit", "export", "--out", str(file))
    verified = json.loads(subprocess.run(
        [*tool_without_data(), "audit", "verify", str(file), "--replies", str(tmp_path), "--json"], cwd=tmp_path,
        capture_output=True, text=True, timeout=60, check=True).stdout)
    assert verified["isWhole"] and verified["anchors"][0]["hash"] == asked["hash"]
    assert authority.verifies(asked["hash"], Path(verified["anchors"][0]["file"]))
    assert not authority.verifies("00" * 32, Path(verified["anchors"][0]["file"]))

    lines = [json.loads(line) for line in file.read_text().splitlines()]
    previous = bytes.fromhex(lines[0]["previousHash"])
    for line in lines[1:-1]:
        if "anchors" in line:
            assert base64.b64decode(line["reply"]) == reply.read_bytes()
            continue
        previous = hash_of(line, previous)
        assert line["hash"] == previous.hex()
    assert previous.hex() == verified["lastHash"]


def tool_without_data() -> list[str]:
    from processes import LANYARD
    return [str(LANYARD)]


def test_what_was_touched_is_told_by_line(maple: District, tmp_path: Path) -> None:
    tool, file = maple.tool, tmp_path / "trail.jsonl"
    tool.json("person", "add", "--first-name", "Ana", "--last-name", "Lee", "--role", "staff")
    tool.json("audit", "export", "--out", str(file))
    lines = file.read_text().splitlines(keepends=True)
    assert len(lines) == 7
    for deed, number in (
        (lines[:3] + lines[4:], 4), (lines[:2] + [lines[1]] + lines[2:], 3), ([lines[0]] + lines[2:], 2),
        (lines[:-1], 7), (lines[:2] + [lines[2].replace("operator", "person:1")] + lines[3:], 3),
        ([lines[0].replace("Maple", "Oak")] + lines[1:], 1), (lines + ["\n"], 8), ([], 1),
    ):
        file.write_text("".join(deed))
        report = tool.json("audit", "verify", str(file), exit_code=1)
        assert not report["isWhole"] and report["line"] == number, report
        assert f"Line {number} " in tool.run("audit", "verify", str(file)).stdout


def test_a_part_of_the_trail(maple: District, tmp_path: Path) -> None:
    tool, file = maple.tool, tmp_path / "part.jsonl"
    assert "no entry of that time" in tool.failure("audit", "export", "--out", str(file), "--until", "2001-01-01")
    assert not file.exists() and not list(tmp_path.glob("*.partial"))
    tool.usage_error("audit", "export", "--out", str(file), "--from", "yesterday")
    assert tool.json("audit", "export", "--out", str(file), "--from", "2001-01-01")["first"] == 1
    assert "Entries 1 to 3 of Maple District are whole" in tool.text("audit", "verify", str(file))


def test_what_is_no_answer_of_an_authority(maple: District, tmp_path: Path) -> None:
    tool, authority = maple.tool, Authority(tmp_path)
    (tmp_path / "x.tsr").write_text("hello")
    assert "is no answer of a timestamp authority" in tool.failure(
        "audit", "anchor", "--reply", str(tmp_path / "x.tsr"))
    authority.openssl("ts", "-query", "-digest", "11" * 32, "-sha256", "-cert", "-out", "other.tsq")
    authority.stamp(tmp_path / "other.tsq", tmp_path / "other.tsr")
    assert "a hash that this audit trail does not have" in tool.failure(
        "audit", "anchor", "--reply", str(tmp_path / "other.tsr"))
    tool.usage_error("audit", "anchor")
