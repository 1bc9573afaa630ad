import os
import random
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
