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

/// Bound on the look-ups of new names that run at one time. A page may name hosts whose name servers never answer; the names of seeds, and
/// names that showed a new page, have places that such names cannot take.
pub(super) const MAX_NEW_LOOKUPS: usize = MAX_LOOKUPS / 2;

/// The hosts that wait for the look-up of their names.
#[derive(Debug, Default)]
pub(super) struct Lookups {
    /// Hosts of seeds, and hosts that showed a new page, in the order of their turns. They go first.
    wanted: VecDeque<String>,
    /// The others.
    new: VecDeque<String>,
    running: usize,
    /// Those of `new` that run.
    new_running: HashSet<String>,
}

impl Lookups {
    pub fn wait(&mut self, host: &str, is_wanted: bool) {
        let line = if is_wanted { &mut self.wanted } else { &mut self.new };
        line.push_back(host.to_owned());
    }

    /// The host for the next look-up among those that `may` have one; `None` if none of them waits, or if the number of running look-ups has
    /// reached its bound.
    pub fn begin(&mut self, may: impl Fn(&str) -> bool) -> Option<String> {
        if self.running >= MAX_LOOKUPS {
            return None;
        }
        let first = |line: &mut VecDeque<String>| {
            let at = line.iter().position(|name| may(name))?;
            line.remove(at)
        };
        let wanted = first(&mut self.wanted);
        let host = wanted.or_else(|| {
            let has_place = self.new_running.len() < MAX_NEW_LOOKUPS;
            let new = if has_place { first(&mut self.new) } else { None }?;
            self.new_running.insert(new.clone());
            Some(new)
        })?;
        self.running += 1;
        Some(host)
    }

    /// A look-up that has begun has ended, or is not made.
    pub fn end(&mut self, host: &str) {
        self.running -= 1;
        self.new_running.remove(host);
    }

    /// Takes hosts out of the lines.
    pub fn forget(&mut self, hosts: &HashSet<String>) {
        self.wanted.retain(|name| !hosts.contains(name));
        self.new.retain(|name| !hosts.contains(name));
    }

    pub fn are_running(&self) -> bool {
        self.running > 0
    }
}

impl Frontier {
    /// The host whose name is to be looked up next. In a pause, only a host of which a page in the browser waits for an answer has its turn.
    pub(super) fn begin_look_up(&mut self, now: Now) -> Option<String> {
        loop {
            let (is_paused, hosts) = (self.is_paused(), &self.hosts);
            let may = |name: &str| !is_paused || hosts.get(name).is_some_and(|host| host.has_subrequest());
            let name = self.lookups.begin(may)?;
            let group = self.host(&name).group;
            if self.groups.permit(group, now).is_some() {
                return Some(name);
            }
            self.lookups.end(&name);
            self.await_permit(&name);
        }
    }

    /// A look-up has its answer.
    pub(super) fn on_looked_up(&mut self, name: &str, route: Route, now: Now) {
        self.lookups.end(name);
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
