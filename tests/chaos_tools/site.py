"""A random, partly hostile site on loopback. Its pages are a function of a seed and a version."""
from __future__ import annotations

import asyncio
import gzip
import html
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum, auto

HOST = "127.0.0.1"
HOST_FILES = ("/robots.txt", "/sitemap.xml")
FORBIDDEN_FOLDER = "/private/"
VOCABULARY_WORDS = 3_000
TEXT_WORDS = 120, 400
# A near-duplicate changes one word in this number of words: the Jaccard index of the five-word runs stays above 0.9.
WORDS_A_CHANGE = 150
BOMB_BYTES = 3_000_000
SLOW_SECONDS = 0.5
SILENT_SECONDS = 5.0
HEAD_TIMEOUT_SECONDS = 30


class Kind(Enum):
    """The kind of answer of a URL."""

    PAGE = auto()
    EXACT = auto()
    NEAR = auto()
    NOINDEX = auto()
    REDIRECT = auto()
    LOOP = auto()
    OUTSIDE = auto()
    TO_FILE = auto()
    TO_METADATA = auto()
    NOT_FOUND = auto()
    ERROR = auto()
    BUSY = auto()
    RESET = auto()
    TOO_SHORT = auto()
    TOO_LONG = auto()
    BROKEN_CHUNKS = auto()
    BOMB = auto()
    SLOW = auto()
    SILENT = auto()
    HUGE_HEAD = auto()
    IMAGE = auto()
    CHANGING = auto()
    VANISHING = auto()
    FORBIDDEN = auto()


STABLE_PAGES = {Kind.PAGE, Kind.EXACT, Kind.NEAR}
"""Kinds whose text never changes, and which every crawl can fetch."""
HARMLESS = [Kind.PAGE] * 12 + [Kind.EXACT] * 4 + [Kind.NEAR] * 5 + [Kind.REDIRECT] * 2 + [Kind.NOT_FOUND, Kind.NOINDEX, Kind.IMAGE]
HOSTILE = [Kind.LOOP, Kind.OUTSIDE, Kind.TO_FILE, Kind.TO_METADATA, Kind.ERROR, Kind.BUSY, Kind.RESET, Kind.TOO_SHORT,
           Kind.TOO_LONG, Kind.BROKEN_CHUNKS, Kind.BOMB, Kind.SLOW, Kind.SILENT, Kind.HUGE_HEAD, Kind.CHANGING, Kind.CHANGING,
           Kind.VANISHING, Kind.FORBIDDEN]


@dataclass
class Resource:
    """One URL of the site."""

    host: int
    path: str
    kind: Kind
    text: int
    """Number of its text: resources with one number are duplicates."""
    links: list[Resource] = field(default_factory=list)


@dataclass(frozen=True)
class Asked:
    """A request."""

    at: float
    host: int
    path: str


