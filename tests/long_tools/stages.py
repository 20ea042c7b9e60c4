"""Starting, killing and opening again."""
from __future__ import annotations

import subprocess
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from public_tools.loopback import free_port
from real_site.crawler import Running
from real_site.problem import Problem
from real_site.programs import run_or_fail

from .watch import Sample, Watch
from .web import Web

# The politeness is the default in every respect. With so many hosts, the requests that may be open at a time would be the limit: some
# hosts take seconds to answer, and some never do.
CONFIGURATION = """\
[fetch]
parallel = {parallel}
allow_private_addresses = true
"""
PARALLEL = 512
LOOK_SECONDS = 0.2
FIRST_SECONDS = 900
COMMAND_SECONDS = 3_600


@dataclass
class Folder:
    """A data folder and what crawls into it."""

    binary: Path
    path: Path
    web: Web
    log: Path = field(init=False)

    def __post_init__(self) -> None:
        self.path.mkdir(parents=True)
        self.log = self.path / "run.log"
        (self.path / "empty.toml").touch()

    @property
    def data(self) -> Path:
        return self.path / "data"

    def start(self, seeds: Path, parallel: int = PARALLEL) -> tuple[Running, Watch]:
        """Starts or continues the crawl."""
        config, port = self.path / f"config-{parallel}.toml", free_port()
        config.write_text(CONFIGURATION.format(parallel=parallel))
        running = Running([str(self.binary), "run", "--seeds", str(seeds), "--config", str(config), "--data", str(self.data), "--status",
                           f"127.0.0.1:{port}"], self.log, COMMAND_SECONDS)
        return running, Watch(running.pid, port, self.data, self.web.pid)

    def seeds(self, name: str, urls: Iterable[str]) -> Path:
        """A file of seeds."""
        path = self.path / name
        with path.open("w") as file:
            file.writelines(f"{url}\n" for url in urls)
        return path

    def decided_while_paused(self, name: str) -> set[str]:
        """As `decided`, while a crawl runs. It pauses meanwhile: an answer is of one instant, and a crawl goes on too far for an answer about a
        million pages."""
        control = [str(self.binary), "control", "--data", str(self.data)]
        run_or_fail([*control, "pause"], COMMAND_SECONDS)
        urls = self.decided(name)
        run_or_fail([*control, "resume"], COMMAND_SECONDS)
        return urls

    def decided(self, name: str) -> set[str]:
        """The URLs of all pages that a commit holds."""
        output = self.path / name
        run_or_fail([*self._command("export"), "--format", "cdxj", "--verdict", "all", "--output", str(output)], COMMAND_SECONDS)
        with output.open(encoding="utf-8") as lines:
            return {line.split(" ", 1)[0] for line in lines}

    def verify(self) -> tuple[int, float, str]:
        """Exit code of `crawler verify`, its seconds, and the end of what it printed."""
        began = time.monotonic()
        done = subprocess.run([*self._command("verify"), "--quiet"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", timeout=COMMAND_SECONDS, check=False)
        return done.returncode, time.monotonic() - began, "\n".join(done.stdout.strip().splitlines()[-10:])

    def _command(self, name: str) -> list[str]:
        """A command that reads the folder, whatever configuration lies in the current one."""
        return [str(self.binary), name, "--data", str(self.data), "--config", str(self.path / "empty.toml")]


@dataclass(frozen=True)
class Opening:
    """How a store was opened."""

    first_seconds: float
    """From the start of the program to its first request."""
    cpu_seconds: float
    memory: int
    """At the first request."""


def wait_for_first_request(web: Web, running: Running, watch: Watch) -> Opening:
    """After `web.mark()` and the start of the crawl."""
    deadline = time.monotonic() + FIRST_SECONDS
    while (first_ms := web.tally().first_ms) is None:
        if running.ended() is not None or time.monotonic() > deadline:
            raise Problem(f"no request: {running.last_lines()}")
        time.sleep(LOOK_SECONDS)
    sample = look(running, watch)
    return Opening(first_ms / 1e3, sample.cpu, sample.memory)


def look(running: Running, watch: Watch) -> Sample:
    """A sample of a crawl that must be alive."""
    deadline = time.monotonic() + FIRST_SECONDS
    while (sample := watch.look()) is None:
        if running.ended() is not None or time.monotonic() > deadline:
            raise Problem(f"the crawl has ended: {running.last_lines()}")
        time.sleep(LOOK_SECONDS)
    return sample
