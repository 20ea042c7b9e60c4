//! The end of a run's revisits: those that still wait end without an answer.

use std::collections::HashSet;
use std::time::SystemTime;

use storage::{Outcome, Store, Visit};

use super::SLICE;
use crate::clock::unix_millis;
use crate::revisits::PRIORITY_VISIT;
use crate::watch;
use error::RunError;

/// Ends the revisits that wait in the queue, such as those of hosts that were given up. The pages are due again at the next
/// refresh.
pub(super) fn end_visits(store: &mut Store) -> Result<(), RunError> {
    let at = unix_millis(SystemTime::now());
    let hosts = store.hosts().with_queue();
    let hosts = hosts.filter(|row| row.as_ref().map_or(true, |(_, counts)| counts.due > 0));
    for (host, _) in hosts.collect::<Result<Vec<_>, _>>()? {
        end_visits_to(store, &host, at)?;
    }
    Ok(())
}

/// Ends the revisits of one host. It does not read the new URLs, which come before the revisits in the queue.
fn end_visits_to(store: &mut Store, host: &str, at: u64) -> Result<(), RunError> {
    let mut from = (PRIORITY_VISIT, 0, 0);
    loop {
        watch::beat();
        let waiting = store.refill_behind(host, Some(from), SLICE, &HashSet::new())?;
        let Some(last) = waiting.last() else { return Ok(()) };
        from = (last.priority, last.depth, last.seq);
        for queued in waiting.iter().filter(|queued| queued.revisits.is_some()) {
            let outcome = Outcome::Visited {
                visit: Visit::Unanswered,
                at,
                wire_bytes: 0,
                capture: None,
            };
            store.finish(queued, outcome, &[])?;
        }
    }
}
