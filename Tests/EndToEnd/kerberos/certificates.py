"""A certificate authority of the tests for what Kerberos needs: a KDC, people with certificates, and servers with TLS."""

from dataclasses import dataclass
from pathlib import Path

from processes import run

# RFC 4556, 3.2.2 and 3.2.4: what a certificate is for, and the name of a principal in it.
FOR_CLIENTS = "1.3.6.1.5.2.3.4"
FOR_KDCS = "1.3.6.1.5.2.3.5"
PRINCIPAL_NAME = "1.3.6.1.5.2.2"

EXTENSIONS = """
[leaf]
basicConstraints = critical, CA:FALSE
keyUsage = digitalSignature, keyEncipherment, keyAgreement
extendedKeyUsage = {purposes}
subjectAltName = {names}
[principal]
realm = EXP:0, GeneralString:{realm}
principal_name = EXP:1, SEQUENCE:principal_parts
[principal_parts]
name_type = EXP:0, INTEGER:1
name_string = EXP:1, SEQUENCE:strings
[strings]
{strings}
"""


@dataclass(frozen=True)
class Leaf:
    certificate: Path
    key: Path

    @property
    def identity(self) -> str:
        """As krb5.conf and `kinit -X` name it."""
        return f"FILE:{self.certificate},{self.key}"

    def write_pkcs12(self, file: Path) -> None:
        """Certificate and key in one file, without a password."""
        _openssl("pkcs12", "-export", "-in", self.certificate, "-inkey", self.key, "-out", file, "-passout", "pass:")


class CertificateAuthority:
    def __init__(self, folder: Path, name: str = "Authority of the tests"):
        self.folder = folder
        self.folder.mkdir(parents=True, exist_ok=True)
        self.certificate = folder / "ca.pem"
        self._key = folder / "ca.key"
        _openssl(
            "req", "-x509", "-newkey", "rsa:2048", "-noenc", "-days", "30", "-subj", f"/CN={name}",
            "-addext", "keyUsage=critical,keyCertSign,cRLSign", "-keyout", self._key, "-out", self.certificate)

    def for_principal(self, principal: str, *, is_kdc: bool = False, days: int = 20) -> Leaf:
        """`principal` with its realm, as `ana@SCHOOL.TEST`. A KDC's is `krbtgt/SCHOOL.TEST@SCHOOL.TEST`."""
        name, _, realm = principal.partition("@")
        strings = "\n".join(f"part{number} = GeneralString:{part}" for number, part in enumerate(name.split("/")))
        return self._leaf(
            name.replace("/", "-"), days, purposes=FOR_KDCS if is_kdc else FOR_CLIENTS,
            names=f"otherName:{PRINCIPAL_NAME};SEQUENCE:principal", realm=realm, strings=strings)

    def for_host(self, host: str) -> Leaf:
        """For a server with TLS. It may also be reached as localhost and 127.0.0.1."""
        return self._leaf(
            host, 20, purposes="serverAuth", names=f"DNS:{host},DNS:localhost,IP:127.0.0.1", realm="-",
            strings="part0 = GeneralString:-")

    def for_center(self, host: str) -> Leaf:
        """For a KDC as Active Directory's usually has it: with its host's name alone, and for servers in general."""
        return self._leaf(
            f"center-{host}", 20, purposes="clientAuth, serverAuth", names=f"DNS:{host}", realm="-",
            strings="part0 = GeneralString:-")

    def _leaf(self, name: str, days: int, **values: str) -> Leaf:
        stem = self.folder / name
        leaf = Leaf(stem.with_suffix(".pem"), stem.with_suffix(".key"))
        request, extensions = stem.with_suffix(".csr"), stem.with_suffix(".cnf")
        extensions.write_text(EXTENSIONS.format(**values))
        _openssl("req", "-new", "-newkey", "rsa:2048", "-noenc", "-subj", f"/CN={name}", "-keyout", leaf.key, "-out", request)
        self.sign(request, extensions, leaf.certificate, days)
        return leaf

    def sign(self, request: Path, extensions: Path, certificate: Path, days: int = 20) -> None:
        # A certificate that has expired begins and ends in the past.
        _openssl(
            "x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self._key, "-CAcreateserial",
            "-days", str(days), "-extfile", extensions, "-extensions", "leaf", "-out", certificate)


def _openssl(*arguments: str | Path) -> None:
    done = run("openssl", *arguments)
    assert done.returncode == 0, done.stderr
