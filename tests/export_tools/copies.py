"""Parquet files of pyarrow, deduplicated into Parquet: the rows are the same in every column, of any type."""
from __future__ import annotations

import datetime
import json
import random
import subprocess
from decimal import Decimal
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from real_site.problem import Bars

ROWS = 3_000
FILES = 3
TIMEOUT_SECONDS = 120


def check(binary: Path, folder: Path, bars: Bars) -> None:
    """Two runs: one with whole numbers as ids, one with texts."""
    for name, ids in (("numbers", pa.uint64()), ("texts", pa.large_string())):
        where = folder / f"copies-{name}"
        (where / "in").mkdir(parents=True)
        table = rows(ids)
        for number in range(FILES):
            part = table.slice(number * ROWS // FILES, ROWS // FILES)
            pq.write_table(part, where / "in" / f"{number}.parquet", row_group_size=170, compression=["snappy", "zstd", "gzip"][number])
        command = [str(binary), "dedup", "in", "--output", "verdicts.jsonl", "--kept", "kept.parquet", "--annotate", "all.parquet"]
        subprocess.run(command, cwd=where, check=True, stderr=subprocess.DEVNULL, timeout=TIMEOUT_SECONDS)
        verdicts = [json.loads(line) for line in (where / "verdicts.jsonl").read_text().splitlines()]
        is_kept = [verdict["verdict"] == "unique" for verdict in verdicts]
        # As a reader of the input sees it.
        table = pa.concat_tables(pq.read_table(where / "in" / f"{number}.parquet") for number in range(FILES))
        kept = pq.read_table(where / "kept.parquet")
        bars.check(f"rows of pyarrow are kept in every column (ids: {name})", kept.equals(table.filter(is_kept), check_metadata=True),
                   f"{kept.num_rows} rows, {kept.num_columns} columns")
        annotated = pq.read_table(where / "all.parquet")
        # What describes the columns of the input is left out, so a type that only Arrow knows comes back as the one that Parquet has.
        own = annotated.select(table.column_names).cast(table.schema.remove_metadata())
        bars.check(f"annotated rows are the same, too (ids: {name})", own.equals(table), f"{own.num_rows} rows")
        expected = [[verdict[column] for verdict in verdicts] for column in ("verdict", "of", "distance", "similarity", "cluster")]
        found = [annotated[column].to_pylist() for column in ("verdict", "of", "distance", "similarity", "cluster")]
        bars.check(f"the verdicts are columns (ids: {name})", found == expected and sum(is_kept) < len(is_kept),
                   f"{sum(is_kept)} of {len(is_kept)} unique; types {[str(annotated.schema.field(c).type) for c in ('of', 'distance', 'similarity')]}")
        joined = duckdb.sql(f"SELECT count(*) FROM '{where}/all.parquet' a JOIN '{where}/kept.parquet' k ON a.cluster = k.id").fetchall()
        bars.check(f"DuckDB joins each row with the kept one (ids: {name})", joined == [(len(verdicts),)], f"{joined}")


def rows(ids: pa.DataType) -> pa.Table:
    """Columns of many types, most with nulls; every text twice, once in capitals."""
    chance = random.Random(7)
    words = ["".join(chance.choices("abcdefghij", k=6)) for _ in range(5_000)]
    texts = [" ".join(chance.choices(words, k=80)) for _ in range(ROWS // 2)]
    texts += [text.upper() for text in texts]
    chance.shuffle(texts)

    def some(values: list) -> list:
        return [value if chance.random() < 0.8 else None for value in values]

    numbers = range(ROWS)
    day = datetime.datetime(2026, 3, 1, 9, 30, tzinfo=datetime.timezone.utc)
    columns = {
        "id": pa.array([2**64 - 1 - number if ids == pa.uint64() else f"id {number}" for number in numbers], ids),
        "text": pa.array(texts, pa.large_string()),
        "seen": pa.array(some([day + datetime.timedelta(microseconds=number * 7_919_000_001) for number in numbers]), pa.timestamp("us", "UTC")),
        "nanoseconds": pa.array(some(list(numbers)), pa.timestamp("ns")),
        "day": pa.array(some([day.date() + datetime.timedelta(number) for number in numbers])),
        "price": pa.array(some([Decimal(number) / 100 for number in numbers]), pa.decimal128(20, 2)),
        "half": pa.array(some([number / 3 for number in numbers]), pa.float32()),
        "whole": pa.array(some([number / 3 for number in numbers])),
        "small": pa.array(some([number % 100 for number in numbers]), pa.int8()),
        "is_new": pa.array(some([number % 3 == 0 for number in numbers])),
        "bytes": pa.array(some([bytes([number % 256, 0]) for number in numbers])),
        "fixed": pa.array(some([number.to_bytes(3, "big") for number in numbers]), pa.binary(3)),
        "language": pa.array(some([["en", "zh", "de"][number % 3] for number in numbers])).dictionary_encode(),
        "nothing": pa.nulls(ROWS),
        "tags": pa.array(some([["x", None] * (number % 4) for number in numbers]), pa.list_(pa.string())),
        "links": pa.array(some([[{"url": f"/{number}", "anchors": some(["a", "b"])}] * (number % 3) for number in numbers]),
                          pa.list_(pa.struct([("url", pa.string()), ("anchors", pa.list_(pa.string()))]))),
        "meta": pa.array(some([{"author": {"name": f"n{number}"} if number % 2 else None} for number in numbers])),
        "counts": pa.array(some([[("a", number)] * (number % 2) for number in numbers]), pa.map_(pa.string(), pa.int32())),
    }
    return pa.table(columns)
