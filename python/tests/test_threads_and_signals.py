"""Threads share a deduplicator, and Ctrl-C ends a loop."""

from __future__ import annotations

import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from conftest import edition

from near_duplicates import Deduplicator


@pytest.mark.parametrize("path", [None, "documents"])
def test_of_near_duplicates_from_many_threads_one_is_unique(path):
    with Deduplicator(path=path) as deduplicator, ThreadPoolExecutor(8) as threads:
        def add(number: int):
            return deduplicator.add(number, edition(number // 8, 400) + f" more{number % 8}")

        verdicts = list(threads.map(add, range(800)))
        unique = [verdict.id // 8 for verdict in verdicts if not verdict.is_duplicate]
        assert sorted(unique) == list(range(100))
        assert len(deduplicator) == 800


# The first text says that the loop has begun, so that the signal does not meet an import.
ENDLESS = """
import itertools
from near_duplicates import *

def first():
    print("looping", flush=True)
    yield "a text"

endless = itertools.chain(first(), itertools.repeat("a text"))
"""


@pytest.mark.parametrize(
    "loop",
    [
        # After its first text the iterator is written in C: Python itself looks for no signal while it runs.
        "for verdict in dedup(endless): pass",
        "fingerprints(endless)",
        "list(Deduplicator().dedup(zip(itertools.count(), endless)))",
    ],
)
def test_ctrl_c_ends_a_loop(loop):
    program = f"{ENDLESS}{loop}\n"
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        assert run.stdout.readline() == "looping\n"
        run.send_signal(signal.SIGINT)
        _, message = run.communicate(timeout=60)
    assert "KeyboardInterrupt" in message
    assert run.returncode == -signal.SIGINT
