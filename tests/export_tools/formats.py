"""Every format read by a tool of others, and compared with the JSON lines value by value."""
from __future__ import annotations

import csv
import gzip
import io
import json
import re
import subprocess
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import yaml
from markdown_it import MarkdownIt

from real_site.problem import Bars

Row = dict[str, Any]
EXPORT_TIMEOUT_SECONDS = 120
GUARDED = re.compile(r"'+[=+@\t\r\n＝＋－＠-]")
FORMULA = tuple("=+-@\t\r")
SAFE_NAME = re.compile(r"[a-z0-9_-][a-z0-9._-]*[a-z0-9]")
DEVICES = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)")


class Exports:
    """`crawler export` on one crawl."""

    def __init__(self, binary: Path, data: Path, folder: Path) -> None:
        self.binary, self.data, self.folder = binary, data, folder
        folder.mkdir()

    def to(self, name: str, *arguments: str) -> Path:
        """Exports to a file or folder of this name."""
        self.run("--output", name, *arguments)
        path = self.folder / name
        assert path.exists() and not Path(str(path).rstrip("/") + ".partial").exists(), path
        return path

    def run(self, *arguments: str) -> bytes:
        """Standard output."""
        command = [str(self.binary), "export", "--data", str(self.data), *arguments]
        return subprocess.run(command, cwd=self.folder, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              timeout=EXPORT_TIMEOUT_SECONDS).stdout

    def rows(self, *arguments: str) -> dict[str, Row]:
        """The JSON lines by URL."""
        rows = [json.loads(line) for line in self.run(*arguments).decode().split("\n")[:-1]]
        return {row["url"]: row for row in rows}


def check(exports: Exports, bars: Bars, fingerprint_bits: int, row_groups: int) -> None:
    """Everything that an export must be, on one crawl."""
    rows = exports.rows("--verdict", "all")
    verdicts = [row["verdict"] for row in rows.values()]
    counts = {verdict: verdicts.count(verdict) for verdict in ("kept", "exact", "near")}
    bars.check("the crawl has kept pages, exact and near duplicates", all(counts.values()), counts)
    by_pyarrow(exports, rows, bars, fingerprint_bits, row_groups)
    by_duckdb(exports, rows, bars)
    by_csv(exports, rows, bars)
    by_yaml(exports, rows, bars)
    with_more(exports, rows, bars)
    texts(exports, bars)


def by_pyarrow(exports: Exports, rows: dict[str, Row], bars: Bars, fingerprint_bits: int, row_groups: int) -> None:
    """Types, nulls, packing and values of the Parquet file."""
    path = exports.to("all.parquet", "--verdict", "all")
    file = pq.ParquetFile(path)
    wide = fingerprint_bits > 64
    types = {
        "url": pa.string(), "title": pa.string(), "text": pa.string(), "language": pa.string(),
        "fetched_at": pa.timestamp("ms", tz="UTC"), "fingerprint": pa.binary(16) if wide else pa.uint64(),
        "status": pa.int32(), "content_type": pa.string(), "encoding": pa.string(), "depth": pa.int32(),
        "body_bytes": pa.int64(), "text_chars": pa.int64(), "host": pa.string(), "verdict": pa.string(),
        "duplicate_of": pa.string(), "distance": pa.int32(), "similarity": pa.float64(), "digest": pa.string(),
        "canonical": pa.string(), "page_type": pa.string(), "rendered": pa.bool_(), "cluster": pa.string(),
    }
    schema = {field.name: field.type for field in file.schema_arrow}
    bars.check("pyarrow finds the documented types", schema == types, schema if schema != types else len(types))
    nullable = {field.name for field in file.schema_arrow if field.nullable}
    expected = {"text", "language", "fingerprint", "duplicate_of", "distance", "similarity", "canonical",
                "page_type", "cluster"}
    bars.check("only what may be missing is nullable", nullable == expected, sorted(nullable))
    metadata = file.metadata
    groups = [metadata.row_group(at) for at in range(metadata.num_row_groups)]
    codecs = {group.column(at).compression for group in groups for at in range(metadata.num_columns)}
    bars.check("every column is packed by zstd", codecs == {"ZSTD"}, codecs)
    bars.check(f"row groups: at least {row_groups}", len(groups) >= row_groups, [group.num_rows for group in groups])

    def json_form(name: str, value: Any) -> Any:
        if value is None:
            return None
        if name == "fingerprint":
            return value.hex() if wide else f"{value:0{fingerprint_bits // 4}x}"
        return moment(value) if name == "fetched_at" else value

    table = file.read()
    found = [{name: json_form(name, value) for name, value in row.items()} for row in table.to_pylist()]
    same(bars, "pyarrow reads what the JSON lines say", rows, found, at=moment)
    piped = pq.read_table(io.BytesIO(exports.run("--format", "parquet", "--verdict", "all")))
    bars.check("the same through a pipe", piped.equals(table), piped.num_rows)


