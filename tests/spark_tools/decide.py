"""Decides the documents of a Parquet file on Spark, in a process of its own, and prints what that took.

    decide.py DOCUMENTS.parquet VERDICTS FOLDER PARTITIONS [--kill ROUND]

VERDICTS is a file of JSON lines that ends in .jsonl, or a folder for Parquet files, as Spark writes them.
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
    df = spark.read.parquet(documents)
    started = time.monotonic()
    decided = deduplicate(df, order="number").drop("text")
    if verdicts.endswith(".jsonl"):
        rows = decided.collect()
        seconds = time.monotonic() - started
        with open(verdicts, "w", encoding="utf-8") as lines:
            for row in sorted(rows, key=lambda row: row["number"]):
                lines.write(json.dumps({name: row[name] for name in ("id", "verdict", "of", "distance", "similarity", "cluster")}) + "\n")
    else:
        decided.write.parquet(verdicts)
        seconds = time.monotonic() - started
    figures = {"seconds": seconds, "processor": processor_seconds(), "rounds": rounds.decided, "shuffled": shuffled(spark),
               "killed": rounds.killed}
    spark.stop()
    shutil.rmtree(Path(folder) / "checkpoints", ignore_errors=True)
    print(json.dumps(figures))


def session(master: str, partitions: int) -> SparkSession:
    """Spark with exactly so many partitions: it joins small ones otherwise, and then one round decides everything."""
    # What the processes of local-cluster need, and a package from PyPI does not say.
    home = str(Path(pyspark.__file__).parent)
    os.environ |= {"SPARK_HOME": home, "SPARK_SCALA_VERSION": "2.13", "SPARK_LOCAL_IP": "127.0.0.1"}
    made = SparkSession.builder.master(master).appName("near-duplicates")
    settings = {
        "spark.driver.memory": "3g",
        # Most of the time of a small run is that of the second compiler of Java.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.executor.memory": f"{EXECUTOR_MEGABYTES}m",
        "spark.sql.shuffle.partitions": partitions,
        "spark.sql.files.minPartitionNum": partitions,
        "spark.sql.files.openCostInBytes": 0,
        "spark.sql.adaptive.coalescePartitions.enabled": "false",
        "spark.ui.retainedStages": 10_000,
        "spark.ui.retainedJobs": 10_000,
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
    }
    for name, value in settings.items():
        made = made.config(name, value)
    return made.getOrCreate()


def descendants() -> list[Path]:
    """The folders in /proc of the processes that this one has started."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        fields = of_process(folder)
        if fields:
            parents[int(folder.name)] = int(fields[1])

    def is_mine(pid: int | None) -> bool:
        return pid == os.getpid() or (pid in parents and is_mine(parents[pid]))

    return [Path("/proc") / str(pid) for pid, parent in parents.items() if is_mine(parent)]


def of_process(folder: Path) -> list[str]:
    """The fields behind the name of a process, as in proc(5); nothing if it has ended."""
    try:
        return (folder / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def executor() -> int:
    """The process of an executor."""
    return next(int(folder.name) for folder in descendants() if EXECUTOR in (folder / "cmdline").read_bytes())


def processor_seconds() -> float:
    """Of Java and of the workers in Python, with those that have ended."""
    used = (sum(map(int, of_process(folder)[11:15])) for folder in descendants())
    return sum(used) / os.sysconf("SC_CLK_TCK")


def shuffled(spark: SparkSession) -> int:
    """Bytes that all stages have written for others."""
    context = spark.sparkContext
    stages = f"{context.uiWebUrl}/api/v1/applications/{context.applicationId}/stages"
    with urllib.request.urlopen(stages, timeout=60) as answer:
        return sum(stage["shuffleWriteBytes"] for stage in json.load(answer))


if __name__ == "__main__":
    main()
