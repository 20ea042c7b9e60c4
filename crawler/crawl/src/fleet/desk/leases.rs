//! Takes, renews and gives back partitions, and says with each beat how this worker is doing.

use std::sync::PoisonError;
use std::time::{Duration, Instant};

use fleet::{Epoch, FleetError, Grant, LeaseState, Partition, Pulse, WorkerReport};
use web::politeness::Now;

use super::super::messages::FromDesk;
use super::super::ownership::{Ownership, Pause};
use super::state::State;
use super::{Call, Desk};
use crate::messages::{Event, GroupEvent};

/// A lease is renewed after this part of it: two renewals in a row may fail.
const RENEWED_AFTER: u32 = 3;

/// The same while the worker has nothing to do, so that it soon learns of work, and of the end.
const RENEWED_AFTER_IDLE: u32 = 12;

/// The partitions are checked after so many times of a lease, and after so many while the worker has nothing to do.
const CHECKED_AFTER: u32 = 8;
const CHECKED_AFTER_IDLE: u32 = 1;

/// How long a worker that joins waits for the end of the log before its first beat.
const FIRST_READING: Duration = Duration::from_millis(500);

/// Shortest time between two renewals.
const LEAST: Duration = Duration::from_millis(50);

impl Desk {
    /// Keeps the leases until the whole fleet is done.
    pub(super) async fn keep_leases(&self) -> Result<(), FleetError> {
        let mut is_told = false;
        self.prove_store().await?;
        self.catch_up().await;
        loop {
            let asked = self.ownership.now();
            let Some(pulse) = self.beat().await? else {
                self.show();
                continue;
            };
            self.stats.worker().stands(|standing| {
                standing.workers = pulse.live.into();
                standing.is_unprotected = pulse.unprotected;
            });
            // Before the first partitions come, so that no request goes out by the worker's own values.
            self.take_changes(&pulse).await?;
            self.renewed(asked, &pulse).await;
            let waits = self.waits_for_folders(&pulse).await;
            if pulse.drain && !is_told {
                tracing::info!("the fleet is drained: this worker ends what is under way, and stops");
                let _is_running = self.events.send(Event::Stop).await;
                is_told = true;
            }
            if self.ownership.pause(Pause::Order, pulse.pause) {
                tracing::info!(
                    "{}",
                    if pulse.pause {
                        "the fleet is paused: this worker makes no requests until `crawler fleet resume`"
                    } else {
                        "the fleet goes on"
                    }
                );
            }
            if pulse.finished && !is_told {
                self.tell_frontier(GroupEvent::Done).await;
                is_told = true;
            }
            let catches_up = self.state().catches_up();
            if is_told || waits || self.has_failed() {
                // Until all folders are brought back, nobody knows which URLs are finished.
            } else if catches_up {
                self.reclaim().await?;
            } else {
                self.balance(pulse.share).await?;
            }
            self.check(asked).await?;
            self.show();
            self.rest().await;
        }
    }

    /// Waits until the leases are to be renewed: sooner when the worker has nothing to do, also when it had something to do until now. The end of
    /// the crawl is proved by what all workers say after they have ended.
    async fn rest(&self) {
        let step = (self.fleet.lease() / RENEWED_AFTER_IDLE).max(LEAST);
        let until = tokio::time::Instant::now() + self.fleet.lease() / RENEWED_AFTER;
        loop {
            tokio::time::sleep(step).await;
            if tokio::time::Instant::now() + step / 2 > until || self.is_idle() || self.takes_no_share() {
                return;
            }
        }
    }

    /// Looks, before the worker has hosts, whether its object store is that of the others. If the store does not answer now, the first segment that
    /// this worker writes waits for it. A worker with another store, or one that the store refuses, leaves at once.
    async fn prove_store(&self) -> Result<(), FleetError> {
        let at_most = self.fleet.lease() / RENEWED_AFTER;
        match tokio::time::timeout(at_most, self.fleet.prove_shared()).await {
            Ok(Err(error @ (FleetError::OtherStore { .. } | FleetError::StoreRefuses { .. }))) => {
                if let Err(error) = self.fleet.leave().await {
                    tracing::debug!(%error, "the others learn of the end of this worker when its lease has run out");
                }
                Err(error)
            }
            Ok(Err(error)) => {
                tracing::debug!(%error, "whether the object store is that of the other workers is not known yet");
                Ok(())
            }
            Ok(Ok(())) | Err(_) => Ok(()),
        }
    }

    /// Waits a moment for the first reading of the log: the log of a new crawl is read at once, and the worker then begins with its share.
    async fn catch_up(&self) {
        let until = tokio::time::Instant::now() + FIRST_READING;
        while self.state().catches_up() && tokio::time::Instant::now() < until {
            tokio::time::sleep(super::RETRY).await;
        }
    }

