"""Packages that are made once for all tests of this folder, or those in the folder LANYARD_PACKAGES."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from built_packages import build, found, with_version
from layer import Layer
from name_server import NameServer
from processes import ROOT


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    if made := os.environ.get("LANYARD_PACKAGES"):
        return found(ROOT / made)
    if not shutil.which("dh"):
        pytest.skip("debhelper is not installed")
    return build(tmp_path_factory.mktemp("packages"))


@pytest.fixture(scope="module")
def name_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NameServer]:
    """Knows of no server, and is asked in place of those of this machine."""
    server = NameServer(tmp_path_factory.mktemp("names"), "maple.example").start()
    yield server
    server.stop()


@pytest.fixture
def layer(tmp_path: Path) -> Iterator[Layer]:
    layer = Layer(tmp_path)
    yield layer
    layer.stop()


@pytest.fixture
def lanyard(packages: dict[str, Path]) -> Path:
    return packages["lanyard"]


@pytest.fixture
def lanyard_sso(packages: dict[str, Path]) -> Path:
    return packages["lanyard-sso"]


@pytest.fixture
def older_lanyard(lanyard: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package for servers of an earlier commit."""
    return older(lanyard, tmp_path_factory)


@pytest.fixture
def older_lanyard_sso(lanyard_sso: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package for devices of an earlier commit."""
    return older(lanyard_sso, tmp_path_factory)


def older(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package's predecessor: from the folder LANYARD_OLDER_PACKAGES, or else the same files under an earlier version."""
    if made := os.environ.get("LANYARD_OLDER_PACKAGES"):
        return found(ROOT / made)[package.name.partition("_")[0]]
    return with_version("0.0.1", package, tmp_path_factory.mktemp("older"))
