"""Documents that are compared with all earlier ones, and the function for documents that are all at hand."""

from __future__ import annotations

import os
from collections.abc import Iterator
from types import TracebackType
from typing import Any

from . import _native
from ._documents import opened
from ._verdict import Id, Verdict

MAX_DISTANCE = 10
"""Largest Hamming distance between the fingerprints of near-duplicates, in bits."""
MIN_SIMILARITY = 0.76
"""Smallest similarity that confirms a near-duplicate."""
FEATURES = "words"
"""The features of a text."""


def dedup(
    documents: Any,
    *,
    text: str = "text",
    id: str | None = None,
    max_distance: int = MAX_DISTANCE,
    min_similarity: float = MIN_SIMILARITY,
    features: str = FEATURES,
) -> Iterator[Verdict]:
    """Yields the verdict on each document, in their order.

    A document is compared with the unique documents before it. The verdicts equal those of ``crawler dedup``. All cores work
    on batches of up to 4,096 documents, so ``documents`` may be endless, and memory grows only with the unique documents.

    ``documents`` is one of these:

    - an iterable of texts, of pairs ``(id, text)``, or of dicts;
    - a dict from id to text;
    - a data frame of pandas or Polars, an Arrow table, or anything else with the Arrow PyCapsule interface;
    - a column of texts.

    ``text`` and ``id`` name the columns or the keys. Without ``id``, the id of a document is the column or key ``"id"`` if
    there is one, else its position, counted from 0. :class:`Deduplicator` explains the other arguments.

    >>> report = " ".join(f"word{number}" for number in range(200))
    >>> for verdict in dedup([report, "Something else.", report.upper()]):
    ...     print(verdict.id, verdict.verdict, verdict.of)
    0 unique None
    1 unique None
    2 exact 0

    Keep the unique documents of a list of dicts:

    >>> pages = [{"url": "/a", "body": report}, {"url": "/b", "body": report + " and more"}]
    >>> verdicts = dedup(pages, id="url", text="body")
    >>> [page["url"] for page, verdict in zip(pages, verdicts) if not verdict.is_duplicate]
    ['/a']

    Raises :exc:`TypeError` for a text that is no string, and :exc:`KeyError` for a column that is not there. The error comes
    after the verdicts on the documents before.
    """
    source, columns = opened(documents, text, id, ids_needed=False)
    return _native.Stream.alone(source, columns, _bits(max_distance), min_similarity, features)


