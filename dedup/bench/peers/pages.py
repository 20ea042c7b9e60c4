"""Measures dedup and MinHash-LSH (datasketch) on the same pages: precision, recall, F1 and time of their verdicts."""
import json
import re
import subprocess
import time
from collections import defaultdict

from datasketch import MinHash, MinHashLSH

PERMUTATIONS, SHINGLE, THRESHOLD = 128, 5, 0.8
# A pair with J of at least DUPLICATE is a duplicate, one with J below DIFFERENT is not; between them, either verdict is right.
DUPLICATE, DIFFERENT = 0.8, 0.5
# Each Chinese, Japanese or Korean character is a word.
CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
WORDS = re.compile(f"[{CJK}]|[^\\W{CJK}]+")


def read_pages(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def read_truth(path):
    """The Jaccard index of every listed pair, in both directions."""
    similarity = defaultdict(dict)
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            a, b, j = line.rstrip("\n").split("\t")
            similarity[a][b] = similarity[b][a] = float(j)
    return similarity


def score(verdicts, truth):
    """Verdicts are (id, id of the page it repeats or None) in the order of decision.

    Precision is the share of the pages called duplicates whose named page is a duplicate. Recall is the share of the pages with a
    kept duplicate that were called duplicates.
    """
    kept, right, wrong, missed = set(), 0, 0, 0
    for page, original in verdicts:
        if original is None:
            missed += any(j >= DUPLICATE and other in kept for other, j in truth[page].items())
            kept.add(page)
        else:
            j = truth[page].get(original, 0.0)
            right += j >= DUPLICATE
            wrong += j < DIFFERENT
    precision, recall = right / max(1, right + wrong), right / max(1, right + missed)
    return precision, recall, 2 * precision * recall / max(1e-9, precision + recall)


def min_hash(text):
    words = WORDS.findall(text.lower())
    sketch = MinHash(num_perm=PERMUTATIONS)
    runs = {" ".join(words[at : at + SHINGLE]) for at in range(max(1, len(words) - SHINGLE + 1))}
    sketch.update_batch([run.encode() for run in runs])
    return sketch if words else None


def datasketch(pages, confirmed):
    """Candidates of the LSH; the best one counts, if `confirmed` only where its estimate reaches the threshold."""
    lsh, kept, verdicts = MinHashLSH(threshold=THRESHOLD, num_perm=PERMUTATIONS), {}, []
    for page in pages:
        sketch = min_hash(page["text"])
        candidates = lsh.query(sketch) if sketch else []
        best = max(candidates, key=lambda other: sketch.jaccard(kept[other]), default=None)
        if best is not None and confirmed and sketch.jaccard(kept[best]) < THRESHOLD:
            best = None
        if best is None and sketch:
            kept[page["id"]] = sketch
            lsh.insert(page["id"], sketch)
        verdicts.append((page["id"], best))
    return verdicts


def ours(binary, path):
    with open(path, "rb") as pages:
        out = subprocess.run([binary], stdin=pages, capture_output=True, check=True).stdout
    verdicts = map(json.loads, out.splitlines())
    return [(verdict["id"], verdict["of"]) for verdict in verdicts]


def run(binary, pages_path, pairs_path):
    pages, truth = read_pages(pages_path), read_truth(pairs_path)
    methods = [
        ("ours", lambda: ours(binary, pages_path)),
        ("MinHash-LSH (datasketch)", lambda: datasketch(pages, confirmed=False)),
        ("MinHash-LSH, estimate ≥ 0.8 confirms", lambda: datasketch(pages, confirmed=True)),
    ]
    print(f"{len(pages)} pages\n\n| method | precision | recall | F1 | seconds |\n|---|---|---|---|---|", flush=True)
    for name, method in methods:
        start = time.perf_counter()
        verdicts = method()
        seconds = time.perf_counter() - start
        print("| {} | {:.4f} | {:.4f} | {:.4f} | {:.2f} |".format(name, *score(verdicts, truth), seconds), flush=True)
