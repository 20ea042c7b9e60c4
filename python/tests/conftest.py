"""What several tests use: texts with known duplicates, and the crawler."""

from __future__ import annotations

import json
import os
import random
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from near_duplicates import Verdict


def edition(topic: int, words: int, number: int = 0) -> str:
    """A text about a topic; every edition has another word or two."""
    text = [f"topic{topic}word{position * 7919 % 997}" for position in range(words)]
    for change in range(min(number, 2) if words else 0):
        text[(number * 13 + change * 29) % words] = f"edition{number}"
    return " ".join(text)


def corpus(documents: int, seed: int) -> list[tuple[str, str]]:
    """Ids and texts of all lengths, empty, short and Chinese ones too; many are duplicates."""
    chance = random.Random(seed)
    texts = []
    for number in range(documents):
        words = chance.choice([0, 1, 3, 8, 20, 45, 55, 62, 90, 300])
        text = edition(chance.randrange(12), words, chance.randrange(5))
        if chance.random() < 0.2:
            text = "".join(chr(0x4E00 + (ord(letter) * 31 + place * 7) % 900) for place, letter in enumerate(text))
        if chance.random() < 0.3:
            text = text.upper().replace(" ", "\n ")
        texts.append((f"document {number}", text))
    return texts


@pytest.fixture(name="edition")
def _edition() -> Callable[..., str]:
    return edition


@pytest.fixture(name="corpus")
def _corpus() -> Callable[[int, int], list[tuple[str, str]]]:
    return corpus


@pytest.fixture
def crawler(tmp_path: Path) -> Callable[..., list[Verdict]]:
    """The verdicts of ``crawler dedup`` on pairs of an id and a text."""

    def verdicts(documents: list[tuple[str | int, str]], *arguments: str) -> list[Verdict]:
        pages = tmp_path / "pages.jsonl"
        pages.write_text("".join(json.dumps({"id": id, "text": text}) + "\n" for id, text in documents))
        command = [os.environ["CRAWLER_BINARY"], "dedup", str(pages), "--quiet", *arguments]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return [verdict(json.loads(line)) for line in done.stdout.splitlines()]

    return verdicts


def verdict(line: dict[str, Any]) -> Verdict:
    """A line of the command. The command writes the cluster; the package works it out."""
    cluster = line.pop("cluster")
    found = Verdict(**line)
    assert found.cluster == cluster
    return found


@pytest.fixture(autouse=True)
def working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every test has a folder of its own, and leaves nothing elsewhere."""
    monkeypatch.chdir(tmp_path)
    yield
