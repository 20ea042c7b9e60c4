"""What the server saw: the only witness that neither the crawler nor its report can influence."""
from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

# One line of the log: local time of the answer's end, seconds it took, status, whether all of it was sent ("OK"), the rest.
NGINX_FORMAT = "$msec $request_time $status o$request_completion $request_method $request_uri"
OK = 200
# Asked for by a crawler of its own accord, at every start if it likes.
HOST_FILES = ("/robots.txt", "/sitemap.xml")


@dataclass(frozen=True)
class Hit:
    """One request, as the server logged it."""

    at: float
    """Seconds since the epoch at which the answer ended."""
    seconds: float
    status: int
    complete: bool
    """The whole answer was handed to the connection; a request cut off by a kill has no answer."""
    method: str
    uri: str
    """As sent: percent-encoded, with its query."""

    @property
    def page(self) -> str | None:
        """The id of the page that was asked for by its own name, with no query."""
        return None if "?" in self.uri else unquote(self.uri).removeprefix("/")


def parse_log(text: str) -> list[Hit]:
    """The requests of a log; an unfinished last line is left out."""
    complete_lines = text[: text.rfind("\n") + 1].splitlines()
    return [_parse_line(line) for line in complete_lines]


def _parse_line(line: str) -> Hit:
    at, seconds, status, completion, method, uri = line.split(" ", 5)
    return Hit(float(at), float(seconds), int(status), completion == "oOK", method, uri)


@dataclass
class LogReader:
    """Reads a growing log from where it stopped the last time."""

    path: Path
    offset: int = 0

    def read(self) -> list[Hit]:
        """The requests since the last call."""
        with self.path.open("rb") as log:
            log.seek(self.offset)
            new = log.read()
        new = new[: new.rfind(b"\n") + 1]
        self.offset += len(new)
        return parse_log(new.decode("utf-8", "replace"))


def pages_answered(hits: Iterable[Hit]) -> set[str]:
    """The distinct URIs that brought a page: what pages a second are counted in, for every crawler alike."""
    return {hit.uri for hit in hits if hit.status == OK and hit.complete and hit.uri not in HOST_FILES}


def not_fetched_once(hits: Iterable[Hit], linked: Collection[str]) -> dict[str, list[int]]:
    """Those of the `linked` pages that were not asked for exactly once and with success: the status of each request."""
    statuses: dict[str, list[int]] = {page: [] for page in linked}
    for hit in hits:
        if hit.page in statuses:
            statuses[hit.page].append(hit.status if hit.complete else 0)
    return {page: seen for page, seen in statuses.items() if seen != [OK]}


@dataclass(frozen=True)
class Life:
    """One run of the crawler, from its start to its kill or its end."""

    hits: list[Hit]
    killed_at: float | None
    """Seconds since the epoch; `None` when it ended by itself."""


@dataclass(frozen=True)
class Redone:
    """A URI that was asked for again although it had been answered."""

    uri: str
    life: int
    """The life, from 0, that had the answer."""
    age: float | None
    """Seconds from that answer to the kill; `None` when no kill lay between the two requests."""


def redone_fetches(lives: Iterable[Life]) -> list[Redone]:
    """Every request whose URI had been answered before, each charged to the latest of those answers."""
    last_answer: dict[str, tuple[int, float]] = {}
    redone = []
    killed_at: list[float | None] = []
    for number, life in enumerate(lives):
        killed_at.append(life.killed_at)
        for hit in life.hits:
            if not hit.complete or hit.uri in HOST_FILES:
                continue
            if hit.uri in last_answer:
                before, at = last_answer[hit.uri]
                kill = killed_at[before] if before != number else None
                redone.append(Redone(hit.uri, before, None if kill is None else kill - at))
            last_answer[hit.uri] = (number, hit.at)
    return redone


def redone_by_life(redone: Iterable[Redone]) -> dict[int, int]:
    """How many fetches each life's end cost."""
    counts: dict[int, int] = defaultdict(int)
    for again in redone:
        counts[again.life] += 1
    return dict(counts)
