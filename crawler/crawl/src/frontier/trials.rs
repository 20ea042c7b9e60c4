//! Tries the new names below one registrable domain a few at a time.
//!
//! ```text
//! a name of a link ──▶ waiting ──a free place──▶ on trial ──a page that is new──▶ proven
//!                         ▲                         │
//!                         └──more to ask────────────┴──nothing to ask, or a rest──▶ (no state)
//! ```
//!
//! A name server can answer for every name below a domain, so a page can link to any number of hosts, and each would cost a request for
//! its robots.txt. A domain therefore has [`PLACES`] places. A name without a place makes no request; its URLs stay in the store. A name
//! leaves its place when it shows a new page; the domain then gets [`PLACES_FOR_PROVEN`] more places. So a site with thousands of good
//! names soon has a place for each. A name also leaves its place, without a gain for the domain, if it has made [`REQUESTS`] requests
//! without a new page, rests, or has nothing to fetch. If it still has URLs, it goes to the end of the line. So the crawler tries every
//! name, and loses none.
//!
//! Names of seeds, proven names and IP addresses need no place.

use std::collections::{HashMap, HashSet, VecDeque};

use web::domain_of_host;
use web::politeness::Now;
use xxhash_rust::xxh3::xxh3_64;

use super::Frontier;
use super::state::LineEvent;

/// Places of a domain without a proven name. The number is small because a name without a new page may be one of millions. It is more
/// than one because slow names must not hold up the others.
pub(super) const PLACES: usize = 4;

/// Number of places that a proven name adds to its domain. Each round tries five times as many names as the round before, so ten thousand
/// good names have their trial in six rounds.
pub(super) const PLACES_FOR_PROVEN: usize = 4;

/// Requests that a name on trial makes before the next name has its turn: robots.txt, a sitemap and some pages.
pub(super) const REQUESTS: u8 = 8;

/// The names on trial and the waiting names of all domains.
#[derive(Debug, Default)]
pub(super) struct Trials {
    domains: HashMap<String, Domain>,
    /// Domains that may have both a free place and a waiting name.
    to_fill: Vec<String>,
}

#[derive(Debug, Default)]
struct Domain {
    /// The number of requests of each name since it got its place.
    on_trial: HashMap<String, u8>,
    /// In the order of their arrival.
    waiting: VecDeque<String>,
    /// Hashes of the names that have shown a new page. A name that leaves the memory and comes back counts once.
    proven: HashSet<u64>,
}

impl Domain {
    fn has_place(&self) -> bool {
        self.on_trial.len() < PLACES.saturating_add(PLACES_FOR_PROVEN.saturating_mul(self.proven.len()))
    }

    fn is_empty(&self) -> bool {
        self.on_trial.is_empty() && self.waiting.is_empty() && self.proven.is_empty()
    }
}

impl Trials {
    /// Whether the name may act now. If not, it waits in the line of its domain until [`admit_next`](Self::admit_next) returns it.
    pub fn admits(&mut self, name: &str) -> bool {
        let key = domain_of_host(name);
        let domain = self.domains.entry(key.to_owned()).or_default();
        let others_wait = !domain.waiting.is_empty();
        let is_admitted = match domain.on_trial.get_mut(name) {
            Some(requests) if *requests < REQUESTS => return true,
            Some(requests) if !others_wait => {
                *requests = 0;
                return true;
            }
            Some(_) => {
                domain.on_trial.remove(name);
                self.to_fill.push(key.to_owned());
                false
            }
            None => !others_wait && domain.has_place(),
        };
        if is_admitted {
            domain.on_trial.insert(name.to_owned(), 0);
        } else {
            domain.waiting.push_back(name.to_owned());
        }
        is_admitted
    }

    /// Notes a request to a name, if it is on trial.
    pub fn note_request(&mut self, name: &str) {
        let domain = self.domains.get_mut(domain_of_host(name));
        if let Some(requests) = domain.and_then(|domain| domain.on_trial.get_mut(name)) {
            *requests = requests.saturating_add(1);
        }
    }

    /// Ends the trial of a name, if it is on trial, without a new page.
    pub fn end(&mut self, name: &str) {
        let key = domain_of_host(name);
        let Some(domain) = self.domains.get_mut(key) else {
            return;
        };
        if domain.on_trial.remove(name).is_some() {
            self.to_fill.push(key.to_owned());
        }
        if domain.is_empty() {
            self.domains.remove(key);
        }
    }

    /// Removes a name from its place and from the line, because it needs no place any more or leaves the memory.
    pub fn release(&mut self, name: &str) {
        self.end(name);
        if let Some(domain) = self.domains.get_mut(domain_of_host(name)) {
            domain.waiting.retain(|waiting| waiting != name);
        }
    }

    /// Removes from the lines the names that `may_leave`, because the memory has no room for them, and returns them. The first `kept`
    /// names of each line stay, so that a free place always finds a name.
    pub fn shorten_lines(&mut self, kept: usize, mut may_leave: impl FnMut(&str) -> bool) -> Vec<String> {
        let mut left = Vec::new();
        for domain in self.domains.values_mut() {
            let behind = domain.waiting.split_off(kept.min(domain.waiting.len()));
            for name in behind {
                if may_leave(&name) {
                    left.push(name);
                } else {
                    domain.waiting.push_back(name);
                }
            }
        }
        left
    }

    /// Notes that a name that needed a place has shown a new page.
    pub fn prove(&mut self, name: &str) {
        let key = domain_of_host(name);
        let domain = self.domains.entry(key.to_owned()).or_default();
        if domain.on_trial.remove(name).is_none() {
            domain.waiting.retain(|waiting| waiting != name);
        }
        domain.proven.insert(xxh3_64(name.as_bytes()));
        self.to_fill.push(key.to_owned());
    }

    /// Gives a free place to the name that has waited longest, and returns the name.
    pub fn admit_next(&mut self) -> Option<String> {
        while let Some(key) = self.to_fill.last() {
            if let Some(domain) = self.domains.get_mut(key)
                && domain.has_place()
                && let Some(name) = domain.waiting.pop_front()
            {
                domain.on_trial.insert(name.clone(), 0);
                return Some(name);
            }
            self.to_fill.pop();
        }
        None
    }
}

impl Frontier {
    /// Notes that the host has shown a new page.
    pub(super) fn prove(&mut self, name: &str) {
        let host = self.host(name);
        if !host.is_wanted {
            host.is_wanted = true;
            host.line = host.line.on(LineEvent::NameIsAdmitted);
            self.trials.prove(name);
        }
    }

    /// Schedules the hosts whose names have got a place.
    pub(super) fn admit_names(&mut self, now: Now) {
        while let Some(name) = self.trials.admit_next() {
            let host = self.host(&name);
            host.line = host.line.on(LineEvent::NameIsAdmitted);
            self.schedule(&name, now);
        }
    }
}

#[cfg(test)]
mod tests;
