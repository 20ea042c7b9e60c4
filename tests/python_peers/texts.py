"""A hundred thousand generated texts with exactly known similarities."""
from __future__ import annotations

import json
import random
from itertools import accumulate, combinations
from pathlib import Path

SHINGLE = 5
KNOWN_FROM = 0.3
VOCABULARY, SUBJECT_WORDS = 30_000, 40
ZIPF = list(accumulate(1 / rank for rank in range(1, VOCABULARY + 1)))


def write(documents: int, seed: int, pages: Path, pairs: Path) -> None:
    """Writes `documents` texts and the Jaccard index of every pair of editions.

    Two in five texts are editions of others, with words replaced in runs, so that their similarities are spread over 0.3 to 1. Half of
    the words of a family are those of its subject; the others are shared by all. Both follow Zipf's law. Different families share no run of
    five words.
    """
    chance = random.Random(seed)
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(2, 9))) for _ in range(VOCABULARY)]
    entries = []
    with pairs.open("w", encoding="utf-8") as known:
        while len(entries) < documents:
            family = len(entries)
            base = _base(chance, words)
            members = [base]
            while chance.random() < 0.5 and len(members) < 6:
                members.append(_edition(base, chance, words))
            names = [f"{family}-{number}" for number in range(len(members))]
            entries += zip(names, map(" ".join, members))
            sets = [_shingles(member) for member in members]
            for (a, left), (b, right) in combinations(zip(names, sets), 2):
                similarity = len(left & right) / len(left | right)
                if similarity >= KNOWN_FROM:
                    known.write(f"{a}\t{b}\t{similarity:.4f}\n")
    del entries[documents:]
    chance.shuffle(entries)
    with pages.open("w", encoding="utf-8") as lines:
        for name, text in entries:
            lines.write(json.dumps({"id": name, "text": text}) + "\n")


def _base(chance: random.Random, words: list[str]) -> list[str]:
    length = chance.randint(80, 400)
    subject = chance.choices(words, k=SUBJECT_WORDS)
    common = chance.choices(words, cum_weights=ZIPF[:len(words)], k=length)
    own = chance.choices(subject, cum_weights=ZIPF[:SUBJECT_WORDS], k=length)
    return [chance.choice(pair) for pair in zip(common, own)]


def _edition(base: list[str], chance: random.Random, words: list[str]) -> list[str]:
    edition = list(base)
    for _ in range(round(chance.random() ** 2 * len(base) / 12)):
        at = chance.randrange(len(edition))
        edition[at:at + chance.randint(1, 3)] = chance.choices(words, k=chance.randint(1, 3))
    return edition


def _shingles(words: list[str]) -> set[tuple[str, ...]]:
    return {tuple(words[at:at + SHINGLE]) for at in range(len(words) - SHINGLE + 1)}
