"""Kills and stops at random moments, and web servers that answer no faster than the workers join and the faults happen."""
from __future__ import annotations

import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from real_site.problem import Problem

from .redis_servers import RedisServers
from .requests import HOST_FILES, Sleep, Trouble
from .server import Request
from .workers import Worker, Workers

KILL, SLEEP, PRIMARY, STOP = "kill -9 of a worker", "SIGSTOP of a worker", "kill -9 of a primary", "SIGSTOP of every server"
# Pause between two faults of one thread.
PAUSE_SECONDS = 0.5, 2.5
# A killed worker starts again after this time. One in so many starts again when its lease has run out.
RESTART_SECONDS = 0.0, 2.0
LATE_RESTARTS = 4
# A stopped worker sleeps for so much longer than its lease.
OVERSLEEP_SECONDS = 1.0, 5.0
HOLD_POLL_SECONDS = 0.1
GATHERING_SECONDS = 1.0
JOIN_SECONDS = 600


@dataclass(frozen=True)
class Plan:
    """How many faults of each kind."""

    kills: int
    primary_kills: int
    stops: int
    sleeps: int
    lease_seconds: float
    stop_seconds: float

    @property
    def total(self) -> int:
        """All faults."""
        return self.kills + self.primary_kills + self.stops + self.sleeps


class Gathering:
    """Holds each answer back for a second until every worker has asked.

    The worker that joins first has all hosts, and gives them up as the others join: without this, it might be done before.
    """

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._seen: set[str] = set()

    def hold(self, request: Request) -> float:
        """Seconds that the answer still waits."""
        self._seen.add(request.worker)
        left = request.began + GATHERING_SECONDS - time.monotonic()
        return min(HOLD_POLL_SECONDS, left) if len(self._seen) < self._workers and left > 0 else 0.0


class Pace:
    """Holds answers back while the crawl is further than the faults, so that all faults hit it.

    No answer is held for longer than half a lease. So a request that began under a lease has ended when another worker may ask.
    """

    def __init__(self, requests: int, faults: int, longest_hold: float) -> None:
        self._requests = requests
        self._faults = faults
        self._longest_hold = longest_hold
        self._asked: set[tuple[str, str]] = set()
        self.faults_done = 0

    def hold(self, request: Request) -> float:
        """Seconds that the answer still waits."""
        if request.path in HOST_FILES or self.faults_done >= self._faults:
            return 0.0
        self._asked.add(request.url_path)
        is_ahead = len(self._asked) / self._requests > self.faults_done / self._faults
        left = request.began + self._longest_hold - time.monotonic()
        return min(HOLD_POLL_SECONDS, left) if is_ahead and left > 0 else 0.0


