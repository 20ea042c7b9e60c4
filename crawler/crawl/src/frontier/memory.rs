//! The facts that outlive a run: the latest treatment of each host by politeness, which the store keeps, and the hosts
//! that the run left unfinished.

use std::time::Duration;

use storage::{HostRecord, stored_text};
use web::politeness::{AddressKey, GateMemory, Now};

use super::Frontier;
use super::host::Host;
use super::state::Work;
use crate::messages::{DOCUMENTS_LEFT, GivenUp};

/// Hosts that are saved at a time: after a crash all hosts are to be saved, and there may be a million.
const SAVED_AT_A_TIME: usize = 10_000;

/// The hosts with facts that have changed since they were last saved.
#[derive(Debug, Default)]
pub(super) struct Unsaved {
    names: Vec<String>,
}

impl Unsaved {
    fn take_some(&mut self) -> Vec<String> {
        let rest = self.names.len().saturating_sub(SAVED_AT_A_TIME);
        self.names.split_off(rest)
    }
}

impl Frontier {
    /// Restores the treatment of the host from an earlier run.
    pub fn restore(&mut self, name: &str, state: &HostRecord) {
        let memory = GateMemory {
            asked_at: None,
            rests_until: self.time(Now::ZERO).since_run_start(state.rests_until),
            failures: state.failures,
            crawl_delay: Duration::from_millis(state.crawl_delay_ms).min(self.settings.politeness.max_crawl_delay),
            latency: state.latency_ms.map(Duration::from_millis),
            slowed: Duration::from_millis(state.slowed_ms),
        };
        let ago = Duration::from_millis(self.started_at.saturating_sub(state.asked_at));
        // Another process may have asked the host since this run began. If the clock was put back since, the host waits no longer than one
        // that was asked just now.
        let during_run = self
            .time(Now::ZERO)
            .since_run_start(state.asked_at)
            .min(self.clock.now());
        let host = self.host(name);
        host.gate.remember(&memory);
        host.memory.asked_before = state.asked_at;
        host.memory.may_have_answers = true;
        host.memory.last_failure.clone_from(&state.last_failure);
        if let Some(address) = state.address {
            host.memory.address = Some(address);
            host.address = Some(AddressKey::new(address, name));
        }
        if self.after_interruption {
            self.may_have_been_asked(name);
        } else {
            self.was_asked(name, ago);
        }
        if during_run > Now::ZERO {
            self.was_asked_at(name, during_run);
        }
    }

    /// Notes that the last run was killed. It may have asked any host a moment ago without a record. Call this before
    /// adding any host.
    pub fn was_interrupted(&mut self) {
        self.after_interruption = true;
    }

    /// Treats the host as asked just now, because the run that was killed may have asked it. The store must know it too: this run may end
    /// before it asks the host, and the next one would go by an older time.
    pub(super) fn may_have_been_asked(&mut self, name: &str) {
        self.was_asked(name, Duration::ZERO);
        let started_at = self.started_at;
        self.host(name).memory.asked_before = started_at;
        self.mark_unsaved(name);
    }

    fn was_asked(&mut self, name: &str, ago: Duration) {
        let host = self.host(name);
        host.gate.was_asked(ago);
        if let Some(key) = host.address {
            self.addresses.was_asked(key, ago);
        }
    }

    fn was_asked_at(&mut self, name: &str, at: Now) {
        let host = self.host(name);
        host.gate.was_asked_at(at);
        if let Some(key) = host.address {
            self.addresses.was_asked_at(key, at);
        }
    }

    /// Whether the treatment of a host is unsaved.
    #[must_use]
    pub fn has_unsaved(&self) -> bool {
        !self.unsaved.names.is_empty()
    }

    /// The treatment of hosts whose treatment has changed since they were last taken; at most [`SAVED_AT_A_TIME`] of them.
    pub fn take_unsaved(&mut self) -> Vec<(String, HostRecord)> {
        let names = self.unsaved.take_some();
        names
            .into_iter()
            .map(|name| {
                let state = self.treatment(&name);
                (name, state)
            })
            .collect()
    }

