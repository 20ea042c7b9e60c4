"""A web server for every address of 127.0.0.0/8. It logs each request from its start to its end."""
from __future__ import annotations

import asyncio
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType

from public_tools.loopback import listen_on_every_address

WORKER = re.compile(r"(?im)^user-agent:.*/(alone|worker-\d+)\b")
HOST = re.compile(r"(?im)^host:[ \t]*([^\r\n:]+)")
OK, NOT_FOUND = 200, 404
REASONS = {OK: "OK", NOT_FOUND: "Not Found"}
HEAD_END = b"\r\n\r\n"


@dataclass
class Request:
    """One request, by the monotonic clock of the server."""

    host: str
    path: str
    """As sent, with the query."""
    worker: str
    """Who asked, from the User-Agent header."""
    began: float
    """When its head had arrived: never earlier than the worker sent it."""
    ended: float | None = None
    """Just before the answer was sent, or when the connection was lost; `None` while it is open."""
    status: int = 0
    """0 until it is answered."""

    @property
    def url_path(self) -> tuple[str, str]:
        """What was asked for."""
        return self.host, self.path


# Status, body and media type of a path at a host.
Answer = Callable[[str, str], tuple[int, bytes, str]]
# Seconds that an answer still waits; asked again after them.
Hold = Callable[[Request], float]


class Server:
    """Serves while the `with` block lasts, in a thread of its own."""

    def __init__(self, answer: Answer, hold: Hold = lambda _request: 0.0) -> None:
        self.requests: list[Request] = []
        self.answer = answer
        self.hold = hold
        self.faults: list[str] = []
        self._listener = listen_on_every_address()
        self.port: int = self._listener.getsockname()[1]
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Server:
        self._thread.start()
        return self

    def __exit__(self, _kind: type[BaseException] | None, _error: BaseException | None,
                 _trace: TracebackType | None) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._listener.close()

    def taken(self) -> list[Request]:
        """The requests since the last call."""
        requests, self.requests = self.requests, []
        return requests

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._loop.create_server(lambda: _Connection(self), sock=self._listener, backlog=4_096))
        self._loop.run_forever()


class _Connection(asyncio.Protocol):
    """One connection, kept open; its requests are answered in order."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._loop = asyncio.get_event_loop()
        self._arrived = b""
        self._open: Request | None = None
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._arrived += data
        self._next()

    def connection_lost(self, _error: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._open is not None:
            self._open.ended = time.monotonic()
            self._open = None

    def _next(self) -> None:
        if self._open is not None or HEAD_END not in self._arrived:
            return
        head, _, self._arrived = self._arrived.partition(HEAD_END)
        text = head.decode("latin-1")
        host, worker = HOST.search(text), WORKER.search(text)
        if host is None or worker is None:
            self._server.faults.append(f"a request without a host or a worker: {text!r}")
            self._transport.close()
            return
        self._open = Request(host[1], text.split(" ", 2)[1], worker[1], time.monotonic())
        self._server.requests.append(self._open)
        self._answer()

    def _answer(self) -> None:
        request = self._open
        assert request is not None
        wait = self._server.hold(request)
        if wait > 0:
            self._timer = self._loop.call_later(wait, self._answer)
            return
        status, body, kind = self._server.answer(request.host, request.path)
        request.ended, request.status = time.monotonic(), status
        self._open = None
        self._transport.write(f"HTTP/1.1 {status} {REASONS[status]}\r\nContent-Type: {kind}\r\n"
                              f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
        self._next()
