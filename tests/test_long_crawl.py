"""The parts of long_tools that judge: parts of a crawl, its bars, its table and its extrapolation."""
from __future__ import annotations

import unittest
from collections.abc import Callable
from dataclasses import replace

from long_tools.course import HEADER, bars, fit, outlook, parts, row, table
from long_tools.stages import CONFIGURATION, PARALLEL
from long_tools.watch import Sample
from long_tools.web import Web, path

MB = 1_000_000


def sample(second: float, **others: float) -> Sample:
    """A crawl of 100 pages a second, each of which takes 2 ms of a processor."""
    pages = int(100 * second)
    found = Sample(seconds=second, cpu=0.002 * pages, server_cpu=0.0, requests=2 * pages, pages=pages, kept=pages, known=1_000 + 3 * pages, queued=0,
                   memory=300 * MB, state=3_000 * pages, archive=4_000 * pages, index=500 * pages, stages={"recorder": 0.001 * pages})
    return replace(found, **others)


def crawl(change: Callable[[Sample], Sample] = lambda same: same) -> list[Sample]:
    """600 seconds, a look every 10."""
    return [change(sample(second)) for second in range(0, 601, 10)]


class Course(unittest.TestCase):
    def test_the_parts_of_a_crawl_are_its_whole_time_and_all_pages(self) -> None:
        for count in (1, 6, 10):
            found = parts(crawl(), count)
            self.assertEqual(len(found), count)
            self.assertEqual((found[0].first.seconds, found[-1].last.seconds), (0, 600))
            self.assertEqual(sum(part.pages for part in found), 60_000)

    def test_a_part_knows_its_rates(self) -> None:
        part = parts(crawl(), 6)[1]
        self.assertEqual((part.first.seconds, part.last.seconds), (100, 200))
        self.assertAlmostEqual(part.pages_a_second, 100)
        self.assertAlmostEqual(part.ms_a_page, 2)
        self.assertAlmostEqual(part.ms_a_request, 1)
        self.assertAlmostEqual(part.stage_ms("recorder"), 1)
        self.assertEqual(part.stage_ms("network"), 0)

    def test_looks_that_came_late_leave_fewer_parts(self) -> None:
        found = parts([sample(0), sample(1), sample(600)], 6)
        self.assertEqual([(part.first.seconds, part.last.seconds) for part in found], [(0, 1), (1, 600)])

    def test_a_row_has_a_cell_for_each_column(self) -> None:
        cells = dict(zip(HEADER, row(parts(crawl(), 10)[0]), strict=True))
        self.assertEqual((cells["minutes"], cells["pages/s"], cells["ms/page"], cells["memory MB"]), ("0.0–1.0", "100", "2.00", "300"))
        self.assertEqual((cells["state B/page"], cells["archive B/page"], cells["pages"]), ("3000", "4500", "6000"))
        self.assertEqual(table([("a", "b"), ("1", "2")]), "| a | b |\n|---|---|\n| 1 | 2 |")


class Bars(unittest.TestCase):
    def passed(self, samples: list[Sample]) -> list[bool]:
        return [bar.passed for bar in bars(samples)]

    def test_a_steady_crawl_passes(self) -> None:
        self.assertEqual(self.passed(crawl()), [True, True, True])

    def test_pages_that_cost_more_at_the_end_miss_whatever_the_clock_says(self) -> None:
        dearer = crawl(lambda one: replace(one, cpu=one.cpu + 0.001 * max(0, one.pages - 50_000)))
        self.assertEqual(self.passed(dearer), [False, False, True])
        slower = [replace(one, seconds=one.seconds * (1 + one.seconds / 600)) for one in crawl()]
        self.assertEqual(self.passed(slower), [True, True, True])

    def test_requests_for_robots_at_the_start_do_not_hide_dearer_requests(self) -> None:
        # At first, two requests in three bring no page. Then every request costs twice as much.
        def change(one: Sample) -> Sample:
            late = max(0, one.pages - 20_000)
            return replace(one, requests=3 * one.pages - 2 * late, cpu=0.003 * (one.pages - late) + 0.001 * late + 0.001 * late)
        self.assertEqual(self.passed(crawl(change)), [True, False, True])

    def test_memory_that_grows_misses_and_the_start_does_not_count(self) -> None:
        self.assertEqual(self.passed(crawl(lambda one: replace(one, memory=int(300 * MB + MB * one.seconds)))), [True, True, False])
        self.assertEqual(self.passed(crawl(lambda one: replace(one, memory=MB * (100 if one.seconds < 100 else 300)))), [True, True, True])


class Extrapolation(unittest.TestCase):
    def test_a_line_goes_through_points_of_a_line(self) -> None:
        line = fit([(x, 5 + 2 * x) for x in range(10)])
        self.assertAlmostEqual(line.at(100), 205)
        self.assertEqual(fit([(3, 4), (3, 6)]).at(100), 5)

    def test_a_steady_crawl_goes_on_as_it_did(self) -> None:
        far = outlook(crawl(), 1e8)
        self.assertAlmostEqual(far.known / 3e8, 1, places=4)
        self.assertAlmostEqual(far.state / 3e11, 1)
        self.assertAlmostEqual(far.archive / 4.5e11, 1)
        self.assertAlmostEqual(far.memory / MB, 300)
        self.assertAlmostEqual(far.core_days, 2e5 / 86_400)


class Addresses(unittest.TestCase):
    web = Web(8_080, ["127.1.0.1", "127.1.0.2"], 0)

    def test_urls_take_the_hosts_in_turn(self) -> None:
        self.assertEqual(list(self.web.pages(3)), ["http://127.1.0.1:8080/", "http://127.1.0.2:8080/", "http://127.1.0.1:8080/s/1/title-1.html"])
        self.assertEqual(len(set(self.web.pages(1_000))), 1_000)
        self.assertEqual(list(self.web.home_pages()), list(self.web.pages(2)))
        self.assertEqual(path(7), "/s/7/title-7.html")

    def test_the_configuration_leaves_politeness_alone(self) -> None:
        said = CONFIGURATION.format(parallel=PARALLEL)
        self.assertNotIn("politeness", said)
        self.assertIn(f"parallel = {PARALLEL}\n", said)


if __name__ == "__main__":
    unittest.main()
