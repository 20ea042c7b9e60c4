"""A folder keeps documents and verdicts, also when the process is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import corpus, edition

from near_duplicates import Deduplicator, dedup

TESTS = Path(__file__).parent
DOCUMENTS = corpus(600, 21)


def test_a_folder_keeps_documents_and_verdicts():
    expected = list(dedup(DOCUMENTS))
    with Deduplicator(path="documents") as deduplicator:
        assert list(deduplicator.dedup(DOCUMENTS[:400])) == expected[:400]
    with Deduplicator(path="documents") as deduplicator:
        assert [deduplicator.verdict(id) for id, _ in DOCUMENTS[:400]] == expected[:400]
        # From the beginning again, as a program does that was interrupted.
        assert list(deduplicator.dedup(DOCUMENTS)) == expected
        clusters = deduplicator.clusters()
    with Deduplicator.open("documents") as deduplicator:
        assert len(deduplicator) == 600
        assert deduplicator.clusters() == clusters
        assert deduplicator.remove(next(iter(clusters))) == next(iter(clusters.values()))


def test_an_error_in_the_block_loses_nothing():
    with pytest.raises(RuntimeError):
        with Deduplicator(path="documents") as deduplicator:
            deduplicator.add("a", "one")
            raise RuntimeError
    assert "a" in Deduplicator.open("documents")


def test_a_folder_keeps_its_settings():
    text = edition(1, 200)
    with Deduplicator(path="documents", max_distance=3, min_similarity=0.9, features="3-grams") as deduplicator:
        deduplicator.add("a", text)
    with pytest.raises(ValueError, match="made with max_distance=3, min_similarity=0.9, features=\"3-grams\".*open"):
        Deduplicator(path="documents")
    with Deduplicator.open("documents") as deduplicator:
        assert "max_distance=3, min_similarity=0.9, features='3-grams'" in repr(deduplicator)
        assert deduplicator.check(text).of == "a"


def test_a_folder_without_documents_is_not_opened(tmp_path):
    with pytest.raises(FileNotFoundError, match="documents holds no saved documents: check the name"):
        Deduplicator.open("documents")
    assert not (tmp_path / "documents").exists()
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(OSError, match="file"):
        Deduplicator(path="file")
    assert (tmp_path / "file").read_text() == "not a folder"


def test_a_folder_is_open_once():
    with Deduplicator(path="documents"):
        with pytest.raises(OSError, match="documents is open elsewhere, in this process or in another: close it there first"):
            Deduplicator(path="documents")
    with Deduplicator(path="documents") as deduplicator:
        assert len(deduplicator) == 0


def test_a_closed_deduplicator_says_so():
    deduplicator = Deduplicator(path="documents")
    verdicts = deduplicator.dedup([("a", "one")])
    deduplicator.close()
    deduplicator.close()
    for use in (lambda: deduplicator.add("a", "one"), lambda: len(deduplicator), deduplicator.save, lambda: next(verdicts)):
        with pytest.raises(ValueError, match="this Deduplicator is closed: open it again"):
            use()
    assert "(closed)" in repr(deduplicator)


def test_documents_in_memory_cannot_be_saved():
    with Deduplicator() as deduplicator:
        with pytest.raises(ValueError, match="in memory only: give the Deduplicator a path"):
            deduplicator.save()


ADD_FOREVER = """
import itertools, sys
from conftest import edition
from near_duplicates import Deduplicator
deduplicator = Deduplicator(path="documents")
for number in itertools.count(len(deduplicator)):
    deduplicator.add(number, edition(number // 3, 120, number % 3))
    if number % 10 == 0:
        deduplicator.save()
        print(number, flush=True)
"""


def test_what_was_saved_survives_a_kill(tmp_path):
    saved = -1
    for kill in range(8):
        with subprocess.Popen([sys.executable, "-c", ADD_FOREVER], stdout=subprocess.PIPE, text=True, cwd=tmp_path,
                              env=os.environ | {"PYTHONPATH": str(TESTS)}) as adding:
            for _ in range(kill * 7 + 1):
                saved = int(adding.stdout.readline())
            adding.send_signal(signal.SIGKILL)
        assert adding.returncode == -signal.SIGKILL
        with Deduplicator.open("documents") as deduplicator:
            count = len(deduplicator)
            assert count > saved
            ids = range(count)
            assert all(number in deduplicator for number in ids)
            expected = dedup((number, edition(number // 3, 120, number % 3)) for number in ids)
            assert [deduplicator.verdict(number) for number in ids] == list(expected)


def test_a_damaged_folder_is_refused_and_left_as_it_is(tmp_path):
    with Deduplicator(path="documents") as deduplicator:
        list(deduplicator.dedup(DOCUMENTS))
    database = tmp_path / "documents" / "conf"
    database.write_bytes(b"no configuration")
    with pytest.raises(OSError, match="documents"):
        Deduplicator.open("documents")
    assert database.read_bytes() == b"no configuration"
