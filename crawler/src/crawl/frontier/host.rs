//! One host's part of the frontier: its URLs in order, its robots.txt, its gate.

use std::collections::{HashMap, HashSet, VecDeque};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use storage::{QueuedUrl, stored_text};
use url::Url;
use web::politeness::{AddressKey, CrawlClock, Gate, Now};
use web::robots::{Robots, robots_url};

use super::queue::{HostQueue, NO_SKELETON, Next, Place, Waiting};
use super::{BUFFER, FrontierSettings};
use crate::config::settings::TrapLimits;
use crate::crawl::messages::{Errand, Unfit};
use crate::crawl::steering::{
    Forecast, JudgedPage, PRIORITY_DEPRIORITISED, PRIORITY_HELD_BACK, PRIORITY_SAMPLE, Skeleton, Steering,
};
use crate::crawl::trap;

/// What a host would do next.
pub(super) enum HostStep {
    Page { queued: QueuedUrl, url: Url },
    Exclude { queued: QueuedUrl, reason: String },
    Fail { queued: QueuedUrl, unfit: Unfit },
    Postpone { queued: QueuedUrl, priority: u8 },
    Errand(Errand),
    Refill { skip: HashSet<u64>, from: Option<Place> },
    Recall(Errand),
}

impl HostStep {
    /// Whether it asks the host for something, so that its address must be free too.
    pub(super) fn is_request(&self) -> bool {
        matches!(self, Self::Page { .. } | Self::Errand(_))
    }
}

/// Whether a URL may be asked for now.
enum Permission {
    Granted,
    /// Not yet or not at all; this is to be done instead.
    Instead(HostStep),
    /// It waits, or is left, and is out of the way.
    Later,
}

/// URLs that may wait for the verdict on another before the host itself waits.
const MAX_ASIDE: usize = 64;

/// What one origin's robots.txt says.
#[derive(Debug)]
pub(super) enum Origin {
    /// It is being fetched.
    Asked,
    /// Its rules, and when they are to be fetched anew.
    Open { robots: Arc<Robots>, until: Now },
    /// It cannot be had, for this reason: nothing of the origin is fetched in this run.
    Closed(String),
    /// Nothing can be had from it, for this reason: its pages fail without a request.
    Unfit(Unfit),
}

/// See the module's text.
#[derive(Debug)]
pub(super) struct Host {
    pub(super) gate: Gate,
    /// The address that answered last, whose gate holds too.
    pub(super) address: Option<AddressKey>,
    /// The same, as the store keeps it.
    pub(super) remote: Option<IpAddr>,
    /// When an earlier run last asked it, Unix ms.
    pub(super) asked_before: u64,
    /// Its treatment has changed since it was last saved.
    pub(super) is_unsaved: bool,
    /// An earlier run may have left its robots.txt in the store.
    pub(super) is_stored: bool,
    pub(super) queue: HostQueue,
    /// All URLs at hand wait for the verdict on one in process, which tests the same rule.
    awaits_verdict: bool,
    /// Handed out, and redirected to another spelling of the same URL, which is asked for next.
    respelled: VecDeque<(QueuedUrl, Url)>,
    /// Waiting for their origin's robots.txt.
    held: Vec<QueuedUrl>,
    /// By `scheme://authority`: a host may answer to both http and https.
    origins: HashMap<String, Origin>,
    pub(super) robots_errands: VecDeque<Errand>,
    pub(super) sitemaps: VecDeque<Errand>,
    /// Sitemaps ever taken, against the bound.
    pub(super) sitemaps_taken: usize,
    /// Visits to pages fetched before and new URLs take turns too.
    visit_is_next: bool,
    /// Sitemaps and pages take turns, so that neither keeps the other waiting.
    sitemap_is_next: bool,
    pub(super) pages_decided: u64,
    /// URLs that wait, in the store or here, and visits, in process included.
    pub(super) urls: u64,
    /// What went wrong last, in words.
    pub(super) last_failure: Option<String>,
    /// It stands in the heap of hosts with something to do.
    pub(super) is_due: bool,
    obeys_robots: bool,
    max_pages: Option<u64>,
    traps: TrapLimits,
}

impl Host {
    pub(super) fn new(name: &str, clock: &CrawlClock, rules: &FrontierSettings) -> Self {
        let politeness = &rules.politeness;
        Self {
            gate: Gate::new(clock, politeness),
            address: AddressKey::of_literal(name),
            remote: None,
            asked_before: 0,
            is_unsaved: false,
            is_stored: false,
            queue: HostQueue::new(rules.steers),
            awaits_verdict: false,
            respelled: VecDeque::new(),
            held: Vec::new(),
            origins: HashMap::new(),
            robots_errands: VecDeque::new(),
            sitemaps: VecDeque::new(),
            sitemaps_taken: 0,
            visit_is_next: false,
            sitemap_is_next: true,
            pages_decided: 0,
            urls: 0,
            last_failure: None,
            is_due: false,
            obeys_robots: politeness.robots,
            max_pages: rules.max_pages_per_host,
            traps: rules.traps,
        }
    }

