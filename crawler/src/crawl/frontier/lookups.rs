//! Looks up the name of each host before the first request to it.
//!
//! Hosts at one address share a gate, so the frontier must know the address of a host before the first request. A host whose turn has
//! come waits here for its address, without a ticket and without a connection. The request then connects only to the addresses of the
//! answer.

use std::collections::{HashSet, VecDeque};
use std::time::Duration;

use web::fetch::Route;
use web::politeness::{AddressKey, Now};

use super::Frontier;
use super::state::LineEvent;

/// Bound on the look-ups that run at one time. The system needs a thread and up to two open files for each.
pub const MAX_LOOKUPS: usize = 32;

/// Time for which the crawler uses the answer to a look-up. The system does not report the lifetime that the name server sets. Servers
/// that move often set minutes.
pub(super) const ADDRESS_LIFE: Duration = Duration::from_secs(15 * 60);

/// The hosts that wait for the look-up of their names.
#[derive(Debug, Default)]
pub(super) struct Lookups {
    /// In the order of their turns.
    waiting: VecDeque<String>,
    running: usize,
}

impl Lookups {
    pub fn wait(&mut self, host: &str) {
        self.waiting.push_back(host.to_owned());
    }

    /// The host for the next look-up; `None` if no host waits, or if the number of running look-ups has reached its bound.
    pub fn begin(&mut self) -> Option<String> {
        if self.running >= MAX_LOOKUPS {
            return None;
        }
        let host = self.waiting.pop_front()?;
        self.running += 1;
        Some(host)
    }

    /// A look-up that has begun is not made.
    pub fn end(&mut self) {
        self.running -= 1;
    }

    /// Takes hosts out of the line.
    pub fn forget(&mut self, hosts: &HashSet<String>) {
        self.waiting.retain(|name| !hosts.contains(name));
    }

    pub fn are_running(&self) -> bool {
        self.running > 0
    }
}

impl Frontier {
    /// Handles the answer to a look-up.
    pub(super) fn looked_up(&mut self, name: &str, route: Route, now: Now) {
        self.lookups.end();
        if !self.is_in_memory_or_here(name) {
            return;
        }
        let address = route.address();
        let host = self.host(name);
        host.line = host.line.on(LineEvent::LookedUp);
        host.learn_route(route, now + ADDRESS_LIFE);
        if let Some(address) = address {
            self.move_to(name, AddressKey::new(address, name), now);
        }
        self.schedule(name, now);
    }
}
