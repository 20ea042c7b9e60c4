"""The verdicts are those of ``crawler dedup``, and those of a comparison with every unique document."""

from __future__ import annotations

import unicodedata

import pytest
from conftest import corpus, edition
from hypothesis import given, settings
from hypothesis import strategies as st

from near_duplicates import Deduplicator, Verdict, dedup, fingerprint, hamming_distance, sketch_similarity


@pytest.mark.parametrize("seed", range(3))
def test_the_verdicts_are_those_of_the_command(crawler, seed):
    documents = corpus(2_000, seed)
    expected = crawler(documents)
    assert {verdict.verdict for verdict in expected} == {"unique", "exact", "near"}
    assert list(dedup(documents)) == expected
    assert list(Deduplicator().dedup(documents)) == expected
    one_by_one = Deduplicator()
    assert [one_by_one.add(id, text) for id, text in documents] == expected


def test_the_verdicts_with_other_settings_are_those_of_the_command(crawler, tmp_path):
    documents = corpus(1_000, 7)
    (tmp_path / "config.toml").write_text('[dedup]\nfeatures = "words+2-shingles"\n')
    expected = crawler(documents, "--max-distance", "3", "--min-similarity", "0.9")
    assert list(dedup(documents, max_distance=3, min_similarity=0.9, features="words+2-shingles")) == expected
    assert list(dedup(documents)) != expected


def test_ids_may_repeat_as_they_may_for_the_command(crawler):
    documents = [(number % 3, text) for number, (_, text) in enumerate(corpus(200, 1))]
    assert list(dedup(documents)) == crawler(documents)


def test_the_defaults_are_those_of_the_configuration(crawler):
    # The command reads no config.toml here, so it takes the built-in values.
    documents = corpus(300, 3)
    assert list(dedup(documents, max_distance=10, min_similarity=0.76, features="words")) == crawler(documents)


def by_comparison(documents: list[str]) -> list[tuple[str, int | None]]:
    """The definition, by the parts of a verdict: the most similar unique document, the first of several."""
    kept: list[int] = []
    verdicts = []
    for number, text in enumerate(documents):
        verdicts.append(compared(text, [(other, documents[other]) for other in kept]))
        if verdicts[-1][0] == "unique":
            kept.append(number)
    return verdicts


def compared(text: str, kept: list[tuple[int, str]]) -> tuple[str, int | None]:
    def normalized(text: str) -> str:
        return " ".join(unicodedata.normalize("NFKC", text).lower().split())

    if not text.strip():
        return "unique", None
    for number, other in kept:
        if normalized(text) == normalized(other):
            return "exact", number
    near = []
    for number, other in kept:
        a, b = fingerprint(text), fingerprint(other)
        enough = 5 <= min(len(text.split()), len(other.split()))
        similarity = sketch_similarity(text, other)
        if a is not None and b is not None:
            if hamming_distance(a, b) <= 10 and similarity >= 0.76:
                near.append((-similarity, hamming_distance(a, b), number))
        elif enough and similarity >= 0.8:
            near.append((-similarity, -1, number))
    return ("near", min(near)[2]) if near else ("unique", None)


texts = st.builds(edition, st.integers(0, 3), st.sampled_from([0, 3, 8, 49, 52, 60, 130]), st.integers(0, 4))


@settings(max_examples=150, deadline=None)
@given(st.lists(texts, max_size=30))
def test_every_verdict_is_that_of_a_comparison_with_every_unique_document(documents):
    verdicts = [(verdict.verdict, verdict.of) for verdict in dedup(documents)]
    assert verdicts == by_comparison(documents)


def test_a_check_leaves_no_trace():
    deduplicator = Deduplicator()
    text = edition(1, 200)
    assert deduplicator.check(text) == Verdict(None, "unique", None, None, None)
    assert deduplicator.add(1, text).verdict == "unique"
    assert deduplicator.check(text) == Verdict(None, "exact", 1, 0, 1.0)
    assert len(deduplicator) == 1


def test_a_document_is_added_once():
    deduplicator = Deduplicator()
    first, again, other = edition(1, 200), edition(1, 200).upper(), edition(2, 200)
    verdict = deduplicator.add("a", first)
    assert deduplicator.add("a", again) == verdict == deduplicator.verdict("a")
    with pytest.raises(ValueError, match='the document "a" is already there with another text: remove it first'):
        deduplicator.add("a", other)
    assert len(deduplicator) == 1


def test_a_number_and_its_digits_are_different_ids():
    deduplicator = Deduplicator()
    deduplicator.add(1, "one")
    assert 1 in deduplicator and "1" not in deduplicator
    assert deduplicator.add("1", "one").of == 1
    assert None not in deduplicator and 1.0 not in deduplicator


def test_the_clusters_are_the_verdicts():
    deduplicator = Deduplicator()
    expected: dict = {}
    for verdict in deduplicator.dedup(corpus(500, 5)):
        if verdict.is_duplicate:
            expected.setdefault(verdict.of, []).append(verdict.id)
    assert deduplicator.clusters() == expected


def test_a_removed_document_takes_its_duplicates_with_it():
    deduplicator = Deduplicator()
    for number in range(4):
        deduplicator.add(number, edition(1, 200, number))
    assert deduplicator.remove(2) == []
    assert deduplicator.remove(0) == [1, 3]
    assert len(deduplicator) == 0 and deduplicator.clusters() == {}
    assert deduplicator.add(3, edition(1, 200, 3)).verdict == "unique"
    with pytest.raises(KeyError, match="there is no document 0"):
        deduplicator.remove(0)
    with pytest.raises(KeyError):
        deduplicator.verdict(0)