class Deduplicator:
    """Compares each document with all unique documents before it, in memory or in a folder.

    :param max_distance: Largest Hamming distance between the fingerprints of near-duplicates, in bits; 0 to 20.
    :param min_similarity: Smallest Jaccard index of the five-word shingles that confirms a near-duplicate; above 0, at most 1.
        It is estimated with a standard error of 0.02.
    :param features: Features of a text: ``"words"``, ``"2-shingles"`` to ``"9-shingles"`` (runs of words), ``"1-grams"`` to
        ``"9-grams"`` (runs of characters), or several, as in ``"words+2-shingles"``.
    :param path: A folder for the documents. Documents that are in the folder already are there again. Without ``path``, the
        documents are in memory.

    The defaults are those of the crawler. One process at a time may open a folder. Threads may share a deduplicator.

    >>> deduplicator = Deduplicator()
    >>> text = " ".join(f"word{number}" for number in range(200))
    >>> deduplicator.add("a.txt", text).verdict
    'unique'
    >>> deduplicator.add("b.txt", text + " and more")
    Verdict(id='b.txt', verdict='near', of='a.txt', distance=2, similarity=0.99609375)
    >>> deduplicator.clusters()
    {'a.txt': ['b.txt']}
    >>> len(deduplicator), "b.txt" in deduplicator
    (2, True)
    """

    def __init__(
        self,
        *,
        max_distance: int = MAX_DISTANCE,
        min_similarity: float = MIN_SIMILARITY,
        features: str = FEATURES,
        path: str | os.PathLike[str] | None = None,
    ) -> None:
        self._collection = _native.Collection(_bits(max_distance), min_similarity, features, path)
        self._path = path

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Deduplicator:
        """Opens a folder with the settings that it was made with.

        Raises :exc:`FileNotFoundError` if there are no documents in it.

        >>> with Deduplicator(path="documents", max_distance=8) as deduplicator:
        ...     verdict = deduplicator.add(1, "One text.")
        >>> with Deduplicator.open("documents") as deduplicator:
        ...     deduplicator
        <Deduplicator of 1 documents: max_distance=8, min_similarity=0.76, features='words', path='documents'>
        """
        opened = cls.__new__(cls)
        opened._collection = _native.Collection.open(path)
        opened._path = path
        return opened

    def add(self, id: Id, text: str) -> Verdict:
        """Adds a document and returns the verdict on it.

        A document that is already there keeps its verdict, which is returned again. So a program that was interrupted can
        start from the beginning. Raises :exc:`ValueError` if the id is there with another text.

        In a folder, every 4,096 documents are saved together; :meth:`save` and :meth:`close` save the others.
        """
        return self._collection.add(id, text)

    def check(self, text: str) -> Verdict:
        """The verdict on a text, which is not added.

        >>> Deduplicator().check("Something new.")
        Verdict(id=None, verdict='unique', of=None, distance=None, similarity=None)
        """
        return self._collection.check(text)

    def dedup(self, documents: Any, *, text: str = "text", id: str | None = None) -> Iterator[Verdict]:
        """Adds each document and yields the verdict on it, on all cores.

        ``documents``, ``text`` and ``id`` are those of the function :func:`dedup`, but every document needs an id. Documents
        are added in batches while you iterate; a loop that never starts adds nothing.

        >>> deduplicator = Deduplicator()
        >>> [verdict.verdict for verdict in deduplicator.dedup({"a": "One text.", "b": "one  TEXT."})]
        ['unique', 'exact']
        """
        source, columns = opened(documents, text, id, ids_needed=True)
        return _native.Stream.into_collection(source, columns, self._collection)

    def verdict(self, id: Id) -> Verdict:
        """The verdict on a document that was added. Raises :exc:`KeyError` if there is none with this id."""
        verdict = self._collection.verdict(id)
        if verdict is None:
            raise KeyError(f"there is no document {id!r}")
        return verdict

    def remove(self, id: Id) -> list[Id]:
        """Removes a document.

        The duplicates of a unique document go with it, because no verdict on them is left. Returns their ids: add these
        documents again to get verdicts on them. Raises :exc:`KeyError` if there is no document with this id.

        >>> deduplicator = Deduplicator()
        >>> verdicts = list(deduplicator.dedup({"a": "One text.", "b": "one  TEXT.", "c": "Another text."}))
        >>> deduplicator.remove("a")
        ['b']
        >>> deduplicator.add("b", "one  TEXT.").verdict
        'unique'
        """
        return self._collection.remove(id)

    def clusters(self) -> dict[Id, list[Id]]:
        """Every unique document that has duplicates, with these, all in the order in which they were added."""
        return self._collection.clusters()

    def save(self) -> None:
        """Saves all documents. They then survive a crash of the process and of the machine.

        Raises :exc:`ValueError` if the documents are in memory.
        """
        self._collection.save()

    def close(self) -> None:
        """Saves the documents of a folder, frees the memory, and lets others open the folder."""
        self._collection.close()

    def __enter__(self) -> Deduplicator:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __len__(self) -> int:
        return len(self._collection)

    def __bool__(self) -> bool:
        return True

    def __contains__(self, id: object) -> bool:
        return id in self._collection

    def __repr__(self) -> str:
        try:
            documents = f"of {len(self)} documents"
        except ValueError:
            documents = "(closed)"
        max_distance, min_similarity, features = self._collection.settings
        path = "" if self._path is None else f", path={os.fspath(self._path)!r}"
        return (f"<Deduplicator {documents}: max_distance={max_distance}, min_similarity={min_similarity}, "
                f"features={features!r}{path}>")


def _bits(max_distance: int) -> int:
    if isinstance(max_distance, bool) or not hasattr(max_distance, "__index__"):
        raise TypeError(f"max_distance = {max_distance!r} must be an int: a number of bits")
    if not 0 <= max_distance <= 64:
        raise ValueError(f"max_distance = {max_distance} must be 0 to 20 bits")
    return max_distance
