"""nginx on loopback: real pages, each version under its own path, and generated index pages that link to all of them."""
from __future__ import annotations

import hashlib
import html
import os
import socket
import subprocess
import time
from pathlib import Path
from types import TracebackType
from urllib.parse import quote

from public_tools.loopback import free_port

from .access_log import NGINX_FORMAT, Hit, parse_log
from .corpora import Corpus, by_version
from .problem import Problem
from .programs import require_program

HOST = "127.0.0.1"
# No corpus has a folder of this name; the site's own index page is at "/".
INDEX_FOLDER = "_index"
START_ATTEMPTS = 5
START_TIMEOUT_SECONDS = 10
STOP_TIMEOUT_SECONDS = 10
INTRODUCTION_WORDS = 120

# `types` without a charset: the pages' own declarations are what a crawler has to go by.
CONFIGURATION = """
{user}
daemon off;
worker_processes 1;
pid "{prefix}/nginx.pid";
error_log "{prefix}/error.log";
events {{ worker_connections 1024; }}
http {{
    log_format seen '{format}';
    access_log "{prefix}/access.log" seen;
    client_body_temp_path "{prefix}/body";
    proxy_temp_path "{prefix}/proxy";
    fastcgi_temp_path "{prefix}/fastcgi";
    uwsgi_temp_path "{prefix}/uwsgi";
    scgi_temp_path "{prefix}/scgi";
    types {{ text/html html htm; text/plain txt; text/css css; text/javascript js; image/png png; image/gif gif; }}
    default_type application/octet-stream;
    sendfile on;
    tcp_nopush on;
    keepalive_requests 1000000;
    server_tokens off;
    {rate_zone}
    server {{
        listen {host}:{port};
        root "{root}";
        index index.html;
        {rate_limit}
        location = / {{ root "{prefix}/pages"; try_files /site.html =404; }}
        location = /robots.txt {{ root "{prefix}/pages"; }}
        location ^~ /{index_folder}/ {{ root "{prefix}/pages"; }}
    }}
}}
"""


class Site:
    """A corpus on the web, while the `with` block lasts.

    `requests_per_second` makes the server answer no faster than that, so that a crawl of a known length can be disturbed.
    """

    def __init__(self, corpus: Corpus, folder: Path, requests_per_second: int | None = None) -> None:
        self.corpus = corpus
        self.pages = corpus.pages()
        self.log = folder / "access.log"
        self._folder = folder.resolve()
        self._requests_per_second = requests_per_second
        self._nginx = require_program("nginx", "nginx")
        self._process: subprocess.Popen[bytes] | None = None
        self._port = 0

    @property
    def base(self) -> str:
        """Scheme and authority, without a slash."""
        return f"http://{HOST}:{self._port}"

    @property
    def seed(self) -> str:
        """The index page from which every page is two links away."""
        return f"{self.base}/"

    @property
    def index_urls(self) -> list[str]:
        """The generated pages, which belong to no corpus."""
        return [self.seed, *(f"{self.base}/{_index_path(version)}" for version in by_version(self.pages) if version)]

    def hits(self) -> list[Hit]:
        """All requests so far."""
        return parse_log(self.log.read_text(encoding="utf-8", errors="replace"))

    def __enter__(self) -> Site:
        self._write_pages()
        for _ in range(START_ATTEMPTS):
            self._port = free_port()
            if self._start():
                return self
        raise Problem(f"nginx does not start: {self._last_error()}")

    def __exit__(self, _kind: type[BaseException] | None, _error: BaseException | None,
                 _trace: TracebackType | None) -> None:
        self._stop()

    def _write_pages(self) -> None:
        pages = self._folder / "pages"
        (pages / INDEX_FOLDER).mkdir(parents=True)
        (pages / "robots.txt").write_text("User-agent: *\nDisallow:\n")
        versions = by_version(self.pages)
        beside_the_folders = versions.pop("", [])
        site_links = [*(_index_path(version) for version in versions), *beside_the_folders]
        (pages / "site.html").write_text(index_page(self.corpus.name, site_links), encoding="utf-8")
        for version, ids in versions.items():
            page = index_page(f"{self.corpus.name} {version}", ids)
            (pages / INDEX_FOLDER / f"{version}.html").write_text(page, encoding="utf-8")

    def _start(self) -> bool:
        """False when another program took the port first."""
        rate = self._requests_per_second
        configuration = self._folder / "nginx.conf"
        configuration.write_text(CONFIGURATION.format(
            # A worker that is not root could not read corpora unpacked into root's temporary folder.
            user="user root;" if os.geteuid() == 0 else "",
            prefix=self._folder, root=self.corpus.root, host=HOST, port=self._port,
            format=NGINX_FORMAT, index_folder=INDEX_FOLDER,
            rate_zone=f"limit_req_zone $server_port zone=rate:64k rate={rate}r/s;" if rate else "",
            rate_limit="limit_req zone=rate burst=10000;" if rate else ""))
        # A session of its own: Ctrl-C reaches the script alone, which then stops the server in order.
        self._process = subprocess.Popen(
            [self._nginx, "-p", self._folder, "-e", self._folder / "error.log", "-c", configuration],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        deadline = time.monotonic() + START_TIMEOUT_SECONDS
        while time.monotonic() < deadline and self._process.poll() is None:
            if (self._folder / "nginx.pid").exists() and _listens(self._port):
                return True
            time.sleep(0.02)
        self._stop()
        if "Address already in use" in self._last_error():
            return False
        raise Problem(f"nginx does not start: {self._last_error()}")

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None or process.poll() is not None:
            return
        process.terminate()
        try:
            process.wait(STOP_TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _last_error(self) -> str:
        log = self._folder / "error.log"
        lines = log.read_text(errors="replace").strip().splitlines() if log.exists() else []
        return lines[-1] if lines else "it says nothing"


def index_page(name: str, links: list[str]) -> str:
    """A page that links to `links` and is like no other: its words are made from `name`, so are its links' texts."""
    items = "\n".join(f'<li><a href="/{quote(link)}">{html.escape(_word(name, link))} {html.escape(link)}</a></li>'
                      for link in links)
    introduction = " ".join(_word(name, number) for number in range(INTRODUCTION_WORDS))
    title = html.escape(f"Index of {name}")
    return (f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{title}</title></head>\n'
            f"<body><main><h1>{title}</h1>\n<p>{introduction}.</p>\n<ul>\n{items}\n</ul></main></body>\n</html>\n")


def _word(name: str, part: object) -> str:
    digest = hashlib.sha256(f"{name}\0{part}".encode()).digest()
    return "".join(chr(ord("a") + byte % 26) for byte in digest[:8])


def _index_path(version: str) -> str:
    return f"{INDEX_FOLDER}/{quote(version)}.html"


def _listens(port: int) -> bool:
    try:
        with socket.create_connection((HOST, port), timeout=1):
            return True
    except OSError:
        return False
