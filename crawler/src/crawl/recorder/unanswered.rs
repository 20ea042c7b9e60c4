//! The end of a run's revisits: those that still wait end without an answer.

use std::collections::HashSet;
use std::time::SystemTime;

use storage::{Outcome, Visit};

use super::{Recorder, SLICE};
use crate::crawl::clock::unix_millis;
use crate::crawl::revisits::PRIORITY_VISIT;
use crate::crawl::watch;
use crate::error::RunError;

impl Recorder {
    /// Ends the revisits that wait, such as those of hosts that were given up. The pages are due again at the next refresh.
    pub(super) fn end_visits(&mut self) -> Result<(), RunError> {
        let at = unix_millis(SystemTime::now());
        self.commit()?;
        let hosts = self.store.hosts().with_queue();
        let hosts = hosts.filter(|row| row.as_ref().map_or(true, |(_, counts)| counts.due > 0));
        for (host, _) in hosts.collect::<Result<Vec<_>, _>>()? {
            self.end_visits_to(&host, at)?;
        }
        self.update_stats();
        Ok(())
    }

    /// Ends the revisits of one host. It does not read the new URLs, which come before the revisits in the queue.
    fn end_visits_to(&mut self, host: &str, at: u64) -> Result<(), RunError> {
        let mut from = (PRIORITY_VISIT, 0, 0);
        loop {
            watch::beat();
            let waiting = self.store.refill_behind(host, Some(from), SLICE, &HashSet::new())?;
            let Some(last) = waiting.last() else { return Ok(()) };
            from = (last.priority, last.depth, last.seq);
            for queued in waiting.iter().filter(|queued| queued.revisits.is_some()) {
                let outcome = Outcome::Visited {
                    visit: Visit::Unanswered,
                    at,
                    wire_bytes: 0,
                    capture: None,
                };
                self.store.finish(queued, outcome, &[])?;
            }
        }
    }
}
