"""A service provider and an identity provider of SAML: Apache with mod_auth_mellon from Debian, and pysaml2."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import requests
from apache_site import apache_site, site_folder
from processes import Program, free_port, run

CONFIGURATION = """
MellonLockFile {folder}/mellon.lock
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
    # The URL of the service provider; its part for members is at /members/.
    site: str
    identity_provider: str
    # Host and port where people sign in.
    sign_in_host: str


@contextmanager
def federation(logs: Path) -> Iterator[Federation]:
    with site_folder() as folder:
        port, sign_in_port, site_port = free_port(), free_port(), free_port()
        for prefix in ("", "sp-"):
            run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
                "-keyout", folder / f"{prefix}key.pem", "-out", folder / f"{prefix}cert.pem").check_returncode()
        certificate = "".join((folder / "sp-cert.pem").read_text().splitlines()[1:-1])
        (folder / "sp.xml").write_text(
            SERVICE_PROVIDER.format(url=f"http://127.0.0.1:{site_port}", certificate=certificate))
        provider = Program(
            sys.executable, Path(__file__).with_name("identity_provider.py"), folder, port, sign_in_port,
            log=logs / "identity-provider.log")
        try:
            base = f"http://127.0.0.1:{port}"
            provider.wait_until(lambda: "ready" in provider.log_text, 30, "the identity provider is ready")
            (folder / "idp.xml").write_text(requests.get(f"{base}/metadata", timeout=60).text)
            with apache_site(
                folder, site_port, module="auth_mellon",
                configuration=CONFIGURATION.format(port=site_port, folder=folder),
                members_page='<!doctype html><h1>Hello <!--#echo var="DISPLAY_NAME" --></h1>', log=logs / "apache.log",
            ) as site:
                yield Federation(site, base, f"127.0.0.1:{sign_in_port}")
        finally:
            print(provider.log_text)
            provider.stop()
