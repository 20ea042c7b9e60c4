"""The parts of real_site that judge: the report as verdicts, and the server's log as proof."""
from __future__ import annotations

import base64
import gzip
import hashlib
import tempfile
import unittest
from pathlib import Path
from typing import Any

from real_site.access_log import Hit, Life, not_fetched_once, pages_answered, parse_log, redone_by_life, redone_fetches
from real_site.corpora import by_version
from real_site.server import index_page
from real_site.verdicts import Naming, Verdict, counts_that_disagree, decided_urls, failures_of, verdict_stream
from real_site.warc_files import check_files, check_record

BASE = "http://127.0.0.1:4000"
NAMING = Naming(BASE, {"1/a.html", "2/a.html", "2/b/index.html", "2/ü b.html", "index.html"})


def report(*clusters: tuple[str, list[tuple[str, str]]]) -> dict[str, Any]:
    """A report of `(kept, [(duplicate, verdict)])`, each a path."""
    return {"clusters": [{"kept": BASE + kept, "title": "", "duplicates": [
        {"url": BASE + url, "verdict": verdict, "distance": None, "similarity": None} for url, verdict in duplicates]}
        for kept, duplicates in clusters], "failures": [], "counts": {}, "hosts": []}


def stream(*clusters: tuple[str, list[tuple[str, str]]]) -> list[tuple[str, str, str | None]]:
    return [(verdict.id, verdict.verdict, verdict.of) for verdict in verdict_stream(report(*clusters), NAMING)]


def hit(uri: str, at: float = 0.0, status: int = 200, complete: bool = True) -> Hit:
    return Hit(at, 0.0, status, complete, "GET", uri)


class Verdicts(unittest.TestCase):
    def test_kept_pages_come_before_the_duplicates_that_name_them(self) -> None:
        self.assertEqual(stream(("/1/a.html", [("/2/a.html", "near")]), ("/2/b/index.html", [])),
                         [("1/a.html", "unique", None), ("2/b/index.html", "unique", None),
                          ("2/a.html", "near", "1/a.html")])

    def test_ids_are_percent_decoded(self) -> None:
        self.assertEqual(stream(("/2/%C3%BC%20b.html", [])), [("2/ü b.html", "unique", None)])

    def test_generated_pages_and_other_hosts_are_left_out(self) -> None:
        self.assertEqual(stream(("/", []), ("/_index/1.html", []), ("/1/a.html", [("/_index/2.html", "near")])),
                         [("1/a.html", "unique", None)])
        self.assertIsNone(NAMING.page("http://127.0.0.1:8888/1/a.html"))

    def test_the_corpus_own_front_page_is_not_the_generated_one(self) -> None:
        self.assertEqual(stream(("/index.html", []), ("/", [])), [("index.html", "unique", None)])

    def test_a_page_that_duplicates_its_own_folder_url_is_one_unique_page(self) -> None:
        self.assertEqual(stream(("/2/b/", [("/2/b/index.html", "exact")])), [("2/b/index.html", "unique", None)])
        self.assertEqual(stream(("/2/b/index.html", [("/2/b/", "exact")])), [("2/b/index.html", "unique", None)])

    def test_two_urls_of_one_duplicate_are_one_verdict(self) -> None:
        self.assertEqual(stream(("/1/a.html", [("/2/b/", "near"), ("/2/b/index.html", "exact"), ("/2/a.html?print", "near"),
                                               ("/2/a.html", "near")])),
                         [("1/a.html", "unique", None), ("2/b/index.html", "exact", "1/a.html"),
                          ("2/a.html", "near", "1/a.html")])

    def test_the_linked_url_decides_where_a_page_has_two(self) -> None:
        self.assertEqual(stream(("/2/b/", []), ("/1/a.html", [("/2/b/index.html", "near")])),
                         [("1/a.html", "unique", None), ("2/b/index.html", "near", "1/a.html")])

    def test_an_original_that_is_no_page_stays_in_the_stream_to_be_counted_wrong(self) -> None:
        self.assertEqual(stream(("/_index/1.html", [("/1/a.html", "near")])),
                         [("1/a.html", "near", f"{BASE}/_index/1.html")])

    def test_every_url_with_an_outcome_is_decided(self) -> None:
        with_failure = report(("/1/a.html", [("/2/a.html", "near")]))
        with_failure["failures"] = [{"url": f"{BASE}/gone", "kind": "http", "status": 404, "detail": "not found"}]
        self.assertEqual(decided_urls(with_failure), {f"{BASE}/1/a.html", f"{BASE}/2/a.html", f"{BASE}/gone"})
        self.assertEqual(failures_of(with_failure, lambda _: True), [f"{BASE}/gone: http 404 not found"])
        self.assertEqual(failures_of(with_failure, lambda _: False), [])

    def test_counts_are_held_against_the_lists(self) -> None:
        counted = report(("/1/a.html", [("/2/a.html", "near")]))
        counted["counts"] = {"kept": 1, "exact": 0, "near": 1}
        self.assertEqual(counts_that_disagree(counted), [])
        counted["counts"]["near"] = 2
        self.assertEqual(counts_that_disagree(counted), ["near: counted 2, listed 1"])

    def test_the_scorer_gets_its_fields(self) -> None:
        self.assertEqual(list(Verdict("a", "unique", None).__dict__), ["id", "verdict", "of"])


