"""A process that sees the root of an image as it would in a container."""
from __future__ import annotations

import hashlib
import re
import shutil
from pathlib import Path

from public_tools.environment import target
from real_site.crawler import Running
from real_site.programs import apt_get_install, find_program, run_or_fail

KEYS = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
IMAGE_OF_DEBIAN = re.compile(r"debian:(\w+)-slim")
ROOT_SECONDS, STEP_SECONDS = 400, 600
PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# The namespaces of a container. The old root is gone afterwards: in a mere chroot, a browser could not make its sandbox.
ENTER = """\
set -e
root=$1 volume=$2 form=$3 folder=$4
shift 4
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/tmp"
[ "$volume" = none ] || mount --bind "$volume" "$root/data"
[ "$form" = writable ] || mount -o remount,bind,ro "$root"
cd "$root"
pivot_root . .
umount -l .
cd "$folder"
exec "$@"
"""


def root_of(image: str, steps: list[str]) -> Path:
    """The root that these steps make of an image of Debian. As in a build of an image, what was made before is not made again."""
    found = IMAGE_OF_DEBIAN.fullmatch(image)
    assert found is not None, image
    made = target() / f"container_tools-{hashlib.sha256(repr((image, steps)).encode()).hexdigest()[:12]}"
    if made.is_dir():
        return made
    print(f"making a root of Debian {found[1]} in {made} …", flush=True)
    # Ubuntu does not have the keys of Debian.
    if find_program("mmdebstrap") is None or not KEYS.exists():
        apt_get_install("mmdebstrap", "debian-archive-keyring")
    half = made.with_name(f"{made.name}.new")
    shutil.rmtree(half, ignore_errors=True)
    run_or_fail(["mmdebstrap", f"--keyring={KEYS}", "--variant=minbase", found[1], str(half)], timeout=ROOT_SECONDS)
    shutil.copy("/etc/resolv.conf", half / "etc" / "resolv.conf")
    for script in steps:
        run_or_fail(_entered(half, None, "writable", "/", ["sh", "-c", script]), timeout=STEP_SECONDS)
    return half.rename(made)


def started(root: Path, volume: Path, user: str, folder: str, command: list[str], variables: dict[str, str], log: Path, timeout: float) -> Running:
    """Starts a command as process 1, as `UID:GID` without any right, with a root that cannot be written to."""
    uid, gid = user.split(":")
    harmless = ["setpriv", f"--reuid={uid}", f"--regid={gid}", "--clear-groups", "--bounding-set=-all", "--no-new-privs"]
    named = [f"{key}={value}" for key, value in variables.items()]
    return Running(_entered(root, volume, "read-only", folder, [*harmless, "env", *named, *command]), log, timeout)


def first_process(running: Running) -> int:
    """The number that the process 1 of a container has outside of it."""
    return int(Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text().split()[0])


def _entered(root: Path, volume: Path | None, form: str, folder: str, command: list[str]) -> list[str]:
    return ["env", "--ignore-environment", PATH, "DEBIAN_FRONTEND=noninteractive", "unshare", "--mount", "--pid", "--ipc", "--uts", "--fork", "--kill-child",
            "sh", "-c", ENTER, "sh", str(root), str(volume or "none"), form, folder, *command]
