//! The states of hosts, origins and URLs, and every event that changes one.
//!
//! ```text
//! host    ready ──failure, 429, 503, two faults, Retry-After──▶ resting ──its end──▶ ready
//!         ready, resting ──5 failures in a row, or no robots.txt──▶ given up (for this run)
//!         ready ──no URL that may be fetched──▶ exhausted ──a new URL──▶ ready
//!
//! line    none ──work──▶ due ──its time──▶ none          none ──work after a long rest──▶ rest ──its end──▶ due
//!         due ──its address is busy──▶ address ──its turn there, or another address──▶ none
//!         due ──its address is unknown──▶ name ──the answer of the look-up──▶ none
//!         due ──no place for its name──▶ trial ──a place, or a new page──▶ none
//!         due ──its permit has run out──▶ permit ──its group has permits again──▶ none
//!
//! origin  (unknown) ──its first URL──▶ asked ──answer──▶ open (for a day), given up, unfit, or asked again
//!
//! URL     queued ──forecast──▶ deprioritised, sample, held back or in process
//!         held back ──its rule is refuted──▶ in process
//! ```
//!
//! The state of a host is computed from facts ([`HostState::of`]), so it cannot contradict them. The other states are stored, and
//! each changes in one function.

use std::sync::Arc;
use std::time::Duration;

use storage::stored_text;
use url::Url;
use web::politeness::Now;
use web::robots::{MAX_ROBOTS_REDIRECTS, Robots};

use crate::messages::{BY_ROBOTS, Errand, RobotsAnswer, Unfit};
use crate::steering::{Forecast, PRIORITY_DEPRIORITISED, PRIORITY_HELD_BACK, PRIORITY_SAMPLE};

/// The facts that decide a host's state.
#[derive(Debug, Clone, Copy)]
pub(super) struct HostFacts<'a> {
    /// It failed too often in a row, or the run gave up all its origins.
    pub is_given_up: bool,
    pub open_requests: usize,
    /// URLs in process.
    pub in_process: usize,
    /// Whether URLs wait for a robots.txt that is being fetched.
    pub awaits_robots: bool,
    /// Whether URLs wait for a log-in that is being made.
    pub awaits_login: bool,
    pub work: Work,
    /// The line in which the host waits.
    pub line: Line,
    /// When the host's gate lets the next request pass; `None` while as many requests are open as the host may have.
    pub ready_at: Option<Now>,
    /// Whether its address lets a request pass now.
    pub address_is_free: bool,
    /// The end of the last rest, past or not.
    pub rests_until: Now,
    /// Whether the rest is longer than a run waits.
    pub rests_long: bool,
    /// URLs and revisits that wait in memory or in the store, or are in process.
    pub urls: u64,
    /// Whether the run or the host has reached its page limit.
    pub is_over_page_limit: bool,
    /// The last failure, in words.
    pub last_failure: Option<&'a str>,
}

/// The kind of the host's next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    /// The host has nothing to do.
    Nothing,
    /// The frontier asks the store for more URLs. This needs no request to the host, so it never waits.
    Refill,
    /// The frontier asks the store for the answer to an errand of an earlier run. This never waits either.
    Recall,
    /// The crawler asks the host for a page, a robots.txt or a sitemap.
    Request,
}

/// The state of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HostState<'a> {
    Ready(Activity),
    /// It failed, or it answered 429 or 503.
    Resting {
        until: Now,
        why: Option<&'a str>,
    },
    /// The run makes no more requests to it.
    GivenUp {
        why: Option<&'a str>,
    },
    Exhausted(Reserve),
}

/// The activity of a ready host, or the event that it waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Activity {
    /// A request is open, or a verdict is awaited.
    Fetching,
    AwaitsRobots,
    AwaitsLogin,
    /// It may be asked as soon as the crawl has a free request.
    AwaitsRequest,
    AwaitsDelay {
        until: Option<Now>,
    },
    AwaitsAddress,
    /// The crawler looks up the host's name, or will do so.
    AwaitsName,
    /// The crawler first tries other new names of its domain.
    AwaitsTrial,
    /// No request to the host's group may start.
    AwaitsPermit,
}

/// The URLs that an exhausted host still has in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reserve {
    Nothing,
    OverPageLimit,
    HeldBack,
}

