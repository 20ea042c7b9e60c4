"""What warcio, FastWARC and cdxj-indexer make of an archive of this crawler."""
from __future__ import annotations

import base64
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from real_site.problem import Bars
from real_site.programs import run_or_fail

from public_tools.environment import ROOT, tool
from .site import EDITED, PAGES
from .site import text as words_of

if TYPE_CHECKING:
    import zstandard

TIMEOUT_SECONDS = 120
IDENTICAL = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
KEYS = ROOT / "storage" / "src" / "cdxj" / "surt_cases.txt"


def check(data: Path, duplicates: str, bars: Bars) -> None:
    """All tools on the archive of a crawl of the site with this value of `storage.duplicates`."""
    files = sorted((data / "warc").glob("*.warc.gz"))
    index = data / "warc" / "index.cdxj"
    bars.check("there are WARC files and an index", bool(files) and index.exists(), len(files))
    check_with_warcio(files, duplicates, bars)
    check_with_fastwarc(files, bars)
    check_texts_of_duplicates(files, {"/twin", "/same-text", "/near"} if duplicates == "difference" else {"/twin"}, bars)
    check_index(files, index, bars)
    check_keys(bars)


def check_with_warcio(files: list[Path], duplicates: str, bars: Bars) -> None:
    """`warcio check`, and what it passes over: every record has its digests."""
    from warcio.archiveiterator import ArchiveIterator

    told = subprocess.run([tool("warcio"), "check", "--verbose", *map(str, files)], text=True, capture_output=True,
                          timeout=TIMEOUT_SECONDS)
    passed, unchecked = told.stdout.count("digest pass"), told.stdout.count("no digest to check")
    bars.check("warcio check finds nothing wrong", told.returncode == 0 and not unchecked, f"{passed} digests pass",
               told.stdout.splitlines() + told.stderr.splitlines())
    lacking, kinds, profiles, ids, answers = [], Counter[str](), Counter[str](), set(), set()
    for path in files:
        with path.open("rb") as stream:
            for record in ArchiveIterator(stream):
                field = record.rec_headers.get_header
                kinds[record.rec_type] += 1
                ids.add(field("WARC-Record-ID"))
                if record.rec_type == "request":
                    answers.add(field("WARC-Concurrent-To"))
                if record.rec_type == "revisit":
                    profiles[field("WARC-Profile")] += 1
                wanted = ["WARC-Block-Digest"]
                if record.rec_type in ("response", "revisit"):
                    wanted.append("WARC-Payload-Digest")
                lacking += [f"{record.rec_type} {field('WARC-Target-URI')}: no {name}"
                            for name in wanted if not (field(name) or "").startswith("sha1:")]
    bars.check("every record has its digests", not lacking, dict(kinds), lacking)
    bars.check("each page was asked for twice, and each request names its answer", kinds["request"] == 2 * len(PAGES) and answers <= ids,
               kinds["request"])
    bars.check("a revisit for each copy and each unchanged page whose bytes are archived, by the profiles of the standard",
               dict(profiles) == {IDENTICAL: 9 if duplicates == "body" else 7, NOT_MODIFIED: 1}, dict(profiles))


