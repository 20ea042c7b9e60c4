"""WARC files in the shapes that other writers make, and what `crawler dedup` makes of them."""
from __future__ import annotations

import gzip
import json
import subprocess
from io import BytesIO
from pathlib import Path

from real_site.problem import Bars

from .site import PAGES, chunked, html, text

TIMEOUT_SECONDS = 120
SITE = "https://example.org"

# By path: the page, and the codings it is stored in as received. `/copy` says what `/a` says.
STORED = {
    "/a": (html("A", text(11)), []),
    "/copy": (html("Copy of A", text(11)), ["chunked"]),
    "/gzip": (html("B", text(12)), ["gzip"]),
    "/br": (html("C", text(13)), ["br"]),
    "/gzip-chunked": (html("D", text(14)), ["gzip", "chunked"]),
    "/undone": (html("E", text(15)), ["named gzip, undone"]),
}
EXPECTED = [(SITE + path, "exact" if path == "/copy" else "unique") for path in STORED]


def check(binary: Path, data: Path, folder: Path, bars: Bars) -> None:
    """Each shape must give the same verdicts; a broken one all that can be read, with a complaint."""
    folder.mkdir()
    members = written_by_warcio(gzipped=True)
    plain = written_by_warcio(gzipped=False)
    shapes = {
        "gzip-a-record.warc.gz": b"".join(members),
        "plain.warc": b"".join(plain),
        "gzip-whole.warc.gz": gzip.compress(b"".join(plain)),
        "zstd-whole.warc.zst": zstd(b"".join(plain)),
        "zstd-a-record.warc.zst": b"".join(zstd(record) for record in plain),
        "zstd-with-dictionary.warc.zst": zstd_with_dictionary(plain),
        "no-ending-that-tells": b"".join(members),
    }
    for name, content in shapes.items():
        path = folder / name
        path.write_bytes(content)
        check_shape(binary, path, EXPECTED, bars)
    path = folder / "common-crawl.warc.wet.gz"
    path.write_bytes(wet())
    check_shape(binary, path, EXPECTED, bars)
    check_broken(binary, folder, members, plain, bars)
    check_own(binary, data, bars)


def check_shape(binary: Path, path: Path, expected: list[tuple[str, str]], bars: Bars) -> None:
    """Verdicts in order, nothing left out."""
    code, found, told = dedup(binary, path)
    bars.check(path.name, code == 0 and found == expected, f"{len(found)} documents, exit code {code}",
               [told, *(f"- {line}" for line in expected if line not in found),
                *(f"+ {line}" for line in found if line not in expected)])


def check_broken(binary: Path, folder: Path, members: list[bytes], plain: list[bytes], bars: Bars) -> None:
    """Damage costs the record that it is in, is reported with its place, and the run goes on."""
    responses = [at for at, record in enumerate(plain) if b"WARC-Type: response\r\n" in record]
    broken = responses[2]
    flipped = [*members]
    flipped[broken] = damaged(members[broken])
    nonsense = [*plain]
    nonsense[broken] = plain[broken].replace(b"Content-Length: ", b"Content-Length: x", 1)
    cut = b"".join(members)[:-40]
    for name, content, lost in [
        ("flipped.warc.gz", b"".join(flipped), [broken]),
        ("bad-header.warc", b"".join(nonsense), [broken]),
        ("cut.warc.gz", cut, []),
        ("nothing-but-noise.warc", b"\x01\x02noise\r\n" * 50, responses),
    ]:
        path = folder / name
        path.write_bytes(content)
        expected = [line for at, line in zip(responses, EXPECTED) if at not in lost]
        code, found, told = dedup(binary, path)
        bars.check(name, code == 3 and found == expected and name in told, f"{len(found)} documents, exit code {code}",
                   [told, *found])


def check_own(binary: Path, data: Path, bars: Bars) -> None:
    """Of our own archive, with a response and a conversion of each page, every kept page once."""
    code, found, told = dedup(binary, data / "warc")
    kept = [line for line in (data / "warc" / "index.cdxj").read_text().splitlines() if '"warc/revisit"' not in line]
    urls = sorted(json.loads(line[line.index("{"):])["url"] for line in kept)
    verdicts = {verdict for _, verdict in found}
    bars.check("our own, each page once", code == 0 and sorted(url for url, _ in found) == urls and verdicts == {"unique"},
               f"{len(found)} of {len(PAGES)} pages, exit code {code}", [told, *found])