def by_duckdb(exports: Exports, rows: dict[str, Row], bars: Bars) -> None:
    """Parquet, JSON lines and CSV in SQL."""
    parquet, lines = exports.folder / "all.parquet", exports.to("all.jsonl.gz", "--verdict", "all")
    table = exports.to("all.csv", "--verdict", "all")
    query = duckdb.connect().execute
    described = dict(row[:2] for row in query(f"DESCRIBE SELECT * FROM '{parquet}'").fetchall())
    wanted = {"url": "VARCHAR", "fetched_at": "TIMESTAMP WITH TIME ZONE", "status": "INTEGER", "body_bytes": "BIGINT",
              "similarity": "DOUBLE"}
    bars.check("DuckDB finds the types", wanted.items() <= described.items(), {name: described[name] for name in wanted})
    by_verdict = "SELECT verdict, count(*), count(text), sum(text_chars), count(DISTINCT digest) FROM '{}' GROUP BY 1 ORDER BY 1"
    counted = {path.suffix: query(by_verdict.format(path)).fetchall() for path in (parquet, lines)}
    figures = list(counted.values())
    bars.check("DuckDB counts the same in Parquet and JSON lines", figures[0] == figures[1], figures[0], figures)
    kept = next(row for row in figures[0] if row[0] == "kept")
    bars.check("every kept page has a text, no duplicate has", kept[1] == kept[2] and sum(row[2] for row in figures[0]) == kept[2],
               kept[:3])
    epochs = dict(query(f"SELECT url, epoch_ms(fetched_at) FROM '{parquet}'").fetchall())
    wrong = [url for url, row in rows.items() if datetime.fromtimestamp(epochs[url] / 1000, timezone.utc) != moment(row["fetched_at"])]
    bars.check("DuckDB reads the times", not wrong, len(epochs), wrong)
    urls = {row[0] for row in query(f"SELECT url FROM read_csv('{table}', all_varchar = true, strict_mode = true, "
                                    "header = true, delim = ',', quote = '\"', escape = '\"', max_line_size = 20000000)").fetchall()}
    bars.check("DuckDB reads the CSV", urls == set(rows), len(urls))


def by_csv(exports: Exports, rows: dict[str, Row], bars: Bars) -> None:
    """CSV by Python's csv module, in strict mode."""
    csv.field_size_limit(1 << 30)
    raw = exports.to("all.csv.gz", "--verdict", "all")
    with io.TextIOWrapper(gzip.open(raw), encoding="utf-8", newline="") as lines:
        table = list(csv.DictReader(lines, strict=True))
    formulas = [cell for row in table for cell in row.values() if cell.startswith(FORMULA)]
    bars.check("no cell is a formula", not formulas, 0 if not formulas else len(formulas), formulas)

    def json_form(cell: str, like: Any) -> Any:
        if like is None and cell == "":
            return None
        # A bool is an int, and bool("false") is True.
        if isinstance(like, bool):
            return {"true": True, "false": False}[cell]
        if isinstance(like, (int, float)):
            return type(like)(cell)
        return cell[1:] if GUARDED.match(cell) else cell

    found = [{name: json_form(cell, rows[row["url"]][name]) for name, cell in row.items()} for row in table]
    same(bars, "Python's csv reads what the JSON lines say", rows, found)
    records = exports.run("--format", "csv", "--verdict", "exact")
    bars.check("records end in CR LF", records.endswith(b"\r\n") and records.count(b"\n") == records.count(b"\r\n"), "yes")


