//! One host's part of the frontier: its URLs in order, its robots.txt, its gate.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use storage::QueuedUrl;
use url::Url;

use super::{BUFFER, Errand, Rules};
use crate::politeness::{AddressKey, CrawlClock, Gate, Now};
use crate::robots::Robots;
use crate::stored_text::stored_text;

/// What a host would do next.
pub(super) enum HostStep {
    Page { queued: QueuedUrl, url: Url },
    Exclude { queued: QueuedUrl, reason: String },
    Errand(Errand),
    Refill { skip: HashSet<u64> },
    Recall(Errand),
}

impl HostStep {
    /// Whether it asks the host for something, so that its address must be free too.
    pub(super) fn is_request(&self) -> bool {
        matches!(self, Self::Page { .. } | Self::Errand(_))
    }
}

/// What one origin's robots.txt says.
#[derive(Debug)]
pub(super) enum Origin {
    /// It is being fetched.
    Asked,
    /// Its rules, and when they are to be fetched anew.
    Open { robots: Arc<Robots>, until: Now },
    /// It cannot be had, for this reason: nothing of the origin is fetched in this run.
    Closed(String),
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
    /// In the frontier's order: priority, depth, sequence.
    buffer: BTreeMap<(u8, u16, u64), QueuedUrl>,
    /// The store holds URLs that are not in the buffer.
    pub(super) in_store: bool,
    refilling: bool,
    /// Handed out and not decided, by `seq`.
    in_process: HashSet<u64>,
    /// Handed out, and redirected to another spelling of the same URL, which is asked for next.
    respelled: VecDeque<(QueuedUrl, Url)>,
    /// Waiting for their origin's robots.txt.
    held: Vec<QueuedUrl>,
    /// Left in the store's queue, by `seq`: their origin is closed.
    left: HashSet<u64>,
    /// By `scheme://authority`: a host may answer to both http and https.
    origins: HashMap<String, Origin>,
    pub(super) robots_errands: VecDeque<Errand>,
    pub(super) sitemaps: VecDeque<Errand>,
    /// Sitemaps ever taken, against the bound.
    pub(super) sitemaps_taken: usize,
    /// Sitemaps and pages take turns, so that neither keeps the other waiting.
    sitemap_is_next: bool,
    pub(super) pages_decided: u64,
    /// What went wrong last, in words.
    pub(super) last_failure: Option<String>,
    /// It stands in the heap of hosts with something to do.
    pub(super) is_due: bool,
    obeys_robots: bool,
    max_pages: Option<u64>,
}

impl Host {
    pub(super) fn new(name: &str, clock: &CrawlClock, rules: &Rules) -> Self {
        let politeness = &rules.politeness;
        Self {
            gate: Gate::new(clock, politeness),
            address: AddressKey::of_literal(name),
            remote: None,
            asked_before: 0,
            is_unsaved: false,
            is_stored: false,
            buffer: BTreeMap::new(),
            in_store: false,
            refilling: false,
            in_process: HashSet::new(),
            respelled: VecDeque::new(),
            held: Vec::new(),
            left: HashSet::new(),
            origins: HashMap::new(),
            robots_errands: VecDeque::new(),
            sitemaps: VecDeque::new(),
            sitemaps_taken: 0,
            sitemap_is_next: true,
            pages_decided: 0,
            last_failure: None,
            is_due: false,
            obeys_robots: politeness.robots,
            max_pages: rules.max_pages_per_host,
        }
    }

    /// Takes a new URL into the buffer, or leaves it to the store where the buffer is full.
    pub(super) fn offer(&mut self, queued: QueuedUrl) {
        if self.in_store || self.buffer.len() >= BUFFER {
            self.in_store = true;
        } else {
            self.buffer.insert(order(&queued), queued);
        }
    }

    pub(super) fn refilled(&mut self, urls: Vec<QueuedUrl>, more: bool) {
        self.refilling = false;
        self.in_store = more;
        self.take_back(urls);
    }

    pub(super) fn decided(&mut self, seq: u64, is_page: bool) {
        self.in_process.remove(&seq);
        self.pages_decided += u64::from(is_page);
    }

    /// A redirect led to another spelling of the URL itself.
    pub(super) fn respell(&mut self, queued: QueuedUrl, url: Url) {
        self.respelled.push_back((queued, url));
    }

    /// Notes what an origin's robots.txt says; URLs that waited for it wait no longer.
    pub(super) fn settle(&mut self, origin: String, answer: Origin) {
        self.origins.insert(origin, answer);
        let held = std::mem::take(&mut self.held);
        self.take_back(held);
    }

    /// The origins that are closed, with the reasons.
    pub(super) fn closed(&self) -> impl Iterator<Item = (&str, &str)> {
        self.origins.iter().filter_map(|(origin, state)| match state {
            Origin::Closed(reason) => Some((origin.as_str(), reason.as_str())),
            Origin::Asked | Origin::Open { .. } => None,
        })
    }

    /// The longest delay that a robots.txt of the host asks for.
    pub(super) fn crawl_delay(&self) -> Option<Duration> {
        let of = |state: &Origin| match state {
            Origin::Open { robots, .. } => robots.crawl_delay(),
            Origin::Asked | Origin::Closed(_) => None,
        };
        self.origins.values().filter_map(of).max()
    }

