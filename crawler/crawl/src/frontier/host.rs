//! One host's part of the frontier: its URLs, its origins, its gate, and the facts that decide its state.

mod idle;
mod steered;
mod step;

use std::collections::{HashMap, HashSet, VecDeque};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use storage::QueuedUrl;
use url::Url;
use web::fetch::Route;
use web::politeness::{AddressKey, CrawlClock, Gate, Now};

use super::browser_part::BrowserPart;
use super::host_logins::HostLogins;
use super::queue::HostQueue;
use super::slow_lanes::SlowLanes;
use super::state::{HostFacts, HostState, Line, LineEvent, OriginState, Work, origin};
use super::waiting::WaitingUrl;
use super::{BUFFER, FrontierSettings};
use crate::admission::HostGroup;
use crate::messages::Errand;
use crate::steering::JudgedPage;
pub(super) use steered::Bars;

/// New URLs and revisits of a host take turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PageKind {
    New,
    Visit,
}

/// Sitemaps and pages of a host take turns, so that neither keeps the other waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestKind {
    Sitemap,
    Page,
}

/// The facts about a host that outlive the run.
#[derive(Debug, Default)]
pub(super) struct HostMemory {
    /// The address that answered last.
    pub address: Option<IpAddr>,
    /// When an earlier run last asked the host, Unix ms.
    pub asked_before: u64,
    /// The last failure, in words.
    pub last_failure: Option<String>,
    /// Whether these facts have changed since they were last saved.
    pub is_unsaved: bool,
    /// Whether an earlier run may have left the host's robots.txt, or records of its sitemaps, in the store.
    pub may_have_answers: bool,
}

/// The time at which a route that needs no look-up expires.
const NEVER: Now = Now::MAX;

/// One host.
#[derive(Debug)]
pub(super) struct Host {
    /// The group with which it comes and goes.
    pub(super) group: HostGroup,
    pub(super) gate: Gate,
    /// The address that answered last. Its gate applies, too.
    pub(super) address: Option<AddressKey>,
    /// The route of the next requests, and the time at which it expires; `None` before the first look-up of the name.
    route: Option<(Route, Now)>,
    /// Whether the host needs no trial: it is the host of a seed, an IP address, or has shown a new page. The name of any other host
    /// needs a place in a trial (`trials`).
    pub(super) is_wanted: bool,
    pub(super) memory: HostMemory,
    pub(super) line: Line,
    pub(super) queue: HostQueue,
    /// Whether all URLs in memory wait for the verdict on a URL in process, which is similar or tests the same rule.
    pub(super) awaits_verdict: bool,
    /// URLs in process that were redirected to another spelling of themselves. The host is asked for that spelling next.
    pub(super) respelled: VecDeque<(QueuedUrl, Url)>,
    /// URLs that wait for the robots.txt of their origin, or for a log-in.
    pub(super) awaiting: Vec<QueuedUrl>,
    /// By `scheme://authority`: a host may answer to both http and https.
    pub(super) origins: HashMap<String, OriginState>,
    /// Errands that pages wait for: a robots.txt, or a request of a log-in.
    pub(super) first_errands: VecDeque<Errand>,
    /// `None` for a host without log-ins. There may be millions of hosts.
    pub(super) logins: Option<Box<HostLogins>>,
    pub(super) sitemaps: VecDeque<Errand>,
    /// Its part in the browser; `None` for a host that never had one, as most hosts.
    pub(super) browser: Option<Box<BrowserPart>>,
    /// Its part in the slow lanes; `None` for a host that never had one.
    pub(super) slow_lanes: Option<Box<SlowLanes>>,
    /// Sitemaps of which the store may have a record of an earlier run.
    pub(super) sitemaps_to_recall: VecDeque<Errand>,
    /// Whether the crawl follows the links of a URL of the host, so that it also looks for a sitemap.
    pub(super) seeks_sitemap: bool,
    /// Number of sitemaps taken so far, which has a bound.
    pub(super) sitemaps_taken: usize,
    pub(super) next_page: PageKind,
    pub(super) next_request: RequestKind,
    pub(super) pages_decided: u64,
    /// URLs and revisits that wait in memory or in the store, or are in process.
    pub(super) urls: u64,
    pub(super) obeys_robots: bool,
    /// All hosts share it.
    bars: Arc<Bars>,
    /// Whether the user has dropped the host as a whole, so that its URLs are excluded without any request.
    pub(super) is_dropped: bool,
    /// Whether no request may start, except those of pages in the browser, which are under way.
    pub(super) is_paused: bool,
    max_pages: Option<u64>,
}

