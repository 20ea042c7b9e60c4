"""Other work of the machine."""
from __future__ import annotations

import os
import subprocess
import sys
from types import TracebackType

LOOPS_PER_CORE = 2
LOOP = "import os\nparent = os.getppid()\nwhile os.getppid() == parent:\n    for _ in range(1_000_000): pass"


class Busy:
    """Loops that compute while the block runs, two for each core. They end with this process, also when it is killed."""

    def __init__(self, loops_per_core: int = LOOPS_PER_CORE) -> None:
        self._count = loops_per_core * (os.cpu_count() or 1)
        self._loops: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Busy:
        self._loops = [subprocess.Popen([sys.executable, "-c", LOOP], stdin=subprocess.DEVNULL) for _ in range(self._count)]
        return self

    def __exit__(self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None) -> None:
        for loop in self._loops:
            loop.kill()
        for loop in self._loops:
            loop.wait()
