"""A server that is killed in the middle of what it does by itself, and started again until that is done."""

import random
import time
from collections.abc import Callable

from database import assert_sound
from lanyard_tool import Tool
from processes import LANYARD, Program, wait_until

KILLS = 15
SECONDS = 60


def kill_until(
    count: str, tool: Tool, port: int, chance: random.Random, check: Callable[[], None] = lambda: None
) -> int:
    """Starts the server and kills it again until its work is done, and lets the last one do the rest; returns how often
    it was killed in the middle.

    `count` is SQL for how much is left, and `check` is called after each kill.
    """
    interrupted = 0
    deadline = time.monotonic() + SECONDS

    def left() -> int:
        [(number,)] = tool.query(count)
        return number

    for _ in range(KILLS):
        if not left() or time.monotonic() > deadline:
            break
        # Whoever looks whether the work has begun has to come before it is done, also on a busy machine.
        program = Program(
            "nice", "-n", "19", LANYARD, "serve", "--port", port, "--development", "--log-level", "warning", *tool.place(),
            log=tool.data / "killed.log")
        try:
            before = left()
            program.wait_until(lambda: left() < before, 30, "the work has begun", pause=0.001)
            time.sleep(chance.uniform(0, 0.02))
            program.kill()
        finally:
            program.stop()
        interrupted += left() > 0
        check()
    if not tool.database:
        assert_sound(tool.file)
    with tool.serving(port=port):
        wait_until(lambda: not left(), 60, "the rest is done")
    check()
    return interrupted