    /// Takes a new URL in.
    pub(super) fn offer(&mut self, queued: QueuedUrl) {
        self.awaits_verdict = false;
        self.queue.offer(queued);
    }

    pub(super) fn decided(&mut self, seq: u64, page: Option<&JudgedPage>) {
        self.awaits_verdict = false;
        let is_duplicate = page.is_some_and(|page| page.duplicate_of.is_some());
        self.queue.decided(seq, is_duplicate);
        self.pages_decided += u64::from(page.is_some());
    }

    /// A redirect led to another spelling of the URL itself.
    pub(super) fn respell(&mut self, queued: QueuedUrl, url: Url) {
        self.respelled.push_back((queued, url));
    }

    /// Notes what an origin's robots.txt says; URLs that waited for it wait no longer.
    pub(super) fn settle(&mut self, origin: String, answer: Origin) {
        self.origins.insert(origin, answer);
        for queued in std::mem::take(&mut self.held) {
            self.queue.put_back(Waiting::new(queued));
        }
    }

    /// The origins that are closed, with the reasons.
    pub(super) fn closed(&self) -> impl Iterator<Item = (&str, &str)> {
        self.origins.iter().filter_map(|(origin, state)| match state {
            Origin::Closed(reason) => Some((origin.as_str(), reason.as_str())),
            Origin::Asked | Origin::Open { .. } | Origin::Unfit(_) => None,
        })
    }

    /// The longest delay that a robots.txt of the host asks for.
    pub(super) fn crawl_delay(&self) -> Option<Duration> {
        let of = |state: &Origin| match state {
            Origin::Open { robots, .. } => robots.crawl_delay(),
            Origin::Asked | Origin::Closed(_) | Origin::Unfit(_) => None,
        };
        self.origins.values().filter_map(of).max()
    }

    /// All errands, of a host that will run none of them.
    pub(super) fn drain_errands(&mut self) -> Vec<Errand> {
        self.robots_errands.drain(..).chain(self.sitemaps.drain(..)).collect()
    }

    /// Whether there is anything to do, of new URLs and sitemaps only if the crawl `takes_new`.
    pub(super) fn has_work(&self, takes_new: bool) -> bool {
        let has_errands = !self.robots_errands.is_empty() || self.has_sitemap(takes_new);
        !self.gate.is_retired() && (has_errands || self.needs_refill(takes_new) || self.has_page(takes_new))
    }

    fn has_sitemap(&self, takes_new: bool) -> bool {
        takes_new && !self.sitemaps.is_empty()
    }

    /// When [`Host::step`] may do something; a refill asks nothing of the host and never waits.
    pub(super) fn ready_at(&self, takes_new: bool, now: Now) -> Option<Now> {
        if self.needs_refill(takes_new) {
            return Some(now);
        }
        self.gate.ready_at()
    }

    pub(super) fn step(&mut self, name: &str, takes_new: bool, steering: &mut Steering, now: Now) -> Option<HostStep> {
        if !self.has_work(takes_new) {
            return None;
        }
        if self.needs_refill(takes_new) {
            let from = self.queue.begin_refill(takes_new && self.may_take_page());
            let held = self.held.iter().map(|queued| queued.seq);
            let skip = self.queue.skip().chain(held);
            return Some(HostStep::Refill {
                skip: skip.collect(),
                from,
            });
        }
        if self.gate.ready_at()? > now {
            return None;
        }
        if let Some(errand) = self.errand(takes_new) {
            self.gate.start(now);
            return Some(HostStep::Errand(errand));
        }
        if self.has_respelled(takes_new) {
            return self.respelled_page(name, now);
        }
        self.next_in_turn(name, takes_new, steering, now)
    }

    /// A visit or a new URL, whosever turn it is.
    fn next_in_turn(&mut self, name: &str, takes_new: bool, steering: &mut Steering, now: Now) -> Option<HostStep> {
        for is_visit in [self.visit_is_next, !self.visit_is_next] {
            let step = match is_visit {
                true => self.visit(name, now),
                false if self.has_new(takes_new) => self.page(name, steering, now),
                false => None,
            };
            if step.is_some() {
                self.visit_is_next = !is_visit;
                return step;
            }
        }
        None
    }

