"""The documentation leads somewhere: links reach files, chapters are in the table of contents, named tests exist.

And the parts of `docs/generate` that cut and compare.
"""
from __future__ import annotations

import importlib.util
import re
import sys
import unittest
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent
BOOK = ROOT / "docs" / "src"
ARCHITECTURE = BOOK / "architecture.md"
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "tests" / "README.md", *sorted(BOOK.rglob("*.md"))]

README_LINES = 200

CODE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def prose(page: Path) -> str:
    """The text of a page without its blocks of code."""
    return CODE.sub("", page.read_text(encoding="utf-8"))


def links(page: Path) -> Iterator[tuple[Path, str]]:
    """The file and the heading that each relative link of a page names."""
    for link in LINK.findall(prose(page)):
        path, _, anchor = link.partition("#")
        yield (page.parent / path).resolve() if path else page, anchor


def anchors(page: Path) -> set[str]:
    """The headings of a page as mdBook and GitHub spell them in a link."""
    headings = (re.sub(r"[`*]|\]\([^)]*\)|\[", "", heading) for heading in HEADING.findall(prose(page)))
    return {re.sub(r"[^\w -]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


class Documentation(unittest.TestCase):
    def test_every_relative_link_leads_to_a_file_and_a_heading(self) -> None:
        for page in PAGES:
            for target, anchor in links(page):
                with self.subTest(page=str(page.relative_to(ROOT)), link=str(target)):
                    self.assertTrue(target.exists())
                    if anchor:
                        self.assertIn(anchor, anchors(target))

    def test_every_chapter_is_in_the_table_of_contents(self) -> None:
        summary = BOOK / "SUMMARY.md"
        listed = {target for target, _ in links(summary)}
        self.assertEqual(listed, set(BOOK.rglob("*.md")) - {summary})

    def test_every_test_that_the_architecture_names_exists(self) -> None:
        sources = [path.read_text(encoding="utf-8") for folder in ("crawler", "dedup", "storage", "tests")
                   for path in (ROOT / folder).rglob("*.rs")]
        _, _, table = prose(ARCHITECTURE).partition("| invariant |")
        names = re.findall(r"`([a-z0-9]+(?:_[a-z0-9]+){3,})`", table)
        self.assertGreater(len(names), 10)
        for name in names:
            with self.subTest(name=name):
                self.assertTrue(any(f"fn {name}(" in source for source in sources))

    def test_the_architecture_lists_what_each_folder_uses(self) -> None:
        rows = re.findall(r"^\| \[`(\w+)`\]\(\.\./\.\./crawler/views/src/\w+\.rs\) \| [^|]+ \| ([\w, ]+) \|$",
                          prose(ARCHITECTURE), re.MULTILINE)
        uses = {}
        for path in (ROOT / "crawler" / "views" / "src").glob("*.rs"):
            if line := re.search(r"^//! Uses: (.*)\.$", path.read_text(encoding="utf-8"), re.MULTILINE):
                uses[path.stem] = line[1]
        self.assertEqual(dict(rows), uses)

    def test_every_chapter_that_code_or_configuration_mentions_exists(self) -> None:
        files = [ROOT / "config.toml", *(path for folder in ("crawler", "dedup", "storage", "tests")
                                         for path in (ROOT / folder).rglob("*.rs"))]
        for path in files:
            for mention in re.findall(r"\bdocs/[a-z/-]+\.md\b", path.read_text(encoding="utf-8")):
                with self.subTest(file=str(path.relative_to(ROOT)), mention=mention):
                    self.assertTrue((ROOT / mention).exists())

    def test_the_rules_for_prometheus_use_metrics_that_the_book_lists(self) -> None:
        rules = (ROOT / "packaging" / "prometheus-rules.yaml").read_text(encoding="utf-8")
        expressions = re.findall(r"^ +expr: (?:>-\n)?((?:.*\n)(?: {10}.*\n)*)", rules, re.MULTILINE)
        used = {name for expression in expressions for name in re.findall(r"\bcrawler_[a-z_]+\b", expression)}
        listed = set(re.findall(r"^\| `(crawler_[a-z_]+)` \|", (BOOK / "metrics.md").read_text(encoding="utf-8"), re.MULTILINE))
        self.assertGreater(len(used), 8)
        self.assertEqual(used - listed, set())

    def test_the_readme_is_short_and_names_the_test_command(self) -> None:
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        self.assertLessEqual(len(text.splitlines()), README_LINES)
        self.assertIn("\ntests/run\n", text)


def generator() -> ModuleType:
    """`docs/generate` as a module, without a file of byte code beside it."""
    loader = SourceFileLoader("generate", str(ROOT / "docs" / "generate"))
    specification = importlib.util.spec_from_loader("generate", loader)
    assert specification is not None
    module = importlib.util.module_from_spec(specification)
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        sys.modules["generate"] = module  # dataclasses look their module up
        loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = before
    return module


class Generator(unittest.TestCase):
    generate = generator()

    def test_a_marker_has_a_command_options_and_maybe_a_block(self) -> None:
        page = ("a\n\n<!-- run: crawler gc\nexit: 1\nat-most: 2\n-->\n\nb\n"
                "<!-- run: crawler --help -->\n```console\n$ x\ny\n```\nc\n")
        first, second = self.generate.BLOCK.finditer(page)
        marker = self.generate.parse_marker(first)
        self.assertEqual((marker.command, marker.options), ("crawler gc", {"exit": "1", "at-most": "2"}))
        self.assertIsNone(first["block"])
        self.assertEqual(second["block"], "\n```console\n$ x\ny\n```")
        self.assertTrue(self.generate.parse_marker(second).is_help)

    def test_an_unknown_option_is_an_error(self) -> None:
        with self.assertRaises(self.generate.Problem):
            self.generate.parse_marker(self.generate.BLOCK.search("<!-- run: crawler gc\nlines: 1\n-->"))

    def test_paragraphs_that_are_left_out_become_one_ellipsis(self) -> None:
        chosen = self.generate.chosen
        self.assertEqual(chosen(list("abcdef"), "1-2 5-"), ["a", "b", "…", "e", "f"])
        self.assertEqual(chosen(list("abc"), "2"), ["…", "b", "…"])
        self.assertEqual(self.generate.shortened("one\ntwo three\nfour", 2, 5), "one\ntwo …\n…")

    def test_a_missing_block_and_an_old_help_are_found_and_other_output_may_differ(self) -> None:
        def page(*outputs: str) -> str:
            commands = ("crawler gc", "crawler gc --help")
            return "".join(f"<!-- run: {command} -->{output}\n" for command, output in zip(commands, outputs, strict=True))

        block = "\n```console\n{}\n```"
        differences = self.generate.differences
        old, new = block.format("old"), block.format("new")
        self.assertEqual(list(differences(page(old, new), page(new, new))), [])
        self.assertEqual(len(list(differences(page(new, old), page(new, new)))), 1)
        self.assertEqual(len(list(differences(page("", new), page(new, new)))), 1)

    def test_the_commands_of_a_help_text_are_listed_without_help(self) -> None:
        text = "About\n\nCommands:\n  run   Crawl\n        more\n  help  Print\n\nOptions:\n  -v\n"
        self.assertEqual(self.generate.subcommands(text), ["run"])


if __name__ == "__main__":
    unittest.main()
