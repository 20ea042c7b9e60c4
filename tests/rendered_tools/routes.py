"""The routes of the site: what each shows when its scripts have run, and how a crawl should decide it."""
from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto

LISTING_PARAGRAPHS = 2
"""A page with so many paragraphs is a list of other pages."""


class Needs(Enum):
    """Whether a reader needs a browser to see what a route shows."""

    NOTHING = auto()
    """The HTML of the server has all of it. The scripts of the page add nothing that matters."""
    BROWSER = auto()
    """The HTML of the server is a shell."""
    EITHER = auto()
    """The HTML of the server has the text somewhere, and scripts put it in its place."""


class Fate(Enum):
    """What should become of a route in a crawl."""

    UNIQUE = auto()
    EXACT = auto()
    """The same text as that of `same_as`."""
    NEAR = auto()
    """The text of `same_as` with a small change."""
    NOINDEX = auto()
    """A script sets `robots` to `noindex`."""
    MISSING = auto()
    """The server answers 200 with the shell, and the router shows that there is no such page. At most one of them is kept."""


@dataclass
class Route:
    """A page of the site."""

    path: str
    title: str
    paragraphs: list[str] = field(default_factory=list)
    links: list[tuple[str, str]] = field(default_factory=list)
    """Path and label. They are in the HTML when all scripts have run, and after scrolling if `scrolled`."""
    needs: Needs = Needs.BROWSER
    fate: Fate = Fate.UNIQUE
    same_as: str | None = None
    """The path of the page that this one duplicates."""
    clicked: list[tuple[str, str]] = field(default_factory=list)
    """Path and label of links behind a click. No crawler sees them; the sitemap has them."""
    is_scrolled: bool = False
    """Whether links appear only while a reader scrolls."""
    canonical: str | None = None
    language: str = "en"
    delay_ms: int = 0
    """How long scripts wait before they show the text."""

    @property
    def area(self) -> str:
        """The first folder of the path."""
        return self.path.split("/")[1]

    @property
    def is_listing(self) -> bool:
        """Whether its links are part of its main text. Those of an article stand in a `nav`."""
        return len(self.paragraphs) == LISTING_PARAGRAPHS

    @property
    def text(self) -> str:
        """The main text, a block a line."""
        return "\n".join([self.title, *self.paragraphs])

    @property
    def labels(self) -> str:
        """The list of other pages, which may count as main text."""
        return "\n".join(label for _, label in self.links if self.is_listing)

    def data(self) -> dict[str, object]:
        """What the scripts of the area fetch to show the route."""
        return {
            "title": self.title, "paragraphs": self.paragraphs, "links": [{"to": to, "label": label} for to, label in self.links],
            "clicked": [{"to": to, "label": label} for to, label in self.clicked], "canonical": self.canonical,
            "robots": "noindex" if self.fate is Fate.NOINDEX else None, "delay": self.delay_ms, "language": self.language,
            "listing": self.is_listing, "scrolled": self.is_scrolled,
        }
