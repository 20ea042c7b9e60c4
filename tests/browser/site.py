"""A site on loopback whose titles, texts and URLs mean harm to a report, with duplicates of all kinds."""
from __future__ import annotations

import html
import random
from collections.abc import Iterator
from contextlib import contextmanager

from public_tools.loopback import serving_html

HARM = [
    "<script>alert('title')</script>",
    "</script><script>alert('island')</script>",
    "<!-- <script>",
    "--></title><img src=x onerror=alert('image')>",
    "\"quoted\" 'quoted' `quoted` &amp; &#60;b&#62;",
    "\u202eright to left \u2066override\u2069 \u200f",
    "${alert('template')} {{ 7 * 7 }}",
    "x" * 10_000,
    "漢字と かな 標題",
    "عنوان الصفحة 2026 English",
    "\\u003cscript\\u003ealert(1)\\u003c/script\\u003e",
    "]]> <![CDATA[ <svg onload=alert('svg')>",
]
FAILING = 60
FAMILIES = 40


def words(seed: int, count: int) -> list[str]:
    """Words that only this seed brings in this order."""
    source = random.Random(seed)
    syllables = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]
    return ["".join(source.choices(syllables, k=3)) for _ in range(count)]


def page(title: str, paragraphs: list[str], links: list[str]) -> bytes:
    """A page's source; everything is text."""
    anchors = "".join(f'<li><a href="{html.escape(link)}">link</a></li>' for link in links)
    body = "".join(f"<p>{html.escape(paragraph)}</p>" for paragraph in paragraphs)
    return (f'<!doctype html><html><head><meta charset="utf-8"><title>{html.escape(title)}</title></head><body>'
            f"<nav><ul>{anchors}</ul></nav><main>{body}</main></body></html>").encode()


def paragraphs(seed: int, edited: int) -> list[str]:
    """Ten paragraphs of thirty words, so many of which are edited, with harm in what stays and in what changes."""
    have = words(seed, 300)
    for number in range(edited):
        have[(number * 37 + 11) % 300] = f"edited{number}"
    texts = [" ".join(have[at:at + 30]) + "." for at in range(0, 300, 30)]
    harm = HARM[seed % len(HARM)][:200]
    texts[1] += f" {harm}"
    if edited:
        texts[4] += f" changed {harm}"
    return texts


def pages() -> dict[str, bytes]:
    """Every page by its path: families of a kept page, its copy, its near-duplicates, and those that are nearly so."""
    found: dict[str, bytes] = {}
    for family in range(FAMILIES):
        title = HARM[family % len(HARM)]
        # What is changed more and more crosses the threshold.
        members = {f"/f{family}/{edited}?q=%3Cscript%3E{family}'\"": edited for edited in (2, 4, 6, 8, 10, 14)}
        copy = f"/f{family}/copy"
        found[f"/f{family}/"] = page(title, paragraphs(family, 0), [*members, copy])
        found[copy] = page(title, paragraphs(family, 0), [])
        for path, edited in members.items():
            found[path] = page(f"{title} {edited}", paragraphs(family, edited), [])
    failing = [f"/missing/{number}?<script>alert({number})</script>" for number in range(FAILING)]
    found["/"] = page("Home", [" ".join(words(9_000, 200))], [*(f"/f{family}/" for family in range(FAMILIES)), *failing])
    return found


@contextmanager
def served() -> Iterator[str]:
    """Serves the site while the block runs; gives its origin."""
    found = pages()
    by_plain = {path.split("?")[0]: body for path, body in found.items()}
    with serving_html(lambda path: by_plain.get(path.split("?")[0])) as origin:
        yield origin
