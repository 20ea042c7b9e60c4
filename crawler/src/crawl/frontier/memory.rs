//! What outlives a run: how each host was treated last, as the store keeps it, and which hosts a run left alone.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use storage::{HostState, stored_text};
use web::politeness::{AddressKey, GateMemory, Now};

use super::Frontier;
use crate::crawl::messages::GivenUp;

/// Milliseconds since the Unix epoch.
pub(super) fn unix_ms(time: SystemTime) -> u64 {
    let since_epoch = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX)
}

impl Frontier {
    /// Goes on with how an earlier run treated the host.
    pub fn restore(&mut self, name: &str, state: &HostState) {
        let memory = GateMemory {
            asked_at: None,
            rests_until: self.since_start(state.rests_until),
            failures: state.failures,
            crawl_delay: Duration::from_millis(state.crawl_delay_ms).min(self.rules.politeness.max_crawl_delay),
            latency: state.latency_ms.map(Duration::from_millis),
            slowed: Duration::from_millis(state.slowed_ms),
        };
        // A clock that was put back since is no reason to wait longer than for a host that was asked just now.
        let ago = Duration::from_millis(self.started_at.saturating_sub(state.asked_at));
        let host = self.host(name);
        host.gate.remember(&memory);
        host.asked_before = state.asked_at;
        host.is_stored = true;
        host.last_failure.clone_from(&state.last_failure);
        if let Some(address) = state.address {
            host.remote = Some(address);
            host.address = Some(AddressKey::new(address, name));
        }
        let is_known = !self.after_interruption;
        self.was_asked(name, if is_known { ago } else { Duration::ZERO });
    }

    /// The last run was killed: it may have asked any host a moment ago without leaving a trace. To be said before any
    /// host is added.
    pub fn was_interrupted(&mut self) {
        self.after_interruption = true;
    }

    pub(super) fn was_asked(&mut self, name: &str, ago: Duration) {
        let host = self.host(name);
        host.gate.was_asked(ago);
        if let Some(key) = host.address {
            self.addresses.was_asked(key, ago);
        }
    }

    /// Whether there is something to save.
    #[must_use]
    pub fn has_unsaved(&self) -> bool {
        !self.unsaved.is_empty()
    }

    /// How the hosts are treated whose treatment has changed since this was last asked.
    pub fn take_unsaved(&mut self) -> Vec<(String, HostState)> {
        let names = std::mem::take(&mut self.unsaved);
        names
            .into_iter()
            .map(|name| {
                let state = self.state_of(&name);
                (name, state)
            })
            .collect()
    }

    pub(super) fn mark_unsaved(&mut self, name: &str) {
        let host = self.host(name);
        if !host.is_unsaved {
            host.is_unsaved = true;
            self.unsaved.push(name.to_owned());
        }
    }

    fn state_of(&mut self, name: &str) -> HostState {
        let started_at = self.started_at;
        let wall = |now| wall(started_at, now);
        let host = self.host(name);
        host.is_unsaved = false;
        let memory = host.gate.memory();
        let closed = host
            .closed()
            .min()
            .map(|(origin, reason)| format!("{origin}: {reason}"));
        HostState {
            asked_at: memory.asked_at.map_or(host.asked_before, wall),
            rests_until: if memory.rests_until > Now::ZERO {
                wall(memory.rests_until)
            } else {
                0
            },
            failures: memory.failures,
            retired: host.gate.is_retired() || host.is_closed(),
            last_failure: closed
                .as_ref()
                .or(host.last_failure.as_ref())
                .map(|text| stored_text(text)),
            address: host.remote,
            crawl_delay_ms: millis(memory.crawl_delay),
            latency_ms: memory.latency.map(millis),
            slowed_ms: millis(memory.slowed),
        }
    }

    /// Hosts that this run left alone: given up, or asleep because they asked for a long rest.
    #[must_use]
    pub fn given_up(&self) -> Vec<GivenUp> {
        let now = self.clock.now();
        let mut retired = Vec::new();
        for (name, host) in &self.hosts {
            let snoozes_until = host.gate.snoozes_until(now).filter(|_| host.has_work(true));
            if host.gate.is_retired() || snoozes_until.is_some() {
                retired.push(GivenUp {
                    host: name.clone(),
                    last_failure: host.last_failure.clone().unwrap_or_default(),
                    rests_until: snoozes_until.map(|until| wall(self.started_at, until)),
                });
            }
            retired.extend(host.closed().map(|(origin, reason)| GivenUp {
                host: origin.to_owned(),
                last_failure: reason.to_owned(),
                rests_until: None,
            }));
        }
        retired.sort();
        retired
    }

    /// A time of the wall clock as time since the run began; zero for the past.
    pub(super) fn since_start(&self, unix_ms: u64) -> Now {
        Duration::from_millis(unix_ms.saturating_sub(self.started_at))
    }
}

/// A time of the run on the wall clock, Unix ms: never before the true one, though the run began within a millisecond.
fn wall(started_at: u64, now: Now) -> u64 {
    started_at.saturating_add(millis(now)).saturating_add(1)
}

fn millis(time: Duration) -> u64 {
    // Rounded up: a moment late is polite.
    u64::try_from(time.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX)
}
