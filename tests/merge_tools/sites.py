"""Sites on loopback with some of their texts in common."""
from __future__ import annotations

import random
from collections.abc import Callable

PAGES = 30
"""Pages of a site, its home page aside: a third is on every site, a third is on none other, a third is nearly on every site."""


def words(seed: int, count: int = 200) -> list[str]:
    """Words that only this seed brings in this order."""
    source = random.Random(seed)
    return ["".join(source.choice("bdfgklmnprstvz") + source.choice("aeiou") for _ in range(3)) for _ in range(count)]


def text(site: int, page: int) -> list[str]:
    """The words of a page of a site."""
    kind, number = page % 3, page // 3
    if kind == 0:
        return words(number)
    if kind == 1:
        return words(1_000 * site + number)
    common = words(500 + number)
    return [*common[:90], f"edition{site}", *common[91:]]


def body_of(site: int) -> Callable[[str], bytes | None]:
    """The pages of a site by path."""

    def body(path: str) -> bytes | None:
        if path == "/":
            links = "".join(f'<li><a href="/{page}">{page}</a>' for page in range(PAGES))
            return f"<!doctype html><title>Site {site}</title><ul>{links}</ul>".encode()
        name = path.removeprefix("/")
        if not name.isdigit() or int(name) >= PAGES:
            return None
        paragraph = " ".join(text(site, int(name)))
        return f'<!doctype html><title>Page {name}</title><main><p>{paragraph}.</p></main>'.encode()

    return body
