"""The parts of fleet_tools that judge: the log of the server, the faults, the spread of the pages."""
from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from fleet_tools.cost import STATED
from fleet_tools.faults import asked_without_lease
from fleet_tools.pages import Pages, spread
from fleet_tools.requests import Sleep, Trouble, asked_again, conduct, not_asked_once, without_cause
from fleet_tools.server import NOT_FOUND, OK, Request
from real_site.corpora import Corpus


def asked(began: float, ended: float | None = None, worker: str = "worker-1", path: str = "/a", host: str = "127.1.0.1", status: int = OK) -> Request:
    return Request(host, path, worker, began, began + 0.01 if ended is None else ended, status)


class Conduct(unittest.TestCase):
    def test_requests_that_keep_the_delay_pass(self) -> None:
        found = conduct([asked(1.0), asked(1.1), asked(1.0, host="127.1.0.2"), asked(1.2, worker="worker-2")], 0.05)
        self.assertEqual((found.overlaps, found.crowded, found.hurried, found.owners), ([], [], [], 1))
        self.assertAlmostEqual(found.shortest, 0.09)

    def test_a_request_before_the_end_of_another_is_found(self) -> None:
        found = conduct([asked(1.0, 2.0), asked(1.5, worker="worker-2"), asked(3.0, 4.0), asked(3.5)], 0.05)
        self.assertEqual((len(found.overlaps), len(found.crowded), len(found.hurried)), (1, 1, 0))

    def test_a_request_too_soon_after_another_is_found_whoever_sends_it(self) -> None:
        found = conduct([asked(1.0), asked(1.05), asked(2.0), asked(2.03, worker="worker-2")], 0.05)
        self.assertEqual(len(found.hurried), 2)

    def test_one_request_a_host_may_go_out_when_its_worker_wakes(self) -> None:
        sleep = Sleep("worker-1", 1.0, 20.0)
        others = [asked(19.99, 20.02, worker="worker-2"), asked(20.1, worker="worker-2")]
        found = conduct([*others, asked(20.01)], 0.05, [sleep])
        self.assertEqual((found.overlaps, found.hurried, len(found.stragglers), found.crowded_wakes), ([], [], 1, []))
        found = conduct([*others, asked(20.01), asked(20.05)], 0.05, [sleep])
        self.assertEqual((found.overlaps, found.hurried, len(found.crowded_wakes)), ([], [], 1))

    def test_a_worker_that_wakes_alone_is_judged_as_any(self) -> None:
        found = conduct([asked(0.5), asked(20.01), asked(20.1), asked(20.12)], 0.05, [Sleep("worker-1", 1.0, 20.0)])
        self.assertEqual((found.stragglers, len(found.hurried)), ([], 1))

    def test_the_next_request_is_compared_with_the_last_one_that_is_no_straggler(self) -> None:
        sleep = Sleep("worker-1", 1.0, 20.0)
        found = conduct([asked(19.98, 19.99, worker="worker-2"), asked(20.045), asked(20.06, worker="worker-2")], 0.05, [sleep])
        self.assertEqual((len(found.stragglers), found.hurried), (1, []))
        found = conduct([asked(20.02, 20.03, worker="worker-2"), asked(20.04), asked(20.06, worker="worker-2")], 0.05, [sleep])
        self.assertEqual((len(found.stragglers), len(found.hurried)), (1, 1))

    def test_a_request_long_after_the_wake_is_judged_as_any(self) -> None:
        found = conduct([asked(21.5, 21.6, worker="worker-2"), asked(21.55)], 0.05, [Sleep("worker-1", 1.0, 20.0)])
        self.assertEqual((len(found.overlaps), found.stragglers), (1, []))


