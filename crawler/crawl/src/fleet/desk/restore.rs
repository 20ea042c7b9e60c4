//! Brings back what the data folder knows, after the servers have lost the crawl, and keeps account of the workers that were forgotten.
//!
//! ```text
//! recorder ──BringBack──▶ its URLs are on the servers ──IsBack──▶ its kept pages are in the log
//!                                                                        │ so it is for all workers
//!          ◀──AllAreBack─────────────────────────────────────────────────┘
//!          ──Restored──▶ fleet.json: this folder has nothing left to bring back
//! ```
//!
//! Each step may be repeated. A worker that is killed before the last one begins with the first.

use fleet::{Entry, FinishedUrl, FleetError, Partition, Pulse, WaitingUrl, WorkerNumber};
use tokio::sync::oneshot;

use super::super::messages::FromDesk;
use super::{Call, Desk};

impl Desk {
    /// Takes a part of what the folder knows to the servers.
    pub(super) async fn bring_back(
        &self,
        finished: Vec<(Partition, FinishedUrl)>,
        waiting: Vec<(Partition, WaitingUrl)>,
        answer: oneshot::Sender<()>,
    ) -> Result<(), FleetError> {
        let (finished, waiting) = (by_partition(finished), by_partition(waiting));
        while self
            .answer_to(Call::Post, self.fleet.bring_back(&finished).await)
            .await?
            .is_none()
        {}
        while self
            .answer_to(Call::Post, self.fleet.enqueue(&waiting).await)
            .await?
            .is_none()
        {}
        if answer.send(()).is_err() {
            tracing::debug!("the run ended while its folder was brought back");
        }
        Ok(())
    }

    /// The servers have all that the folder knows.
    pub(super) async fn is_back(&self) -> Result<(), FleetError> {
        while self.answer(self.fleet.is_back().await).await?.is_none() {}
        tracing::info!("the servers have what this data folder knows of the crawl");
        self.state().brings_back = false;
        Ok(())
    }

    /// The folder has nothing left to bring back in this life of the crawl.
    pub(super) fn is_restored(&self) {
        self.state().is_restoring = false;
        let life = self.fleet.life();
        self.note_in_folder(|membership| membership.life = life);
    }

    /// Notes what a beat says of the other workers' folders, and tells the recorder when all are brought back. Returns whether no partition
    /// may be taken yet.
    pub(super) async fn waits_for_folders(&self, pulse: &Pulse) -> bool {
        if pulse.last == 0 {
            // It has no answer of the servers: this worker has just joined again.
            return self.state().waits_for_folders();
        }
        self.note_in_folder(|membership| {
            membership.last = pulse.last;
            membership.forgotten.clone_from(&pulse.forgotten);
        });
        let (waits, are_all_back) = {
            let mut state = self.state();
            let is_news = !state.brings_back && !pulse.awaited.is_empty() && state.told_of != pulse.awaited;
            if is_news {
                state.told_of.clone_from(&pulse.awaited);
                let awaited: Vec<String> = pulse.awaited.iter().map(u16::to_string).collect();
                tracing::warn!(
                    workers = awaited.join(","),
                    "the servers of the fleet had lost the crawl; this worker makes no requests until these workers have brought back what their data folders know: start each of them with its folder. If a folder is lost, say so with crawler fleet forget ADDRESS WORKER. If this is the wrong address, stop this worker, and correct the address"
                );
            }
            state.awaited.clone_from(&pulse.awaited);
            state.forgotten.clone_from(&pulse.forgotten);
            let waits = state.waits_for_folders();
            let are_all_back = !waits && std::mem::take(&mut state.awaits_all);
            (waits, are_all_back)
        };
        if are_all_back {
            tracing::info!("the data folders of all workers are brought back; the crawl goes on");
            self.tell(FromDesk::AllAreBack).await;
        }
        waits
    }

    /// Adds an entry to the log for each worker that was forgotten, unless the log has one. Several workers may do so; the first entry counts.
    pub(super) async fn tell_log_of_forgotten(&self) -> Result<(), FleetError> {
        let now = self.ownership.now();
        let workers = self.state().to_forget(now);
        if workers.is_empty() || !self.has_log {
            return Ok(());
        }
        let entries = workers.iter().map(|worker| Entry::that_forgets(WorkerNumber(*worker)));
        let entries: Vec<Entry> = entries.collect();
        if self
            .answer_to(Call::Post, self.fleet.append(&entries).await)
            .await?
            .is_some()
        {
            let mut state = self.state();
            state.told_log.extend(workers.into_iter().map(|worker| (worker, now)));
        }
        Ok(())
    }
}

/// What belongs to each partition.
fn by_partition<T>(all: Vec<(Partition, T)>) -> Vec<(Partition, Vec<T>)> {
    let mut by_partition = std::collections::BTreeMap::<Partition, Vec<T>>::new();
    for (partition, one) in all {
        by_partition.entry(partition).or_default().push(one);
    }
    by_partition.into_iter().collect()
}
