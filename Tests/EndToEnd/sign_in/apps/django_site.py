"""A Django site in one process, with its records in memory and its sessions in signed cookies."""

import sys
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

import django
from django.conf import settings as django_settings
from settings import Settings, ready


def configure(settings: Settings, **more) -> None:
    django_settings.configure(
        SECRET_KEY="of this run alone, " + settings.client_id,
        ALLOWED_HOSTS=["127.0.0.1"],
        ROOT_URLCONF="__main__",
        # Cookies know no ports, and other sites of the tests share the host.
        SESSION_COOKIE_NAME=f"session-{settings.port}",
        LOGGING={
            "version": 1,
            "disable_existing_loggers": False,
            "handlers": {"log": {"class": "logging.StreamHandler"}},
            "root": {"handlers": ["log"], "level": "WARNING"},
        },
        **({
            "SESSION_ENGINE": "django.contrib.sessions.backends.signed_cookies",
            "MIDDLEWARE": ["django.contrib.sessions.middleware.SessionMiddleware"],
        } | more))
    django.setup()


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Handler(WSGIRequestHandler):
    def log_message(self, format: str, *arguments) -> None:
        print(format % arguments, file=sys.stderr)


def serve(settings: Settings) -> None:
    from django.core.wsgi import get_wsgi_application

    server = _Server(("127.0.0.1", settings.port), _Handler)
    server.set_app(get_wsgi_application())
    ready(settings)
    server.serve_forever()
