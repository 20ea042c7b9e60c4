"""Generated texts in families, chains and crowds: what makes verdicts depend on one another."""
from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

VOCABULARY = 20_000
# A kind of a group of texts, and how often it is drawn.
KINDS = {"alone": 30, "family": 20, "chain": 8, "crowd": 1, "template": 1, "short": 12}
CROWDS = [30, 60, 150, 1_000]
COPIES = 0.1


def write(documents: int, seed: int, path: Path) -> None:
    """Writes `documents` lines with `id`, `number` and `text`.

    The numbers are the order of the lines. Half of the groups are together in it, half are spread over all of it. A tenth of the texts are
    copies of others in other letters.
    """
    chance = random.Random(seed)
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(3, 9))) for _ in range(VOCABULARY)]
    texts: list[tuple[float, str]] = []
    while len(texts) < documents:
        kind = chance.choices(list(KINDS), weights=list(KINDS.values()))[0]
        place = len(texts) if chance.random() < 0.5 else None
        for text in group(kind, chance, words):
            texts.append((chance.random() * documents if place is None else place + chance.random() * 5, text))
            if chance.random() < COPIES:
                texts.append((chance.random() * documents, text.upper()))
    texts = sorted(texts[:documents])
    with path.open("w", encoding="utf-8") as lines:
        for number, (_, text) in enumerate(texts):
            lines.write(json.dumps({"id": f"text {number * 7_919 % 1_000_003}/{number}", "number": number, "text": text}) + "\n")


def group(kind: str, chance: random.Random, words: list[str]) -> Iterator[str]:
    """The texts of one group."""
    length = chance.randint(8, 48) if kind == "short" else chance.randint(60, 200)
    base = chance.choices(words, k=length)
    if kind == "alone":
        yield " ".join(base)
    elif kind == "family":
        for _ in range(chance.randint(2, 8)):
            yield " ".join(edited(base, chance.randint(0, 6), chance, words))
    elif kind == "chain":
        # Each text repeats the one before, but not those long before.
        for _ in range(chance.randint(3, 40)):
            yield " ".join(base)
            base = edited(base, chance.randint(1, 4), chance, words)
    elif kind == "crowd":
        for _ in range(chance.choice(CROWDS)):
            yield " ".join(edited(base, chance.choice([1, 1, 1, 2, 5]), chance, words))
    elif kind == "template":
        # Three of four words are common: near, but no duplicates.
        for _ in range(chance.choice(CROWDS[:3])):
            yield " ".join(base + chance.choices(words, k=length // 4))
    else:
        for _ in range(chance.choice([1, 2, 3, 5, 40])):
            yield " ".join(edited(base, chance.randint(0, 2), chance, words))


def edited(base: list[str], changes: int, chance: random.Random, words: list[str]) -> list[str]:
    """The text with some words replaced."""
    text = list(base)
    for _ in range(changes):
        text[chance.randrange(len(text))] = chance.choice(words)
    return text
