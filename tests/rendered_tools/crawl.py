"""A crawl of the site with a configuration of `[render]`, and what it says of every path."""
from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from real_site.crawler import Crawler, Ended
from real_site.problem import Problem
from real_site.programs import run_or_fail

CONFIGURATION = """\
[politeness]
delay_ms = 0
parallel_per_host = 8
parallel_per_address = 16
max_retries = 0

[fetch]
parallel = 16
allow_private_addresses = true

[refresh]
min_interval = "0s"
first_interval = "0s"

[render]
mode = "{mode}"
browser = "{browser}"
tabs = {tabs}
scroll = {scroll}
"""
CRAWL_TIMEOUT_SECONDS = 1_800
COMMAND_TIMEOUT_SECONDS = 120
KEPT, EXACT, NEAR = "kept", "exact", "near"


@dataclass(frozen=True)
class Outcome:
    """What became of a path."""

    verdict: str
    """`kept`, `exact`, `near`, or the kind of failure, `excluded` or `redirected`."""
    of: str | None = None
    """The path of the kept page."""
    title: str = ""
    text: str | None = None
    """The main text; `None` for a duplicate."""
    is_rendered: bool | None = None
    """Whether the page was read with a browser; `None` where the crawl does not say."""

    @property
    def is_page(self) -> bool:
        """Whether it has a verdict."""
        return self.verdict in (KEPT, EXACT, NEAR)


class Crawl:
    """One crawl with its own data folder."""

    def __init__(self, binary: Path, folder: Path, origin: str, mode: str, browser: str = "", tabs: int = 2, scroll: int = 8,
                 seed: str = "/", more: str = "") -> None:
        self.folder = folder
        self.origin = origin
        self._binary = binary
        configuration = CONFIGURATION.format(mode=mode, browser=browser, tabs=tabs, scroll=scroll) + more
        if mode == "none":
            # A crawler that knows nothing of rendering.
            configuration = configuration.split("[render]")[0]
        self.crawler = Crawler(binary, folder, origin + seed, configuration, CRAWL_TIMEOUT_SECONDS)

    def run(self) -> Ended:
        """Crawls to the end."""
        with self.crawler.start() as running:
            return running.wait_for_success()

    def said(self) -> list[str]:
        """The lines that the runs printed."""
        return (self.folder / "run.log").read_text(errors="replace").splitlines()

    def report(self) -> dict[str, Any]:
        """The report as JSON."""
        return self.crawler.report()

    def outcomes(self) -> dict[str, Outcome]:
        """What became of every path that is decided."""
        report = self.report()
        found = {}
        for failure in report["failures"]:
            found[self.path(failure["url"])] = Outcome(failure["kind"])
        for excluded in report["excluded"]:
            found[self.path(excluded["url"])] = Outcome("excluded")
        for redirect in report["redirects"]:
            found[self.path(redirect["url"])] = Outcome("redirected", self.path(redirect["to"]))
        for page in self.pages():
            of = page["duplicate_of"]
            found[self.path(page["url"])] = Outcome(page["verdict"], of and self.path(of), page["title"], page["text"], page.get("rendered"))
        return found

    def pages(self) -> list[dict[str, Any]]:
        """Every page with a verdict, as `crawler export` writes it."""
        output = self.folder / "pages.jsonl"
        run_or_fail([str(self._binary), "export", "--verdict", "all", "--format", "jsonl", "--data", str(self.crawler.data),
                     "--output", str(output)], timeout=COMMAND_TIMEOUT_SECONDS)
        return [json.loads(line) for line in output.open(encoding="utf-8")]

    def path(self, url: str) -> str:
        """The path and query of a URL of the site; another URL stays as it is."""
        return url.removeprefix(self.origin)

    def command(self, *arguments: str) -> str:
        """What a command prints about the crawl."""
        done = subprocess.run([str(self._binary), *arguments, "--data", str(self.crawler.data)], timeout=COMMAND_TIMEOUT_SECONDS,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode != 0:
            raise Problem(f"crawler {' '.join(arguments)}: exit code {done.returncode}\n{done.stderr[-500:]}")
        return done.stdout
