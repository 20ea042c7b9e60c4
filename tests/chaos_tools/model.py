"""The model that must hold after every step, for the log of the site, the answers of the commands and the data folder."""
from __future__ import annotations

import fcntl
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .program import Ended, Program
from .site import FORBIDDEN_FOLDER, HOST_FILES, Kind, Site

SHOWN = 5
UNSTABLE = {Kind.CHANGING, Kind.VANISHING}
LASTING_NAMES = {"README.md", "lock", "last-commit", "settings", "state", "warc"}
UNANSWERED = {"connect", "timeout", "interrupted", "protocol", "http_503"}
OLD_STATE = "state.before-"
WORKING_FOLDERS = {"state.rebuilding", "state.compacting"}


class Finding(Exception):
    """A contradiction between crawl and model: a defect of the crawler or of this model."""


def demand(holds: bool, what: object) -> None:
    """Raises a finding if the condition does not hold."""
    if not holds:
        raise Finding(str(what))


@dataclass(frozen=True)
class Answers:
    """The outcomes of the URLs, from the answers of the commands."""

    kept: frozenset[str]
    duplicates: dict[str, str]
    """The representative of each duplicate."""
    without_page: frozenset[str]
    """Failed, excluded, redirected."""
    unanswered: frozenset[str]
    """Failed because the server was down or the machine was slow."""
    orphans: frozenset[str]
    gone: frozenset[str]
    queued: int
    due: int = 0
    """Visits of a refresh that wait."""

    @property
    def pages(self) -> set[str]:
        """The URLs with a page."""
        return {*self.kept, *self.duplicates, *self.orphans, *self.gone}

    @property
    def finished(self) -> set[str]:
        """The URLs that need no further request."""
        return self.pages | self.without_page


NOTHING = Answers(frozenset(), {}, frozenset(), frozenset(), frozenset(), frozenset(), 0)


