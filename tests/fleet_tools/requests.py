"""What the server's log proves: each page asked once, one worker at a time at a host, the delay kept.

The log is strict: a request begins when its head has arrived and ends just before its answer leaves, both by one clock. So the
time between two requests at a host is never shorter in the log than the crawler made it, except for the requests that `Sleep` describes.
"""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from .server import OK, Request

# Asked for by each worker that begins with a host.
HOST_FILES = ("/robots.txt", "/sitemap.xml")
# A request that was under way when its worker was stopped arrives within this time after the worker goes on.
WAKE_SECONDS = 1.0


@dataclass(frozen=True)
class Sleep:
    """A worker was stopped for longer than its lease. All times are those of the log's clock."""

    worker: str
    began: float
    ended: float

    def woke(self, request: Request) -> bool:
        """Whether the request may have been under way when the worker was stopped.

        The worker decides that it may ask, then the bytes go out. A stop between these two cannot be told from inside. So if such a
        request meets those of another worker, it is judged on its own: at most one a host, as the worker never has more open there.
        """
        return request.worker == self.worker and self.ended <= request.began <= self.ended + WAKE_SECONDS


@dataclass
class Conduct:
    """How the workers treated the hosts."""

    overlaps: list[str] = field(default_factory=list)
    """Requests that began while another worker's request at the host was open."""
    crowded: list[str] = field(default_factory=list)
    """Requests that began while one of the same worker was open."""
    hurried: list[str] = field(default_factory=list)
    """Requests that began too soon after the one before."""
    stragglers: list[Request] = field(default_factory=list)
    """Requests of a worker that had just been woken, at hosts that another worker had begun to ask."""
    crowded_wakes: list[str] = field(default_factory=list)
    """Hosts that a woken worker asked so more than once."""
    shortest: float = float("inf")
    """The shortest time between two requests of a host, in seconds."""
    owners: int = 0
    """How many times a host went from one worker to another."""


def conduct(requests: Iterable[Request], delay_seconds: float, sleeps: Iterable[Sleep] = ()) -> Conduct:
    """Judges the requests of each host in their order."""
    sleeps = list(sleeps)
    found = Conduct()
    by_host: dict[str, list[Request]] = {}
    for request in requests:
        by_host.setdefault(request.host, []).append(request)
    for asked in by_host.values():
        _judge_host(sorted(asked, key=lambda request: request.began), delay_seconds, sleeps, found)
    wakes: dict[tuple[Sleep, str], int] = {}
    for request in found.stragglers:
        place = next(sleep for sleep in sleeps if sleep.woke(request)), request.host
        wakes[place] = wakes.get(place, 0) + 1
    found.crowded_wakes = [f"{host}: {count} requests of {sleep.worker} after it woke" for (sleep, host), count in wakes.items() if count > 1]
    return found


def _judge_host(asked: list[Request], delay_seconds: float, sleeps: list[Sleep], found: Conduct) -> None:
    judged: list[Request] = []

    def is_straggler(request: Request) -> bool:
        return any(sleep.woke(request) for sleep in sleeps)

    for after in asked:
        while judged:
            before = judged[-1]
            gap = after.began - (before.ended or float("inf"))
            is_handover = before.worker != after.worker
            if gap >= delay_seconds or not is_handover or not (is_straggler(before) or is_straggler(after)):
                found.owners += is_handover
                found.shortest = min(found.shortest, gap)
                if gap < delay_seconds:
                    shown = f"{after.host}: {after.worker} {after.path} {gap * 1000:.0f} ms after the end of {before.worker} {before.path}"
                    (found.hurried if gap >= 0 else found.overlaps if is_handover else found.crowded).append(shown)
                break
            if is_straggler(after):
                found.stragglers.append(after)
                break
            found.stragglers.append(judged.pop())
        if not found.stragglers or found.stragglers[-1] is not after:
            judged.append(after)


def not_asked_once(requests: Iterable[Request], wanted: set[tuple[str, str]]) -> dict[tuple[str, str], list[int]]:
    """Those of the wanted (host, path) that were not asked for exactly once and with success: the status of each request."""
    statuses: dict[tuple[str, str], list[int]] = {place: [] for place in wanted}
    for request in requests:
        if request.url_path in statuses:
            statuses[request.url_path].append(request.status)
    return {place: seen for place, seen in statuses.items() if seen != [OK]}


def asked_again(requests: Iterable[Request]) -> list[tuple[Request, Request]]:
    """Each request for something that had been answered before, with the latest of those answers."""
    answered: dict[tuple[str, str], Request] = {}
    again = []
    for request in sorted(requests, key=lambda request: request.began):
        if request.path in HOST_FILES or not request.status:
            continue
        if request.url_path in answered:
            again.append((answered[request.url_path], request))
        answered[request.url_path] = request
    return again


@dataclass(frozen=True)
class Trouble:
    """A fault, from its beginning to its end, by the log's clock."""

    name: str
    began: float
    ended: float


def without_cause(again: Iterable[tuple[Request, Request]], troubles: Iterable[Trouble]) -> list[tuple[Request, Request]]:
    """The repetitions between whose two requests no trouble lies or lasts."""
    troubles = list(troubles)
    return [(first, second) for first, second in again
            if not any(trouble.began <= second.began and trouble.ended >= first.began for trouble in troubles)]
