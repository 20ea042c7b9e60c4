"""The parts of tests/run: what is run again, and what runs beside what."""
from __future__ import annotations

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from run_tools.jobs import CARGO_TEST, Job
from run_tools.lanes import Lanes

FAILED = """test robots::a_gate ... FAILED

failures:

---- robots::a_gate stdout ----
    left: Some(1)

failures:
    robots::a_gate

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s
"""


class Again(unittest.TestCase):
    def test_only_the_failed_tests_of_cargo_are_run_again(self) -> None:
        job = Job("cargo test", CARGO_TEST)
        self.assertEqual(job.again(FAILED), [*CARGO_TEST, "--", "--exact", "robots::a_gate"])

    def test_without_a_name_everything_is_run_again(self) -> None:
        job = Job("cargo test", CARGO_TEST)
        self.assertEqual(job.again("error: could not compile"), CARGO_TEST)
        self.assertEqual(Job("script", ["script", "--kills", "3"]).again(FAILED), ["script", "--kills", "3"])


class InLanes(unittest.TestCase):
    def test_every_job_runs_once_and_none_beside_one_that_uses_the_same(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            # `mkdir` fails if the folder of another job is there.
            alone = ["sh", "-c", f"mkdir {folder}/held && rmdir {folder}/held"]
            jobs = [Job(f"alone {n}", alone, uses="held") for n in range(8)]
            jobs += [Job("fails", ["false"]), Job("passes", ["true"])]
            with contextlib.redirect_stdout(io.StringIO()):
                outcomes = Lanes(jobs, folder).run(3)
        codes = {outcome.job.name: outcome.code for outcome in outcomes}
        self.assertEqual(codes, {job.name: 1 if job.name == "fails" else 0 for job in jobs})


if __name__ == "__main__":
    unittest.main()