class Site:
    """Hosts on ports of loopback, and one more host to which no request may go."""

    def __init__(self, chance: random.Random) -> None:
        self.version = 0
        self.asked: list[Asked] = []
        self._seed = chance.randrange(1 << 30)
        self._words = _vocabulary(chance)
        hosts = chance.randrange(1, 4)
        self.resources = _resources(chance, hosts)
        self._by_place = {(each.host, each.path): each for each in self.resources}
        self._ports = [0] * (hosts + 1)
        self._loop = asyncio.new_event_loop()
        self._servers: list[asyncio.Server] = []
        self._writers: set[asyncio.StreamWriter] = set()

    @property
    def outside(self) -> int:
        """The number of the host outside the crawl."""
        return len(self._ports) - 1

    @property
    def seeds(self) -> list[str]:
        """The first page of each host."""
        return [self.url(each) for each in self.resources if each.path == "/"]

    def url(self, resource: Resource) -> str:
        """Its URL."""
        return f"http://{HOST}:{self._ports[resource.host]}{resource.path}"

    def by_url(self) -> dict[str, Resource]:
        """All resources."""
        return {self.url(resource): resource for resource in self.resources}

    def url_of(self, asked: Asked) -> str:
        """The URL of a request."""
        return f"http://{HOST}:{self._ports[asked.host]}{asked.path}"

    def reachable(self, without: frozenset[str]) -> set[str]:
        """The stable pages that are reachable from the seeds through stable pages, without the links of the URLs `without`."""
        found = {(each.host, each.path): each for each in self.resources if each.path == "/" and self.url(each) not in without}
        waiting = list(found.values())
        while waiting:
            for link in waiting.pop().links:
                if (link.host, link.path) not in found and link.kind in STABLE_PAGES and self.url(link) not in without:
                    found[link.host, link.path] = link
                    waiting.append(link)
        return {self.url(resource) for resource in found.values()}

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Answers while the block runs."""
        thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        thread.start()
        try:
            self.appear()
            yield
        finally:
            self.vanish()
            self._loop.call_soon_threadsafe(self._loop.stop)
            thread.join()
            self._loop.close()

    def appear(self) -> None:
        """Listens on the same ports as before."""
        asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result()

    def vanish(self) -> None:
        """Closes every socket."""
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result()

    async def _listen(self) -> None:
        for host, port in enumerate(self._ports):
            async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: int = host) -> None:
                await self._converse(host, reader, writer)

            server = await asyncio.start_server(answer, HOST, port, reuse_address=True)
            self._ports[host] = server.sockets[0].getsockname()[1]
            self._servers.append(server)

    async def _close(self) -> None:
        for server in self._servers:
            server.close()
        self._servers.clear()
        for writer in list(self._writers):
            writer.transport.abort()
        conversations = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for conversation in conversations:
            conversation.cancel()
        await asyncio.gather(*conversations, return_exceptions=True)

    async def _converse(self, host: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            while True:
                head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), HEAD_TIMEOUT_SECONDS)
                path = head.split(b" ", 2)[1].decode("latin-1")
                self.asked.append(Asked(time.time(), host, path))
                if not await self._answer(host, path, writer):
                    break
                await writer.drain()
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError, asyncio.TimeoutError, IndexError,
                asyncio.CancelledError):
            pass
        finally:
            self._writers.discard(writer)
            writer.close()

    async def _answer(self, host: int, path: str, writer: asyncio.StreamWriter) -> bool:
        """Writes the answer. Returns whether the connection stays open."""
        if path == "/robots.txt":
            writer.write(_response(f"User-agent: *\nDisallow: {FORBIDDEN_FOLDER}\n".encode(), "text/plain"))
            return True
        resource = self._by_place.get((host, path))
        if resource is None:
            writer.write(_response(b"no such page", "text/plain", "404 Not Found"))
            return True
        return await self._answer_as(resource, writer)

    async def _answer_as(self, resource: Resource, writer: asyncio.StreamWriter) -> bool:
        kind = resource.kind
        target = {Kind.REDIRECT: lambda: self.url(resource.links[0]), Kind.LOOP: lambda: self.url(resource),
                  Kind.OUTSIDE: lambda: f"http://{HOST}:{self._ports[self.outside]}/", Kind.TO_FILE: lambda: "file:///etc/passwd",
                  Kind.TO_METADATA: lambda: "http://169.254.169.254/latest"}.get(kind)
        if target is not None:
            writer.write(_response(b"", "text/plain", "301 Moved", f"Location: {target()}\r\n"))
            return True
        gone = kind is Kind.VANISHING and self.version % 2 == 1
        status = {Kind.NOT_FOUND: "404 Not Found", Kind.ERROR: "500 Error", Kind.BUSY: "503 Busy"}.get(kind)
        if status or gone:
            writer.write(_response(b"nothing here", "text/plain", status or "404 Not Found"))
            return True
        body = self._page(resource).encode()
        if kind is Kind.IMAGE:
            writer.write(_response(b"\x89PNG", "image/png"))
        elif kind is Kind.BOMB:
            writer.write(_response(gzip.compress(bytes(BOMB_BYTES)), "text/html", more="Content-Encoding: gzip\r\n"))
        elif kind is Kind.SILENT:
            await asyncio.sleep(SILENT_SECONDS)
            return False
        elif kind is Kind.SLOW:
            return await _drip(body, writer)
        elif kind in (Kind.RESET, Kind.TOO_LONG, Kind.BROKEN_CHUNKS, Kind.TOO_SHORT):
            _break_off(kind, body, writer)
            return False
        else:
            cookie = "Set-Cookie: id=" + "x" * 100 + "\r\n"
            more = cookie + ("X-Fill: " + "y" * 300_000 + "\r\n" if kind is Kind.HUGE_HEAD else "")
            writer.write(_response(body, "text/html; charset=utf-8", more=more))
        return True

    def _page(self, resource: Resource) -> str:
        links = "".join(f'<a href="{html.escape(self.url(link))}">{index}</a> ' for index, link in enumerate(resource.links))
        robots = '<meta name="robots" content="noindex">' if resource.kind is Kind.NOINDEX else ""
        return (f'<!doctype html><html lang="en"><head><title>Text {resource.text}</title>{robots}</head><body><article><p>'
                f"{self._text(resource)}</p></article><nav>{links}</nav></body></html>")

    def _text(self, resource: Resource) -> str:
        version = self.version if resource.kind is Kind.CHANGING else 0
        chance = random.Random(f"{self._seed} {resource.text} {version}")
        words = [chance.choice(self._words) for _ in range(chance.randrange(*TEXT_WORDS))]
        if resource.kind is Kind.NEAR:
            own = random.Random(f"{self._seed} {resource.host} {resource.path}")
            for _ in range(1 + len(words) // WORDS_A_CHANGE):
                words[own.randrange(len(words))] = own.choice(self._words)
        return " ".join(words)


async def _drip(body: bytes, writer: asyncio.StreamWriter) -> bool:
    response = _response(body, "text/html; charset=utf-8")
    for part in range(10):
        writer.write(response[part * len(response) // 10:(part + 1) * len(response) // 10])
        await writer.drain()
        await asyncio.sleep(SLOW_SECONDS / 10)
    return True


def _break_off(kind: Kind, body: bytes, writer: asyncio.StreamWriter) -> None:
    """An answer whose body contradicts its head."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
    if kind is Kind.BROKEN_CHUNKS:
        writer.write(head + b"Transfer-Encoding: chunked\r\n\r\n10\r\n" + body[:16] + b"\r\nzz\r\n" + body)
    elif kind is Kind.TOO_SHORT:
        writer.write(head + f"Content-Length: {len(body) // 2}\r\n\r\n".encode() + body)
    else:
        writer.write(head + f"Content-Length: {2 * len(body)}\r\n\r\n".encode() + body)
    if kind is Kind.RESET:
        writer.transport.abort()


