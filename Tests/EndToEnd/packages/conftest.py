"""Packages that are made once for all tests of this folder, or those in the folder LANYARD_PACKAGES."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from built_packages import build, found
from layer import Layer
from processes import ROOT


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    if made := os.environ.get("LANYARD_PACKAGES"):
        return found(ROOT / made)
    if not shutil.which("dh"):
        pytest.skip("debhelper is not installed")
    return build(tmp_path_factory.mktemp("packages"))


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