    /// All errands, of a host that will run none of them.
    pub(super) fn drain_errands(&mut self) -> Vec<Errand> {
        self.robots_errands.drain(..).chain(self.sitemaps.drain(..)).collect()
    }

    pub(super) fn has_work(&self) -> bool {
        let has_errands = !self.robots_errands.is_empty() || !self.sitemaps.is_empty();
        !self.gate.is_retired() && (has_errands || self.needs_refill() || self.has_page())
    }

    /// When [`Host::step`] may do something; a refill asks nothing of the host and never waits.
    pub(super) fn ready_at(&self, now: Now) -> Option<Now> {
        if self.needs_refill() {
            return Some(now);
        }
        self.gate.ready_at()
    }

    pub(super) fn step(&mut self, name: &str, now: Now) -> Option<HostStep> {
        if !self.has_work() {
            return None;
        }
        if self.needs_refill() {
            self.refilling = true;
            let held = self.held.iter().map(|queued| queued.seq);
            let skip = self.in_process.iter().chain(&self.left).copied().chain(held);
            return Some(HostStep::Refill { skip: skip.collect() });
        }
        if self.gate.ready_at()? > now {
            return None;
        }
        if let Some(errand) = self.errand() {
            self.gate.start(now);
            return Some(HostStep::Errand(errand));
        }
        self.page(name, now)
    }

    /// The errand whose turn it is.
    fn errand(&mut self) -> Option<Errand> {
        if let Some(robots) = self.robots_errands.pop_front() {
            return Some(robots);
        }
        if self.sitemaps.is_empty() {
            return None;
        }
        let is_its_turn = self.sitemap_is_next;
        self.sitemap_is_next = !is_its_turn;
        if is_its_turn || !self.has_page() {
            self.sitemaps.pop_front()
        } else {
            None
        }
    }

    fn page(&mut self, name: &str, now: Now) -> Option<HostStep> {
        loop {
            let (queued, url) = match self.respelled.pop_front() {
                Some(respelled) => respelled,
                None => {
                    let (_, queued) = self.buffer.pop_first()?;
                    match Url::parse(&queued.url) {
                        Ok(url) => (queued, url),
                        Err(error) => return Some(self.exclude(queued, format!("not a URL: {error}"))),
                    }
                }
            };
            if !self.obeys_robots {
                return Some(self.start(queued, url, now));
            }
            match self.origins.get(&origin(&url)) {
                None if self.is_stored => return Some(HostStep::Recall(self.robots_errand(name, queued, &url))),
                None => return Some(self.ask_robots(name, queued, &url, now)),
                Some(Origin::Open { until, .. }) if *until <= now => {
                    return Some(self.ask_robots(name, queued, &url, now));
                }
                Some(Origin::Asked) => self.hold(queued),
                Some(Origin::Closed(_)) => {
                    self.in_process.remove(&queued.seq);
                    self.left.insert(queued.seq);
                }
                Some(Origin::Open { robots, .. }) => {
                    let decision = robots.decide(&url);
                    if decision.allowed {
                        return Some(self.start(queued, url, now));
                    }
                    let rule = stored_text(&decision.rule.unwrap_or_default());
                    return Some(self.exclude(queued, format!("robots.txt: {rule}")));
                }
            }
        }
    }

    fn start(&mut self, queued: QueuedUrl, url: Url, now: Now) -> HostStep {
        self.in_process.insert(queued.seq);
        self.gate.start(now);
        HostStep::Page { queued, url }
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
        let mut robots_url = url.clone();
        robots_url.set_path("/robots.txt");
        robots_url.set_query(None);
        Errand::Robots {
            for_host: name.to_owned(),
            origin,
            url: robots_url,
            redirects: 0,
            failures: 0,
        }
    }

    fn hold(&mut self, queued: QueuedUrl) {
        self.in_process.remove(&queued.seq);
        self.held.push(queued);
    }

    fn exclude(&mut self, queued: QueuedUrl, reason: String) -> HostStep {
        self.in_process.insert(queued.seq);
        HostStep::Exclude { queued, reason }
    }

    fn take_back(&mut self, urls: Vec<QueuedUrl>) {
        self.buffer
            .extend(urls.into_iter().map(|queued| (order(&queued), queued)));
    }

    pub(super) fn needs_refill(&self) -> bool {
        self.in_store
            && self.buffer.is_empty()
            && !self.refilling
            && self.held.len() < BUFFER
            && self.may_take_page()
            && !self.is_closed()
    }

    fn has_page(&self) -> bool {
        !self.respelled.is_empty() || !self.buffer.is_empty() && self.may_take_page()
    }

    /// Whether every origin that the host is known by is closed.
    pub(super) fn is_closed(&self) -> bool {
        let mut states = self.origins.values();
        !self.origins.is_empty() && states.all(|state| matches!(state, Origin::Closed(_)))
    }

    fn may_take_page(&self) -> bool {
        self.max_pages
            .is_none_or(|max| self.pages_decided + (self.in_process.len() as u64) < max)
    }
}

fn order(queued: &QueuedUrl) -> (u8, u16, u64) {
    (queued.priority, queued.depth, queued.seq)
}

/// `scheme://authority`: what one robots.txt rules (RFC 9309, section 2.3).
fn origin(url: &Url) -> String {
    url[..url::Position::BeforePath].to_owned()
}
