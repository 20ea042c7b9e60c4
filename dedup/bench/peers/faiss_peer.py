"""FAISS in one process, with the same commands and answers as the program range_peer.

usage: faiss_peer.py RADIUS STORED QUERIES

IndexBinaryMultiHash keys four tables by 16 bits each and probes every key within `nflip` bits of the query's: by the
pigeonhole principle, 0, 1 and 2 find all fingerprints within 3, 7 and 11 bits. Its radius means "less than".
"""
import json
import sys
import time

import faiss
import numpy as np

BITS, TABLES = 64, 4


def resident_bytes():
    with open("/proc/self/status") as status:
        line = next(line for line in status if line.startswith("VmRSS:"))
    return int(line.split()[1]) * 1024


def pairs(index, queries, radius):
    """The answers as pairs of the place of a query and of a fingerprint found, in order."""
    limits, _, ids = index.range_search(queries, radius + 1)
    places = np.repeat(np.arange(len(queries), dtype="<u8"), np.diff(limits).astype(np.int64))
    found = np.stack([places, ids.astype("<u8")], axis=1)
    return found[np.lexsort((found[:, 1], found[:, 0]))]


def main():
    radius = int(sys.argv[1])
    stored, queries = (np.fromfile(path, dtype=np.uint8).reshape(-1, BITS // 8) for path in sys.argv[2:])
    faiss.omp_set_num_threads(1)
    stored.sum(), queries.sum()  # now in memory
    before = resident_bytes()
    index = faiss.IndexBinaryMultiHash(BITS, TABLES, BITS // TABLES)
    index.nflip = (radius + 1 + TABLES - 1) // TABLES - 1
    for line in sys.stdin:
        command, _, path = line.strip().partition(" ")
        start = time.perf_counter()
        if command == "insert":
            index.add(stored)
            answer = {"seconds": time.perf_counter() - start, "bytes": resident_bytes() - before}
        elif command == "query":
            index.range_search(queries, radius + 1)
            answer = {"seconds": time.perf_counter() - start}
        elif command == "answers":
            found = pairs(index, queries, radius)
            found.tofile(path)
            answer = {"pairs": len(found)}
        else:
            sys.exit(f"no command {command!r}: insert, query, answers PATH")
        print(json.dumps(answer), flush=True)


main()
