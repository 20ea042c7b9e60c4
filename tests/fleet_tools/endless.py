"""A site that never ends: each page of each host has its own text, and links to pages that nobody has seen."""
from __future__ import annotations

import hashlib
import random

from public_tools.loopback import loopback_hosts

from .server import NOT_FOUND, OK

CHILDREN = 8
FOREIGN_LINKS = 2
WORDS_A_PAGE = 200
HTML, TEXT = "text/html", "text/plain"


class Endless:
    """Page `/N` links to `CHILDREN` pages of its host, and to pages of `FOREIGN_LINKS` other hosts."""

    def __init__(self, hosts: int) -> None:
        self.hosts = loopback_hosts(hosts)
        self.port = 0
        self._words = [hashlib.sha256(str(number).encode()).hexdigest()[:7] for number in range(50_000)]
        self._numbers = {host: number for number, host in enumerate(self.hosts)}

    @property
    def seeds(self) -> list[str]:
        """The first page of each host."""
        return [f"http://{host}:{self.port}/0" for host in self.hosts]

    def answer(self, host: str, path: str) -> tuple[int, bytes, str]:
        """What the server sends."""
        if path == "/robots.txt":
            return OK, b"User-agent: *\nDisallow:\n", TEXT
        if not path[1:].isdigit() or host not in self._numbers:
            return NOT_FOUND, b"", TEXT
        number = int(path[1:])
        chance = random.Random(f"{host}{path}")
        words = " ".join(chance.choices(self._words, k=WORDS_A_PAGE))
        own = [f"/{number * CHILDREN + child}" for child in range(1, CHILDREN + 1)]
        others = [f"http://{chance.choice(self.hosts)}:{self.port}/{number * CHILDREN + 1}" for _ in range(FOREIGN_LINKS)]
        links = "".join(f'<li><a href="{link}">{chance.choice(self._words)}</a></li>' for link in own + others)
        return OK, f"<!doctype html><title>{words[:40]}</title><body><main><p>{words}</p></main><ul>{links}</ul>".encode(), HTML
