"""Damage to one file of a data folder: another byte, zeroes, a cut, a lost file, a lost piece of equal or other length."""
from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

ZEROED_BYTES = 64
FORMS = ("flip", "zero", "cut", "remove")
KINDS = ("index.cdxj", "warc", "state/db", "state/snap", "state/conf", "state/blobs", "last-commit", "README.md", "lock")
"""The kinds of files in a data folder, by the beginning of their names."""


@dataclass(frozen=True)
class Damage:
    """The damage, and the damaged file."""

    kind: str
    path: Path
    form: str
    at: int

    def __str__(self) -> str:
        return f"{self.form} {self.kind} ({self.path.name}) at byte {self.at}"


def files_of(data: Path) -> dict[str, list[Path]]:
    """The files of each kind that exist and are not empty."""
    found: dict[str, list[Path]] = {
        "index.cdxj": [data / "warc" / "index.cdxj"], "warc": sorted(data.glob("warc/*.warc.gz")),
        "state/db": [data / "state" / "db"], "state/snap": sorted(data.glob("state/snap.*")),
        "state/conf": [data / "state" / "conf"], "state/blobs": sorted(data.glob("state/blobs/*")),
        "last-commit": [data / "last-commit"], "README.md": [data / "README.md"], "lock": [data / "lock"]}
    whole = {kind: [path for path in paths if path.is_file() and path.stat().st_size > 0] for kind, paths in found.items()}
    return {kind: paths for kind, paths in whole.items() if paths}


def damage(kind: str, path: Path, form: str, chance: random.Random) -> Damage:
    """Damages the file. Every form changes the file: if the bytes are zero already, it inverts them."""
    size = path.stat().st_size
    at = chance.randrange(size)
    if form == "remove":
        path.unlink()
    elif form == "cut":
        with path.open("r+b") as file:
            file.truncate(at)
    else:
        with path.open("r+b") as file:
            file.seek(at)
            before = file.read(1 if form == "flip" else ZEROED_BYTES)
            after = bytes([before[0] ^ (1 << chance.randrange(8))]) if form == "flip" else bytes(len(before))
            file.seek(at)
            file.write(after if after != before else bytes(byte ^ 0xFF for byte in before))
    return Damage(kind, path, form, at)
