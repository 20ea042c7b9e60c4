"""The verdicts on Spark are those of one sequential pass. ``tests/spark_dedup`` of the repository runs these tests."""

from __future__ import annotations

import doctest
import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import corpus, edition

pytest.importorskip("pyspark")
pytest.importorskip("pyarrow")

from pyspark.sql import DataFrame, SparkSession

from near_duplicates import Verdict, dedup, spark


@pytest.fixture(scope="module")
def session(tmp_path_factory) -> Iterator[SparkSession]:
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    settings = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.log.level": "ERROR",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": 2,
        # Otherwise there is one partition.
        "spark.sql.adaptive.coalescePartitions.enabled": "false",
        # The data are few: compilers take most of the time.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
        "spark.sql.codegen.wholeStage": "false",
    }
    builder = SparkSession.builder.master("local[2]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setCheckpointDir(str(tmp_path_factory.mktemp("checkpoints")))
    yield session
    session.stop()


def frame(session: SparkSession, texts: list[str]) -> DataFrame:
    rows = [(f"document {number}", number, number % 7, text) for number, text in enumerate(texts)]
    random.Random(1).shuffle(rows)
    return session.createDataFrame(rows, "id string, number long, stars int, text string")


def verdicts(decided: DataFrame) -> dict[str, Verdict]:
    found = {}
    for row in decided.collect():
        assert row["cluster"] == (row["id"] if row["of"] is None else row["of"])
        verdict = "unique" if row["verdict"] == "kept" else row["verdict"]
        found[row["id"]] = Verdict(row["id"], verdict, row["of"], row["distance"], row["similarity"])
    return found


def expected(texts: list[str], order: list[int]) -> dict[str, Verdict]:
    return {verdict.id: verdict for verdict in dedup((f"document {number}", texts[number]) for number in order)}


def test_the_verdicts_are_those_of_a_sequential_pass(session, monkeypatch):
    # With so short a front, all documents of a topic are a crowd.
    monkeypatch.setattr(spark, "FRONT", 2)
    monkeypatch.setattr(spark, "GROWTH", 3)
    texts = [text for _, text in corpus(900, 4)]
    right = expected(texts, list(range(len(texts))))
    assert {verdict.verdict for verdict in right.values()} == {"unique", "exact", "near"}
    assert verdicts(spark.deduplicate(frame(session, texts), order="number")) == right


@pytest.mark.parametrize(
    ("options", "key"),
    [
        ({"keep": "newest", "order": "number"}, lambda number, text: -number),
        ({"keep": "longest", "order": "number"}, lambda number, text: (-len(text), number)),
        ({"keep": "best", "score": "stars"}, lambda number, text: (-(number % 7), f"document {number}")),
    ],
    ids=["newest", "longest", "best"],
)
def test_keep_says_which_document_comes_first(session, options, key):
    texts = [text for _, text in corpus(60, 5)] + [edition(20, 100, number) for number in range(6)]
    order = sorted(range(len(texts)), key=lambda number: key(number, texts[number]))
    assert verdicts(spark.deduplicate(frame(session, texts), **options)) == expected(texts, order)


def test_a_data_frame_without_order_keeps_one_document_of_each_cluster(session):
    texts = [edition(topic, 100) for topic in (1, 1, 2, 2, 3)] + ["", "", "A short text.", "a SHORT text."]
    decided = verdicts(spark.deduplicate(frame(session, texts)))
    assert sorted(verdict.verdict for verdict in decided.values()) == ["exact"] * 3 + ["unique"] * 6


def test_bad_input_is_refused(session, tmp_path: Path):
    df = frame(session, ["One text.", "Another text."])
    refused = [
        (df, {"id": "url"}, KeyError, "there is no column 'url'"),
        (df.withColumnRenamed("stars", "of"), {}, ValueError, "has a column 'of'"),
        (df.union(df), {}, ValueError, "is there 2 times: every document needs one of its own"),
        (df, {"keep": "best"}, ValueError, "keep=\"best\" needs score"),
        (df, {"keep": "newest"}, ValueError, "keep=\"newest\" needs order"),
        (df, {"keep": "oldest"}, ValueError, "keep = 'oldest' must be"),
        (df, {"min_similarity": 0.5}, ValueError, "min_similarity = 0.5 must be at least 0.75"),
        (df, {"max_distance": 30}, ValueError, "max_distance"),
        (df, {"features": "letters"}, ValueError, "features"),
    ]
    for given, options, error, message in refused:
        with pytest.raises(error, match=message):
            spark.deduplicate(given, **options)


def test_the_example(session):
    directory = session.sparkContext.getCheckpointDir()
    assert doctest.testmod(spark, extraglobs={"spark": session}).failed == 0
    session.sparkContext.setCheckpointDir(directory)