    /// A visit to a page that was fetched before: neither a trap nor a matter of steering, for it is known what is there.
    fn visit(&mut self, name: &str, now: Now) -> Option<HostStep> {
        while let Some(Waiting { queued, url, .. }) = self.queue.visits.take() {
            let Some(url) = url else {
                return Some(self.exclude(queued, "not a URL".to_owned()));
            };
            match self.permission(name, &queued, &url, now) {
                Permission::Granted => return Some(self.start(queued, NO_SKELETON, url, now)),
                Permission::Instead(step) => return Some(step),
                Permission::Later => {}
            }
        }
        None
    }

    fn respelled_page(&mut self, name: &str, now: Now) -> Option<HostStep> {
        let (queued, url) = self.respelled.pop_front()?;
        let is_visit = queued.revisits.is_some();
        let skeleton = if is_visit { NO_SKELETON } else { Skeleton::of(&url).hash };
        match self.permission(name, &queued, &url, now) {
            Permission::Granted => Some(self.start(queued, skeleton, url, now)),
            Permission::Instead(step) => Some(step),
            Permission::Later => None,
        }
    }

    /// The errand whose turn it is.
    fn errand(&mut self, takes_new: bool) -> Option<Errand> {
        if let Some(robots) = self.robots_errands.pop_front() {
            return Some(robots);
        }
        if !self.has_sitemap(takes_new) {
            return None;
        }
        let is_its_turn = self.sitemap_is_next;
        self.sitemap_is_next = !is_its_turn;
        if is_its_turn || !self.has_page(takes_new) {
            self.sitemaps.pop_front()
        } else {
            None
        }
    }

    fn page(&mut self, name: &str, steering: &mut Steering, now: Now) -> Option<HostStep> {
        let mut aside = Vec::new();
        let step = self.first_page(name, steering, now, &mut aside);
        self.awaits_verdict |= step.is_none() && !aside.is_empty();
        for waiting in aside {
            self.queue.put_back(waiting);
        }
        step
    }

    /// The first URL that something can be done with now. Those that wait for the verdict on another go `aside`.
    fn first_page(
        &mut self,
        name: &str,
        steering: &mut Steering,
        now: Now,
        aside: &mut Vec<Waiting>,
    ) -> Option<HostStep> {
        while aside.len() < MAX_ASIDE {
            let waiting = match self.queue.take() {
                Next::Url(waiting) => *waiting,
                Next::AwaitsVerdict => {
                    self.awaits_verdict = true;
                    return None;
                }
                Next::Empty => return None,
            };
            let Some(url) = waiting.url.clone() else {
                return Some(self.exclude(waiting.queued, "not a URL".to_owned()));
            };
            if let Some(reason) = trap::found(&url, &self.traps) {
                return Some(self.exclude(waiting.queued, reason));
            }
            if waiting.queued.priority >= PRIORITY_HELD_BACK && steering.holds_back(name, &url) {
                self.queue.leaves_some = true;
                continue;
            }
            match self.permission(name, &waiting.queued, &url, now) {
                Permission::Granted => {}
                Permission::Instead(step) => return Some(step),
                Permission::Later => continue,
            }
            let forecast = if steering.is_enabled() {
                steering.forecast(name, &url)
            } else {
                Forecast::New
            };
            let skeleton = waiting.skeleton();
            let priority = waiting.queued.priority;
            match forecast {
                Forecast::New => {}
                Forecast::Test(rule) if steering.is_tested(name, &rule) && self.queue.in_process() > 0 => {
                    aside.push(waiting);
                    continue;
                }
                Forecast::Test(rule) => steering.begin_test(name, waiting.queued.seq, rule),
                Forecast::Same(_) if priority < PRIORITY_HELD_BACK => {
                    return Some(self.postpone(waiting, PRIORITY_HELD_BACK));
                }
                Forecast::Deprioritised if priority < PRIORITY_DEPRIORITISED => {
                    return Some(self.postpone(waiting, PRIORITY_DEPRIORITISED));
                }
                Forecast::Duplicate(prediction) if prediction.is_held_back && priority < PRIORITY_SAMPLE => {
                    let is_sample = steering.is_sample(name, &prediction.rule);
                    let priority = if is_sample { PRIORITY_SAMPLE } else { PRIORITY_HELD_BACK };
                    return Some(self.postpone(waiting, priority));
                }
                Forecast::Duplicate(_) if priority < PRIORITY_DEPRIORITISED => {
                    return Some(self.postpone(waiting, PRIORITY_DEPRIORITISED));
                }
                // Its time has come.
                Forecast::Duplicate(_) | Forecast::Deprioritised | Forecast::Same(_) => {}
            }
            return Some(self.start(waiting.queued, skeleton, url, now));
        }
        None
    }