class Once(unittest.TestCase):
    def test_a_page_asked_twice_or_without_success_is_found(self) -> None:
        requests = [asked(1.0), asked(2.0, path="/b"), asked(3.0, path="/b", worker="worker-2"), asked(4.0, path="/c", status=404)]
        place = "127.1.0.1"
        self.assertEqual(not_asked_once(requests, {(place, path) for path in ("/a", "/b", "/c", "/d")}),
                         {(place, "/b"): [200, 200], (place, "/c"): [404], (place, "/d"): []})

    def test_only_an_answered_request_can_be_repeated(self) -> None:
        requests = [asked(1.0, status=0), asked(2.0), asked(3.0, worker="worker-2"), asked(4.0, path="/robots.txt"), asked(5.0, path="/robots.txt")]
        again = asked_again(requests)
        self.assertEqual([(first.began, second.began) for first, second in again], [(2.0, 3.0)])

    def test_a_repetition_needs_a_fault_between_its_two_requests(self) -> None:
        again = asked_again([asked(1.0), asked(3.0)])
        self.assertEqual(without_cause(again, [Trouble("kill", 2.0, 2.5)]), [])
        self.assertEqual(without_cause(again, [Trouble("stop", 0.5, 5.0)]), [])
        self.assertEqual(without_cause(again, [Trouble("kill", 3.5, 4.0)]), again)


class Stopped(unittest.TestCase):
    def test_a_request_while_no_lease_can_hold_is_found(self) -> None:
        stops = [(10.0, 30.0)]
        self.assertEqual(asked_without_lease([asked(9.0), asked(14.0), asked(31.0)], stops, 5.0), [])
        self.assertEqual(len(asked_without_lease([asked(16.0)], stops, 5.0)), 1)


class Spread(unittest.TestCase):
    def test_every_page_has_one_host_and_every_host_about_as_many_pages(self) -> None:
        keys = [f"c/{folder}/{page}.html" for folder in range(7) for page in range(folder * 5 + 1)]
        hosts = [f"h{number}" for number in range(8)]
        host_of = spread(keys, hosts)
        self.assertEqual(set(host_of), set(keys))
        counts = [list(host_of.values()).count(host) for host in hosts]
        self.assertGreater(min(counts), 0)
        self.assertLessEqual(max(counts), 2 * -(-len(keys) // len(hosts)))


class Links(unittest.TestCase):
    def test_links_inside_the_site_lead_to_the_right_hosts_and_others_stay(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name, body in (("a/x.html", '<a href="../b/y.html#part">y</a><a href="../b/">b</a><a href="cut.html">c</a><a href="http://e.org/">e</a>'),
                               ("b/y.html", "y"), ("b/index.html", "b")):
                (root / name).parent.mkdir(exist_ok=True)
                (root / name).write_text(body)
            corpus = Corpus("c", root, root / "pairs", frozenset())
            pages = Pages([corpus], 3, ["c/a/cut.html"])
            pages.port = 80
            host, other = pages.host_of("c/a/x.html"), pages.host_of("c/b/y.html")
            status, body, _ = pages.answer(host, "/c/a/x.html")
            index = pages.host_of("c/b/")
            self.assertEqual((status, body.decode()), (OK, f'<a href="http://{other}:80/c/b/y.html#part">y</a><a href="http://{index}:80/c/b/">b</a>'
                                                       '<a href="">c</a><a href="http://e.org/">e</a>'))
            self.assertEqual(pages.answer(index, "/c/b/")[1], b"b")
            wrong = next(name for name in pages.hosts if name != host)
            self.assertEqual(pages.answer(wrong, "/c/a/x.html")[0], NOT_FOUND)
            naming = pages.naming(corpus)
            self.assertEqual([naming.page(pages.url(path)) for path in ("c/a/x.html", "c/b/", "d/a/x.html")], ["a/x.html", "b/index.html", None])


class Cost(unittest.TestCase):
    def test_calls_are_read_from_the_statistics_of_redis(self) -> None:
        self.assertEqual(STATED.findall("cmdstat_evalsha:calls=12,usec=3\ncmdstat_config|get:calls=2,usec=1"), [("evalsha", "12"), ("config", "2")])


if __name__ == "__main__":
    unittest.main()