impl<'a> HostState<'a> {
    /// The state that follows from the facts.
    pub fn of(facts: &HostFacts<'a>, now: Now) -> Self {
        let why = facts.last_failure;
        if facts.is_given_up {
            return Self::GivenUp { why };
        }
        if facts.open_requests > 0 || facts.in_process > 0 {
            return Self::Ready(match facts.in_process {
                0 if facts.awaits_robots => Activity::AwaitsRobots,
                0 if facts.awaits_login => Activity::AwaitsLogin,
                _ => Activity::Fetching,
            });
        }
        match facts.line {
            Line::Name => return Self::Ready(Activity::AwaitsName),
            Line::Trial => return Self::Ready(Activity::AwaitsTrial),
            Line::Permit => return Self::Ready(Activity::AwaitsPermit),
            Line::None | Line::Due | Line::Address | Line::Rest => {}
        }
        let may_ask = facts.ready_at.is_some_and(|at| at <= now);
        match (facts.work, facts.ready_at) {
            (Work::Refill | Work::Recall | Work::Request, Some(_)) if may_ask || facts.work != Work::Request => {
                Self::Ready(if facts.address_is_free {
                    Activity::AwaitsRequest
                } else {
                    Activity::AwaitsAddress
                })
            }
            (Work::Refill | Work::Recall | Work::Request, Some(until)) if facts.rests_until > now => {
                Self::Resting { until, why }
            }
            (Work::Refill | Work::Recall | Work::Request, until) => Self::Ready(Activity::AwaitsDelay { until }),
            (Work::Nothing, _) => facts.without_work(),
        }
    }
}

impl<'a> HostFacts<'a> {
    fn without_work(&self) -> HostState<'a> {
        if self.urls == 0 {
            HostState::Exhausted(Reserve::Nothing)
        } else if self.awaits_robots {
            // The request goes to another host, to which the robots.txt was redirected.
            HostState::Ready(Activity::AwaitsRobots)
        } else if self.awaits_login {
            HostState::Ready(Activity::AwaitsLogin)
        } else if self.is_over_page_limit {
            HostState::Exhausted(Reserve::OverPageLimit)
        } else {
            HostState::Exhausted(Reserve::HeldBack)
        }
    }

    /// The time of the host's next step; `None` if it has nothing to do, or as many requests are open as it may have.
    pub fn next_turn(&self, now: Now) -> Option<NextTurn> {
        match self.work {
            Work::Nothing => None,
            Work::Refill | Work::Recall => Some(NextTurn::At(now)),
            Work::Request if self.rests_long => self.ready_at.map(NextTurn::AfterLongRest),
            Work::Request => self.ready_at.map(NextTurn::At),
        }
    }
}

/// The time of a host's next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NextTurn {
    At(Now),
    /// At the end of a rest that a run does not wait for.
    AfterLongRest(Now),
}

/// The line in which a host waits for its turn. A host is in one line at most, and in it once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Line {
    #[default]
    None,
    /// The heap of hosts and addresses that have something to do.
    Due,
    /// The hosts that wait for a free request at their address.
    Address,
    /// The hosts whose names the crawler looks up, or will look up.
    Name,
    /// The hosts whose names wait while the crawler tries other new names of their domain.
    Trial,
    /// The heap of hosts that rest for longer than a run waits for.
    Rest,
    /// The hosts whose group has no permit now.
    Permit,
}

/// An event that moves a host from one line to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineEvent {
    HasWork(NextTurn),
    /// Its turn has come.
    CalledUp,
    AddressIsBusy,
    /// It answered from another address than before.
    ChangedAddress,
    AddressIsUnknown,
    LookedUp,
    NameHasNoPlace,
    /// The host's name has a place, or needs none any more.
    NameIsAdmitted,
    LongRestEnded,
    HasNoPermit,
    PermitIsCertain,
    /// Its group goes, so it leaves every line.
    GroupGoes,
}

impl Line {
    /// The line after the event.
    #[must_use]
    pub fn on(self, event: LineEvent) -> Self {
        match (self, event) {
            (Self::None, LineEvent::HasWork(NextTurn::At(_))) => Self::Due,
            (Self::None, LineEvent::HasWork(NextTurn::AfterLongRest(_))) => Self::Rest,
            (Self::Rest, LineEvent::LongRestEnded) => Self::Due,
            (Self::Due | Self::Address, LineEvent::CalledUp) => Self::None,
            (Self::None, LineEvent::AddressIsBusy) => Self::Address,
            (Self::Address, LineEvent::ChangedAddress) => Self::None,
            (Self::None, LineEvent::AddressIsUnknown) => Self::Name,
            (Self::Name, LineEvent::LookedUp) => Self::None,
            (Self::None, LineEvent::NameHasNoPlace) => Self::Trial,
            (Self::Trial, LineEvent::NameIsAdmitted) => Self::None,
            (Self::None | Self::Name, LineEvent::HasNoPermit) => Self::Permit,
            (Self::Permit, LineEvent::PermitIsCertain) => Self::None,
            (_, LineEvent::GroupGoes) => Self::None,
            (line, _) => line,
        }
    }
}

