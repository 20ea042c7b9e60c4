"""A crawl whose status is served until the block ends."""
from __future__ import annotations

import json
import re
import signal
import subprocess
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from real_site.problem import Problem
from real_site.programs import run_or_fail

TIMEOUT_SECONDS = 300
OVER = "stays available for"


@dataclass(frozen=True)
class Watched:
    """A crawl that is over, whose status is still served at `origin`."""
    binary: Path
    data: Path
    origin: str

    def get(self, path: str) -> tuple[str, str]:
        """Content type and body."""
        with urllib.request.urlopen(f"{self.origin}{path}", timeout=TIMEOUT_SECONDS) as answer:
            return answer.headers["Content-Type"], answer.read().decode()

    def report(self) -> dict[str, Any]:
        """The report of the crawl, read from its data folder."""
        return json.loads(run_or_fail([str(self.binary), "--quiet", "report", "--data", str(self.data), "--format", "json"],
                                      timeout=TIMEOUT_SECONDS))


@contextmanager
def crawled(binary: Path, folder: Path, config: str, seed: str) -> Iterator[Watched]:
    """Crawls from the seed; the block runs when the crawl is over."""
    (folder / "seeds.txt").write_text(f"{seed}\n")
    (folder / "config.toml").write_text(config)
    data = folder / "data"
    process = subprocess.Popen(
        [str(binary), "run", "--seeds", "seeds.txt", "--data", str(data), "--status", "127.0.0.1:0", "--status-linger", "1h"],
        cwd=folder, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    late = threading.Timer(TIMEOUT_SECONDS, process.kill)
    late.start()
    try:
        assert process.stderr is not None
        told = ""
        for line in process.stderr:
            told += line
            if OVER in line:
                break
        origin = re.search(r"^status: (http://[0-9.:]+)/$", told, re.MULTILINE)
        if origin is None or OVER not in told:
            raise Problem(f"the crawl did not end as it should:\n{told}")
        yield Watched(binary, data, origin.group(1))
        process.send_signal(signal.SIGINT)
        # The crawl had ended before, so that the signal only ends the status server.
        if process.wait() != 0:
            raise Problem(f"exit code {process.returncode} after Ctrl-C")
    finally:
        late.cancel()
        process.kill()
        process.wait()
