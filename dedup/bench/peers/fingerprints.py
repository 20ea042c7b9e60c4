"""Ours, FAISS and gaoya on the same fingerprints and queries, one thread, by turns."""
import contextlib
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
# Rounds of queries that the indices take by turns; the fastest counts, as the least disturbed.
ROUNDS = 5
# Queries a round: wide radii take long.
QUERIES = {3: 10_000, 7: 2_000, 10: 500}
# Blocks of gaoya: the fewest that answer in reasonable time; at k = 3 also one more, which is faster and takes 1 KB each.
GAOYA_BLOCKS = {3: [5, 6], 7: [10], 10: [13]}
# What `SimHashIndex::new(4, 3)` is: four tables of 16 bits as ours and FAISS have, and a distance that means "less than 3".
GAOYA_4 = "gaoya, 4 blocks and distance 3: finds k = 2"
# Above so many fingerprints only five blocks fit, and none of its tables for wider radii; at 10^8 only ours is measured.
GAOYA_WIDE, PEERS = 1_000_000, 10_000_000


class Engine:
    """An index in a process of its own."""

    def __init__(self, name, command):
        self.name, self.seconds = name, []
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"{self.name} ended at {command!r} with code {self.process.wait()}")
        return json.loads(line)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()


def make(folder, stored, radius):
    """Random fingerprints; queries by turns random and stored ones with 0 to 11 bits flipped."""
    random = np.random.default_rng(1)
    fingerprints = random.integers(0, 2**64, stored, dtype=np.uint64)
    queries = random.integers(0, 2**64, QUERIES[radius], dtype=np.uint64)
    for n in range(1, len(queries), 2):
        bits = random.choice(64, n // 2 % 12, replace=False).astype(np.uint64)
        flips = np.bitwise_xor.reduce(np.uint64(1) << bits, initial=np.uint64(0))
        queries[n] = fingerprints[random.integers(stored)] ^ flips
    paths = folder / "stored", folder / "queries"
    for path, words in zip(paths, (fingerprints, queries)):
        words.astype("<u8").tofile(path)
    return [str(path) for path in paths]


def engines(binary, stored, radius, files):
    yield Engine("ours", [binary, "ours", str(radius), *files])
    if stored <= PEERS:
        yield Engine("FAISS", [sys.executable, str(HERE / "faiss_peer.py"), str(radius), *files])
        for blocks in GAOYA_BLOCKS[radius]:
            if stored <= GAOYA_WIDE or blocks == 5:
                yield Engine(f"gaoya, {blocks} blocks", [binary, f"gaoya:{blocks}", str(radius), *files])
        if radius == 3:
            yield Engine(GAOYA_4, [binary, "gaoya:4", "2", *files])


def measure(binary, stored, radius, folder):
    files = make(folder, stored, radius)
    rows, truth = [], None
    with contextlib.ExitStack() as stack:
        running = [stack.enter_context(engine) for engine in engines(binary, stored, radius, files)]
        for engine in running:
            engine.inserted = engine.ask("insert")
        # Once unmeasured: the answers, which also warm the caches.
        for engine in running:
            path = folder / "answers"
            engine.pairs = engine.ask(f"answers {path}")["pairs"]
            answers = path.read_bytes()
            truth = answers if truth is None else truth
            engine.agrees = answers == truth
            if radius == 3 and not engine.agrees and engine.name != GAOYA_4:
                sys.exit(f"{engine.name} finds other fingerprints than {running[0].name} within 3 bits")
        for _ in range(ROUNDS):
            for engine in running:
                engine.seconds.append(engine.ask("query")["seconds"])
    ours = min(running[0].seconds)
    for engine in running:
        query, inserted = min(engine.seconds), engine.inserted
        rows.append(
            f"| 10^{len(str(stored)) - 1} | {radius} | {engine.name} | {query / QUERIES[radius] * 1e6:.2f} | {query / ours:.1f} | "
            f"{inserted['seconds'] / stored * 1e6:.2f} | {inserted['bytes'] / stored:.0f} | {engine.pairs}"
            f"{'' if engine.agrees else ', not the same'} |"
        )
    return rows


def run(binary, sizes, radii):
    print("| stored | k | index | query µs | times ours | insert µs | bytes each | found |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    for stored in sizes:
        for radius in radii:
            with tempfile.TemporaryDirectory() as folder:
                print("\n".join(measure(binary, stored, radius, pathlib.Path(folder))), flush=True)
