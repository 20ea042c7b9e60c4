"""What the samples of a crawl say: the table by tenths, the sixths that the bars compare, and the extrapolation."""
from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from .watch import Sample

# The bars: the last sixth of a crawl against its second.
LEAST_RATE = 0.9
MOST_MEMORY = 1.15
HEADER = ("minutes", "pages/s", "ms/page", "ms/request", "memory MB", "known URLs", "pages", "kept", "state B/page", "archive B/page", "state MB")


@dataclass(frozen=True)
class Part:
    """A part of a crawl: from one sample to another."""

    first: Sample
    last: Sample
    memory: float
    """Mean of its samples in bytes."""

    @property
    def seconds(self) -> float:
        return self.last.seconds - self.first.seconds

    @property
    def pages(self) -> int:
        return self.last.pages - self.first.pages

    @property
    def requests(self) -> int:
        return self.last.requests - self.first.requests

    @property
    def cpu(self) -> float:
        """Processor time in seconds."""
        return self.last.cpu - self.first.cpu

    @property
    def pages_a_second(self) -> float:
        return self.pages / self.seconds

    @property
    def ms_a_page(self) -> float:
        """Processor time."""
        return 1e3 * self.cpu / max(1, self.pages)

    @property
    def ms_a_request(self) -> float:
        """Processor time."""
        return 1e3 * self.cpu / max(1, self.requests)

    def stage_ms(self, stage: str) -> float:
        """Processor time of one stage for a page."""
        return 1e3 * (self.last.stages.get(stage, 0.0) - self.first.stages.get(stage, 0.0)) / max(1, self.pages)


def parts(samples: Sequence[Sample], count: int) -> list[Part]:
    """The crawl in so many parts of about the same time. There must be more samples than parts."""
    length = samples[-1].seconds - samples[0].seconds
    starts = [samples[0].seconds + length * number / count for number in range(count + 1)]
    cuts = [min(range(len(samples)), key=lambda place: abs(samples[place].seconds - start)) for start in starts]
    return [Part(samples[begin], samples[end], statistics.mean(sample.memory for sample in samples[begin:end + 1]))
            for begin, end in zip(cuts, cuts[1:]) if end > begin]


def row(part: Part) -> tuple[str, ...]:
    """A line of the table, in the order of `HEADER`. Sizes are those at the end of the part."""
    last = part.last
    return (f"{part.first.seconds / 60:.1f}–{last.seconds / 60:.1f}", f"{part.pages_a_second:.0f}", f"{part.ms_a_page:.2f}", f"{part.ms_a_request:.2f}",
            f"{part.memory / 1e6:.0f}", f"{last.known}", f"{last.pages}", f"{last.kept}", f"{last.state / max(1, last.pages):.0f}",
            f"{(last.archive + last.index) / max(1, last.pages):.0f}", f"{last.state / 1e6:.0f}")


def table(rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = ["| " + " | ".join(cells) + " |" for cells in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])


@dataclass(frozen=True)
class Bar:
    """A demand with its figure."""

    name: str
    passed: bool
    figure: str


def bars(samples: Sequence[Sample]) -> list[Bar]:
    """The last sixth of the crawl against the second; the first is its start."""
    sixths = parts(samples, 6)
    early, late = sixths[1], sixths[-1]
    ratios = [("pages a processor second", early.ms_a_page / late.ms_a_page), ("requests a processor second", early.ms_a_request / late.ms_a_request)]
    found = [Bar(f"{name}, last sixth to second ≥ {LEAST_RATE}", ratio >= LEAST_RATE, f"{ratio:.3f}") for name, ratio in ratios]
    growth = late.memory / early.memory
    found.append(Bar(f"memory, last sixth to second ≤ {MOST_MEMORY}", growth <= MOST_MEMORY,
                     f"{growth:.3f} ({early.memory / 1e6:.0f} to {late.memory / 1e6:.0f} MB)"))
    return found


@dataclass(frozen=True)
class Line:
    """y = base + slope · x."""

    base: float
    slope: float

    def at(self, x: float) -> float:
        return self.base + self.slope * x


def fit(points: Sequence[tuple[float, float]]) -> Line:
    """The line of least squares; level if all x are one."""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    mean_x, mean_y = statistics.mean(xs), statistics.mean(ys)
    spread = sum((x - mean_x) ** 2 for x in xs)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / spread if spread else 0.0
    return Line(mean_y - slope * mean_x, slope)


@dataclass(frozen=True)
class Outlook:
    """What a crawl that fetches so many pages would take, if it went on as its second half did. An extrapolation."""

    pages: float
    known: float
    state: float
    archive: float
    memory: float
    core_days: float


def outlook(samples: Sequence[Sample], pages: float) -> Outlook:
    """Lines through the second half of the crawl, at `pages`."""
    half = samples[len(samples) // 2:]
    at = {name: fit([(sample.pages, getattr(sample, name)) for sample in half]).at(pages) for name in ("known", "state", "memory", "cpu")}
    archive = fit([(sample.pages, sample.archive + sample.index) for sample in half]).at(pages)
    return Outlook(pages, at["known"], at["state"], archive, at["memory"], at["cpu"] / 86_400)
