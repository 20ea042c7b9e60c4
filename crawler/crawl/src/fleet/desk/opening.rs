//! Prepares new partitions for the frontier: how their hosts were treated, and which URLs of the data folder other workers have finished.

use std::collections::HashMap;

use fleet::{FleetError, Partition, UrlHash};
use storage::QueuedUrl;

use super::super::messages::{FromDesk, HostStates};
use super::state::ToOpen;
use super::{Desk, together};

/// Partitions that are prepared together.
const TOGETHER: usize = 64;

impl Desk {
    /// Prepares partitions, for ever.
    pub(super) async fn open_partitions(&self) -> Result<(), FleetError> {
        loop {
            let leases: Vec<ToOpen> = {
                let mut state = self.state();
                let count = state.to_open.len().min(TOGETHER);
                state.to_open.drain(..count).collect()
            };
            if leases.is_empty() {
                self.opening.notified().await;
                continue;
            }
            let (known, others): (Vec<ToOpen>, Vec<ToOpen>) = leases.into_iter().partition(|open| open.is_known);
            if !known.is_empty() {
                let known = known.into_iter().map(|open| open.partition).collect();
                self.came(known, Vec::new()).await;
            }
            if others.is_empty() {
                continue;
            }
            let (partitions, states) = loop {
                let asked: Vec<Partition> = others
                    .iter()
                    .filter(|open| open.has_hosts)
                    .map(|open| open.partition)
                    .collect();
                let calls = asked.iter().map(|partition| self.fleet.host_states(*partition));
                if let Some(states) = self.answer(together(calls).await).await? {
                    break (
                        others.into_iter().map(|open| open.partition),
                        asked.into_iter().zip(states),
                    );
                }
            };
            let mut states: HashMap<Partition, HostStates> = states.collect();
            let granted = partitions
                .map(|partition| (partition, states.remove(&partition).unwrap_or_default()))
                .collect();
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
        let (number, is_last) = {
            let mut state = self.state();
            for partition in &partitions {
                state.is_open(*partition);
            }
            state.number += 1;
            (state.number, state.opening.is_empty())
        };
        self.tell(FromDesk::Came {
            partitions,
            done,
            number,
        })
        .await;
        self.arrivals.notify_one();
        if is_last {
            self.remember();
        }
    }
}
