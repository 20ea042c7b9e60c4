"""A virtual environment with the tools, made where it is missing or its list has changed."""
from __future__ import annotations

import os
import sys
import venv
from pathlib import Path

from real_site.problem import Problem
from real_site.programs import run_or_fail

ROOT = Path(__file__).resolve().parent.parent.parent
INSTALL_TIMEOUT_SECONDS = 600


def tool(name: str) -> str:
    """The path of a program of the environment that this script runs in."""
    return str(Path(sys.prefix) / "bin" / name)


def target() -> Path:
    """The folder for everything that is built or installed."""
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).absolute()


def enter(requirements: Path) -> None:
    """Starts this script again with the interpreter that has the tools that the file lists; returns where it is that one."""
    environment = target() / f"{requirements.parent.name}-venv"
    if Path(sys.prefix).resolve() == environment.resolve():
        return
    if sys.version_info < (3, 10):
        raise Problem("Python 3.10 or newer is needed")
    python, wanted = environment / "bin" / "python", requirements.read_text()
    stamp = environment / "requirements.txt"
    if not stamp.exists() or stamp.read_text() != wanted:
        print(f"installing the tools into {environment} …", flush=True)
        venv.create(environment, with_pip=True, clear=True)
        run_or_fail([str(python), "-m", "pip", "install", "--quiet", "-r", str(requirements)],
                    timeout=INSTALL_TIMEOUT_SECONDS)
        stamp.write_text(wanted)
    os.execv(python, [str(python), *sys.argv])