    /// What robots.txt says to the URL.
    fn permission(&mut self, name: &str, queued: &QueuedUrl, url: &Url, now: Now) -> Permission {
        if !self.obeys_robots {
            return Permission::Granted;
        }
        match self.origins.get(&origin(url)) {
            None if self.is_stored => {
                Permission::Instead(HostStep::Recall(self.robots_errand(name, queued.clone(), url)))
            }
            None => Permission::Instead(self.ask_robots(name, queued.clone(), url, now)),
            Some(Origin::Open { until, .. }) if *until <= now => {
                Permission::Instead(self.ask_robots(name, queued.clone(), url, now))
            }
            Some(Origin::Asked) => {
                self.hold(queued.clone());
                Permission::Later
            }
            Some(Origin::Closed(_)) => {
                self.queue.leave(queued.seq);
                Permission::Later
            }
            Some(Origin::Unfit(unfit)) => {
                let unfit = unfit.clone();
                self.queue.begin(queued.seq, NO_SKELETON);
                Permission::Instead(HostStep::Fail {
                    queued: queued.clone(),
                    unfit,
                })
            }
            Some(Origin::Open { robots, .. }) => {
                let decision = robots.decide(url);
                if decision.allowed {
                    return Permission::Granted;
                }
                let rule = stored_text(&decision.rule.unwrap_or_default());
                Permission::Instead(self.exclude(queued.clone(), format!("robots.txt: {rule}")))
            }
        }
    }

    fn start(&mut self, queued: QueuedUrl, skeleton: u64, url: Url, now: Now) -> HostStep {
        self.queue.begin(queued.seq, skeleton);
        self.gate.start(now);
        HostStep::Page { queued, url }
    }

    fn postpone(&mut self, waiting: Waiting, priority: u8) -> HostStep {
        self.queue.begin(waiting.queued.seq, NO_SKELETON);
        HostStep::Postpone {
            queued: waiting.queued,
            priority,
        }
    }

    fn ask_robots(&mut self, name: &str, queued: QueuedUrl, url: &Url, now: Now) -> HostStep {
        self.gate.start(now);
        HostStep::Errand(self.robots_errand(name, queued, url))
    }

    /// The errand for the robots.txt that the URL waits for from now on.
    fn robots_errand(&mut self, name: &str, queued: QueuedUrl, url: &Url) -> Errand {
        self.hold(queued);
        let origin = origin(url);
        self.origins.insert(origin.clone(), Origin::Asked);
        Errand::Robots {
            for_host: name.to_owned(),
            origin,
            url: robots_url(url),
            redirects: 0,
            failures: 0,
        }
    }

    fn hold(&mut self, queued: QueuedUrl) {
        self.queue.end(queued.seq);
        self.awaits_verdict = false;
        self.held.push(queued);
    }

    fn exclude(&mut self, queued: QueuedUrl, reason: String) -> HostStep {
        self.queue.begin(queued.seq, NO_SKELETON);
        HostStep::Exclude { queued, reason }
    }

    pub(super) fn needs_refill(&self, takes_new: bool) -> bool {
        let takes_new = takes_new && self.may_take_page();
        self.queue.wants_more(takes_new) && self.held.len() < BUFFER && !self.is_closed()
    }

    fn has_page(&self, takes_new: bool) -> bool {
        self.has_respelled(takes_new) || self.has_new(takes_new) || !self.queue.visits.is_empty()
    }

    fn has_respelled(&self, takes_new: bool) -> bool {
        let first = self.respelled.front();
        first.is_some_and(|(queued, _)| takes_new || queued.revisits.is_some())
    }

    fn has_new(&self, takes_new: bool) -> bool {
        // Without a page in process no verdict is coming, whatever was waited for.
        let awaits_verdict = self.awaits_verdict && self.queue.in_process() > 0;
        takes_new && !self.queue.is_empty() && self.may_take_page() && !awaits_verdict
    }

    /// Whether every origin that the host is known by is closed.
    pub(super) fn is_closed(&self) -> bool {
        let mut states = self.origins.values();
        !self.origins.is_empty() && states.all(|state| matches!(state, Origin::Closed(_)))
    }

    /// Whether URLs wait for a robots.txt that is asked for.
    pub(super) fn awaits_robots(&self) -> bool {
        !self.held.is_empty() && self.origins.values().any(|origin| matches!(origin, Origin::Asked))
    }

    pub(super) fn may_take_page(&self) -> bool {
        self.max_pages
            .is_none_or(|max| self.pages_decided + (self.queue.in_process() as u64) < max)
    }
}

/// `scheme://authority`: what one robots.txt rules (RFC 9309, section 2.3).
fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}
