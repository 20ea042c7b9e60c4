"""A small site on loopback, whose pages are known byte by byte."""
from __future__ import annotations

import gzip
import http.server
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from public_tools.loopback import serving


@dataclass(frozen=True)
class Page:
    """An answer with status 200."""

    body: bytes
    coding: str = ""
    """`gzip`, `chunked`, or nothing."""
    fields: dict[str, str] = field(default_factory=dict)


def text(seed: int, words: int = 200) -> list[str]:
    """Words that only this seed brings in this order."""
    source = random.Random(seed)
    return ["".join(source.choice("bdfgklmnprstvz") + source.choice("aeiou") for _ in range(3)) for _ in range(words)]


def html(title: str, words: list[str], links: list[str] | None = None) -> bytes:
    """A page's source."""
    anchors = "".join(f'<li><a href="{link}">{link}</a></li>' for link in links or [])
    paragraphs = "".join(f"<p>{' '.join(words[at:at + 40])}.</p>" for at in range(0, len(words), 40))
    return (f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title></head><body>'
            f"<nav><ul>{anchors}</ul></nav><main>{paragraphs}</main></body></html>").encode()


KEPT = html("Kept ä", text(1))
EDITED = text(1)[:50] + ["edited"] + text(1)[51:]

# The copies are linked by a page that is reached through the kept one, so this one is decided first.
PAGES = {
    "/": Page(html("Home", [], ["/kept?b=2&amp;A=1", "/gzipped/", "/chunked", "/B%C3%BCcher//x", "/moved", "/lost"])),
    "/kept?b=2&A=1": Page(html("Kept", text(1), ["/copies"]), fields={"Set-Cookie": "seen=1", "ETag": '"1"'}),
    "/copies": Page(html("Copies", text(6), ["/twin", "/same-text", "/near"])),
    "/twin": Page(html("Kept", text(1), ["/copies"])),
    "/same-text": Page(html("Another title", text(1), ["/copies"])),
    "/near": Page(html("Kept", EDITED, ["/copies"])),
    "/gzipped/": Page(html("Gzipped", text(2)), "gzip"),
    "/chunked": Page(html("Chunked", text(3)), "chunked"),
    "/B%C3%BCcher//x": Page(html("Bücher", text(4))),
}


class Handler(http.server.BaseHTTPRequestHandler):
    """Serves `PAGES`."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answers one request."""
        page = PAGES.get(self.path)
        etag = page.fields.get("ETag") if page else None
        if etag and self.headers.get("If-None-Match") == etag:
            self.send_response(304)
            self.send_header("ETag", etag)
            self.end_headers()
            return
        if self.path == "/moved":
            self.send_response(301)
            self.send_header("Location", "/kept?b=2&A=1")
        else:
            self.send_response(200 if page else 404)
        body = page.body if page else b""
        coding = page.coding if page else ""
        if page:
            self.send_header("Content-Type", "text/html; charset=utf-8")
        for name, value in (page.fields if page else {}).items():
            self.send_header(name, value)
        if coding == "gzip":
            body = gzip.compress(body, mtime=0)
            self.send_header("Content-Encoding", "gzip")
        if coding == "chunked":
            self.send_header("Transfer-Encoding", "chunked")
            body = chunked(body)
        else:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments: object) -> None:
        """Says nothing."""


def chunked(body: bytes, size: int = 700) -> bytes:
    """The body in chunks (RFC 9112, section 7.1)."""
    parts = [body[at:at + size] for at in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


@contextmanager
def served() -> Iterator[str]:
    """Serves the site while the block runs; gives its origin."""
    with serving(Handler) as origin:
        yield origin
