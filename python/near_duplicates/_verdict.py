"""The verdict on one document."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias, Union

Id: TypeAlias = Union[str, int]
"""What you call a document: a string, or an integer of 64 bits with a sign. ``1`` and ``"1"`` are different ids."""


class Verdict(NamedTuple):
    """Whether a document says anything new, with the fields of a line of ``crawler dedup``.

    >>> verdict = Verdict("b.txt", "near", "a.txt", 2, 0.91)
    >>> verdict.is_duplicate, verdict.of, verdict.cluster
    (True, 'a.txt', 'a.txt')
    """

    id: Id | None
    """The document; ``None`` if ``check`` gave the verdict."""
    verdict: Literal["unique", "exact", "near"]
    """``"unique"``: it says something new. ``"exact"``: the same normalised text as ``of``. ``"near"``: nearly that text."""
    of: Id | None
    """The unique document that it repeats; ``None`` for a unique document."""
    distance: int | None
    """Hamming distance of the fingerprints in bits. ``None`` for a unique document, and for a short text, which has no
    fingerprint."""
    similarity: float | None
    """Jaccard index of the five-word shingles, 0 to 1: estimated, or exact for a short text. ``None`` for a unique
    document."""

    @property
    def is_duplicate(self) -> bool:
        """Whether the document repeats another."""
        return self.of is not None

    @property
    def cluster(self) -> Id | None:
        """The unique document of the cluster that the document is in: ``of`` for a duplicate, and ``id`` for a unique document."""
        return self.id if self.of is None else self.of