    /// The lease of this worker lasts from the time `asked` on.
    async fn renewed(&self, asked: Now, pulse: &Pulse) {
        if pulse.lapsed {
            let all = {
                let mut state = self.state();
                // It may have slept for a day.
                state.has_caught_up = false;
                state.leases.keys().copied().collect()
            };
            self.lost(all).await;
        }
        let mut is_awaited = false;
        {
            let mut state = self.state();
            state.renewed_at = asked;
            let until = Ownership::certain_until(asked, self.fleet.lease());
            for (partition, lease) in &state.leases {
                // A partition that has not left yet has no lease in the table until it has.
                if !state.pending.contains_key(partition) {
                    is_awaited |= self.ownership.hold(*partition, lease.epoch, until);
                }
            }
            for partition in &pulse.news {
                if state.leases.contains_key(partition) {
                    state.ends.insert(*partition, u64::MAX);
                }
            }
        }
        if !pulse.news.is_empty() {
            self.arrivals.notify_one();
        }
        if is_awaited {
            self.tell_frontier(GroupEvent::Renewed).await;
        }
    }

    /// Whether this worker has nothing to do, nothing to say, and nothing to read.
    fn is_idle(&self) -> bool {
        let state = self.state();
        self.sign.shows(state.number) && self.sign.letters() == 0 && state.is_quiet() && self.sign.shows(state.number)
    }

    async fn beat(&self) -> Result<Option<Pulse>, FleetError> {
        let snapshot = self.stats.snapshot();
        let rates = {
            let mut trend = self.trend.lock().unwrap_or_else(PoisonError::into_inner);
            trend.look(Instant::now(), &snapshot)
        };
        self.log_state();
        let catches_up = self.takes_no_share();
        let (applied, changes) = {
            let state = self.state();
            (state.applied.unwrap_or_default(), state.changes)
        };
        let report = WorkerReport {
            idle: self.is_idle(),
            catches_up,
            note: self.note(catches_up),
            queued: snapshot.counts.queued,
            kept: snapshot.counts.kept,
            duplicates: snapshot.counts.dropped(),
            hosts: snapshot.standing.waiting(),
            outbox: self.sign.letters(),
            requests_per_second: rates.requests as f32,
            pages_per_second: rates.pages as f32,
            failed: snapshot.counts.failed,
            applied,
            changes,
            ..WorkerReport::default()
        };
        self.answer_to(Call::Beat, self.fleet.heartbeat(&report).await).await
    }

    /// Whether this worker takes no share of the partitions yet.
    fn takes_no_share(&self) -> bool {
        let mut state = self.state();
        state.catches_up() || state.waits_for_folders()
    }

    /// What the reader of the status should know.
    fn note(&self, catches_up: bool) -> String {
        let of_store = self.store.note();
        let note = if self.ownership.is_paused_for(Pause::Order) {
            "paused"
        } else if self.state().brings_back {
            "brings back what its data folder knows"
        } else if !self.state().awaited.is_empty() {
            "waits for the data folders of other workers"
        } else if !of_store.is_empty() {
            of_store
        } else if catches_up {
            "reads the log before it takes new hosts"
        } else if self.ownership.is_paused_for(Pause::Log) {
            "waits until the fleet has decided on the pages in the log"
        } else {
            ""
        };
        note.to_owned()
    }

    /// Takes partitions up to the share, or gives back those above it.
    async fn balance(&self, share: usize) -> Result<(), FleetError> {
        let held = self.ownership.held();
        // They may be above the share for a moment.
        let wanted = self.wanted();
        let at_most = share.saturating_sub(self.state().leases.len()).max(wanted.len());
        if at_most > 0 {
            let grants = self.fleet.acquire(at_most, &wanted).await;
            self.take(grants).await?;
        } else if held.len() > share {
            let above: Vec<Partition> = held.into_iter().rev().take(self.held_above(share)).collect();
            self.give_back(above).await;
        }
        Ok(())
    }

    /// Takes back the partitions of the last run. A worker that still reads the log takes no others: it could not decide on their pages yet.
    async fn reclaim(&self) -> Result<(), FleetError> {
        let wanted = self.wanted();
        if !wanted.is_empty() {
            let grants = self.fleet.reclaim(&wanted).await;
            self.take(grants).await?;
        }
        Ok(())
    }

    /// The partitions of the last run, as long as this run has asked for none. Letters of the last run may be about these, and count only if no
    /// other worker has had the partition since.
    fn wanted(&self) -> Vec<Partition> {
        if self.state().has_asked {
            return Vec::new();
        }
        let membership = self
            .membership
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        membership.partitions.clone()
    }

    fn held_above(&self, share: usize) -> usize {
        self.ownership.held().len().saturating_sub(share)
    }

    async fn take(&self, grants: Result<Vec<Grant>, FleetError>) -> Result<(), FleetError> {
        let Some(grants) = self.answer(grants).await? else {
            return Ok(());
        };
        self.state().has_asked = true;
        if grants.is_empty() {
            return Ok(());
        }
        for grant in grants {
            let mut state = self.state();
            state.grant(&grant);
            if state.leaving.contains(&grant.partition) {
                state.pending.insert(grant.partition, grant);
            } else {
                self.begin_to_open(&mut state, grant);
            }
        }
        self.opening.notify_one();
        self.remember();
        Ok(())
    }

