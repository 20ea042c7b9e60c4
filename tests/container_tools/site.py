"""A small site under several hosts, in which each page has a text of its own."""
from __future__ import annotations

import hashlib
import random
import time

from fleet_tools.server import NOT_FOUND, OK, Request
from public_tools.loopback import loopback_hosts

HOSTS, PAGES, WORDS = 8, 20, 120
# From this page on, answers wait for the gate.
GATED_PAGE = 5
HOLD_SECONDS = 0.05
SLOW_SECONDS = 1.0


class Site:
    """Page `/N` links to two pages of its host, and to page N of the next host.

    The site is slow until every worker has asked, so that the first one is not done before. From then on, a gate holds most pages back until
    it is opened.
    """

    def __init__(self, workers: int) -> None:
        self.hosts = loopback_hosts(HOSTS)
        self.port = 0
        self.is_open = False
        self._workers = workers
        self._asked: set[str] = set()

    def url(self, host: str, page: int) -> str:
        """The URL of a page."""
        return f"http://{host}:{self.port}/{page}"

    @property
    def seeds(self) -> list[str]:
        """The first page of each host."""
        return [self.url(host, 0) for host in self.hosts]

    @property
    def urls(self) -> set[str]:
        """All pages."""
        return {self.url(host, page) for host in self.hosts for page in range(PAGES)}

    def answer(self, host: str, path: str) -> tuple[int, bytes, str]:
        """What the server sends."""
        if path == "/robots.txt":
            return OK, b"User-agent: *\nDisallow:\n", "text/plain"
        if not path[1:].isdigit() or int(path[1:]) >= PAGES:
            return NOT_FOUND, b"", "text/plain"
        page = int(path[1:])
        chance = random.Random(f"{host}{path}")
        words = " ".join(hashlib.sha256(chance.randbytes(8)).hexdigest()[:7] for _ in range(WORDS))
        after = self.hosts[(self.hosts.index(host) + 1) % HOSTS]
        links = [f"/{child}" for child in (2 * page + 1, 2 * page + 2) if child < PAGES] + [self.url(after, page)]
        anchors = "".join(f'<li><a href="{link}">{link}</a></li>' for link in links)
        return OK, f"<!doctype html><title>{words[:30]}</title><body><main><p>{words}</p></main><ul>{anchors}</ul>".encode(), "text/html"

    def hold(self, request: Request) -> float:
        """Seconds that the answer still waits."""
        self._asked.add(request.worker)
        if len(self._asked) < self._workers:
            # A worker that joins gets a host when no request of it is under way.
            return HOLD_SECONDS if time.monotonic() < request.began + SLOW_SECONDS else 0.0
        is_gated = request.path[1:].isdigit() and int(request.path[1:]) >= GATED_PAGE
        return HOLD_SECONDS if is_gated and not self.is_open else 0.0
