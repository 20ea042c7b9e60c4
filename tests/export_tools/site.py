"""A small site on loopback whose titles, texts and URLs mean something to some format."""
from __future__ import annotations

import html
import random
from collections.abc import Iterator
from contextlib import contextmanager

from public_tools.loopback import serving_html

TITLES = [
    "say \"hi\", 'you'", "=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "'=guarded?", "'90s music", "a,b;c", "../../etc/passwd",
    "---", "--- # no: [a, b] {c} &d *e !f |g >h %i `j", "null", "no", "~", "1e3", "0x1f", "2026-01-01", "C:\\new\\x41 \\",
    "\u202eevil\u2066\u200f", "a\u2028b\u2029c\u0085d\ufeffe", "漢字と かな", "العربية", "🕷 \U000e0041", "</script><!-- -->", "x" * 10_000,
    "＝full width", "\ue000 private", "a: b # c", "",
]
PATHS = [
    "/con", "/CON", "/nul.", "/a..b", "/..%2f..%2fetc", "/%00", "/Case?q=1&Q=2", "/case?q=1&Q=2", "/%E6%BC%A2", "/" + "long" * 400,
    "/trailing.", "/sp%20ace", "/*?%22%3C%3E|",
]
TEXTS = {
    "/markup": ["# no heading", "1. no list", "- no list", "```", "&lt;script&gt;alert(1)&lt;/script&gt;", "\\&lt;b&gt; \\* \\", "---"],
    "/cjk": ["這是一個關於網路爬蟲的頁面。" * 40],
    "/short": ["Few words."],
}
LARGE_PAGES = 7
LARGE_WORDS = 1_150_000


def words(seed: int, count: int) -> list[str]:
    """Words that only this seed brings in this order."""
    source = random.Random(seed)
    syllables = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]
    flat = source.choices(syllables, k=3 * count)
    return ["".join(flat[at:at + 3]) for at in range(0, len(flat), 3)]


def page(title: str, paragraphs: list[str], links: list[str] | None = None) -> bytes:
    """A page's source; the paragraphs are HTML."""
    anchors = "".join(f'<li><a href="{html.escape(link)}">link</a></li>' for link in links or [])
    body = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return (f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title></head><body>'
            f"<nav><ul>{anchors}</ul></nav><main>{body}</main></body></html>").encode()


def paragraphs(seed: int, count: int = 200) -> list[str]:
    """Paragraphs of forty words."""
    have = words(seed, count)
    return [" ".join(have[at:at + 40]) + "." for at in range(0, len(have), 40)]


def pages(large: bool) -> dict[str, bytes]:
    """Every page by its path. `large`: with pages whose texts fill more than one row group."""
    found: dict[str, bytes] = {}
    for number, title in enumerate(TITLES):
        found[f"/t/{number}"] = page(title, paragraphs(number))
    for number, path in enumerate(PATHS):
        found[path] = page(path, paragraphs(1000 + number))
    for path, texts in TEXTS.items():
        found[path] = page(path, texts + ([] if path == "/short" else paragraphs(len(path))))
    if large:
        for number in range(LARGE_PAGES):
            found[f"/large/{number}"] = page("Large", [" ".join(words(2000 + number, LARGE_WORDS))])
    copies = page("A copy", paragraphs(0))
    nearly = words(1, 200)
    nearly[50] = "edited"
    # Reached through the pages that they duplicate, so decided after them.
    found["/copies"] = page("Copies", paragraphs(3000), ["/exact", "/near"])
    found["/exact"] = copies
    found["/near"] = page("Nearly", [" ".join(nearly[at:at + 40]) + "." for at in range(0, 200, 40)])
    linked = [path for path in found if path not in ("/exact", "/near", "/copies")]
    found["/last"] = page("Last", paragraphs(3001), ["/copies"])
    found["/"] = page("Home", [], [*linked, "/last"])
    return found


@contextmanager
def served(large: bool) -> Iterator[str]:
    """Serves the site while the block runs; gives its origin."""
    with serving_html(pages(large).get) as origin:
        yield origin