    /// Takes a partition. The recorder then prepares it for the frontier.
    fn begin_to_open(&self, state: &mut State, grant: Grant) {
        let until = Ownership::certain_until(state.renewed_at, self.fleet.lease());
        self.ownership.inherits(grant.partition, grant.inherits);
        self.ownership.hold(grant.partition, grant.epoch, until);
        state.open(&grant);
    }

    async fn give_back(&self, partitions: Vec<Partition>) {
        let partitions: Vec<Partition> = {
            let mut state = self.state();
            // The recorder still prepares a partition that is opening.
            let ready = |partition: &Partition| !state.opening.contains(partition);
            let ready: Vec<Partition> = partitions.into_iter().filter(ready).collect();
            state.leaving.extend(&ready);
            ready
        };
        if partitions.is_empty() {
            return;
        }
        for partition in &partitions {
            self.ownership.release(*partition);
        }
        self.tell(FromDesk::Go(partitions)).await;
    }

    /// Asks now and then whether the partitions are still this worker's. A write finds that out at once; this is for hosts of which
    /// nothing is written, after a server has lost their rows.
    async fn check(&self, now: Now) -> Result<(), FleetError> {
        let leases = if self.is_idle() {
            CHECKED_AFTER_IDLE
        } else {
            CHECKED_AFTER
        };
        let held: Vec<(Partition, Epoch)> = {
            let state = self.state();
            if now < state.checked_at + self.fleet.lease() * leases {
                return Ok(());
            }
            state
                .leases
                .iter()
                .map(|(partition, lease)| (*partition, lease.epoch))
                .collect()
        };
        let Some(states) = self.answer(self.fleet.check_leases(&held).await).await? else {
            return Ok(());
        };
        let mut lost = Vec::new();
        {
            let mut state = self.state();
            state.checked_at = now;
            for (found, (partition, epoch)) in states.into_iter().zip(held) {
                // It may have been released and granted again meanwhile.
                if state.leases.get(&partition).is_none_or(|lease| lease.epoch != epoch) {
                    continue;
                }
                match found {
                    LeaseState::Held { queue_end } => {
                        state.ends.insert(partition, queue_end);
                    }
                    LeaseState::Lost => lost.push(partition),
                }
            }
        }
        self.arrivals.notify_one();
        self.lost(lost).await;
        Ok(())
    }

    /// Notes that other workers have partitions of this one.
    pub(super) async fn lost(&self, lost: Vec<Partition>) {
        if lost.is_empty() {
            return;
        }
        tracing::info!(
            partitions = lost.len(),
            "leases lost: other workers ask these hosts now"
        );
        let mut go = Vec::new();
        {
            let mut state = self.state();
            for partition in lost {
                state.leases.remove(&partition);
                state.pending.remove(&partition);
                self.ownership.lose(partition);
                if state.leaving.insert(partition) {
                    go.push(partition);
                }
            }
        }
        self.remember();
        if !go.is_empty() {
            self.tell(FromDesk::Go(go)).await;
        }
    }

    /// Gives back the partitions that the frontier has left and about which all letters have arrived.
    pub(super) async fn give_back_left(&self) -> Result<(), FleetError> {
        let released: Vec<(Partition, Epoch)> = {
            let mut state = self.state();
            let mut released = Vec::new();
            while let Some((partition, _)) = state.left.front().copied().filter(|(_, after)| *after <= state.sent) {
                state.left.pop_front();
                state.leaving.remove(&partition);
                if let Some(grant) = state.pending.remove(&partition) {
                    self.begin_to_open(&mut state, grant);
                } else if let Some(lease) = state.leases.remove(&partition) {
                    self.ownership.lose(partition);
                    released.push((partition, lease.epoch));
                }
            }
            released
        };
        self.opening.notify_one();
        if !released.is_empty() {
            while self.answer(self.fleet.release(&released).await).await?.is_none() {}
            self.remember();
        }
        Ok(())
    }

    fn log_state(&self) {
        let state = self.state();
        tracing::debug!(
            leases = state.leases.len(),
            leaving = state.leaving.len(),
            left = state.left.len(),
            pending = state.pending.len(),
            opening = state.opening.len(),
            unread = state.unread(),
            letters = self.sign.letters(),
            number = state.number,
            is_seen = self.sign.shows(state.number),
            is_quiet = state.is_quiet(),
            "the desk"
        );
    }

    /// Shows the figures of this worker in the fleet.
    fn show(&self) {
        let state = self.state();
        let traffic = self.fleet.traffic();
        self.stats.worker().stands(|standing| {
            standing.leases = state.leases.len() as u64;
            standing.letters = self.sign.letters();
            standing.has_kept = state.has_log() || state.has_digests;
            // While nothing is applied, the worker is as late as its run is long.
            standing.log_lag = state
                .log_lag_ms()
                .map_or_else(|| self.ownership.now(), Duration::from_millis);
            standing.commands = traffic.commands;
            standing.bytes = traffic.bytes;
            standing.repeats = traffic.repeats;
        });
    }
}
