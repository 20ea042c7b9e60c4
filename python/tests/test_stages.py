"""The stages over Arrow tables decide what one sequential pass decides."""

from __future__ import annotations

import pyarrow
import pytest
from conftest import corpus, edition
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import compute

from near_duplicates import _native, dedup, stages


def signed(texts: list[str]) -> pyarrow.Table:
    documents = pyarrow.array(range(len(texts)), pyarrow.int64())
    return stages.signatures(pyarrow.table({"document": documents, "text": pyarrow.array(texts, pyarrow.string())}))


def without_copies(table: pyarrow.Table) -> pyarrow.Table:
    first = table.group_by("digest").aggregate([("document", "min")])["document_min"].combine_chunks()
    return table.filter(compute.or_(compute.is_null(table["digest"]), compute.is_in(table["document"], first)))


def dropped(decided: pyarrow.Table) -> set[int]:
    return set(decided.filter(compute.invert(decided["kept"]))["document"].to_pylist())


@pytest.mark.parametrize("seed", range(2))
def test_the_stages_drop_the_near_duplicates(seed):
    texts = [text for _, text in corpus(2_000, seed)]
    table = without_copies(signed(texts))
    decided = stages.decide_round(stages.confirmed_pairs(stages.candidate_pairs(table), table))
    verdicts = list(dedup(texts))
    near = {document for document in table["document"].to_pylist() if verdicts[document].verdict == "near"}
    assert near and dropped(decided) == near


def test_a_pair_has_the_figures_of_the_verdict():
    texts = [edition(1, 200), edition(1, 200, 1), edition(2, 60), edition(3, 20), edition(3, 20, 1)]
    table = signed(texts)
    found = stages.confirmed_pairs(stages.candidate_pairs(table), table).sort_by("later").to_pylist()
    near = [verdict for verdict in dedup(texts) if verdict.verdict == "near"]
    expected = [(verdict.of, verdict.id, verdict.distance, verdict.similarity) for verdict in near]
    assert [tuple(pair.values()) for pair in found] == expected and near


def test_tables_may_be_empty_and_have_other_columns():
    table = stages.signatures(pyarrow.table({"url": ["/a"], "body": ["One text."]}), text="body")
    assert table.column_names == ["url", *stages.SIGNATURE]
    empty = signed([])
    pairs = stages.candidate_pairs(empty)
    confirmed = stages.confirmed_pairs(pairs, empty)
    assert (len(pairs), len(confirmed), len(stages.decide_round(confirmed))) == (0, 0, 0)


@pytest.mark.parametrize(
    ("column", "error", "message"),
    [
        (["a", None], ValueError, "a text is null: leave out the rows without a text"),
        ([1, 2], TypeError, "the column of texts has the type Int64: convert it to strings first"),
    ],
)
def test_bad_texts_are_refused(column, error, message):
    with pytest.raises(error, match=message):
        stages.signatures(pyarrow.table({"text": column}))


def test_bad_pairs_are_refused():
    pairs = pyarrow.record_batch({"earlier": [0, 0], "later": [2, 1], "kept": pyarrow.nulls(2, pyarrow.bool_())})
    with pytest.raises(ValueError, match="the pairs are not sorted"):
        _native.Round().push(pairs)
    with pytest.raises(KeyError, match="there is no column \"kept\""):
        _native.Round().push(pairs.select(["earlier", "later"]))
    with pytest.raises(ValueError, match="a signature cannot be read"):
        both = pyarrow.array([b"\xff"])
        batch = pyarrow.record_batch({"earlier": [0], "later": [1], "signature": both, "later_signature": both})
        _native.confirmed(batch, 10, 0.76)
    with pytest.raises(ValueError, match="min_similarity = 0.7 must be at least 0.75"):
        _native.check_rule(10, 0.7, "words")
    with pytest.raises(ValueError, match="max_distance"):
        _native.check_rule(40, 0.8, "words")


def members(states: list[bool | None], key: int = 4) -> pyarrow.RecordBatch:
    count = len(states)
    columns = {"key": [key] * count, "document": range(count), "fingerprint": [0] * count}
    return pyarrow.record_batch({**columns, "kept": pyarrow.array(states, pyarrow.bool_())})


