"""The parts of rendered_tools that judge: words, verdicts, shells, what was rendered in vain; and the truth itself."""
from __future__ import annotations

import unittest

from rendered_tools import judge
from rendered_tools.areas import CALENDAR, STATIC_SECTIONS, site
from rendered_tools.crawl import EXACT, KEPT, NEAR, Outcome
from rendered_tools.routes import Fate, Needs, Route
from rendered_tools.static import month, page


def family() -> dict[str, Route]:
    return {
        "/a": Route("/a", "A", ["one two three"]),
        "/a/print": Route("/a/print", "A", ["one two three"], fate=Fate.EXACT, same_as="/a"),
        "/a-2nd": Route("/a-2nd", "A", ["one two four"], fate=Fate.NEAR, same_as="/a"),
        "/b": Route("/b", "B", ["five"], needs=Needs.NOTHING),
    }


class Truth(unittest.TestCase):
    def setUp(self) -> None:
        self.routes = site()

    def test_every_link_leads_to_a_route_or_to_the_calendar(self) -> None:
        targets = {to for route in self.routes.values() for to, _ in (*route.links, *route.clicked)}
        self.assertEqual([to for to in targets if to not in self.routes and not to.startswith(CALENDAR)], [])

    def test_every_route_is_linked_or_behind_a_click(self) -> None:
        targets = {to for route in self.routes.values() for to, _ in (*route.links, *route.clicked)}
        self.assertEqual([path for path in self.routes if path not in targets and path != "/"], [])

    def test_a_copy_has_the_text_of_its_original_and_an_edition_has_not(self) -> None:
        for route in self.routes.values():
            if route.same_as:
                original = self.routes[route.same_as]
                self.assertEqual(route.text == original.text, route.fate is Fate.EXACT, route.path)
                self.assertIn(original.fate, (Fate.UNIQUE,), route.path)

    def test_most_pages_need_no_browser_and_each_area_has_at_least_twelve_that_do(self) -> None:
        static = [route for route in self.routes.values() if route.needs is Needs.NOTHING]
        self.assertGreater(len(static), 400)
        for area in ("react", "vue", "svelte", "angular", "legacy", "stream"):
            count = sum(1 for route in self.routes.values() if route.area == area and route.needs is not Needs.NOTHING)
            self.assertGreaterEqual(count, 12, area)
        self.assertEqual({route.needs for route in self.routes.values() if route.area in STATIC_SECTIONS}, {Needs.NOTHING})

    def test_a_month_links_to_the_months_around_it(self) -> None:
        self.assertEqual([to for to, _ in month("/react/calendar/2026-12").links], ["/react/calendar/2026-11", "/react/calendar/2027-01"])
        self.assertEqual([to for to, _ in month("/react/calendar/2026-01").links], ["/react/calendar/2025-12", "/react/calendar/2026-02"])

    def test_a_static_page_has_its_whole_text_in_its_html(self) -> None:
        route = self.routes["/help/3.html"]
        self.assertIn(route.paragraphs[0], page(route))
        self.assertIn("<script", page(route))
        self.assertNotIn("<script", page(route, with_scripts=False))