def _response(body: bytes, content_type: str, status: str = "200 OK", more: str = "") -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {len(body)}\r\n{more}\r\n"
    return head.encode() + body


def _vocabulary(chance: random.Random) -> list[str]:
    syllables = [first + second for first in "bdfgklmnprstvz" for second in "aeiou"]
    return ["".join(chance.choices(syllables, k=chance.randrange(2, 5))) for _ in range(VOCABULARY_WORDS)]


def _resources(chance: random.Random, hosts: int) -> list[Resource]:
    """The first page of each host, and dozens of other pages. An earlier page that every crawl can read links to each of them."""
    resources = [Resource(host, "/", Kind.PAGE, host) for host in range(hosts)]
    texts = hosts
    hostility = chance.choice([0.0, 0.1, 0.25])
    for number in range(chance.randrange(20, 120)):
        kind = chance.choice(HOSTILE if chance.random() < hostility else HARMLESS)
        pages = [each for each in resources if each.kind is Kind.PAGE]
        text = chance.choice(pages).text if kind in (Kind.EXACT, Kind.NEAR) else texts
        texts += 1
        folder = FORBIDDEN_FOLDER if kind is Kind.FORBIDDEN else chance.choice(["/", "/a/", "/b/c/"])
        resource = Resource(chance.randrange(hosts), f"{folder}{number}", kind, text)
        if kind is Kind.REDIRECT:
            resource.links.append(chance.choice(pages))
        for parent in chance.sample(pages, min(len(pages), chance.randrange(1, 3))):
            parent.links.append(resource)
        resources.append(resource)
    pages = [each for each in resources if each.kind in STABLE_PAGES]
    for page in pages:
        page.links += chance.sample(pages, min(len(pages), 2))
    # The first pages link to each other, so that every seed leads to every host.
    for host in range(hosts):
        resources[host].links.append(resources[(host + 1) % hosts])
    return resources
