"""The program under test, as its user runs it, timed from outside."""
from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from .corpora import PROJECT
from .problem import Problem
from .programs import run_or_fail

# Every key of config.toml that the scripts set. Pages of the corpora link to ports of 127.0.0.1 on which nobody listens:
# trying those again would only make the clock run.
CONFIGURATION = """\
[politeness]
delay_ms = 0
parallel_per_host = 32
max_retries = 0

[refresh]
min_interval = "0s"
first_interval = "0s"

[fetch]
parallel = 32
allow_private_addresses = true
"""
CRAWL_TIMEOUT_SECONDS = 300
COMMAND_TIMEOUT_SECONDS = 120
KIB = 1024


@dataclass(frozen=True)
class Ended:
    """How a process went."""

    seconds: float
    """Wall time from start to end."""
    peak_rss_bytes: int
    """As the kernel counts it; never below the memory of the script that started the process."""
    cpu_seconds: float
    code: int
    """The exit code, negative for a signal."""

    def __str__(self) -> str:
        return f"{self.seconds:.2f} s wall, {self.cpu_seconds:.2f} s CPU, peak RSS {self.peak_rss_bytes / 1e6:.0f} MB"


class Running:
    """A process that was started, its output in a file; it does not outlive the `with` block."""

    def __init__(self, command: list[str], output: Path, timeout: float = CRAWL_TIMEOUT_SECONDS) -> None:
        self._command = command
        self._output = output
        self._timeout = timeout
        self.started_at = time.time()
        self._start = time.monotonic()
        try:
            with output.open("ab") as sink:
                self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=sink, stderr=subprocess.STDOUT)
        except OSError as error:
            raise Problem(f"cannot run {command[0]}: {error}") from error

    def __enter__(self) -> Running:
        return self

    def __exit__(self, _kind: type[BaseException] | None, _error: BaseException | None,
                 _trace: TracebackType | None) -> None:
        if self._process.returncode is None:
            self.kill()

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def ended(self) -> Ended | None:
        """How it went, `None` while it runs."""
        return self._reap(os.WNOHANG)

    def send(self, number: signal.Signals) -> None:
        """Sends a signal."""
        # Not by `subprocess`, which would take the exit code of a process that has ended.
        os.kill(self._process.pid, number)

    def kill(self) -> Ended:
        """`kill -9`, and the end of it."""
        self.send(signal.SIGKILL)
        return self.wait()

    def wait(self) -> Ended:
        """Waits for its end. One that does not end in time is killed, and that is a `Problem`."""
        too_late = threading.Event()

        def end_it() -> None:
            too_late.set()
            self.send(signal.SIGKILL)

        timer = threading.Timer(self._timeout, end_it)
        timer.start()
        try:
            ended = self._reap(0)
        finally:
            timer.cancel()
        if too_late.is_set():
            raise Problem(f"no end after {self._timeout:.0f} s: {shlex.join(self._command)}\n{self.last_lines()}")
        assert ended is not None
        return ended

    def wait_for_success(self) -> Ended:
        """Waits; an exit code other than 0 is a `Problem` that quotes the last lines of the output."""
        ended = self.wait()
        if ended.code != 0:
            raise Problem(f"exit code {ended.code}: {shlex.join(self._command)}\n{self.last_lines()}")
        return ended

    def last_lines(self) -> str:
        """The end of what it printed."""
        return "\n".join(self._output.read_text(errors="replace").strip().splitlines()[-15:])

    def _reap(self, options: int) -> Ended | None:
        pid, status, usage = os.wait4(self._process.pid, options)
        if pid == 0:
            return None
        seconds = time.monotonic() - self._start
        code = self._process.returncode = os.waitstatus_to_exitcode(status)
        return Ended(seconds, usage.ru_maxrss * KIB, usage.ru_utime + usage.ru_stime, code)


