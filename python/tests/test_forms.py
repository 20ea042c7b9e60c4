"""Every form of documents gives the same verdicts."""

from __future__ import annotations

import itertools
import time

import numpy
import pandas
import polars
import pyarrow
import pytest
from conftest import corpus

from near_duplicates import Deduplicator, dedup, fingerprint, fingerprints

DOCUMENTS = corpus(300, 11)
IDS, TEXTS = [id for id, _ in DOCUMENTS], [text for _, text in DOCUMENTS]
COLUMNS = {"id": IDS, "text": TEXTS, "price": [1.5] * len(IDS)}
TABLE = pyarrow.table(COLUMNS)

WITH_IDS = {
    "pairs": lambda: DOCUMENTS,
    "generator": lambda: (pair for pair in DOCUMENTS),
    "dict": lambda: dict(DOCUMENTS),
    "dicts": lambda: [{"id": id, "text": text} for id, text in DOCUMENTS],
    "pandas": lambda: pandas.DataFrame(COLUMNS),
    "pandas objects": lambda: pandas.DataFrame(COLUMNS, dtype=object),
    "polars": lambda: polars.DataFrame(COLUMNS),
    "table": lambda: TABLE,
    "chunked table": lambda: pyarrow.concat_tables([TABLE[:7], TABLE[7:7], TABLE[7:]]),
    "batch": lambda: pyarrow.record_batch(COLUMNS),
    "reader": lambda: TABLE.to_reader(50),
    "large strings": lambda: TABLE.set_column(1, "text", TABLE["text"].cast(pyarrow.large_string())),
    "string views": lambda: TABLE.set_column(1, "text", TABLE["text"].cast(pyarrow.string_view())),
}
WITHOUT_IDS = {
    "list": lambda: TEXTS,
    "pandas series": lambda: pandas.Series(TEXTS),
    "polars series": lambda: polars.Series(TEXTS),
    "numpy": lambda: numpy.array(TEXTS),
    "numpy objects": lambda: numpy.array(TEXTS, dtype=object),
    "array": lambda: pyarrow.array(TEXTS),
    "chunked array": lambda: TABLE["text"],
    "pandas frame": lambda: pandas.DataFrame({"text": TEXTS}),
    "table": lambda: TABLE.select(["text"]),
}


@pytest.mark.parametrize("form", WITH_IDS)
def test_documents_with_ids(form):
    expected = list(dedup(DOCUMENTS))
    assert list(dedup(WITH_IDS[form]())) == expected
    assert list(Deduplicator().dedup(WITH_IDS[form]())) == expected


@pytest.mark.parametrize("form", WITHOUT_IDS)
def test_documents_without_ids_are_named_by_their_positions(form):
    assert list(dedup(WITHOUT_IDS[form]())) == list(dedup(enumerate(TEXTS)))
    with pytest.raises(ValueError, match="the documents have no ids.*name the column or key of the ids with id="):
        list(Deduplicator().dedup(WITHOUT_IDS[form]()))


@pytest.mark.parametrize("make", [pandas.DataFrame, polars.DataFrame, pyarrow.table])
@pytest.mark.parametrize("number", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"])
def test_ids_may_be_integers_of_any_width(make, number):
    ids = numpy.arange(100, dtype=number)
    frame = make({"key": ids, "body": TEXTS[:100]})
    assert list(dedup(frame, id="key", text="body")) == list(dedup(enumerate(TEXTS[:100])))


def test_verdicts_come_while_the_documents_are_still_coming():
    endless = ((number, f"text {number % 7}") for number in itertools.count())
    verdicts = list(itertools.islice(dedup(endless), 10_000))
    assert sum(not verdict.is_duplicate for verdict in verdicts) == 7
    assert [verdict.id for verdict in verdicts] == list(range(10_000))


def test_a_slow_source_holds_no_verdict_back():
    read = []

    def slow():
        for number in range(20):
            read.append(number)
            yield number, f"text {number}"
            time.sleep(0.3)

    assert next(dedup(slow())).id == 0
    assert len(read) < 20


def test_verdicts_become_a_data_frame():
    frame = polars.DataFrame(dedup(DOCUMENTS), orient="row", schema=["id", "verdict", "of", "distance", "similarity"])
    assert frame.height == len(DOCUMENTS)
    assert list(pandas.DataFrame(dedup(DOCUMENTS)).columns) == ["id", "verdict", "of", "distance", "similarity"]


@pytest.mark.parametrize("form", WITHOUT_IDS)
def test_fingerprints_are_an_array(form):
    found = fingerprints(WITHOUT_IDS[form]())
    assert found.dtype == numpy.uint64 and found.flags.writeable
    assert found.tolist() == [fingerprint(text) or 0 for text in TEXTS]


def test_the_fingerprints_of_nothing_are_an_empty_array():
    assert fingerprints([]).shape == (0,)
