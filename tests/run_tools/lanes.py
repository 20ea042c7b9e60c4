"""Runs jobs in lanes: each lane runs one job at a time."""
from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .jobs import Job


@dataclass
class Outcome:
    """How a job ended, and what it printed."""
    job: Job
    code: int
    seconds: float
    said: str


class Lanes:
    """Jobs that wait, and jobs that run. What a job prints goes to a file of its own and is shown in one piece when the job has ended."""

    def __init__(self, waiting: list[Job], logs: Path) -> None:
        self._waiting = list(waiting)
        self._logs = logs
        self._in_use: set[str] = set()
        self._changed = threading.Condition()
        self._running: list[subprocess.Popen[bytes]] = []
        self._outcomes: list[Outcome] = []

    def run(self, count: int) -> list[Outcome]:
        """Runs all jobs in so many lanes; the outcomes in the order of their ends."""
        lanes = [threading.Thread(target=self._lane, daemon=True) for _ in range(count)]
        for lane in lanes:
            lane.start()
        try:
            for lane in lanes:
                lane.join()
        except BaseException:
            self._stop()
            raise
        return self._outcomes

    def _lane(self) -> None:
        while (job := self._next()) is not None:
            outcome = self._run(job)
            with self._changed:
                self._in_use.discard(job.uses)
                self._outcomes.append(outcome)
                show(outcome)
                self._changed.notify_all()

    def _next(self) -> Job | None:
        """The first job that waits and uses nothing that is in use. It waits where there is none now."""
        with self._changed:
            while self._waiting:
                for place, job in enumerate(self._waiting):
                    if job.uses and job.uses in self._in_use:
                        continue
                    if job.uses:
                        self._in_use.add(job.uses)
                    print(f"== started: {job.name}", flush=True)
                    return self._waiting.pop(place)
                self._changed.wait()
            return None

    def _run(self, job: Job) -> Outcome:
        return run_logged(job, job.command, self._logs, self._running.append)

    def _stop(self) -> None:
        with self._changed:
            self._waiting.clear()
        for process in self._running:
            if process.poll() is None:
                process.terminate()
        for process in self._running:
            process.wait()


def run_logged(job: Job, command: list[str], logs: Path, started: Callable[[subprocess.Popen[bytes]], None]) -> Outcome:
    """Runs a command with its output in a file that is named for the job."""
    start = time.monotonic()
    log = logs / f"{job.name.replace(' ', '_')}.log"
    with log.open("wb") as sink:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=sink, stderr=subprocess.STDOUT)
        started(process)
        code = process.wait()
    return Outcome(job, code, time.monotonic() - start, log.read_text(errors="replace"))


def show(outcome: Outcome) -> None:
    """Prints what a job has printed, and how it ended."""
    job = outcome.job
    print(f"\n== {job.name}: {' '.join(job.command)}\n{outcome.said.rstrip()}")
    end = "passed" if outcome.code == 0 else f"FAILED with exit code {outcome.code}"
    print(f"== {job.name} {end} after {outcome.seconds:.0f} s\n", flush=True)
