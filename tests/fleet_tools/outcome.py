"""What a crawl decided and kept, by one process or by a fleet."""
from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from real_site.crawler import Crawler
from real_site.problem import Bars
from real_site.verdicts import (
    Score, Verdict, counts_that_disagree, decided_urls, kept_duplicate_pairs, pages_that_are_none, same_texts, score, verdict_stream,
)

from .pages import Pages

# Least precision and recall on each corpus, as of tests/real_input.
PRECISION, RECALL = 0.98, 0.92
# Which page of a cluster is kept depends on the order of arrival, and with it the verdicts of the pages near the threshold of some
# clusters. Four crawls by one process agreed in all four digits. One page more or less is 0.004 of the smaller corpus.
ORDER_SLACK = 0.005
ORDER_SLACK_PAIRS = 5


@dataclass(frozen=True)
class Outcome:
    """What a finished crawl left behind."""

    report: dict[str, Any]
    exported: list[dict[str, Any]]

    @property
    def kept(self) -> set[str]:
        """The URLs of the kept pages."""
        return {cluster["kept"] for cluster in self.report["clusters"]}

    def verdicts(self, pages: Pages) -> dict[str, list[Verdict]]:
        """The verdicts on the pages of each corpus."""
        return {corpus.name: verdict_stream(self.report, pages.naming(corpus)) for corpus in pages.corpora}


def read_outcome(crawler: Crawler) -> Outcome:
    """The report and the kept pages of a data folder."""
    return Outcome(crawler.report(), crawler.export())


def prove_sound(crawler: Crawler, name: str, bars: Bars) -> None:
    """`crawler verify` finds nothing."""
    code, said = crawler.verify()
    bars.check(f"crawler verify: {name}", code == 0, f"exit code {code}", said.splitlines() if code else [])


def prove_same_decided(alone: Outcome, fleet: Outcome, pages: Pages, bars: Bars) -> None:
    """The same URLs have an outcome, and each page a verdict."""
    expected, found = decided_urls(alone.report), decided_urls(fleet.report)
    bars.check("the same URLs decided as by one process", expected == found, f"{len(found)} against {len(expected)}",
               [f"lost: {url}" for url in sorted(expected - found)] + [f"new: {url}" for url in sorted(found - expected)])
    prove_every_page_decided(fleet, pages, bars)
    disagreeing = counts_that_disagree(fleet.report)
    bars.check("the report's counts are its lists' lengths", not disagreeing, f"{len(disagreeing)} differ", disagreeing)


def prove_every_page_decided(fleet: Outcome, pages: Pages, bars: Bars) -> None:
    """Each page has a verdict."""
    without = []
    for corpus in pages.corpora:
        naming = pages.naming(corpus)
        verdicts = {verdict.id for verdict in verdict_stream(fleet.report, naming)}
        without += sorted(set(corpus.pages()) - verdicts - pages_that_are_none(fleet.report, naming))
    bars.check("every page has a verdict, or says that it is none", not without, f"{len(without)} of {len(pages)} without", without)


def prove_verdicts(alone: Outcome, fleet: Outcome, pages: Pages, scorer: Path, folder: Path, bars: Bars) -> None:
    """Precision and recall of the fleet's verdicts are those of one process, and no more duplicates are kept."""
    ones, theirs = alone.verdicts(pages), fleet.verdicts(pages)
    for corpus in pages.corpora:

        def scored(name: str, verdicts: list[Verdict]) -> Score:
            labelled = [verdict for verdict in verdicts if verdict.id in corpus.labelled]
            return score(scorer, corpus, labelled, folder / f"{name}-{corpus.name}.jsonl", PRECISION, RECALL)

        one, many = scored("alone", ones[corpus.name]), scored("fleet", theirs[corpus.name])
        print(f"  {corpus.name}, one process: {one.line}\n  {corpus.name}, the fleet:  {many.line}")
        bars.check(f"{corpus.name}: precision at least {PRECISION} and that of one process - {ORDER_SLACK}",
                   many.precision >= max(PRECISION, one.precision - ORDER_SLACK), f"{many.precision}, one process {one.precision}")
        bars.check(f"{corpus.name}: recall at least {RECALL} and that of one process - {ORDER_SLACK}",
                   many.recall >= max(RECALL, one.recall - ORDER_SLACK), f"{many.recall}, one process {one.recall}")
        before, after = (kept_duplicate_pairs(verdicts[corpus.name], corpus) for verdicts in (ones, theirs))
        bars.check(f"{corpus.name}: kept pairs of duplicates at most {ORDER_SLACK_PAIRS} above one process",
                   len(after) <= len(before) + ORDER_SLACK_PAIRS, f"{len(after)}, one process {len(before)}",
                   sorted(set(after) - set(before)))


def prove_none_kept_twice(workers: list[Outcome], bars: Bars) -> None:
    """No URL and no text is kept by two workers, or twice by one."""
    exported = [page for outcome in workers for page in outcome.exported]
    owners: dict[str, int] = {}
    for page in exported:
        owners[page["url"]] = owners.get(page["url"], 0) + 1
    twice = sorted(url for url, count in owners.items() if count > 1)
    bars.check("no URL kept twice, over all workers", not twice, f"{len(twice)} of {len(exported)}", twice)
    same = same_texts(exported)
    bars.check("no two kept pages with the same text, over all workers", not same, f"{len(same)} texts kept twice", same)


def prove_merged(workers: list[Outcome], merged: Outcome, bars: Bars) -> None:
    """The merged folder keeps the pages that the workers keep, each with the same text."""
    union = {page["url"]: page["text"] for outcome in workers for page in outcome.exported}
    found = {page["url"]: page["text"] for page in merged.exported}
    bars.check("the merged folder keeps the union of the workers' kept pages", union.keys() == found.keys(),
               f"{len(found)} merged, {len(union)} of the workers",
               [f"lost: {url}" for url in sorted(union.keys() - found.keys())] + [f"new: {url}" for url in sorted(found.keys() - union.keys())])
    changed = sorted(url for url in union.keys() & found.keys() if union[url] != found[url])
    bars.check("each with the text that its worker has", not changed, f"{len(changed)} differ", changed)
