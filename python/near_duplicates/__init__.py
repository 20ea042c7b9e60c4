"""Near-duplicate detection for text: which documents say nothing new, and which document they repeat.

>>> from near_duplicates import dedup
>>> report = " ".join(f"word{number}" for number in range(200))
>>> [verdict.verdict for verdict in dedup([report, report + " and more", "Something else."])]
['unique', 'near', 'unique']

- :func:`dedup`: verdicts on documents that are all at hand, or that a generator gives.
- :class:`Deduplicator`: verdicts on documents that come one after the other, in memory or in a folder.
- :func:`fingerprint`, :func:`fingerprints`, :func:`hamming_distance`, :func:`sketch_similarity`: the parts of a verdict.
- :func:`evaluate`: precision and recall of verdicts on documents with known duplicates.

It compares texts, not meanings: it does not recognise a translation or a paraphrase.
"""

from ._deduplicator import Deduplicator, dedup
from ._evaluate import Score, evaluate
from ._texts import fingerprint, fingerprints, hamming_distance, sketch_similarity
from ._verdict import Id, Verdict

__all__ = [
    "Deduplicator",
    "Id",
    "Score",
    "Verdict",
    "dedup",
    "evaluate",
    "fingerprint",
    "fingerprints",
    "hamming_distance",
    "sketch_similarity",
]
