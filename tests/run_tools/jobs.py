"""The jobs of `tests/run`, the longest first: so the last one to start is a short one."""
from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
# Every crate but the one that measures the peers of dedup.
CARGO_TEST = ["cargo", "test", "--workspace", "--exclude", "dedup-bench", "--locked", "--no-fail-fast"]
# A failed test in the list that cargo prints at the end of a test binary.
FAILED_TEST = re.compile(r"^    ([\w:]+)$", re.MULTILINE)
FLEET = ["--limit", "300", "--lease", "6", "--seed", "7"]
FAULTS = ["--stop-seconds", "10", "--end-seconds", "120"]


@dataclass(frozen=True)
class Job:
    """A command that ends with 0 if its tests have passed."""
    name: str
    command: list[str]
    # What only one job may use at a time: the browser takes more than one core, and dpkg locks its database.
    uses: str = ""
    # What must be there: "root", "corpora" or "java".
    needs: tuple[str, ...] = ()

    def again(self, said: str) -> list[str]:
        """The command that repeats what has failed, by what the first run printed."""
        failed = sorted(set(FAILED_TEST.findall(said)))
        if self.command == CARGO_TEST and failed:
            return [*CARGO_TEST, "--", "--exact", *failed]
        return self.command


@dataclass(frozen=True)
class Script:
    """A script of this folder with the arguments of `tests/run` and, where it has more to prove in more time, those of `tests/run --long`."""
    name: str
    arguments: list[str] = field(default_factory=list)
    long: list[str] | None = None
    title: str = ""
    uses: str = ""
    needs: tuple[str, ...] = ()

    def job(self, binary: Path, corpora: Path, is_long: bool) -> Job:
        arguments = self.long if is_long and self.long is not None else self.arguments
        corpus = [str(corpora)] if "corpora" in self.needs else []
        return Job(self.title or self.name, [str(TESTS / self.name), *corpus, "--binary", str(binary), *arguments], self.uses, self.needs)


SCRIPTS = [
    Script("open_rendered", uses="browser"),
    Script("documents_compare", uses="packages", needs=("root",)),
    Script("spark_dedup", ["--only", "servicecomb-docs", "--texts", "1000", "--partitions", "2"], [], needs=("corpora", "java")),
    Script("python_package"),
    Script("containers", [], ["--rendering"], uses="packages", needs=("root",)),
    Script("install", uses="packages", needs=("root",)),
    Script("kill_and_resume", ["--kills", "20", "--seed", "7"], ["--kills", "1000", "--seed", "7"], needs=("corpora",)),
    Script("fleet_crawl", [*FLEET, *FAULTS, "--kills", "4", "--primary-kills", "1", "--stops", "1", "--sleeps", "1"],
           ["--lease", "6", "--seed", "7", "--kills", "50", "--primary-kills", "10", "--stops", "5", "--sleeps", "3"],
           title="fleet_crawl with faults", needs=("corpora",)),
    Script("markdown_words", ["--limit", "100"], [], needs=("corpora",)),
    Script("one_reading", ["--limit", "100", "--check", "20"], [], needs=("corpora",)),
    Script("rendered_walls", uses="browser", needs=("root",)),
    Script("rendered_long", ["--pages", "40", "--kills", "2"], [], uses="browser"),
    Script("chaos", ["--minutes", "1", "--seed", "7"], ["--minutes", "60", "--seed", "7"]),
    Script("fleet_crawl", [*FLEET, "--single"], title="fleet_crawl", needs=("corpora",)),
    Script("fleet_spark", ["--kills", "4", "--primary-kills", "1", "--seed", "7"], ["--kills", "20", "--primary-kills", "4", "--seed", "7"],
           needs=("corpora", "java")),
    Script("open_serve", uses="browser"),
    Script("open_report", uses="browser"),
    Script("open_archive"),
    Script("open_export"),
    Script("open_merge"),
    Script("tune_predicts", ["--at", "4,0.85"], [], needs=("corpora",)),
    Script("real_input", needs=("corpora",)),
    Script("ask_while_running", ["--pages", "3000", "--rounds", "1", "--every", "0.2", "--at-least", "0"]),
    Script("open_metrics"),
    Script("many_hosts", ["--hosts", "3000"], []),
]


def jobs(binary: Path, corpora: Path, is_long: bool) -> list[Job]:
    """Every job; those of `cargo test` and of the scripts' own parts come first."""
    return [Job("cargo test", CARGO_TEST),
            Job("unittest", ["python3", "-B", "-m", "unittest", "discover", "--start-directory", str(TESTS)]),
            *(script.job(binary, corpora, is_long) for script in SCRIPTS)]


def missing(job: Job, corpora: Path) -> str | None:
    """Why a job cannot be run here."""
    if "root" in job.needs and os.geteuid() != 0:
        return "only root can run it"
    if "java" in job.needs and shutil.which("java") is None:
        return "there is no java (17 or 21, as in openjdk-17-jre-headless)"
    if "corpora" in job.needs and not corpora.is_dir():
        return f"there is no folder {corpora} (name it with CORPORA=DIR)"
    return None
