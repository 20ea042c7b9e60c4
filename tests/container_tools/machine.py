"""The containers of a fleet as plain processes of this machine: their paths are folders of ours, their addresses are ports of loopback."""
from __future__ import annotations

import json
import re
import shutil
import subprocess
import urllib.request
from pathlib import Path
from typing import Any

from fleet_tools.redis_servers import wait_until
from public_tools.loopback import free_port
from real_site.crawler import Running
from real_site.problem import Problem
from real_site.programs import require_program

from .services import Service

CONFIGURATION = "/etc/crawler"
# A server of Redis by its name in the files, and what stands between it and its port: `redis:6379`, `redis 6379`, two arguments.
REDIS = re.compile(r"\b(redis(?:-0\.redis)?)([: \0])6379\b")
STATUS = "0.0.0.0:9100"
DATA_FLAG = "--data"
START_SECONDS, END_SECONDS, COMMAND_SECONDS = 60, 180, 120


class Process:
    """A container that runs, with the same command and variables again and again."""

    def __init__(self, machine: Machine, service: Service, folder: Path, port: int, more: dict[str, str]) -> None:
        self.service = service
        self.folder = folder
        self.port = port
        self._machine = machine
        self._environment = {**service.environment, **more, "TEST_PORT": str(port)}
        self._log = machine.folder / f"{service.name}-{port}.log"
        self.running: Running | None = None

    def start(self) -> None:
        """Starts it, or starts it again."""
        command = self._machine.command(self.service.command, self._environment, self.folder, self.port)
        self.running = Running(command, self._log, self.service.grace_seconds)

    def stop(self, number: int) -> int:
        """Sends a signal, and waits as long as the file says before a container is killed; the exit code."""
        assert self.running is not None
        self.running.send(number)
        return self.running.wait().code

    def lives(self) -> bool:
        """That it runs; its end is a `Problem` with its last words."""
        assert self.running is not None
        if self.running.ended() is not None:
            raise Problem(f"{self.service.name} has ended\n{self.last_lines()}")
        return True

    def wait_until_well(self) -> None:
        """Until the check of its health passes."""
        wait_until(lambda: self.lives() and self._run(self.service.check, self._environment).returncode == 0, START_SECONDS,
                   f"{self.service.name} does not become well")

    def ask(self, *words: str, has_password: bool = True) -> str:
        """What redis-cli prints in the container, with its variables or as somebody who does not know them."""
        return self._run(["redis-cli", *words], self._environment if has_password else {"TEST_PORT": str(self.port)}).stdout.strip()

    def arguments(self) -> list[str]:
        """What others can see of its command."""
        assert self.running is not None
        return Path(f"/proc/{self.running.pid}/cmdline").read_text().split("\0")

    def status(self, path: str = "/status.json") -> dict[str, Any] | None:
        """What its status page says, `None` while it does not answer."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=COMMAND_SECONDS) as answer:
                found: dict[str, Any] = json.load(answer)
                return found
        except OSError:
            return None

    def wait_for_end_of_crawl(self) -> dict[str, Any]:
        """Until the status says that the crawl has ended; that status."""
        last: dict[str, Any] = {}

        def is_over() -> bool:
            last.update((self.lives() and self.status()) or {})
            return last.get("state") == "ended"

        wait_until(is_over, END_SECONDS, f"the crawl of {self.service.name} does not end: {self.last_lines()}")
        return last

    def data(self) -> str | None:
        """The data folder that the process has named on its command line, once it is the crawler."""
        words = self.arguments()
        return words[words.index(DATA_FLAG) + 1] if DATA_FLAG in words and words[0] == "crawler" else None

    def last_lines(self) -> str:
        """The end of what it printed."""
        return self.running.last_lines() if self.running else ""

    def kill(self) -> None:
        """Ends it, if it runs."""
        if self.running is not None:
            self.running.__exit__(None, None, None)

    def _run(self, words: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
        command = self._machine.command(words, environment, self.folder, self.port)
        return subprocess.run(command, capture_output=True, text=True, timeout=COMMAND_SECONDS, check=False)


class Machine:
    """A folder with the programs of the images, the configuration, and the folders of the containers. No process outlives the `with` block."""

    def __init__(self, folder: Path, binary: Path) -> None:
        self.folder = folder
        self.configuration = folder / "configuration"
        self.configuration.mkdir(parents=True)
        self._programs = folder / "bin"
        self._programs.mkdir()
        self._redis_port = free_port()
        self._processes: list[Process] = []
        (self._programs / "crawler").symlink_to(binary)
        # In its image, a server has the port 6379 and the folder to itself.
        self._program("redis-server", '"$@" --port "$TEST_PORT" --bind 127.0.0.1')
        self._program("redis-cli", '-p "$TEST_PORT" "$@"')

    def __enter__(self) -> Machine:
        return self

    def __exit__(self, *_error: object) -> None:
        for process in self._processes:
            process.kill()

    def configure(self, files: dict[str, str]) -> None:
        """Writes what containers see as /etc/crawler."""
        for name, text in files.items():
            (self.configuration / name).write_text(text)

    def redis(self, service: Service, is_primary: bool) -> Process:
        """A server, not yet started, with a volume of its own."""
        volume = self.folder / f"volume-{service.name}"
        volume.mkdir()
        return self._add(Process(self, service, volume, self._redis_port if is_primary else free_port(), {}))

    def worker(self, service: Service, number: int, volume: str, variables: dict[str, str]) -> Process:
        """A worker, not yet started. Its requests say its number."""
        folder = self.folder / volume
        folder.mkdir(exist_ok=True)
        name = {"CRAWLER_IDENTITY_CONTACT_URL": f"https://example.org/worker-{number}"}
        return self._add(Process(self, service, folder, free_port(), {**variables, **name}))

    def command(self, words: list[str], environment: dict[str, str], folder: Path, port: int) -> list[str]:
        """What starts a container's command here: in its folder, and with no other variables than its own."""
        own = "\0".join([*(f"{key}={value}" for key, value in environment.items()), *words])
        own = REDIS.sub(lambda found: f"127.0.0.1{found[2]}{self._redis_port}", own)
        own = own.replace(STATUS, f"127.0.0.1:{port}").replace(CONFIGURATION, str(self.configuration))
        path = f"PATH={self._programs}:/usr/local/bin:/usr/bin:/bin"
        return ["env", "--ignore-environment", f"--chdir={folder}", path, *own.split("\0")]

    def _add(self, process: Process) -> Process:
        self._processes.append(process)
        return process

    def _program(self, name: str, arguments: str) -> None:
        real = shutil.which(name) or require_program(name, "redis-server")
        script = self._programs / name
        script.write_text(f"#!/bin/sh\nexec {real} {arguments}\n")
        script.chmod(0o755)
