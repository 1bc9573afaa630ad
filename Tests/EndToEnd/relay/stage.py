"""A relay as docs/mail.md sets it up: Lanyard, Postfix, the verifiers, and on both sides a mail server."""

import json
import os
import pwd
import re
import shutil
import smtplib
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path

import database
import dkim
from lanyard_tool import Tool
from processes import ROOT, Program, wait_until
from relay.names import Names
from relay.post_office import PostOffice

DOMAIN = "relay.id.maple.example"
RELAY_IP, QUIZZLER_IP, HOME_IP, STRANGER_IP = "192.0.2.1", "192.0.2.10", "192.0.2.20", "192.0.2.66"
ADDRESSES = (RELAY_IP, QUIZZLER_IP, HOME_IP, STRANGER_IP)

ZONE = f"""
{DOMAIN}. IN MX 10 {DOMAIN}.
{DOMAIN}. IN A {RELAY_IP}
{DOMAIN}. IN TXT "v=spf1 a -all"
quizzler.example. IN MX 10 mx.quizzler.example.
mx.quizzler.example. IN A {QUIZZLER_IP}
quizzler.example. IN TXT "v=spf1 ip4:{QUIZZLER_IP} -all"
mail.quizzler.example. IN TXT "v=spf1 ip4:{QUIZZLER_IP} -all"
unsigned.example. IN MX 10 mx.quizzler.example.
home.example. IN MX 10 mx.home.example.
mx.home.example. IN A {HOME_IP}
home.example. IN TXT "v=spf1 ip4:{HOME_IP} -all"
rival.example. IN TXT "v=spf1 ip4:{STRANGER_IP} -all"
bounces.esp.example. IN TXT "v=spf1 ip4:{STRANGER_IP} -all"
maple.example. IN MX 10 mx.home.example.
"""


