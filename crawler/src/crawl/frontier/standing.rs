//! What every host is doing at one moment, or waits for: counts by state, and the hosts with the most URLs.
//!
//! It is worked out by a walk over the hosts when somebody looks, a few times a second at most, and costs the way of a
//! page nothing. What comes out is bounded, however many hosts there are.

use web::politeness::Now;

use super::Frontier;
use super::host::Host;
use crate::terminal::text::terminal_text;

/// Hosts that are named.
const NAMED: usize = 5;

/// Characters of a failure that are shown.
const DETAIL: usize = 120;

/// What a host is doing or waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostStateKind {
    /// A request is open, or an answer is being decided on.
    Fetching,
    /// It may be asked now: a free request is waited for.
    Ready,
    /// Its robots.txt is being fetched.
    Robots,
    /// The delay between two requests.
    Delay,
    /// Its turn at the address that it shares with other hosts.
    Address,
    /// The end of a rest: after a failure, 429 or 503.
    Resting,
    /// `scope.max_pages` or `scope.max_pages_per_host` is reached.
    PageLimit,
    /// What it has is left: its like were duplicates.
    Left,
    /// Given up for this run: it failed too often in a row, or its robots.txt cannot be had.
    GivenUp,
}

impl HostStateKind {
    /// All, in the order in which they are told.
    pub const ALL: [Self; 9] = [
        Self::Fetching,
        Self::Ready,
        Self::Robots,
        Self::Delay,
        Self::Address,
        Self::Resting,
        Self::PageLimit,
        Self::Left,
        Self::GivenUp,
    ];

    /// The word for programs.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fetching => "fetching",
            Self::Ready => "ready",
            Self::Robots => "robots",
            Self::Delay => "delay",
            Self::Address => "address",
            Self::Resting => "resting",
            Self::PageLimit => "page_limit",
            Self::Left => "left",
            Self::GivenUp => "given_up",
        }
    }

    /// The words for people.
    #[must_use]
    pub fn describe(self) -> &'static str {
        match self {
            Self::Fetching => "fetching",
            Self::Ready => "ready",
            Self::Robots => "fetching robots.txt",
            Self::Delay => "politeness delay",
            Self::Address => "shared address",
            Self::Resting => "resting",
            Self::PageLimit => "page limit",
            Self::Left => "foretold duplicates",
            Self::GivenUp => "given up",
        }
    }

    /// Whether it waits for something that will come in this run.
    #[must_use]
    pub fn is_waiting(self) -> bool {
        matches!(
            self,
            Self::Ready | Self::Robots | Self::Delay | Self::Address | Self::Resting
        )
    }
}

/// All hosts with something to fetch.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Standing {
    /// Hosts by state, in the order of [`HostStateKind::ALL`].
    counts: [u64; HostStateKind::ALL.len()],
    /// Those with the most URLs, most first, at most five.
    pub largest: Vec<HostStanding>,
}

/// One host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostStanding {
    /// Its name.
    pub host: String,
    /// URLs that wait, in process included.
    pub urls: u64,
    /// What it is doing.
    pub state: HostStateKind,
    /// When its wait ends, Unix ms, where that is known.
    pub until: Option<u64>,
    /// What went wrong last, for a host that rests or was given up.
    pub failure: Option<String>,
}

impl Standing {
    /// Hosts in a state.
    #[must_use]
    pub fn count(&self, state: HostStateKind) -> u64 {
        self.counts[state as usize]
    }

    /// Hosts that wait for something that will come.
    #[must_use]
    pub fn waiting(&self) -> u64 {
        let waiting = HostStateKind::ALL.into_iter().filter(|state| state.is_waiting());
        waiting.map(|state| self.count(state)).sum()
    }
}

impl Frontier {
    /// What all hosts are doing now.
    #[must_use]
    pub fn standing(&self, now: Now) -> Standing {
        let mut standing = Standing::default();
        let mut largest: Vec<(u64, &str, &Host)> = Vec::with_capacity(NAMED + 1);
        for (name, host) in &self.hosts {
            let Some((state, _)) = self.state(host, now) else {
                continue;
            };
            standing.counts[state as usize] += 1;
            let goes_before = |last: &(u64, &str, &Host)| (host.urls, last.1) > (last.0, name.as_str());
            if largest.len() < NAMED || largest.last().is_some_and(goes_before) {
                largest.push((host.urls, name, host));
                // By name where they are equal, so that the display does not flicker.
                largest.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
                largest.truncate(NAMED);
            }
        }
        let named = largest.into_iter().filter_map(|(urls, name, host)| {
            let (state, until) = self.state(host, now)?;
            let failure = matches!(state, HostStateKind::Resting | HostStateKind::GivenUp).then(|| host.why());
            Some(HostStanding {
                host: name.to_owned(),
                urls,
                state,
                until: until.map(|until| self.started_at.saturating_add(millis(until))),
                failure: failure.flatten().map(|text| terminal_text(text, DETAIL)),
            })
        });
        standing.largest = named.collect();
        standing
    }

    /// What the host is doing, and until when that lasts; `None` for one with nothing to do.
    fn state(&self, host: &Host, now: Now) -> Option<(HostStateKind, Option<Now>)> {
        let state = host.state(self.takes_new, now)?;
        let is_kept_waiting =
            state.0 == HostStateKind::Ready && host.address.is_some_and(|key| !self.addresses.admits(key, now));
        Some(if is_kept_waiting {
            (HostStateKind::Address, None)
        } else {
            state
        })
    }
}

impl Host {
    fn state(&self, takes_new: bool, now: Now) -> Option<(HostStateKind, Option<Now>)> {
        if self.gate.is_retired() || self.is_closed() {
            return (self.urls > 0).then_some((HostStateKind::GivenUp, None));
        }
        if self.gate.open() > 0 || self.queue.in_process() > 0 {
            let is_for_robots = self.queue.in_process() == 0 && self.awaits_robots();
            let state = if is_for_robots {
                HostStateKind::Robots
            } else {
                HostStateKind::Fetching
            };
            return Some((state, None));
        }
        if self.has_work(takes_new) {
            return Some(match self.gate.ready_at() {
                Some(at) if at <= now || self.needs_refill(takes_new) => (HostStateKind::Ready, None),
                Some(at) if self.gate.rests_until() > now => (HostStateKind::Resting, Some(at)),
                at => (HostStateKind::Delay, at),
            });
        }
        if self.urls == 0 {
            return None;
        }
        // Another host may be asked for it, to which it was redirected.
        Some(if self.awaits_robots() {
            (HostStateKind::Robots, None)
        } else if !takes_new || !self.may_take_page() {
            (HostStateKind::PageLimit, None)
        } else {
            (HostStateKind::Left, None)
        })
    }

    /// What went wrong last.
    fn why(&self) -> Option<&str> {
        let closed = self.closed().next().map(|(_, reason)| reason);
        closed.or(self.last_failure.as_deref())
    }
}

fn millis(time: Now) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
