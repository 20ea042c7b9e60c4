"""The Dockerfile: its stages, and their steps in the root of a fresh Debian."""
from __future__ import annotations

import json
import os
import re
import shutil
import signal
from dataclasses import dataclass, field
from pathlib import Path

from fleet_tools.redis_servers import wait_until
from fleet_tools.server import Server
from real_site.crawler import Running
from real_site.problem import Bars

from .fleet import STOPPED_IN_ORDER, VARIABLES
from .root import first_process, root_of, started
from .services import Service
from .site import GATED_PAGE, Site

CONTINUED = re.compile(r"\\\n")
FROM = re.compile(r"(\S+)(?: AS (\w+))?")
DEFAULT = "the last stage"
RUN_SECONDS, START_SECONDS = 300, 60


@dataclass
class Stage:
    """What the lines of a stage say, those of the stages below it included."""

    base: str
    steps: list[tuple[str, str]] = field(default_factory=list)

    def last(self, instruction: str) -> str:
        """The value in force of an instruction."""
        return [value for name, value in self.steps if name == instruction][-1]

    @property
    def entry_point(self) -> list[str]:
        """The command before the arguments of a container."""
        return list(json.loads(self.last("ENTRYPOINT")))


def stages_of(path: Path) -> dict[str, Stage]:
    """The stages by their names; that of the last one is `DEFAULT`."""
    lines = "\n".join(line for line in path.read_text().splitlines() if not line.startswith("#"))
    stages: dict[str, Stage] = {}
    stage = None
    for line in CONTINUED.sub("", lines).splitlines():
        instruction, _, value = line.strip().partition(" ")
        if instruction == "FROM":
            found = FROM.fullmatch(value)
            assert found is not None, line
            below = stages.get(found[1])
            stage = Stage(below.base, list(below.steps)) if below else Stage(found[1])
            stages[found[2] or DEFAULT] = stage
        elif instruction and stage is not None:
            stage.steps.append((instruction, " ".join(value.split())))
    return stages


class Image:
    """The root that the steps of a stage make."""

    def __init__(self, stage: Stage, binary: Path, folder: Path) -> None:
        self._stage = stage
        self._folder = folder
        folder.mkdir()
        self._root = root_of(stage.base, [value for name, value in stage.steps if name == "RUN"])
        copied = self._root / stage.last("COPY").split()[-1].lstrip("/") / "crawler"
        copied.unlink(missing_ok=True)
        shutil.copy(binary, copied)
        # A new volume begins as the folder of the image.
        self._volume = folder / "volume"
        shutil.copytree(self._root / "data", self._volume)
        owner = (self._root / "data").stat()
        os.chown(self._volume, owner.st_uid, owner.st_gid)

    def cannot_run(self) -> str | None:
        """Why the program that was given does not run in the image, although one that the image's own build makes would."""
        code, said = self._run(["--version"])
        return f"the program was built for a newer Debian: {said[-1]}" if code != 0 and "GLIBC_" in "".join(said) else None

    def check(self, bars: Bars, worker: Service, site: Site) -> None:
        """What people do with the image."""
        code, said = self._run(["demo"])
        bars.check("crawler demo, as its user, with a root that cannot be written to", code == 0, f"exit code {code}", said)
        # The option comes last, and so after the whole command of the file.
        code, said = self._run(["--help"], worker.command)
        made = (self._volume / "worker-1").is_dir()
        bars.check("the entry point of a worker in compose.yaml", code == 0 and made, f"exit code {code}", said)
        self._stop(bars, site)

    def _stop(self, bars: Bars, site: Site) -> None:
        """The crawler is process 1, for which a signal without a handler has no effect."""
        with Server(site.answer, site.hold) as server:
            site.port = server.port
            command = [*self._stage.entry_point, "run", "--max-duration", f"{RUN_SECONDS}s", site.seeds[0]]
            with self._started(command, VARIABLES | {"CRAWLER_IDENTITY_CONTACT_URL": "https://example.org/alone"}) as running:
                wait_until(lambda: any(request.path == f"/{GATED_PAGE}" for request in server.requests), START_SECONDS,
                           f"the crawl does not begin: {running.last_lines()}")
                os.kill(first_process(running), signal.SIGTERM)
                ended = running.wait()
        bars.check("SIGTERM to process 1 ends a run in order", ended.code == STOPPED_IN_ORDER, f"exit code {ended.code}",
                   running.last_lines().splitlines())
        folder = self._volume / "data"
        owners = {path.lstat().st_uid for path in folder.rglob("*")}
        user = int(self._stage.last("USER").partition(":")[0])
        bars.check("the crawl is in the volume, and belongs to the user of the image", owners == {user}, owners)

    def render(self, bars: Bars) -> None:
        """A page whose text comes from a script, read by the browser of the image inside of its own sandbox."""
        words = " ".join(f"rendered{number}" for number in range(60))
        page = f"<!doctype html><title>t</title><main></main><script>document.querySelector('main').textContent = '{words}'</script>".encode()
        with Server(lambda _host, path: (200, page, "text/html") if path == "/" else (404, b"", "text/plain")) as server:
            variables = VARIABLES | {"CRAWLER_RENDER_MODE": "always", "CRAWLER_IDENTITY_CONTACT_URL": "https://example.org/alone"}
            with self._started([*self._stage.entry_point, "run", f"http://127.0.0.2:{server.port}/"], variables) as running:
                ended = running.wait()
        bars.check("a crawl with render.mode", ended.code == 0, f"exit code {ended.code}", running.last_lines().splitlines())
        code, said = self._run(["export", "--format", "text", "--output", "text"])
        bars.check("the text of the script is there", code == 0 and "rendered59" in (self._volume / "text").read_text(), f"exit code {code}", said)

    def _run(self, arguments: list[str], command: list[str] | None = None) -> tuple[int, list[str]]:
        with self._started([*(command or self._stage.entry_point), *arguments], {}) as running:
            return running.wait().code, running.last_lines().splitlines()

    def _started(self, command: list[str], variables: dict[str, str]) -> Running:
        return started(self._root, self._volume, self._stage.last("USER"), self._stage.last("WORKDIR"), command, variables,
                       self._folder / "image.log", RUN_SECONDS)
