"""Measures dedup, FAISS and gaoya in turn on the same fingerprints and queries, on one thread."""
import contextlib
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
# Rounds of queries, in which the indices take turns. The fastest round counts: other work disturbed it least.
ROUNDS = 5
# Queries per round: wide radii are slow.
QUERIES = {3: 10_000, 7: 2_000, 10: 500}
# Blocks of gaoya: the fewest with a reasonable query time; at k = 3 also one more, which is faster and takes 1 KB per fingerprint.
GAOYA_BLOCKS = {3: [5, 6], 7: [10], 10: [13]}
# `SimHashIndex::new(4, 3)`: four tables of 16 bits like dedup and FAISS, and a distance that means "less than 3".
GAOYA_4 = "gaoya, 4 blocks and distance 3: finds k = 2"
# Above GAOYA_WIDE fingerprints, only gaoya with five blocks fits in memory. Above PEERS, only dedup is measured.
GAOYA_WIDE, PEERS = 1_000_000, 10_000_000


class Engine:
    """An index in its own process."""

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
    """Writes random fingerprints and queries: random ones, and stored ones with 0 to 11 bits flipped, in turn."""
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
    yield Engine("dedup", [binary, "ours", str(radius), *files])
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
        # Compare the answers before the measurement; this also warms the caches.
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
    print("| stored | k | index | query µs | times dedup | insert µs | bytes each | found |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    for stored in sizes:
        for radius in radii:
            with tempfile.TemporaryDirectory() as folder:
                print("\n".join(measure(binary, stored, radius, pathlib.Path(folder))), flush=True)
