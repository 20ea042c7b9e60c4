//! Prepares new partitions for the frontier: how their hosts were treated, and which URLs of the data folder other workers have finished.

use fleet::{FleetError, Grant, Partition, UrlHash};
use storage::QueuedUrl;

use super::super::messages::FromDesk;
use super::{Desk, RETRY, together};

/// Partitions that are prepared together.
const TOGETHER: usize = 64;

impl Desk {
    /// Prepares partitions, for ever.
    pub(super) async fn open_partitions(&self) -> Result<(), FleetError> {
        loop {
            let grants: Vec<Grant> = {
                let mut state = self.state();
                let count = state.to_open.len().min(TOGETHER);
                state.to_open.drain(..count).collect()
            };
            if grants.is_empty() {
                tokio::time::sleep(RETRY).await;
                continue;
            }
            let (mine, others): (Vec<Grant>, Vec<Grant>) = grants.into_iter().partition(|grant| grant.was_mine);
            if !mine.is_empty() {
                self.came(mine.iter().map(|grant| grant.partition).collect(), Vec::new())
                    .await;
            }
            if others.is_empty() {
                continue;
            }
            let partitions: Vec<Partition> = others.iter().map(|grant| grant.partition).collect();
            let states = loop {
                let calls = partitions.iter().map(|partition| self.fleet.host_states(*partition));
                if let Some(states) = self.answer(together(calls).await).await? {
                    break states;
                }
            };
            let granted = partitions.into_iter().zip(states).collect();
            self.tell(FromDesk::Granted(granted)).await;
        }
    }

    /// Finds out which URLs of partitions other workers have finished, and gives the partitions to the frontier.
    pub(super) async fn compare(&self, waiting: Vec<(Partition, Vec<QueuedUrl>)>) -> Result<(), FleetError> {
        let partitions = waiting.iter().map(|(partition, _)| *partition).collect();
        let mut done = Vec::new();
        for (partition, queued) in waiting.into_iter().filter(|(_, queued)| !queued.is_empty()) {
            let hashes: Vec<UrlHash> = queued.iter().map(|queued| UrlHash::of(&queued.url)).collect();
            let are_done = loop {
                if let Some(done) = self.answer(self.fleet.done(partition, &hashes).await).await? {
                    break done;
                }
            };
            let finished = queued.into_iter().zip(are_done).filter(|(_, is_done)| *is_done);
            done.extend(finished.map(|(queued, _)| queued));
        }
        self.came(partitions, done).await;
        Ok(())
    }

    /// The frontier gets partitions.
    async fn came(&self, partitions: Vec<Partition>, done: Vec<QueuedUrl>) {
        let number = {
            let mut state = self.state();
            for partition in &partitions {
                state.opening.remove(partition);
            }
            state.number += 1;
            state.number
        };
        self.tell(FromDesk::Came {
            partitions,
            done,
            number,
        })
        .await;
    }
}
