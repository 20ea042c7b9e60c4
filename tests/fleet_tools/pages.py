"""The corpora under many hosts. Each host has pages of some folders, and a start page that links to the pages of the next host."""
from __future__ import annotations

import hashlib
import heapq
import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote, urljoin, urlsplit

from public_tools.loopback import loopback_hosts
from real_site.corpora import Corpus
from real_site.server import index_page
from real_site.verdicts import Naming

from .server import NOT_FOUND, OK

LINK = re.compile(rb'(?i)\b(href|src|action)="([^"#]*)')
HTML, TEXT = "text/html", "text/plain"
INDEX = "index.html"


class Pages:
    """All pages, by key: `CORPUS/ID`. The path of a URL is `/` and the key."""

    def __init__(self, corpora: list[Corpus], hosts: int, left_out: Iterable[str] = ()) -> None:
        self.corpora = corpora
        self.hosts = loopback_hosts(hosts)
        self.port = 0
        """Set when the server has one, before the first request."""
        self._files = {f"{corpus.name}/{page}": corpus.root / page for corpus in corpora for page in corpus.pages()}
        self._left_out = frozenset(left_out)
        self._host_of = spread(self._files, self.hosts)
        self._pages_of: dict[str, list[str]] = {host: [] for host in self.hosts}
        for key, host in self._host_of.items():
            self._pages_of[host].append(key)
        self._bodies: dict[tuple[str, str], bytes | None] = {}

    def __len__(self) -> int:
        return len(self._files)

    @property
    def seeds(self) -> list[str]:
        """The start page of each host: the scope of a crawl is the hosts of its seeds."""
        return [f"http://{host}:{self.port}/" for host in self.hosts]

    def host_of(self, path: str) -> str:
        """The host of a path without its first slash. Where no page is, a digest of the path decides."""
        page = path + INDEX if path.endswith("/") else path
        digest = hashlib.sha256(page.encode()).digest()
        return self._host_of.get(page) or self.hosts[int.from_bytes(digest[:4], "big") % len(self.hosts)]

    def url(self, path: str) -> str:
        """The URL of a path without its first slash."""
        return f"http://{self.host_of(path)}:{self.port}/{quote(path)}"

    def urls(self) -> set[str]:
        """The URL of every page, as the start pages write it."""
        return {self.url(key) for key in self._files}

    def naming(self, corpus: Corpus) -> Naming:
        """Which page of the corpus a URL names."""
        return _HostsNaming("", {page for page in corpus.pages()}, self, corpus.name)

    def answer(self, host: str, path: str) -> tuple[int, bytes, str]:
        """What the server sends."""
        if path == "/robots.txt":
            return OK, b"User-agent: *\nDisallow:\n", TEXT
        place = host, path
        if place not in self._bodies:
            self._bodies[place] = self._body(host, path)
        body = self._bodies[place]
        return (OK, body, HTML) if body is not None else (NOT_FOUND, b"", TEXT)

    def _body(self, host: str, path: str) -> bytes | None:
        if path == "/":
            following = self.hosts[(self.hosts.index(host) + 1) % len(self.hosts)]
            return self._linked("", index_page(host, self._pages_of[following]).encode())
        key = unquote(path).removeprefix("/")
        if key.endswith("/"):
            key += INDEX
        if self._host_of.get(key) != host:
            return None
        return self._linked(key, self._files[key].read_bytes())

    def _linked(self, key: str, body: bytes) -> bytes:
        """The page with the links inside the site as absolute URLs of the right hosts; links to pages that are left out are cut."""

        def absolute(link: re.Match[bytes]) -> bytes:
            target = link[2].decode("utf-8", "replace").strip()
            parts = urlsplit(target)
            if parts.scheme or parts.netloc or not parts.path:
                return link[0]
            path = unquote(urlsplit(urljoin(f"http://host/{quote(key)}", target)).path).removeprefix("/")
            page = path + INDEX if path.endswith("/") else path
            if page in self._left_out:
                return link[1] + b'="'
            query = f"?{parts.query}" if parts.query else ""
            return link[1] + b'="' + (self.url(path) + query).encode()

        return LINK.sub(absolute, body)


@dataclass(frozen=True)
class _HostsNaming(Naming):
    """As `Naming`, for a site of many hosts."""

    site: Pages
    corpus: str

    def page(self, url: str) -> str | None:
        path = unquote(urlsplit(url).path).removeprefix("/")
        corpus, _, page = path.partition("/")
        if corpus != self.corpus or urlsplit(url).hostname != self.site.host_of(path):
            return None
        if page.endswith("/") or not page:
            page += INDEX
        return page if page in self.pages else None

    def is_linked(self, url: str) -> bool:
        parts = urlsplit(url)
        return not parts.query and unquote(parts.path).removeprefix(f"/{self.corpus}/") in self.pages


def spread(keys: Iterable[str], hosts: list[str]) -> dict[str, str]:
    """A host for each page: folders stay together where they are not too large, and every host gets about the same number."""
    folders: dict[str, list[str]] = {}
    for key in sorted(keys):
        folders.setdefault(key.rpartition("/")[0], []).append(key)
    most = -(-sum(map(len, folders.values())) // len(hosts))
    pieces = [pages[first:first + most] for pages in folders.values() for first in range(0, len(pages), most)]
    filled = [(0, host) for host in hosts]
    host_of = {}
    for piece in sorted(pieces, key=len, reverse=True):
        pages, host = heapq.heappop(filled)
        host_of.update(dict.fromkeys(piece, host))
        heapq.heappush(filled, (pages + len(piece), host))
    return host_of


def part_of(corpus: Corpus, limit: int, folder: Path) -> tuple[Corpus, list[str]]:
    """About `limit` pages of the corpus with their truth, and the keys of the pages that are left out.

    Pages of one file name stay together: most duplicates are versions of one page.
    """
    names: dict[str, list[str]] = {}
    for page in corpus.pages():
        names.setdefault(page.rpartition("/")[2], []).append(page)
    chosen: set[str] = set()
    for name in sorted(names, key=lambda name: hashlib.sha256(name.encode()).digest()):
        if len(chosen) + len(names[name]) <= limit:
            chosen.update(names[name])
    root = folder / corpus.name
    for page in chosen:
        (root / page).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(corpus.root / page, root / page)
    pairs = folder / f"{corpus.name}.pairs.tsv"
    with corpus.pairs.open(encoding="utf-8") as rows, pairs.open("w", encoding="utf-8") as kept:
        kept.writelines(row for row in rows if chosen.issuperset(row.split("\t")[:2]))
    left_out = [f"{corpus.name}/{page}" for pages in names.values() for page in pages if page not in chosen]
    return Corpus(corpus.name, root, pairs, corpus.labelled & chosen), left_out
