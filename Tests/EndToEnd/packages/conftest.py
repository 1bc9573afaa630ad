"""Packages that are made once for all tests of this folder, or those in the folder LANYARD_PACKAGES."""

import os
import shutil
from pathlib import Path

import pytest
from built_packages import build, found
from processes import ROOT


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    if made := os.environ.get("LANYARD_PACKAGES"):
        return found(ROOT / made)
    if not shutil.which("dh"):
        pytest.skip("debhelper is not installed")
    return build(tmp_path_factory.mktemp("packages"))
