"""redis-server alone, or three primaries with a replica each, on free ports of loopback. They do not outlive the `with` block.

The servers write an append-only file with a flush every second, as a crawl's servers should: a primary that is killed and comes back
at once has its keys. In the cluster a node counts as failed after two seconds instead of Redis's fifteen, so that a failover takes
seconds.
"""
from __future__ import annotations

import random
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from public_tools.loopback import free_port
from real_site.problem import Problem
from real_site.programs import require_program, run_or_fail

HOST = "127.0.0.1"
PACKAGE = "redis-server"
PRIMARIES, REPLICAS = 3, 3
NODE_TIMEOUT_MS = 2_000
# A node's port for the other nodes is this much higher.
BUS_OFFSET = 10_000
START_TIMEOUT_SECONDS = 20
WELL_TIMEOUT_SECONDS = 60
COMMAND_TIMEOUT_SECONDS = 60
POLL_SECONDS = 0.05
ALL_SLOTS = 16_384


class RedisServer:
    """One redis-server with a folder of its own."""

    def __init__(self, folder: Path, is_in_cluster: bool) -> None:
        folder.mkdir(parents=True)
        self._folder = folder
        self._is_in_cluster = is_in_cluster
        self._process: subprocess.Popen[bytes] | None = None
        self.port = free_port(below=65_536 - BUS_OFFSET)

    def start(self) -> None:
        """Starts it, or starts it again with the keys that it had."""
        command = [require_program("redis-server", PACKAGE), "--port", str(self.port), "--bind", HOST, "--dir", str(self._folder),
                   "--save", "", "--appendonly", "yes", "--appendfsync", "everysec", "--logfile", str(self._folder / "redis.log")]
        if self._is_in_cluster:
            command += ["--cluster-enabled", "yes", "--cluster-node-timeout", str(NODE_TIMEOUT_MS)]
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                         start_new_session=True)
        wait_until(self._answers, START_TIMEOUT_SECONDS, f"redis-server at port {self.port} does not answer: {self._last_line()}")

    def kill(self) -> None:
        """`kill -9`."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def send(self, number: signal.Signals) -> None:
        """Sends a signal."""
        assert self._process is not None
        self._process.send_signal(number)

    def ask(self, *command: str) -> str:
        """What redis-cli prints."""
        return run_or_fail(["redis-cli", "-h", HOST, "-p", str(self.port), *command], timeout=COMMAND_TIMEOUT_SECONDS).strip()

    def ask_all(self, commands: list[str]) -> list[str]:
        """One line of answer for each of many commands, each without spaces in its arguments."""
        done = subprocess.run(["redis-cli", "-h", HOST, "-p", str(self.port)], input="".join(f"{command}\n" for command in commands),
                              capture_output=True, text=True, timeout=COMMAND_TIMEOUT_SECONDS)
        answers = done.stdout.splitlines()
        if len(answers) != len(commands):
            raise Problem(f"redis-cli gave {len(answers)} answers to {len(commands)} commands: {done.stderr.strip()}")
        return answers

    def info(self, section: str) -> dict[str, str]:
        """A section of INFO."""
        lines = (line.partition(":") for line in self.ask("INFO", section).splitlines())
        return {name: value.strip() for name, colon, value in lines if colon}

    @property
    def is_primary(self) -> bool:
        """Whether it takes writes."""
        return self.info("replication")["role"] == "master"

    def _answers(self) -> bool:
        if self._process is None or self._process.poll() is not None:
            raise Problem(f"redis-server at port {self.port} has ended: {self._last_line()}")
        try:
            return self.ask("PING") == "PONG"
        except Problem:
            return False

    def _last_line(self) -> str:
        log = self._folder / "redis.log"
        lines = log.read_text(errors="replace").strip().splitlines() if log.exists() else []
        return lines[-1] if lines else "it says nothing"


class RedisServers:
    """The servers of a fleet: one, or a cluster of six."""

    def __init__(self, folder: Path, is_cluster: bool) -> None:
        self._servers = [RedisServer(folder / f"redis-{number}", is_cluster)
                         for number in range(PRIMARIES + REPLICAS if is_cluster else 1)]
        self.is_cluster = is_cluster
        self.failovers = 0

    def __enter__(self) -> RedisServers:
        try:
            for server in self._servers:
                server.start()
            if self.is_cluster:
                addresses = [f"{HOST}:{server.port}" for server in self._servers]
                run_or_fail(["redis-cli", "--cluster", "create", *addresses, "--cluster-replicas", str(REPLICAS // PRIMARIES),
                             "--cluster-yes"], timeout=COMMAND_TIMEOUT_SECONDS)
                self.wait_until_well()
        except BaseException:
            self._kill_all()
            raise
        return self

    def __exit__(self, _kind: type[BaseException] | None, _error: BaseException | None,
                 _trace: TracebackType | None) -> None:
        self._kill_all()

    @property
    def address(self) -> str:
        """What a worker is given."""
        return "redis://" + ",".join(f"{HOST}:{server.port}" for server in self._servers)

    def kill_primary(self, chance: random.Random) -> int:
        """Kills a random primary, waits for its replica to take over, starts it again as a replica; the port of the killed one."""
        primary = chance.choice([server for server in self._servers if server.is_primary])
        primary.kill()
        others = [server for server in self._servers if server is not primary]
        wait_until(lambda: all_slots_served(others, PRIMARIES), WELL_TIMEOUT_SECONDS, f"no replica takes over from port {primary.port}")
        self.failovers += 1
        primary.start()
        self.wait_until_well()
        return primary.port

    def stop(self, seconds: float) -> tuple[float, float]:
        """Stops every server for so long: SIGSTOP, SIGCONT. When it began and ended, by the monotonic clock."""
        for server in self._servers:
            server.send(signal.SIGSTOP)
        began = time.monotonic()
        try:
            time.sleep(seconds)
        finally:
            ended = time.monotonic()
            for server in self._servers:
                server.send(signal.SIGCONT)
        if self.is_cluster:
            self.wait_until_well()
        return began, ended

    def wait_until_well(self) -> None:
        """Until every slot is served, and every primary has its replica."""
        wait_until(lambda: all_slots_served(self._servers, PRIMARIES) and self._replicas_follow(), WELL_TIMEOUT_SECONDS,
                   "the cluster does not become well")

    @property
    def primaries(self) -> list[RedisServer]:
        """The servers that take writes."""
        return [server for server in self._servers if server.is_primary]

    def _replicas_follow(self) -> bool:
        replicas = [server.info("replication") for server in self._servers]
        return sum(info["role"] == "slave" and info["master_link_status"] == "up" for info in replicas) == REPLICAS

    def _kill_all(self) -> None:
        for server in self._servers:
            server.kill()


def all_slots_served(servers: list[RedisServer], primaries: int) -> bool:
    """Whether every one of the servers says so, and so many of them are primaries."""
    states = [server.ask("CLUSTER", "INFO") for server in servers]
    return (all("cluster_state:ok" in state and f"cluster_slots_ok:{ALL_SLOTS}" in state for state in states)
            and sum(server.is_primary for server in servers) == primaries)


def wait_until(holds: Callable[[], bool], seconds: float, what: str) -> None:
    """Polls; a `Problem` when it does not hold in time."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            raise Problem(f"{what} ({seconds:.0f} s)")
        time.sleep(POLL_SECONDS)