/// Failed tries of a robots.txt after which the run gives up the origin.
const MAX_ROBOTS_FAILURES: u8 = 3;

/// How long a robots.txt is valid (RFC 9309, section 2.4). If the file is unreachable after that time, the RFC allows
/// the old copy. The crawler applies the stricter rule of section 2.3.1.4, which forbids the whole origin meanwhile.
const ROBOTS_LIFE: Duration = Duration::from_millis(ROBOTS_LIFE_MS);
const ROBOTS_LIFE_MS: u64 = 24 * 60 * 60 * 1_000;

/// The state of an origin, by its robots.txt. An origin without a state has had no URL yet.
#[derive(Debug)]
pub(super) enum OriginState {
    /// Its robots.txt is being fetched, or read from the store.
    Asked,
    /// Its rules, and when they expire.
    Open { robots: Arc<Robots>, until: Now },
    /// Its robots.txt is unreachable, for this reason. The run fetches nothing from the origin.
    GivenUp { why: String },
    /// No request to it can succeed, for this reason. Its pages fail without a request.
    Unfit(Unfit),
}

/// The effect of an origin's state on one of its URLs.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ruling {
    Allowed,
    /// This rule of robots.txt forbids the URL.
    Forbidden(String),
    /// The crawler must fetch the robots.txt first.
    AskFirst,
    /// The crawler is fetching the robots.txt.
    Wait,
    /// The URL stays in the store's queue for this run.
    Skip,
    Fail(Unfit),
}

/// The time of an event, and the time of the wall clock at which the run began.
#[derive(Debug, Clone, Copy)]
pub(super) struct EventTime {
    pub now: Now,
    /// Unix ms.
    pub run_started_at: u64,
}

/// The effect of the answer to a request for a robots.txt.
#[derive(Debug)]
pub(super) enum OriginEvent {
    /// The crawler repeats the request, or makes another in its place. The origin stays asked.
    AskAgain(Errand),
    Settled {
        host: String,
        origin: String,
        state: OriginState,
        sitemaps: Vec<Url>,
    },
}

/// `scheme://authority`: the URLs that one robots.txt rules (RFC 9309, section 2.3).
pub(super) fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}

impl OriginState {
    pub fn is_given_up(&self) -> bool {
        matches!(self, Self::GivenUp { .. })
    }

    /// The ruling on a URL, by the state of its origin.
    pub fn ruling(state: Option<&Self>, url: &Url, now: Now) -> Ruling {
        match state {
            None => Ruling::AskFirst,
            Some(Self::Open { until, .. }) if *until <= now => Ruling::AskFirst,
            Some(Self::Asked) => Ruling::Wait,
            Some(Self::GivenUp { .. }) => Ruling::Skip,
            Some(Self::Unfit(unfit)) => Ruling::Fail(unfit.clone()),
            Some(Self::Open { robots, .. }) => {
                let decision = robots.decide(url);
                if decision.allowed {
                    return Ruling::Allowed;
                }
                let rule = stored_text(&decision.rule.unwrap_or_default());
                Ruling::Forbidden(format!("{BY_ROBOTS}{rule}"))
            }
        }
    }

