"""What a crawl looks like from outside, once in some seconds."""
from __future__ import annotations

import json
import os
import time
import urllib.request
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from real_site.threads import TICKS_A_SECOND, thread_times

STATUS_TIMEOUT_SECONDS = 60
# The stage of a thread by the start of its name.
STAGES = {"parse": "interpret", "recorder": "recorder", "commit": "commit", "tokio": "network", "sled": "database"}
FRONTIER = "frontier and others"


@dataclass(frozen=True)
class Sample:
    """One moment of a crawl. Counts are those since the start of the crawl, times in seconds, sizes in bytes."""

    seconds: float
    cpu: float
    """Processor time of the process."""
    server_cpu: float
    """Processor time of the web."""
    requests: int
    pages: int
    """Pages with a verdict."""
    kept: int
    known: int
    """URLs, fetched or not."""
    queued: int
    memory: int
    """Resident."""
    state: int
    archive: int
    index: int
    """Of the archive."""
    stages: dict[str, float]
    """Processor time by stage."""

    @property
    def folder(self) -> int:
        """The size of the data folder."""
        return self.state + self.archive + self.index


class Watch:
    """Looks at a process, its status and its data folder."""

    def __init__(self, pid: int, status_port: int, data: Path, server: int) -> None:
        self._pid, self._data, self._server = pid, data, server
        self._status = f"http://127.0.0.1:{status_port}/status.json"
        self._start = time.monotonic()

    def status(self) -> dict[str, Any] | None:
        """What the status server says; `None` if it does not answer yet."""
        try:
            with urllib.request.urlopen(self._status, timeout=STATUS_TIMEOUT_SECONDS) as answer:
                found: dict[str, Any] = json.load(answer)
                return found
        except (OSError, ValueError):
            return None

    def look(self) -> Sample | None:
        """A sample, if the process lives and its status server answers."""
        status = self.status()
        if status is None:
            return None
        counts, stages = status["counts"], Counter[str]()
        for name, seconds in thread_times(self._pid).values():
            stages[next((stage for start, stage in STAGES.items() if name.startswith(start)), FRONTIER)] += seconds
        try:
            cpu, memory = processor_seconds(self._pid), resident_bytes(self._pid)
        except OSError:
            return None
        return Sample(time.monotonic() - self._start, cpu, processor_seconds(self._server), status["run"]["requests"],
                      counts["fetched"], counts["kept"], counts["discovered"], counts["queued"], memory, *sizes(self._data), dict(stages))


def processor_seconds(pid: int) -> float:
    """Of all threads, also those that have ended."""
    stat = Path(f"/proc/{pid}/stat").read_text()
    fields = stat[stat.rindex(")") + 2:].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_A_SECOND


def resident_bytes(pid: int) -> int:
    """Resident memory."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def sizes(data: Path) -> tuple[int, int, int]:
    """Bytes on disk of state, archive, and index of the archive."""
    archive = index = 0
    state = sum(_bytes(path) for path in (data / "state").rglob("*"))
    for path in (data / "warc").glob("*"):
        if path.suffix == ".cdxj":
            index += _bytes(path)
        else:
            archive += _bytes(path)
    return state, archive, index


def _bytes(path: Path) -> int:
    try:
        # What is reserved and not yet written takes no place.
        return path.stat().st_blocks * 512
    except OSError:
        return 0