class Crawler:
    """The crawler with one data folder, one seed and a configuration, by default the one above."""

    def __init__(self, binary: Path, folder: Path, seed: str, configuration: str = CONFIGURATION,
                 timeout: float = CRAWL_TIMEOUT_SECONDS) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._timeout = timeout
        self._binary = str(binary)
        self._data = folder / "data"
        self._folder = folder
        self._seeds = folder / "seeds.txt"
        self._seeds.write_text(f"{seed}\n")
        self._config = folder / "config.toml"
        self._config.write_text(configuration)

    def start(self, refresh: bool = False, fleet: str | None = None) -> Running:
        """Starts or continues the crawl; with `refresh`, the crawl also visits every page again. `fleet` is the address to join."""
        command = [self._binary, "run", "--seeds", str(self._seeds), "--config", str(self._config),
                   "--data", str(self._data), "--allow-private"]
        command += ["--refresh"] * refresh + (["--fleet", fleet] if fleet else [])
        return Running(command, self._folder / "run.log", self._timeout)

    def start_rebuild(self) -> Running:
        """Starts to rebuild the state from the archive."""
        command = [self._binary, "rebuild", "--quiet", "--config", str(self._config), "--data", str(self._data)]
        return Running(command, self._folder / "rebuild.log")

    def free_space(self) -> None:
        """Runs `crawler gc`, because each rebuild keeps the old state."""
        run_or_fail([self._binary, "gc", "--quiet", "--data", str(self._data)], timeout=COMMAND_TIMEOUT_SECONDS)

    def merge(self, others: list[Crawler], *options: str) -> str:
        """Builds the data folder from those of other crawlers; what `crawler merge` printed."""
        return self.merge_folders([other.data for other in others], *options)

    def merge_folders(self, folders: list[Path], *options: str) -> str:
        """The same of data folders."""
        return run_or_fail([self._binary, "merge", *map(str, folders), "--config", str(self._config), "--data", str(self._data), *options],
                           timeout=COMMAND_TIMEOUT_SECONDS)

    def export_all(self, output: Path, *options: str) -> None:
        """`crawler export` of all pages, also of the duplicates with their texts; the name of the output says the format."""
        run_or_fail([self._binary, "export", "--quiet", "--include-duplicates", "--data", str(self._data), "--output", str(output), *options],
                    timeout=COMMAND_TIMEOUT_SECONDS)

    def report(self) -> dict[str, Any]:
        """What `crawler report --format json` writes."""
        output = self._folder / "report.json"
        self._command("report", "json", output)
        try:
            report: dict[str, Any] = json.loads(output.read_text(encoding="utf-8"))
            missing = {"counts", "clusters", "hosts", "failures"} - report.keys()
        except (OSError, ValueError, AttributeError) as error:
            raise Problem(f"{output} is no JSON report: {error}") from error
        if missing:
            raise Problem(f"{output} lacks {', '.join(sorted(missing))}")
        return report

    def export(self) -> list[dict[str, Any]]:
        """What `crawler export --format jsonl` writes: the kept pages."""
        output = self._folder / "export.jsonl"
        self._command("export", "jsonl", output)
        try:
            return [json.loads(line) for line in output.open(encoding="utf-8")]
        except (OSError, ValueError) as error:
            raise Problem(f"{output} is no JSONL: {error}") from error

    def tune(self) -> dict[str, Any]:
        """What `crawler tune --format json` says."""
        said = run_or_fail([*self._tune(), "--format", "json"], timeout=COMMAND_TIMEOUT_SECONDS)
        try:
            answer: dict[str, Any] = json.loads(said)
        except ValueError as error:
            raise Problem(f"crawler tune gave no JSON: {error}") from error
        return answer

    def tuned_to_keep(self, at: str) -> set[str]:
        """The URLs that `crawler tune` says a crawl at this setting keeps."""
        output = self._folder / "kept.txt"
        run_or_fail([*self._tune(), "--sample", "0", "--at", at, "--kept", str(output)], timeout=COMMAND_TIMEOUT_SECONDS)
        return set(output.read_text(encoding="utf-8").split())

    def _tune(self) -> list[str]:
        return [self._binary, "tune", "--quiet", "--config", str(self._config), "--data", str(self._data)]

    def verify(self) -> tuple[int, str]:
        """The exit code of `crawler verify`, and the end of what it printed."""
        done = subprocess.run([self._binary, "verify", "--quiet", "--config", str(self._config), "--data", str(self._data)],
                              timeout=COMMAND_TIMEOUT_SECONDS, text=True, errors="replace", stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, "\n".join(done.stdout.strip().splitlines()[-15:])

    @property
    def data(self) -> Path:
        """The data folder."""
        return self._data

    @property
    def warc_folder(self) -> Path:
        """Where the WARC files lie."""
        return self._data / "warc"

    def _command(self, name: str, form: str, output: Path) -> None:
        run_or_fail([self._binary, name, "--format", form, "--data", str(self._data), "--output", str(output)],
                    timeout=COMMAND_TIMEOUT_SECONDS)


def find_binary(given: Path | None) -> Path:
    """The crawler to measure: the one given, else the workspace's release build."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", PROJECT / "target"))
    binary = given or target / "release" / "crawler"
    if not (binary.is_file() and os.access(binary, os.X_OK)):
        raise Problem(f"there is no program {binary}: cargo build --release, or give one with --binary")
    return binary.resolve()
