"""What a crawl found against the truth."""
from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .areas import CALENDAR
from .crawl import EXACT, KEPT, NEAR, Outcome
from .routes import Fate, Needs, Route

SHELL_WORDS = ("enable JavaScript", "Loading…", "加载中", "without JavaScript")
"""What only a shell or a page that has not finished says."""


def words(text: str) -> Counter[str]:
    """The words of a text; each Chinese character is one."""
    return Counter(re.findall(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+", text.lower()))


def recall_and_precision(found: str, truth: str, allowed: str = "") -> tuple[float, float]:
    """Shares of the words of the truth that were found, and of the found words that belong to the truth or are allowed."""
    have, want = words(found), words(truth)
    right = sum((have & (want + words(allowed))).values())
    return sum((have & want).values()) / max(sum(want.values()), 1), right / max(sum(have.values()), 1)


@dataclass(frozen=True)
class TextFigure:
    """The text of a kept page against its truth."""

    path: str
    recall: float
    precision: float


def texts(outcomes: Mapping[str, Outcome], routes: Mapping[str, Route]) -> list[TextFigure]:
    """The figures of every kept route whose text the truth knows."""
    figures = []
    for path, route in routes.items():
        outcome = outcomes.get(path)
        if outcome and outcome.verdict == KEPT and route.fate is not Fate.MISSING:
            figures.append(TextFigure(path, *recall_and_precision(outcome.text or "", route.text, route.labels)))
    return figures


def texts_as(outcomes: Mapping[str, Outcome], others: Mapping[str, Outcome], paths: Iterable[str]) -> list[TextFigure]:
    """The texts of pages that both crawls kept, against each other."""
    both = (path for path in paths if path in outcomes and path in others and outcomes[path].verdict == others[path].verdict == KEPT)
    return [TextFigure(path, *recall_and_precision(outcomes[path].text or "", others[path].text or "")) for path in both]


def undecided(outcomes: Mapping[str, Outcome], routes: Mapping[str, Route]) -> list[str]:
    """Routes of which the crawl knows nothing, or nothing but a failure that the truth does not name."""
    wanted = (path for path, route in routes.items() if route.fate not in (Fate.NOINDEX, Fate.MISSING))
    return [path for path in wanted if path not in outcomes or not outcomes[path].is_page]


def wrong_titles(outcomes: Mapping[str, Outcome], routes: Mapping[str, Route]) -> list[str]:
    """Routes that were given another title than the final one."""
    return [f"{path}: {outcomes[path].title!r}, not {route.title!r}" for path, route in routes.items()
            if path in outcomes and outcomes[path].is_page and outcomes[path].title != route.title]


def wrong_verdicts(outcomes: Mapping[str, Outcome], routes: Mapping[str, Route]) -> list[str]:
    """Routes with another verdict than the truth. Of each family of duplicates, any page may be the kept one."""
    wrong = []
    families: dict[str, list[str]] = defaultdict(list)
    for path, route in routes.items():
        if route.fate in (Fate.UNIQUE, Fate.EXACT, Fate.NEAR):
            families[route.same_as or path].append(path)
    for members in families.values():
        decided = [path for path in members if path in outcomes and outcomes[path].is_page]
        kept = [path for path in decided if outcomes[path].verdict == KEPT]
        if decided and len(kept) != 1:
            wrong.append(f"{len(kept)} pages are kept of {members}: {kept}")
            continue
        for path in decided:
            outcome = outcomes[path]
            if outcome.verdict == KEPT:
                continue
            if outcome.of not in members:
                wrong.append(f"{path} is said to be a duplicate of {outcome.of}")
            # A copy of an edition is near to the original, and a near-duplicate may be the one that is kept.
            is_edition = any(routes[one].fate is Fate.NEAR for one in (path, outcome.of) if one)
            wanted = NEAR if is_edition and path != outcome.of else EXACT
            if outcome.of in members and outcome.verdict != wanted:
                wrong.append(f"{path} is {outcome.verdict} of {outcome.of}, not {wanted}")
    missing = [path for path, route in routes.items() if route.fate is Fate.MISSING and outcomes.get(path, Outcome("")).verdict == KEPT]
    if len(missing) > 1:
        wrong.append(f"pages that say that they are not there are kept: {missing}")
    wrong += [f"{path} says noindex and is stored" for path, route in routes.items()
              if route.fate is Fate.NOINDEX and path in outcomes and outcomes[path].is_page]
    return wrong


def differences(outcomes: Mapping[str, Outcome], others: Mapping[str, Outcome], paths: Iterable[str]) -> list[str]:
    """Paths that two crawls put into different clusters. Of a cluster, each may keep another page."""
    def clusters(crawl: Mapping[str, Outcome]) -> dict[str, frozenset[str]]:
        found: dict[str, set[str]] = defaultdict(set)
        for path in paths:
            if path in crawl and crawl[path].is_page:
                found[crawl[path].of or path].add(path)
        return {path: frozenset(members) for members in found.values() for path in members}

    paths = list(paths)
    ours, theirs = clusters(outcomes), clusters(others)
    return [f"{path}: {sorted(ours.get(path, ['not decided']))}, static: {sorted(theirs.get(path, ['not decided']))}"
            for path in paths if ours.get(path) != theirs.get(path)]


def shells(outcomes: Mapping[str, Outcome], routes: Mapping[str, Route]) -> list[str]:
    """Kept pages that are empty, or say what only a shell says, or lie where the site has no page."""
    found = []
    for path, outcome in outcomes.items():
        if outcome.verdict != KEPT:
            continue
        text = outcome.text or ""
        if not text.strip() or any(word in text for word in SHELL_WORDS):
            found.append(f"{path}: {text[:80]!r}")
        elif path not in routes and not path.startswith(CALENDAR):
            found.append(f"{path} is no page of the site: {text[:80]!r}")
    return found


def rendered_in_vain(outcomes: Mapping[str, Outcome], routes: Mapping[str, Route]) -> tuple[list[str], int]:
    """Pages that need no browser and were read with one, and the number of all pages that need none."""
    static = [path for path, route in routes.items() if route.needs is Needs.NOTHING and path in outcomes and outcomes[path].is_page]
    return [path for path in static if outcomes[path].is_rendered], len(static)


def read_without(outcomes: Mapping[str, Outcome], routes: Mapping[str, Route]) -> list[str]:
    """Pages that need a browser and were read without one."""
    return [path for path, route in routes.items() if route.needs is Needs.BROWSER and path in outcomes and outcomes[path].is_page
            and outcomes[path].is_rendered is False]