@dataclass
class Model:
    """The knowledge about one crawl."""

    program: Program
    site: Site
    known: Answers = NOTHING
    has_state: bool = False
    may_ask_again: set[str] = field(default_factory=set)
    """Finished URLs that the next run may fetch again, because their verdicts changed or their records are damaged."""
    scarred: set[str] = field(default_factory=set)
    """Pages with damaged records: the run after each rebuild fetches them again, because the damage stays in the archive."""
    may_leave_folders: bool = False
    """Whether a rebuild or a compaction was killed."""
    has_whole_index: bool = False
    """Whether the last command that writes the index of the archive succeeded."""
    counted: int = 0
    """Number of checked requests."""

    def check_command(self, ended: Ended, allowed: set[int]) -> None:
        """Checks the end of a command."""
        demand(not ended.was_late, f"no end in time: {ended}")
        demand(not ended.has_panicked, f"panic: {ended}")
        demand(ended.code in allowed, f"exit code {ended.code}, expected one of {sorted(allowed)}: {ended}")
        if ended.code == 1 and not ended.command.startswith("verify"):
            demand(ended.err.strip().splitlines()[-1:] != [], f"exit code 1 without a message: {ended}")
        self._check_lock()

    def asked_since_check(self) -> set[str]:
        """The URLs of the requests since the last check."""
        return {self.site.url_of(request) for request in self.site.asked[self.counted:] if request.path not in HOST_FILES}

    def check_requests(self, may_ask_all: bool) -> None:
        """Checks the requests to the site since the last check."""
        urls = self.asked_since_check()
        asked, self.counted = self.site.asked[self.counted:], len(self.site.asked)
        for request in asked:
            demand(request.host != self.site.outside, f"asked a host outside the scope: {request}")
            demand(not request.path.startswith(FORBIDDEN_FOLDER), f"asked although robots.txt forbids it: {request}")
        if may_ask_all:
            return
        again = sorted(urls & self.known.finished - self.may_ask_again)
        demand(not again, f"{len(again)} finished URLs were asked for again: {again[:SHOWN]}")

    def check_answers(self, may_lose_outcomes: bool = False, may_lose_pages: bool = False, may_decide_again: bool = False) -> None:
        """No finished URL is lost, and every duplicate has the text of a kept page."""
        now = self.read()
        lost = self.known.pages - now.pages - self._unstable()
        demand(may_lose_pages or not lost, f"{len(lost)} pages are lost: {sorted(lost)[:SHOWN]}")
        outcomes = self.known.finished - now.finished - self._unstable()
        demand(may_lose_outcomes or may_lose_pages or not outcomes, f"{len(outcomes)} outcomes are lost: {sorted(outcomes)[:SHOWN]}")
        if may_decide_again:
            self.may_ask_again |= {url for url in now.kept if url not in self.known.kept}
        self._check_duplicates(now)
        self.known = now

    def check_sound(self) -> None:
        """`verify` finds nothing."""
        if self.has_state:
            ended = self.program.run("verify", "--quiet")
            self.check_command(ended, {0, 1})
            demand(ended.code == 0, f"verify has findings: {ended}")

    def check_folder(self) -> None:
        """A successful command leaves no temporary file."""
        names = {path.name for path in self.program.data.iterdir()}
        left = {name for name in names - LASTING_NAMES if not name.startswith(OLD_STATE)}
        if self.may_leave_folders:
            left -= WORKING_FOLDERS
        left |= {path.name for path in (self.program.data / "warc").iterdir()
                 if not path.name.endswith(".warc.gz") and path.name != "index.cdxj"}
        left |= {path.name for path in (self.program.data / "state").iterdir() if path.name.endswith(".generating")}
        demand(not left, f"left behind in the data folder: {sorted(left)}")

    def check_complete(self) -> None:
        """At the end, every reachable page has a page record, and every text has a kept page."""
        now, by_url = self.known, self.site.by_url()
        reachable = self.site.reachable(now.unanswered)
        missing = sorted(reachable - now.pages)
        demand(not missing, f"{len(missing)} pages were never kept or dropped: {missing[:SHOWN]}")
        kept = {by_url[url].text for url in now.kept if url in by_url}
        without = sorted(url for url in reachable if by_url[url].text not in kept)
        demand(not without, f"no page with the text of these is kept: {without[:SHOWN]}")

    def read(self) -> Answers:
        """The answers of `report` and `export`, which must agree."""
        if not self.has_state:
            return NOTHING
        ended = self.program.run("report", "--quiet", "--format", "json")
        self.check_command(ended, {0})
        try:
            answers = answers_of(json.loads(ended.out))
        except (ValueError, KeyError) as error:
            raise Finding(f"no report: {error!r}: {ended}") from error
        return answers

    def check_export(self) -> None:
        """The export has the kept pages with their texts."""
        ended = self.program.run("export", "--quiet", "--include-empty", "--format", "jsonl")
        self.check_command(ended, {0, 3})
        pages = [json.loads(line) for line in ended.out.splitlines()]
        urls = {page["url"] for page in pages}
        demand(len(urls) == len(pages), "the export has a URL twice")
        demand(urls <= self.known.kept, f"exported but not kept: {sorted(urls - self.known.kept)[:SHOWN]}")
        missing = self.known.kept - urls - self.may_ask_again
        demand(not missing, f"kept but not exported: {sorted(missing)[:SHOWN]}")

    def _check_duplicates(self, now: Answers) -> None:
        by_url = self.site.by_url()
        for url, of in now.duplicates.items():
            demand(of in now.kept, f"{url} is a duplicate of {of}, which is not kept")
            this, that = by_url.get(url), by_url.get(of)
            if this is None or that is None or {this.kind, that.kind} & UNSTABLE:
                continue
            demand(this.text == that.text, f"{url} is dropped as a duplicate of {of}, whose text is another")

    def _unstable(self) -> set[str]:
        """The URLs whose outcome may change by itself at a refresh."""
        return {url for url, resource in self.site.by_url().items() if resource.kind in UNSTABLE}

    def _check_lock(self) -> None:
        lock = self.program.data / "lock"
        if not lock.exists():
            return
        with lock.open("rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise Finding("the data folder is still locked") from error


def answers_of(report: dict[str, Any]) -> Answers:
    """The outcomes in a report."""
    clusters = report["clusters"]
    duplicates = {each["url"]: cluster["kept"] for cluster in clusters for each in cluster["duplicates"]}
    without = [each["url"] for name in ("failures", "excluded", "redirects") for each in report[name]]
    return Answers(frozenset(cluster["kept"] for cluster in clusters), duplicates, frozenset(without),
                   frozenset(each["url"] for each in report["failures"] if each["kind"] in UNANSWERED),
                   frozenset(each["url"] for each in report["orphans"]),
                   frozenset(each["url"] for each in report["refresh"]["gone"]), report["counts"]["queued"],
                   report["counts"].get("due", 0))


def largest_file(folder: Path) -> int:
    """Bytes of the largest file in the folder."""
    return max((path.stat().st_size for path in folder.rglob("*") if path.is_file()), default=0)
