"""A Django site that lets people in with django-allauth's provider `apple`."""

import sys
from pathlib import Path

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import include, path
from django_site import configure, serve
from settings import Settings

settings = Settings.read()


def home(request: HttpRequest) -> HttpResponse:
    """Who is signed in."""
    if not request.user.is_authenticated:
        return JsonResponse({"error": "nobody is signed in"})
    known = request.user.socialaccount_set.get()
    return JsonResponse({
        "id": known.uid,
        "given_name": request.user.first_name,
        "family_name": request.user.last_name,
        "email": request.user.email,
        "verified_addresses": list(
            request.user.emailaddress_set.filter(verified=True).values_list("email", flat=True)),
        "claims": known.extra_data,
        "accounts": type(known).objects.count(),
    })


# Filled in when Django is set up, which `include` needs.
urlpatterns: list = []


def point_to_lanyard() -> None:
    """Everything that tells it from a site for the service that it was written for."""
    from allauth.socialaccount.internal import jwtkit
    from allauth.socialaccount.providers.apple.views import AppleOAuth2Adapter

    AppleOAuth2Adapter.access_token_url = settings.base_url + "/auth/token"
    AppleOAuth2Adapter.authorize_url = settings.base_url + "/auth/authorize"
    AppleOAuth2Adapter.public_key_url = settings.base_url + "/auth/keys"
    AppleOAuth2Adapter.get_verified_identity_data = classmethod(
        lambda cls, provider, token: jwtkit.verify_and_decode(
            credential=token, keys_url=cls.public_key_url, issuer=settings.issuer, audience=provider.get_auds(),
            lookup_kid=jwtkit.lookup_kid_jwk))


if __name__ == "__main__":
    configure(
        settings,
        DATABASES={"default": {
            "ENGINE": "django.db.backends.sqlite3", "NAME": Path(sys.argv[1]).with_suffix(".sqlite"),
            "OPTIONS": {"timeout": 20},
        }},
        SESSION_ENGINE="django.contrib.sessions.backends.db",
        INSTALLED_APPS=[
            "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions",
            "django.contrib.messages", "allauth", "allauth.account", "allauth.socialaccount",
            "allauth.socialaccount.providers.apple",
        ],
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.middleware.csrf.CsrfViewMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
            "django.contrib.messages.middleware.MessageMiddleware",
            "allauth.account.middleware.AccountMiddleware",
        ],
        TEMPLATES=[{
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "APP_DIRS": True,
            "OPTIONS": {"context_processors": [
                "django.template.context_processors.request", "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]},
        }],
        AUTHENTICATION_BACKENDS=["allauth.account.auth_backends.AuthenticationBackend"],
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        USE_TZ=True,
        LOGIN_REDIRECT_URL="/",
        ACCOUNT_EMAIL_VERIFICATION="none",
        SOCIALACCOUNT_LOGIN_ON_GET=True,
        SOCIALACCOUNT_QUERY_EMAIL=True,
        SOCIALACCOUNT_PROVIDERS={"apple": {"APPS": [{
            "client_id": settings.client_id,
            "secret": settings.key_id,
            "key": settings.team_id,
            "settings": {"certificate_key": settings.key_pem},
        }]}},
    )
    from django.core.management import call_command

    urlpatterns += [path("", home), path("accounts/", include("allauth.urls"))]
    call_command("migrate", verbosity=0)
    if not settings.is_original:
        point_to_lanyard()
    serve(settings)