def check_texts_of_duplicates(files: list[Path], wanted: set[str], bars: Bars) -> None:
    """The texts of these duplicates, as zstandard makes them of the kept page's text: what the site wrote."""
    import zstandard
    from warcio.archiveiterator import ArchiveIterator

    numbers, texts, stored = {}, {}, []
    for path in files:
        with path.open("rb") as stream:
            for record in ArchiveIterator(stream):
                field, block = record.rec_headers.get_header, record.content_stream().read()
                url = field("WARC-Target-URI")
                if record.rec_type == "metadata":
                    lines = dict(line.split(": ", 1) for line in block.decode().splitlines() if ": " in line)
                    if "text-of" in lines:
                        stored.append((url, lines["text-of"], lines.get("text-delta")))
                    elif "page" in lines:
                        numbers[lines["page"]] = url
                elif record.rec_type == "conversion" and field("Content-Type").startswith("text/plain"):
                    texts[url] = block
    wrong, taken = [], 0
    for url, of, delta in stored:
        text = texts[numbers[of]]
        if delta:
            kept = zstandard.ZstdCompressionDict(text, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
            frame = base64.b64decode(delta, validate=True)
            text = zstandard.ZstdDecompressor(dict_data=kept).decompress(frame)
            taken += len(frame)
        # The site writes forty words a paragraph and a full stop after each.
        written = EDITED if url.endswith("/near") else words_of(1)
        if text.decode().replace(".", "").split()[-len(written):] != written:
            wrong.append(f"{url}: {text[:80]!r}")
    found = {"/" + url.rsplit("/", 1)[1] for url, _, _ in stored}
    bars.check("the texts of duplicates come back from what they have beside their kept pages' texts",
               found == wanted and not wrong, f"{len(stored)} texts, {taken} bytes", wrong)


def check_with_fastwarc(files: list[Path], bars: Bars) -> None:
    """Every record, its block and its payload."""
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    records, wrong = 0, []
    for path in files:
        # With verify_digests it would leave out what is wrong.
        for record in ArchiveIterator(str(path), parse_http=False):
            records += 1
            name = f"{record.headers.get('WARC-Type')} {record.headers.get('WARC-Target-URI')}"
            if not record.verify_block_digest():
                wrong.append(f"block of {name}")
            if record.record_type == WarcRecordType.response:
                record.parse_http()
                if not record.verify_payload_digest():
                    wrong.append(f"payload of {name}")
    verified = sum(1 for path in files for _ in ArchiveIterator(str(path), verify_digests=True))
    bars.check("FastWARC verifies every block and payload", records == verified and not wrong, f"{verified} records", wrong)


def check_zstandard(data: Path, of_gzip: Path, bars: Bars) -> None:
    """An archive of Zstandard frames: FastWARC reads it, each frame is a record, and the records are of the kinds of the gzip archive."""
    files = sorted((data / "warc").glob("*.warc.zst"))
    bars.check("there are WARC files of Zstandard, and no others", bool(files) and not list((data / "warc").glob("*.gz")), len(files))
    check_with_fastwarc(files, bars)
    wrong, frames = [], 0
    for path in files:
        for offset, header, content in frames_of(path.read_bytes()):
            frames += 1
            # Frame_Content_Size and Content_Checksum are mandatory ("Zstandard frames" in the specification of .warc.zst).
            if header.content_size != len(content) or not header.has_checksum or not content.startswith(b"WARC/1.1\r\n"):
                wrong.append(f"{path.name}, byte {offset}")
    bars.check("each frame is a record, with its length and a checksum", frames > 0 and not wrong, f"{frames} frames", wrong)
    ours, theirs = kinds_of(files), kinds_of(sorted((of_gzip / "warc").glob("*.warc.gz")))
    bars.check("the records are those of the gzip archive by kind", ours == theirs, dict(ours), [str(dict(theirs))])


def frames_of(data: bytes) -> Iterator[tuple[int, zstandard.FrameParameters, bytes]]:
    """Offset, header and content of each Zstandard frame."""
    import zstandard

    offset = 0
    while offset < len(data):
        decompressor = zstandard.ZstdDecompressor().decompressobj()
        content = decompressor.decompress(data[offset:])
        yield offset, zstandard.get_frame_parameters(data[offset:offset + 18]), content
        offset = len(data) - len(decompressor.unused_data)


def kinds_of(files: list[Path]) -> Counter[str]:
    """How many records of each type FastWARC finds."""
    from fastwarc.warc import ArchiveIterator

    return Counter(record.headers.get("WARC-Type") for path in files for record in ArchiveIterator(str(path), parse_http=False))


def check_index(files: list[Path], index: Path, bars: Bars) -> None:
    """The index is the one that cdxj-indexer makes of the same files, line by line."""
    theirs = run_or_fail([tool("cdxj-indexer"), "--sort", *map(str, files)],
                         timeout=TIMEOUT_SECONDS).splitlines()
    ours = index.read_text().splitlines()
    bars.check("the index is cdxj-indexer's", ours == theirs, f"{len(ours)} lines",
               [f"- {line}" for line in theirs if line not in ours] + [f"+ {line}" for line in ours if line not in theirs])
    bars.check("it is sorted bytewise", index.read_bytes().splitlines() == sorted(index.read_bytes().splitlines()), "yes")


def check_keys(bars: Bars) -> None:
    """The keys that the crawler's own tests expect are those of the package that pywb and cdxj-indexer use."""
    from surt import surt

    cases = [line.split("\t") for line in KEYS.read_text().splitlines()]
    wrong = [f"{url}: {key}, not {surt(url)}" for url, key in cases if surt(url) != key]
    bars.check("keys of URLs", not wrong, f"{len(cases)} cases", wrong)
