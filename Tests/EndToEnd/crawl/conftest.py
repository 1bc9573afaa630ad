from collections.abc import Iterator

import pytest
from foreign_client import PRODUCTION_SCOPES, Connect, ForeignClient
from plain_browser import PlainBrowser
from scene import RegisteredApp, Scene, Server
from stage import new_stage


@pytest.fixture(scope="session", autouse=True)
def plain_http() -> Iterator[None]:
    """Authlib refuses http addresses unless it is told otherwise."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUTHLIB_INSECURE_TRANSPORT", "1")
        yield


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    """The data of a demo, which is not running: nobody plays the app but the tests."""
    return new_stage(tmp_path_factory.getbasetemp()).copy(tmp_path_factory.mktemp("crawl") / "demo")


@pytest.fixture(scope="module")
def server(scene: Scene) -> Iterator[Server]:
    server = Server(scene.folder)
    try:
        yield server.start()
    finally:
        server.stop()


@pytest.fixture(scope="module")
def connect(scene: Scene, server: Server) -> Connect:
    """Makes a client that has gone all the way: authorize, sign in, allow, exchange."""

    def connect(
        app: RegisteredApp = scene.app, scope: str = PRODUCTION_SCOPES, role: str = "administrator"
    ) -> ForeignClient:
        client = ForeignClient(server.base_url, app)
        callback = PlainBrowser().consent(client.authorize_url(scope), scene.account(role))
        client.exchange(callback)
        return client

    return connect


@pytest.fixture(scope="module")
def client(connect: Connect) -> ForeignClient:
    return connect()
