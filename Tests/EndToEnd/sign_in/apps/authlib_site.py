"""A Django site with Authlib's own client, configured by nothing but the discovery document."""

import time

import requests
from authlib.integrations.django_client import OAuth
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from django_site import configure, serve
from joserfc import jwt
from joserfc.jwk import ECKey
from settings import Settings

settings = Settings.read()
oauth = OAuth()
refresh_tokens: list[str] = []


def client_secret() -> str:
    now = int(time.time())
    return jwt.encode(
        {"alg": "ES256", "kid": settings.key_id},
        {"iss": settings.team_id, "iat": now, "exp": now + 3600, "aud": settings.issuer, "sub": settings.client_id},
        ECKey.import_key(settings.key_pem))


def log_in(request: HttpRequest) -> HttpResponse:
    return oauth.apple.authorize_redirect(request, settings.own_url + "/callback")


@csrf_exempt
def callback(request: HttpRequest) -> HttpResponse:
    # The client looks for errors in queries alone.
    if "error" in request.POST:
        return JsonResponse({"error": request.POST["error"]})
    token = oauth.apple.authorize_access_token(request)
    refresh_tokens.append(token["refresh_token"])
    person = token["userinfo"]
    return JsonResponse({
        "id": person["sub"], "email": person.get("email"), "user": request.POST.get("user"), "claims": person,
    })


def forget(request: HttpRequest) -> HttpResponse:
    """Gives up what the last person allowed, as an app must when an account is deleted there."""
    answer = requests.post(
        settings.base_url + "/auth/revoke", timeout=60,
        data={
            "client_id": settings.client_id, "client_secret": client_secret(), "token": refresh_tokens.pop(),
            "token_type_hint": "refresh_token",
        })
    return JsonResponse({"status": answer.status_code, "body": answer.text})


urlpatterns = [path("login", log_in), path("callback", callback), path("forget", forget)]

if __name__ == "__main__":
    configure(settings)
    oauth.register(
        "apple",
        client_id=settings.client_id,
        client_secret=client_secret(),
        server_metadata_url=settings.base_url + "/.well-known/openid-configuration",
        authorize_params={"response_mode": "form_post"},
        client_kwargs={"scope": "openid name email", "token_endpoint_auth_method": "client_secret_post"})
    serve(settings)
