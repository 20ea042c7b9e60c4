"""Bad input is refused with a message that says what to do, after the verdicts on the documents before it."""

from __future__ import annotations

import pandas
import polars
import pyarrow
import pytest

from near_duplicates import Deduplicator, dedup, evaluate, fingerprint, fingerprints, hamming_distance, sketch_similarity

GOOD = [(0, "one"), (1, "two")]


@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        ((2, None), TypeError, "the text of the document 2 is NoneType, not str: leave the document out"),
        ((2, b"three"), TypeError, "the text of the document 2 is bytes, not str: decode it first"),
        ((2, float("nan")), TypeError, "the text of the document 2 is float, not str: leave out the rows without a text"),
        ((2, 3), TypeError, "the text of the document 2 is int, not str: give a str"),
        ((2, "\ud800"), ValueError, "the text of the document 2 holds half of a surrogate pair.*clean it with"),
        (("\ud800", "three"), ValueError, "the id .* holds half of a surrogate pair"),
        ((None, "three"), TypeError, "an id is a str or an int, not NoneType: convert it with str"),
        ((True, "three"), TypeError, "an id is a str or an int, not bool"),
        ((2.5, "three"), TypeError, "an id is a str or an int, not float"),
        ((2**63, "three"), OverflowError, "does not fit into 64 bits with a sign: use str"),
        ({"id": 2}, KeyError, "document 2 has no key 'text'; it has: id"),
        ([2, "three"], TypeError, "document 2 is list: give a text, a pair"),
        ((1, 2, 3), TypeError, "document 2 is tuple"),
        (None, TypeError, "the text of the document 2 is NoneType"),
    ],
)
def test_a_bad_document_comes_after_the_verdicts_on_the_good_ones(bad, error, message):
    verdicts = dedup([*GOOD, bad, (3, "four")])
    assert [next(verdicts).id, next(verdicts).id] == [0, 1]
    with pytest.raises(error, match=message):
        next(verdicts)
    assert list(verdicts) == []


@pytest.mark.parametrize("make", [pandas.DataFrame, polars.DataFrame, pyarrow.table])
def test_a_row_without_a_text_is_named(make):
    verdicts = dedup(make({"id": ["a", "b"], "text": ["one", None]}))
    assert next(verdicts).id == "a"
    with pytest.raises(TypeError, match='the text of the document "b" is .*leave out the rows without a text, or fill them'):
        next(verdicts)


@pytest.mark.parametrize("make", [pandas.DataFrame, polars.DataFrame, pyarrow.table])
@pytest.mark.parametrize("names", [{"text": "body"}, {"id": "key"}])
def test_a_column_that_is_not_there_is_named_with_those_that_are(make, names):
    with pytest.raises(KeyError, match="there is no column .*there are: id, text"):
        list(dedup(make({"id": [1], "text": ["one"]}), **names))


@pytest.mark.parametrize("make", [polars.DataFrame, pyarrow.table])
def test_a_column_of_the_wrong_type_is_refused(make):
    with pytest.raises(TypeError, match="the column of texts has the type Int64: convert it to strings first"):
        list(dedup(make({"id": [1], "text": [1]})))
    with pytest.raises(TypeError, match="the column of ids has the type Float64: convert it"):
        list(dedup(make({"id": [1.5], "text": ["one"]})))


def test_an_id_of_arrow_that_is_too_large_or_missing_is_refused():
    ids = pyarrow.array([2**64 - 1], pyarrow.uint64())
    with pytest.raises(OverflowError, match="18446744073709551615 does not fit into 64 bits with a sign: convert the column"):
        list(dedup(pyarrow.table({"id": ids, "text": ["one"]})))
    with pytest.raises(ValueError, match="row 1 has no id"):
        list(dedup(pyarrow.table({"id": ["a", None], "text": ["one", "two"]})))


@pytest.mark.parametrize("one", ["a text", b"bytes"])
def test_one_text_is_not_several(one):
    with pytest.raises(TypeError, match="is not several documents: put the texts into a list"):
        dedup(one)


def test_what_holds_no_documents_is_refused():
    with pytest.raises(TypeError, match="int holds no documents"):
        dedup(7)
    with pytest.raises(TypeError, match="LazyFrame holds no documents"):
        dedup(polars.LazyFrame({"text": ["one"]}))


def test_an_error_of_a_generator_comes_after_its_documents():
    def documents():
        yield from GOOD
        raise ConnectionError("the source is gone")

    deduplicator = Deduplicator()
    verdicts = deduplicator.dedup(documents())
    assert [next(verdicts).id, next(verdicts).id] == [0, 1]
    with pytest.raises(ConnectionError, match="the source is gone"):
        next(verdicts)
    assert len(deduplicator) == 2


def test_an_id_with_two_texts_ends_a_stream_after_the_documents_before():
    deduplicator = Deduplicator()
    verdicts = deduplicator.dedup([*GOOD, (0, "three"), (2, "four")])
    assert [next(verdicts).id, next(verdicts).id] == [0, 1]
    with pytest.raises(ValueError, match="the document 0 is already there with another text"):
        next(verdicts)
    assert 2 not in deduplicator


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"max_distance": 21}, ValueError, "max_distance.*20"),
        ({"max_distance": -1}, ValueError, "max_distance = -1 must be 0 to 20 bits"),
        ({"max_distance": 2.5}, TypeError, "max_distance = 2.5 must be an int"),
        ({"min_similarity": 0}, ValueError, "min_similarity = 0 must be above 0 and at most 1"),
        ({"min_similarity": float("nan")}, ValueError, "min_similarity"),
        ({"min_similarity": "high"}, TypeError, "min_similarity"),
        ({"features": "letters"}, ValueError, 'features: "letters" names no features: write words, 2-shingles'),
    ],
)
def test_settings_out_of_bounds_are_refused(settings, error, message, tmp_path):
    with pytest.raises(error, match=message):
        dedup([], **settings)
    with pytest.raises(error, match=message):
        Deduplicator(path=tmp_path / "documents", **settings)
    assert not (tmp_path / "documents").exists()


def test_the_parts_of_a_verdict_refuse_what_they_cannot_use():
    with pytest.raises(TypeError, match="the text is NoneType"):
        fingerprint(None)
    with pytest.raises(TypeError, match="the second text is int"):
        sketch_similarity("a", 1)
    with pytest.raises(TypeError, match="the text of the document 1 is bytes"):
        fingerprints(["one", b"two"])
    with pytest.raises(TypeError, match="a short text has no fingerprint"):
        hamming_distance(1, None)
    with pytest.raises(ValueError, match="-1 is no fingerprint"):
        hamming_distance(1, -1)
    with pytest.raises(ValueError, match="features"):
        fingerprint("text", features="words+")


def test_a_score_counts_what_is_right():
    verdicts = dedup({"a": "one two", "b": "One  Two", "c": "three four"})
    score = evaluate(verdicts, [("a", "b", 1.0), ("a", "c", 0.9)])
    assert score == (1, 0, 0, 1, 1)
    assert (score.precision, score.recall) == (1.0, 0.5)
    assert evaluate([], []).f1 == 1.0
