"""Django OAuth Toolkit as a provider of OpenID Connect, in one file.

`python -m django_provider migrate` makes the tables, a person and a client; `codes N` prints codes to redeem;
`django_provider:application` is the service.
"""

import os
import secrets
import sys
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.urls import include, path

folder = Path(os.environ["PROVIDER_FOLDER"])
return_url = os.environ["PROVIDER_RETURN_URL"]

settings.configure(
    SECRET_KEY=secrets.token_hex(),
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF=__name__,
    USE_TZ=True,
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "oauth2_provider"],
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": folder / "django.sqlite",
            "CONN_MAX_AGE": None,
            "OPTIONS": {
                "transaction_mode": "IMMEDIATE",
                "timeout": 20,
                "init_command": "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL",
            },
        }
    },
    OAUTH2_PROVIDER={
        "OIDC_ENABLED": True,
        "OIDC_RSA_PRIVATE_KEY": (folder / "key.pem").read_text(),
        "SCOPES": {"openid": "OpenID Connect"},
        "PKCE_REQUIRED": False,
    },
)
application = get_wsgi_application()
urlpatterns = [path("o/", include("oauth2_provider.urls", namespace="oauth2_provider"))]


def migrate():
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from oauth2_provider.models import Application

    call_command("migrate", verbosity=0)
    Application.objects.create(
        user=User.objects.create_user("person"), client_id=os.environ["PROVIDER_CLIENT"], client_secret="secret",
        hash_client_secret=False, client_type="confidential", authorization_grant_type="authorization-code",
        redirect_uris=return_url, algorithm="RS256",
    )


def codes(count: int):
    from django.utils import timezone
    from oauth2_provider.models import Application, Grant

    application = Application.objects.get()
    expires = timezone.now() + timedelta(hours=1)
    made = Grant.objects.bulk_create(
        Grant(
            user=application.user, application=application, code=secrets.token_urlsafe(30), expires=expires,
            redirect_uri=return_url, scope="openid", nonce="abc", claims="{}",
        )
        for _ in range(count)
    )
    print("\n".join(grant.code for grant in made))


if __name__ == "__main__":
    if sys.argv[1] == "migrate":
        migrate()
    else:
        codes(int(sys.argv[2]))
