//! Releases hosts from memory, and remembers which of them the run does not need again.
//!
//! The frontier releases a host when the host has nothing left to do and its gate would let a request pass. So a released host has no
//! delay that the store does not know. Hosts in a long rest stay in memory and do not count. If the memory is full, names that wait for
//! a trial return to the store, except the first name of each line, so that the names of one domain leave room for the hosts of others.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};

use web::politeness::Now;

use super::Frontier;
use super::host::Host;
use super::state::Line;
use super::trials::PLACES;
use crate::messages::GivenUp;

/// Bound on the released hosts that the summary of the run can name. It counts the others.
const MAX_RELEASED_NAMED: usize = 1_000;

/// Why the run does not load a released host again, although the store has URLs of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Aside {
    GivenUp,
    /// It has as many pages as the run may take of it.
    OverLimit,
    /// All its URLs are held back. A new URL, or a verdict that releases them, ends this.
    HeldBack,
}

/// The released hosts that the run does not need, or no longer needs.
#[derive(Debug, Default)]
pub(super) struct Released {
    /// Hashes of hosts that the run does not load again, although the store has URLs of these hosts.
    aside: HashMap<u64, Aside>,
    key: RandomState,
    /// The hosts that the run gave up, up to a bound, and the number of the others.
    given_up: Vec<GivenUp>,
    further_given_up: u64,
    holds_urls_back: bool,
}

impl Released {
    fn set_aside(&mut self, name: &str, aside: Aside) {
        self.aside.insert(self.key.hash_one(name), aside);
    }

    fn aside(&self, name: &str) -> Option<Aside> {
        if self.aside.is_empty() {
            return None;
        }
        self.aside.get(&self.key.hash_one(name)).copied()
    }

    /// Whether the run does not load the host again for now.
    pub(super) fn is_set_aside(&self, name: &str) -> bool {
        self.aside(name).is_some()
    }

    /// Whether a new URL of the host brings it back. If so, the host is no longer set aside.
    pub(super) fn takes_back(&mut self, name: &str) -> bool {
        match self.aside(name) {
            Some(Aside::GivenUp | Aside::OverLimit) => return false,
            Some(Aside::HeldBack) => {
                self.aside.remove(&self.key.hash_one(name));
            }
            None => {}
        }
        true
    }

    /// Hosts that had all the pages of a host may have more. Returns whether there is one.
    pub(super) fn take_back_over_limit(&mut self) -> bool {
        let before = self.aside.len();
        self.aside.retain(|_, aside| *aside != Aside::OverLimit);
        self.aside.len() < before
    }

    /// The released hosts that the run left unfinished, up to a bound.
    pub(super) fn given_up(&self) -> &[GivenUp] {
        &self.given_up
    }

    /// Whether a released host has URLs that are held back.
    pub(super) fn hold_urls_back(&self) -> bool {
        self.holds_urls_back
    }

    /// Whether the host was given up and then released.
    pub(super) fn was_given_up(&self, name: &str) -> bool {
        self.aside(name) == Some(Aside::GivenUp)
    }

    fn note_given_up(&mut self, host: GivenUp) {
        if self.given_up.len() < MAX_RELEASED_NAMED {
            self.given_up.push(host);
        } else {
            self.further_given_up += 1;
        }
    }
}

impl Frontier {
    /// Releases the hosts that have nothing left to do, and the addresses that no host needs.
    pub(super) fn release_hosts(&mut self, now: Now) {
        let takes_new = self.pages.takes_new();
        let idle = self.hosts.iter().filter(|(_, host)| host.is_idle(takes_new, now));
        let names: Vec<String> = idle.map(|(name, _)| name.clone()).collect();
        for name in names {
            if let Some(host) = self.hosts.remove(&name) {
                self.note_released(name, &host);
            }
        }
        self.release_waiting_names();
        let needed: HashSet<_> = self.hosts.values().filter_map(|host| host.address).collect();
        self.addresses.release(&needed, now);
    }

    /// Releases the hosts whose names wait for a trial, except the first of each line. Another pass brings them back.
    fn release_waiting_names(&mut self) {
        let kept = PLACES.min(self.intake.max_hosts() / 4);
        let hosts = &self.hosts;
        let may_leave = |name: &str| {
            let host = hosts.get(name);
            host.is_none_or(|host| host.line == Line::Trial && host.holds_only_sitemaps())
        };
        for name in self.trials.shorten_lines(kept, may_leave) {
            self.hosts.remove(&name);
            self.intake.note_released(true);
        }
    }

    fn note_released(&mut self, name: String, host: &Host) {
        if !host.is_given_up() && (host.urls == 0 || !self.pages.takes_new()) {
            // A host with new URLs may be needed again.
            return self.intake.note_released(host.urls > 0);
        }
        self.intake.note_released(false);
        self.released.holds_urls_back |= host.queue.holds_back_some();
        let aside = if host.is_given_up() {
            Aside::GivenUp
        } else if host.may_take_page() {
            Aside::HeldBack
        } else {
            Aside::OverLimit
        };
        self.released.set_aside(&name, aside);
        for given_up in self.left_unfinished(&name, host) {
            self.released.note_given_up(given_up);
        }
    }

    /// The number of unfinished hosts that [`given_up`](Self::given_up) does not name.
    #[must_use]
    pub fn further_given_up(&self) -> u64 {
        self.released.further_given_up
    }

    /// Loads a released host again if all its URLs were held back.
    pub(super) fn readmit(&mut self, name: &str) {
        if self.released.aside(name) == Some(Aside::HeldBack) {
            self.leave(name);
        }
    }
}