    /// The effect of the answer on an asked origin. `None` for an errand that is not for a robots.txt.
    pub fn answered(errand: Errand, answer: RobotsAnswer, time: EventTime) -> Option<OriginEvent> {
        let Errand::Robots {
            for_host,
            origin,
            url,
            redirects,
            failures,
        } = errand
        else {
            return None;
        };
        let ask_again = |for_host, origin, url, redirects, failures| {
            OriginEvent::AskAgain(Errand::Robots {
                for_host,
                origin,
                url,
                redirects,
                failures,
            })
        };
        let settled = |host, origin, state, sitemaps| OriginEvent::Settled {
            host,
            origin,
            state,
            sitemaps,
        };
        Some(match answer {
            RobotsAnswer::Rules(robots, sitemaps) => {
                let state = Self::open(robots, time.now + ROBOTS_LIFE);
                settled(for_host, origin, state, sitemaps)
            }
            RobotsAnswer::Recalled(robots, sitemaps, fetched_at) if time.is_fresh(fetched_at) => {
                let until = time.since_run_start(fetched_at.saturating_add(ROBOTS_LIFE_MS));
                settled(for_host, origin, Self::open(robots, until), sitemaps)
            }
            RobotsAnswer::Recalled(..) | RobotsAnswer::Forgotten => {
                ask_again(for_host, origin, url, redirects, failures)
            }
            RobotsAnswer::Moved(to) if redirects < MAX_ROBOTS_REDIRECTS => {
                ask_again(for_host, origin, to, redirects + 1, failures)
            }
            RobotsAnswer::Moved(_) => {
                let state = Self::open(Robots::allow_all(), time.now + ROBOTS_LIFE);
                settled(for_host, origin, state, Vec::new())
            }
            RobotsAnswer::Unfit(unfit) => settled(for_host, origin, Self::Unfit(unfit), Vec::new()),
            RobotsAnswer::Unreachable(reason) if failures + 1 >= MAX_ROBOTS_FAILURES => {
                let why = format!("robots.txt: {reason}");
                settled(for_host, origin, Self::GivenUp { why }, Vec::new())
            }
            // The gate of the failed host keeps the tries apart.
            RobotsAnswer::Unreachable(_) => ask_again(for_host, origin, url, redirects, failures + 1),
        })
    }

    fn open(robots: Robots, until: Now) -> Self {
        Self::Open {
            robots: Arc::new(robots),
            until,
        }
    }
}

impl EventTime {
    /// Whether a robots.txt that was fetched then (Unix ms) is still valid.
    fn is_fresh(&self, fetched_at: u64) -> bool {
        let now = u64::try_from(self.now.as_millis()).unwrap_or(u64::MAX);
        let now = self.run_started_at.saturating_add(now);
        (fetched_at..fetched_at.saturating_add(ROBOTS_LIFE_MS)).contains(&now)
    }

    /// Converts a time of the wall clock (Unix ms) to the time since the run began; zero for an earlier time.
    pub fn since_run_start(&self, unix_ms: u64) -> Now {
        Duration::from_millis(unix_ms.saturating_sub(self.run_started_at))
    }
}

/// The state of a URL that was never fetched. The variants are in the order in which a host's URLs are fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum UrlState {
    Queued,
    /// It goes after the queued URLs, because steering predicts that it is a duplicate.
    Deprioritised,
    /// It goes after the deprioritised URLs, to test the rule that holds its class back.
    Sample,
    /// It is not fetched while its rule holds.
    HeldBack,
    InProcess,
}

impl UrlState {
    /// The state of a URL with this priority in the store's queue.
    pub fn at(priority: u8) -> Self {
        match priority {
            PRIORITY_HELD_BACK.. => Self::HeldBack,
            PRIORITY_SAMPLE.. => Self::Sample,
            PRIORITY_DEPRIORITISED.. => Self::Deprioritised,
            _ => Self::Queued,
        }
    }

    /// The priority that stores the state; `None` if the URL keeps its place.
    pub fn priority(self) -> Option<u8> {
        match self {
            Self::Queued | Self::InProcess => None,
            Self::Deprioritised => Some(PRIORITY_DEPRIORITISED),
            Self::Sample => Some(PRIORITY_SAMPLE),
            Self::HeldBack => Some(PRIORITY_HELD_BACK),
        }
    }

    /// The state of a URL after its forecast, when its turn has come. A forecast only moves a URL further back. A URL
    /// that is already at the place of its forecast is fetched.
    #[must_use]
    pub fn after_forecast(self, forecast: &Forecast, is_sample: impl FnOnce() -> bool) -> Self {
        match forecast {
            Forecast::Same(_) if self < Self::HeldBack => Self::HeldBack,
            Forecast::Deprioritised if self < Self::Deprioritised => Self::Deprioritised,
            Forecast::Duplicate(prediction) if prediction.is_held_back && self < Self::Sample => {
                if is_sample() {
                    Self::Sample
                } else {
                    Self::HeldBack
                }
            }
            Forecast::Duplicate(_) if self < Self::Deprioritised => Self::Deprioritised,
            Forecast::New
            | Forecast::Test(_)
            | Forecast::Same(_)
            | Forecast::Deprioritised
            | Forecast::Duplicate(_) => Self::InProcess,
        }
    }
}
