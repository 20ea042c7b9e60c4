"""The site on loopback: as its frameworks serve it, or every route as a static page. It logs each request."""
from __future__ import annotations

import http.client
import http.server
import json
import mimetypes
import re
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from public_tools.loopback import listen_on_every_address
from real_site.problem import Problem
from real_site.programs import require_program

from . import static
from .areas import CALENDAR
from .routes import Needs, Route

HOST = "127.0.0.1"
SHELLS = {"react": "dist/index.html", "vue": "dist/index.html", "svelte": "build/200.html", "angular": "dist/index.html"}
"""What the server of an area answers for each path that is no file."""
DATA_SECONDS = 0.03
"""How long an answer with data takes."""
FORBIDDEN = "/private/"
"""The folder that robots.txt excludes."""


@dataclass(frozen=True)
class Asked:
    """A request."""

    at: float
    host: str
    method: str
    path: str
    agent: str

    @property
    def is_document(self) -> bool:
        """Whether it is for a page and not for a part of one."""
        return not re.search(r"\.(js|css|json|gif|png|ico|txt|xml)$|/data/|/pieces/|^/collect", self.path.split("?")[0])


@dataclass
class Answer:
    """What the server sends."""

    body: bytes
    content_type: str = "text/html; charset=utf-8"
    status: int = 200
    location: str | None = None


class Site:
    """Serves while the block runs. `is_static` serves each route as a page without scripts."""

    def __init__(self, routes: dict[str, Route], built: Path, is_static: bool = False) -> None:
        self.routes = routes
        self.built = built
        self.is_static = is_static
        self.asked: list[Asked] = []
        self._lock = threading.Lock()
        self._stream: subprocess.Popen[str] | None = None
        self._stream_port = 0
        self._server = _server(self)
        self.port: int = self._server.server_address[1]
        self.origin = f"http://{HOST}:{self.port}"
        self._thread = threading.Thread(target=self._server.serve_forever)

    def __enter__(self) -> Site:
        if not self.is_static:
            command = [require_program("node", "nodejs"), str(self.built / "stream/dist/server/server.js"), str(self.built / "content/stream.json")]
            self._stream = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            said = self._stream.stdout.readline() if self._stream.stdout else ""
            if not said.strip().isdigit():
                raise Problem(f"the server of streams did not start: {said!r}")
            self._stream_port = int(said)
        self._thread.start()
        return self

    def __exit__(self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        if self._stream:
            self._stream.kill()
            self._stream.communicate()

    def note(self, asked: Asked) -> None:
        """Adds a request to the log."""
        with self._lock:
            self.asked.append(asked)

    def answer(self, path: str, host: str) -> Answer | None:
        """What the server sends; `None` for what the server of streams sends."""
        plain = path.split("?")[0]
        area, rest = (plain.split("/", 2) + ["", ""])[1:3]
        if plain == "/robots.txt":
            return Answer(f"User-agent: *\nDisallow: {FORBIDDEN}\nSitemap: http://{host}/sitemap.xml\n".encode(), "text/plain")
        if plain == "/sitemap.xml":
            return Answer(self._sitemap(host), "application/xml")
        if plain == "/counter.js":
            return Answer(b"document.cookie = 'counted=1'; navigator.sendBeacon && navigator.sendBeacon('/collect', 'seen');", "text/javascript")
        if plain == "/visitors.json":
            return Answer(b'{"count": 17}', "application/json")
        if plain == "/collect":
            return Answer(b"", "text/plain", 204)
        route = self.routes.get(path)
        if self.is_static:
            if plain.startswith(CALENDAR):
                route = static.month(plain)
            return Answer(static.page(route, with_scripts=False).encode()) if route else Answer(b"Not found", "text/plain", 404)
        if rest.startswith("data/"):
            return self._data(f"/{area}/{rest.removeprefix('data/').removesuffix('.json')}".removesuffix("index"))
        if area == "legacy":
            return self._legacy(plain, rest, route)
        if route and route.needs is Needs.NOTHING and area != "svelte":
            return Answer(static.page(route).encode())
        if area == "stream" and not rest.startswith("assets/"):
            return None
        return self._file(area, rest)

    def streamed(self, path: str) -> tuple[int, bytes]:
        """The answer of the server of streams."""
        connection = http.client.HTTPConnection(HOST, self._stream_port, timeout=10)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def _data(self, path: str) -> Answer:
        time.sleep(DATA_SECONDS)
        route = self.routes.get(path)
        if route is None:
            return Answer(b'{"error": "not found"}', "application/json", 404)
        return Answer(json.dumps(route.data(), ensure_ascii=False).encode(), "application/json")

    def _legacy(self, plain: str, rest: str, route: Route | None) -> Answer:
        if rest.startswith("pieces/"):
            name = rest.removeprefix("pieces/").removesuffix(".html")
            wanted = self.routes.get("/legacy/router.html" if name == "router" else f"/legacy/item.html?id={name}")
            return Answer(static.article(wanted).encode()) if wanted else Answer(b"Not found", status=404)
        if route and route.needs is Needs.NOTHING:
            return Answer(static.page(route).encode())
        file = self.built / "legacy" / rest
        return _sent(file) if file.is_file() else Answer(b"Not found", "text/plain", 404)

    def _file(self, area: str, rest: str) -> Answer:
        """A file of the build, else its shell."""
        if area == "stream":
            return _sent(self.built / "stream/dist/client" / rest)
        if area not in SHELLS:
            return Answer(b"Not found", "text/plain", 404)
        shell = self.built / area / SHELLS[area]
        for name in (rest, f"{rest}.html"):
            file = (shell.parent / name).resolve()
            if name and file.is_file() and shell.parent.resolve() in file.parents:
                return _sent(file)
        return _sent(shell)

    def _sitemap(self, host: str) -> bytes:
        """What is behind clicks, as the owners of such sites list it."""
        listed = [to for route in self.routes.values() for to, _ in route.clicked]
        urls = "".join(f"<url><loc>http://{host}{to}</loc></url>" for to in listed)
        return f'<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{urls}</urlset>'.encode()


def _sent(file: Path) -> Answer:
    if not file.is_file():
        return Answer(b"Not found", "text/plain", 404)
    kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    return Answer(file.read_bytes(), "text/html; charset=utf-8" if kind == "text/html" else kind)


def _server(site: Site) -> http.server.ThreadingHTTPServer:
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            host = self.headers.get("Host", f"{HOST}:{site.port}")
            site.note(Asked(time.time(), host, self.command, self.path, self.headers.get("User-Agent", "")))
            length = int(self.headers.get("Content-Length") or 0)
            self.rfile.read(length)
            answer = site.answer(self.path, host)
            if answer is None:
                status, body = site.streamed(self.path)
                answer = Answer(body, status=status)
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.content_type)
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(answer.body)

        do_HEAD = do_POST = do_GET

        def log_message(self, *_arguments: object) -> None:
            pass

    class Server(http.server.ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            # A crawler or a browser that is killed leaves its connections.
            if not isinstance(sys.exc_info()[1], ConnectionError):
                super().handle_error(request, client_address)

    server = Server((HOST, 0), Handler, bind_and_activate=False)
    server.socket.close()
    server.socket = listen_on_every_address()
    server.server_address = server.socket.getsockname()
    return server
