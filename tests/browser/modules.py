"""Modules of Node.js: those that drive the browser, and those of other folders."""
from __future__ import annotations

import shutil
from pathlib import Path

from public_tools import environment
from real_site.programs import require_program, run_or_fail

BROWSER = environment.ROOT / "tests" / "browser"
INSTALL_TIMEOUT_SECONDS = 300


def installed(source: Path = BROWSER) -> Path:
    """The folder with the modules of Node.js, at the versions of the lock file in `source`."""
    npm = require_program("npm", "npm")
    target = environment.target() / source.name
    names = ("package.json", "package-lock.json", ".npmrc")
    stamp = target / "node_modules" / "installed-lock.json"
    if not stamp.exists() or stamp.read_text() != (source / "package-lock.json").read_text():
        print(f"installing the modules into {target} …", flush=True)
        target.mkdir(parents=True, exist_ok=True)
        for name in names:
            shutil.copy(source / name, target / name)
        run_or_fail([npm, "ci", "--silent"], timeout=INSTALL_TIMEOUT_SECONDS, cwd=target)
        shutil.copy(source / "package-lock.json", stamp)
    return target
