"""What pywb, with our index and with its own, and wabac.js show of archives of this crawler."""
from __future__ import annotations

import base64
import http.server
import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from functools import partial
from pathlib import Path

from browser import modules
from public_tools.environment import tool
from public_tools.loopback import free_port, serving
from real_site.problem import Bars, Problem
from real_site.programs import require_program, run_or_fail

from .site import PAGES

TIMEOUT_SECONDS = 120
START_SECONDS = 60
WABAC = Path(__file__).resolve().parent / "wabac"
WITHOUT_BODY = {"/near", "/same-text"}
"""What an archive of differences has no bytes of."""

Answers = Callable[[list[str]], dict[str, tuple[int, bytes]]]
"""Status and body of the newest capture of each URL, as archived."""


def check(archives: dict[str, Path], origin: str, folder: Path, bars: Bars) -> None:
    """All ways of replay on the archives of crawls of the site, by their values of `storage.duplicates`."""
    wayback = folder / "wayback"
    wayback.mkdir()
    for duplicates, data in archives.items():
        collect(wayback, duplicates, data)
    port = free_port()
    with (wayback / "log").open("w") as log:
        server = subprocess.Popen([tool("wayback"), "--bind", "127.0.0.1", "--port", str(port)], cwd=wayback,
                                  stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            wait_for(port, server, wayback / "log")
            for duplicates, data in archives.items():
                ways: dict[str, Answers] = {
                    "pywb with our index": partial(by_pywb, port, f"{duplicates}-ours"),
                    "pywb with its own index": partial(by_pywb, port, f"{duplicates}-added"),
                    "wabac.js": partial(by_wabac, data),
                }
                for way, answers in ways.items():
                    check_way(f"{duplicates}: {way}", answers, WITHOUT_BODY if duplicates == "difference" else set(), origin, bars)
        finally:
            server.terminate()
            server.wait(timeout=START_SECONDS)


def check_way(way: str, answers: Answers, missing: set[str], origin: str, bars: Bars) -> None:
    """It shows every page of the site as served, and says of the `missing` ones that they are not there."""
    shown = answers([origin + path for path in PAGES])
    wrong = []
    for path, page in PAGES.items():
        status, body = shown[origin + path]
        if path in missing and status != 404 or path not in missing and (status, body) != (200, page.body):
            wrong.append(f"{path}: {status}, {len(body)} bytes, {body[:60]!r}")
    bars.check(f"{way} shows {len(PAGES) - len(missing)} of {len(PAGES)} pages, and none in place of another", not wrong,
               "yes" if not wrong else f"{len(wrong)} wrong", wrong)


def collect(wayback: Path, name: str, data: Path) -> None:
    """Makes two collections of the archive: one with our index, and one as the tool of pywb makes it of WARC files."""
    files = sorted((data / "warc").glob("*.warc.gz"))
    collection = wayback / "collections" / f"{name}-ours"
    (collection / "archive").mkdir(parents=True)
    (collection / "indexes").mkdir()
    for path in files:
        shutil.copy(path, collection / "archive")
    shutil.copy(data / "warc" / "index.cdxj", collection / "indexes" / "index.cdxj")
    for arguments in (["init", f"{name}-added"], ["add", f"{name}-added", *map(str, files)]):
        run_or_fail([tool("wb-manager"), *arguments], timeout=TIMEOUT_SECONDS, cwd=wayback)


def wait_for(port: int, server: subprocess.Popen[bytes], log: Path) -> None:
    """Until the server takes connections."""
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and server.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)
    raise Problem(f"pywb does not start:\n{log.read_text()[-2000:]}")


def by_pywb(port: int, collection: str, urls: list[str]) -> dict[str, tuple[int, bytes]]:
    """By a collection of the server, with its modifier `id_`."""
    answers = {}
    for url in urls:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/{collection}/id_/{url}", timeout=TIMEOUT_SECONDS) as answer:
                answers[url] = (answer.status, answer.read())
        except urllib.error.HTTPError as error:
            answers[url] = (error.code, error.read())
    return answers


def by_wabac(data: Path, urls: list[str]) -> dict[str, tuple[int, bytes]]:
    """By the library of replayweb.page, which reads the WARC file itself."""
    node, folder = require_program("node", "nodejs"), modules.installed(WABAC)
    shutil.copy(WABAC / "replay.mjs", folder)
    [path] = (data / "warc").glob("*.warc.gz")
    archive = path.read_bytes()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(archive)))
            self.end_headers()
            self.wfile.write(archive)

        def log_message(self, *_arguments: object) -> None:
            pass

    with serving(Handler) as origin:
        told = subprocess.run([node, "replay.mjs", f"{origin}/{path.name}"], cwd=folder, input="\n".join(urls), text=True,
                              capture_output=True, timeout=TIMEOUT_SECONDS)
    if told.returncode:
        raise Problem(f"wabac.js cannot open the archive:\n{told.stderr[-2000:]}")
    lines = [json.loads(line) for line in told.stdout.splitlines()]
    return {line["url"]: (line["status"], base64.b64decode(line["body"])) for line in lines}
