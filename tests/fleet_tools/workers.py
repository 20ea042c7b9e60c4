"""The processes of a crawl: one alone, or the workers of a fleet. Each has a data folder and a name in the server's log."""
from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any

from real_site.crawler import Crawler, Ended, Running
from real_site.problem import Bars, Problem
from real_site.programs import run_or_fail

# Every key of config.toml that the scripts set. The User-Agent header contains the URL, and the server reads the worker's name from it.
CONFIGURATION = """\
[identity]
contact_url = "https://example.org/{name}"

[scope]
# A URL has the depth of the way on which it was found first, which is another one in each crawl.
max_depth = 1000

[politeness]
delay_ms = {delay_ms}
latency_factor = 0.0
max_retries = {retries}
retry_delay_ms = 200

[fetch]
parallel = {parallel}
allow_private_addresses = true
"""
ALONE = "alone"
# A worker that starts while no server answers says this and ends with code 1. A supervisor starts it again, and so does the script.
GAVE_UP = "no answer from Redis"
GAVE_UP_CODE = 1
RESTARTS = 30
RESTART_SECONDS = 1.0
POLL_SECONDS = 0.05
STATUS_SECONDS = 30


def configuration(name: str, delay_ms: int, retries: int = 2, parallel: int = 32, more: str = "") -> str:
    """The configuration of the worker of this name."""
    return CONFIGURATION.format(name=name, delay_ms=delay_ms, retries=retries, parallel=parallel) + more


def fleet_status(binary: Path, address: str) -> dict[str, Any]:
    """What `crawler fleet status` says of the crawl."""
    status: dict[str, Any] = json.loads(run_or_fail([str(binary), "fleet", "status", address, "--format", "json"], timeout=STATUS_SECONDS))
    return status


class Worker:
    """A process that may be killed and started again, with the same folder and command."""

    def __init__(self, name: str, crawler: Crawler, fleet: str | None = None) -> None:
        self.name = name
        self.crawler = crawler
        self.kills = 0
        self._restarts = 0
        self.running: Running | None = None
        self._fleet = fleet

    def start(self) -> None:
        """Starts it, or starts it again."""
        self.running = self.crawler.start(fleet=self._fleet)

    def kill(self) -> None:
        """`kill -9`; one that had ended by itself is a `Problem`, unless it could not start without a server."""
        assert self.running is not None
        ended = self.running.kill()
        if ended.code != -signal.SIGKILL and not self.gave_up(ended):
            raise Problem(f"{self.name} ended before it could be killed (exit code {ended.code})\n{self.running.last_lines()}")
        self.kills += 1
        self.running = None

    def gave_up(self, ended: Ended) -> bool:
        """Whether it ended because no server answered at its start."""
        assert self.running is not None
        return ended.code == GAVE_UP_CODE and GAVE_UP in self.running.last_lines()

    def look(self) -> Ended | None:
        """How it ended, `None` while it runs. As a supervisor, this starts a worker again that found no server."""
        assert self.running is not None
        ended = self.running.ended()
        if ended is None or not self.gave_up(ended) or self._restarts == RESTARTS:
            return ended
        self._restarts += 1
        print(f"  {self.name} found no server at its start, and starts again", flush=True)
        time.sleep(RESTART_SECONDS)
        self.start()
        return None

    def send(self, number: signal.Signals) -> None:
        """Sends a signal."""
        assert self.running is not None
        self.running.send(number)


class Workers:
    """The workers of a fleet; none outlives the `with` block."""

    def __init__(self, count: int, binary: Path, folder: Path, seeds: list[str], fleet: str, delay_ms: int, timeout: float,
                 parallel: int = 32, more: str = "") -> None:
        self.all = []
        self._binary = binary
        self._fleet = fleet
        for number in range(1, count + 1):
            name = f"worker-{number}"
            crawler = Crawler(binary, folder / name, "\n".join(seeds), configuration(name, delay_ms, parallel=parallel, more=more), timeout)
            self.all.append(Worker(name, crawler, fleet))

    def __enter__(self) -> Workers:
        for worker in self.all:
            worker.start()
        return self

    def __exit__(self, _kind: type[BaseException] | None, _error: BaseException | None,
                 _trace: TracebackType | None) -> None:
        for worker in self.all:
            if worker.running is not None:
                worker.running.__exit__(None, None, None)

    def wait(self, bars: Bars, seconds: float) -> None:
        """Waits until all have ended by themselves. A `Problem` names those that have not in time, and what the fleet says of itself."""
        deadline = time.monotonic() + seconds
        ends: dict[str, Ended] = {}
        while len(ends) < len(self.all):
            for worker in self.all:
                if worker.name not in ends and (ended := worker.look()) is not None:
                    ends[worker.name] = ended
            if time.monotonic() > deadline:
                raise Problem(f"no end after {seconds:.0f} s\n" + self._standing([worker for worker in self.all if worker.name not in ends]))
            time.sleep(POLL_SECONDS)
        for worker in self.all:
            ended = ends[worker.name]
            assert worker.running is not None
            print(f"  {worker.name}: exit code {ended.code}, {ended}")
            bars.check(f"{worker.name} ends by itself", ended.code == 0, f"exit code {ended.code}", worker.running.last_lines().splitlines())

    def _standing(self, unended: list[Worker]) -> str:
        """What the workers said last, and how the fleet stands."""
        said = [f"{worker.name} still runs, and said last:\n{worker.running.last_lines() if worker.running else ''}" for worker in unended]
        try:
            status = subprocess.run([str(self._binary), "fleet", "status", self._fleet], capture_output=True, text=True,
                                    timeout=STATUS_SECONDS)
            said.append(status.stdout + status.stderr)
        except (OSError, subprocess.TimeoutExpired) as error:
            said.append(f"crawler fleet status: {error}")
        return "\n".join(said)
