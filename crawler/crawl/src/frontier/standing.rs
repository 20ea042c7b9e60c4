//! The states of all hosts at one moment: counts by state, and the hosts with the most URLs.
//!
//! The frontier walks over its hosts when a display asks, a few times a second at most, so a page costs nothing more. The result
//! has a fixed size, however many hosts there are.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use web::politeness::{Delays, Now};

use super::Frontier;
use super::host::Host;
use super::state::{Activity, HostState, Reserve};
use terminal::text::terminal_text;

/// Hosts that the result names.
const NAMED: usize = 100;

/// Bound on the characters of a failure.
const DETAIL: usize = 120;

/// The kind of a host's state, for displays and metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum HostStateKind {
    /// A request is open, or a page waits for its verdict.
    Fetching,
    /// It may be asked as soon as the crawl has a free request.
    Ready,
    /// It waits for its robots.txt.
    Robots,
    /// It waits for a log-in.
    Login,
    /// It waits for the delay between two requests.
    Delay,
    /// It waits for its turn at the address that it shares with other hosts.
    Address,
    /// The crawler looks up the host's name, or will do so.
    Name,
    /// The crawler first tries other new names of its domain.
    Trial,
    /// It waits until its group has permits again, as after a lease has run out.
    Permit,
    /// It rests after a failure, 429 or 503.
    Resting,
    /// `scope.max_pages` or `scope.max_pages_per_host` is reached.
    PageLimit,
    /// All its URLs are held back.
    HeldBack,
    /// The run gave it up: it failed too often in a row, its robots.txt is unreachable, or its log-in failed.
    GivenUp,
}

impl HostStateKind {
    /// All, in the order of display.
    pub const ALL: [Self; 13] = [
        Self::Fetching,
        Self::Ready,
        Self::Robots,
        Self::Login,
        Self::Delay,
        Self::Address,
        Self::Name,
        Self::Trial,
        Self::Permit,
        Self::Resting,
        Self::PageLimit,
        Self::HeldBack,
        Self::GivenUp,
    ];

    /// The word for programs: a documented value of JSON and metrics.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fetching => "fetching",
            Self::Ready => "ready",
            Self::Robots => "robots",
            Self::Login => "login",
            Self::Delay => "delay",
            Self::Address => "address",
            Self::Name => "name",
            Self::Trial => "trial",
            Self::Permit => "lease",
            Self::Resting => "resting",
            Self::PageLimit => "page_limit",
            Self::HeldBack => "left",
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
            Self::Login => "logging in",
            Self::Delay => "politeness delay",
            Self::Address => "shared address",
            Self::Name => "name look-up",
            Self::Trial => "other new names of the domain first",
            Self::Permit => "no lease of its partition",
            Self::Resting => "resting",
            Self::PageLimit => "page limit",
            Self::HeldBack => "held back",
            Self::GivenUp => "given up",
        }
    }

    /// What it means, for people: `waiting for the politeness delay`.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Fetching | Self::Robots | Self::Login => self.describe(),
            Self::Ready => "ready, waiting for a free request slot",
            Self::Delay => "waiting for the politeness delay",
            Self::Address => "waiting for a shared IP address",
            Self::Name => "looking up the name",
            Self::Trial => "waiting while other new names of the domain are tried",
            Self::Permit => "waiting for the lease of its partition",
            Self::Resting => "resting after a failure, 429 or 503",
            Self::PageLimit => "at the page limit",
            Self::HeldBack => "with predicted duplicates alone, which are held back",
            Self::GivenUp => "given up for this run",
        }
    }

    /// Whether it waits for an event that comes in this run.
    #[must_use]
    pub fn is_waiting(self) -> bool {
        matches!(
            self,
            Self::Ready
                | Self::Robots
                | Self::Login
                | Self::Delay
                | Self::Address
                | Self::Name
                | Self::Trial
                | Self::Permit
                | Self::Resting
        )
    }

    /// The kind of a state; `None` for a host without a URL.
    fn of(state: &HostState<'_>) -> Option<Self> {
        Some(match state {
            HostState::Ready(Activity::Fetching) => Self::Fetching,
            HostState::Ready(Activity::AwaitsRobots) => Self::Robots,
            HostState::Ready(Activity::AwaitsLogin) => Self::Login,
            HostState::Ready(Activity::AwaitsRequest) => Self::Ready,
            HostState::Ready(Activity::AwaitsDelay { .. }) => Self::Delay,
            HostState::Ready(Activity::AwaitsAddress) => Self::Address,
            HostState::Ready(Activity::AwaitsName) => Self::Name,
            HostState::Ready(Activity::AwaitsTrial) => Self::Trial,
            HostState::Ready(Activity::AwaitsPermit) => Self::Permit,
            HostState::Resting { .. } => Self::Resting,
            HostState::GivenUp { .. } => Self::GivenUp,
            HostState::Exhausted(Reserve::OverPageLimit) => Self::PageLimit,
            HostState::Exhausted(Reserve::HeldBack) => Self::HeldBack,
            HostState::Exhausted(Reserve::Nothing) => return None,
        })
    }
}

