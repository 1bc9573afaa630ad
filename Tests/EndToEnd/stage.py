"""Demos that are prepared once for all tests. Tests work on copies, so that they do not affect each other."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from lanyard_tool import Tool
from plain_browser import PlainBrowser
from processes import wait_until
from scene import Scene


@cache
def new_stage(base: Path) -> Scene:
    """A demo that was started once: the district is imported, and no organization is connected."""
    scene = Scene(base / "new-stage")
    try:
        return scene.start()
    finally:
        scene.stop()


@cache
def connected_stage(base: Path) -> Scene:
    """A demo in which the administrator has connected Quizzler, and Quizzler has read the roster."""
    scene = new_stage(base).copy(base / "connected-stage")
    try:
        scene.start()
        browser = PlainBrowser()
        callback = browser.consent(f"{scene.quizzler_url}/connect", scene.account("administrator"))
        assert browser.open(callback).heading == scene.organization_name
        wait_until(scene.quizzler_has_roster, 60, "Quizzler has read the roster")
        return scene
    finally:
        scene.stop()


@contextmanager
def running(scene: Scene) -> Iterator[Scene]:
    """Runs a copy while the block runs; afterwards nothing in it may be damaged."""
    try:
        yield scene.start()
    finally:
        scene.stop()
    Tool(scene.folder).assert_whole()