impl Host {
    pub(super) fn new(
        name: &str,
        group: HostGroup,
        logins: Option<Box<HostLogins>>,
        clock: &CrawlClock,
        settings: &FrontierSettings,
    ) -> Self {
        let politeness = &settings.politeness_of(name);
        let steer = &settings.steer;
        let address = AddressKey::of_literal(name);
        let needs_look_up = settings.looks_up_names && address.is_none();
        Self {
            group,
            gate: Gate::new(clock, politeness),
            route: (!needs_look_up).then_some((Route::Direct, NEVER)),
            is_wanted: address.is_some(),
            address,
            memory: HostMemory::default(),
            line: Line::None,
            queue: HostQueue::new(settings.steers),
            awaits_verdict: false,
            respelled: VecDeque::new(),
            awaiting: Vec::new(),
            origins: HashMap::new(),
            first_errands: VecDeque::new(),
            logins,
            sitemaps: VecDeque::new(),
            browser: None,
            slow_lanes: None,
            sitemaps_to_recall: VecDeque::new(),
            seeks_sitemap: false,
            sitemaps_taken: 0,
            next_page: PageKind::New,
            next_request: RequestKind::Sitemap,
            pages_decided: 0,
            urls: 0,
            obeys_robots: politeness.robots,
            bars: settings.bars.clone(),
            is_dropped: steer.drops.refusal_of_host(name).is_some(),
            is_paused: steer.is_paused,
            max_pages: settings.max_pages_per_host,
        }
    }

    /// The route of the next request; `None` if the crawler must look the name up first.
    pub(super) fn route(&self, now: Now) -> Option<&Route> {
        self.route
            .as_ref()
            .filter(|(_, until)| now < *until)
            .map(|(route, _)| route)
    }

    /// Uses the route until the time `until`.
    pub(super) fn learn_route(&mut self, route: Route, until: Now) {
        self.route = Some((route, until));
    }

    /// Forgets the route of a host that could not be reached, so that the crawler looks its name up again before the next request.
    pub(super) fn doubt_route(&mut self) {
        self.route.take_if(|(_, until)| *until != NEVER);
    }

    /// Takes in a new URL.
    pub(super) fn offer(&mut self, queued: QueuedUrl) {
        self.awaits_verdict = false;
        let is_given_up = self.origins_given_up().next().is_some()
            && Url::parse(&queued.url)
                .is_ok_and(|url| self.origins.get(&origin(&url)).is_some_and(OriginState::is_given_up));
        if is_given_up {
            self.queue.skip(queued.seq);
        } else if !self.is_wanted && self.queue.is_empty() && !self.is_given_up() {
            // There may be millions of such hosts, and few of them get a turn soon.
            self.queue.offer_to_store(queued);
        } else {
            self.queue.offer(queued);
        }
    }

    /// Takes in the store's answer to a refill.
    pub(super) fn refilled(&mut self, urls: Vec<QueuedUrl>, more: bool) {
        self.queue.refilled(urls, more);
        self.skip_given_up();
    }

    /// Its part in the browser, which may have this many of its pages.
    pub(super) fn browser_part(&mut self, max_pages: usize) -> &mut BrowserPart {
        self.browser
            .get_or_insert_with(|| Box::new(BrowserPart::new(max_pages)))
    }

    /// Its part in the slow lanes, where the bodies that arrive have `memory_bytes` together.
    pub(super) fn lanes_part(&mut self, memory_bytes: usize) -> &mut SlowLanes {
        self.slow_lanes
            .get_or_insert_with(|| Box::new(SlowLanes::new(memory_bytes)))
    }

    /// Notes that a URL in process has its outcome.
    pub(super) fn decided(&mut self, seq: u64, page: Option<&JudgedPage>) {
        self.awaits_verdict = false;
        let is_duplicate = page.is_some_and(|page| page.duplicate_of.is_some());
        self.queue.decided(seq, is_duplicate);
        self.pages_decided += u64::from(page.is_some());
    }

    /// A URL is in process no more, without an outcome. Returns the session with which it was asked for.
    pub(super) fn leave_process(&mut self, seq: u64) -> Option<u64> {
        self.awaits_verdict = false;
        self.queue.end(seq);
        self.logins.as_mut().and_then(|logins| logins.end(seq))
    }

    /// Notes that a URL redirects to another spelling of itself.
    pub(super) fn respell(&mut self, queued: QueuedUrl, url: Url) {
        self.respelled.push_back((queued, url));
    }

    /// Sets an origin's state. The URLs that waited for the origin's robots.txt return to the queue. If the run has given the origin up,
    /// these URLs stay in the store, and the host schedules no turn for them.
    pub(super) fn settle(&mut self, origin: String, state: OriginState) {
        self.origins.insert(origin, state);
        self.end_wait();
        self.skip_given_up();
    }

