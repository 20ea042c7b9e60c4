//! Reads the queues of the own partitions: URLs that other workers found, and those that earlier owners left.

use std::time::Duration;

use fleet::{Epoch, FleetError, Partition};

use super::super::messages::FromDesk;
use super::{Desk, together};

/// Rows that are read at a time.
const ROWS: usize = 500;

/// Queues that are read at a time.
const TOGETHER: usize = 32;

/// Longest time between two looks at the ends of the queues.
const PAUSE: Duration = Duration::from_millis(500);

/// The rest of a queue.
struct Unread {
    partition: Partition,
    /// The lease under which it is read.
    epoch: Epoch,
    from: u64,
}

impl Desk {
    /// Reads the queues, as far as they go, for ever.
    pub(super) async fn read_queues(&self) -> Result<(), FleetError> {
        loop {
            let unread: Vec<Unread> = {
                let state = self.state();
                let position = |partition| state.positions.get(partition).copied();
                let unread = state.ends.iter().filter(|(partition, end)| {
                    state.leases.contains_key(partition)
                        && !state.opening.contains(partition)
                        && !state.leaving.contains(partition)
                        && position(partition).is_none_or(|at| at < **end)
                });
                unread
                    .filter_map(|(partition, _)| {
                        Some(Unread {
                            partition: *partition,
                            epoch: state.leases.get(partition)?.epoch,
                            from: position(partition).unwrap_or_default(),
                        })
                    })
                    .collect()
            };
            for some in unread.chunks(TOGETHER) {
                self.read_some(some).await?;
            }
            if unread.is_empty() {
                // Without news, there may still be a queue that could not be read while its partition came or left.
                let news = tokio::time::timeout(PAUSE, self.arrivals.notified()).await;
                tracing::trace!(is_news = news.is_ok(), "a look at the ends of the queues");
            }
        }
    }

    /// Reads the next rows of some queues.
    async fn read_some(&self, queues: &[Unread]) -> Result<(), FleetError> {
        let calls = queues.iter().map(|queue| {
            self.fleet
                .read_queue(queue.partition, Some(queue.epoch), queue.from, ROWS)
        });
        let Some(slices) = self.answer(together(calls).await).await? else {
            return Ok(());
        };
        let (mut arrived, mut lowered) = (Vec::new(), Vec::new());
        {
            let mut state = self.state();
            for (queue, slice) in queues.iter().zip(slices) {
                // A partition may have been lost and granted anew meanwhile: then its queue is read from the beginning.
                if state
                    .leases
                    .get(&queue.partition)
                    .is_some_and(|lease| lease.epoch == queue.epoch)
                {
                    state.positions.insert(queue.partition, slice.next);
                    state.ends.insert(queue.partition, slice.end);
                }
                arrived.extend(slice.urls);
                lowered.extend(slice.lowered);
            }
        }
        if !arrived.is_empty() {
            let number = self.next_number();
            self.tell(FromDesk::Arrived { urls: arrived, number }).await;
        }
        if !lowered.is_empty() {
            let number = self.next_number();
            self.tell(FromDesk::Lowered { urls: lowered, number }).await;
        }
        Ok(())
    }
}
