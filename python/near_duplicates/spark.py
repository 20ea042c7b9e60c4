"""Deduplication on Apache Spark, with the verdicts of one sequential pass.

``pip install near-duplicates[spark]`` on every machine of the cluster. The chapter "Spark" of the book says how it works, and
what it costs.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple

from . import _native, stages
from ._deduplicator import FEATURES, MAX_DISTANCE, MIN_SIMILARITY, _bits

try:
    from pyspark.sql import functions as F  # type: ignore[import-not-found, unused-ignore]
    from pyspark.sql import types as T  # type: ignore[import-not-found, unused-ignore]
except ModuleNotFoundError as error:
    if error.name != "pyspark":
        raise
    raise ImportError("near_duplicates.spark needs Spark: pip install near-duplicates[spark]") from error

if TYPE_CHECKING:
    import pyarrow  # type: ignore[import-not-found, import-untyped, unused-ignore]
    from pyspark.sql import Column, DataFrame  # type: ignore[import-not-found, unused-ignore]

    Batches = Iterator[pyarrow.RecordBatch]

ADDED = ("verdict", "of", "distance", "similarity", "cluster")
"""The columns that :func:`deduplicate` adds."""
FRONT = 16
"""Documents of a crowd that are compared with all others at first."""
GROWTH = 16
"""How many times longer the front is in the next step."""
_log = logging.getLogger(__name__)


class Rule(NamedTuple):
    """When two documents are near-duplicates."""

    max_distance: int
    min_similarity: float


def deduplicate(
    df: DataFrame,
    *,
    text: str = "text",
    id: str = "id",
    order: str | None = None,
    keep: Literal["first", "longest", "newest", "best"] = "first",
    score: str | None = None,
    max_distance: int = MAX_DISTANCE,
    min_similarity: float = MIN_SIMILARITY,
    features: str = FEATURES,
) -> DataFrame:
    """The data frame with the verdict on each document.

    A document is kept if no kept document before it duplicates it. ``keep`` says which documents come first:

    - ``"first"``: those with the least ``order``; without ``order``, in the order in which Spark reads them;
    - ``"newest"``: those with the greatest ``order``;
    - ``"longest"``: those with the longest text;
    - ``"best"``: those with the greatest ``score``, the name of a column.

    Among equals, ``order`` decides, then ``id``. Every document needs an id of its own. These columns are added:

    - ``verdict``: ``"kept"``, ``"exact"`` (the same normalised text as ``of``) or ``"near"`` (nearly that text);
    - ``of``: the id of the kept document that it repeats; null for a kept one;
    - ``distance`` and ``similarity``: as in a :class:`~near_duplicates.Verdict`;
    - ``cluster``: the id of the kept document, for a kept one its own.

    The verdicts are computed when you call the function. Intermediate results go to the checkpoint directory of Spark.

    >>> spark.sparkContext.setCheckpointDir("checkpoints")
    >>> report = " ".join(f"word{number}" for number in range(200))
    >>> pages = [("/a", 3, report), ("/b", 1, report + " and more"), ("/c", 2, "Something else.")]
    >>> df = spark.createDataFrame(pages, "url string, fetched int, text string")
    >>> decided = deduplicate(df, id="url", order="fetched").select("url", "verdict", "of", "distance", "similarity", "cluster")
    >>> decided.orderBy("url").show()
    +---+-------+----+--------+----------+-------+
    |url|verdict|  of|distance|similarity|cluster|
    +---+-------+----+--------+----------+-------+
    | /a|   near|  /b|       2|0.99609375|     /b|
    | /b|   kept|NULL|    NULL|      NULL|     /b|
    | /c|   kept|NULL|    NULL|      NULL|     /c|
    +---+-------+----+--------+----------+-------+
    <BLANKLINE>
    """
    rule = Rule(_bits(max_distance), min_similarity)
    _native.check_rule(*rule, features)
    _check(df, text, id)
    signed = _signed(df, text, id, _sort_keys(order, keep, score, text), features)
    documents = _checkpoint(_with_firsts(signed))
    firsts = documents.where("document = first").select("document")
    keys = signed.select("document", "fingerprint", "keys").join(firsts, "document", "left_semi")
    keys = keys.select(F.explode("keys").alias("key"), "document", "fingerprint")
    edges, dropped = _decided(keys, signed.select("document", "signature"), rule)
    verdicts = _checkpoint(_verdicts(documents, _named(documents, edges, dropped)))
    return df.join(verdicts.withColumnRenamed("id", id), id, "left")


def _check(df: DataFrame, text: str, id: str) -> None:
    for name in (text, id):
        if name not in df.columns:
            raise KeyError(f"there is no column {name!r}; there are: {', '.join(df.columns)}")
    for name in ADDED:
        if name in df.columns:
            raise ValueError(f"the data frame has a column {name!r}, which the verdicts need: rename it")
    if df.sparkSession.sparkContext.getCheckpointDir() is None:
        raise ValueError("Spark has no checkpoint directory: call spark.sparkContext.setCheckpointDir(path) first, with a "
                         "path that all machines reach")
    repeated = df.groupBy(F.col(id).alias("id")).count().where("id is null or count > 1").limit(1).collect()
    if repeated:
        raise ValueError(f"the id {repeated[0]['id']!r} is there {repeated[0]['count']} times: every document needs one of its own")


def _sort_keys(order: str | None, keep: str, score: str | None, text: str) -> list[tuple[Column, bool]]:
    """By what the documents are sorted, before their ids, and whether the greatest is first."""
    if (keep == "best") != (score is not None):
        raise ValueError('keep="best" needs score, the name of a column, and nothing else does')
    if keep == "newest" and order is None:
        raise ValueError('keep="newest" needs order, the column of the time')
    by_order = [] if order is None else [(F.col(order), keep == "newest")]
    if keep in ("first", "newest"):
        return by_order
    if keep == "longest":
        return [(F.length(text), True), *by_order]
    if keep == "best":
        return [(F.col(str(score)), True), *by_order]
    raise ValueError(f'keep = {keep!r} must be "first", "longest", "newest" or "best"')


def _checkpoint(df: DataFrame) -> DataFrame:
    """Computes a data frame and stores it, so that no plan grows, and a lost executor costs little."""
    return df.checkpoint(eager=True)


def _signed(df: DataFrame, text: str, id: str, sort_keys: list[tuple[Column, bool]], features: str) -> DataFrame:
    """The signatures with ``id`` and ``document``, a number that ascends in the order of the documents."""
    columns = [F.col(id).alias("id"), F.col(text).alias("text")]
    if not sort_keys:
        return _checkpoint(_with_signatures(df.select(F.monotonically_increasing_id().alias("document"), *columns), features))
    names = [f"order{place}" for place in range(len(sort_keys))]
    columns += [value.alias(name) for name, (value, _) in zip(names, sort_keys)]
    # Before the sort, so that texts are not shuffled, and stored, because a sort reads its input twice.
    signed = _checkpoint(_with_signatures(df.select(*columns), features))
    by = [F.desc_nulls_last(name) if is_descending else F.asc_nulls_last(name) for name, (_, is_descending) in zip(names, sort_keys)]
    return _checkpoint(signed.orderBy(*by, "id").withColumn("document", F.monotonically_increasing_id()).drop(*names))


def _with_signatures(texts: DataFrame, features: str) -> DataFrame:
    def sign(batches: Batches) -> Batches:
        return (stages.signed_batch(batch, "text", features) for batch in batches)

    types = (T.BinaryType(), T.LongType(), T.ArrayType(T.LongType()), T.BinaryType())
    added = [T.StructField(name, kind) for name, kind in zip(stages.SIGNATURE, types)]
    return texts.mapInArrow(sign, T.StructType([*texts.drop("text").schema.fields, *added]))


def _with_firsts(signed: DataFrame) -> DataFrame:
    """``document``, ``id``, and ``first``: the first document with the same digest."""
    # Not a window, so that many equal texts are counted where they are.
    firsts = signed.where("digest is not null").groupBy("digest").agg(F.min("document").alias("first"))
    documents = signed.select("document", "id", "digest").join(firsts, "digest", "left")
    return documents.select("document", "id", F.coalesce("first", "document").alias("first"))


def _decided(keys: DataFrame, signatures: DataFrame, rule: Rule) -> tuple[DataFrame, DataFrame]:
    """The confirmed pairs, among them every pair of a kept and a dropped document; and the dropped documents."""
    pairs = _checkpoint(_pairs(keys.withColumn("kept", _null()), rule, FRONT))
    edges = _checkpoint(_confirmed(pairs, signatures, rule))
    crowded = pairs.where("crowd is not null").select(F.col("crowd").alias("key"), F.col("later").alias("document"), "fingerprint")
    waiting, dropped = _rounds(_waiting(_not_decided(edges), pairs))
    front = FRONT
    while not waiting.isEmpty():
        front *= GROWTH
        undecided = waiting.select(F.col("later").alias("document")).distinct().withColumn("waits", F.lit(True))
        left = crowded.join(dropped, "document", "left_anti").join(undecided, "document", "left")
        pairs = _checkpoint(_pairs(left.withColumn("kept", F.when(F.col("waits").isNull(), True)), rule, front))
        more = _checkpoint(_confirmed(pairs, signatures, rule))
        edges = edges.union(more)
        waiting, others = _rounds(_waiting(waiting.where("earlier < later").union(_not_decided(more)), pairs))
        dropped = dropped.union(others)
    if not crowded.isEmpty():
        marked = crowded.join(dropped.withColumn("drops", F.lit(True)), "document", "left")
        pairs = _checkpoint(_pairs(marked.withColumn("kept", F.col("drops").isNull()), rule, None))
        edges = edges.union(_confirmed(pairs, signatures, rule))
    return edges, dropped


def _not_decided(edges: DataFrame) -> DataFrame:
    return edges.select("earlier", "later", _null().alias("kept"))


def _null() -> Column:
    """In place of a verdict that is not there yet."""
    return F.lit(None).cast("boolean")


def _pairs(keys: DataFrame, rule: Rule, front: int | None) -> DataFrame:
    """The pairs of documents with a common ``key``, by the native class of the same name."""

    def pair(batches: Batches) -> Batches:
        made = _native.Pairs.of_dropped(rule.max_distance) if front is None else _native.Pairs.of_undecided(rule.max_distance, front)
        return stages.paired(batches, made)

    keys = keys.select("key", "document", "fingerprint", "kept").repartition("key").sortWithinPartitions("key", "document")
    kinds = "earlier long, later long, crowd long, fingerprint long, waits boolean"
    return keys.mapInArrow(pair, kinds).distinct()


def _confirmed(pairs: DataFrame, signatures: DataFrame, rule: Rule) -> DataFrame:
    """Those of the pairs that are near-duplicates."""

    def confirm(batches: Batches) -> Batches:
        return (_native.confirmed(batch, *rule) for batch in batches)

    of_earlier = signatures.withColumnRenamed("document", "earlier")
    of_later = signatures.select(F.col("document").alias("later"), F.col("signature").alias("later_signature"))
    compared = pairs.where("crowd is null").select("earlier", "later").join(of_earlier, "earlier").join(of_later, "later")
    return compared.mapInArrow(confirm, "earlier long, later long, distance int, similarity double")


def _waiting(edges: DataFrame, pairs: DataFrame) -> DataFrame:
    """The pairs of undecided documents: ``earlier``, ``later``, and whether the earlier one is ``kept``, null if it waits too.

    A document that was not compared with all earlier ones waits for itself.
    """
    waiting = edges.union(_not_decided(pairs.where("waits")).distinct())
    laters = waiting.select(F.col("later").alias("earlier")).distinct().withColumn("waits", F.lit(True))
    # A document that is later in no pair is kept.
    is_kept = F.when(F.col("waits").isNull(), True)
    known = waiting.join(laters, "earlier", "left")
    return _checkpoint(known.select("earlier", "later", F.coalesce("kept", is_kept).alias("kept")))


def _rounds(waiting: DataFrame) -> tuple[DataFrame, DataFrame]:
    """Decides until no more follows from the pairs. Returns the pairs of undecided documents, and the dropped documents."""
    dropped = waiting.select(F.col("later").alias("document")).limit(0)
    while not waiting.isEmpty():
        decided = _checkpoint(_round(waiting))
        count = decided.count()
        _log.info("a round has decided %d documents", count)
        if count == 0:
            break
        dropped = dropped.union(decided.where("not kept").select("document"))
        known = decided.select(F.col("document").alias("earlier"), F.col("kept").alias("now"))
        waiting = waiting.join(decided.select(F.col("document").alias("later")), "later", "left_anti")
        waiting = waiting.join(known, "earlier", "left").select("earlier", "later", F.coalesce("kept", "now").alias("kept"))
        waiting = _checkpoint(waiting)
    return waiting, _checkpoint(dropped)


def _round(waiting: DataFrame) -> DataFrame:
    """What one round decides: ``document`` and ``kept``."""
    # By ranges: every document of the first one is decided, unless it was not compared with all earlier ones.
    return waiting.repartitionByRange("later").sortWithinPartitions("later").mapInArrow(stages.decided, "document long, kept boolean")


def _named(documents: DataFrame, edges: DataFrame, dropped: DataFrame) -> DataFrame:
    """The kept document that each near-duplicate repeats: the most similar, then the nearest, then the first."""
    columns = ("first", "of_document", "distance", "similarity")
    both = edges.toDF(*columns).union(edges.select("later", "earlier", "distance", "similarity").toDF(*columns))
    of_dropped = both.join(dropped.withColumnRenamed("document", "first"), "first", "left_semi")
    of_kept = of_dropped.join(dropped.withColumnRenamed("document", "of_document"), "of_document", "left_anti")
    # A copy of a dropped text may have more kept documents before it than the first copy.
    candidates = documents.select("document", "first").join(of_kept, "first").where("of_document < document")
    ranked = F.struct((-F.col("similarity")).alias("unlike"), "distance", "of_document")
    best = candidates.groupBy("document").agg(F.min(ranked).alias("best"))
    return best.select("document", "best.of_document", "best.distance", (-F.col("best.unlike")).alias("similarity"))


def _verdicts(documents: DataFrame, named: DataFrame) -> DataFrame:
    """``id`` and the columns that are added."""
    is_near, is_exact = F.col("of_document").isNotNull(), F.col("document") != F.col("first")
    decided = documents.join(named, "document", "left").select(
        "id",
        F.when(is_near, "near").when(is_exact, "exact").otherwise("kept").alias("verdict"),
        F.when(is_near, F.col("of_document")).when(is_exact, F.col("first")).alias("of_document"),
        F.when(is_near, F.col("distance")).when(is_exact, 0).alias("distance"),
        F.when(is_near, F.col("similarity")).when(is_exact, 1.0).alias("similarity"),
    )
    ids = documents.select(F.col("document").alias("of_document"), F.col("id").alias("of"))
    return decided.join(ids, "of_document", "left").select("id", *ADDED[:-1], F.coalesce("of", "id").alias("cluster"))
