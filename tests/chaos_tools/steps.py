"""The steps of an episode, and their random sequence."""
from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from .damage import FORMS, Damage, damage, files_of
from .model import NOTHING, Answers, Finding, Model, demand, largest_file
from .program import Ended, Program, Signals
from .site import Site

# A run of these sites takes about a second.
LONGEST_DELAY_SECONDS = 1.5
STEPS_AN_EPISODE = 6, 18
RUNS_TO_THE_END = 8
KIB = 1024
DISK_BYTES = 256 << 20
LEAST_ROOM, MOST_ROOM = 16 * KIB, 2048 * KIB
CONFIGURATION = """\
[identity]
contact_url = "https://example.org/crawler"

[politeness]
delay_ms = 0
parallel_per_host = {parallel}
parallel_per_address = {parallel}
max_retries = 1
retry_delay_ms = 20
max_wait_ms = 2000
latency_factor = 0.0

[steering]
enabled = {steering}

[refresh]
min_interval = "0s"
first_interval = "0s"

[fetch]
parallel = 16
connect_timeout_ms = 500
timeout_ms = 1500
max_body_bytes = 300000
allow_private_addresses = true

[dedup]
max_distance = {distance}
min_similarity = {similarity}

[storage]
warc_file_bytes = {warc_bytes}
commit_interval_ms = {commit_ms}
"""


