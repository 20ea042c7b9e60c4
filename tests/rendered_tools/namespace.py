"""A network of its own for a script: a device `lo` with addresses of both kinds, and a name server that changes its mind."""
from __future__ import annotations

import os
import socket
import struct
import sys
import tempfile
import threading
from pathlib import Path

from real_site.problem import Problem
from real_site.programs import require_program, run_or_fail

MARK = "WALLS_NAMESPACE"
PUBLIC = "192.88.99.1"
"""An address that counts as public, of a block that nobody uses any more (RFC 7526)."""
INSIDE = "127.0.0.1"
REBINDING = "rebinding.test"
NAMES = {"site.test": PUBLIC, "inside.test": INSIDE, "prefetched.test": PUBLIC, "preconnected.test": PUBLIC}
COMMAND_TIMEOUT_SECONDS = 30


def enter() -> None:
    """Starts this script again in new network and mount namespaces; returns where it is there. Needs root."""
    if os.environ.get(MARK):
        return
    if os.geteuid() != 0:
        raise Problem("a network of its own needs root: start this script as root")
    unshare = require_program("unshare", "util-linux")
    require_program("ip", "iproute2")
    os.environ[MARK] = "1"
    os.execv(unshare, [unshare, "--net", "--mount", sys.executable, *sys.argv])


def prepare() -> None:
    """Brings `lo` up with the public address, and makes the name server below the only one."""
    ip = require_program("ip", "iproute2")
    run_or_fail([ip, "link", "set", "lo", "up"], timeout=COMMAND_TIMEOUT_SECONDS)
    run_or_fail([ip, "address", "add", f"{PUBLIC}/32", "dev", "lo"], timeout=COMMAND_TIMEOUT_SECONDS)
    for path, content in (("/etc/resolv.conf", f"nameserver {INSIDE}\noptions timeout:1 attempts:1\n"),
                          ("/etc/hosts", f"{INSIDE} localhost\n::1 localhost\n"), ("/etc/nsswitch.conf", "hosts: files dns\n")):
        with tempfile.NamedTemporaryFile("w", delete=False, prefix="namespace-") as file:
            file.write(content)
        os.chmod(file.name, 0o644)
        # The mount is in the namespace of this script alone, and goes with it.
        run_or_fail(["mount", "--bind", file.name, path], timeout=COMMAND_TIMEOUT_SECONDS)
        Path(file.name).unlink()


class NameServer:
    """Answers for `NAMES`, logs each name, and gives `REBINDING` a public address first and then one inside, in turn."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self._turn = 0
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind((INSIDE, 53))
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        while True:
            question, sender = self._socket.recvfrom(4_096)
            if len(question) > 12:
                self._socket.sendto(self._answer(question), sender)

    def _answer(self, question: bytes) -> bytes:
        """A response by RFC 1035, section 4.1."""
        labels, at = [], 12
        while question[at]:
            labels.append(question[at + 1:at + 1 + question[at]].decode("ascii", "replace"))
            at += 1 + question[at]
        name, kind = ".".join(labels).lower(), struct.unpack(">H", question[at + 1:at + 3])[0]
        self.asked.append(name)
        address = NAMES.get(name) if kind == 1 else None
        if name == REBINDING and kind == 1:
            address = (PUBLIC, INSIDE)[self._turn % 2]
            self._turn += 1
        is_known = name in NAMES or name == REBINDING
        head = question[:2] + struct.pack(">HHHHH", 0x8180 if is_known else 0x8183, 1, 1 if address else 0, 0, 0)
        record = b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 0, 4) + socket.inet_aton(address) if address else b""
        return head + question[12:at + 5] + record


class Witness:
    """Listens where nobody may connect, and counts what comes."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        first = socket.create_server((INSIDE, 0))
        self.port: int = first.getsockname()[1]
        other = socket.create_server(("::1", self.port), family=socket.AF_INET6)
        datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        datagrams.bind((INSIDE, self.port))
        for listener in (first, other):
            threading.Thread(target=self._accept, args=(listener,), daemon=True).start()
        threading.Thread(target=self._receive, args=(datagrams,), daemon=True).start()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            connection, _ = listener.accept()
            with connection:
                connection.settimeout(2)
                try:
                    head = connection.recv(200)
                except OSError:
                    head = b""
                self.seen.append(head.decode("ascii", "replace").split("\r\n")[0] or "a connection without a request")

    def _receive(self, datagrams: socket.socket) -> None:
        while True:
            datagrams.recv(2_000)
            self.seen.append("a datagram")