/// The states of all hosts that have URLs.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Standing {
    /// Hosts by kind of state, in the order of [`HostStateKind::ALL`].
    counts: [u64; HostStateKind::ALL.len()],
    /// The hosts with the most URLs, most first, at most a hundred.
    pub largest: Vec<HostStanding>,
}

/// The state of one host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HostStanding {
    /// The host key.
    pub host: String,
    /// URLs that wait, those in process included.
    pub urls: u64,
    /// The kind of its state.
    pub state: HostStateKind,
    /// Requests under way.
    pub open: u64,
    /// The delays between two requests that the rules ask for now.
    pub delays: Delays,
    /// Whether the user has ordered the delay that is set.
    pub is_ordered: bool,
    /// When its wait ends, Unix ms; `None` if that is unknown.
    pub until: Option<u64>,
    /// The last failure of a host that rests or is given up.
    pub failure: Option<String>,
}

impl HostStanding {
    /// The least time that its URLs take, if its answers take as long as before. `None` for a host that is not asked any more.
    #[must_use]
    pub fn at_least(&self) -> Option<Duration> {
        let is_asked = self.state.is_waiting() || self.state == HostStateKind::Fetching;
        let urls = u32::try_from(self.urls).unwrap_or(u32::MAX);
        is_asked.then(|| self.delays.interval().saturating_mul(urls))
    }
}

impl Standing {
    /// The states of these hosts.
    #[must_use]
    pub fn of_hosts(hosts: Vec<HostStanding>) -> Self {
        let mut standing = Self::default();
        for host in &hosts {
            standing.counts[host.state as usize] += 1;
        }
        standing.largest = hosts;
        standing
    }

    /// The number of hosts in a state.
    #[must_use]
    pub fn count(&self, state: HostStateKind) -> u64 {
        self.counts[state as usize]
    }

    /// The number of hosts that wait for an event that comes in this run.
    #[must_use]
    pub fn waiting(&self) -> u64 {
        let waiting = HostStateKind::ALL.into_iter().filter(|state| state.is_waiting());
        waiting.map(|state| self.count(state)).sum()
    }
}

impl Frontier {
    /// The states of all hosts now.
    #[must_use]
    pub fn standing(&self, now: Now) -> Standing {
        let mut standing = Standing::default();
        let mut largest: Vec<(u64, &str, &Host)> = Vec::with_capacity(2 * NAMED);
        for (name, host) in &self.hosts {
            let Some((kind, _)) = self.shown_state(host, now) else {
                continue;
            };
            standing.counts[kind as usize] += 1;
            largest.push((host.urls, name, host));
            if largest.len() == 2 * NAMED {
                keep_first(&mut largest);
            }
        }
        keep_first(&mut largest);
        let named = largest.into_iter().filter_map(|(urls, name, host)| {
            let (kind, state) = self.shown_state(host, now)?;
            let (until, failure) = match state {
                HostState::Ready(Activity::AwaitsDelay { until }) => (until, None),
                HostState::Resting { until, why } => (Some(until), why),
                HostState::GivenUp { why } => (None, why),
                HostState::Ready(_) | HostState::Exhausted(_) => (None, None),
            };
            Some(HostStanding {
                host: name.to_owned(),
                urls,
                state: kind,
                open: host.gate.open() as u64,
                delays: host.gate.delays(),
                is_ordered: self.settings.steer.delays.of(name).is_some(),
                until: until.map(|until| self.started_at.saturating_add(millis(until))),
                failure: failure.map(|text| terminal_text(text, DETAIL)),
            })
        });
        standing.largest = named.collect();
        standing
    }

    /// The host's state and its kind; `None` for a host without a URL, unless it has something to do.
    fn shown_state<'a>(&self, host: &'a Host, now: Now) -> Option<(HostStateKind, HostState<'a>)> {
        let address_is_free = host.address.is_none_or(|key| self.addresses.admits(key, now));
        let state = host.state(self.pages.takes_new(), address_is_free, now);
        let is_without_urls = matches!(state, HostState::GivenUp { .. }) && host.urls == 0;
        let kind = HostStateKind::of(&state).filter(|_| !is_without_urls)?;
        Some((kind, state))
    }
}

/// Equal hosts go by name, so that the display does not flicker.
fn keep_first(hosts: &mut Vec<(u64, &str, &Host)>) {
    hosts.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    hosts.truncate(NAMED);
}

fn millis(time: Now) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
