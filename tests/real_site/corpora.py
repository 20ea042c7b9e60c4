"""The pages and the truth about them: a folder of real HTML pages and the pairs that say which of them are duplicates."""
from __future__ import annotations

import gzip
import importlib
import io
import json
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any

from .problem import Problem
from .programs import apt_get_install, find_program, run_or_fail

PROJECT = Path(__file__).resolve().parents[2]
# Where the truth and its scorer lie beside a checkout of the project.
SHARED = PROJECT.parent / "shared"
# These must be measured wherever their pages lie; other corpora are measured where their pairs lie beside them.
REQUIRED = ("ipython-docs", "servicecomb-docs")
PACKED = ".tar.zst"
PAGE_SUFFIXES = (".html", ".htm")
DUPLICATE = 0.8


@dataclass(frozen=True)
class Corpus:
    """Real pages in a folder. A page's id is its path below `root`."""

    name: str
    root: Path
    pairs: Path
    """`id TAB id TAB J`, plain text."""
    labelled: frozenset[str]
    """The pages that the truth is about. It says nothing of the others: too short, or without a body of their own."""

    def pages(self) -> list[str]:
        """Every page's id, sorted."""
        return sorted(path.relative_to(self.root).as_posix() for path in self.root.rglob("*")
                      if path.suffix in PAGE_SUFFIXES and path.is_file())

    def duplicate_pairs(self) -> list[tuple[str, str]]:
        """The pairs of pages whose Jaccard index makes them duplicates."""
        rows = (line.rstrip("\n").split("\t") for line in self.pairs.open(encoding="utf-8"))
        return [(left, right) for left, right, jaccard in rows if float(jaccard) >= DUPLICATE]


def by_version(pages: Iterable[str]) -> dict[str, list[str]]:
    """Pages by their top-level folder; those beside the folders are under the empty name."""
    versions: dict[str, list[str]] = {}
    for page in pages:
        folder, slash, _ = page.partition("/")
        versions.setdefault(folder if slash else "", []).append(page)
    return versions


def find_corpora(folder: Path, names: list[str], pairs_folder: Path | None, scratch: Path) -> list[Corpus]:
    """The corpora in `folder`, unpacked into `scratch` where packed.

    `names` chooses; without a choice it is every corpus whose pairs are found. A corpus that was asked for, or is one of
    `REQUIRED`, must not lack its pairs.
    """
    if not folder.is_dir():
        raise Problem(f"{folder} is no folder: name the one that holds the corpora ({', '.join(REQUIRED)})")
    present = sorted({name for name in map(_corpus_name, folder.iterdir()) if name})
    absent = [name for name in names if name not in present]
    if absent or not present:
        raise Problem(f"{folder} holds no corpus {' or '.join(absent or REQUIRED)}: neither a folder of pages of that name "
                      f"nor {(absent or REQUIRED)[0]}{PACKED}")
    chosen = []
    for name in names or present:
        truth_folders = [pairs_folder] if pairs_folder else [folder, folder.parent, SHARED / "corpora"]
        pairs = _find_file(truth_folders, f"{name}.pairs.tsv.gz", f"{name}.pairs.tsv")
        if pairs is None and (names or name in REQUIRED):
            raise Problem(f"no truth for {name}: there is no {name}.pairs.tsv.gz in "
                          f"{', '.join(map(str, truth_folders))}; give its folder with --pairs")
        if pairs is None:
            print(f"{name}: left out, it has no {name}.pairs.tsv.gz")
            continue
        labels = _find_file([pairs.parent], f"{name}.pages.jsonl.zst", f"{name}.pages.jsonl")
        if labels is None:
            raise Problem(f"{name}.pages.jsonl.zst is missing beside {pairs}: it names the pages that the truth is about")
        chosen.append(_open_corpus(name, folder, pairs, labels, scratch))
    if not chosen:
        raise Problem(f"nothing to measure in {folder}: no corpus there has its pairs")
    return chosen


