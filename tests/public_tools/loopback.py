"""Web servers on loopback: for as long as a block runs, and listeners on all of its addresses."""
from __future__ import annotations

import http.server
import resource
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def serving(handler: type[http.server.BaseHTTPRequestHandler]) -> Iterator[str]:
    """Serves by `handler` at a free port while the block runs; gives the origin."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def serving_html(body_of: Callable[[str], bytes | None]) -> Iterator[str]:
    """Serves the page that `body_of` a path with its query is, 404 where there is none; gives the origin."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            body = body_of(self.path)
            self.send_response(200 if body is not None else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, *_arguments: object) -> None:
            pass

    with serving(Handler) as origin:
        yield origin


def listen_on_every_address() -> socket.socket:
    """A listener at a free port of every address of 127.0.0.0/8, and of no other device."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"lo\0")
    listener.bind(("0.0.0.0", 0))
    listener.listen(4_096)
    return listener


def loopback_hosts(count: int) -> list[str]:
    """Addresses of 127.0.0.0/8, each of which is a host: none is 127.0.0.1."""
    return [f"127.{1 + number // 62_500}.{number // 250 % 250}.{1 + number % 250}" for number in range(count)]


def free_port(below: int = 65_536) -> int:
    """A port of 127.0.0.1 that nobody listens on now."""
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
        if port < below:
            return port
