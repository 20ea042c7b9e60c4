"""Programs of the system, installed from Debian's packages where missing."""
from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from .problem import Problem

# Not on an ordinary user's PATH, yet where servers lie.
SYSTEM_FOLDERS = "/usr/local/sbin:/usr/sbin:/sbin"
INSTALL_TIMEOUT_SECONDS = 300


def find_program(name: str) -> str | None:
    """The path of a program, or `None`."""
    return shutil.which(name) or shutil.which(name, path=SYSTEM_FOLDERS)


def require_program(name: str, package: str) -> str:
    """The path of a program, after `apt-get install package` where it is missing."""
    found = find_program(name)
    if found is None:
        apt_get_install(package)
        found = find_program(name)
    if found is None:
        raise Problem(f"the package {package} is installed, but there is no {name} in it")
    return found


def apt_get_install(*packages: str) -> None:
    """Installs Debian packages, as root or through sudo."""
    names = " ".join(packages)
    apt_get = shutil.which("apt-get")
    if apt_get is None:
        raise Problem(f"there is no apt-get here: install by hand what is missing: {names}")
    prefix = [] if os.geteuid() == 0 else ["sudo", "--non-interactive"]
    if prefix and shutil.which("sudo") is None:
        raise Problem(f"missing; as root: apt-get install {names}")
    # RUNLEVEL=1 keeps the package's own service from starting where no systemd runs.
    environment = ["env", "DEBIAN_FRONTEND=noninteractive", "RUNLEVEL=1"]
    print(f"installing {names} …", flush=True)
    for arguments in (["update"], ["install", "--yes", "--no-install-recommends", *packages]):
        run_or_fail([*prefix, *environment, apt_get, "-qq", *arguments], timeout=INSTALL_TIMEOUT_SECONDS)


def run_or_fail(command: list[str], timeout: float, cwd: Path | None = None) -> str:
    """Runs a command to its end and returns what it printed; a failure is a `Problem` that quotes its last lines."""
    try:
        done = subprocess.run(command, cwd=cwd, timeout=timeout, text=True, errors="replace",
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except subprocess.TimeoutExpired as late:
        raise Problem(f"no end after {timeout:.0f} s: {' '.join(command)}") from late
    except OSError as error:
        raise Problem(f"cannot run {command[0]}: {error}") from error
    if done.returncode != 0:
        last_lines = "\n".join(done.stdout.strip().splitlines()[-15:])
        raise Problem(f"exit code {done.returncode}: {' '.join(command)}\n{last_lines}")
    return done.stdout