class Log(unittest.TestCase):
    def test_a_line_is_read_field_by_field_and_an_unfinished_one_waits(self) -> None:
        hits = parse_log("1700000000.125 0.004 200 oOK GET /a b.html?x=1\n1700000001.000 1.000 499 o GET /c\n17000")
        self.assertEqual(hits, [Hit(1700000000.125, 0.004, 200, True, "GET", "/a b.html?x=1"),
                                Hit(1700000001.0, 1.0, 499, False, "GET", "/c")])

    def test_once_and_with_success_is_the_only_good_fetch(self) -> None:
        hits = [hit("/once.html"), hit("/twice.html"), hit("/twice.html"), hit("/gone.html", status=404),
                hit("/cut.html", complete=False), hit("/%C3%BC.html"), hit("/once.html?print"), hit("/not-linked")]
        linked = {"once.html", "twice.html", "gone.html", "cut.html", "never.html", "ü.html"}
        self.assertEqual(not_fetched_once(hits, linked),
                         {"twice.html": [200, 200], "gone.html": [404], "cut.html": [0], "never.html": []})

    def test_pages_are_counted_once_and_robots_is_none(self) -> None:
        hits = [hit("/robots.txt"), hit("/a"), hit("/a"), hit("/b", status=404), hit("/c", complete=False), hit("/d")]
        self.assertEqual(pages_answered(hits), {"/a", "/d"})

    def test_a_fetch_done_again_has_the_age_of_its_first_answer_at_the_kill(self) -> None:
        lives = [Life([hit("/old", 8.5), hit("/new", 9.5)], 10.0), Life([hit("/new", 11), hit("/old", 12)], None)]
        self.assertEqual([(again.uri, again.age) for again in redone_fetches(lives)], [("/new", 0.5), ("/old", 1.5)])

    def test_a_fetch_done_again_without_a_kill_between_has_no_age(self) -> None:
        redone = redone_fetches([Life([hit("/a", 9.9), hit("/a", 9.95)], 10.0)])
        self.assertEqual([(again.uri, again.age) for again in redone], [("/a", None)])

    def test_each_fetch_done_again_is_charged_to_the_life_that_had_the_answer(self) -> None:
        lives = [Life([hit("/a", 1.0)], 1.5), Life([hit("/a", 2.0)], 2.5), Life([], 2.6), Life([hit("/a", 3.0)], None)]
        redone = redone_fetches(lives)
        self.assertEqual([(again.life, again.age) for again in redone], [(0, 0.5), (1, 0.5)])
        self.assertEqual(redone_by_life(redone), {0: 1, 1: 1})

    def test_what_a_kill_cut_off_and_what_every_start_asks_for_is_not_done_again(self) -> None:
        lives = [Life([hit("/robots.txt"), hit("/a", complete=False, status=499)], 5.0),
                 Life([hit("/robots.txt", 6), hit("/a", 6)], None)]
        self.assertEqual(redone_fetches(lives), [])


class GeneratedPages(unittest.TestCase):
    def test_versions_are_the_top_level_folders(self) -> None:
        self.assertEqual(by_version(["index.html", "1/a.html", "1/b/c.html", "2/a.html"]),
                         {"": ["index.html"], "1": ["1/a.html", "1/b/c.html"], "2": ["2/a.html"]})

    def test_index_pages_of_two_versions_share_no_word_but_their_links(self) -> None:
        def words(version: str) -> set[str]:
            return set(index_page(version, []).split("<p>")[1].split("</p>")[0].rstrip(".").split())
        self.assertGreaterEqual(len(words("1")), 100)
        self.assertEqual(words("1") & words("2"), set())

    def test_links_are_encoded_and_escaped(self) -> None:
        self.assertIn('href="/1/%C3%BC%20%26.html"', index_page("1", ["1/ü &.html"]))
        self.assertIn("1/ü &amp;.html", index_page("1", ["1/ü &.html"]))


class WarcFiles(unittest.TestCase):
    DIGEST = "sha1:" + base64.b32encode(hashlib.sha1(b"text").digest()).decode()

    def record(self, length: int, block: bytes = b"text", end: bytes = b"\r\n\r\n") -> bytes:
        fields = (f"WARC/1.1\r\nWARC-Type: conversion\r\nWARC-Record-ID: <urn:x>\r\nWARC-Block-Digest: {self.DIGEST}\r\n"
                  f"Content-Length: {length}\r\n\r\n")
        return fields.encode() + block + end

    def test_a_whole_record_is_known_by_its_type(self) -> None:
        self.assertEqual(check_record(self.record(4)), "conversion")

    def test_a_wrong_length_a_wrong_digest_and_a_missing_end_are_found(self) -> None:
        for wrong in (self.record(3), self.record(4, b"tExt"), self.record(4, end=b"\r\n"), b"GET / HTTP/1.1\r\n\r\n"):
            self.assertRaises(ValueError, check_record, wrong)

    def test_a_file_that_is_cut_off_is_named(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            whole = gzip.compress(self.record(4))
            Path(folder, "a.warc.gz").write_bytes(whole + whole)
            Path(folder, "b.warc.gz").write_bytes(whole + whole[:-9])
            types, wrong = check_files(Path(folder))
        self.assertEqual((types["conversion"], len(wrong)), (3, 1))
        self.assertIn("b.warc.gz", wrong[0])


if __name__ == "__main__":
    unittest.main()
