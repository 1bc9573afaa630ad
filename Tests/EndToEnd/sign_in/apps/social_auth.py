"""An app with social-auth-core, on the strategy and the storage that every framework has to bring."""

from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from django_site import configure, serve
from settings import Settings
from social_core.backends.apple import AppleIdAuth
from social_core.exceptions import AuthException
from social_core.storage import BaseStorage, NonceMixin, UserMixin
from social_core.strategy import BaseStrategy

settings = Settings.read()


class OurApple(AppleIdAuth):
    AUTHORIZATION_URL = settings.base_url + "/auth/authorize"
    ACCESS_TOKEN_URL = settings.base_url + "/auth/token"
    JWK_URL = settings.base_url + "/auth/keys"
    ID_TOKEN_ISSUER = settings.issuer
    TOKEN_AUDIENCE = settings.issuer


class User:
    is_active = True

    def __init__(self, identity: str, details: dict):
        self.id = identity
        self.username = identity
        self.details = details


class Storage(BaseStorage):
    class user(UserMixin):
        @classmethod
        def get_social_auth(cls, provider, uid, id_key=None):
            return None

    class nonce(NonceMixin):
        unused: set[tuple] = set()

        @classmethod
        def use(cls, server_url, timestamp, salt):
            cls.unused.add((server_url, timestamp, salt))
            return True

        @classmethod
        def consume(cls, server_url, timestamp, salt):
            try:
                cls.unused.remove((server_url, timestamp, salt))
            except KeyError:
                return False
            return True


def make_user(uid: str, details: dict, response: dict, **_) -> dict:
    claims = {name: value for name, value in response.items() if not name.startswith("_")}
    return {"user": User(uid, {"details": details, "claims": claims}), "is_new": False}


class Strategy(BaseStrategy):
    SETTINGS = {
        "SOCIAL_AUTH_APPLE_ID_CLIENT": settings.client_id,
        "SOCIAL_AUTH_APPLE_ID_TEAM": settings.team_id,
        "SOCIAL_AUTH_APPLE_ID_KEY": settings.key_id,
        "SOCIAL_AUTH_APPLE_ID_SECRET": settings.key_pem,
        "SOCIAL_AUTH_APPLE_ID_SCOPE": ["name", "email"],
        "SOCIAL_AUTH_PIPELINE": [
            "social_core.pipeline.social_auth.social_details",
            "social_core.pipeline.social_auth.social_uid",
            "social_core.pipeline.social_auth.auth_allowed",
            "__main__.make_user",
        ],
    }

    def __init__(self, request: HttpRequest):
        super().__init__(Storage)
        self.request = request

    def get_setting(self, name):
        return self.SETTINGS[name]

    def get_request_data(self, merge=True):
        return self.request.GET.dict() | self.request.POST.dict()

    def request_host(self):
        return urlsplit(settings.own_url).netloc

    def build_absolute_uri(self, path=None):
        return settings.own_url + (path or "")

    def redirect(self, url):
        return HttpResponseRedirect(url)

    def html(self, content):
        return HttpResponse(content)

    def session_get(self, name, default=None):
        return self.request.session.get(name, default)

    def session_set(self, name, value):
        self.request.session[name] = value

    def session_pop(self, name):
        return self.request.session.pop(name, None)


def backend(request: HttpRequest) -> AppleIdAuth:
    return (AppleIdAuth if settings.is_original else OurApple)(Strategy(request), redirect_uri="/callback")


def log_in(request: HttpRequest) -> HttpResponse:
    return backend(request).start()


@csrf_exempt
def callback(request: HttpRequest) -> HttpResponse:
    try:
        user = backend(request).complete()
    except AuthException as error:
        return JsonResponse({"error": str(error), "kind": type(error).__name__})
    return JsonResponse({
        "id": user.id,
        "given_name": user.details["details"]["first_name"],
        "family_name": user.details["details"]["last_name"],
        "email": user.details["details"]["email"],
        "claims": user.details["claims"],
    })


urlpatterns = [path("login", log_in), path("callback", callback)]

if __name__ == "__main__":
    configure(settings)
    serve(settings)
