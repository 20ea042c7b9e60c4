"""A virtual environment with the tools, made where it is missing or its list has changed."""
from __future__ import annotations

import os
import sys
import venv
from pathlib import Path

from real_site.problem import Problem
from real_site.programs import run_or_fail

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
REQUIREMENTS = HERE / "requirements.txt"
VENV = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).absolute() / "export-tools-venv"
INSTALL_TIMEOUT_SECONDS = 600


def enter() -> None:
    """Starts this script again with the interpreter that has the tools; returns where it is that one already."""
    if Path(sys.prefix).resolve() == VENV.resolve():
        return
    if sys.version_info < (3, 10):
        raise Problem("Python 3.10 or newer is needed")
    python, wanted = VENV / "bin" / "python", REQUIREMENTS.read_text()
    stamp = VENV / "requirements.txt"
    if not stamp.exists() or stamp.read_text() != wanted:
        print(f"installing the tools into {VENV} …", flush=True)
        venv.create(VENV, with_pip=True, clear=True)
        run_or_fail([str(python), "-m", "pip", "install", "--quiet", "-r", str(REQUIREMENTS)],
                    timeout=INSTALL_TIMEOUT_SECONDS)
        stamp.write_text(wanted)
    os.execv(python, [str(python), *sys.argv])
