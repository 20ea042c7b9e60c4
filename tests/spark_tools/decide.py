"""Decides the documents of a Parquet file on Spark, in a process of its own, and prints what that took.

    decide.py DOCUMENTS.parquet VERDICTS.jsonl FOLDER PARTITIONS [--kill ROUND]

With --kill, Spark runs in processes of its own, and one of them is killed after that many rounds.
"""
from __future__ import annotations

import json
import logging
import os
import shutil
import signal
import sys
import time
import urllib.request
from pathlib import Path

import pyspark
from pyspark.sql import SparkSession

CORES = 2
EXECUTOR_MEGABYTES = 1_024
EXECUTOR = b"CoarseGrainedExecutorBackend"


class Rounds(logging.Handler):
    """Counts the rounds, and kills an executor after one of them."""

    def __init__(self, kill_after: int | None) -> None:
        super().__init__()
        self.decided: list[int] = []
        self.kill_after = kill_after
        self.killed: int | None = None

    def emit(self, record: logging.LogRecord) -> None:
        self.decided.append(int(record.args[0]))
        if len(self.decided) == self.kill_after:
            self.killed = executor()
            os.kill(self.killed, signal.SIGKILL)


def main() -> None:
    documents, verdicts, folder, partitions = sys.argv[1:5]
    kill_after = int(sys.argv[6]) if sys.argv[5:6] == ["--kill"] else None
    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = session(f"local-cluster[2,1,{EXECUTOR_MEGABYTES}]" if kill_after else f"local[{CORES}]", int(partitions))
    from near_duplicates.spark import deduplicate

    rounds = Rounds(kill_after)
    log = logging.getLogger("near_duplicates.spark")
    log.setLevel(logging.INFO)
    log.addHandler(rounds)
    spark.sparkContext.setCheckpointDir(str(Path(folder) / "checkpoints"))
    df = spark.read.parquet(documents).repartition(int(partitions))
    started = time.monotonic()
    decided = deduplicate(df, order="number").drop("text").collect()
    seconds = time.monotonic() - started
    with open(verdicts, "w", encoding="utf-8") as lines:
        for row in sorted(decided, key=lambda row: row["number"]):
            lines.write(json.dumps({name: row[name] for name in ("id", "verdict", "of", "distance", "similarity", "cluster")}) + "\n")
    figures = {"seconds": seconds, "rounds": rounds.decided, "shuffled": shuffled(spark), "killed": rounds.killed}
    spark.stop()
    shutil.rmtree(Path(folder) / "checkpoints", ignore_errors=True)
    print(json.dumps(figures))


def session(master: str, partitions: int) -> SparkSession:
    """Spark with exactly so many partitions: it joins small ones otherwise, and then one round decides everything."""
    os.environ.setdefault("SPARK_HOME", str(Path(pyspark.__file__).parent))
    made = SparkSession.builder.master(master).appName("near-duplicates")
    settings = {
        "spark.driver.memory": "3g",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.executor.memory": f"{EXECUTOR_MEGABYTES}m",
        "spark.sql.shuffle.partitions": partitions,
        "spark.sql.adaptive.coalescePartitions.enabled": "false",
        "spark.ui.retainedStages": 10_000,
        "spark.ui.retainedJobs": 10_000,
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
    }
    for name, value in settings.items():
        made = made.config(name, value)
    return made.getOrCreate()


def executor() -> int:
    """The process of an executor: a descendant of this one, whose command names its class."""
    parents, executors = {}, []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            pid, parent = int(status.parent.name), int(status.read_text().rpartition(")")[2].split()[1])
            parents[pid] = parent
            if EXECUTOR in (status.parent / "cmdline").read_bytes():
                executors.append(pid)
        except OSError:
            continue
    return next(pid for pid in executors if os.getpid() in ancestors(pid, parents))


def ancestors(pid: int, parents: dict[int, int]) -> list[int]:
    found = []
    while pid in parents:
        pid = parents[pid]
        found.append(pid)
    return found


def shuffled(spark: SparkSession) -> int:
    """Bytes that all stages have written for others."""
    context = spark.sparkContext
    stages = f"{context.uiWebUrl}/api/v1/applications/{context.applicationId}/stages"
    with urllib.request.urlopen(stages, timeout=60) as answer:
        return sum(stage["shuffleWriteBytes"] for stage in json.load(answer))


if __name__ == "__main__":
    main()
