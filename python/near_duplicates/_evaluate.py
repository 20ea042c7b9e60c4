"""Verdicts against known similarities."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import NamedTuple

from . import _native
from ._verdict import Verdict


class Score(NamedTuple):
    """How many verdicts are right."""

    right: int
    """Duplicates of the document that the verdict names."""
    grey: int
    """Neither duplicates of the document that the verdict names nor different from it: either verdict is right."""
    wrong: int
    """Documents that differ from the one that the verdict names."""
    missed: int
    """Duplicates of an earlier unique document that the verdict calls unique."""
    unique: int
    """Unique documents that the verdict calls unique."""

    @property
    def precision(self) -> float:
        """``right / (right + wrong)``; 1 if both are 0."""
        return _share(self.right, self.wrong)

    @property
    def recall(self) -> float:
        """``right / (right + missed)``; 1 if both are 0."""
        return _share(self.right, self.missed)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        together = self.precision + self.recall
        return 2 * self.precision * self.recall / together if together else 0.0


def _share(right: int, others: int) -> float:
    return right / (right + others) if right + others else 1.0


def evaluate(
    verdicts: Iterable[Verdict],
    pairs: Iterable[tuple[Hashable, Hashable, float]],
    *,
    duplicate_from: float = 0.8,
    different_below: float = 0.5,
) -> Score:
    """Counts right and wrong verdicts.

    ``verdicts`` are in the order of the documents. ``pairs`` are two ids and their Jaccard index each; a pair that is not
    among them counts as different. A pair is a duplicate from ``duplicate_from`` on, and different under
    ``different_below``.

    >>> from near_duplicates import dedup
    >>> text = "The tide table of the harbour master is printed every spring. " * 8
    >>> verdicts = dedup({"a": text, "b": text.upper(), "c": "Something else."})
    >>> score = evaluate(verdicts, [("a", "b", 1.0)])
    >>> score.precision, score.recall, score.f1
    (1.0, 1.0, 1.0)
    """
    numbers: dict[Hashable, int] = {}

    def number(id: Hashable) -> int:
        return numbers.setdefault(id, len(numbers))

    decided = [(number(verdict.id), None if verdict.of is None else number(verdict.of)) for verdict in verdicts]
    known = [(number(a), number(b), similarity) for a, b, similarity in pairs]
    return Score(*_native.score(decided, known, duplicate_from, different_below))
