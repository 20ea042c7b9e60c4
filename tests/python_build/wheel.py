"""A wheel of the Python package, built from its source distribution."""
from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path

from public_tools import environment
from real_site.problem import Problem
from real_site.programs import run_or_fail

PACKAGE = environment.ROOT / "python"
TIMEOUT_SECONDS = 3_600


# Instead of `[profile.release]`: half the time of the compiler, and the same results.
QUICKLY = {"CARGO_PROFILE_RELEASE_LTO": "off", "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16", "CARGO_PROFILE_RELEASE_OPT_LEVEL": "1"}


def build(folder: Path, is_measured: bool) -> Path:
    """Builds both into `folder`, optimised as for a release if its speed `is_measured`. The interpreter must have maturin."""
    os.environ["CARGO_TARGET_DIR"] = str(environment.target() / "python")
    if not is_measured:
        os.environ.update(QUICKLY)
    maturin = environment.tool("maturin")
    print("building the source distribution, and a wheel from it …", flush=True)
    run_or_fail([maturin, "sdist", "--manifest-path", str(PACKAGE / "Cargo.toml"), "--out", str(folder)], timeout=TIMEOUT_SECONDS)
    sources = _only(folder.glob("*.tar.gz"))
    os.environ["PATH"] = f"{Path(maturin).parent}{os.pathsep}{os.environ['PATH']}"
    run_or_fail([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-cache-dir", "--no-deps", "--no-build-isolation",
                 "--wheel-dir", str(folder), str(sources)], timeout=TIMEOUT_SECONDS)
    return _only(folder.glob("*.whl"))


def _only(paths: Iterable[Path]) -> Path:
    found = list(paths)
    if len(found) != 1:
        raise Problem(f"one file was to be built, not {len(found)}: {found}")
    return found[0]