def rows(pairs: _native.Pairs, *batches: pyarrow.RecordBatch) -> list[dict]:
    return [row for batch in stages.paired(iter(batches), pairs) for row in batch.to_pylist()]


def made(pairs: _native.Pairs, *batches: pyarrow.RecordBatch) -> list[tuple[int, int]]:
    return [(row["earlier"], row["later"]) for row in rows(pairs, *batches)]


def test_the_front_of_a_crowd_is_paired_with_all_later_documents():
    found = rows(_native.Pairs.of_undecided(10, 2), members([None] * 4))
    pairs = [(row["earlier"], row["later"]) for row in found if row["crowd"] is None]
    assert pairs == [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3)]
    crowded = [(row["later"], row["crowd"], row["fingerprint"], row["waits"]) for row in found if row["crowd"] is not None]
    assert crowded == [(0, 4, 0, False), (1, 4, 0, False), (2, 4, 0, False), (3, 4, 0, True)]
    assert len(made(_native.Pairs.of_undecided(10, 2), members([None] * 3))) == 3


def test_a_kept_document_is_paired_only_with_later_ones_that_are_not_decided():
    assert made(_native.Pairs.of_undecided(10, 9), members([True, True, None, True])) == [(0, 2), (1, 2)]
    assert made(_native.Pairs.of_dropped(10), members([False, True, True, False])) == [(0, 1), (0, 2), (1, 3), (2, 3)]


def test_documents_may_come_in_batches_of_any_size():
    whole = pyarrow.Table.from_batches([members([None] * 40, key) for key in (-6, 2, 8)])
    expected = made(_native.Pairs.of_undecided(10, 5), *whole.to_batches())
    for size in (1, 7, 40, 120):
        batches = whole.combine_chunks().to_batches(max_chunksize=size)
        assert made(_native.Pairs.of_undecided(10, 5), *batches) == expected


def test_distant_fingerprints_and_the_shingles_of_long_texts_are_no_pair():
    far = members([None, None]).set_column(2, "fingerprint", pyarrow.array([0, 0b111]))
    assert made(_native.Pairs.of_undecided(2, 9), far) == []
    assert made(_native.Pairs.of_undecided(3, 9), far) == [(0, 1)]
    # The keys of shingles are odd.
    assert made(_native.Pairs.of_undecided(10, 9), members([None, None], key=5)) == []


graphs = st.sets(st.tuples(st.integers(0, 30), st.integers(0, 30)).filter(lambda pair: pair[0] < pair[1]))


@settings(max_examples=200, deadline=None)
@given(graphs, st.integers(1, 6))
def test_rounds_over_parts_decide_what_a_sequential_pass_decides(graph, parts):
    keeps: dict[int, bool] = {}
    for document in range(31):
        keeps[document] = not any(keeps[earlier] for earlier, later in graph if later == document)
    laters = {later for _, later in graph}
    expected = {later: keeps[later] for later in laters}
    assert rounds(graph, laters, 1)[0] == expected
    decided, count = rounds(graph, laters, parts)
    assert decided == expected and count <= max(parts, 1)


def rounds(graph: set[tuple[int, int]], laters: set[int], parts: int) -> tuple[dict[int, bool], int]:
    """The decisions of rounds over parts of ascending documents, and the number of rounds."""
    decided: dict[int, bool] = {}
    count = 0
    while len(decided) < len(laters):
        count += 1
        new: dict[int, bool] = {}
        for part in range(parts):
            mine = sorted((later, earlier) for earlier, later in graph if later * parts // 31 == part and later not in decided)
            known = [decided.get(earlier, None if earlier in laters else True) for _, earlier in mine]
            table = pyarrow.table({
                "earlier": pyarrow.array([earlier for _, earlier in mine], pyarrow.int64()),
                "later": pyarrow.array([later for later, _ in mine], pyarrow.int64()),
                "kept": pyarrow.array(known, pyarrow.bool_()),
            })
            new |= {row["document"]: row["kept"] for row in stages.decide_round(table).to_pylist()}
        assert new
        decided |= new
    return decided, count
