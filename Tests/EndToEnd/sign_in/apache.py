"""Apache with mod_auth_openidc, which is certified as a relying party, from Debian: a private one on a free port."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import requests
from processes import Program, free_port
from school import School

MODULES = ["mpm_event", "authn_core", "authz_core", "authz_user", "dir", "include", "mime", "auth_openidc"]

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
AddDefaultCharset utf-8
# A client that thinks for five seconds would find its connection closed under its next request.
KeepAlive Off

OIDCProviderMetadataURL {base_url}/oidc/.well-known/openid-configuration
OIDCProviderTokenEndpointAuth client_secret_basic
OIDCClientID {client_id}
OIDCClientSecret {client_secret}
OIDCRedirectURI {url}/members/callback
OIDCDefaultLoggedOutURL {url}/
OIDCScope "openid profile email"
OIDCPKCEMethod S256
OIDCCryptoPassphrase of-this-run-alone
OIDCCookie session-{port}
OIDCStateCookiePrefix state-{port}-

DocumentRoot {folder}/pages
DirectoryIndex index.shtml
TypesConfig /dev/null
AddType text/html .shtml
AddOutputFilter INCLUDES .shtml
<Directory {folder}/pages>
    Options +Includes
    Require all granted
</Directory>
<Location /members>
    AuthType openid-connect
    Require valid-user
</Location>
"""

MEMBERS_PAGE = """<!doctype html>
<h1>Hello <!--#echo var="OIDC_CLAIM_name" --></h1>
<p><!--#echo var="OIDC_CLAIM_email" --></p>
<p><!--#echo var="OIDC_CLAIM_sub" --></p>
<p><!--#echo var="OIDC_CLAIM_org_id" --></p>
"""


@contextmanager
def apache(school: School, base_url: str) -> Iterator[str]:
    """Registers the site and runs it; its address. The part for members is at /members/."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    client_id = f"com.example.intranet.on-{port}"
    school.register(
        f"Intranet {port}", client_id, "--return-url", f"{url}/members/callback", "--sign-out-url", f"{url}/")
    client_secret = school.tool.json("app", "client", client_id, "--secret")["clientSecret"]
    # Not in the tests' own folder, which a server that gives up being root could not read.
    with TemporaryDirectory(prefix="lanyard-apache.") as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "pages" / "members").mkdir(parents=True)
        (folder / "pages" / "index.shtml").write_text("<!doctype html>\n<h1>For everybody</h1>\n")
        (folder / "pages" / "members" / "index.shtml").write_text(MEMBERS_PAGE)
        file = school.tool.data / f"{client_id}.conf"
        modules = "\n".join(f"LoadModule {one}_module /usr/lib/apache2/modules/mod_{one}.so" for one in MODULES)
        file.write_text(CONFIGURATION.format(
            modules=modules, port=port, folder=folder, url=url, base_url=base_url, client_id=client_id,
            client_secret=client_secret))
        server = Program(
            "/usr/sbin/apache2", "-f", file, "-D", "FOREGROUND", log=school.tool.data / f"{client_id}.log")
        try:
            server.wait_until(lambda: answers(url), 30, "Apache is ready")
            yield url
        finally:
            print(server.log_text)
            server.stop()


def answers(url: str) -> bool:
    try:
        return requests.get(url, timeout=2).ok
    except requests.ConnectionError:
        return False
