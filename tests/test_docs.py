"""The documentation leads somewhere: links reach files, chapters are in the table of contents, named tests exist."""
from __future__ import annotations

import re
import unittest
from collections.abc import Iterator
from pathlib import Path

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
        rows = re.findall(r"^\| \[`(\w+)`\]\(\.\./\.\./crawler/src/\w+\.rs\) \| [^|]+ \| ([\w, ]+) \|$",
                          prose(ARCHITECTURE), re.MULTILINE)
        uses = {}
        for path in (ROOT / "crawler" / "src").glob("*.rs"):
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

    def test_the_readme_is_short_and_names_the_test_command(self) -> None:
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        self.assertLessEqual(len(text.splitlines()), README_LINES)
        self.assertIn("\ntests/run\n", text)


if __name__ == "__main__":
    unittest.main()
