import os
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from scene import Scene, Server
from stage import new_stage


@pytest.fixture
def scene(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Scene:
    """The data of a demo that is not running."""
    return new_stage(tmp_path_factory.getbasetemp()).copy(tmp_path / "demo")


@pytest.fixture
def server(scene: Scene) -> Iterator[Server]:
    server = Server(scene.folder)
    try:
        yield server.start()
    finally:
        server.stop()


@pytest.fixture
def chance() -> random.Random:
    """Decides when to strike. A failure prints the seed; LANYARD_SEED repeats it."""
    seed = int(os.environ.get("LANYARD_SEED", random.randrange(1_000_000)))
    print(f"LANYARD_SEED={seed}")
    return random.Random(seed)


@pytest.fixture
def small_disk(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A file system of 4 MiB, or of as much as a test says."""
    size = getattr(request, "param", "4m")
    folder = tmp_path / "small-disk"
    folder.mkdir()
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small file system")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "lanyard-test", str(folder)], capture_output=True, text=True)
    if mounted.returncode != 0:
        pytest.skip(f"a small file system cannot be mounted here: {mounted.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
