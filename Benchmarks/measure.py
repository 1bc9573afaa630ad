"""The costs of a process, from the kernel's accounting."""

import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Cost:
    """Wall clock and CPU time in seconds, and the peak resident memory in MiB."""

    wall: float
    cpu: float
    peak: float


def run(command, stdin=None, cwd=None, env=None, check=True) -> Cost:
    """Runs a command to its end, and discards its output."""
    start = time.perf_counter()
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        cwd=cwd,
        env=env,
    )
    if stdin:
        process.stdin.write(stdin.encode())
        process.stdin.close()
    problem = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    code = os.waitstatus_to_exitcode(status)
    process.returncode = code
    if check and code != 0:
        raise RuntimeError(f"{command}: exit code {code}\n{problem.decode()}")
    return Cost(time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def cpu_seconds(pid: int) -> float:
    """CPU time of a running process so far, in seconds, of all its threads, to the nanosecond."""
    # The clock of a process, as clock_getcpuclockid(3) makes it of the process id. /proc counts in hundredths of a second.
    return time.clock_gettime(~pid << 3 | 2)


def resident(pid: int, peak: bool = False) -> float:
    """Resident memory in MiB, current or peak."""
    key = "VmHWM" if peak else "VmRSS"
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(key):
            return int(line.split()[1]) / 1024
    raise RuntimeError(f"no {key} for {pid}")
