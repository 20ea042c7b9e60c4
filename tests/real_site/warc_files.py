"""Whether WARC files are whole, by nothing but the standard library: gzip members, headers, lengths, block digests."""
from __future__ import annotations

import base64
import hashlib
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path


def members(path: Path) -> Iterator[bytes]:
    """The decompressed members of a gzip file; damage is a `ValueError`."""
    rest = path.read_bytes()
    while rest:
        decompressor = zlib.decompressobj(wbits=31)
        try:
            member = decompressor.decompress(rest)
        except zlib.error as error:
            raise ValueError(f"{path.name}: {error}") from error
        if not decompressor.eof:
            raise ValueError(f"{path.name}: its last member is cut off")
        rest = decompressor.unused_data
        yield member


def check_record(member: bytes) -> str:
    """The type of the one record that a member holds; what is wrong with it is a `ValueError`."""
    head, found, rest = member.partition(b"\r\n\r\n")
    lines = head.decode("utf-8").split("\r\n")
    if not found or lines[0] != "WARC/1.1":
        raise ValueError("no WARC/1.1 header")
    fields = dict(line.split(": ", 1) for line in lines[1:])
    length = int(fields["Content-Length"])
    block, end = rest[:length], rest[length:]
    if len(block) != length or end != b"\r\n\r\n":
        raise ValueError(f"{fields['WARC-Record-ID']}: its block does not end where its length says")
    digest = "sha1:" + base64.b32encode(hashlib.sha1(block).digest()).decode()
    if fields["WARC-Block-Digest"] != digest:
        raise ValueError(f"{fields['WARC-Record-ID']}: its block digest does not match")
    return fields["WARC-Type"]


def check_files(folder: Path) -> tuple[Counter[str], list[str]]:
    """How many records of each type there are, and what is wrong with the others."""
    types: Counter[str] = Counter()
    wrong = []
    for path in sorted(folder.glob("*.warc.gz")):
        try:
            for member in members(path):
                types[check_record(member)] += 1
        except (ValueError, KeyError) as error:
            wrong.append(f"{path.name}: {error}")
    return types, wrong
