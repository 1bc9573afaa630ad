"""Apache with mod_auth_openidc, which is certified as a relying party, from Debian."""

from collections.abc import Iterator
from contextlib import contextmanager

from apache_site import apache_site, site_folder
from processes import free_port
from school import School

CONFIGURATION = """
OIDCProviderMetadataURL {base_url}/oidc/.well-known/openid-configuration
OIDCProviderTokenEndpointAuth client_secret_basic
OIDCClientID {client_id}
OIDCClientSecret {client_secret}
OIDCRedirectURI {url}/members/callback
OIDCDefaultLoggedOutURL {url}/
OIDCScope "openid profile email organization"
OIDCPKCEMethod S256
OIDCCryptoPassphrase of-this-run-alone
OIDCCookie session-{port}
OIDCStateCookiePrefix state-{port}-
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
        f"Intranet {port}", client_id, "--return-url", f"{url}/members/callback", "--sign-out-url", f"{url}/",
        "--back-channel-logout-url", f"{url}/members/callback?logout=backchannel")
    client_secret = school.tool.json("app", "client", client_id, "--secret")["clientSecret"]
    configuration = CONFIGURATION.format(
        port=port, url=url, base_url=base_url, client_id=client_id, client_secret=client_secret)
    with site_folder() as folder, apache_site(
        folder, port, module="auth_openidc", configuration=configuration, members_page=MEMBERS_PAGE,
        log=school.tool.data / f"apache-{port}.log",
    ):
        yield url
