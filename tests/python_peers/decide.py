"""Decides the documents of a file by one package, in a process of its own, and prints what that took.

    decide.py METHOD PAGES.jsonl VERDICTS.jsonl

The seconds are those from texts in memory to verdicts in memory: the start of Python and the imports do not count. The peak is that of
the largest process, with Python, the package and the texts.
"""
from __future__ import annotations

import json
import os
import pickle
import re
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

PERMUTATIONS, SHINGLE, THRESHOLD = 128, 5, 0.8
# Each Chinese, Japanese or Korean character is a word, as it is in the truth.
CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
WORDS = re.compile(f"[{CJK}]|[^\\W{CJK}]+")

Pages = list[tuple[str, str]]
Verdicts = list[tuple[str, str | None]]


def ours() -> Callable[[Pages], Verdicts]:
    from near_duplicates import dedup

    return lambda pages: [(verdict.id, verdict.of) for verdict in dedup(pages)]


def shingles(text: str) -> set[str]:
    words = WORDS.findall(text.lower())
    return {" ".join(words[at:at + SHINGLE]) for at in range(max(1, len(words) - SHINGLE + 1))} if words else set()


def datasketch(confirmed: bool) -> Callable[[Pages], Verdicts]:
    from datasketch import MinHash, MinHashLSH

    def sketch_of(text: str) -> MinHash:
        sketch = MinHash(num_perm=PERMUTATIONS)
        sketch.update_batch([shingle.encode() for shingle in shingles(text)])
        return sketch

    return one_by_one(sketch_of, MinHashLSH(threshold=THRESHOLD, num_perm=PERMUTATIONS), confirmed)


def rensa(confirmed: bool) -> Callable[[Pages], Verdicts]:
    from rensa import RMinHash, RMinHashLSH

    class Index:
        """Candidates by the names of the pages; rensa's own are numbers."""

        def __init__(self) -> None:
            self.lsh = RMinHashLSH(threshold=THRESHOLD, num_perm=PERMUTATIONS, num_bands=16)
            self.names: list[str] = []

        def query(self, sketch: RMinHash) -> list[str]:
            return [self.names[number] for number in self.lsh.query(sketch)]

        def insert(self, name: str, sketch: RMinHash) -> None:
            self.lsh.insert(len(self.names), sketch)
            self.names.append(name)

    def sketch_of(text: str) -> RMinHash:
        sketch = RMinHash(num_perm=PERMUTATIONS, seed=42)
        sketch.update(list(shingles(text)))
        return sketch

    return one_by_one(sketch_of, Index(), confirmed)


def one_by_one(sketch_of: Callable, index, confirmed: bool) -> Callable[[Pages], Verdicts]:
    """The best candidate of the index counts; if `confirmed`, only where its estimate reaches the threshold."""
    def decide(pages: Pages) -> Verdicts:
        kept, verdicts = {}, []
        for name, text in pages:
            if not WORDS.search(text):
                verdicts.append((name, None))
                continue
            sketch = sketch_of(text)
            best = max(index.query(sketch), key=lambda other: sketch.jaccard(kept[other]), default=None)
            if best is not None and confirmed and sketch.jaccard(kept[best]) < THRESHOLD:
                best = None
            if best is None:
                kept[name] = sketch
                index.insert(name, sketch)
            verdicts.append((name, best))
        return verdicts

    return decide


def text_dedup(method: str, *settings: str) -> Callable[[Pages], Verdicts]:
    """The program `text_dedup.METHOD` with its clusters. The first page of a cluster is the one that it keeps."""
    import importlib

    main = importlib.import_module(f"text_dedup.{method}").main

    def decide(pages: Pages) -> Verdicts:
        main(["--path", "json", "--data_files", sys.argv[2], "--split", "train", "--column", "text", "--output", "out", "--debug",
              "--cache_dir", "cache", *settings], standalone_mode=False)
        with open("out/uf.pkl", "rb") as file:
            clusters = pickle.load(file)
        root = {number: clusters.find(number) for number in range(len(pages))}
        return [(name, None if root[number] == number else pages[root[number]][0]) for number, (name, _) in enumerate(pages)]

    return decide


