"""The simulated web of `../simulated_web`: built where it is missing or old, and served on loopback."""
from __future__ import annotations

import json
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from public_tools.environment import ROOT, target
from public_tools.loopback import free_port, listen_on_every_address, loopback_hosts
from real_site.problem import Problem
from real_site.programs import run_or_fail

SOURCE = ROOT / "tests" / "simulated_web"
BUILD_TIMEOUT_SECONDS = 900
ANSWER_TIMEOUT_SECONDS = 60


@dataclass(frozen=True)
class Tally:
    """What the server was asked since its start."""

    requests: int
    """All, robots.txt and sitemaps included."""
    pages: int
    bytes: int
    again: int
    """Pages that were asked before and after the mark."""
    first_ms: int | None
    """Milliseconds from the mark to the first request after it."""


@dataclass(frozen=True)
class Web:
    """A server that runs."""

    port: int
    hosts: list[str]
    pid: int

    def tally(self) -> Tally:
        return self._ask("tally")

    def mark(self) -> Tally:
        """From now on, `again` and `first_ms` count."""
        return self._ask("mark")

    def home_pages(self) -> Iterator[str]:
        return (f"http://{host}:{self.port}/" for host in self.hosts)

    def pages(self, count: int) -> Iterator[str]:
        """So many URLs, in turn of all hosts; not all of them are pages."""
        return (f"http://{self.hosts[number % len(self.hosts)]}:{self.port}{path(number // len(self.hosts))}" for number in range(count))

    def _ask(self, name: str) -> Tally:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/{name}", timeout=ANSWER_TIMEOUT_SECONDS) as answer:
            return Tally(**json.load(answer))


def path(number: int) -> str:
    """The path of a page, as the server numbers them."""
    return f"/s/{number}/title-{number}.html" if number else "/"


def build() -> Path:
    """The server's program."""
    folder = target() / "simulated_web"
    run_or_fail(["cargo", "build", "--release", "--locked", "--manifest-path", str(SOURCE / "Cargo.toml"), "--target-dir", str(folder)],
                timeout=BUILD_TIMEOUT_SECONDS)
    return folder / "release" / "simulated_web"


@contextmanager
def serving_web(hosts: int, seed: int) -> Iterator[Web]:
    """Serves the web of this seed while the block runs."""
    program = build()
    with listen_on_every_address() as listener:
        process = subprocess.Popen([program, str(seed), str(hosts), str(free_port())], stdin=listener)
        try:
            web = Web(listener.getsockname()[1], loopback_hosts(hosts), process.pid)
            if web.tally().requests:
                raise Problem("another crawl asks this server")
            yield web
        finally:
            process.kill()
            process.wait()
