"""The processor time of each thread of a process, as Linux counts it."""
from __future__ import annotations

import os
import time
from pathlib import Path

from .crawler import Ended, Running

SAMPLE_SECONDS = 0.02
TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


def watch_threads(process: Running) -> tuple[Ended, list[tuple[str, float]]]:
    """Waits for the end; how it went, and name and processor time in seconds of each thread that a sample saw."""
    threads: dict[str, tuple[str, float]] = {}
    while (ended := process.ended()) is None:
        threads.update(thread_times(process.pid))
        time.sleep(SAMPLE_SECONDS)
    return ended, list(threads.values())


def thread_times(pid: int) -> dict[str, tuple[str, float]]:
    """Name and processor time in seconds of each thread that the process has now, by its number."""
    times = {}
    for stat in Path(f"/proc/{pid}/task").glob("*/stat"):
        try:
            text = stat.read_text()
        except OSError:
            continue
        name, fields = text[text.index("(") + 1:text.rindex(")")], text[text.rindex(")") + 2:].split()
        times[stat.parent.name] = (name, (int(fields[11]) + int(fields[12])) / TICKS_A_SECOND)
    return times
