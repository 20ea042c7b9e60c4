"""What stops a script before it can measure anything, and the bars it measures against.

Exit codes of every script: 0 every bar passed, 1 a bar was missed, 2 nothing could be measured, 130 Ctrl-C.
"""
from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterable
from types import FrameType
from typing import NoReturn

SHOWN = 10


class Problem(Exception):
    """Nothing could be measured: says what is missing or went wrong and what to do."""


class Bars:
    """The demands of a script; each is printed as it is checked, and one miss fails the whole."""

    def __init__(self) -> None:
        self.missed: list[str] = []

    def check(self, name: str, passed: bool, figure: object, details: Iterable[object] = ()) -> None:
        """Prints `figure` (and, on a miss, the first `details`) and remembers a miss."""
        print(f"  {'pass' if passed else 'MISS'}  {name}: {figure}", flush=True)
        if passed:
            return
        self.missed.append(name)
        details = list(details)
        for detail in details[:SHOWN]:
            print(f"          {detail}")
        if len(details) > SHOWN:
            print(f"          … and {len(details) - SHOWN} more")

    def exit_code(self) -> int:
        """Prints the outcome: 0 when nothing was missed, else 1."""
        print(f"\nmissed: {', '.join(self.missed)}" if self.missed else "\nevery bar passed")
        return 1 if self.missed else 0


def run_script(script: Callable[[], int]) -> NoReturn:
    """Runs `script` so that Ctrl-C and SIGTERM unwind it (servers stop, folders go) and a `Problem` reads as one line."""
    signal.signal(signal.SIGTERM, _terminated)
    try:
        code = script()
    except Problem as problem:
        print(f"{sys.argv[0]}: {problem}", file=sys.stderr)
        code = 2
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        code = 130
    sys.exit(code)


def _terminated(number: int, _frame: FrameType | None) -> NoReturn:
    sys.exit(128 + number)
