"""Builds the areas in target/, each by the ordinary build of its framework. The npm packages have the versions of the lock file."""
from __future__ import annotations

import hashlib
import json
import re
import shutil
from pathlib import Path

from public_tools import environment
from real_site.problem import Problem
from real_site.programs import require_program, run_or_fail

from .routes import Needs, Route

SOURCES = environment.ROOT / "tests" / "rendered_site"
OLDEST_NODE = 20, 19
TIMEOUT_SECONDS = 600
VITE = ["vite", "build", "--logLevel", "warn"]
BUILDS = {
    "react": [VITE],
    "vue": [VITE],
    "svelte": [VITE],
    "angular": [["ng", "build"]],
    "stream": [VITE, [*VITE, "--ssr", "src/server.jsx"]],
}


def built(routes: dict[str, Route]) -> Path:
    """The folder with the built areas. Nothing is installed or built that is there already."""
    node, npm = require_program("node", "nodejs"), require_program("npm", "npm")
    said = run_or_fail([node, "--version"], timeout=TIMEOUT_SECONDS)
    version = re.match(r"v(\d+)\.(\d+)", said)
    if version is None or (int(version[1]), int(version[2])) < OLDEST_NODE:
        raise Problem(f"the frameworks need Node.js {OLDEST_NODE[0]}.{OLDEST_NODE[1]} or newer; this is {said.strip()}")
    target = environment.target() / "rendered_site"
    target.mkdir(parents=True, exist_ok=True)
    install(npm, target)
    content = {route.path: route.data() for route in routes.values()}
    source = sources_digest(json.dumps(content))
    stamp = target / "built.txt"
    if stamp.exists() and stamp.read_text() == source:
        return target
    stamp.unlink(missing_ok=True)
    write_content(target / "content", routes)
    for area in (*BUILDS, "legacy"):
        shutil.rmtree(target / area, ignore_errors=True)
        shutil.copytree(SOURCES / area, target / area, ignore=shutil.ignore_patterns("node_modules", "dist", ".svelte-kit"))
    for area, commands in BUILDS.items():
        for name, *arguments in commands:
            print(f"building {area} …", flush=True)
            program = target / "node_modules" / ".bin" / name
            run_or_fail(["env", "NG_CLI_ANALYTICS=false", "CI=1", str(program), *arguments], timeout=TIMEOUT_SECONDS, cwd=target / area)
    shutil.copy(target / "node_modules" / "jquery" / "dist" / "jquery.min.js", target / "legacy")
    stamp.write_text(source)
    return target


def install(npm: str, target: Path) -> None:
    """The packages of the lock file. No script of a package runs."""
    stamp, lock = target / "node_modules" / "installed-lock.json", SOURCES / "package-lock.json"
    if stamp.exists() and stamp.read_text() == lock.read_text():
        return
    print(f"installing npm packages into {target} …", flush=True)
    for name in ("package.json", "package-lock.json", ".npmrc"):
        shutil.copy(SOURCES / name, target / name)
    run_or_fail([npm, "ci", "--ignore-scripts", "--silent"], timeout=TIMEOUT_SECONDS, cwd=target)
    shutil.copy(lock, stamp)


def sources_digest(content: str) -> str:
    """A digest of all that the builds read."""
    digest = hashlib.sha256(content.encode())
    for path in sorted(SOURCES.rglob("*")):
        if path.is_file() and "node_modules" not in path.parts:
            digest.update(str(path.relative_to(SOURCES)).encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def write_content(folder: Path, routes: dict[str, Route]) -> None:
    """The texts that builds put into their scripts and pages, and those of the server of streams."""
    shutil.rmtree(folder, ignore_errors=True)
    for route in routes.values():
        is_bundled = route.area == "vue" and route.needs is Needs.BROWSER
        if is_bundled or route.area == "svelte" and route.needs is Needs.NOTHING:
            file = folder / f"{route.path.strip('/')}{'/index' if route.path.count('/') == 2 and route.path.endswith('/') else ''}.json"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(route.data(), ensure_ascii=False), encoding="utf-8")
    streamed = {route.path: route.data() for route in routes.values() if route.area == "stream"}
    folder.mkdir(exist_ok=True)
    (folder / "stream.json").write_text(json.dumps(streamed), encoding="utf-8")