def by_yaml(exports: Exports, rows: dict[str, Row], bars: Bars) -> None:
    """Markdown: front matter by PyYAML, names, and the words by markdown-it."""
    folder = exports.to("pages/", "--format", "markdown", "--verdict", "all")
    files = [path for path in folder.rglob("*") if path.is_file()]
    found, wrong_texts = [], []
    for path in files:
        _, front, body = path.read_bytes().decode().split("---\n", 2)
        matter = yaml.safe_load(front)
        text = rows[matter["url"]]["text"]
        if words_shown(body) != (text or "").split():
            wrong_texts.append(matter["url"])
        found.append({**matter, "text": text})
    same(bars, "PyYAML reads what the JSON lines say", rows, found)
    bars.check("the words of every file are those of its page", not wrong_texts, len(files), wrong_texts)
    parts = [part for path in files for part in path.relative_to(folder).parts]
    unsafe = [part for part in parts
              if not SAFE_NAME.fullmatch(part) or ".." in part or len(part.encode()) > 255 or DEVICES.match(part)]
    bars.check("every name is safe", not unsafe, len(parts), unsafe)
    folded = {str(path.relative_to(folder)).lower() for path in files}
    bars.check("no two names differ in case alone", len(folded) == len(files) == len(rows), len(folded))


def with_more(exports: Exports, rows: dict[str, Row], bars: Bars) -> None:
    """What a second reading finds, as JSON and as Parquet."""
    more = exports.rows("--with", "markdown,metadata", "--include-empty")
    kept = {url: row for url, row in rows.items() if row["verdict"] == "kept"}
    without = [url for url, row in more.items() if row["markdown"] is None or words_shown(row["markdown"]) != row["text"].split()]
    bars.check("every kept page has Markdown with the words of its text", more.keys() == kept.keys() and not without, len(more), without)
    lists = {type(row[name]) for row in more.values() for name in ("authors", "tags")}
    bars.check("authors and tags are lists or null", lists <= {list, type(None)}, len(more), lists)
    table = pq.read_table(exports.to("more.parquet", "--with", "markdown,metadata", "--include-empty")).to_pylist()
    wrong = [row["url"] for row in table for name in ("markdown", "headline", "published", "description") if row[name] != more[row["url"]][name]]
    bars.check("pyarrow reads the same", len(table) == len(more) and not wrong, len(table), wrong)


def words_shown(markdown: str) -> list[str]:
    """The words that a reader of the Markdown sees."""
    lines: list[str] = []
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(markdown):
        parts = token.children if token.type == "inline" else [token] if token.type in ("fence", "code_block") else []
        lines.append("".join("\n" if part.type in ("softbreak", "hardbreak") else part.content for part in parts or []))
    return "\n".join(lines).split()


def texts(exports: Exports, bars: Bars) -> None:
    """Plain text: in one file and in many."""
    wanted = sorted(row["text"] for row in exports.rows().values())
    one = exports.run("--format", "text").decode().split("\f\n")
    bars.check("one file splits into the texts", sorted(text.removesuffix("\n") for text in one) == wanted, len(one))
    with pa.input_stream(str(exports.to("all.txt.zst")), compression="zstd") as packed:
        unpacked = packed.read().decode()
    bars.check("the same in zstd", unpacked.split("\f\n") == one, len(unpacked))
    files = [path for path in exports.to("texts/", "--format", "text").rglob("*.txt") if path.is_file()]
    have = sorted(path.read_bytes().decode().removesuffix("\n") for path in files)
    bars.check("one file a page has its text", have == wanted, len(files))


def same(bars: Bars, name: str, rows: dict[str, Row], found: list[Row], at: Callable[[Any], Any] = lambda time: time) -> None:
    """Every row has every value, and nothing is there twice."""
    different = [(row["url"][:80], key, str(rows[row["url"]][key])[:60], str(value)[:60]) for row in found
                 for key, value in row.items() if value != (at(rows[row["url"]][key]) if key == "fetched_at" else rows[row["url"]][key])]
    fields = [row["url"] for row in found if row.keys() != rows[row["url"]].keys()]
    complete = len(found) == len(rows) == len({row["url"] for row in found})
    bars.check(name, complete and not different and not fields, f"{len(found)} pages, {len(found[0])} fields", different or fields)


def moment(time: Any) -> datetime:
    """A moment, however it was said."""
    return time if isinstance(time, datetime) else datetime.fromisoformat(time.replace("Z", "+00:00"))
