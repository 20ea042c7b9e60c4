"""The examples in the README, in the docstrings of the installed package, and in its chapters of the book give what they show.

``test_spark.py`` has those of ``near_duplicates.spark``.
"""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import near_duplicates

PACKAGE = Path(__file__).resolve().parents[1]
CHAPTERS = [PACKAGE.parent / "docs" / "src" / name for name in ("python.md", "spark.md")]
EXAMPLES = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
MODULES = ["near_duplicates", *(f"near_duplicates.{module.name}" for module in pkgutil.iter_modules(near_duplicates.__path__)
                                if module.name not in {"_native", "spark"})]


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_in_docstrings(module):
    result = doctest.testmod(importlib.import_module(module))
    assert result.failed == 0


def test_every_function_and_method_has_a_docstring():
    for name in near_duplicates.__all__:
        thing = getattr(near_duplicates, name)
        methods = [getattr(thing, method) for method in vars(thing) if not method.startswith("_")] if isinstance(thing, type) else []
        for documented in [thing, *methods]:
            assert name == "Id" or documented.__doc__, documented


@pytest.mark.parametrize("page", [PACKAGE / "README.md", *CHAPTERS], ids=lambda page: page.name)
def test_the_examples_in_a_page(page):
    examples = "\n".join(EXAMPLES.findall(page.read_text(encoding="utf-8")))
    test = doctest.DocTestParser().get_doctest(examples, {}, page.name, str(page), 0)
    assert test.examples
    runner = doctest.DocTestRunner()
    assert runner.run(test).failed == 0