class Episode:
    """One site, one crawl of it, and a random sequence of steps."""

    def __init__(self, binary: Path, folder: Path, seed: int) -> None:
        self.chance = random.Random(seed)
        self.site = Site(self.chance)
        self.program = Program(binary, folder)
        self.model = Model(self.program, self.site)
        self.codes = self.program.documented_codes()
        self.done: list[str] = []
        self.has_steering = self.chance.random() < 0.5
        self.is_mounted = False

    def run(self) -> None:
        """Does all steps, and checks after each. A `Finding` ends the episode."""
        with self.site.serving(), self._disk():
            self._write_files()
            for _ in range(self.chance.randrange(*STEPS_AN_EPISODE)):
                names, weights = zip(*((name, weight) for name, (weight, _) in STEPS.items()))
                name = self.chance.choices(names, weights)[0]
                self.done.append(name)
                STEPS[name][1](self)
            self.done.append("to the end")
            self.to_the_end()

    # Runs

    def run_fully(self, *flags: str) -> Ended:
        """Runs to the end, and checks everything that must hold then."""
        ended = self.program.run("run", "--quiet", *flags)
        self.model.check_command(ended, self.codes - {1, 2})
        self._after_run(ended, "--refresh" in flags)
        return ended

    def kill_run(self, *flags: str) -> None:
        """kill -9 at a random instant."""
        self._end_run(flags, ((self._delay(), signal.SIGKILL),), {-9})

    def stop_run(self, *flags: str) -> None:
        """SIGTERM, SIGINT or SIGHUP, and sometimes a second signal."""
        number = self.chance.choice([signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
        plan = [(self._delay(), number)]
        if self.chance.random() < 0.3:
            plan.append((self.chance.uniform(0.0, 0.3), number))
        # Before the program handles signals, a signal ends it at once.
        self._end_run(flags, tuple(plan), {-number, *self.codes} - {1, 2})

    def stop_by_duration(self) -> None:
        """--max-duration."""
        self.run_fully("--max-duration", "1s")

    def refresh(self) -> None:
        """A refresh. Some pages may have changed."""
        self.site.version += self.chance.randrange(2)
        self.run_fully("--refresh")

    def vanish_during_run(self) -> None:
        """The server goes away and comes back."""
        away, back = self._delay(), self.chance.uniform(0.0, 0.5)

        def meanwhile() -> None:
            time.sleep(away)
            self.site.vanish()
            time.sleep(back)
            self.site.appear()

        ended = self.program.run("run", "--quiet", meanwhile=meanwhile)
        self.model.check_command(ended, self.codes - {1, 2})
        self._after_run(ended, False)

    def fill_disk(self, *flags: str) -> None:
        """A run with little space: on a small file system if the user may mount one, else with a limit on the size of files."""
        room = self.chance.randrange(LEAST_ROOM, MOST_ROOM)
        if self.is_mounted and self.chance.random() < 0.7:
            self._resize(shutil.disk_usage(self.program.data).used + room)
            ended = self.program.run("run", "--quiet", *flags)
            self._resize(DISK_BYTES)
        else:
            ended = self.program.run("run", "--quiet", *flags, largest_file=largest_file(self.program.data) + room)
        self.model.check_command(ended, self.codes - {2})
        self._after_run(ended, "--refresh" in flags)

    def run_twice_at_once(self) -> None:
        """A command refuses a folder that another command has locked."""
        other: list[Ended] = []
        second = Program(self.program.binary, self.program.folder / "second")
        second.folder.mkdir(exist_ok=True)
        for name in ("data", "config", "seeds"):
            setattr(second, name, getattr(self.program, name))
        thread = threading.Thread(target=lambda: other.append(second.run(self.chance.choice(["verify", "rebuild", "gc"]), "--quiet")))
        ended = self.program.run("run", "--quiet", meanwhile=thread.start)
        thread.join()
        # The command that starts first locks the folder.
        self.model.check_command(ended, self.codes - {2})
        demand(not other[0].has_panicked and other[0].code in (0, 1), f"beside a run: {other[0]}")
        self._after_run(ended, False, other[0].command.startswith("rebuild") and other[0].code == 0)

    # Other commands

    def rebuild(self, *flags: str) -> None:
        """Rebuilds to the end; with --redecide, all pages get a new verdict."""
        self._rebuild((), *flags)

    def kill_rebuild(self, *flags: str) -> None:
        """kill -9 during a rebuild."""
        self._rebuild(((self.chance.uniform(0.0, 0.3), signal.SIGKILL),), *flags)

    def collect(self, signals: Signals = Signals()) -> None:
        """gc."""
        if not self.model.has_state:
            return
        ended = self.program.run("gc", "--quiet", signals=signals)
        self.model.check_command(ended, {0, -9} if signals.plan else {0})
        self.model.may_leave_folders = ended.code != 0
        self._check_at_rest()

    def kill_collect(self) -> None:
        """kill -9 during gc."""
        self.collect(Signals(((self.chance.uniform(0.0, 0.1), signal.SIGKILL),)))

    def tune(self) -> None:
        """tune --write, with the setting that it recommends or another one."""
        if not self.model.known.pages:
            return
        at = self.chance.choice([(), ("--at", f"{self.chance.randrange(2, 11)},{self.chance.choice([0.7, 0.76, 0.85])}")])
        ended = self.program.run("tune", "--quiet", "--write", *at)
        self.model.check_command(ended, {0})
        self._check_at_rest()

    def read_only_commands(self) -> None:
        """report, export, explain, rules: they change nothing."""
        if not self.model.has_state:
            return
        before = self.model.known
        self.model.check_export()
        for command in (["rules"], ["explain", self.site.seeds[0]], ["export", "--format", "cdxj"], ["report"]):
            ended = self.program.run(*command, "--quiet")
            self.model.check_command(ended, set(range(0, 20)) if command[0] == "explain" else {0})
        demand(self.model.read() == before, "a command that only reads has changed the answers")

    # Damage

    def harm_file(self) -> None:
        """Damages a file: the damage is found or harmless, and a rebuild and a run repair it."""
        if not self.model.known.pages:
            return
        kinds = files_of(self.program.data)
        kind = self.chance.choice(sorted(kinds))
        path = self.chance.choice(kinds[kind])
        done = damage(kind, path, self.chance.choice(FORMS), self.chance)
        self.done[-1] += f" ({done})"
        ended = self.program.run("verify", "--quiet")
        self.model.check_command(ended, {0, 1})
        if ended.code == 0:
            self._check_harmless(done)
            return
        if self.chance.random() < 0.5:
            # Every command on a damaged folder ends regularly.
            command = self.chance.choice([["run"], ["report"], ["export"], ["gc"], ["rebuild", "--redecide"]])
            self.model.check_command(self.program.run(*command, "--quiet"), self.codes - {2})
        self._mend(done)

    def _check_harmless(self, done: Damage) -> None:
        demand(done.kind != "index.cdxj" or not self.model.has_whole_index, f"verify passes {done}")
        demand(self.model.read() == self.model.known, f"verify passes {done}, but the report has changed")
        self.model.check_export()

    def _mend(self, done: Damage) -> None:
        ended = self.program.run("rebuild", "--quiet")
        if ended.code != 0 and not list(self.program.data.glob("warc/*.warc.gz")):
            self._begin_again()
            return
        self.model.check_command(ended, {0})
        # The commands on the damaged folder may have fetched pages.
        self.model.check_requests(may_ask_all=True)
        was_archive = done.kind == "warc"
        self.model.check_answers(may_lose_outcomes=True, may_lose_pages=was_archive, may_decide_again=True)
        self.model.check_sound()
        ended = self.program.run("run", "--quiet")
        self.model.check_command(ended, self.codes - {1, 2})
        if was_archive:
            self.model.scarred |= self.model.asked_since_check()
        self.model.check_requests(may_ask_all=was_archive)
        self.model.has_whole_index = ended.code == 0
        self._check_at_rest(has_ended_well=True)

    def _begin_again(self) -> None:
        """Deletes the data folder, which has no archive any more, and begins a new crawl."""
        for path in self.program.data.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        self.model.known, self.model.has_state = NOTHING, False
        self.model.counted = len(self.site.asked)

    # The end

    def to_the_end(self) -> None:
        """Runs until nothing is queued. Then the crawl has every reachable page."""
        before: Answers | None = None
        for _ in range(RUNS_TO_THE_END):
            self.run_fully()
            if self.model.known.queued == 0 or self.model.known == before:
                break
            before = self.model.known
        self.model.check_export()
        if self.model.known.queued == 0:
            self.model.check_complete()
        elif not self.has_steering:
            raise Finding(f"{self.model.known.queued} URLs are queued after {RUNS_TO_THE_END} runs")

    # Parts

    def _end_run(self, flags: tuple[str, ...], plan: tuple[tuple[float, signal.Signals], ...], codes: set[int]) -> None:
        ended = self.program.run("run", "--quiet", *flags, signals=Signals(plan))
        # The command may have ended before.
        self.model.check_command(ended, codes | {0})
        self._after_run(ended, "--refresh" in flags)

    def _after_run(self, ended: Ended, is_refresh: bool, was_rebuilt: bool = False) -> None:
        self.model.has_state = self.model.has_state or (self.program.data / "last-commit").exists()
        self.model.check_requests(may_ask_all=is_refresh or was_rebuilt)
        # The next run makes the visits of an interrupted refresh.
        self.model.check_answers(may_lose_outcomes=is_refresh or was_rebuilt)
        # A run that was stopped leaves visits to the next one.
        if ended.code == 0 and self.model.known.due == 0:
            self.model.may_ask_again.clear()
        self.model.has_whole_index = ended.code == 0
        if is_refresh:
            self.model.may_ask_again |= self.model.known.finished
        self._check_at_rest(has_ended_well=ended.code == 0)

    def _rebuild(self, plan: tuple[tuple[float, signal.Signals], ...], *flags: str) -> None:
        if not self.model.known.pages:
            return
        ended = self.program.run("rebuild", "--quiet", *flags, signals=Signals(plan))
        self.model.check_command(ended, {0, -9} if plan else {0})
        # The files of a killed rebuild remain until the next gc at the latest.
        self.model.may_leave_folders |= ended.code != 0
        self.model.has_whole_index = ended.code == 0
        self.model.may_ask_again |= self.model.scarred
        self.model.check_answers(may_lose_outcomes=True, may_decide_again=True)
        self._check_at_rest()

    def _check_at_rest(self, has_ended_well: bool = False) -> None:
        self.model.check_requests(may_ask_all=False)
        if not self.model.has_state:
            return
        self.model.check_answers()
        self.model.check_sound()
        if has_ended_well:
            self.model.check_folder()

    def _delay(self) -> float:
        return self.chance.choice([self.chance.uniform(0.0, 0.1), self.chance.uniform(0.0, LONGEST_DELAY_SECONDS)])

    def _write_files(self) -> None:
        self.program.seeds.write_text("".join(f"{seed}\n" for seed in self.site.seeds))
        self.program.config.write_text(CONFIGURATION.format(
            parallel=self.chance.choice([1, 4, 16]), steering=str(self.has_steering).lower(),
            distance=self.chance.choice([3, 7, 10]), similarity=self.chance.choice([0.7, 0.76, 0.8]),
            warc_bytes=self.chance.choice([1, 20_000, 200_000, 1_000_000_000]), commit_ms=self.chance.choice([1, 50, 250])))

    @contextmanager
    def _disk(self) -> Iterator[None]:
        """A separate file system for the data, if this user may mount one."""
        self.program.data.mkdir(parents=True)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", self.program.data],
                                 capture_output=True) if os.geteuid() == 0 else None
        self.is_mounted = mounted is not None and mounted.returncode == 0
        try:
            yield
        except BaseException:
            if self.is_mounted:
                shutil.copytree(self.program.data, self.program.folder / "data-at-the-finding")
            raise
        finally:
            if self.is_mounted:
                subprocess.run(["umount", self.program.data], check=False)

    def _resize(self, size: int) -> None:
        subprocess.run(["mount", "-o", f"remount,size={size}", self.program.data], check=True)


STEPS: dict[str, tuple[int, Callable[[Episode], object]]] = {
    "run": (4, lambda episode: episode.run_fully()),
    "run, killed": (6, Episode.kill_run),
    "run, stopped": (4, Episode.stop_run),
    "run --max-duration": (1, Episode.stop_by_duration),
    "run on a full disk": (3, Episode.fill_disk),
    "run --refresh on a full disk": (1, lambda episode: episode.fill_disk("--refresh")),
    "run, the server vanishes": (2, Episode.vanish_during_run),
    "run beside another command": (1, Episode.run_twice_at_once),
    "run --refresh": (3, Episode.refresh),
    "run --refresh, killed": (3, lambda episode: episode.kill_run("--refresh")),
    "run --refresh, stopped": (1, lambda episode: episode.stop_run("--refresh")),
    "rebuild": (2, Episode.rebuild),
    "rebuild, killed": (2, Episode.kill_rebuild),
    "rebuild --redecide": (2, lambda episode: episode.rebuild("--redecide")),
    "rebuild --redecide, killed": (1, lambda episode: episode.kill_rebuild("--redecide")),
    "gc": (2, Episode.collect),
    "gc, killed": (2, Episode.kill_collect),
    "tune --write": (2, Episode.tune),
    "report, export, explain, rules": (1, Episode.read_only_commands),
    "damage": (4, Episode.harm_file),
}
"""The steps with their weights."""