def packed_pages(folder: Path, names: list[str], scratch: Path) -> Iterator[tuple[str, Path]]:
    """Name and root of the corpora in `folder`, with or without their pairs, each unpacked into `scratch` where packed."""
    if not folder.is_dir():
        raise Problem(f"{folder} is no folder: name the one that holds the corpora ({', '.join(REQUIRED)})")
    present = sorted({name for name in map(_corpus_name, folder.iterdir()) if name})
    absent = [name for name in names if name not in present]
    if absent or not present:
        raise Problem(f"{folder} holds no corpus {' or '.join(absent or REQUIRED)}")
    for name in names or present:
        root = folder / name
        if not root.is_dir():
            root = scratch / "corpora" / name
            _unpack(folder / f"{name}{PACKED}", root)
        yield name, root.resolve()


def _corpus_name(entry: Path) -> str | None:
    if entry.is_file() and entry.name.endswith(PACKED):
        return entry.name.removesuffix(PACKED)
    if entry.is_dir() and not entry.name.startswith("."):
        return entry.name
    return None


def _find_file(folders: list[Path], *names: str) -> Path | None:
    candidates = (folder / name for folder in folders for name in names)
    return next((path for path in candidates if path.is_file()), None)


def _open_corpus(name: str, folder: Path, pairs: Path, labels: Path, scratch: Path) -> Corpus:
    root = folder / name
    if not root.is_dir():
        root = scratch / "corpora" / name
        _unpack(folder / f"{name}{PACKED}", root)
    plain_pairs = pairs
    if pairs.suffix == ".gz":
        plain_pairs = scratch / f"{name}.pairs.tsv"
        with gzip.open(pairs) as packed, plain_pairs.open("wb") as plain:
            shutil.copyfileobj(packed, plain)
    with (_open_zstd(labels, scratch) if labels.suffix == ".zst" else labels.open("rb")) as lines:
        labelled = frozenset(json.loads(line)["id"] for line in lines.read().splitlines())
    corpus = Corpus(name, root.resolve(), plain_pairs, labelled)
    _pairs_belong_to_pages(corpus)
    return corpus


def _pairs_belong_to_pages(corpus: Corpus) -> None:
    pages = set(corpus.pages())
    named = {page for pair in corpus.duplicate_pairs() for page in pair}
    strangers = sorted((named | corpus.labelled) - pages)
    if strangers or not named:
        raise Problem(f"{corpus.pairs} is not the truth about {corpus.root}: "
                      + (f"it names {strangers[0]}, which is not there" if strangers else "it holds no duplicate"))


def _unpack(archive: Path, target: Path) -> None:
    print(f"unpacking {archive.name} …", flush=True)
    target.mkdir(parents=True)
    try:
        with _open_zstd(archive, target.parent) as stream, tarfile.open(fileobj=stream, mode="r|") as tar:
            for member in tar:
                _unpack_page(tar, member, target)
    except (tarfile.TarError, OSError) as error:
        raise Problem(f"cannot unpack {archive}: {error}") from error


def _unpack_page(tar: tarfile.TarFile, member: tarfile.TarInfo, target: Path) -> None:
    """Files alone: no links, no devices, nothing outside the folder (tarfile's own filter is missing in Python 3.11.2)."""
    name = PurePosixPath(member.name)
    content = tar.extractfile(member) if member.isfile() else None
    if content is None or name.is_absolute() or ".." in name.parts:
        return
    path = target / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.read())


def _open_zstd(archive: Path, scratch: Path) -> IO[bytes]:
    """The unpacked bytes, by the zstd program or, where it cannot be had, by PyPI's `zstandard`."""
    if find_program("zstd") is None:
        try:
            apt_get_install("zstd")
        except Problem as refused:
            print(f"{refused}\nusing PyPI's zstandard instead")
    zstd = find_program("zstd")
    if zstd is not None:
        done = subprocess.run([zstd, "-dcq", archive], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        if done.returncode != 0:
            raise Problem(f"cannot unpack {archive}: {done.stderr.decode(errors='replace').strip()}")
        return io.BytesIO(done.stdout)
    with archive.open("rb") as packed, _zstandard(scratch).ZstdDecompressor().stream_reader(packed) as plain:
        return io.BytesIO(plain.read())


def _zstandard(scratch: Path) -> Any:
    folder = scratch / "python"
    run_or_fail([sys.executable, "-m", "pip", "install", "--quiet", "--target", str(folder), "zstandard"], timeout=120)
    sys.path.insert(0, str(folder))
    return importlib.import_module("zstandard")
