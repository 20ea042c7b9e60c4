"""What warcio, FastWARC, cdxj-indexer and pywb make of an archive of this crawler."""
from __future__ import annotations

import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections import Counter
from pathlib import Path

from real_site.problem import Bars, Problem
from real_site.programs import run_or_fail

from public_tools.environment import ROOT, tool
from public_tools.loopback import free_port
from .site import EDITED, PAGES
from .site import text as words_of

TIMEOUT_SECONDS = 120
START_SECONDS = 60
KEPT = "/kept?b=2&A=1"
KEYS = ROOT / "storage" / "src" / "cdxj" / "surt_cases.txt"


def check(data: Path, origin: str, bars: Bars) -> None:
    """All tools on the archive of a crawl of the site."""
    files = sorted((data / "warc").glob("*.warc.gz"))
    index = data / "warc" / "index.cdxj"
    bars.check("there are WARC files and an index", bool(files) and index.exists(), len(files))
    check_with_warcio(files, bars)
    check_with_fastwarc(files, bars)
    check_texts_of_duplicates(files, bars)
    check_index(files, index, bars)
    check_keys(bars)
    check_replay(files, index, origin, bars)


def check_with_warcio(files: list[Path], bars: Bars) -> None:
    """`warcio check`, and what it passes over: every record has its digests."""
    from warcio.archiveiterator import ArchiveIterator

    told = subprocess.run([tool("warcio"), "check", "--verbose", *map(str, files)], text=True, capture_output=True,
                          timeout=TIMEOUT_SECONDS)
    passed, unchecked = told.stdout.count("digest pass"), told.stdout.count("no digest to check")
    bars.check("warcio check finds nothing wrong", told.returncode == 0 and not unchecked, f"{passed} digests pass",
               told.stdout.splitlines() + told.stderr.splitlines())
    lacking, kinds, profiles = [], Counter[str](), Counter[str]()
    for path in files:
        with path.open("rb") as stream:
            for record in ArchiveIterator(stream):
                field = record.rec_headers.get_header
                kinds[record.rec_type] += 1
                if record.rec_type == "revisit":
                    profiles[field("WARC-Profile")] += 1
                wanted = ["WARC-Block-Digest"]
                if record.rec_type in ("response", "revisit"):
                    wanted.append("WARC-Payload-Digest")
                lacking += [f"{record.rec_type} {field('WARC-Target-URI')}: no {name}"
                            for name in wanted if not (field(name) or "").startswith("sha1:")]
    bars.check("every record has its digests", not lacking, dict(kinds), lacking)
    bars.check("a request for every response and revisit", kinds["request"] == kinds["response"] + kinds["revisit"],
               kinds["request"])
    bars.check("three duplicates, each by its profile", len(profiles) == 3 and set(profiles.values()) == {1},
               sorted(profiles))


def check_texts_of_duplicates(files: list[Path], bars: Bars) -> None:
    """The text of each duplicate, as zstandard makes it of the kept page's text: what the site wrote."""
    import zstandard
    from warcio.archiveiterator import ArchiveIterator

    numbers, texts, deltas = {}, {}, []
    for path in files:
        with path.open("rb") as stream:
            for record in ArchiveIterator(stream):
                field, block = record.rec_headers.get_header, record.content_stream().read()
                url = field("WARC-Target-URI")
                if record.rec_type == "metadata":
                    lines = dict(line.split(": ", 1) for line in block.decode().splitlines() if ": " in line)
                    numbers[lines["page"]] = url
                elif record.rec_type == "conversion" and field("Content-Type").startswith("text/plain"):
                    texts[url] = block
                elif record.rec_type == "conversion":
                    deltas.append((url, field("Content-Type"), field("X-Crawler-Text-Of"), block))
    wrong, taken = [], 0
    for url, content_type, of, frame in deltas:
        kept = zstandard.ZstdCompressionDict(texts[numbers[of]], dict_type=zstandard.DICT_TYPE_RAWCONTENT)
        text = zstandard.ZstdDecompressor(dict_data=kept).decompress(frame).decode()
        # The site writes forty words a paragraph and a full stop after each.
        written = EDITED if url.endswith("/near") else words_of(1)
        if content_type != "application/x-crawler-text-delta" or text.replace(".", "").split()[-len(written):] != written:
            wrong.append(f"{url}: {text[:80]}")
        taken += len(frame)
    bars.check("the texts of the three duplicates come back from what they have beside their kept pages' texts",
               len(deltas) == 3 and not wrong, f"{taken} bytes", wrong)


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


def check_index(files: list[Path], index: Path, bars: Bars) -> None:
    """The index is the one that cdxj-indexer makes of the same files, line by line."""
    # The metadata records that come with our pages are for the crawler itself.
    theirs = run_or_fail([tool("cdxj-indexer"), "--sort", "--records", "response,revisit", *map(str, files)],
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


def check_replay(files: list[Path], index: Path, origin: str, bars: Bars) -> None:
    """pywb shows kept pages and the exact duplicate, with our index."""
    folder = index.parent.parent.parent / "wayback"
    collection = folder / "collections" / "crawl"
    (collection / "archive").mkdir(parents=True)
    (collection / "indexes").mkdir()
    for path in files:
        shutil.copy(path, collection / "archive")
    shutil.copy(index, collection / "indexes" / "index.cdxj")
    port = free_port()
    with (folder / "log").open("w") as log:
        server = subprocess.Popen([tool("wayback"), "--bind", "127.0.0.1", "--port", str(port)], cwd=folder,
                                  stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            wait_for(port, server, folder / "log")
            for path in [KEPT, "/twin", "/gzipped/", "/chunked", "/B%C3%BCcher//x"]:
                status, body = replayed(port, origin + path)
                bars.check(f"pywb replays {path}", status == 200 and body == PAGES[path].body, f"{status}, {len(body)} bytes")
            # Their payload is not stored, and no other is to be shown for it.
            for path in ["/near", "/same-text"]:
                status, _ = replayed(port, origin + path)
                bars.check(f"pywb shows no other page for {path}", status >= 400, status)
        finally:
            server.terminate()
            server.wait(timeout=START_SECONDS)


def wait_for(port: int, server: subprocess.Popen[bytes], log: Path) -> None:
    """Until the server takes connections."""
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and server.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)
    raise Problem(f"pywb does not start:\n{log.read_text()[-2000:]}")


def replayed(port: int, url: str) -> tuple[int, bytes]:
    """The newest capture of a URL, its payload as archived (`id_`)."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/crawl/id_/{url}", timeout=TIMEOUT_SECONDS) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()
