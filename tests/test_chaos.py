"""The parts of chaos_tools that judge: damage, the answers of a report, the model."""
from __future__ import annotations

import random
import tempfile
import unittest
from pathlib import Path

from chaos_tools.damage import FORMS, damage, files_of
from chaos_tools.model import NOTHING, Answers, Finding, Model, answers_of
from chaos_tools.program import Ended, Program
from chaos_tools.site import Asked, Kind, Site
from chaos_tools.steps import STEPS


def answers(kept: list[str], duplicates: dict[str, str] | None = None) -> Answers:
    return Answers(frozenset(kept), duplicates or {}, frozenset(), frozenset(), frozenset(), frozenset(), 0)


class Damages(unittest.TestCase):
    def test_every_form_changes_or_removes_the_file(self) -> None:
        chance = random.Random(1)
        for form in FORMS:
            for content in (bytes(100), b"x", bytes(range(256))):
                with tempfile.TemporaryDirectory() as folder:
                    path = Path(folder) / "db"
                    path.write_bytes(content)
                    damage("state/db", path, form, chance)
                    self.assertTrue(not path.exists() or path.read_bytes() != content, form)

    def test_only_files_that_are_there_and_not_empty_are_damaged(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder)
            (data / "state").mkdir()
            (data / "state" / "db").write_bytes(b"1")
            (data / "last-commit").write_bytes(b"")
            self.assertEqual(files_of(data), {"state/db": [data / "state" / "db"]})


class Sites(unittest.TestCase):
    def test_a_seed_makes_the_same_site_again(self) -> None:
        def resources() -> list[tuple[int, str, Kind, int]]:
            return [(each.host, each.path, each.kind, each.text) for each in Site(random.Random(5)).resources]

        self.assertEqual(resources(), resources())

    def test_nothing_is_reached_behind_a_page_that_was_not_answered(self) -> None:
        site = Site(random.Random(5))
        everything = site.reachable(frozenset())
        self.assertTrue(set(site.seeds) <= everything)
        self.assertEqual(site.reachable(frozenset(site.seeds)), set())


class Models(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.site = Site(random.Random(5))
        self.model = Model(Program(Path("crawler"), Path(folder.name)), self.site)

    def test_a_request_for_a_finished_url_is_a_finding_unless_it_may_be_asked_again(self) -> None:
        resource = self.site.resources[0]
        url = self.site.url(resource)
        self.model.known = answers([url])
        self.site.asked.append(Asked(0.0, resource.host, resource.path))
        with self.assertRaises(Finding):
            self.model.check_requests(may_ask_all=False)
        self.site.asked.append(Asked(0.0, resource.host, resource.path))
        self.model.may_ask_again = {url}
        self.model.check_requests(may_ask_all=False)

    def test_a_request_that_robots_txt_or_the_scope_forbids_is_always_a_finding(self) -> None:
        for asked in (Asked(0.0, 0, "/private/1"), Asked(0.0, self.site.outside, "/")):
            self.site.asked.append(asked)
            with self.assertRaises(Finding):
                self.model.check_requests(may_ask_all=True)

    def test_a_lost_page_and_a_duplicate_of_another_text_are_findings(self) -> None:
        pages = [each for each in self.site.resources if each.kind is Kind.PAGE and each.path != "/"]
        first, second = (self.site.url(each) for each in pages[:2])
        self.model.known = answers([first])
        self.model.read = lambda: NOTHING  # type: ignore[method-assign]
        with self.assertRaises(Finding):
            self.model.check_answers()
        self.model.check_answers(may_lose_pages=True)
        self.model.read = lambda: answers([first], {second: first})  # type: ignore[method-assign]
        with self.assertRaises(Finding):
            self.model.check_answers()

    def test_a_panic_an_undocumented_code_and_a_late_end_are_findings(self) -> None:
        for ended in (Ended("run", 0, "", "thread 'x' panicked at", False), Ended("run", 101, "", "no", False),
                      Ended("run", 0, "", "", True), Ended("run", 1, "", "", False)):
            with self.assertRaises(Finding):
                self.model.check_command(ended, {0, 1})
        self.model.check_command(Ended("run", 1, "", "crawler: why", False), {0, 1})

    def test_a_report_is_read_with_all_outcomes(self) -> None:
        read = answers_of({"clusters": [{"kept": "a", "duplicates": [{"url": "b"}]}], "orphans": [{"url": "c"}],
                           "failures": [{"url": "d", "kind": "connect"}, {"url": "e", "kind": "http_404"}],
                           "excluded": [{"url": "f"}], "redirects": [{"url": "g"}], "refresh": {"gone": [{"url": "h"}]},
                           "counts": {"queued": 2}})
        self.assertEqual((read.pages, read.without_page, read.unanswered, read.duplicates, read.queued),
                         ({"a", "b", "c", "h"}, {"d", "e", "f", "g"}, {"d"}, {"b": "a"}, 2))


class Steps(unittest.TestCase):
    def test_every_command_that_changes_a_crawl_is_among_the_steps(self) -> None:
        for command in ("run", "run --refresh", "rebuild", "rebuild --redecide", "gc", "tune --write"):
            self.assertIn(command, STEPS)


if __name__ == "__main__":
    unittest.main()