class Judge(unittest.TestCase):
    def outcomes(self, **changed: Outcome) -> dict[str, Outcome]:
        found = {"/a": Outcome(KEPT, title="A", text="A\none two three", is_rendered=True), "/a/print": Outcome(EXACT, "/a", "A", None, True),
                 "/a-2nd": Outcome(NEAR, "/a", "A", None, True), "/b": Outcome(KEPT, title="B", text="B\nfive", is_rendered=False)}
        found.update({f"/{name}": outcome for name, outcome in changed.items()})
        return found

    def test_a_crawl_as_the_truth_says_has_no_finding(self) -> None:
        outcomes, routes = self.outcomes(), family()
        self.assertEqual(judge.undecided(outcomes, routes), [])
        self.assertEqual(judge.wrong_verdicts(outcomes, routes), [])
        self.assertEqual(judge.wrong_titles(outcomes, routes), [])
        self.assertEqual(judge.shells(outcomes, routes), [])
        self.assertEqual(judge.read_without(outcomes, routes), [])
        self.assertEqual(judge.rendered_in_vain(outcomes, routes), ([], 1))
        self.assertTrue(all(figure.recall == figure.precision == 1 for figure in judge.texts(outcomes, routes)))

    def test_another_page_of_a_family_may_be_the_kept_one(self) -> None:
        outcomes = self.outcomes()
        outcomes["/a"], outcomes["/a/print"] = Outcome(EXACT, "/a/print", "A"), Outcome(KEPT, title="A", text="A\none two three")
        outcomes["/a-2nd"] = Outcome(NEAR, "/a/print", "A")
        self.assertEqual(judge.wrong_verdicts(outcomes, family()), [])
        self.assertEqual(judge.differences(outcomes, self.outcomes(), family()), [])

    def test_two_kept_pages_of_a_family_and_a_false_duplicate_are_found(self) -> None:
        self.assertEqual(len(judge.wrong_verdicts(self.outcomes(**{"a-2nd": Outcome(KEPT)}), family())), 1)
        self.assertEqual(len(judge.wrong_verdicts(self.outcomes(b=Outcome(NEAR, "/a")), family())), 1)
        self.assertEqual(len(judge.wrong_verdicts(self.outcomes(**{"a-2nd": Outcome(EXACT, "/a")}), family())), 1)
        self.assertTrue(judge.differences(self.outcomes(b=Outcome(NEAR, "/a")), self.outcomes(), family()))

    def test_stored_noindex_and_several_kept_pages_that_are_missing_are_found(self) -> None:
        routes = {"/d": Route("/d", "D", fate=Fate.NOINDEX), **{f"/m{n}": Route(f"/m{n}", "M", fate=Fate.MISSING) for n in range(2)}}
        self.assertEqual(judge.wrong_verdicts({"/d": Outcome("excluded"), "/m0": Outcome(KEPT), "/m1": Outcome("soft_404")}, routes), [])
        self.assertEqual(len(judge.wrong_verdicts({"/d": Outcome(KEPT), "/m0": Outcome(KEPT), "/m1": Outcome(KEPT)}, routes)), 2)

    def test_shells_and_pages_of_no_route_are_found(self) -> None:
        self.assertEqual(len(judge.shells({"/a": Outcome(KEPT, text=" ")}, family())), 1)
        self.assertEqual(len(judge.shells({"/a": Outcome(KEPT, text="You need to enable JavaScript to run this app.")}, family())), 1)
        self.assertEqual(len(judge.shells({"/react": Outcome(KEPT, text="text")}, family())), 1)
        self.assertEqual(judge.shells({f"{CALENDAR}2026-02": Outcome(KEPT, text="text")}, family()), [])

    def test_words_are_counted_and_each_chinese_character_is_one(self) -> None:
        self.assertEqual(judge.recall_and_precision("one two", "one two three four"), (0.5, 1.0))
        self.assertEqual(judge.recall_and_precision("One two menu", "one two", allowed="menu"), (1.0, 1.0))
        self.assertEqual(judge.recall_and_precision("灯塔menu", "灯塔港口"), (0.5, 2 / 3))
        self.assertEqual(judge.recall_and_precision("", "one"), (0.0, 0.0))

    def test_static_pages_with_a_browser_and_shells_without_one_are_found(self) -> None:
        outcomes = self.outcomes(a=Outcome(KEPT, is_rendered=False), b=Outcome(KEPT, is_rendered=True))
        self.assertEqual(judge.read_without(outcomes, family()), ["/a"])
        self.assertEqual(judge.rendered_in_vain(outcomes, family()), (["/b"], 1))


if __name__ == "__main__":
    unittest.main()
