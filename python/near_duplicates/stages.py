"""The stages of a deduplication in many processes, over Arrow tables: for Ray, datatrove, or a program of your own.

1. :func:`signatures` of the texts, in any number of processes.
2. Of each digest, the first document goes on. The others are exact duplicates.
3. :func:`candidate_pairs`, and of these the :func:`confirmed_pairs`.
4. :func:`decide_round`: a document is kept if no earlier kept document duplicates it.

The documents need numbers: a column ``document`` of 64-bit integers that ascend in the order in which the documents count.
:mod:`near_duplicates.spark` does all of this, and names the kept document of each duplicate.

The tables are those of pyarrow: ``pip install near-duplicates[arrow]``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from . import _native
from ._deduplicator import FEATURES, MAX_DISTANCE, MIN_SIMILARITY, _bits

if TYPE_CHECKING:
    import pyarrow  # type: ignore[import-not-found, import-untyped, unused-ignore]

SIGNATURE = ("digest", "fingerprint", "keys", "signature")
"""The columns that :func:`signatures` makes."""


def signatures(table: pyarrow.Table, *, text: str = "text", features: str = FEATURES) -> pyarrow.Table:
    """The table with the signatures of its texts in place of these. A signature takes about 330 bytes, and needs no other text.

    The new columns are ``digest`` (the hash of the normalised text; null for a text without a word), ``fingerprint`` (null for a
    short text), ``keys`` (near-duplicates have one in common) and ``signature`` (what :func:`confirmed_pairs` compares).

    >>> import pyarrow
    >>> report = " ".join(f"word{number}" for number in range(200))
    >>> texts = [report, report + " and more", report.replace("word9 ", "nine "), "Short."]
    >>> signed = signatures(pyarrow.table({"document": range(4), "text": texts}))
    >>> signed.column_names
    ['document', 'digest', 'fingerprint', 'keys', 'signature']
    """
    import pyarrow

    schema = _without(table.slice(0, 0), text, features).schema
    return pyarrow.Table.from_batches([signed_batch(batch, text, features) for batch in table.to_batches()], schema)


def _without(table: pyarrow.Table, text: str, features: str) -> pyarrow.RecordBatch:
    import pyarrow

    columns = [pyarrow.array([], field.type) for field in table.schema]
    return signed_batch(pyarrow.RecordBatch.from_arrays(columns, names=table.column_names), text, features)


def signed_batch(batch: pyarrow.RecordBatch, text: str, features: str) -> pyarrow.RecordBatch:
    """One batch of :func:`signatures`."""
    import pyarrow

    signed = _native.signatures(batch, text, features)
    others = [name for name in batch.schema.names if name != text]
    return pyarrow.RecordBatch.from_arrays(
        [*(batch.column(name) for name in others), *signed.columns], names=[*others, *SIGNATURE]
    )


def candidate_pairs(signed: pyarrow.Table, *, max_distance: int = MAX_DISTANCE) -> pyarrow.Table:
    """The pairs of documents that have a key in common and near fingerprints: ``earlier`` and ``later``, each pair once.

    The documents may be in parts, if each part has all documents with some of the keys: the pairs of all parts are then all
    pairs. A million copies of one text are half a billion pairs; :mod:`near_duplicates.spark` makes few pairs of such a crowd.

    >>> import pyarrow
    >>> report = " ".join(f"word{number}" for number in range(200))
    >>> texts = [report, report + " and more", report.replace("word9 ", "nine "), "Short."]
    >>> signed = signatures(pyarrow.table({"document": range(4), "text": texts}))
    >>> candidate_pairs(signed).sort_by([("earlier", "ascending"), ("later", "ascending")]).to_pydict()
    {'earlier': [0, 0, 1], 'later': [1, 2, 2]}
    """
    import pyarrow
    from pyarrow import compute

    keys = signed["keys"].combine_chunks()
    rows = compute.list_parent_indices(keys)
    listed = pyarrow.table({
        "key": compute.list_flatten(keys),
        "document": signed["document"].take(rows),
        "fingerprint": signed["fingerprint"].take(rows),
        "kept": pyarrow.nulls(len(rows), pyarrow.bool_()),
    }).sort_by([("key", "ascending"), ("document", "ascending")])
    pairs = paired(listed.to_batches(), _native.Pairs.of_undecided(_bits(max_distance), len(signed)))
    schema = pyarrow.schema([("earlier", pyarrow.int64()), ("later", pyarrow.int64())])
    found = pyarrow.Table.from_batches([pair.select(schema.names).cast(schema) for pair in pairs], schema)
    return found.group_by(schema.names).aggregate([])


def paired(batches: Iterable[pyarrow.RecordBatch], pairs: _native.Pairs) -> Iterator[pyarrow.RecordBatch]:
    """The pairs of documents in batches, sorted by ``key`` and ``document``."""
    for batch in batches:
        pairs.push(batch)
        while (made := pairs.take()) is not None:
            yield made
    pairs.end()
    while (made := pairs.take()) is not None:
        yield made


def confirmed_pairs(
    pairs: pyarrow.Table,
    signed: pyarrow.Table,
    *,
    max_distance: int = MAX_DISTANCE,
    min_similarity: float = MIN_SIMILARITY,
) -> pyarrow.Table:
    """Those of the pairs that are near-duplicates, with ``distance`` and ``similarity`` as in a
    :class:`~near_duplicates.Verdict`. ``signed`` has the documents of all pairs.

    >>> import pyarrow
    >>> report = " ".join(f"word{number}" for number in range(200))
    >>> signed = signatures(pyarrow.table({"document": [0, 1], "text": [report, report + " and more"]}))
    >>> confirmed_pairs(candidate_pairs(signed), signed).to_pylist()
    [{'earlier': 0, 'later': 1, 'distance': 2, 'similarity': 0.99609375}]
    """
    import pyarrow

    of_earlier = signed.select(["document", "signature"])
    of_later = of_earlier.rename_columns(["document", "later_signature"])
    compared = pairs.join(of_earlier, "earlier", "document", "inner").join(of_later, "later", "document", "inner")
    none = pyarrow.RecordBatch.from_pylist([], compared.schema)
    batches = [_native.confirmed(batch, _bits(max_distance), min_similarity) for batch in [none, *compared.to_batches()]]
    return pyarrow.Table.from_batches(batches)


def decide_round(pairs: pyarrow.Table) -> pyarrow.Table:
    """The documents that confirmed pairs decide: ``document``, and whether it is ``kept``.

    A document is kept if all earlier documents of its pairs are dropped, and dropped if one of them is kept. Give the known
    verdicts on the earlier documents in a column ``kept``, null where there is none, and call the function again with what it
    has decided. The pairs may be in parts, if all pairs of one later document are in one part. Parts of ascending documents need the
    fewest rounds: at most as many as there are parts.

    Without a column ``kept``, these are all pairs, and one round decides all documents that are later in a pair. All other
    documents are kept.

    >>> import pyarrow
    >>> decide_round(pyarrow.table({"earlier": [0, 1, 2], "later": [1, 2, 3]})).to_pydict()
    {'document': [1, 2, 3], 'kept': [False, True, False]}
    """
    import pyarrow
    from pyarrow import compute

    if "kept" not in pairs.column_names:
        waits = compute.is_in(pairs["earlier"], pairs["later"].combine_chunks())
        pairs = pairs.append_column("kept", compute.if_else(waits, pyarrow.scalar(None, pyarrow.bool_()), True))
    return pyarrow.Table.from_batches(list(decided(pairs.sort_by("later").to_batches())))


def decided(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """The decisions of a round, from batches of pairs in ascending order of ``later``."""
    decisions = _native.Round()
    for batch in batches:
        yield decisions.push(batch)
    yield decisions.end()