    pub(super) fn mark_unsaved(&mut self, name: &str) {
        let was_unsaved = std::mem::replace(&mut self.host(name).memory.is_unsaved, true);
        if !was_unsaved {
            self.unsaved.names.push(name.to_owned());
        }
    }

    fn treatment(&mut self, name: &str) -> HostRecord {
        let started_at = self.started_at;
        let wall = |now| wall(started_at, now);
        let host = self.host(name);
        host.memory.is_unsaved = false;
        let memory = host.gate.memory();
        let of_origin = host.origins_given_up().min();
        let of_origin = of_origin.map(|(origin, reason)| format!("{origin}: {reason}"));
        let of_documents = host.slow_lanes.as_ref().and_then(|part| part.documents_left());
        let of_documents = of_documents.map(|(_, why)| format!("{DOCUMENTS_LEFT}{why}"));
        HostRecord {
            asked_at: memory.asked_at.map_or(host.memory.asked_before, wall),
            rests_until: if memory.rests_until > Now::ZERO {
                wall(memory.rests_until)
            } else {
                0
            },
            failures: memory.failures,
            retired: host.is_given_up(),
            last_failure: of_origin
                .as_ref()
                .or(of_documents.as_ref())
                .or(host.memory.last_failure.as_ref())
                .map(|text| stored_text(text)),
            address: host.memory.address,
            crawl_delay_ms: millis(memory.crawl_delay),
            latency_ms: memory.latency.map(millis),
            slowed_ms: millis(memory.slowed),
        }
    }

    /// The hosts that this run left unfinished: given up, or resting for longer than the run waited. The number of released hosts among
    /// them has a bound; see [`further_given_up`](Self::further_given_up).
    #[must_use]
    pub fn given_up(&self) -> Vec<GivenUp> {
        let in_memory = self.hosts.iter();
        let in_memory = in_memory.flat_map(|(name, host)| self.left_unfinished(name, host));
        let mut given_up: Vec<GivenUp> = in_memory.chain(self.released.given_up().iter().cloned()).collect();
        given_up.sort();
        given_up
    }

    /// The host if this run leaves it unfinished, and its unfinished origins.
    pub(super) fn left_unfinished(&self, name: &str, host: &Host) -> Vec<GivenUp> {
        let mut left = Vec::new();
        let has_work = host.work(true) != Work::Nothing;
        let rests_until = host.gate.long_rest_until(self.clock.now()).filter(|_| has_work);
        if host.gate.is_given_up() || rests_until.is_some() {
            left.push(GivenUp {
                host: name.to_owned(),
                last_failure: host.memory.last_failure.clone().unwrap_or_default(),
                rests_until: rests_until.map(|until| wall(self.started_at, until)),
                documents: 0,
            });
        }
        // What was given up with its host is named once.
        let origins = host.origins_given_up().filter(|_| !host.gate.is_given_up());
        left.extend(origins.map(|(origin, reason)| GivenUp {
            host: origin.to_owned(),
            last_failure: reason.to_owned(),
            rests_until: None,
            documents: 0,
        }));
        if let Some((documents, why)) = host.slow_lanes.as_ref().and_then(|part| part.documents_left()) {
            left.push(GivenUp {
                host: name.to_owned(),
                last_failure: why.to_owned(),
                rests_until: None,
                documents,
            });
        }
        left
    }
}

/// Converts a time of the run to the wall clock, Unix ms. The start of the run was rounded down, so this adds a
/// millisecond; the result is never before the true time.
fn wall(started_at: u64, now: Now) -> u64 {
    started_at.saturating_add(millis(now)).saturating_add(1)
}

fn millis(time: Duration) -> u64 {
    // Rounded up, because a late request is polite and an early one is not.
    u64::try_from(time.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX)
}
