"""What every script is told on its command line, and the temporary folder it works in."""
from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .corpora import Corpus, find_corpora
from .crawler import find_binary


def argument_parser(description: str | None) -> argparse.ArgumentParser:
    """The arguments that all scripts share."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", type=Path, metavar="CORPORA_DIR",
                        help="folder of corpora, each a folder of pages or NAME.tar.zst")
    parser.add_argument("--binary", type=Path, help="the crawler (default: the workspace's release build)")
    parser.add_argument("--pairs", type=Path, help="folder of NAME.pairs.tsv.gz (default: beside the corpora, or ../shared)")
    parser.add_argument("--keep", action="store_true", help="leave data, reports and logs, and say where")
    return parser


class Setting:
    """The program to measure, the corpora to measure it on, and a folder for what comes of it."""

    def __init__(self, binary: Path, corpora: list[Corpus], folder: Path) -> None:
        self.binary = binary
        self.corpora = corpora
        self.folder = folder


@contextmanager
def setting(arguments: argparse.Namespace, names: list[str]) -> Iterator[Setting]:
    """Finds everything, or says what is missing; the folder goes when the block ends, unless `--keep`."""
    binary = find_binary(arguments.binary)
    folder = Path(tempfile.mkdtemp(prefix="crawler-real-site-"))
    try:
        yield Setting(binary, find_corpora(arguments.corpora, names, arguments.pairs, folder), folder)
    finally:
        if arguments.keep:
            print(f"kept: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
