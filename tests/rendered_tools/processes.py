"""The processes of a crawl and of its browsers: their memory, their processor time, and what they leave behind."""
from __future__ import annotations

import os
import signal
import threading
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

INTERVAL_SECONDS = 0.5
TICKS = os.sysconf("SC_CLK_TCK")
PIPE_FLAG = b"--remote-debugging-pipe"


@dataclass(frozen=True)
class Process:
    """A process at a moment."""

    pid: int
    parent: int
    cpu_seconds: float
    """Its own processor time, and that of its children that have ended."""


@dataclass
class Sample:
    """The memory of a crawl at a moment."""

    at: float
    crawler_bytes: int
    """The resident set of the crawler."""
    browser_bytes: int
    """The proportional set of all processes of its browsers: a page of memory that n processes share counts as one n-th for each."""
    browser_processes: int


@dataclass
class Watch:
    """Samples the processes of a crawl while the block runs."""

    pid: int
    samples: list[Sample] = field(default_factory=list)
    crawler_cpu_seconds: float = 0.0
    _browser_cpu: dict[int, float] = field(default_factory=lambda: defaultdict(float))
    _ended: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Watch:
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        return self

    def __exit__(self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None) -> None:
        self._ended.set()
        self._thread.join()

    @property
    def browser_cpu_seconds(self) -> float:
        """The processor time of all browsers, without the last interval of each."""
        return sum(self._browser_cpu.values())

    def _run(self) -> None:
        while not self._ended.wait(INTERVAL_SECONDS):
            all_of = processes()
            if self.pid not in all_of:
                continue
            # The children of the crawler are the roots of its browsers.
            cpu, memory, count = 0.0, 0, 0
            for root in [one.pid for one in all_of.values() if one.parent == self.pid]:
                tree = [root, *descendants(root, all_of)]
                cpu = sum(all_of[pid].cpu_seconds for pid in tree)
                self._browser_cpu[root] = max(self._browser_cpu[root], cpu)
                memory += sum(proportional_bytes(pid) for pid in tree)
                count += len(tree)
            self.crawler_cpu_seconds = max(self.crawler_cpu_seconds, own_cpu_seconds(self.pid))
            self.samples.append(Sample(time.monotonic(), resident_bytes(self.pid), memory, count))


def processes() -> dict[int, Process]:
    """Every process of the machine."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (fields := _stat(int(entry.name))):
            found[int(entry.name)] = Process(int(entry.name), int(fields[1]), sum(int(ticks) for ticks in fields[11:15]) / TICKS)
    return found


def descendants(pid: int, all_of: dict[int, Process]) -> list[int]:
    """The children of a process, their children, and so on."""
    children: dict[int, list[int]] = defaultdict(list)
    for one in all_of.values():
        children[one.parent].append(one.pid)
    found, work = [], [pid]
    while work:
        for child in children[work.pop()]:
            found.append(child)
            work.append(child)
    return found


def own_cpu_seconds(pid: int) -> float:
    """The processor time of a process without its children."""
    fields = _stat(pid)
    return sum(int(ticks) for ticks in fields[11:13]) / TICKS if fields else 0.0


def resident_bytes(pid: int) -> int:
    """The resident set."""
    return _kilobytes(Path(f"/proc/{pid}/status"), "VmRSS:") * 1024


def proportional_bytes(pid: int) -> int:
    """The proportional set."""
    return _kilobytes(Path(f"/proc/{pid}/smaps_rollup"), "Pss:") * 1024


def browsers(folder: Path) -> list[int]:
    """The main processes of the browsers whose profiles lie below `folder`."""
    return [pid for pid in below(folder) if PIPE_FLAG in (arguments := _arguments(pid)) and b"--type=" not in arguments and b"\0-c\0" not in arguments]


def below(folder: Path) -> list[int]:
    """Every process with `folder` on its command line, which all processes of its browsers have."""
    wanted = os.fsencode(folder)
    return [int(entry.name) for entry in Path("/proc").iterdir()
            if entry.name.isdigit() and int(entry.name) != os.getpid() and wanted in _arguments(int(entry.name))]


def is_running(pid: int) -> bool:
    """Whether the process has not ended, waited for or not."""
    fields = _stat(pid)
    return bool(fields) and fields[0] not in "ZX"


def kill(pid: int) -> bool:
    """`kill -9`; whether the process was there."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def _arguments(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _stat(pid: int) -> list[str]:
    """The fields of a process after its name, which may hold spaces: state, parent, and so on."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    except OSError:
        return []


def _kilobytes(file: Path, name: str) -> int:
    try:
        lines = file.read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith(name)), 0)
