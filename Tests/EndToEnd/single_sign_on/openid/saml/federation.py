"""A service provider and an identity provider of SAML: Apache with mod_auth_mellon from Debian, and pysaml2."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import requests
from processes import Program, free_port, run

MODULES = ["mpm_event", "authn_core", "authz_core", "authz_user", "dir", "include", "mime", "auth_mellon"]

CONFIGURATION = """
{modules}
ServerName 127.0.0.1
Listen 127.0.0.1:{port}
ServerRoot {folder}
DefaultRuntimeDir {folder}
PidFile {folder}/pid
ErrorLog /dev/stderr
# Of no effect unless root starts it.
User www-data
Group www-data
MellonLockFile {folder}/mellon.lock

DocumentRoot {folder}/pages
DirectoryIndex index.shtml
TypesConfig /dev/null
AddType text/html .shtml
AddOutputFilter INCLUDES .shtml
<Directory {folder}/pages>
    Options +Includes
    Require all granted
</Directory>
<Location />
    MellonEndpointPath /mellon
    MellonSPPrivateKeyFile {folder}/sp-key.pem
    MellonSPCertFile {folder}/sp-cert.pem
    MellonSPMetadataFile {folder}/sp.xml
    MellonIdPMetadataFile {folder}/idp.xml
    MellonVariable mellon-{port}
</Location>
<Location /members>
    AuthType Mellon
    MellonEnable auth
    MellonUser urn:oid:2.16.840.1.113730.3.1.241
    MellonSetEnvNoPrefix DISPLAY_NAME urn:oid:2.16.840.1.113730.3.1.241
    Require valid-user
</Location>
"""

SERVICE_PROVIDER = """<?xml version="1.0"?>
<EntityDescriptor entityID="{url}/metadata" xmlns="urn:oasis:names:tc:SAML:2.0:metadata">
<SPSSODescriptor AuthnRequestsSigned="true" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
<KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>{certificate}
</X509Certificate></X509Data></KeyInfo></KeyDescriptor>
<AssertionConsumerService isDefault="true" index="0" Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST"
Location="{url}/mellon/postResponse"/>
</SPSSODescriptor></EntityDescriptor>
"""


@dataclass(frozen=True)
class Federation:
    # Of the service provider; the part for members is at /members/.
    site: str
    identity_provider: str
    # Host and port where people sign in.
    sign_in_host: str


def answers(url: str) -> bool:
    try:
        return requests.get(url, timeout=2).ok
    except requests.ConnectionError:
        return False


@contextmanager
def federation(logs: Path) -> Iterator[Federation]:
    # Not in the tests' own folder, which a server that gives up being root could not read.
    with TemporaryDirectory(prefix="lanyard-saml.") as name:
        folder = Path(name)
        folder.chmod(0o755)
        port, sign_in_port, site_port = free_port(), free_port(), free_port()
        site = f"http://127.0.0.1:{site_port}"
        for prefix in ("", "sp-"):
            run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
                "-keyout", folder / f"{prefix}key.pem", "-out", folder / f"{prefix}cert.pem").check_returncode()
        certificate = "".join((folder / "sp-cert.pem").read_text().splitlines()[1:-1])
        (folder / "sp.xml").write_text(SERVICE_PROVIDER.format(url=site, certificate=certificate))
        pages = folder / "pages" / "members"
        pages.mkdir(parents=True)
        (folder / "pages" / "index.shtml").write_text("<!doctype html><h1>For everybody</h1>")
        (pages / "index.shtml").write_text('<!doctype html><h1>Hello <!--#echo var="DISPLAY_NAME" --></h1>')
        provider = Program(
            sys.executable, Path(__file__).with_name("identity_provider.py"), folder, port, sign_in_port,
            log=logs / "identity-provider.log")
        programs = [provider]
        try:
            base = f"http://127.0.0.1:{port}"
            provider.wait_until(lambda: "ready" in provider.log_text, 30, "the identity provider is ready")
            (folder / "idp.xml").write_text(requests.get(f"{base}/metadata", timeout=10).text)
            modules = "\n".join(f"LoadModule {one}_module /usr/lib/apache2/modules/mod_{one}.so" for one in MODULES)
            (folder / "apache.conf").write_text(CONFIGURATION.format(modules=modules, port=site_port, folder=folder))
            server = Program(
                "/usr/sbin/apache2", "-f", folder / "apache.conf", "-D", "FOREGROUND", log=logs / "apache.log")
            programs.append(server)
            server.wait_until(lambda: answers(site), 30, "Apache is ready")
            yield Federation(site, base, f"127.0.0.1:{sign_in_port}")
        finally:
            for program in reversed(programs):
                print(program.log_text)
                program.stop()
