"""A program in a terminal of its own, as a person sits before it."""

import os
import pty
import re
import select
import signal
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from processes import PATIENCE, ROOT, wait_until


class TerminalProgram:
    def __init__(self, process: int, terminal: int):
        self.process = process
        self._terminal = terminal
        self.output = ""
        self._read = 0
        self.exit_code: int | None = None

    def expect(self, pattern: str, timeout: float = 20) -> str:
        """Waits until the pattern shows behind what was expected before, and returns everything up to its end."""
        deadline = time.monotonic() + timeout * PATIENCE
        while not (found := re.compile(pattern).search(self.output, self._read)):
            if not self._receive(deadline - time.monotonic()):
                raise AssertionError(f"{pattern!r} does not show: {self.output[self._read:]!r}")
        text = self.output[self._read:found.end()]
        self._read = found.end()
        return text

    def _receive(self, timeout: float) -> bool:
        if timeout <= 0 or not select.select([self._terminal], [], [], timeout)[0]:
            return False
        try:
            data = os.read(self._terminal, 65536)
        except OSError:
            # The last process has closed its side.
            return False
        self.output += data.decode(errors="replace")
        return bool(data)

    def type(self, text: str) -> None:
        os.write(self._terminal, text.encode())

    @property
    def shows_input(self) -> bool:
        return bool(termios.tcgetattr(self._terminal)[3] & termios.ECHO)

    def wait_until_input_is_hidden(self) -> None:
        wait_until(lambda: not self.shows_input, 10, "the input is hidden", pause=0.01)

    def end(self, timeout: float = 20) -> int:
        """The exit code; 128 and its number for a signal."""
        deadline = time.monotonic() + timeout * PATIENCE
        while self._receive(max(0.01, deadline - time.monotonic())):
            pass
        while self.exit_code is None:
            process, status = os.waitpid(self.process, os.WNOHANG)
            if process:
                code = os.waitstatus_to_exitcode(status)
                self.exit_code = code if code >= 0 else 128 - code
            elif time.monotonic() > deadline:
                raise AssertionError(f"it does not end: {self.output!r}")
            else:
                time.sleep(0.01)
        return self.exit_code


@contextmanager
def in_terminal(*words: str | Path, environment: dict[str, str]) -> Iterator[TerminalProgram]:
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(ROOT)
        # A shell that runs tests in the background ignores some signals, and programs inherit that.
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
            signal.signal(number, signal.SIG_DFL)
        os.execvpe(str(words[0]), [str(word) for word in words], environment | {"TERM": "xterm", "SWIFT_BACKTRACE": "enable=no"})
    program = TerminalProgram(process, terminal)
    # A second handle keeps the terminal's settings in reach after the program's end.
    try:
        yield program
    finally:
        if program.exit_code is None:
            try:
                os.kill(process, signal.SIGKILL)
                os.waitpid(process, 0)
            except (ProcessLookupError, ChildProcessError):
                pass
        os.close(terminal)
