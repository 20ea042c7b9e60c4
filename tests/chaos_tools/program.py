"""Starts the commands of the crawler as a user does, and ends them in several ways."""
from __future__ import annotations

import re
import resource
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

COMMAND_TIMEOUT_SECONDS = 90
WITHOUT_CONFIGURATION = {"gc", "export"}
PANIC_WORDS = ("panicked at", "stack backtrace", "RUST_BACKTRACE")
SHOWN_CHARS = 2_000


@dataclass(frozen=True)
class Ended:
    """The end of a command."""

    command: str
    code: int
    """Negative for a signal."""
    out: str
    err: str
    was_late: bool
    """Whether the script killed it because it did not end in time."""

    def __str__(self) -> str:
        return f"{self.command}: exit code {self.code}\n{(self.out + self.err)[-SHOWN_CHARS:]}"

    @property
    def has_panicked(self) -> bool:
        """Whether the output shows a panic."""
        return any(word in self.out + self.err for word in PANIC_WORDS)


@dataclass(frozen=True)
class Signals:
    """Signals to send, each with the seconds since the signal before."""

    plan: tuple[tuple[float, signal.Signals], ...] = ()


class Program:
    """A binary with a folder of configuration, seeds and data."""

    def __init__(self, binary: Path, folder: Path) -> None:
        self.binary = binary
        self.folder = folder
        self.data = folder / "data"
        self.config = folder / "config.toml"
        self.seeds = folder / "seeds.txt"

    def documented_codes(self) -> set[int]:
        """The exit codes that `--help` names."""
        said = subprocess.run([self.binary, "--help"], capture_output=True, text=True, timeout=COMMAND_TIMEOUT_SECONDS).stdout
        codes = re.search(r"Exit codes:(.*?)Environment:", said, re.DOTALL)
        return {int(number) for number in re.findall(r"(?:^|[,;.])\s*(\d+)\s", codes[1] if codes else "")}

    def run(self, command: str, *arguments: str, signals: Signals = Signals(), largest_file: int | None = None,
            meanwhile: Callable[[], None] | None = None) -> Ended:
        """Runs a command to its end. `largest_file` is its limit on file sizes; `meanwhile` runs at the same time."""
        line = [str(self.binary), command, *arguments, "--data", str(self.data)]
        if command not in WITHOUT_CONFIGURATION:
            line += ["--config", str(self.config)]
        if command == "run":
            line += ["--seeds", str(self.seeds), "--allow-private"]
        out, err = self.folder / "out.txt", self.folder / "err.txt"

        def limit() -> None:
            if largest_file is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))

        was_late = False
        with out.open("wb") as out_file, err.open("wb") as err_file:
            process = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=out_file, stderr=err_file, cwd=self.folder,
                                       preexec_fn=limit)
            try:
                if meanwhile is not None:
                    meanwhile()
                for delay, number in signals.plan:
                    time.sleep(delay)
                    process.send_signal(number)
                process.wait(COMMAND_TIMEOUT_SECONDS)
            except subprocess.TimeoutExpired:
                was_late = True
            finally:
                if process.poll() is None:
                    process.kill()
                    process.wait()
        shown = " ".join([command, *arguments])
        return Ended(shown, process.returncode, out.read_text(errors="replace"), err.read_text(errors="replace"), was_late)
