from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from broker import Authority, Device, Domains, payload, profile, strings
from school import Member, OpenSchool, open_school_in
from single_sign_on.openid.extension import DOMAIN_URL, EXTENSION, MANIFEST, Extension
from single_sign_on.openid.menu import RETURN_URL, register_menu

SCOPE = "openid profile offline_access"


@pytest.fixture(scope="session")
def open_school(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenSchool]:
    with open_school_in(tmp_path_factory.mktemp("single-sign-on")) as school:
        yield school


@pytest.fixture
def start_extension(tmp_path: Path) -> Iterator[Callable[..., Extension]]:
    """Starts the extension on this test's folder of data; another start finds what the first has saved."""
    started: list[Extension] = []

    def start(**environment: str) -> Extension:
        data = tmp_path / "extension"
        data.mkdir(mode=0o700, exist_ok=True)
        started.append(Extension(data, tmp_path / "extension.log", environment))
        return started[-1]

    yield start
    for extension in started:
        if extension.process.poll() is None:
            extension.kill()
    print((tmp_path / "extension.log").read_text() if started else "")


@pytest.fixture
def extension(start_extension: Callable[..., Extension]) -> Extension:
    return start_extension()


@pytest.fixture(scope="session")
def menu(open_school: OpenSchool) -> str:
    return register_menu(open_school.school)


@pytest.fixture
def options(menu: str) -> dict:
    """What the native app asks for."""
    return {"client_id": menu, "redirect_uri": RETURN_URL, "scope": SCOPE, "state": "of-the-app"}


@pytest.fixture
def issuer(open_school: OpenSchool) -> str:
    return f"{open_school.base_url}/oidc"


@pytest.fixture
def member(open_school: OpenSchool) -> Member:
    """Somebody whom no app has seen."""
    return open_school.newcomer("managed")


@pytest.fixture
def openid_device(tmp_path: Path, authority: Authority, open_school: OpenSchool, issuer: str) -> Iterator[Device]:
    """A device with the extension, for a domain that agrees to it; its broker runs, with places of its own."""
    domains = Domains(authority, "id.acme.test")
    domains.apps["id.acme.test"] = [f"{MANIFEST['teamIdentifier']}.{MANIFEST['hostAppIdentifier']}"]
    device = Device(tmp_path / "device", authority, domains)
    device.install_extension(
        **MANIFEST | {"executable": str(EXTENSION), "associatedDomains": ["authsrv:id.acme.test"]})
    device.install_profile(profile([payload(
        "Redirect",
        strings("URLs", [DOMAIN_URL]) + f"<key>ExtensionData</key><dict><key>issuer</key><string>{issuer}</string>"
        f"<key>deviceRegistration</key><string>{open_school.base_url}/device-registration</string></dict>",
        extension=MANIFEST["extensionIdentifier"], team=MANIFEST["teamIdentifier"])]))
    with device.running():
        yield device