    /// The origins of the URLs that wait for the log-in with this index.
    pub(super) fn origins_awaiting(&self, login: usize) -> HashSet<String> {
        let urls = self.awaiting.iter().filter_map(|queued| Url::parse(&queued.url).ok());
        let of_login = urls.filter(|url| self.logins.as_ref().is_some_and(|logins| logins.needs(url, login)));
        of_login.map(|url| origin(&url)).collect()
    }

    /// Returns the URLs that waited for a robots.txt or a log-in to the queue.
    pub(super) fn end_wait(&mut self) {
        for queued in std::mem::take(&mut self.awaiting) {
            self.queue.put_back(WaitingUrl::new(queued));
        }
    }

    /// Drops from memory the URLs of origins that the run has given up. The store keeps them.
    fn skip_given_up(&mut self) {
        if self.origins_given_up().next().is_some() {
            let origins = &self.origins;
            self.queue
                .skip_where(|url| origins.get(&origin(url)).is_some_and(OriginState::is_given_up));
        }
    }

    /// The origins that the run gave up, with the reasons.
    pub(super) fn origins_given_up(&self) -> impl Iterator<Item = (&str, &str)> {
        self.origins.iter().filter_map(|(origin, state)| match state {
            OriginState::GivenUp { why } => Some((origin.as_str(), why.as_str())),
            OriginState::Asked | OriginState::Open { .. } | OriginState::Unfit(_) => None,
        })
    }

    /// Its gate keeps the longest crawl delay in a robots.txt of the host from now on, up to `max`.
    pub(super) fn apply_crawl_delay(&mut self, max: Duration, now: Now) {
        let crawl_delay = self.crawl_delay().unwrap_or_default();
        self.gate.set_crawl_delay(crawl_delay.min(max), now);
    }

    fn crawl_delay(&self) -> Option<Duration> {
        let of = |state: &OriginState| match state {
            OriginState::Open { robots, .. } => robots.crawl_delay(),
            OriginState::Asked | OriginState::GivenUp { .. } | OriginState::Unfit(_) => None,
        };
        self.origins.values().filter_map(of).max()
    }

    /// Leaves all waiting URLs to the store, because the host goes with its group. Returns the errands that it had to run.
    pub(super) fn leave(&mut self) -> Vec<Errand> {
        self.line = self.line.on(LineEvent::GroupGoes);
        self.queue.leave_to_store();
        self.awaiting.clear();
        for (queued, _) in std::mem::take(&mut self.respelled) {
            self.queue.end(queued.seq);
        }
        self.drain_errands()
    }

    /// Whether an answer or an outcome is still to come, or the treatment of the host is not saved.
    pub(super) fn is_needed(&self) -> bool {
        self.is_busy() || self.memory.is_unsaved || self.browser.as_ref().is_some_and(|part| part.pages > 0)
    }

    /// Removes all errands of a host that will run none of them.
    pub(super) fn drain_errands(&mut self) -> Vec<Errand> {
        let sitemaps = self.sitemaps.drain(..).chain(self.sitemaps_to_recall.drain(..));
        let part = self.browser.iter_mut();
        let subrequests = part.flat_map(|part| part.subrequests.drain(..)).map(Errand::Subrequest);
        self.first_errands
            .drain(..)
            .chain(subrequests)
            .chain(sitemaps)
            .collect()
    }

    /// The kind of the next step. New URLs and sitemaps count only if the crawl `takes_new`.
    pub(super) fn work(&self, takes_new: bool) -> Work {
        if !self.is_paused {
            self.work_without_pause(takes_new)
        } else if self.has_subrequest() && !self.gate.is_given_up() {
            // A page in the browser waits for it, whatever else the host could do.
            Work::Request
        } else {
            Work::Nothing
        }
    }

    fn work_without_pause(&self, takes_new: bool) -> Work {
        if self.gate.is_given_up() {
            Work::Nothing
        } else if self.needs_refill(takes_new) {
            Work::Refill
        } else if takes_new && !self.sitemaps_to_recall.is_empty() {
            Work::Recall
        } else if self.has_urgent_errand() || self.has_sitemap(takes_new) || self.has_page(takes_new) {
            Work::Request
        } else {
            Work::Nothing
        }
    }

