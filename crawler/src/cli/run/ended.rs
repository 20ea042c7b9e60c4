//! How a run ended: what the command tells about it, and its exit code.

use std::time::Duration;

use crate::cli::error::Error;
use crawl::failures::{FailedSeeds, FailedSitemaps};
use crawl::messages::Ending;
use crawl::pipeline::Summary;
use crawl::shutdown::SignalCode;
use crawl::stats::{RunLimits, Snapshot, Stats};
use serde::Serialize;
use views::report::Steering;

/// A run that has ended.
#[derive(Debug)]
pub(super) struct Ended {
    pub summary: Summary,
    /// The counts of this run.
    pub run: Snapshot,
    pub failed_seeds: FailedSeeds,
    pub failed_sitemaps: FailedSitemaps,
    /// The URLs that the run holds back, with the reasons.
    pub held_back: Option<Steering>,
    /// The exit code that the signal asks for which ended the run.
    signal: Option<SignalCode>,
    max_duration: Option<Duration>,
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Reason {
    /// Nothing is left to fetch.
    Finished,
    /// `scope.max_pages` are decided.
    PageLimit,
    /// The time of `--max-duration` was up.
    Duration,
    /// The user asked to stop.
    Signal,
    /// `crawler fleet drain` asked the worker to stop.
    Drained,
}

impl Ended {
    pub fn new(
        summary: Summary,
        held_back: Option<Steering>,
        stats: &Stats,
        (signal, limits): (Option<SignalCode>, RunLimits),
    ) -> Self {
        Self {
            max_duration: limits.max_duration,
            summary,
            run: stats.snapshot(),
            failed_seeds: stats.failed_seeds(),
            failed_sitemaps: stats.failed_sitemaps(),
            held_back,
            signal,
        }
    }

    pub fn reason(&self) -> Reason {
        match (self.summary.ending, self.signal) {
            (Ending::Exhausted, _) => Reason::Finished,
            (Ending::PageLimit, _) => Reason::PageLimit,
            (Ending::Stopped, None) if self.max_duration.is_some_and(|most| self.summary.elapsed >= most) => {
                Reason::Duration
            }
            (Ending::Stopped, None) => Reason::Drained,
            (Ending::Stopped, Some(_)) => Reason::Signal,
        }
    }

    /// The result of the command.
    ///
    /// # Errors
    /// The run has no page, or a limit or a signal ended it.
    pub fn result(&self) -> Result<(), Error> {
        match (self.reason(), self.signal) {
            (Reason::Signal, Some(code)) => Err(Error::Signal(code)),
            (Reason::PageLimit | Reason::Duration, _) => Err(Error::Limit),
            (Reason::Drained | Reason::Signal, _) => Ok(()),
            (Reason::Finished, _) => match self.summary.without_page() {
                Some(why) => Err(Error::NoPage(why)),
                None => Ok(()),
            },
        }
    }
}