def dedup(binary: Path, path: Path) -> tuple[int, list[tuple[str, str]], str]:
    """Exit code, verdicts by id, and what was said."""
    done = subprocess.run([str(binary), "dedup", str(path)], text=True, capture_output=True, timeout=TIMEOUT_SECONDS,
                          stdin=subprocess.DEVNULL)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return done.returncode, [(line["id"], line["verdict"]) for line in lines], done.stderr


def written_by_warcio(gzipped: bool) -> list[bytes]:
    """The records of a file as Heritrix and wget write them, one by one: warcinfo, then for each page a request, a response
    as received and metadata; then a revisit and a redirect."""
    from warcio.statusandheaders import StatusAndHeaders
    from warcio.warcwriter import BufferWARCWriter

    def record(make: object) -> bytes:
        writer = BufferWARCWriter(gzip=gzipped)
        make(writer)
        return writer.get_contents()

    def write(kind: str, url: str, content: bytes, status: str = "", fields: list[tuple[str, str]] | None = None,
              **more: object) -> bytes:
        def make(writer: BufferWARCWriter) -> None:
            http = StatusAndHeaders(status, fields or [], protocol="HTTP/1.1") if status else None
            writer.write_record(writer.create_warc_record(url, kind, payload=BytesIO(content), http_headers=http, **more))
        return record(make)

    records = [record(lambda writer: writer.write_record(writer.create_warcinfo_record("x.warc.gz", {"software": "x"})))]
    for path, (page, codings) in STORED.items():
        url, fields, body = SITE + path, [("Content-Type", "text/html; charset=utf-8")], page
        for coding in codings:
            if coding == "chunked":
                fields.append(("Transfer-Encoding", "chunked"))
                body = chunked(body)
            elif coding == "named gzip, undone":
                fields.append(("Content-Encoding", "gzip"))
            else:
                fields.append(("Content-Encoding", coding))
                body = gzip.compress(body) if coding == "gzip" else brotli(body)
        records.append(write("request", url, b"", "GET / HTTP/1.1", [("Host", "example.org")]))
        records.append(write("response", url, body, "200 OK", fields))
        records.append(write("metadata", url, b"via: https://example.org/\r\n", warc_content_type="application/warc-fields"))
    html_type = [("Content-Type", "text/html")]
    records.append(write("response", SITE + "/moved", html("Moved", text(16)), "301 Moved", html_type))
    records.append(record(lambda writer: writer.write_record(writer.create_revisit_record(
        SITE + "/a", digest="sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", refers_to_uri=SITE + "/a",
        refers_to_date="2026-01-01T00:00:00Z", http_headers=StatusAndHeaders("200 OK", html_type, protocol="HTTP/1.1")))))
    return records


def wet() -> bytes:
    """Texts as Common Crawl's WET files hold them."""
    records = [conversion("warcinfo", "", b"Software-Info: x\r\n", "application/warc-fields")]
    for path in STORED:
        # The copy's text is that of the page it copies.
        seed = 11 if path in ("/a", "/copy") else 12 + list(STORED).index(path)
        records.append(conversion("conversion", SITE + path, " ".join(text(seed)).encode(), "text/plain"))
    return b"".join(gzip.compress(record) for record in records)


def conversion(kind: str, url: str, block: bytes, content_type: str) -> bytes:
    """One record of WARC 1.0 by hand."""
    target = f"WARC-Target-URI: {url}\r\n" if url else ""
    head = (f"WARC/1.0\r\nWARC-Type: {kind}\r\n{target}WARC-Date: 2026-01-01T00:00:00Z\r\n"
            f"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{abs(hash(url)) % 10**12:012}>\r\n"
            f"Content-Type: {content_type}\r\nContent-Length: {len(block)}\r\n\r\n")
    return head.encode() + block + b"\r\n\r\n"


def damaged(member: bytes) -> bytes:
    """A gzip member with a byte changed in the middle."""
    middle = len(member) // 2
    return member[:middle] + bytes([member[middle] ^ 0x55]) + member[middle + 1:]


def brotli(body: bytes) -> bytes:
    import brotli

    return brotli.compress(body)


def zstd(content: bytes) -> bytes:
    import zstandard

    return zstandard.ZstdCompressor().compress(content)


def zstd_with_dictionary(records: list[bytes]) -> bytes:
    """As wget-at writes them: a skippable frame with the dictionary, then a frame a record that needs it
    (https://iipc.github.io/warc-specifications/specifications/warc-zstd/)."""
    import zstandard

    dictionary = zstandard.train_dictionary(8192, records * 20)
    content = dictionary.as_bytes()
    frame = b"\x5d\x2a\x4d\x18" + len(content).to_bytes(4, "little") + content
    compressor = zstandard.ZstdCompressor(dict_data=dictionary)
    return frame + b"".join(compressor.compress(record) for record in records)
