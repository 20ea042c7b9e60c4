"""The crawler's report as the stream that the scorer reads: one verdict a page, by the page's path in the corpus."""
from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import unicodedata
from collections.abc import Callable, Collection, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from .corpora import SHARED, Corpus
from .problem import Problem

SCORER = "score_verdicts.py"
SCORE_TIMEOUT_SECONDS = 60
UNIQUE = "unique"


@dataclass(frozen=True)
class Verdict:
    """One line for the scorer. The order of the fields is that of its documentation."""

    id: str
    verdict: str
    of: str | None


@dataclass(frozen=True)
class Naming:
    """Which page of the corpus a URL names.

    `/x/` and `/x/index.html` are two URLs of one page, as are `/x.html` and `/x.html?lang=en`: the crawler may fetch each
    that is linked and call one a duplicate of the other, which says nothing about two pages.
    """

    base: str
    pages: Collection[str]

    def page(self, url: str) -> str | None:
        """The id of the page, `None` for a generated page or none at all."""
        parts = urlsplit(url)
        path = unquote(parts.path).removeprefix("/")
        if not path or f"{parts.scheme}://{parts.netloc}" != self.base:
            return None
        if path.endswith("/"):
            path += "index.html"
        return path if path in self.pages else None

    def is_linked(self, url: str) -> bool:
        """The URL is the very one that the index pages link to."""
        parts = urlsplit(url)
        return not parts.query and unquote(parts.path).removeprefix("/") in self.pages


def pages_that_are_none(report: dict[str, Any], naming: Naming) -> set[str | None]:
    """The pages that say themselves, with status 200, that they are none.

    A corpus may hold a site's `404.html`, and pages that only lead to another one.
    """
    not_found = [failure["url"] for failure in report["failures"] if failure["kind"] == "soft_404"]
    redirects = [redirect["url"] for redirect in report["redirects"] if redirect["in_html"]]
    return {naming.page(url) for url in not_found + redirects}


def verdict_stream(report: dict[str, Any], naming: Naming) -> list[Verdict]:
    """One verdict for each page of the corpus that the report knows, the kept ones first.

    Of a page's several URLs the linked one decides, unless it is a duplicate of the page's other URL, which decides then.
    """
    linked: dict[str, Verdict] = {}
    other: dict[str, Verdict] = {}

    def decide(url: str, verdict: str, of: str | None) -> None:
        page = naming.page(url)
        if page is None or page == of:
            return
        into = linked if naming.is_linked(url) else other
        into.setdefault(page, Verdict(page, verdict, of))

    for cluster in report["clusters"]:
        decide(cluster["kept"], UNIQUE, None)
        # An original that is no page of the corpus is a wrong one: its URL, which no pair names, scores as such.
        original = naming.page(cluster["kept"]) or cluster["kept"]
        for duplicate in cluster["duplicates"]:
            decide(duplicate["url"], duplicate["verdict"], original)
    return sorted((other | linked).values(), key=lambda verdict: verdict.verdict != UNIQUE)


def find_scorer(folder: Path | None) -> Path:
    """The program that scores a stream of verdicts against the pairs."""
    scorer = (folder or SHARED / "tools") / SCORER
    if not scorer.is_file():
        raise Problem(f"{scorer} is missing: nothing can be scored without it; give its folder with --tools")
    return scorer


@dataclass(frozen=True)
class Score:
    """What the scorer said."""

    line: str
    precision: float
    recall: float
    passed: bool


def score(scorer: Path, corpus: Corpus, verdicts: list[Verdict], stream: Path, precision: float, recall: float) -> Score:
    """Writes the verdicts to `stream` and has them scored; `precision` and `recall` are the least that pass."""
    with stream.open("w", encoding="utf-8") as lines:
        lines.writelines(json.dumps(asdict(verdict), ensure_ascii=False) + "\n" for verdict in verdicts)
    done = subprocess.run([sys.executable, scorer, corpus.pairs, stream, "--bar", f"{precision},{recall}"],
                          capture_output=True, text=True, timeout=SCORE_TIMEOUT_SECONDS)
    line = done.stdout.strip()
    figures = re.match(r"P (\d\.\d+) R (\d\.\d+) F1 (\d\.\d+)", line)
    if figures is None:
        raise Problem(f"{scorer} gave no score: {done.stderr.strip() or line}")
    return Score(line, float(figures[1]), float(figures[2]), done.returncode == 0)


def kept_duplicate_pairs(verdicts: list[Verdict], corpus: Corpus) -> list[tuple[str, str]]:
    """The pairs of duplicates of which both pages were kept."""
    kept = {verdict.id for verdict in verdicts if verdict.verdict == UNIQUE}
    return [pair for pair in corpus.duplicate_pairs() if kept.issuperset(pair)]


def decided_urls(report: dict[str, Any]) -> set[str]:
    """Every URL that the report gives an outcome for."""
    clusters = report["clusters"]
    return ({cluster["kept"] for cluster in clusters}
            | {duplicate["url"] for cluster in clusters for duplicate in cluster["duplicates"]}
            | {failure["url"] for failure in report["failures"]})


def same_texts(exported: Iterable[dict[str, Any]]) -> list[list[str]]:
    """The URLs of exported pages that have one text, which must not be: one list a text."""
    texts: dict[str, list[str]] = {}
    for page in exported:
        if page["text"].strip():
            texts.setdefault(text_digest(page["text"]), []).append(page["url"])
    return [urls for urls in texts.values() if len(urls) > 1]


def text_digest(text: str) -> str:
    """Equal for texts that differ in nothing but case, width and white space."""
    return hashlib.sha256(" ".join(unicodedata.normalize("NFKC", text).lower().split()).encode()).hexdigest()


def failures_of(report: dict[str, Any], wanted: Callable[[str], bool]) -> list[str]:
    """The failures of those URLs that are `wanted`, one readable line each."""
    return [f"{failure['url']}: {failure['kind']} {failure.get('status') or ''} {failure.get('detail') or ''}".rstrip()
            for failure in report["failures"] if wanted(failure["url"])]


def counts_that_disagree(report: dict[str, Any]) -> list[str]:
    """The counts that are not the length of the list they count."""
    counts = report["counts"]
    verdicts = [duplicate["verdict"] for cluster in report["clusters"] for duplicate in cluster["duplicates"]]
    listed = {"kept": len(report["clusters"]), "exact": verdicts.count("exact"), "near": verdicts.count("near")}
    return [f"{name}: counted {counts.get(name)}, listed {number}" for name, number in listed.items()
            if counts.get(name) != number]