def datatrove() -> Callable[[Pages], Verdicts]:
    """Signatures, buckets, clusters and filter, one after the other on one core, as its documentation chains them. The first page of a
    cluster is the one that is kept."""
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.dedup import MinhashDedupBuckets, MinhashDedupCluster, MinhashDedupFilter, MinhashDedupSignature
    from datatrove.pipeline.dedup.minhash import MinhashConfig
    from datatrove.pipeline.readers import JsonlReader
    from datatrove.pipeline.writers.jsonl import JsonlWriter
    from loguru import logger

    logger.remove()
    config = MinhashConfig(n_grams=SHINGLE)
    source = Path(sys.argv[2]).absolute()

    def run(step: str, *pipeline, tasks: int = 1) -> None:
        LocalPipelineExecutor(pipeline=list(pipeline), tasks=tasks, workers=1, logging_dir=f"log-{step}", skip_completed=False).run()

    def writer(folder: str) -> JsonlWriter:
        return JsonlWriter(folder, output_filename="${rank}.jsonl", compression=None)

    def decide(pages: Pages) -> Verdicts:
        def reader() -> JsonlReader:
            return JsonlReader(str(source.parent), glob_pattern=source.name)

        run("signatures", reader(), MinhashDedupSignature(output_folder="signatures", config=config))
        run("buckets", MinhashDedupBuckets(input_folder="signatures", output_folder="buckets", config=config), tasks=config.num_buckets)
        run("clusters", MinhashDedupCluster(input_folder="buckets", output_folder="remove", config=config, save_cluster_id=True))
        run("filter", reader(), MinhashDedupFilter(input_folder="remove", exclusion_writer=writer("removed"), load_cluster_ids=True),
            writer("kept"))
        clusters = {}
        for file in [*Path("kept").iterdir(), *Path("removed").iterdir()]:
            for page in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
                clusters[page["id"]] = page["metadata"].get("minhash_cluster_id", -1)
        first: dict[int, str] = {}
        verdicts = []
        for name, _ in pages:
            cluster = clusters.get(name, -1)
            of = first.setdefault(cluster, name) if cluster >= 0 else name
            verdicts.append((name, None if of == name else of))
        return verdicts

    return decide


METHODS = {
    "near-duplicates": ours,
    "datasketch": lambda: datasketch(confirmed=False),
    "datasketch-confirmed": lambda: datasketch(confirmed=True),
    "rensa": lambda: rensa(confirmed=False),
    "rensa-confirmed": lambda: rensa(confirmed=True),
    "datatrove": datatrove,
    "text-dedup-minhash": lambda: text_dedup("minhash", "--ngram", str(SHINGLE), "--num_perm", str(PERMUTATIONS),
                                             "--threshold", str(THRESHOLD)),
    "text-dedup-simhash": lambda: text_dedup("simhash"),
}


def own_peak_bytes() -> int:
    """`ru_maxrss` would count the process that started this one."""
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"^VmHWM:\s+(\d+) kB", status, re.MULTILINE)[1]) * 1024


def main() -> None:
    method, source, target = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    decide = METHODS[method]()
    with source.open(encoding="utf-8") as lines:
        pages = [(page["id"], page["text"]) for page in map(json.loads, lines)]
    os.chdir(target.parent)
    start = time.perf_counter()
    verdicts = decide(pages)
    seconds = time.perf_counter() - start
    peak = max(own_peak_bytes(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
    with target.open("w", encoding="utf-8") as lines:
        for name, of in verdicts:
            lines.write(json.dumps({"id": name, "verdict": "unique" if of is None else "near", "of": of}) + "\n")
    print(json.dumps({"seconds": seconds, "peak_bytes": peak}))


if __name__ == "__main__":
    main()