    /// The facts that decide the host's state. Only the caller knows whether the address is free.
    pub(super) fn facts(&self, takes_new: bool, address_is_free: bool, now: Now) -> HostFacts<'_> {
        HostFacts {
            is_given_up: self.is_given_up(),
            open_requests: self.gate.open(),
            in_process: self.queue.in_process(),
            awaits_robots: self.awaits_robots(),
            awaits_login: self.awaits_login(),
            work: self.work(takes_new),
            line: self.line,
            ready_at: if self.only_excludes() {
                Some(Now::ZERO)
            } else {
                self.gate.ready_at()
            },
            address_is_free,
            rests_until: self.gate.rests_until(),
            rests_long: self.gate.long_rest_until(now).is_some(),
            urls: self.urls,
            is_over_page_limit: !takes_new || !self.may_take_page(),
            last_failure: self.last_failure(),
        }
    }

    /// Whether the host has an open request, a URL in process or an answer in a slow lane, or waits for the store or a robots.txt.
    pub(super) fn is_busy(&self) -> bool {
        let is_read = self.slow_lanes.as_ref().is_some_and(|part| part.is_used());
        let is_asked = self.gate.open() > 0 || self.queue.in_process() > 0 || self.queue.is_refilling();
        is_asked || is_read || self.awaits_errand()
    }

    /// Whether its name keeps its place in a trial. A host that rests before it asks for its robots.txt again does not.
    pub(super) fn holds_place(&self, rests: bool) -> bool {
        let is_asked = self.gate.open() > 0 || self.queue.in_process() > 0 || self.queue.is_refilling();
        is_asked || !rests && self.awaits_errand()
    }

    /// The host's state.
    pub(super) fn state(&self, takes_new: bool, address_is_free: bool, now: Now) -> HostState<'_> {
        let facts = HostFacts {
            // A pause is the state of the crawl, and not of its hosts.
            work: self.work_without_pause(takes_new),
            ..self.facts(takes_new, address_is_free, now)
        };
        HostState::of(&facts, now)
    }

    pub(super) fn is_given_up(&self) -> bool {
        let mut origins = self.origins.values();
        let is_closed = !self.origins.is_empty() && origins.all(|state| matches!(state, OriginState::GivenUp { .. }));
        self.gate.is_given_up() || is_closed
    }

    fn last_failure(&self) -> Option<&str> {
        let of_origin = self.origins_given_up().next().map(|(_, reason)| reason);
        of_origin.or(self.memory.last_failure.as_deref())
    }

    /// Whether URLs wait for a robots.txt that is being fetched.
    fn awaits_robots(&self) -> bool {
        let is_asked = |state| matches!(state, &OriginState::Asked);
        !self.awaiting.is_empty() && self.origins.values().any(is_asked)
    }

    /// Whether URLs wait for a log-in that is being made.
    fn awaits_login(&self) -> bool {
        !self.awaiting.is_empty() && self.logins.as_ref().is_some_and(|logins| logins.are_asked())
    }

    fn awaits_errand(&self) -> bool {
        self.awaits_robots() || self.awaits_login()
    }

    fn needs_refill(&self, takes_new: bool) -> bool {
        let takes_new = takes_new && self.may_take_page();
        self.queue.wants_more(takes_new) && self.awaiting.len() < BUFFER && !self.is_given_up()
    }

    pub(super) fn has_sitemap(&self, takes_new: bool) -> bool {
        takes_new && !self.sitemaps.is_empty() && self.has_room_in_slow_lanes()
    }

    /// Whether it has an errand that others wait for: a robots.txt, or a request of a page in the browser.
    fn has_urgent_errand(&self) -> bool {
        self.has_subrequest() || !self.first_errands.is_empty()
    }

    pub(super) fn has_subrequest(&self) -> bool {
        self.browser.as_ref().is_some_and(|part| !part.subrequests.is_empty())
    }

    pub(super) fn has_page(&self, takes_new: bool) -> bool {
        let may_start = self.browser.as_ref().is_none_or(|part| part.lets_pages_start());
        may_start
            && self.has_room_in_slow_lanes()
            && (self.has_respelled(takes_new) || self.has_new(takes_new) || !self.queue.visits.is_empty())
    }

    fn has_room_in_slow_lanes(&self) -> bool {
        self.slow_lanes.as_ref().is_none_or(|part| part.has_room())
    }

    pub(super) fn has_respelled(&self, takes_new: bool) -> bool {
        let first = self.respelled.front();
        first.is_some_and(|(queued, _)| takes_new || queued.revisits.is_some())
    }

    pub(super) fn has_new(&self, takes_new: bool) -> bool {
        // If no URL is in process, no verdict is coming, so no URL needs to wait for one.
        let awaits_verdict = self.awaits_verdict && self.queue.in_process() > 0;
        takes_new && !self.queue.is_empty() && self.may_take_page() && !awaits_verdict
    }

    /// Whether the host is below its limit of pages.
    pub(super) fn may_take_page(&self) -> bool {
        self.max_pages
            .is_none_or(|max| self.pages_decided + (self.queue.in_process() as u64) < max)
    }
}
