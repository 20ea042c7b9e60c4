"""The modules of Node.js that drive the browser."""
from __future__ import annotations

import os
import shutil
from pathlib import Path

from public_tools import environment
from real_site.programs import require_program, run_or_fail

BROWSER = environment.ROOT / "tests" / "browser"
INSTALL_TIMEOUT_SECONDS = 300


def installed() -> Path:
    """The folder with the modules of Node.js, at the versions of the lock file."""
    npm = require_program("npm", "npm")
    target = Path(os.environ.get("CARGO_TARGET_DIR", environment.ROOT / "target")).absolute() / "browser"
    names = ("package.json", "package-lock.json", ".npmrc")
    stamp = target / "node_modules" / "installed-lock.json"
    if not stamp.exists() or stamp.read_text() != (BROWSER / "package-lock.json").read_text():
        print(f"installing the modules into {target} …", flush=True)
        target.mkdir(parents=True, exist_ok=True)
        for name in names:
            shutil.copy(BROWSER / name, target / name)
        run_or_fail([npm, "ci", "--silent"], timeout=INSTALL_TIMEOUT_SECONDS, cwd=target)
        shutil.copy(BROWSER / "package-lock.json", stamp)
    return target
