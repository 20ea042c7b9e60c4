"""Fingerprints and similarities of texts, without an index."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any

from . import _native
from ._deduplicator import FEATURES
from ._documents import opened

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray


def fingerprint(text: str, *, features: str = FEATURES) -> int | None:
    """The 64-bit SimHash of a text; ``None`` for a short text, under about 50 words or 300 Chinese characters.

    >>> text = "The tide table of the harbour master is printed every spring. " * 8
    >>> hex(fingerprint(text))
    '0x65e2e0ccbcc6beaf'
    >>> fingerprint("Too short.") is None
    True
    """
    return _native.fingerprint(text, features)


def fingerprints(texts: Any, *, text: str = "text", features: str = FEATURES) -> NDArray[numpy.uint64]:
    """The fingerprints of many texts, computed on all cores, as a NumPy array of ``uint64``.

    ``texts`` is what :func:`near_duplicates.dedup` takes. 0 stands for a short text, which has no fingerprint: leave these
    out before you compare.

    >>> text = "The tide table of the harbour master is printed every spring. " * 8
    >>> found = fingerprints([text, text.upper(), "Too short."])
    >>> found.dtype, bool(found[0] == found[1]), int(found[2])
    (dtype('uint64'), True, 0)
    """
    try:
        import numpy
    except ModuleNotFoundError as error:
        # Any other failure of the import keeps its own message: Ctrl-C in the middle of it, or a broken installation.
        if error.name != "numpy":
            raise
        raise ImportError("fingerprints() returns a NumPy array: pip install near-duplicates[numpy]") from error
    source, columns = opened(texts, text, None, ids_needed=False)
    return numpy.frombuffer(_native.fingerprints(source, columns, features), dtype=numpy.uint64)


def hamming_distance(a: int, b: int) -> int:
    """The number of bits in which two fingerprints differ.

    >>> hamming_distance(0b1011, 0b0010)
    2
    """
    if a is None or b is None:
        raise TypeError("a short text has no fingerprint: compare short texts with sketch_similarity()")
    a, b = index(a), index(b)
    for value in (a, b):
        if not 0 <= value < 1 << 64:
            raise ValueError(f"{value} is no fingerprint: it must have 64 bits and no sign")
    return (a ^ b).bit_count()


def sketch_similarity(a: str, b: str) -> float:
    """The Jaccard index of the five-word shingles of two texts, 0 to 1.

    It is estimated from sketches with a standard error of 0.02, as in a verdict. It is exact if one of the texts is short.

    >>> text = "The tide table of the harbour master is printed every spring. " * 8
    >>> sketch_similarity(text, text.upper())
    1.0
    >>> sketch_similarity("one two three four five six", "one two three four five seven")
    0.33333334
    """
    return _native.sketch_similarity(a, b)
