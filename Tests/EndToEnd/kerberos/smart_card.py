"""A smart card in a file: a token of SoftHSM with a key, its certificate and a PIN."""

from dataclasses import dataclass
from pathlib import Path

from kerberos.certificates import Leaf
from processes import run

MODULE = Path("/usr/lib/softhsm/libsofthsm2.so")
LABEL = "School card"
PIN = "246810"
# The number of key and certificate on the card, in hexadecimal.
NUMBER = "01"


@dataclass(frozen=True)
class SmartCard:
    settings: Path
    module: Path = MODULE

    @property
    def environment(self) -> dict[str, str]:
        """Without it, SoftHSM looks for the tokens of the machine."""
        return {"SOFTHSM2_CONF": str(self.settings)}

    @property
    def identity(self) -> str:
        """As krb5.conf and `kinit -X` name the certificate."""
        return f"PKCS11:module_name={self.module}:token={LABEL}:certid={NUMBER}"

    def tool(self, *arguments: str | Path) -> str:
        """What OpenSC's `pkcs11-tool` answers."""
        done = run("env", f"SOFTHSM2_CONF={self.settings}", "pkcs11-tool", "--module", self.module, *arguments)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    @property
    def flags(self) -> set[str]:
        """What the card says of itself. After a wrong PIN, `user PIN count low` is among it, until the right one comes."""
        line, = (line for line in self.tool("--list-token-slots").splitlines() if line.strip().startswith("token flags"))
        return {flag.strip() for flag in line.partition(":")[2].split(",")}


def smart_card(folder: Path, leaf: Leaf) -> SmartCard:
    """A card with what is in the files of `leaf`. It needs no process."""
    tokens = folder / "tokens"
    tokens.mkdir(parents=True)
    settings = folder / "softhsm2.conf"
    settings.write_text(f"directories.tokendir = {tokens}\nobjectstore.backend = file\nlog.level = ERROR\n")
    card = SmartCard(settings)
    for command in (
        ("softhsm2-util", "--init-token", "--free", "--label", LABEL, "--pin", PIN, "--so-pin", "13579111"),
        ("softhsm2-util", "--import", leaf.key, "--token", LABEL, "--label", "Sign-in", "--id", NUMBER, "--pin", PIN),
    ):
        done = run("env", f"SOFTHSM2_CONF={settings}", *command)
        assert done.returncode == 0, done.stdout + done.stderr
    certificate = folder / "certificate.der"
    done = run("openssl", "x509", "-in", leaf.certificate, "-outform", "DER", "-out", certificate)
    assert done.returncode == 0, done.stderr
    card.tool(
        "--login", "--pin", PIN, "--token-label", LABEL, "--write-object", certificate, "--type", "cert", "--id", NUMBER,
        "--label", "Sign-in")
    return card