def documented(name: str) -> str:
    """A configuration file as docs/mail.md prints it."""
    text = (ROOT / "docs" / "mail.md").read_text()
    found = re.search(rf"^\*\*{re.escape(name)}\*\*.*?\n\n```\w+\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert found, name
    return found[1]


@dataclass(frozen=True)
class Account:
    person: int
    email: str
    hidden: str


class Relay:
    def __init__(self, folder: Path):
        self.folder = folder
        self.tool = Tool(folder / "data")
        self.names = Names("127.0.0.1")
        self.home = PostOffice(HOME_IP)
        self.quizzler = PostOffice(QUIZZLER_IP)
        self._stack = ExitStack()
        self._keys: dict[str, bytes] = {}

    # Setting up

    def __enter__(self) -> "Relay":
        try:
            self.folder.chmod(0o755)  # other users work in it
            self._fill()
            self.names.add(ZONE)
            for domain in ("quizzler.example", "rival.example", "home.example", "mail.quizzler.example"):
                self._make_key(domain)
            for part in (self.names, self.home, self.quizzler):
                self._stack.enter_context(part)
            (self.folder / "resolv.conf").write_text("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n")
            self.start_lanyard()
            self._start_verifiers()
            self._start_postfix()
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, *_) -> None:
        self._stack.close()
        self.tool.assert_whole()
        # pytest shows this output for a test that has failed.
        for log in (*self.folder.glob("*.log"), self.folder / "maillog", self.tool.data / "serve.log"):
            print(f"== {log.name}\n{log.read_text(errors='replace')[-6000:] if log.exists() else '-'}")

    def _fill(self) -> None:
        tool = self.tool
        tool.json("init", "--name", "Maple District", "--domain", "maple.example")
        for team in ("Quizzler Inc.", "Rival Inc."):
            tool.json("app", "team", "create", team)
        for name in ("quizzler.example", "robin@unsigned.example"):
            tool.json("app", "sender", "add", name, "--team", "Quizzler Inc.")
        tool.json("app", "sender", "add", "rival.example", "--team", "Rival Inc.")
        (tool.data / "lanyard.json").write_text(documented("lanyard.json"))

    def add_account(self, name: str, team: str = "Quizzler Inc.", managed: bool = False) -> Account:
        """A person with a hidden address. Signing up and in makes one; here it is put into the database."""
        email = f"{name}@home.example"
        place = ["--org", "Maple District"] if managed else ["--personal"]
        self.tool.json(
            "person", "add", *place, "--user-name", f"{name}@maple.example" if managed else email, "--email", email,
            "--first-name", name, "--last-name", "Ruiz", *(["--role", "staff"] if managed else []))
        [(person,)] = database.query(self.tool.file, "SELECT id FROM person WHERE email = ?", email)
        hidden = f"{name.ljust(10, '0')[:10]}@{DOMAIN}"
        database.execute(
            self.tool.file,
            """INSERT INTO hidden_address (address, team_id, person_id, created_at, changed_at)
               SELECT ?, id, ?, 0, 0 FROM team WHERE name = ?""", hidden, person, team)
        return Account(person, email, hidden)

    def set_forwarding(self, account: Account, forwards: bool) -> None:
        database.execute(
            self.tool.file, "UPDATE hidden_address SET forwards = ? WHERE address = ?", forwards, account.hidden)

    def set_email(self, account: Account, email: str) -> None:
        database.execute(self.tool.file, "UPDATE person SET email = ? WHERE id = ?", email, account.person)

    def start_lanyard(self) -> None:
        self.lanyard = ExitStack()
        self.lanyard.enter_context(self.tool.serving("--log-level", "info"))
        self._stack.callback(self.lanyard.close)
        for port in (9031, 9032, 9033):
            wait_until(lambda: _listens(port), 30, f"Lanyard listens on {port}")

    def stop_lanyard(self) -> None:
        self.lanyard.close()

    def _make_key(self, domain: str) -> None:
        private = self.folder / f"{domain}.pem"
        subprocess.run(
            ["openssl", "genrsa", "-traditional", "-out", private, "2048"], check=True, capture_output=True)
        public = subprocess.run(
            ["openssl", "rsa", "-in", private, "-pubout"], check=True, capture_output=True, text=True).stdout
        key = "".join(public.splitlines()[1:-1])
        parts = " ".join(f'"{part}"' for part in re.findall(".{1,200}", f"v=DKIM1; k=rsa; p={key}"))
        self.names.add(f"app._domainkey.{domain}. IN TXT {parts}")
        self._keys[domain] = private.read_bytes()

    def _start_verifiers(self) -> None:
        folder = self.folder / "verifiers"
        keys = folder / "dkimkeys"
        keys.mkdir(parents=True)
        subprocess.run(
            ["opendkim-genkey", f"--directory={keys}", f"--domain={DOMAIN}", "--selector=relay2026", "--bits=2048"],
            check=True)
        self.names.add("".join(
            line.partition(";  ----- ")[0] for line in (keys / "relay2026.txt").read_text().splitlines()
        ).replace("relay2026._domainkey", f"relay2026._domainkey.{DOMAIN}."))
        (folder / "nobody").touch()
        (folder / "everybody").write_text("0.0.0.0/0\n::/0\n")
        paths = {
            "/etc/opendkim/": f"{folder}/", "/etc/dkimkeys": str(keys), "/run/opendkim/": f"{folder}/",
            "/run/pyspf-milter/": f"{folder}/",
        }
        for name, file in (
            ("/etc/opendkim.conf", "verify.conf"), ("/etc/opendkim-sign.conf", "sign.conf"),
            ("/etc/pyspf-milter/pyspf-milter.conf", "spf.conf"),
        ):
            text = documented(name)
            for old, new in paths.items():
                text = text.replace(old, new)
            if file == "verify.conf":
                text += "Nameservers 127.0.0.1\n"  # it would begin at the roots of the Internet's names
            if file == "sign.conf":
                # Every folder above the key's would have to be out of others' reach; that of temporary files is not.
                text += "RequireSafeKeys no\n"
            (folder / file).write_text(text)
        for path in (folder, keys, *keys.iterdir()):
            shutil.chown(path, "opendkim", "opendkim")
        folder.chmod(0o777)
        self._verifiers = {
            8891: ["opendkim", "-f", "-x", folder / "verify.conf"],
            8892: ["opendkim", "-f", "-x", folder / "sign.conf"],
            8893: ["pyspf-milter", folder / "spf.conf"],
        }
        self.verifiers: dict[int, Program] = {}
        for port in self._verifiers:
            self.start_verifier(port)

    def start_verifier(self, port: int) -> None:
        (self.folder / "verifiers" / "pyspf-milter.pid").unlink(missing_ok=True)  # of one that was killed
        program = self._program(f"verifier-{port}", *self._verifiers[port])
        self.verifiers[port] = program
        program.wait_until(lambda: _listens(port), 30, f"a verifier listens on {port}")

    def _start_postfix(self) -> None:
        configuration, queue = self.folder / "postfix", self.folder / "queue"
        configuration.mkdir()
        queue.mkdir()
        shutil.copy("/usr/share/postfix/master.cf.dist", configuration / "master.cf")
        for name in ("postfix-files", "dynamicmaps.cf", "postfix-script", "post-install"):
            if Path("/etc/postfix", name).exists():
                shutil.copy(Path("/etc/postfix", name), configuration / name)
        data = self.folder / "postfix-data"
        data.mkdir()
        shutil.chown(data, "postfix")
        with (configuration / "master.cf").open("a") as file:
            file.write(documented("/etc/postfix/master.cf"))
        pem = self.folder / "relay.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", pem, "-out", f"{pem}.crt",
             "-subj", f"/CN={DOMAIN}"], check=True, capture_output=True)
        pem.write_text(pem.read_text() + Path(f"{pem}.crt").read_text())
        (configuration / "main.cf").write_text(
            documented("/etc/postfix/main.cf").replace("/etc/postfix/relay.pem", str(pem)) + f"""
# The places of the test.
queue_directory = {queue}
data_directory = {data}
inet_interfaces = {RELAY_IP}
inet_protocols = ipv4
smtp_bind_address = {RELAY_IP}
maillog_file = {self.folder}/maillog
maillog_file_prefixes = {self.folder}
""")
        # Postfix's own folders and libraries are not copied into its queue here.
        subprocess.run(["postconf", "-c", configuration, "-F", "*/*/chroot=n"], check=True, capture_output=True)
        self._configuration = configuration
        postfix = self._program("postfix", "/usr/sbin/postfix", "-c", configuration, "start-fg")
        self._stack.callback(
            lambda: subprocess.run(["/usr/sbin/postfix", "-c", configuration, "stop"], capture_output=True))
        postfix.wait_until(lambda: _listens(25, RELAY_IP), 30, "Postfix listens")

    @contextmanager
    def without(self, setting: str) -> Iterator[None]:
        """Postfix as it is where somebody has left a setting out."""
        file = self._configuration / "main.cf"
        whole = file.read_text()
        try:
            # Given twice, each of Postfix's programs would warn. Its logger does so too when it starts, and waits for
            # itself for ever if its own socket is full.
            others = re.sub(rf"^{setting} *=.*\n(?:[ \t].*\n)*", "", whole, flags=re.MULTILINE)
            assert others != whole
            self._configure(f"{others}\n{setting} =\n")
            yield
        finally:
            self._configure(whole)

    def _configure(self, text: str) -> None:
        former = self._readers_of_letters()
        (self._configuration / "main.cf").write_text(text)
        subprocess.run(["/usr/sbin/postfix", "-c", self._configuration, "reload"], check=True, capture_output=True, timeout=60)
        wait_until(
            lambda: not former & self._readers_of_letters(), 30, "those who still have the former settings are gone")

    def _readers_of_letters(self) -> set[str]:
        """Postfix's processes that read letters; each reads the settings when it begins."""
        [master] = (self.folder / "queue" / "pid" / "master.pid").read_text().split()
        started = set()
        for entry in Path("/proc").glob("[0-9]*"):
            with suppress(FileNotFoundError, ProcessLookupError):
                # "pid (name) state ppid …"
                _, name, _, parent, *_ = (entry / "stat").read_text().split()
                if name in ("(smtpd)", "(cleanup)") and parent == master:
                    started.add(entry.name)
        return started

    def _program(self, name: str, *arguments: str | Path) -> Program:
        """A program that sees our DNS server."""
        mounted = f"mount --bind {self.folder}/resolv.conf /etc/resolv.conf && exec \"$@\""
        program = Program(
            "unshare", "--mount", "sh", "-c", mounted, name, *arguments, log=self.folder / f"{name}.log")
        self._stack.callback(program.stop)
        if name.startswith("verifier"):
            self._stack.callback(program.process.kill)  # it keeps nothing, and takes its time
        return program

    # Writing mail

    def letter(self, sender: str, recipient: str, **headers: str) -> EmailMessage:
        message = EmailMessage()
        message["From"] = sender
        message["To"] = recipient
        message["Subject"] = "Your quiz"
        message["Date"] = "Tue, 01 Sep 2026 08:00:00 +0000"
        message["Message-ID"] = "<quiz-1@quizzler.example>"
        for name, value in headers.items():
            name = name.replace("_", "-")
            del message[name]
            message[name] = value
        message.set_content("Well done.\n")
        return message

    def signed(self, message: EmailMessage, domain: str, identity: bytes | None = None) -> bytes:
        content = message.as_bytes(policy=message.policy.clone(linesep="\r\n"))
        return dkim.sign(content, b"app", domain.encode(), self._keys[domain], identity=identity) + content

    def send(
        self, content: EmailMessage | bytes, sender: str, *recipients: str, source: str = QUIZZLER_IP
    ) -> tuple[int, str]:
        """Hands a message to the relay as somebody's mail server. The answer that decided."""
        if not isinstance(content, bytes):
            content = content.as_bytes(policy=content.policy.clone(linesep="\r\n"))
        with smtplib.SMTP(RELAY_IP, 25, local_hostname="client.example", timeout=60, source_address=(source, 0)) as smtp:
            smtp.ehlo()
            code, words = smtp.mail(sender)
            for recipient in recipients:
                if code == 250:
                    code, words = smtp.rcpt(recipient)
            if code == 250:
                code, words = smtp.data(content)
            return code, words.decode()

    # Looking

    def resolve_txt(self, name: bytes, timeout: int = 5) -> bytes:
        """For verifying signatures with our DNS server."""
        import dns.resolver

        resolver = dns.resolver.Resolver(configure=False)
        resolver.nameservers = ["127.0.0.1"]
        return b"".join(resolver.resolve(name.decode(), "TXT")[0].strings)

    @property
    def log(self) -> str:
        return (self.folder / "maillog").read_text()

    def wait_for_log(self, pattern: str, count: int = 1) -> None:
        wait_until(lambda: len(re.findall(pattern, self.log)) >= count, 30, f"{pattern} in the mail log")

    def queue(self) -> list[dict]:
        """What Postfix still holds."""
        listed = subprocess.run(
            ["postqueue", "-c", self._configuration, "-j"], capture_output=True, text=True, check=True).stdout
        return [json.loads(line) for line in listed.splitlines()]


def _listens(port: int, address: str = "127.0.0.1") -> bool:
    """Whether somebody listens, without a connection that a milter would take for a mail server's."""
    wanted = f"{address}:{port}"
    listed = subprocess.run(["ss", "-Hltn"], capture_output=True, text=True, check=True).stdout
    return any(wanted == line.split()[3] for line in listed.splitlines())


def missing_programs() -> list[str]:
    names = ("/usr/sbin/postfix", "opendkim", "opendkim-genkey", "pyspf-milter", "ip", "ss", "openssl")
    return [name for name in names if not shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin")] + [
        user for user in ("postfix", "opendkim") if not _has_user(user)]


def _has_user(name: str) -> bool:
    try:
        return bool(pwd.getpwnam(name))
    except KeyError:
        return False