class Faults:
    """Disturbs a fleet: one thread its workers, another its servers. `join` when they are done."""

    def __init__(self, plan: Plan, workers: Workers, servers: RedisServers, pace: Pace, seed: int) -> None:
        self.sleeps: list[Sleep] = []
        self.stops: list[tuple[float, float]] = []
        self.troubles: list[Trouble] = []
        self._plan = plan
        self._workers = workers
        self._servers = servers
        self._pace = pace
        self._lock = threading.Lock()
        self._busy: set[str] = set()
        """Workers that are down or asleep."""
        self._later: list[threading.Timer] = []
        self._problems: list[BaseException] = []
        of_workers = [KILL] * plan.kills + [SLEEP] * plan.sleeps
        of_servers = [PRIMARY] * plan.primary_kills + [STOP] * plan.stops
        self._threads = []
        for number, faults in enumerate((of_workers, of_servers)):
            chance = random.Random(seed * 2 + number)
            chance.shuffle(faults)
            self._threads.append(threading.Thread(target=self._play, args=(faults, chance), daemon=True))

    def start(self) -> None:
        """Begins with the faults."""
        for thread in self._threads:
            thread.start()

    def join(self) -> None:
        """Until every fault has happened and every worker runs again; a fault that could not be made is a `Problem`."""
        for thread in self._threads:
            thread.join(JOIN_SECONDS)
        for timer in self._later:
            timer.join(JOIN_SECONDS)
        self._pace.faults_done = self._plan.total
        if self._problems:
            raise self._problems[0]
        if any(thread.is_alive() for thread in self._threads):
            raise Problem(f"the faults did not end in {JOIN_SECONDS} s")

    def _play(self, faults: list[str], chance: random.Random) -> None:
        try:
            for fault in faults:
                time.sleep(chance.uniform(*PAUSE_SECONDS))
                if self._problems:
                    return
                self._fault(fault, chance)
                self._pace.faults_done += 1
        except BaseException as problem:  # It is raised again by `join`, in the thread of the script.
            self._problems.append(problem)

    def _fault(self, fault: str, chance: random.Random) -> None:
        began = time.monotonic()
        if fault == PRIMARY:
            port = self._servers.kill_primary(chance)
            self._note(fault, f"at port {port}; its replica took over, and it came back after {time.monotonic() - began:.1f} s", began)
        elif fault == STOP:
            stopped, went_on = self._servers.stop(self._plan.stop_seconds)
            self.stops.append((stopped, went_on))
            self._note(fault, f"for {went_on - stopped:.1f} s", began)
        elif fault == KILL:
            self._kill(self._choose(chance), chance)
        else:
            self._put_to_sleep(self._choose(chance), chance)

    def _choose(self, chance: random.Random) -> Worker:
        """A worker that runs; it is busy from now on."""
        deadline = time.monotonic() + JOIN_SECONDS
        while time.monotonic() < deadline:
            with self._lock:
                awake = [worker for worker in self._workers.all if worker.name not in self._busy]
                if awake:
                    worker = chance.choice(awake)
                    self._busy.add(worker.name)
                    return worker
            time.sleep(HOLD_POLL_SECONDS)
        raise Problem("no worker runs")

    def _kill(self, worker: Worker, chance: random.Random) -> None:
        began = time.monotonic()
        worker.kill()
        is_late = chance.randrange(LATE_RESTARTS) == 0
        pause = self._plan.lease_seconds * 1.2 + 1.0 if is_late else chance.uniform(*RESTART_SECONDS)

        def restart() -> None:
            worker.start()
            self._note(KILL, f"{worker.name} starts again after {pause:.1f} s", began)

        self._after(pause, restart, worker)

    def _put_to_sleep(self, worker: Worker, chance: random.Random) -> None:
        seconds = self._plan.lease_seconds + chance.uniform(*OVERSLEEP_SECONDS)
        began = time.monotonic()
        worker.send(signal.SIGSTOP)

        def wake() -> None:
            self.sleeps.append(Sleep(worker.name, began, time.monotonic()))
            worker.send(signal.SIGCONT)
            self._note(SLEEP, f"{worker.name} for {seconds:.1f} s", began)

        self._after(seconds, wake, worker)

    def _after(self, seconds: float, act: Callable[[], None], worker: Worker) -> None:
        def act_and_free() -> None:
            try:
                act()
            except BaseException as problem:
                self._problems.append(problem)
            finally:
                with self._lock:
                    self._busy.discard(worker.name)

        timer = threading.Timer(seconds, act_and_free)
        timer.daemon = True
        self._later.append(timer)
        timer.start()

    def _note(self, fault: str, what: str, began: float) -> None:
        with self._lock:
            self.troubles.append(Trouble(fault, began, time.monotonic()))
            number = len(self.troubles)
        print(f"fault {number}: {fault}: {what}", flush=True)

    def counted(self) -> str:
        """The number of faults of each kind."""
        counts = Counter(trouble.name for trouble in self.troubles)
        return ", ".join(f"{count} × {name}" for name, count in sorted(counts.items()))


def asked_without_lease(requests: list[Request], stops: list[tuple[float, float]], lease_seconds: float) -> list[str]:
    """Requests that began while every server was stopped and no lease could hold any more."""
    return [f"{request.worker} {request.host}{request.path}, {request.began - began:.1f} s after the servers stopped"
            for request in requests for began, ended in stops if began + lease_seconds < request.began < ended]
